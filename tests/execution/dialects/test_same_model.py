"""Three small problems written in every dialect, under other names each: the same model, and the known optimum.

`cover` is a pure integer program, `range` a linear program with a range, an equation and a free variable, `mix` a
maximization with a constant. CP-SAT has integers only; SciPy neither maximizes nor has constants.
"""

import importlib.util

import pytest

from trex.execution.dialects import HEAVY, LIGHT
from trex.problems.comparison.canonical import isomorphic
from trex.problems.solve import solve

OPTIMA = {"cover": 13.0, "range": -17.0, "mix": 25.0}

PROGRAMS = {
    ("mathopt", "cover"): """
from ortools.math_opt.python import mathopt
m = mathopt.Model()
x = m.add_integer_variable(lb=0, ub=10)
y = m.add_integer_variable(lb=0, ub=10)
b = m.add_binary_variable()
m.add_linear_constraint(2 * x + y + 5 * b >= 7)
m.add_linear_constraint(x + 3 * y >= 4)
m.add_linear_constraint(x - y <= 2)
m.minimize(4 * x + 3 * y + 7 * b)
""",
    ("mathopt", "range"): """
from ortools.math_opt.python import mathopt
m = mathopt.Model()
u = m.add_variable()
v = m.add_variable(lb=0, ub=4)
w = m.add_variable(lb=0)
m.add_linear_constraint(lb=1, expr=u + v, ub=6)
m.add_linear_constraint(v + w == 5)
m.add_linear_constraint(u - 2 * w >= -7.5)
m.minimize(2 * u - 3 * v + w)
""",
    ("mathopt", "mix"): """
from ortools.math_opt.python import mathopt
m = mathopt.Model()
x = m.add_integer_variable(lb=0, ub=7)
y = m.add_integer_variable(lb=0, ub=9)
m.add_linear_constraint(2 * x + y <= 10)
m.add_linear_constraint(x + 3 * y <= 15)
m.maximize(3 * x + 2 * y + 8)
""",
    ("pywraplp", "cover"): """
from ortools.linear_solver import pywraplp

def main():
    plan = pywraplp.Solver.CreateSolver("GUROBI")
    first, second = plan.IntVar(0, 10, "first"), plan.IntVar(0, 10, "second")
    extra = plan.BoolVar("extra")
    plan.Add(2 * first + second + 5 * extra >= 7)
    plan.Add(first + 3 * second >= 4)
    plan.Add(first - second <= 2)
    plan.Minimize(4 * first + 3 * second + 7 * extra)
    assert plan.Solve() == pywraplp.Solver.OPTIMAL
    assert plan.Objective().Value() == 13

main()
""",
    ("pywraplp", "range"): """
from ortools.linear_solver import pywraplp
solver = pywraplp.Solver("blend", pywraplp.Solver.GLOP_LINEAR_PROGRAMMING)
inf = solver.infinity()
u, v, w = solver.NumVar(-inf, inf, "u"), solver.NumVar(0, 4, "v"), solver.NumVar(0, inf, "w")
total = solver.RowConstraint(1, 6, "total")
total.SetCoefficient(u, 1)
total.SetCoefficient(v, 1)
solver.Add(v + w == 5)
solver.Add(u - 2 * w >= -7.5)
objective = solver.Objective()
for variable, cost in ((u, 2), (v, -3), (w, 1)):
    objective.SetCoefficient(variable, cost)
objective.SetMinimization()
status = solver.Solve()
print(u.solution_value())
""",
    ("pywraplp", "mix"): """
from ortools.linear_solver import pywraplp
s = pywraplp.Solver.CreateSolver("SAT")
x, y = s.IntVar(0, 7, ""), s.IntVar(0, 9, "")
s.Add(2 * x + y <= 10)
s.Add(s.Sum([x, 3 * y]) <= 15)
s.Maximize(3 * x + 2 * y + 8)
s.Solve()
""",
    ("model_builder", "cover"): """
from ortools.linear_solver.python import model_builder
model = model_builder.Model()
x, y, b = model.new_int_var(0, 10, "x"), model.new_int_var(0, 10, "y"), model.new_bool_var("b")
model.add(2 * x + y + 5 * b >= 7)
model.add(x + 3 * y >= 4)
model.add(x - y <= 2)
model.minimize(4 * x + 3 * y + 7 * b)
solver = model_builder.Solver("gurobi")
assert solver.solve(model) == model_builder.SolveStatus.OPTIMAL and solver.objective_value == 13
""",
    ("model_builder", "range"): """
import math
from ortools.linear_solver.python import model_builder as mb
m = mb.ModelBuilder()
u, v, w = m.new_num_var(-math.inf, math.inf, "u"), m.new_num_var(0, 4, "v"), m.new_num_var(0, math.inf, "w")
m.add_linear_constraint(u + v, 1, 6)
m.add(v + w == 5)
m.add(u - 2 * w >= -7.5)
m.minimize(2 * u - 3 * v + w)
mb.Solver("glop").solve(m)
""",
    ("model_builder", "mix"): """
from ortools.linear_solver.python import model_builder as mb
m = mb.Model()
x, y = m.new_int_var(0, 7, "x"), m.new_int_var(0, 9, "y")
m.add(2 * x + y <= 10)
m.add(x + 3 * y <= 15)
m.maximize(3 * x + 2 * y + 8)
mb.Solver("sat").solve(m)
""",
    ("cp_sat", "cover"): """
from ortools.sat.python import cp_model

def build():
    model = cp_model.CpModel()
    x, y = (model.NewIntVar(0, 10, name) for name in "xy")
    b = model.NewBoolVar("b")
    model.Add(2 * x + y + 5 * b >= 7)
    model.Add(x + 3 * y >= 4)
    model.Add(x - y <= 2)
    model.Minimize(4 * x + 3 * y + 7 * b)
    return model

solver = cp_model.CpSolver()
solver.parameters.num_search_workers = 64
assert solver.Solve(build()) == cp_model.OPTIMAL
assert solver.ObjectiveValue() == 13
""",
    ("cp_sat", "mix"): """
from ortools.sat.python import cp_model
model = cp_model.CpModel()
x, y = model.new_int_var(0, 7, "x"), model.new_int_var(0, 9, "y")
model.add(2 * x + y <= 10)
model.add(x + 3 * y <= 15)
model.maximize(3 * x + 2 * y + 8)
cp_model.CpSolver().solve(model)
""",
    ("pulp", "cover"): """
from pulp import *
prob = LpProblem("cover", LpMinimize)
x = LpVariable.dicts("x", ["a", "b"], lowBound=0, upBound=10, cat="Integer")
b = LpVariable("open", cat=LpBinary)
prob += 4 * x["a"] + 3 * x["b"] + 7 * b, "cost"
prob += 2 * x["a"] + x["b"] + 5 * b >= 7, "demand"
prob += lpSum([x["a"], 3 * x["b"]]) >= 4
prob += x["a"] <= x["b"] + 2
prob.solve(PULP_CBC_CMD(msg=False))
assert LpStatus[prob.status] == "Optimal" and value(prob.objective) == 13
""",
    ("pulp", "range"): """
import pulp

def main():
    lp = pulp.LpProblem("blend", pulp.LpMinimize)
    u, v, w = pulp.LpVariable("u"), pulp.LpVariable("v", 0, 4), pulp.LpVariable("w", lowBound=0)
    lp += 2 * u - 3 * v + w
    lp += u + v >= 1
    lp += u + v <= 6
    lp += v + w == 5
    lp += u - 2 * w + 7.5 >= 0
    lp.solve(pulp.GUROBI_CMD())
    print(u.varValue + 1, [c.pi + 0 for c in lp.constraints.values()])

main()
""",
    ("pulp", "mix"): """
import pulp
best = pulp.LpProblem("mix", pulp.LpMaximize)
x = pulp.LpVariable("x", 0, 7, pulp.LpInteger)
y = pulp.LpVariable("y", 0, 9, pulp.LpInteger)
best += 3 * x + 2 * y + 8
best += 2 * x + y <= 10
best += x + 3 * y <= 15
best.solve(pulp.GLPK(msg=0))
""",
    ("pyomo", "cover"): """
from pyomo.environ import *
model = ConcreteModel()
model.I = Set(initialize=["a", "b"])
model.x = Var(model.I, domain=NonNegativeIntegers, bounds=(0, 10))
model.open = Var(domain=Binary)
model.demand = Constraint(expr=2 * model.x["a"] + model.x["b"] + 5 * model.open >= 7)
model.rest = ConstraintList()
model.rest.add(model.x["a"] + 3 * model.x["b"] >= 4)
model.rest.add(model.x["a"] <= model.x["b"] + 2)
model.cost = Objective(expr=4 * model.x["a"] + 3 * model.x["b"] + 7 * model.open)
result = SolverFactory("glpk").solve(model)
assert result.solver.termination_condition == TerminationCondition.optimal and value(model.cost) == 13
""",
    ("pyomo", "range"): """
import pyomo.environ as pyo

def main():
    lp = pyo.ConcreteModel()
    lp.u = pyo.Var(domain=pyo.Reals)
    lp.v = pyo.Var(bounds=(0, 4))
    lp.w = pyo.Var(within=pyo.NonNegativeReals)
    lp.total = pyo.Constraint(expr=(1, lp.u + lp.v, 6))
    lp.sum = pyo.Constraint(expr=lp.v + lp.w == 5)
    lp.rest = pyo.Constraint(expr=lp.u - 2 * lp.w >= -7.5)
    lp.cost = pyo.Objective(expr=2 * lp.u - 3 * lp.v + lp.w, sense=pyo.minimize)
    lp.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    pyo.SolverFactory("gurobi").solve(lp, tee=True)
    print(lp.u() + lp.dual[lp.total])

main()
""",
    ("pyomo", "mix"): """
import pyomo.environ as pyo
abstract = pyo.AbstractModel()
abstract.limit = pyo.Param(initialize=10)
abstract.x = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, 7))
abstract.y = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
abstract.hours = pyo.Constraint(rule=lambda m: 2 * m.x + m.y <= m.limit)
abstract.area = pyo.Constraint(rule=lambda m: m.x + 3 * m.y <= 15)
abstract.profit = pyo.Objective(rule=lambda m: 3 * m.x + 2 * m.y + 8, sense=pyo.maximize)
instance = abstract.create_instance()
pyo.SolverFactory("cbc", executable="/usr/bin/cbc").solve(instance)
""",
    ("cvxpy", "cover"): """
import cvxpy as cp
x = cp.Variable(2, integer=True)
b = cp.Variable(boolean=True)
rows = [x >= 0, x <= 10, 2 * x[0] + x[1] + 5 * b >= 7, x[0] + 3 * x[1] >= 4, x[0] - x[1] <= 2]
problem = cp.Problem(cp.Minimize(4 * x[0] + 3 * x[1] + 7 * b), rows)
problem.solve(solver=cp.GUROBI, TimeLimit=60)
assert problem.status == cp.OPTIMAL and abs(problem.value - 13) < 1e-6
""",
    ("cvxpy", "range"): """
import cvxpy as cp

def main():
    u, v, w = cp.Variable(), cp.Variable(bounds=[0, 4]), cp.Variable(nonneg=True)
    least = cp.Parameter(value=1)
    rows = [u + v >= least, u + v <= 6, v + w == 5, u - 2 * w >= -7.5]
    cp.Problem(cp.Minimize(2 * u - 3 * v + w), rows).solve()
    print(u.value + 1)

main()
""",
    ("cvxpy", "mix"): """
import cvxpy as cp
import numpy as np
z = cp.Variable(2, integer=True, nonneg=True)
rows = [np.array([[2, 1], [1, 3]]) @ z <= np.array([10, 15]), z <= [7, 9]]
best = cp.Problem(cp.Maximize(np.array([3, 2]) @ z + 8), rows)
best.solve(solver="CBC", maximumSeconds=9)
""",
    ("pyscipopt", "cover"): """
from pyscipopt import Model
scip = Model("cover")
x, y, b = scip.addVar("x", "I", 0, 10), scip.addVar("y", vtype="INTEGER", lb=0, ub=10), scip.addVar(vtype="B")
scip.addCons(2 * x + y + 5 * b >= 7)
scip.addCons(x + 3 * y >= 4)
scip.addCons(x <= y + 2)
scip.setObjective(4 * x + 3 * y + 7 * b)
scip.optimize()
assert scip.getStatus() == "optimal" and scip.getObjVal() == 13
""",
    ("pyscipopt", "range"): """
import pyscipopt

def main():
    lp = pyscipopt.Model()
    u, v, w = lp.addVar(lb=None), lp.addVar(ub=4), lp.addVar()
    lp.addCons(1 <= (u + v <= 6))
    lp.addCons(v + w == 5)
    lp.addCons(u - 2 * w >= -7.5)
    lp.setObjective(2 * u - 3 * v + w, "minimize")
    lp.optimize()
    print(lp.getVal(u))

main()
""",
    ("pyscipopt", "mix"): """
from pyscipopt import Model, quicksum
m = Model()
x, y = m.addVar(vtype="I", ub=7), m.addVar(vtype="I", ub=9)
m.addCons(2 * x + y <= 10)
m.addCons(quicksum([x, y, y, y]) <= 15)
m.setObjective(3 * x + 2 * y + 8, sense="maximize")
m.hideOutput()
m.optimize()
""",
    ("scipy_optimize", "cover"): """
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
rows = [LinearConstraint([[2, 1, 5], [1, 3, 0]], lb=[7, 4]), LinearConstraint([[1, -1, 0]], -np.inf, 2)]
result = milp([4, 3, 7], constraints=rows, integrality=np.ones(3), bounds=Bounds(0, [10, 10, 1]))
assert result.success and result.fun == 13
""",
    ("scipy_optimize", "range"): """
import scipy.optimize

def main():
    bounds = [(None, None), (0, 4), (0, None)]
    A = [[1, 1, 0], [-1, -1, 0], [-1, 0, 2]]
    scipy.optimize.linprog([2, -3, 1], A, [6, -1, 7.5], [[0, 1, 1]], [5], bounds)

main()
""",
}


@pytest.fixture(scope="module")
def executed(sandbox):
    """A function that runs one of the programs, once."""
    done = {}

    def run(dialect, problem):
        if (dialect, problem) not in done:
            done[dialect, problem] = sandbox.run(PROGRAMS[dialect, problem], {})
        return done[dialect, problem]

    return run


@pytest.mark.parametrize(("dialect", "problem"), PROGRAMS)
def test_every_dialect_says_the_same(executed, dialect, problem):
    if importlib.util.find_spec((LIGHT | HEAVY)[dialect]) is None:
        pytest.skip(f"{(LIGHT | HEAVY)[dialect]} is not installed")
    execution = executed(dialect, problem)
    assert (execution.status, execution.detail) == ("ok", "")
    assert isomorphic(execution.model, executed("mathopt", problem).model)
    assert solve(execution.model).objective == pytest.approx(OPTIMA[problem], rel=1e-9)
