"""Models that are not isomorphic: said another way, or another model; and programs that know one data file only."""

import json

import pytest

from trex.execution import equivalence
from trex.execution.equivalence import (
    DIFFERENT,
    HARD_CODED,
    HELD,
    NOT_CHECKED,
    OBJECTIVE_EQUIVALENT,
    PARTLY,
    UNDECIDED,
    Reference,
)
from trex.execution.judge import Comparison
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
    if change == "profit copied":
        profit = dict(enumerate(json.loads(DATA)["profit"]))
    model.set_objective("max", profit)
    return model


class InProcess:
    """A judge without a process of its own."""

    def __init__(self, solve=solve):
        self.solving = solve
        self.solved = 0

    def solve(self, model: Model, solver: None, time_limit: float) -> Solution:
        self.solved += 1
        return self.solving(model)

    def compare(self, model: Model, reference: Model, wall_s: float) -> Comparison:
        return Comparison("isomorphic" if canonical.isomorphic(model, reference) else "different")


def reference(solve=solve, **other) -> Reference:
    given = {"model": build(DATA), "judge": InProcess(solve), "data": DATA, "program": build, "seed": 1} | other
    return Reference(**given, solve_s=10.0)


def judged(change: str, answer=None, **other):
    """(outcome of the other data, verdict)"""
    against = reference(**other)
    check = against.check(answer or (lambda text: build(text, change)))
    return check, against.verdict(against.on_other_data(build(DATA, change)), check)


@pytest.mark.parametrize("change", ["redundant row", "auxiliary variable"])
def test_the_same_said_another_way(change):
    assert not canonical.isomorphic(build(DATA, change), build(DATA))
    check, verdict = judged(change)
    assert check == equivalence.DataCheck(HELD, 10, 10, "")
    assert verdict == equivalence.Verdict(OBJECTIVE_EQUIVALENT, "")


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ("row dropped", "has the optimum"),
        ("slack limit", "has the optimum"),
        ("infeasible", "is infeasible, the reference has the optimum"),
        ("wrong row that does not bind on this data", "right on "),
        ("profit copied", "right on "),
    ],
)
def test_another_model(change, detail):
    _, verdict = judged(change)
    assert verdict.outcome == DIFFERENT
    assert verdict.detail.startswith(detail)


def test_a_wrong_row_may_bind_on_some_data_only():
    check, _ = judged("wrong row that does not bind on this data")
    assert check.outcome == PARTLY and 0 < check.right < check.files == 10


def test_the_reference_said_again_is_not_solved_again():
    against = reference()
    files = against.other_data
    solved = against.judge.solved
    assert against.check(build) == equivalence.DataCheck(HELD, len(files), len(files), "")
    assert against.judge.solved == solved


def test_a_program_that_knows_one_file():
    check, verdict = judged("", answer=lambda text: build(DATA))
    assert (check.outcome, check.right, verdict.outcome) == (HARD_CODED, 0, DIFFERENT)


def test_a_program_that_fails_on_other_data():
    check, _ = judged("", answer=lambda text: build(text) if text == DATA else None)
    assert check.outcome == HARD_CODED and "the program fails" in check.detail


@pytest.mark.parametrize("missing", ["data", "program"])
def test_without_data_nothing_is_decided(missing):
    check, verdict = judged("redundant row", **{missing: None})
    assert (check.outcome, verdict.outcome) == (NOT_CHECKED, UNDECIDED)


def test_a_reference_program_that_is_not_the_reference_judges_nobody():
    assert reference(program=lambda text: build(text, "row dropped")).other_data == []
    assert reference(program=lambda text: None).other_data == []


def test_files_on_which_the_solver_comes_to_no_end_do_not_count():
    calls = []

    def limited(model: Model) -> Solution:
        calls.append(model)
        return Solution("limit") if len(model.rows) == 2 else solve(model)

    check, verdict = judged("redundant row", solve=limited)
    assert (check.outcome, check.files, verdict.outcome) == (NOT_CHECKED, 0, UNDECIDED)


@pytest.mark.parametrize("status", ["limit", "error"])
def test_a_solver_without_an_end(status):
    _, verdict = judged("redundant row", solve=lambda model: Solution(status))
    assert verdict.outcome == UNDECIDED
