"""Pyomo: every part is translated, nonlinear expressions have the same values, solvers of any name work."""

import itertools
import math

import pytest

from trex.execution.dialects import Unsupported

dialect = pytest.importorskip("trex.execution.dialects.pyomo")
pyo = dialect.pyo


@pytest.fixture
def model():
    created = pyo.ConcreteModel("mix")
    created.x = pyo.Var([1, 2], domain=pyo.NonNegativeIntegers, bounds=(0, 7))
    created.y = pyo.Var(bounds=(-1, None))
    return created


def test_every_part_is_translated(model):
    assert not dialect.says_something(model)
    model.b = pyo.Var(domain=pyo.Binary)
    model.p = pyo.Param(initialize=2, mutable=True)
    model.twice = pyo.Expression(expr=model.p * model.x[1])
    model.hours = pyo.Constraint(expr=model.twice + model.y + 1 <= 10 + model.b)
    model.between = pyo.Constraint(expr=(1, model.x[1] - model.y + 2, 4))
    model.each = pyo.Constraint([1, 2], rule=lambda m, i: m.x[i] == i if i == 2 else pyo.Constraint.Skip)
    model.part = pyo.Block()
    model.part.z = pyo.Var(domain=pyo.NonPositiveReals)
    model.part.rows = pyo.ConstraintList()
    model.part.rows.add(model.part.z >= model.y - 9)
    model.profit = pyo.Objective(expr=3 * model.x[1] - model.y / 2 + 5, sense=pyo.maximize)
    assert dialect.says_something(model)
    ir = dialect.to_ir(model)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [
        ("x[1]", "integer", 0.0, 7.0),
        ("x[2]", "integer", 0.0, 7.0),
        ("y", "continuous", -1.0, math.inf),
        ("b", "binary", 0.0, 1.0),
        ("part.z", "continuous", -math.inf, 0.0),
    ]
    assert [(r.name, r.lb, r.ub, r.terms) for r in ir.rows] == [
        ("hours", -math.inf, 9.0, {0: 2.0, 2: 1.0, 3: -1.0}),
        ("between", -1.0, 2.0, {0: 1.0, 2: -1.0}),
        ("each[2]", 2.0, 2.0, {1: 1.0}),
        ("part.rows[1]", -math.inf, 9.0, {2: 1.0, 4: -1.0}),
    ]
    objective = ir.objective
    assert (objective.sense, objective.linear, objective.constant) == ("max", {0: 3.0, 2: -0.5}, 5.0)


def test_what_is_deactivated_is_not_there(model):
    model.gone = pyo.Constraint(expr=model.y <= 1)
    model.gone.deactivate()
    model.part = pyo.Block()
    model.part.row = pyo.Constraint(expr=model.y <= 2)
    model.part.deactivate()
    model.first, model.second = pyo.Objective(expr=model.x[1]), pyo.Objective(expr=model.y)
    model.first.deactivate()
    ir = dialect.to_ir(model)
    assert (ir.rows, ir.objective.linear) == ([], {2: 1.0})


def test_a_fixed_variable_has_one_value_and_is_a_number_in_products(model):
    model.x[2].fix(3)
    model.q = pyo.Constraint(expr=model.x[2] * model.y + model.x[2] + model.x[1] ** model.x[2] <= 8)
    model.half = pyo.Var(domain=pyo.Binary)
    model.half.fix(0.5, skip_validation=True)
    ir = dialect.to_ir(model)
    assert [(v.kind, v.lb, v.ub) for v in ir.variables[1:]] == [
        ("integer", 3.0, 3.0),
        ("continuous", -1.0, math.inf),
        ("continuous", 0.5, 0.5),
    ]
    (row,) = ir.rows
    assert (row.terms, row.quadratic) == ({1: 1.0, 2: 3.0}, {})
    assert row.at([2.0, 3.0, 1.0, 0.5]) == 14.0
    assert model.x[2].fixed


def named(x, y):
    expression = pyo.Expression(expr=x * y + 1)
    expression.construct()
    return expression


EXPRESSIONS = {
    "quadratic": (lambda x, y: x * y + 2 * x**2, lambda x, y: x * y + 2 * x**2),
    "cubic": (lambda x, y: (x + y) * (x - 1) * y, lambda x, y: (x + y) * (x - 1) * y),
    "exp": (lambda x, y: -2 * pyo.exp(x - y), lambda x, y: -2 * math.exp(x - y)),
    "log": (lambda x, y: pyo.log(x) * y + pyo.log10(y), lambda x, y: math.log(x) * y + math.log10(y)),
    "sqrt": (lambda x, y: pyo.sqrt(x + y) - x, lambda x, y: math.sqrt(x + y) - x),
    "trigonometric": (
        lambda x, y: pyo.sin(x) + pyo.cos(y) * pyo.tan(x),
        lambda x, y: math.sin(x) + math.cos(y) * math.tan(x),
    ),
    "quotient": (lambda x, y: x / (1 + y) - 3 / x, lambda x, y: x / (1 + y) - 3 / x),
    "power": (lambda x, y: x**1.5 + 2**y, lambda x, y: x**1.5 + 2**y),
    "absolute value": (lambda x, y: abs(x - 2 * y) * x, lambda x, y: abs(x - 2 * y) * x),
    "named": (
        lambda x, y: pyo.sqrt(named(x, y)) - named(x, y),
        lambda x, y: math.sqrt(x * y + 1) - x * y - 1,
    ),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_have_the_same_values(name):
    written, expected = EXPRESSIONS[name]
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(1, 3)), pyo.Var(bounds=(1, 3))
    model.row = pyo.Constraint(expr=written(model.x, model.y) + model.y + 1 <= 7)
    model.value = pyo.Objective(expr=written(model.x, model.y) + 4)
    ir = dialect.to_ir(model)
    for at in ((1.0, 2.0), (2.5, 1.5), (3.0, 1.0)):
        assert ir.rows[0].at(at) - ir.rows[0].ub == pytest.approx(expected(*at) + at[1] - 6)
        assert ir.objective.at(at) == pytest.approx(expected(*at) + 4)


def logic(model):
    model.a, model.b = pyo.BooleanVar(), pyo.BooleanVar()
    model.either = pyo.LogicalConstraint(expr=pyo.lor(model.a, model.b))


def two_objectives(model):
    model.first, model.second = pyo.Objective(expr=model.y), pyo.Objective(expr=-model.y)


UNSUPPORTED = {
    "SOSConstraint": lambda m: setattr(m, "sos", pyo.SOSConstraint(var=m.x, sos=1)),
    "2 active objectives": two_objectives,
    "the function sinh": lambda m: setattr(m, "o", pyo.Objective(expr=pyo.sinh(m.y))),
    "the function Expr_if": lambda m: setattr(m, "o", pyo.Objective(expr=pyo.Expr_if(m.y >= 1, m.y, 0))),
    "variable z: the domain": lambda m: setattr(m, "z", pyo.Var(domain=pyo.Set(initialize=[1, 4, 9]))),
    "LogicalConstraint": logic,
}


@pytest.mark.parametrize("named", UNSUPPORTED)
def test_what_the_ir_lacks_is_named(model, named):
    UNSUPPORTED[named](model)
    with pytest.raises(Unsupported, match=named):
        dialect.to_ir(model)


def test_disjunctions_once_they_are_reformulated(model):
    from pyomo.gdp import Disjunct, Disjunction

    model.high, model.low = Disjunct(), Disjunct()
    model.high.row, model.low.row = pyo.Constraint(expr=model.x[1] >= 5), pyo.Constraint(expr=model.x[1] <= 1)
    model.either = Disjunction(expr=[model.high, model.low])
    with pytest.raises(Unsupported, match="Disjunct"):
        dialect.to_ir(model)
    pyo.TransformationFactory("gdp.bigm").apply_to(model)
    ir = dialect.to_ir(model)
    fits = {at[0] for at in itertools.product(range(8), (0,), (-1,), (0, 1), (0, 1)) if feasible(ir, at)}
    assert fits == {0, 1, 5, 6, 7}


def feasible(ir, at) -> bool:
    return all(row.lb - 1e-9 <= row.at(at) <= row.ub + 1e-9 for row in ir.rows)


def test_an_abstract_model_without_an_instance():
    with pytest.raises(Unsupported, match="no instance"):
        dialect.to_ir(pyo.AbstractModel())


def test_a_value_that_is_missing(model):
    model.p = pyo.Param(mutable=True)
    model.row = pyo.Constraint(expr=model.p * model.y <= 1)
    with pytest.raises(ValueError, match="p"):
        dialect.to_ir(model)


SOLVE = """
import pyomo.environ as pyo
from pyomo.opt import SolverFactory, SolverStatus
def plan():
    m = pyo.ConcreteModel()
    m.x, m.y = pyo.Var(domain=pyo.Integers, bounds=(0, 5)), pyo.Var(domain=pyo.NonNegativeReals)
    m.hours = pyo.Constraint(expr=2 * m.x + m.y <= 7.5)
    m.profit = pyo.Objective(expr=m.x + {term}, sense=pyo.maximize)
    with SolverFactory({solver}) as solver:
        solver.options["limit"] = 9
        assert solver.available()
        result = solver.solve(m, tee=True, options={{"gap": 0}})
    assert result.solver.status == SolverStatus.ok and pyo.check_optimal_termination(result)
    assert (m.x(), pyo.value(m.y), pyo.value(m.profit)) == (0, 7.5, 7.5) and result.problem.upper_bound == 7.5
    assert result.solver.time >= 0
    result.write()
    m.least = pyo.Constraint(expr=m.y >= 9)
    result = solver.solve(m)
    assert result.solver.termination_condition == pyo.TerminationCondition.infeasible
plan()
"""


@pytest.mark.parametrize(
    ("solver", "term"),
    [
        ("'glpk'", "m.y"),
        ("'gurobi', solver_io='python'", "m.y"),
        ("'appsi_highs'", "m.y"),
        ("'ipopt'", "pyo.sqrt(m.y**2)"),
    ],
)
def test_programs_solve_in_the_sandbox(sandbox, solver, term):
    execution = sandbox.run(SOLVE.format(solver=solver, term=term), {})
    assert (execution.status, execution.dialect, execution.detail) == ("ok", "pyomo", "")
    assert [row.name for row in execution.model.rows] == ["hours", "least"]


def test_a_program_ends_where_its_model_cannot_be_solved(sandbox):
    code = """
import pyomo.environ as pyo
m = pyo.ConcreteModel()
m.x = pyo.Var(bounds=(0, 1))
m.o = pyo.Objective(expr=pyo.sinh(m.x))
try:
    pyo.SolverFactory("ipopt").solve(m)
except Exception:
    pass
m.o.deactivate()
"""
    execution = sandbox.run(code, {})
    assert (execution.status, execution.dialect) == ("unsupported", "pyomo")
    assert "the function sinh" in execution.detail


def test_a_clone_is_a_model_of_the_program(sandbox):
    code = """
import pyomo.environ as pyo
class Mine(pyo.ConcreteModel):
    pass
first = Mine()
first.x = pyo.Var(bounds=(0, 1))
first.o = pyo.Objective(expr=first.x)
second = first.clone()
second.o.sense = pyo.maximize
"""
    execution = sandbox.run(code, {})
    assert (execution.status, execution.model.objective.sense) == ("ok", "max")
