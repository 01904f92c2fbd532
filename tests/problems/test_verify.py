import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.problems import verify as verifying
from trex.problems.ir import Model
from trex.problems.solution import Solution
from trex.problems.verify import REASONS, Verdict, agree, verify


def mix(capacity: float = 10, sense: str = "max") -> Model:
    """3 x + 5 y, x + 2 y <= capacity, x <= 4, y integer: 27 at (4, 3)."""
    model = Model()
    model.add_variable("x", ub=4)
    model.add_variable("y", "integer")
    model.add_row({0: 1, 1: 2}, ub=capacity)
    model.set_objective(sense, {0: 3, 1: 5})
    return model


def test_a_sound_model_is_accepted():
    verdict = verify(mix())
    assert verdict.reason == "accepted"
    assert verdict.objective == pytest.approx(27)
    assert verdict.values == pytest.approx([4, 3])
    assert verdict.statuses == {"gscip": "optimal", "highs": "optimal"}


def rejected(reason: str) -> Model:
    model = mix()
    if reason == "infeasible":
        model.add_row({0: 1, 1: 1}, lb=50)
    elif reason == "unbounded":
        model.add_variable("z")
        model.set_objective("max", {0: 1, 2: 1})
    elif reason == "zero_optimum":
        model.set_objective("max", {0: -1, 1: -1})
    elif reason == "do_nothing_optimal":
        model.set_objective("min", {0: 1, 1: 1}, 7)
    elif reason == "rows_do_not_matter":
        model.set_objective("max", {0: 3, 1: -1})
    elif reason == "all_at_bounds":
        model.set_objective("max", {0: 3, 1: 5})
        model.add_row({0: -3, 1: 5}, ub=-12)
    elif reason == "indistinct":
        model.add_variable("z", "integer", ub=3)
        model.set_objective("max", {0: 3e7, 1: 5e7, 2: -1})
    elif reason == "ill_conditioned":
        model.add_row({0: 1, 1: 2e6}, ub=1e9)
    elif reason == "solver_error":
        model.add_row({}, ub=2, quadratic={(0, 0): 1})
    return model


@pytest.mark.parametrize(
    "reason",
    [
        "ill_conditioned", "solver_error", "infeasible", "unbounded",
        "zero_optimum", "do_nothing_optimal", "rows_do_not_matter", "all_at_bounds", "indistinct",
    ],
)  # fmt: skip
def test_models_are_rejected_for_a_reason(reason):
    assert reason in REASONS
    assert verify(rejected(reason)).reason == reason


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (Solution("limit"), Solution("optimal", 27.0, [4.0, 3.0]), "limit"),
        (Solution("infeasible"), Solution("optimal", 27.0, [4.0, 3.0]), "solvers_disagree"),
        (Solution("optimal", 27.001, [4.0, 3.0]), Solution("optimal", 27.0, [4.0, 3.0]), "solvers_disagree"),
        (Solution("optimal", 27.0, [4.0, 3.0]), Solution("optimal", 27.0, [4.1, 3.0]), "infeasible_by_arithmetic"),
        (Solution("optimal", 26.0, [2.0, 4.0]), Solution("optimal", 26.0, [2.1, 3.9]), "fractional"),
        (Solution("optimal", 26.5, [4.0, 3.0]), Solution("optimal", 26.5, [4.0, 3.0]), "objective_mismatch"),
    ],
)
def test_what_solvers_say_is_checked(monkeypatch, first, second, reason):
    said = {"gscip": first, "highs": second}
    monkeypatch.setattr(verifying, "solve", lambda model, solver, *limits: said[solver])
    verdict = verify(mix())
    assert verdict.reason == reason
    assert reason in REASONS


def test_two_objectives_agree_relatively():
    assert agree(1e9, 1e9 + 900)
    assert not agree(1e9, 1e9 + 1100)
    assert agree(0.0, 1e-8)
    assert not agree(1e-4, 1.01e-4)


def test_a_convex_quadratic_objective_has_two_solvers():
    model = Model()
    model.add_variable("x")
    model.add_variable("y")
    model.add_row({0: 1, 1: 1}, lb=2)
    model.set_objective("min", {}, 1.0, {(0, 0): 1, (1, 1): 1})
    assert verify(model).reason == "accepted"
    assert verify(model).objective == pytest.approx(3)
    model.set_objective("max", {}, 1.0, {(0, 0): 1, (1, 1): 1})
    assert verify(model).reason == "solver_error"
    assert "not convex" in verify(model).detail


def market_split() -> Model:
    """No solver is done with it within a few nodes."""
    draw = random.Random(1)
    model = Model()
    for i in range(40):
        model.add_variable(f"x{i}", "binary")
    for _ in range(4):
        weights = {i: draw.randrange(1, 100) for i in range(40)}
        model.add_row(weights, sum(weights.values()) // 2, sum(weights.values()) // 2)
    model.set_objective("max", {i: draw.randrange(1, 100) for i in range(40)})
    return model


@pytest.mark.parametrize("solvers", [("gscip", "highs"), ("scip", "highs"), ("highs", "gscip")])
def test_a_search_that_is_too_long_is_rejected_by_its_nodes(solvers):
    verdict = verify(market_split(), time_limit=60, solvers=solvers, node_limit=3)
    assert verdict.reason == "node_limit"
    assert verdict.statuses == {solvers[0]: "limit"}
    assert verdict.detail == f"{solvers[0]}: node limit"


def test_an_ill_conditioned_model_is_not_solved(monkeypatch):
    monkeypatch.delattr(verifying, "solve")
    model = mix()
    model.add_row({0: 1, 1: 2e6}, ub=1e9)
    assert verify(model) == Verdict("ill_conditioned")


def test_gates_look_at_the_points_of_both_solvers(monkeypatch):
    """3 x + 5 y is 12 all along the row of `mix(4)` with weights 3 and 5."""
    model = Model()
    model.add_variable("x", ub=4)
    model.add_variable("y", ub=2)
    model.add_row({0: 3, 1: 5}, ub=12)
    model.set_objective("max", {0: 3, 1: 5})
    corner, inside = Solution("optimal", 12.0, [4.0, 0.0]), Solution("optimal", 12.0, [1.5, 1.5])
    for first, second, reason in ((corner, corner, "all_at_bounds"), (corner, inside, "accepted")):
        said = {"gscip": first, "highs": second}
        monkeypatch.setattr(verifying, "solve", lambda model, solver, *limits, said=said: said[solver])
        assert verify(model).reason == verify(model, solvers=("highs", "gscip")).reason == reason


SMALL = st.integers(-4, 4)


@st.composite
def enumerable(draw: st.DrawFn) -> Model:
    """Three integer variables within [-1, 3]."""
    model = Model()
    for i in range(3):
        lb = draw(st.integers(-1, 1))
        model.add_variable(f"x{i}", "integer", lb, draw(st.integers(lb, 3)))
    for _ in range(draw(st.integers(1, 3))):
        side = draw(st.integers(-6, 6))
        lb, ub = draw(st.sampled_from([(side, math.inf), (-math.inf, side), (side, side), (side, side + 3)]))
        model.add_row(dict(enumerate(draw(st.tuples(SMALL, SMALL, SMALL)))), lb, ub)
    model.set_objective(
        draw(st.sampled_from(["min", "max"])), dict(enumerate(draw(st.tuples(SMALL, SMALL, SMALL)))), 0.5
    )
    return model


@settings(max_examples=50)
@given(enumerable())
def test_verdicts_agree_with_enumeration(model):
    points = itertools.product(*(range(int(v.lb), int(v.ub) + 1) for v in model.variables))
    values = [
        0.5 + sum(c * point[i] for i, c in model.objective.linear.items())
        for point in points
        if all(row.lb <= sum(c * point[i] for i, c in row.terms.items()) <= row.ub for row in model.rows)
    ]
    verdict = verify(model, solvers=("cp_sat", "highs"))
    if not values:
        assert verdict.reason == "infeasible"
    else:
        assert verdict.objective == pytest.approx(max(values) if model.objective.sense == "max" else min(values))
