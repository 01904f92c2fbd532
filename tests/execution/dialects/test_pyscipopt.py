"""PySCIPOpt: linear, nonlinear and indicator constraints, before and after solving."""

import itertools
import math

import pytest

from trex.execution.dialects import Unsupported

dialect = pytest.importorskip("trex.execution.dialects.pyscipopt")
pyscipopt = dialect.pyscipopt


@pytest.fixture
def model():
    created = dialect.Model("mix")
    created.hideOutput()
    return created


@pytest.mark.parametrize("solved", [False, True])
def test_every_part_is_translated(model, solved):
    assert not dialect.says_something(model)
    x, y = model.addVar("x", "I", ub=7), model.addVar("y", lb=-1, ub=None)
    model.addVar("b", "B")
    model.addCons(2 * x + y + 1 <= 10, name="hours")
    changed = model.addCons((x - y <= 3) >= 1, "range")
    model.delCons(model.addCons(x >= 3))
    model.chgRhs(changed, 4)
    model.addConsCoeff(changed, y, -1)
    model.setObjective(3 * x - 2 * y + 5, "maximize")
    if solved:
        model.optimize()
    assert dialect.says_something(model)
    ir = dialect.to_ir(model)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [
        ("x", "integer", 0.0, 7.0),
        ("y", "continuous", -1.0, math.inf),
        ("b", "binary", 0.0, 1.0),
    ]
    assert [(r.name, r.lb, r.ub, r.terms) for r in ir.rows] == [
        ("hours", -math.inf, 9.0, {0: 2.0, 1: 1.0}),
        ("range", 1.0, 4.0, {0: 1.0, 1: -2.0}),
    ]
    objective = ir.objective
    assert (objective.sense, objective.linear, objective.constant) == ("max", {0: 3.0, 1: -2.0}, 5.0)


@pytest.mark.parametrize("solved", [False, True])
def test_quadratic_rows(model, solved):
    x, y = model.addVar("x", ub=5), model.addVar("y", ub=5)
    model.addCons(x * y + 2 * x**2 - y + 1 == 3, "area")
    if solved:
        model.optimize()
    (row,) = dialect.to_ir(model).rows
    assert (row.name, row.lb, row.ub, row.terms) == ("area", 2.0, 2.0, {1: -1.0})
    assert row.quadratic == {(0, 0): 2.0, (0, 1): 1.0}


EXPRESSIONS = {
    "cube": (lambda x, y: x**3 + x * y * y, lambda x, y: x**3 + x * y * y),
    "exp": (lambda x, y: 2 * pyscipopt.exp(x) - y, lambda x, y: 2 * math.exp(x) - y),
    "log": (lambda x, y: pyscipopt.log(x * y) + 1, lambda x, y: math.log(x * y) + 1),
    "sqrt": (lambda x, y: pyscipopt.sqrt(x + y), lambda x, y: math.sqrt(x + y)),
    "trigonometric": (
        lambda x, y: pyscipopt.sin(x) * pyscipopt.cos(y),
        lambda x, y: math.sin(x) * math.cos(y),
    ),
    "quotient": (lambda x, y: x / (1 + y) - 3 / x, lambda x, y: x / (1 + y) - 3 / x),
    "power": (lambda x, y: x**1.5 + (x + y) ** -2, lambda x, y: x**1.5 + (x + y) ** -2),
    "absolute value": (lambda x, y: abs(x - 2 * y) * x, lambda x, y: abs(x - 2 * y) * x),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_nonlinear_rows_have_the_same_values(model, name):
    written, expected = EXPRESSIONS[name]
    x, y = model.addVar("x", lb=1, ub=3), model.addVar("y", lb=1, ub=3)
    model.addCons(written(x, y) + y <= 7 + x)
    (row,) = dialect.to_ir(model).rows
    assert row.lb == -math.inf
    for at in ((1.0, 2.0), (2.5, 1.5), (3.0, 1.0)):
        assert row.at(at) - row.ub == pytest.approx(expected(*at) + at[1] - at[0] - 7)


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("solved", [False, True])
def test_indicators(model, active, solved):
    x, b = model.addVar("x", "I", -2, 3), model.addVar("b", "B")
    model.addConsIndicator(2 * x + b <= 3, b, activeone=active)
    model.addConsIndicator(x >= 0, binvar=b, activeone=active)
    if solved:
        model.optimize()
    ir = dialect.to_ir(model)
    assert [v.name for v in ir.variables] == ["x", "b"]
    for value, switch in itertools.product(range(-2, 4), (0, 1)):
        holds = all(row.lb <= row.at([value, switch]) <= row.ub for row in ir.rows)
        assert holds == (switch != active or (2 * value + switch <= 3 and value >= 0))


@pytest.mark.parametrize("part", ["SOS1", "SOS2", "and", "cardinality", "nonlinear", "indicator"])
def test_constraints_that_the_ir_lacks_are_named(model, part):
    x, y = model.addVar("x", "B"), model.addVar("y", "B")
    result = model.addVar("z", "B")
    if part.startswith("SOS"):
        getattr(model, f"addCons{part}")([x, y])
    elif part == "and":
        model.addConsAnd([x, y], result)
    elif part == "cardinality":
        model.addConsCardinality([x, y], 1)
    elif part == "indicator":
        model.addConsIndicator(x + y <= 1)  # its binary variable is SCIP's own
    else:
        model.addCons(x * y**2 <= 1)
        model = dialect.Model(sourceModel=model)
    with pytest.raises(Unsupported, match=part):
        dialect.to_ir(model)


def test_a_problem_that_was_freed(model):
    model.addCons(model.addVar() >= 1)
    model.freeProb()
    assert not dialect.says_something(model)
    with pytest.raises(Unsupported, match="freed"):
        dialect.to_ir(model)


SOLVE = """
from pyscipopt import Model, exp
from pyscipopt.recipes.nonlinear import set_nonlinear_objective
def main():
    class Mine(Model):
        pass
    m = Mine("area")
    x, y = m.addVar("x", "I", ub=5), m.addVar("y", ub=4)
    m.addMatrixVar((2, 2), vtype="B")
    m.addCons(x + y <= 6)
    m.addCons(exp(y) >= 1)
    set_nonlinear_objective(m, x * y, "maximize")
    m.optimize()
    assert m.getStatus() == "optimal" and abs(m.getObjVal() - 9) < 1e-4
    m.freeTransform()
    {last}
main()
"""


def test_programs_solve_in_the_sandbox(sandbox):
    execution = sandbox.run(SOLVE.format(last="pass"), {})
    assert (execution.status, execution.dialect, execution.detail) == ("ok", "pyscipopt", "")
    ir = execution.model
    assert (len(ir.variables), ir.objective.sense, ir.rows[-1].quadratic) == (7, "max", {(0, 1): -1.0})


@pytest.mark.parametrize(
    ("last", "named"),
    [
        ("m.setObjlimit(3.0)", "an objective limit"),
        ("m.addExprNonlinear(m.getConss()[1], exp(x), 2.0)", "that is changed"),
        ("import pyscipopt\n    m.includePricer(pyscipopt.Pricer(), 'p', 'columns')", "a pricer"),
        ("import pyscipopt\n    m.includeConshdlr(pyscipopt.Conshdlr(), 'c', 'cuts')", "a constraint handler"),
    ],
)
def test_what_is_added_while_scip_runs_is_refused(sandbox, last, named):
    execution = sandbox.run(SOLVE.format(last=last), {})
    assert execution.status == "unsupported"
    assert named in execution.detail
