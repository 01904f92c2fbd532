import math
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.problems.ir import SENSES, Model
from trex.problems.solution import Solution
from trex.problems.solve import default_solver, solve

ALL = ("gscip", "scip", "cp_sat", "highs")
CONTINUOUS = ("gscip", "scip", "highs")


def knapsack() -> Model:
    """Values 3.5, 4, 6 and weights 1, 2, 3 within 4: the first and the third, and 0.25 on top."""
    model = Model()
    for name in ("a [1]", "a [2]", "a [3]"):
        model.add_variable(name, "binary")
    model.add_row({0: 1, 1: 2, 2: 3}, ub=4)
    model.set_objective("max", {0: 3.5, 1: 4, 2: 6}, 0.25)
    return model


def line(lb: float, ub: float, sense: str, kind: str = "continuous") -> Model:
    """x + y within [0, 10] with lb <= x - y <= ub; the objective is x, its sense is given."""
    model = Model()
    model.add_variable("x", kind, lb=-math.inf)
    model.add_variable("y", kind, lb=-math.inf)
    model.add_row({0: 1, 1: 1}, 0, 10)
    model.add_row({0: 1, 1: -1}, lb, ub)
    model.set_objective(sense, {0: 1})
    return model


@pytest.mark.parametrize("solver", ALL)
def test_an_optimum_that_is_known(solver):
    solution = solve(knapsack(), solver)
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(9.75)
    assert solution.values == pytest.approx([1, 0, 1])
    assert solve(knapsack(), solver) == solution


@pytest.mark.parametrize("solver", CONTINUOUS)
@pytest.mark.parametrize("kind", ("continuous", "integer"))
def test_two_sided_rows_and_free_variables(solver, kind):
    assert solve(line(-3, 3, "max", kind), solver).objective == pytest.approx(6.5 if kind == "continuous" else 6)
    assert solve(line(-3, 3, "min", kind), solver).objective == pytest.approx(-1.5 if kind == "continuous" else -1)


@pytest.mark.parametrize("solver", CONTINUOUS)
def test_statuses(solver):
    assert solve(line(0, math.inf, "max"), solver) == Solution("unbounded")
    assert solve(line(0, math.inf, "max", "integer"), solver) == Solution("unbounded")
    infeasible = line(0, math.inf, "max")
    infeasible.add_row({0: 1}, lb=3)
    infeasible.add_row({1: 1}, lb=8)
    assert solve(infeasible, solver) == Solution("infeasible")


@pytest.mark.parametrize("solver", ALL)
def test_infeasible_integers(solver):
    model = knapsack()
    model.add_row({0: 1, 1: 1}, 1, 1)
    model.add_row({0: 1, 2: 1}, 1, 1)
    model.add_row({1: 1, 2: 1}, 1, 1)
    assert solve(model, solver) == Solution("infeasible")


@pytest.mark.parametrize("solver", ALL)
def test_a_model_that_is_too_hard_meets_its_limit(solver):
    draw = random.Random(1)
    model = Model()
    for i in range(50):
        model.add_variable(f"x{i}", "binary")
    for _ in range(5):  # market split: no solver finishes this in a tenth of a second
        weights = {i: draw.randrange(100) for i in range(50)}
        model.add_row(weights, sum(weights.values()) // 2, sum(weights.values()) // 2)
    assert solve(model, solver, time_limit=0.1) == Solution("limit")
    counted = Solution("limit", detail="node limit")
    if solver == "cp_sat":
        counted = Solution("error", detail="cp_sat: it counts no nodes")
    assert solve(model, solver, time_limit=60, node_limit=2) == counted


@pytest.mark.parametrize("solver", ALL)
def test_without_variables(solver):
    model = Model()
    model.set_objective("min", {}, 2)
    model.add_row({}, ub=1)
    assert solve(model, solver) == Solution("optimal", 2.0, [])
    model.add_row({}, lb=1)
    assert solve(model, solver) == Solution("infeasible")


def quadratic(sense: str, curvature: float) -> Model:
    """curvature (x - 1)^2 + x y over 0 <= x <= 3, 0.5 <= y <= 2, x + y >= 1."""
    model = Model()
    model.add_variable("x", ub=3)
    model.add_variable("y", lb=0.5, ub=2)
    model.add_row({0: 1, 1: 1}, lb=1)
    model.set_objective(sense, {0: -2 * curvature}, curvature, {(0, 0): curvature})
    return model


def test_quadratic_objectives():
    for solver in ("scip", "highs"):
        assert solve(quadratic("min", 3), solver).objective == pytest.approx(0, abs=1e-8)
        assert solve(quadratic("max", -3), solver).objective == pytest.approx(0, abs=1e-8)
    assert solve(quadratic("max", 3)).objective == pytest.approx(12)


def squared_row(kind: str = "continuous") -> Model:
    """The largest x with x^2 <= 2."""
    model = Model()
    model.add_variable("x", kind, 0, 9)
    model.add_row({}, ub=2, quadratic={(0, 0): 1})
    model.set_objective("max", {0: 1})
    return model


@pytest.mark.parametrize(
    ("model", "solver", "reason"),
    [
        (quadratic("max", 3), "gscip", "gscip: the model is not linear"),
        (squared_row(), "gscip", "gscip: the model is not linear"),
        (quadratic("max", 3), "highs", "highs: the objective is not convex"),
        (squared_row(), "highs", "highs: the model has quadratic rows or nonlinear parts"),
        (squared_row("integer"), "cp_sat", "cp_sat: the model is not linear"),
        (line(0, 1, "min", "integer"), "cp_sat", "cp_sat: variable 'x' is not a bounded integer"),
    ],
)
def test_what_a_solver_cannot_do_is_an_error_that_says_why(model, solver, reason):
    assert solve(model, solver) == Solution("error", detail=reason)


def test_highs_takes_no_integers_in_a_quadratic_objective():
    model = quadratic("min", 3)
    model.add_variable("z", "integer")
    assert solve(model, "highs").status == "error"


def test_the_default_solver_takes_any_model():
    assert default_solver(knapsack()) == "gscip"
    assert solve(knapsack()).objective == pytest.approx(9.75)
    assert solve(squared_row()).objective == pytest.approx(math.sqrt(2), abs=1e-9)
    with pytest.raises(ValueError, match="none of gscip"):
        solve(knapsack(), "gurobi")


@pytest.mark.parametrize("solver", ALL)
def test_an_odd_sum_of_even_numbers(solver):
    """CP-SAT of ortools 9.15 takes such a row for a mistake in the model."""
    odd = knapsack()
    odd.add_row({0: 2, 1: 2, 2: 2}, 3, 3)
    assert solve(odd, solver) == Solution("infeasible")


@pytest.mark.parametrize("solver", CONTINUOUS)
def test_numbers_that_a_solver_refuses(solver):
    model = Model()
    model.add_variable("x", ub=10)
    model.add_row({0: 1e25}, ub=1e19)
    model.set_objective("max", {0: 1})
    solution = solve(model, solver)
    assert solution.status == "error"
    assert solver in solution.detail


@pytest.mark.parametrize("solver", CONTINUOUS)
def test_no_time_is_no_crash(solver):
    assert solve(line(-3, 3, "max", "integer"), solver, time_limit=0.0).status in ("limit", "optimal")


SMALL = st.integers(-5, 5)
FREE, HALF = ("continuous", -math.inf, math.inf), ("continuous", 0.0, math.inf)


@st.composite
def linear_models(draw: st.DrawFn) -> Model:
    model = Model()
    for i in range(3):
        kind, lb, ub = draw(st.sampled_from([("integer", -3, 4), ("integer", 0, 2), ("continuous", -3, 4), FREE, HALF]))
        model.add_variable(f"x{i}", kind, lb, ub)
    for _ in range(draw(st.integers(0, 3))):
        side = draw(SMALL)
        lb, ub = draw(st.sampled_from([(side, math.inf), (-math.inf, side), (side, side + 2)]))
        model.add_row(dict(enumerate(draw(st.tuples(SMALL, SMALL, SMALL)))), lb, ub)
    model.set_objective(draw(st.sampled_from(SENSES)), dict(enumerate(draw(st.tuples(SMALL, SMALL, SMALL)))), 0.5)
    return model


@settings(max_examples=60, deadline=None)
@given(linear_models())
def test_solvers_agree_on_linear_models(model):
    found = [solve(model, solver) for solver in CONTINUOUS]
    assert len({solution.status for solution in found}) == 1
    if found[0].status == "optimal":
        assert max(s.objective for s in found) == pytest.approx(min(s.objective for s in found), rel=1e-6, abs=1e-6)


def test_solving_prints_nothing():
    code = """
from trex.problems.ir import Model
from trex.problems.solve import SOLVERS, solve
model = Model()
model.add_variable("x", "integer", ub=3)
model.set_objective("max", {0: 1})
assert [solve(model, solver).objective for solver in SOLVERS] == [3, 3, 3, 3]
model.add_variable("y", ub=1)
model.set_objective("max", {}, nonlinear=["sqrt", ["product", ["variable", 0], ["variable", 1]]])
assert abs(solve(model).objective - 3**0.5) < 1e-9
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
