"""Small gurobipy programs: what model each says, what it prints, which error it ends in.

`MODELS` are (program, its model as LP text), `PRINTS` (program, what it prints), `ERRORS` (program, type of the error).
"""

PREAMBLE = """
import gurobipy as gp
import numpy as np
from gurobipy import *
from gurobipy import GRB, nlfunc
env = gp.Env(empty=True)
env.setParam("OutputFlag", 0)
env.start()
m = gp.Model("m", env=env)
"""
FOUR = """
x = m.addVar(name="x")
y = m.addVar(name="y")
z = m.addVar(name="z")
b = m.addVar(vtype=GRB.BINARY, name="b")
m.update()
"""

MODELS = {
    "defaults": (
        """\
x = m.addVar()
y = m.addVar(1, 2, 3, GRB.INTEGER, 'y')
z = m.addVar(vtype='B')
m.addConstr(x + y >= z)
""",
        """\
min
 3 y
st
 R0: C0 + y - C2 >= 0
bounds
 1 <= y <= 2
generals
 y
binaries
 C2
end
""",
    ),
    "free and fixed": (
        """\
x = m.addVar(lb=-GRB.INFINITY, name='x')
y = m.addVar(lb=-float('inf'), ub=1e20, name='y')
z = m.addVar(lb=2, ub=2, name='z')
m.setObjective(x + y + z)
""",
        """\
min
 x + y + z
st
bounds
 x free
 y free
 z = 2
end
""",
    ),
    "binary bounds are cut": (
        """\
x = m.addVar(lb=-3, ub=7, vtype=GRB.BINARY, name='x')
y = m.addVar(ub=0, vtype='b', name='y')
m.setObjective(x + y)
""",
        """\
min
 x + y
st
bounds
 y = 0
binaries
 x y
end
""",
    ),
    "families of variables": (
        """\
x = m.addVars(2, 2, name='x')
y = m.addVars(['a', 'b'], lb=1, ub=[3, 4], vtype=['I', 'C'], name='y')
z = m.addVars([(1, 2), (3, 4)], ['u'], obj={(1, 2, 'u'): 5}, name='z')
m.update()
m.setObjective(x.sum() + 2 * y.sum('*') + z.prod({(1, 2, 'u'): 5}))
m.addConstr(x.sum(0, '*') <= 1)
m.addConstr(x.sum('*', [0, 1]) <= 2)
m.addConstr(gp.quicksum(z.select(3, '*', 'u')) <= 3)
""",
        """\
min
 x[0,0] + x[0,1] + x[1,0] + x[1,1] + 2 y[a] + 2 y[b] + 5 z[1,2,u]
st
 x[0,0] + x[0,1] <= 1
 x[0,0] + x[0,1] + x[1,0] + x[1,1] <= 2
 z[3,4,u] <= 3
bounds
 1 <= y[a] <= 3
 1 <= y[b] <= 4
generals
 y[a]
end
""",
    ),
    "numpy coefficients and duplicates": (
        FOUR
        + """\
c = np.array([1.5, 2.5])
m.setObjective(c[0] * x + x * c[1] + gp.quicksum([x, x, y, 3]))
m.addConstr(np.float64(2) * x - np.int64(1) + y - x <= x + 4)
m.addConstr(c @ np.array([x, y]) >= 1)
""",
        """\
min
 6 x + y + 3 Constant
st
 y <= 5
 1.5 x + 2.5 y >= 1
bounds
 Constant = 1
 z <= inf
binaries
 b
end
""",
    ),
    "in place": (
        FOUR
        + """\
e = gp.LinExpr()
f = e
for v in (x, y):
    e += 2 * v
e -= 1
e *= 3
f.add(z, 4)
f.addTerms([1, 2], [x, y])
f.addConstant(2)
m.setObjective(e, GRB.MAXIMIZE)
q = gp.QuadExpr()
q += x * y
q += x
q.addTerms([1, 2], [x, y], [z, z])
m.addConstr(q / 2 <= 1)
""",
        """\
max
 7 x + 8 y + 4 z - 1 Constant
st
 0.5 x + [ 0.5 x * y + 0.5 x * z + y * z ] <= 1
bounds
 Constant = 1
binaries
 b
end
""",
    ),
    "families of constraints": (
        """\
x = m.addVars(3, 2, name='x')
m.addConstrs((gp.quicksum(x[i, j] for j in range(2)) <= i for i in range(3) if i), name='row')
m.addConstrs((x[i, j] >= x[i, k] for i in range(1) for j in range(2) for k in range(2) if j != k), 'pair')
m.addConstrs(x[i, 0] == 1 for i in [2])
""",
        """\
min
st
 row[1]: x[1,0] + x[1,1] <= 1
 row[2]: x[2,0] + x[2,1] <= 2
 x[0,0] - x[0,1] >= 0
 x[0,1] - x[0,0] >= 0
 x[2,0] = 1
end
""",
    ),
    "other ways to a row": (
        FOUR
        + """\
m.addLConstr(x + y, GRB.LESS_EQUAL, 3)
m.addLConstr(x, '>=', y)
m.addLConstr(x + z == 2, 'n')
m.addQConstr(x * y, '<', 3)
m.addConstr(True)
m.addConstr(gp.quicksum([]) <= 5)
m.addConstr(3 <= x)
m.addConstr(2 * x == y + 1)
""",
        """\
min
st
 x + y <= 3
 x - y >= 0
 x + z = 2
 q: [ x * y ] <= 3
 e1: 0 x <= 0
 e2: 0 x <= 5
 x >= 3
 2 x - y = 1
binaries
 b
end
""",
    ),
    "ranges": (
        FOUR
        + """\
m.addRange(x + y + 1, 1, 3, 'n')
m.addConstr(x - y == [-2, 2])
m.addRange(x, -GRB.INFINITY, 3)
m.addRange(z, 1, GRB.INFINITY)
m.addRange(y, 2, 2)
""",
        """\
min
st
 0 <= x + y <= 2
 -2 <= x - y <= 2
 x <= 3
 z >= 1
 y = 2
binaries
 b
end
""",
    ),
    "objectives replaced": (
        FOUR
        + """\
w = m.addVar(obj=4, name='w')
m.setObjective(x * y + 7, GRB.MAXIMIZE)
m.setObjective(2 * x + y)
""",
        """\
max
 2 x + y + 0 z + 0 w
st
binaries
 b
end
""",
    ),
    "objective from attributes": (
        FOUR
        + """\
x.Obj = 3
y.setAttr('obj', 2)
m.setAttr('Obj', [z], [5])
m.ModelSense = GRB.MAXIMIZE
m.ObjCon = 4
""",
        """\
max
 3 x + 2 y + 5 z + 4 Constant
st
bounds
 Constant = 1
binaries
 b
end
""",
    ),
    "quadratic objective": (
        FOUR
        + """\
m.setObjective((x - y) * (x + 2) + (y + 1) ** 2 + 3, sense=-1)
""",
        """\
max
 2 x + 4 Constant + [ 2 x ^2 - 2 x * y + 2 y ^2 ] / 2
st
bounds
 z >= 0
 Constant = 1
binaries
 b
end
""",
    ),
    "attributes by any capitals": (
        FOUR
        + """\
x.ub = 4
x.Lb = 1
y.VTYPE = 'I'
z.vtype = GRB.BINARY
c = m.addConstr(x + y + z <= 1)
m.update()
c.rhs = 8
c.SENSE = GRB.GREATER_EQUAL
m.setAttr('UB', [y, z], 9)
m.setAttr(GRB.Attr.LB, {1: b}, {1: 1.0})
""",
        """\
min
st
 x + y + z >= 8
bounds
 1 <= x <= 4
 y <= 9
 b = 1
generals
 y
binaries
 z b
end
""",
    ),
    "removed and changed": (
        FOUR
        + """\
c = m.addConstr(x + y + z <= 5)
d = m.addConstr(x >= 1)
m.setObjective(x * y + x + z)
m.update()
m.remove(y)
m.remove([d])
m.chgCoeff(c, z, 7)
m.update()
m.addConstr(m.getRow(c) >= m.getCoeff(c, x))
""",
        """\
min
 x + z
st
 x + 7 z <= 5
 x + 7 z >= 1
binaries
 b
end
""",
    ),
    "columns": (
        FOUR
        + """\
c = m.addConstr(x + y <= 5)
d = m.addConstr(x >= 1)
m.update()
w = m.addVar(obj=2, name='w', column=gp.Column([3, 4], [c, d]))
""",
        """\
min
 2 w + 0 z
st
 x + y + 3 w <= 5
 x + 4 w >= 1
binaries
 b
end
""",
    ),
    "a copy": (
        FOUR
        + """\
m.addConstr(x + y <= 5)
m.setObjective(x * y + z, GRB.MAXIMIZE)
m.addConstr(x * z <= 1)
m.update()
m = m.copy()
m.addConstr(m.getVarByName('z') <= 2)
""",
        """\
max
 z + [ 2 x * y ] / 2
st
 x + y <= 5
 q: [ x * z ] <= 1
 z <= 2
binaries
 b
end
""",
    ),
    "arrays": (
        """\
v = m.addMVar((2, 3), name='v')
w = m.addMVar(3, lb=-1, ub=np.array([1, 2, 3]), vtype='I', name='w')
A = np.arange(6).reshape(2, 3)
m.addConstr(A @ w <= np.array([1, 2]), name='c')
m.addConstr(v.sum(axis=0) == 1)
m.addConstr(v[0] - v[1] >= w)
m.addConstr(2 * v[0, 1] + w.sum() <= 4)
m.setObjective(np.array([1, 2, 3]) @ w + v.sum() + 2)
m.addMConstr(np.eye(2, 3), w, '>', np.array([-1, 0]))
""",
        """\
min
 w[0] + 2 w[1] + 3 w[2] + v[0,0] + v[0,1] + v[0,2] + v[1,0] + v[1,1] + v[1,2] + 2 Constant
st
 w[1] + 2 w[2] <= 1
 3 w[0] + 4 w[1] + 5 w[2] <= 2
 v[0,0] + v[1,0] = 1
 v[0,1] + v[1,1] = 1
 v[0,2] + v[1,2] = 1
 v[0,0] - v[1,0] - w[0] >= 0
 v[0,1] - v[1,1] - w[1] >= 0
 v[0,2] - v[1,2] - w[2] >= 0
 2 v[0,1] + w[0] + w[1] + w[2] <= 4
 w[0] >= -1
 w[1] >= 0
bounds
 Constant = 1
 -1 <= w[0] <= 1
 -1 <= w[1] <= 2
 -1 <= w[2] <= 3
generals
 w[0] w[1] w[2]
end
""",
    ),
    "arrays, quadratic": (
        """\
v = m.addMVar(2, name='v')
Q = np.array([[1, 2], [2, 3]])
m.setObjective(v @ Q @ v, GRB.MAXIMIZE)
m.addConstr(v @ v <= 4)
m.addConstr(v * v >= 1)
m.addMQConstr(Q, np.ones(2), '<', 3, v, v, v)
""",
        """\
max
 [ 2 v[0] ^2 + 8 v[0] * v[1] + 6 v[1] ^2 ] / 2
st
 [ v[0] ^2 + v[1] ^2 ] <= 4
 [ v[0] ^2 ] >= 1
 [ v[1] ^2 ] >= 1
 v[0] + v[1] + [ v[0] ^2 + 4 v[0] * v[1] + 3 v[1] ^2 ] <= 3
end
""",
    ),
    "tiny coefficients": (
        FOUR
        + """\
m.addConstr(1e-14 * x + y <= 1)
m.addConstr(x - x + z <= 1)
""",
        """\
min
 0 x
st
 y <= 1
 z <= 1
binaries
 b
end
""",
    ),
}

PRINTS = {
    "what was asked": (
        FOUR
        + """\
print(m.NumVars, m.numConstrs, m.NumBinVars, m.ModelName, m.modelsense, x.VarName, b.UB, x.ub, x.index)
c = m.addConstr(x + 2 * y <= 4 - z, 'c')
m.update()
print(c.Sense, c.RHS, c.ConstrName, m.getRow(c).size())
print([v.VarName for v in m.getVars()], m.getVarByName('y') is y, m.getVarByName('w'))
print(m.getConstrByName('c') is c, m.Status == GRB.LOADED, m.SolCount, m.IsMIP)
print(m.getAttr('LB', [x, y]), m.getAttr('VType', {1: b}), m.getCoeff(c, y))
""",
        """\
4 0 1 m 1 x 1.0 inf 0
< 4.0 c 3
['x', 'y', 'z', 'b'] True None
True True 0 1
[0.0, 0.0] {1: 'B'} 2.0
""",
    ),
    "an optimum": (
        FOUR
        + """\
m.setObjective(3 * x + 2 * y, GRB.MAXIMIZE)
c = m.addConstr(x + y <= 4)
d = m.addConstr(x <= 3 * b)
m.optimize()
print(m.Status == GRB.OPTIMAL, m.ObjVal, x.X, y.x, b.X, c.Slack, d.slack, m.SolCount > 0)
print((2 * x + y + 1).getValue(), (x * y).getValue(), m.getAttr('X', [x, y]), abs(m.MIPGap) < 1e-9)
""",
        """\
True 11.0 3.0 1.0 1.0 0.0 0.0 True
8.0 3.0 [3.0, 1.0] True
""",
    ),
    "dual values, maximising": (
        """\
x = m.addVars(2, name='x')
m.setObjective(2 * x[0] + 3 * x[1], GRB.MAXIMIZE)
c = m.addConstr(x[0] + 2 * x[1] <= 4)
m.optimize()
print(c.Pi, x[0].RC + 0, x[1].RC)
""",
        """\
2.0 0.0 -1.0
""",
    ),
    "dual values, minimising": (
        """\
x = m.addVars(2, name='x')
m.setObjective(2 * x[0] + 3 * x[1])
c = m.addConstr(x[0] + 2 * x[1] >= 4)
d = m.addConstr(x[0] <= 9)
m.optimize()
print(c.Pi, d.Pi + 0, x[0].RC, x[1].RC + 0, d.Slack)
""",
        """\
1.5 0.0 0.5 0.0 9.0
""",
    ),
    "infeasible": (
        FOUR
        + """\
m.addConstr(x <= -1)
m.optimize()
print(m.Status == GRB.INFEASIBLE, m.SolCount)
m.computeIIS()
print(m.getConstrs()[0].IISConstr)
try:
    print(x.X)
except AttributeError as error:
    print(error)
""",
        """\
True 0
1
Unable to retrieve attribute 'X'
""",
    ),
    "unbounded": (
        """\
x = m.addVar()
m.setObjective(x, GRB.MAXIMIZE)
m.optimize()
print(m.Status in (GRB.UNBOUNDED, GRB.INF_OR_UNBD))
""",
        """\
True
""",
    ),
    "cuts and stages": (
        FOUR
        + """\
m.setObjective(x + y, GRB.MAXIMIZE)
m.addConstr(x + y <= 10)
x.VType = 'I'
rounds = 0
m.optimize()
while m.ObjVal > 7:
    m.addConstr(x + y <= m.ObjVal - 2)
    m.optimize()
    rounds += 1
m.addConstr(x + y >= m.ObjVal)
m.setObjective(x)
m.optimize()
print(rounds, m.ObjVal, x.X + y.X)
""",
        """\
2 6.0 6.0
""",
    ),
    "general constraints": (
        FOUR
        + """\
m.addConstr(x == 3)
m.addConstr(z == 4)
big = m.addVar(lb=-GRB.INFINITY)
small = m.addVar()
size = m.addVar()
length = m.addVar()
most = m.addVar()
m.addConstr(big == max_(x, z, 1))
m.addConstr(small == min_([x, z], constant=2))
t = m.addVar(lb=-9, ub=-5)
m.addConstr(t == x - z - 5)
m.addConstr(size == abs_(t))
m.addConstr(length == norm([x, z], 2))
m.addGenConstrNorm(most, [x, z], 1)
m.optimize()
print(*(round(v.X, 4) for v in (big, small, size, length, most)))
""",
        """\
4.0 2.0 6.0 5.0 7.0
""",
    ),
    "indicators and logic": (
        FOUR
        + """\
m.addConstr((b == 1) >> (x + y <= 3))
m.addGenConstrIndicator(b, False, x <= 5)
a = m.addVars(3, vtype='B')
both = m.addVar(vtype='B')
any = m.addVar(vtype='B')
m.addConstr(both == and_(a[0], a[1]))
m.addGenConstrOr(any, [a[1], a[2]])
m.addConstr(y == 1)
m.addConstr(x <= 9)
m.setObjective(x + 10 * both - any, GRB.MAXIMIZE)
m.optimize()
print(round(x.X, 5), b.X + 0, round(m.ObjVal, 5))
m.addConstr(any == 0)
m.optimize()
print(round(m.ObjVal, 5))
""",
        """\
5.0 0.0 14.0
5.0
""",
    ),
    "functions": (
        FOUR
        + """\
m.addConstr(x == 2)
s = m.addVars(6, lb=-10, ub=10)
m.addConstr(s[0] == x**3)
m.addConstr(s[1] == nlfunc.exp(x) + 1)
m.addGenConstrPow(x, s[2], 2.0)
m.addGenConstrPoly(x, s[3], [1, 2, 1])
m.addGenConstrLogA(x, s[4], 2)
m.addConstr(s[5] == nlfunc.sqrt(x * 2) / x)
m.optimize()
print(*(round(v.X, 2) for v in s.values()))
""",
        """\
8.0 8.39 4.0 9.0 1.0 1.0
""",
    ),
    "tuples": (
        """\
a = gp.tuplelist([(1, 2), (1, 3), (2, 3)])
print(list(a.select(1, '*')), list(a.select('*', [2])), len(a))
keys, cost, need = gp.multidict({'p': [1, 2], 'q': [3, 4]})
print(list(keys), dict(cost), need['q'])
d = gp.tupledict([((1, 'a'), 5), ((2, 'a'), 6)])
print(d.select(2, '*'), d.sum('*', 'a').getValue())
""",
        """\
[(1, 2), (1, 3)] [(1, 2)] 3
['p', 'q'] {'p': 1, 'q': 3} 4
[6] 11.0
""",
    ),
    "parameters": (
        """\
m.Params.timelimit = 5
m.setParam(GRB.Param.MIPGap, 0.1)
m.params.OutputFlag = 0
print(m.Params.TimeLimit, m.Params.mipgap)
m.resetParams()
print(m.Params.MIPGap)
""",
        """\
5.0 0.1
0.0001
""",
    ),
    "keys of constraints": (
        """\
x = m.addVars(3, 3, name='x')
c = m.addConstrs((quicksum(x[i, k] for k in range(3)) <= j for i in range(2) for j in 'ab'.encode()), name='c')
d = m.addConstrs((x[e] <= 1 for e in [(0, 1), (1, 2)]), name='d')
f = m.addConstrs((sum([x[i, j] for j in range(3)]) <= 1 for i in range(2)), name='f')
m.update()
print(list(c), list(d), list(f), d[0, 1].ConstrName, c[1, 97].ConstrName)
""",
        """\
[(0, 97), (0, 98), (1, 97), (1, 98)] [(0, 1), (1, 2)] [0, 1] d[0,1] c[1,97]
""",
    ),
    "context managers and copies": (
        """\
with gp.Env(params={'OutputFlag': 0}) as e, gp.Model('n', env=e) as k:
    x = k.addVar(ub=3)
    k.setObjective(x, GRB.MAXIMIZE)
    k.optimize()
    print(k.ObjVal, k.copy().NumVars, k.relax().IsMIP)
""",
        """\
3.0 1 0
""",
    ),
    "nothing written but models": (
        """\
x = m.addVar(name='x')
m.addConstr(2 * x >= 1, 'c')
m.update()
m.write('a.lp')
m.write('a.mps')
m.optimize()
m.write('a.sol')
import os
print('2 x >= 1' in open('a.lp').read(), os.path.exists('a.mps'))
""",
        """\
True True
""",
    ),
}

ERRORS = {
    "x < 5": "TypeError",
    "x > y": "TypeError",
    "x != y": "GurobiError",
    "x == y == z": "GurobiError",
    "1 <= x <= 3": "GurobiError",
    "max(x, y)": "TypeError",
    "abs(x)": "TypeError",
    "x in [y]": "GurobiError",
    "x + None": "TypeError",
    "x + 'a'": "TypeError",
    "[1, 2] * x": "TypeError",
    "x / 0": "ZeroDivisionError",
    "x.foo": "AttributeError",
    "x.foo = 1": "AttributeError",
    "m.foo": "AttributeError",
    "m.foo = 1": "AttributeError",
    "m.addvar()": "AttributeError",
    "m.NumVars = 1": "AttributeError",
    "x.X": "AttributeError",
    "x.X = 1": "AttributeError",
    "x.LB = 'a'": "AttributeError",
    "x.VType = 'Q'": "AttributeError",
    "m.ObjVal": "AttributeError",
    "m.getAttr('X', [x])": "GurobiError",
    "GRB.FOO": "AttributeError",
    "GRB.Status.FOO": "AttributeError",
    "nlfunc.foo": "AttributeError",
    "gp.foo": "AttributeError",
    "m.Params.Foo": "AttributeError",
    "m.Params.Foo = 1": "GurobiError",
    "m.setParam('Foo', 1)": "GurobiError",
    "m.setParam('TimeLimit', 'a')": "TypeError",
    "m.addVar(foo=1)": "TypeError",
    "m.addVar(lb='a')": "TypeError",
    "m.addVar(lb=None)": "TypeError",
    "m.addVar(lb=float('nan'))": "GurobiError",
    "m.addVar(vtype='Q')": "GurobiError",
    "m.addVars(2, lb=[1, 2, 3])": "AssertionError",
    "m.addVars([1, 1])": "KeyError",
    "m.addVars(2.0)": "TypeError",
    "m.addConstr(3)": "GurobiError",
    "m.addConstr(x + y)": "GurobiError",
    "m.addConstr(x <= None)": "TypeError",
    "m.addConstr(x + y, '<', 3)": "TypeError",
    "m.addConstr(x <= float('nan'))": "GurobiError",
    "m.addConstr(x**3 <= 5)": "GurobiError",
    "m.addConstr(x + y == x**3)": "GurobiError",
    "m.addConstr(y <= abs_(x))": "GurobiError",
    "m.addConstr(2 * y == abs_(x))": "GurobiError",
    "m.addConstr(y == abs_(x + 1))": "TypeError",
    "m.addConstr(y == max_(x + 1, z))": "GurobiError",
    "m.addConstr((b == 2) >> (x <= 3))": "GurobiError",
    "m.addConstr((b <= 1) >> (x <= 3))": "GurobiError",
    "m.addConstr((b == 1) >> (x * y <= 3))": "TypeError",
    "m.addConstrs([x <= 1, x <= 2])": "KeyError",
    "m.addLConstr(x * y <= 3)": "GurobiError",
    "m.setObjective(x**3)": "GurobiError",
    "m.setObjective(x * y * z)": "GurobiError",
    "m.setObjective(x <= 3)": "GurobiError",
    "m.setObjective(x, 'max')": "ValueError",
    "m.setObjective(x, 2)": "GurobiError",
    "m.remove(3)": "GurobiError",
    "gp.quicksum([x, None])": "TypeError",
    "m.addConstr(gp.Model(env=env).addVar() <= 1)": "GurobiError",
    "m.remove(x); m.update(); m.addConstr(x <= 1)": "GurobiError",
}

# Real parts of the library that the IR does not cover: the model is refused for good.
REFUSED = (
    "m.addSOS(GRB.SOS_TYPE1, [x, y])",
    "m.setPWLObj(x, [1, 2], [3, 4])",
    "m.addGenConstrPWL(x, y, [1, 2], [3, 4])",
    "m.setObjectiveN(x, 1)",
    "m.Params.LazyConstraints = 1",
    "m.addRange(x * y, 1, 3)",
    "m.addConstr(x * y == [1, 3])",
    "m.addConstr(y == norm([x, z], 0))",
    "m.NumScenarios = 2",
    "m.NumObj = 2",
    "x.ObjN = 2",
    "m.feasRelaxS(0, False, False, True)",
    "m.cbLazy(x <= 1)",
)
# Real attributes that are only asked for: the program gets no answer, and the model is what it was.
UNANSWERED = ("x.SAObjLow", "m.Kappa", "m.Params.Aggregate", "gp.read('a.lp')", "gp.paramHelp()")
