"""Models that are not isomorphic: said another way, or another model."""

import json

import pytest

from trex.execution import equivalence
from trex.problems.comparison import canonical
from trex.problems.ir import Model
from trex.problems.solve import Solution, solve

DATA = json.dumps({"hours": [4, 3, 6], "profit": [7.5, 4.25, 9.75], "most": [5, 8, 6], "limit": 41})


def build(text: str, change: str = "") -> Model:
    """Products with a shared number of hours; `change` says how it differs from the reference."""
    data = json.loads(text)
    model = Model()
    hours = dict(enumerate(data["hours"]))
    for index, most in enumerate(data["most"]):
        model.add_variable(f"x{index}", "integer", ub=most)
    if change == "auxiliary variable":
        used = model.add_variable("used", ub=data["limit"])
        model.add_row(hours | {used: -1}, 0, 0)
    elif change != "row dropped":
        model.add_row(hours, ub=data["limit"] * (2 if change == "slack limit" else 1))
    if change == "redundant row":
        model.add_row(dict.fromkeys(hours, 1.0), ub=sum(data["most"]) + 10)
    if change == "wrong row that does not bind on this data":
        model.add_row({0: 1, 2: 1}, ub=8)
    if change == "infeasible":
        model.add_row({0: 1, 1: 1}, lb=1000)
    profit = dict(enumerate(data["profit"]))
    if change == "numbers copied":
        profit = dict(enumerate(json.loads(DATA)["profit"]))
    model.set_objective("max", profit)
    return model


def verdict(change: str, answer=None, **other) -> equivalence.Verdict:
    answers = answer or (lambda text: build(text, change))
    given = {"solve": solve, "data": DATA, "programs": equivalence.Programs(build, answers), "seed": 1} | other
    return equivalence.of_other_models(given["solve"](build(DATA, change)), build(DATA), **given)


@pytest.mark.parametrize("change", ["redundant row", "auxiliary variable"])
def test_the_same_said_another_way(change):
    assert not canonical.isomorphic(build(DATA, change), build(DATA))
    assert verdict(change) == equivalence.Verdict(equivalence.OBJECTIVE_EQUIVALENT, 10, "")


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ("row dropped", "the optimum is"),
        ("slack limit", "the optimum is"),
        ("infeasible", "the model is infeasible, the reference optimal"),
        ("wrong row that does not bind on this data", "on resampled data: "),
        ("numbers copied", "on resampled data: "),
    ],
)
def test_another_model(change, detail):
    found = verdict(change)
    assert found.outcome == equivalence.DIFFERENT
    assert found.detail.startswith(detail)


def test_a_program_that_fails_on_other_data():
    found = verdict("redundant row", answer=lambda text: build(text) if text == DATA else None)
    assert (found.outcome, found.detail) == (equivalence.DIFFERENT, "on resampled data the program fails")


@pytest.mark.parametrize("missing", ["data", "programs"])
def test_without_data_nothing_is_decided(missing):
    assert verdict("redundant row", **{missing: None}).outcome == equivalence.UNDECIDED


def test_too_few_files():
    found = verdict("redundant row", programs=equivalence.Programs(lambda text: None, build))
    assert (found.outcome, found.files) == (equivalence.UNDECIDED, 0)


@pytest.mark.parametrize("status", ["limit", "error"])
def test_a_solver_without_an_end(status):
    assert verdict("redundant row", solve=lambda model: Solution(status)).outcome == equivalence.UNDECIDED
