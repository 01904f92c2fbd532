"""OR-Tools' two linear solver interfaces: every part is translated, indicators of the newer one."""

import itertools
import math

import pytest

from trex.execution.dialects import pywraplp as dialect

pywraplp = dialect.pywraplp


def test_every_part_is_translated():
    solver = pywraplp.Solver.CreateSolver("SCIP")
    assert not dialect.says_something(solver)
    x, y = solver.IntVar(0, 7, "x"), solver.NumVar(-solver.infinity(), solver.infinity(), "y")
    solver.BoolVar("b")
    solver.Add(2 * x + y <= 10, "hours")
    between = solver.RowConstraint(1, 4, "range")
    between.SetCoefficient(x, 1)
    between.SetCoefficient(y, -1)
    between.set_is_lazy(True)
    solver.Maximize(3 * x - 2 * y + 5)
    assert dialect.says_something(solver)
    ir = dialect.to_ir(solver)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [
        ("x", "integer", 0.0, 7.0),
        ("y", "continuous", -math.inf, math.inf),
        ("b", "binary", 0.0, 1.0),
    ]
    assert [(r.name, r.lb, r.ub, r.terms) for r in ir.rows] == [
        ("hours", -math.inf, 10.0, {0: 2.0, 1: 1.0}),
        ("range", 1.0, 4.0, {0: 1.0, 1: -1.0}),
    ]
    objective = ir.objective
    assert (objective.sense, objective.linear, objective.constant) == ("max", {0: 3.0, 1: -2.0}, 5.0)


def test_the_state_at_the_end_counts():
    solver = pywraplp.Solver.CreateSolver("GLOP")
    x = solver.NumVar(0, 7, "x")
    row = solver.Add(x <= 3)
    solver.Minimize(x)
    solver.Solve()
    x.SetBounds(1, 2)
    row.SetUb(9)
    solver.Objective().SetMaximization()
    ir = dialect.to_ir(solver)
    assert (ir.variables[0].lb, ir.variables[0].ub, ir.rows[0].ub, ir.objective.sense) == (1.0, 2.0, 9.0, "max")


def test_integers_stay_integers_in_a_solver_that_relaxes_them():
    solver = pywraplp.Solver.CreateSolver("GLOP")
    solver.Maximize(solver.IntVar(0, 3, "x"))
    assert dialect.to_ir(solver).variables[0].kind == "integer"


@pytest.mark.parametrize("active", [True, False])
def test_an_enforced_row_of_the_newer_interface(active):
    newer = pytest.importorskip("trex.execution.dialects.model_builder")
    model = newer.MODEL_TYPE()
    x, b = model.new_int_var(-2, 3, "x"), model.new_bool_var("b")
    model.add_enforced(2 * x + b <= 3, b, active)
    ir = newer.to_ir(model)
    for value, switch in itertools.product(range(-2, 4), (0, 1)):
        holds = all(row.lb <= row.at([value, switch]) <= row.ub for row in ir.rows)
        assert holds == (switch != active or 2 * value + switch <= 3)


def test_the_newer_interface_adds_up_terms():
    newer = pytest.importorskip("trex.execution.dialects.model_builder")
    model = newer.MODEL_TYPE()
    assert not newer.says_something(model)
    row = model.add(model.new_num_var(0, 5, "x") <= 3)
    row.add_term(model.var_from_index(0), 2.0)
    assert newer.says_something(model)
    assert newer.to_ir(model).rows[0].terms == {0: 3.0}


SOLVE = """
from ortools.linear_solver import pywraplp
def main():
    solver = {make}
    x = solver.IntVar(0, 5, "x")
    solver.Add(2 * x <= 7)
    solver.Maximize(x)
    assert solver.Solve() == pywraplp.Solver.OPTIMAL and x.solution_value() > 2.9
main()
"""


@pytest.mark.parametrize(
    "make",
    [
        *(f"pywraplp.Solver.CreateSolver('{name}')" for name in ("SCIP", "CBC", "SAT", "BOP", "cplex", "XPRESS_MIP")),
        "pywraplp.Solver('p', pywraplp.Solver.CBC_MIXED_INTEGER_PROGRAMMING)",
        "pywraplp.Solver('p', pywraplp.Solver.GUROBI_MIXED_INTEGER_PROGRAMMING)",
        "type('Mine', (pywraplp.Solver,), {})('p', pywraplp.Solver.SCIP_MIXED_INTEGER_PROGRAMMING)",
    ],
)
def test_programs_solve_in_the_sandbox(sandbox, make):
    execution = sandbox.run(SOLVE.format(make=make), {})
    assert (execution.status, execution.dialect, execution.detail) == ("ok", "pywraplp", "")
    assert execution.model.rows[0].ub == 7.0


def test_a_solver_that_does_not_exist_is_none(sandbox):
    execution = sandbox.run("from ortools.linear_solver import pywraplp\npywraplp.Solver.CreateSolver('X').Solve()", {})
    assert execution.status == "runtime"


MARKET_SPLIT = """
import random
from ortools.linear_solver import pywraplp
draw = random.Random(1)
solver = pywraplp.Solver.CreateSolver("SCIP")
x = [solver.BoolVar(f"x{i}") for i in range(50)]
gaps = []
for k in range(6):
    weights = [draw.randint(0, 99) for _ in x]
    gaps += [solver.NumVar(0, 1e4, ""), solver.NumVar(0, 1e4, "")]
    solver.Add(solver.Sum([w * v for w, v in zip(weights, x)]) + gaps[-1] - gaps[-2] == sum(weights) // 2)
solver.Minimize(solver.Sum(gaps))
solver.SetTimeLimit(10**7)
assert solver.Solve() == pywraplp.Solver.FEASIBLE
"""


def test_a_program_outlives_its_solver(sandbox):
    execution = sandbox.run(MARKET_SPLIT, {})
    assert (execution.status, len(execution.model.rows)) == ("ok", 6)
