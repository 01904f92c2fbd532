import math
import random
import subprocess
import sys

import pytest

from trex.problems.ir import Model
from trex.problems.solve import Solution, solve

ALL = ("gscip", "cp_sat", "highs")


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


@pytest.mark.parametrize("solver", ("gscip", "highs"))
@pytest.mark.parametrize("kind", ("continuous", "integer"))
def test_two_sided_rows_and_free_variables(solver, kind):
    assert solve(line(-3, 3, "max", kind), solver).objective == pytest.approx(6.5 if kind == "continuous" else 6)
    assert solve(line(-3, 3, "min", kind), solver).objective == pytest.approx(-1.5 if kind == "continuous" else -1)


@pytest.mark.parametrize("solver", ("gscip", "highs"))
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
    for solver in ("gscip", "highs"):
        assert solve(quadratic("min", 3), solver).objective == pytest.approx(0, abs=1e-8)
        assert solve(quadratic("max", -3), solver).objective == pytest.approx(0, abs=1e-8)
    assert solve(quadratic("max", 3), "gscip").objective == pytest.approx(12)
    assert solve(quadratic("max", 3), "highs").status == "error"


def test_what_a_solver_cannot_do_is_an_error_that_says_why():
    assert "not convex" in solve(quadratic("max", 3), "highs").detail
    assert "quadratic" in solve(quadratic("min", 3), "cp_sat").detail
    assert "'x' is not a bounded integer" in solve(line(0, 1, "min", "integer"), "cp_sat").detail
    odd = knapsack()
    odd.add_row({0: 2, 1: 2, 2: 2}, 3, 3)
    assert "MODEL_INVALID" in solve(odd, "cp_sat").detail  # ortools 9.15 takes an odd sum of evens for a wrong model
    model = quadratic("min", 3)
    model.add_variable("z", "integer")
    assert solve(model, "highs").status == "error"
    with pytest.raises(ValueError, match="none of gscip"):
        solve(model, "gurobi")


def test_solving_prints_nothing():
    code = """
from trex.problems.ir import Model
from trex.problems.solve import SOLVERS, solve
model = Model()
model.add_variable("x", "integer", ub=3)
model.set_objective("max", {0: 1})
assert [solve(model, solver).objective for solver in SOLVERS] == [3, 3, 3]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
