"""From gurobipy programs to the IR, by the stand-in; and whether the real library agrees, where there is one."""

import pytest
from tests.execution.standins import oracle
from tests.execution.standins.gurobi_programs import ERRORS, FOUR, MODELS, PREAMBLE, PRINTS, REFUSED, UNANSWERED

from trex.execution import dialects
from trex.execution.dialects import gurobipy as dialect
from trex.problems.comparison.canonical import isomorphic
from trex.problems.formats import lp


@pytest.fixture(autouse=True)
def no_refusals(monkeypatch):
    """Models of other tests are gone, and their identities may come back."""
    monkeypatch.setattr(dialects, "refusals", {})


def with_preamble(table: dict) -> dict[str, str]:
    return {name: PREAMBLE + entry[0] for name, entry in table.items()}


@pytest.fixture(scope="module")
def real() -> dict[str, dict]:
    if not oracle.is_there("gurobipy"):
        pytest.skip("gurobipy is not installed")
    errors = {name: PREAMBLE + FOUR + name for name in ERRORS}
    return oracle.run_all("gurobipy", with_preamble(MODELS) | with_preamble(PRINTS) | errors)


def run(program: str) -> tuple[dict, str, str]:
    return oracle.run("gurobipy", PREAMBLE + program)


@pytest.mark.parametrize("name", MODELS)
def test_what_a_program_says_is_recorded(name):
    program, expected = MODELS[name]
    names, _, error = run(program)
    assert error == ""
    assert isomorphic(dialect.to_ir(names["m"]), lp.read(expected))


@pytest.mark.parametrize("name", MODELS)
def test_the_library_says_the_same_model(name, real):
    assert real[name]["error"] == ""
    assert isomorphic(lp.read(real[name]["model"]), lp.read(MODELS[name][1]))


@pytest.mark.parametrize("name", PRINTS)
def test_what_a_program_sees(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
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


@pytest.mark.parametrize("program", UNANSWERED)
def test_what_is_not_answered_leaves_the_model(program):
    swallowed = f"m.addConstr(x <= 1)\ntry:\n    {program}\nexcept Exception as raised:\n    error = raised"
    names, _, _ = run(FOUR + swallowed)
    assert isinstance(names["error"], dialects.Unsupported)
    assert dialects.to_ir(dialects.Recorded(dialect, names["m"])).rows[0].ub == 1.0


def test_semi_continuous_variables_are_unsupported():
    names, _, error = run("x = m.addVar(vtype=GRB.SEMICONT, ub=3)")
    assert error == ""
    with pytest.raises(dialects.Unsupported, match="semi-continuous"):
        dialect.to_ir(names["m"])


def test_an_indicator_is_exact_and_its_variable_binary():
    names, _, _ = run(FOUR + "m.addConstr((x == 1) >> (y + z <= 3))")
    model = dialect.to_ir(names["m"])
    assert model.variables[0].kind == "binary"
    assert [model.rows[0].at([x, y, 0.0, 0.0]) <= model.rows[0].ub for x, y in ((0, 9), (1, 3), (1, 4))] == [
        True,
        True,
        False,
    ]


def test_a_model_without_rows_and_objective_says_nothing():
    assert not dialect.says_something(run(FOUR)[0]["m"])
    assert dialect.says_something(run("m.addVar(obj=2)")[0]["m"])


PROGRAM = """
import gurobipy as gp
from gurobipy import GRB
import gurobipy.nlfunc as nlf

def main():
    with gp.Model("inside") as plan:
        x = plan.addVars(3, vtype=GRB.INTEGER, ub=4, name="x")
        plan.setObjective(x.sum(), GRB.MAXIMIZE)
        plan.addConstr(x.sum() <= 7.5, name="limit")
        plan.optimize()
        plan.addConstr(x.sum() <= plan.ObjVal - 2)
        plan.optimize()
        assert plan.ObjVal == 5

main()
"""


def test_a_program_in_the_sandbox(sandbox):
    done = sandbox.run(PROGRAM, {})
    assert (done.status, done.detail, done.dialect) == ("ok", "", "gurobipy")
    assert [(row.ub, len(row.terms)) for row in done.model.rows] == [(7.5, 3), (5.0, 3)]


def test_a_refused_model_in_the_sandbox(sandbox):
    program = PREAMBLE + FOUR + "m.addConstr(x <= 1)\ntry:\n    m.addSOS(1, [x])\nexcept Exception:\n    pass"
    done = sandbox.run(program, {})
    assert (done.status, done.model) == ("unsupported", None)


def test_the_constants_are_those_of_the_library(real):
    ask = (
        "groups = ('Attr', 'Callback', 'Error', 'Param', 'Status')\n"
        "names = sorted(n for n in dir(GRB) if not n.startswith('_') and n.capitalize() not in groups)\n"
        "print([(n, getattr(GRB, n)) for n in names])\n"
        "print([[(n, getattr(getattr(GRB, g), n)) for n in dir(getattr(GRB, g)) if not n.startswith('_')\n"
        "        and n not in ('SECURITY', 'Server', 'OpenNodeCount')] for g in groups])"
    )
    real_text = oracle.run_all("gurobipy", {"constants": PREAMBLE + ask})["constants"]["printed"]
    assert run(ask)[1] == real_text
