"""A small program in each library that the sandbox loads beforehand: all build the same model.

NUMBER stands for a number that is added to its optimum, which is BEST without.
"""

BEST = 20

PROGRAMS = {
    "mathopt": """
from ortools.math_opt.python import mathopt
model = mathopt.Model(name="mix")
x = model.add_integer_variable(lb=0, ub=7, name="x")
y = model.add_variable(lb=0, name="y")
model.add_linear_constraint(2 * x + y <= 10, name="hours")
model.maximize(3 * x + 2 * y + NUMBER)
""",
    "gurobipy": """
import gurobipy as gp
from gurobipy import GRB
model = gp.Model("mix")
x = model.addVar(ub=7, vtype=GRB.INTEGER, name="x")
y = model.addVar(name="y")
model.addConstr(2 * x + y <= 10, name="hours")
model.setObjective(3 * x + 2 * y + NUMBER, GRB.MAXIMIZE)
""",
    "pulp": """
import pulp
model = pulp.LpProblem("mix", pulp.LpMaximize)
x = pulp.LpVariable("x", 0, 7, pulp.LpInteger)
y = pulp.LpVariable("y", 0)
model += 3 * x + 2 * y + NUMBER
model += 2 * x + y <= 10, "hours"
""",
    "pywraplp": """
from ortools.linear_solver import pywraplp
solver = pywraplp.Solver.CreateSolver("SCIP")
x = solver.IntVar(0, 7, "x")
y = solver.NumVar(0, solver.infinity(), "y")
solver.Add(2 * x + y <= 10, "hours")
solver.Maximize(3 * x + 2 * y + NUMBER)
""",
    "pyscipopt": """
from pyscipopt import Model
model = Model("mix")
x = model.addVar("x", vtype="I", lb=0, ub=7)
y = model.addVar("y", lb=0)
model.addCons(2 * x + y <= 10, name="hours")
model.setObjective(3 * x + 2 * y + NUMBER, "maximize")
""",
}
