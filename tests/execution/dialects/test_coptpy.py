"""From coptpy programs to the IR, by the stand-in; and whether the real library agrees, where there is one."""

import pytest
from tests.execution.standins import oracle
from tests.execution.standins.copt_programs import ERRORS, FOUR, MODELS, PREAMBLE, PRINTS, REFUSED

from trex.execution import dialects
from trex.execution.dialects import coptpy as dialect
from trex.problems.comparison.canonical import isomorphic
from trex.problems.formats import lp, mps


@pytest.fixture(autouse=True)
def no_refusals(monkeypatch):
    """Models of other tests are gone, and their identities may come back."""
    monkeypatch.setattr(dialects, "refusals", {})


def with_preamble(table: dict) -> dict[str, str]:
    return {name: PREAMBLE + entry[0] for name, entry in table.items()}


@pytest.fixture(scope="module")
def real() -> dict[str, dict]:
    if not oracle.is_there("coptpy"):
        pytest.skip("coptpy is not installed")
    errors = {name: PREAMBLE + FOUR + name for name in ERRORS}
    return oracle.run_all("coptpy", with_preamble(MODELS) | with_preamble(PRINTS) | errors)


def run(program: str) -> tuple[dict, str, str]:
    return oracle.run("coptpy", PREAMBLE + program)


@pytest.mark.parametrize("name", MODELS)
def test_what_a_program_says_is_recorded(name):
    program, expected = MODELS[name]
    names, _, error = run(program)
    assert error == ""
    assert isomorphic(dialect.to_ir(names["m"]), lp.read(expected))


@pytest.mark.parametrize("name", MODELS)
def test_the_library_says_the_same_model(name, real):
    assert real[name]["error"] == ""
    assert isomorphic(mps.read(real[name]["model"]), lp.read(MODELS[name][1]))


@pytest.mark.parametrize("name", PRINTS)
def test_what_a_program_sees(name):
    program, expected = PRINTS[name]
    _, printed, error = run(program)
    assert (error, printed) == ("", expected)


@pytest.mark.parametrize("name", PRINTS)
def test_the_library_shows_the_same(name, real):
    assert (real[name]["error"], real[name]["printed"]) == ("", PRINTS[name][1])


@pytest.mark.parametrize("program", ERRORS)
def test_errors_are_those_of_the_library(program):
    assert run(FOUR + program)[2] == ERRORS[program]


@pytest.mark.parametrize("program", ERRORS)
def test_the_library_raises_the_same_errors(program, real):
    assert real[program]["error"] == ERRORS[program]


@pytest.mark.parametrize("program", REFUSED)
def test_what_the_ir_does_not_cover_is_refused_for_good(program):
    swallowed = f"m.addConstr(x <= 1)\ntry:\n    {program}\nexcept Exception as raised:\n    error = raised"
    names, _, _ = run(FOUR + swallowed)
    assert isinstance(names["error"], dialects.Unsupported)
    with pytest.raises(dialects.Unsupported):
        dialects.to_ir(dialects.Recorded(dialect, names["m"]))


@pytest.mark.parametrize("program", ["nl.floor(x)", "cp.PsdVar", "x.getInfo('SAObjLow')", "m.getParam('Presolve')"])
def test_what_is_not_answered_leaves_the_model(program):
    swallowed = f"m.addConstr(x <= 1)\ntry:\n    {program}\nexcept Exception as raised:\n    error = raised"
    names, _, _ = run(FOUR + swallowed)
    assert isinstance(names["error"], dialects.Unsupported)
    assert dialects.to_ir(dialects.Recorded(dialect, names["m"])).rows[0].ub == 1.0


def test_nonlinear_objectives_are_recorded():
    names, _, error = run(FOUR + "m.setObjective(nl.exp(x) + 2 * y + x * x + 1, COPT.MAXIMIZE)")
    assert error == ""
    objective = dialect.to_ir(names["m"]).objective
    assert (objective.linear, objective.quadratic, objective.constant) == ({1: 2.0}, {(0, 0): 1.0}, 1.0)
    assert objective.nonlinear == ("exp", ("variable", 0))


def test_a_range_is_one_row():
    names, _, _ = run(FOUR + "m.addBoundConstr(x + y, 1, 3)\nc = m.addConstr(x - y == [-1, 2])\nc.lb = 0")
    assert [(row.lb, row.ub) for row in dialect.to_ir(names["m"]).rows] == [(1.0, 3.0), (0.0, 2.0)]


def test_a_clone_is_another_model():
    names, _, _ = run(FOUR + "m.addConstr(x + y <= 1)\nk = m.clone()\nk.addConstr(k.getVarByName('x') <= 2)\nm.clear()")
    assert [len(dialect.to_ir(names[name]).rows) for name in ("m", "k")] == [0, 2]


def test_a_program_in_the_sandbox(sandbox):
    program = PREAMBLE + FOUR + "m.addConstr(2 * x + b <= 7)\nm.setObjective(x + b, COPT.MAXIMIZE)\nm.solve()\n"
    done = sandbox.run(program + "assert m.objval == 4, m.objval\nm.addConstr(x <= 3)", {})
    assert (done.status, done.detail, done.dialect) == ("ok", "", "coptpy")
    assert [row.ub for row in done.model.rows] == [7.0, 3.0]
