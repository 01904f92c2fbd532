"""Small coptpy programs: what model each says, what it prints, which error it ends in (as in `gurobi_programs`)."""

PREAMBLE = """
import coptpy as cp
import numpy as np
from coptpy import *
config = cp.EnvrConfig()
config.set("nobanner", "1")
env = cp.Envr(config)
m = env.createModel("m")
m.setParam(COPT.Param.Logging, 0)
"""
FOUR = """
x = m.addVar(name="x")
y = m.addVar(name="y")
z = m.addVar(name="z")
b = m.addVar(vtype=COPT.BINARY, name="b")
"""

MODELS = {
    "variables": (
        """\
x = m.addVar(1, 2, 3, COPT.INTEGER, 'x')
y = m.addVar(lb=-COPT.INFINITY, name='y')
z = m.addVars(['u', 'v'], ub=[3, 4], vtype=['I', 'C'], nameprefix='z')
w = m.addVar(lb=-3, ub=7, vtype=COPT.BINARY, name='w')
m.addConstr(x + y + z.sum() >= w)
""",
        """\
min
 3 x
st
 x + y + z(u) + z(v) - w >= 0
bounds
 1 <= x <= 2
 y free
 z(u) <= 3
 z(v) <= 4
generals
 x z(u)
binaries
 w
end
""",
    ),
    "rows": (
        FOUR
        + """\
m.addConstr(2 * x + y <= 3 + z, name='c')
m.addConstr(x, COPT.GREATER_EQUAL, y + 1)
m.addConstr(x + y == 4)
m.addConstrs((x + i * y <= i for i in range(2)), nameprefix='f')
m.addQConstr(x * y + z <= 4)
m.addConstr(quicksum([x, x, np.float64(2) * b]) <= 7)
""",
        """\
min
st
 2 x + y - z <= 3
 x - y >= 1
 x + y = 4
 x <= 0
 x + y <= 1
 2 x + 2 b <= 7
 q: z + [ x * y ] <= 4
binaries
 b
end
""",
    ),
    "objectives": (
        FOUR
        + """\
m.setObjective(z + 7, COPT.MAXIMIZE)
m.setObjective(x * y + z)
m.delQuadObj()
m.setObjective(2 * x + y + 3)
""",
        """\
max
 2 x + y + 3 Constant + 0 z
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
m.setObjective((x - y) * (x + 2) + z, sense=COPT.MAXIMIZE)
""",
        """\
max
 2 x - 2 y + z + [ 2 x ^2 - 2 x * y ] / 2
st
binaries
 b
end
""",
    ),
    "changed": (
        FOUR
        + """\
c = m.addConstr(x + y + z <= 5)
d = m.addConstr(x >= 1)
m.remove(d)
m.setCoeff(c, z, 7)
x.ub = 3
y.setInfo(COPT.Info.LB, 1)
z.vtype = COPT.INTEGER
m.setInfo('UB', [y, z], 9)
m.setObjSense(COPT.MAXIMIZE)
x.obj = 4
m.setObjConst(2)
y.setType('B')
c.ub = 6
""",
        """\
max
 4 x + 2 Constant
st
 x + y + 7 z <= 6
bounds
 x <= 3
 y = 1
 z <= 9
 Constant = 1
generals
 z
binaries
 y b
end
""",
    ),
    "in place": (
        FOUR
        + """\
e = LinExpr()
f = e
e += 2 * x
f.addTerm(y, 3)
f.addTerms([x, z], [1, 4])
e.addConstant(5)
q = QuadExpr()
q.addTerm(2, x, y)
q.addLinExpr(e)
m.setObjective(q)
""",
        """\
min
 3 x + 3 y + 4 z + 5 Constant + [ 4 x * y ] / 2
st
bounds
 Constant = 1
binaries
 b
end
""",
    ),
    "arrays": (
        """\
v = m.addMVar(3, ub=4, vtype='I', nameprefix='v')
A = np.arange(6).reshape(2, 3)
m.addConstrs(A @ v <= np.array([1, 2]), nameprefix='c')
m.addMConstr(np.eye(2, 3), v, COPT.GREATER_EQUAL, [1, 2])
m.setObjective(np.array([1, 2, 3]) @ v, COPT.MAXIMIZE)
""",
        """\
max
 v(0) + 2 v(1) + 3 v(2)
st
 v(1) + 2 v(2) <= 1
 3 v(0) + 4 v(1) + 5 v(2) <= 2
 v(0) >= 1
 v(1) >= 2
bounds
 v(0) <= 4
 v(1) <= 4
 v(2) <= 4
generals
 v(0) v(1) v(2)
end
""",
    ),
}

PRINTS = {
    "what was asked": (
        FOUR
        + """\
print(m.cols, m.Rows, m.bins, m.IsMIP, x.name, b.ub, x.ub, x.index, m.objsense, m.status == COPT.UNSTARTED)
c = m.addConstr(x + 2 * y <= 4 - z, name='c')
print(c.name, c.lb, c.ub, m.getCoeff(c, y), m.getRow(c).getSize())
print([v.name for v in m.getVars()], m.getVars().size, m.getVarByName('y').index, m.getVar(0).getName())
print(m.getInfo('LB', [x, y]), m.getVarType([x, b]))
""",
        """\
4 0 1 1 x 1.0 1e+30 0 1 True
c -1e+30 4.0 2.0 3
['x', 'y', 'z', 'b'] 4 1 x
[0.0, 0.0] ['C', 'B']
""",
    ),
    "an optimum": (
        FOUR
        + """\
m.setObjective(3 * x + 2 * y, COPT.MAXIMIZE)
c = m.addConstr(x + y <= 4)
d = m.addConstr(x <= 3 * b)
m.addConstr(z == 0)
m.solve()
print(m.status == COPT.OPTIMAL, m.objval, x.x, y.X, b.x, c.slack, m.hasmipsol)
print((2 * x + y + 1).getValue(), m.getInfo('Value', [x, y]), m.getValues(), m.bestobj)
""",
        """\
True 11.0 3.0 1.0 1.0 4.0 1
8.0 [3.0, 1.0] [3.0, 1.0, 0.0, 1.0] 11.0
""",
    ),
    "dual values": (
        """\
x = m.addVars(2)
m.setObjective(2 * x[0] + 3 * x[1], COPT.MAXIMIZE)
c = m.addConstr(x[0] + 2 * x[1] <= 4)
m.solve()
print(m.lpobjval, c.pi, x[1].rc, c.getInfo(COPT.Info.Dual), m.getDuals(), m.haslpsol)
""",
        """\
8.0 2.0 -1.0 2.0 [2.0] 1
""",
    ),
    "infeasible": (
        FOUR
        + """\
m.addConstr(x <= -1)
m.solve()
print(m.status == COPT.INFEASIBLE, m.hasmipsol)
try:
    print(x.x)
except CoptError as error:
    print(error.retcode)
""",
        """\
True 0
3
""",
    ),
    "general constraints": (
        FOUR
        + """\
m.addConstr(x == 3)
m.addConstr(z == 4)
big = m.addVar()
t = m.addVar(lb=-9, ub=-5)
size = m.addVar()
m.addConstr(t == x - z - 5)
m.addGenConstrMax(big, [x, z], 1)
m.addGenConstrAbs(size, t)
m.addGenConstrIndicator(b, True, y <= 2)
m.addConstr((b == 0) >> (y <= 5))
m.setObjective(y + big - size, COPT.MAXIMIZE)
m.addConstr(y <= 9)
m.solve()
print(round(big.x, 4), round(size.x, 4), round(y.x, 4))
""",
        """\
4.0 6.0 5.0
""",
    ),
    "nonlinear": (
        """\
x = m.addVar(lb=1, ub=9)
y = m.addVar(lb=1, ub=9)
m.addNlConstr(nl.exp(x) <= 100, name='n')
m.addNlConstr(x * y**3 >= 8)
m.setObjective(x + y)
m.solve()
print(round(m.objval, 3))
""",
        """\
3.0
""",
    ),
    "tuples": (
        """\
x = m.addVars(2, 3, nameprefix='x')
print([v.name for v in x.select(0, '*')], x.sum('*', 1).getSize())
keys, cost, need = multidict({'p': [1, 2], 'q': [3, 4]})
print(list(keys), cost['q'], need['p'], len(x))
""",
        """\
['x(0,0)', 'x(0,1)', 'x(0,2)'] 2
['p', 'q'] 3 2 6
""",
    ),
}

ERRORS = {
    "x < 5": "TypeError",
    "x == y == z": "ValueError",
    "1 <= x <= 3": "ValueError",
    "x in [y]": "ValueError",
    "x.foo": "CoptError",
    "x.foo = 1": "CoptError",
    "m.foo": "AttributeError",
    "m.foo = 1": "AttributeError",
    "m.optimize()": "AttributeError",
    "x.x": "CoptError",
    "COPT.FOO": "AttributeError",
    "m.Param.Foo = 1": "AttributeError",
    "m.setParam('Foo', 1)": "AttributeError",
    "m.addVar(foo=1)": "TypeError",
    "m.addVar(lb=None)": "TypeError",
    "m.addVar(vtype='Q')": "CoptError",
    "m.addVars(2, name='w')": "TypeError",
    "m.addConstr(3)": "ValueError",
    "m.addConstr(x + y, '<=', 3)": "ValueError",
    "m.addConstr(x * y <= 3)": "TypeError",
    "m.addConstr((x == 1) >> (y <= 3))": "CoptError",
    "m.addConstr((b <= 1) >> (y <= 3))": "ValueError",
    "m.setObjective(x, 'max')": "TypeError",
    "m.getVarByName('nope')": "CoptError",
    "m.getConstr(0)": "CoptError",
    "quicksum(3)": "TypeError",
}

REFUSED = (
    "m.addSOS(COPT.SOS_TYPE1, [x, y])",
    "m.addGenConstrPWL(x, y, [1, 2], [3, 4])",
    "m.setObjectiveN(0, x)",
    "m.addLazyConstr(x <= 3)",
    "m.addCone([x, y], COPT.CONE_QUAD)",
    "m.addGenConstrIndicator(b, True, x <= 3, COPT.INDICATOR_ONLYIF)",
    "m.addPsdVars(2)",
    "m.setObjective(x * y); m.setObjective(quicksum([x]))",
)
