"""From MathOpt models to the IR: which model is taken, and that nothing of it is lost or made up."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ortools.math_opt.python import mathopt

from trex.execution.dialects import Unsupported
from trex.execution.dialects import mathopt as dialect


def two_variables() -> tuple[mathopt.Model, mathopt.Variable, mathopt.Variable]:
    model = mathopt.Model(name="mix")
    return model, model.add_integer_variable(lb=0, ub=7, name="x"), model.add_variable(lb=-1, name="y")


def test_every_part_is_translated():
    model, x, y = two_variables()
    model.add_binary_variable(name="b")
    model.add_linear_constraint(2 * x + y <= 10, name="hours")
    model.add_linear_constraint(lb=1, expr=x - y, ub=4, name="range")
    model.minimize(3 * x - 2 * y + x * y - x * x + 5)
    ir = dialect.to_ir(model)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [
        ("x", "integer", 0.0, 7.0),
        ("y", "continuous", -1.0, math.inf),
        ("b", "binary", 0.0, 1.0),
    ]
    assert [(r.name, r.lb, r.ub, r.terms) for r in ir.rows] == [
        ("hours", -math.inf, 10.0, {0: 2.0, 1: 1.0}),
        ("range", 1.0, 4.0, {0: 1.0, 1: -1.0}),
    ]
    assert ir.objective.sense == "min"
    assert ir.objective.linear == {0: 3.0, 1: -2.0}
    assert ir.objective.quadratic == {(0, 0): -1.0, (0, 1): 1.0}
    assert ir.objective.constant == 5.0


def test_quadratic_rows():
    model, x, y = two_variables()
    model.add_quadratic_constraint(lb=1, expr=x * y + 2 * x * x - y, ub=3, name="area")
    (row,) = dialect.to_ir(model).rows
    assert (row.name, row.lb, row.ub, row.terms, row.quadratic) == (
        "area",
        1.0,
        3.0,
        {1: -1.0},
        {(0, 0): 2.0, (0, 1): 1.0},
    )


@pytest.mark.parametrize("active", [True, False])
def test_an_indicator_holds_where_it_is_active_only(active):
    model, x, _ = two_variables()
    b = model.add_binary_variable(name="b")
    model.add_indicator_constraint(
        indicator=b, activate_on_zero=not active, implied_constraint=mathopt.BoundedLinearExpression(-1, 2 * x + b, 4)
    )
    ir = dialect.to_ir(model)
    for value, switch in itertools.product((-2, -1, 0, 1, 2, 3), (0, 1)):
        holds = all(row.lb <= row.at([value, 0, switch]) <= row.ub for row in ir.rows)
        assert holds == (switch != active or -1 <= 2 * value + switch <= 4)


def test_deleted_parts_are_gone():
    model, x, y = two_variables()
    gone = model.add_linear_constraint(x <= 1)
    model.add_linear_constraint(y <= 3, name="kept")
    model.delete_linear_constraint(gone)
    model.delete_variable(x)
    ir = dialect.to_ir(model)
    assert [v.name for v in ir.variables] == ["y"]
    assert [(r.name, r.terms) for r in ir.rows] == [("kept", {0: 1.0})]


def test_names_are_made_unique():
    model = mathopt.Model()
    for name in ("a", "", "a", "x1"):
        model.add_variable(name=name)
    model.add_linear_constraint(lb=0)
    assert [v.name for v in dialect.to_ir(model).variables] == ["a", "x1", "a_2", "x1_2"]


def test_crossed_bounds_stay_infeasible():
    model, x, _ = two_variables()
    x.lower_bound = 9
    model.add_linear_constraint(lb=3, expr=x, ub=2)
    ir = dialect.to_ir(model)
    assert (ir.variables[0].lb, ir.variables[0].ub) == (9.0, math.inf)
    assert [(r.lb, r.ub) for r in ir.rows] == [(-math.inf, 7.0), (3.0, math.inf), (-math.inf, 2.0)]


def test_what_the_ir_lacks_is_named():
    model, _, _ = two_variables()
    model.add_auxiliary_objective(priority=1, name="second")
    with pytest.raises(Unsupported, match="auxiliary objectives"):
        dialect.to_ir(model)


def test_numbers_that_are_none_are_refused():
    model, x, _ = two_variables()
    model.maximize(math.nan * x)
    with pytest.raises(ValueError, match="not finite"):
        dialect.to_ir(model)


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.booleans(), st.floats(-1e6, 1e6)), min_size=1, max_size=6
    ),
    st.booleans(),
)
def test_numbers_survive(columns, maximize):
    model = mathopt.Model()
    variables = [model.add_variable(lb=low, ub=low + width, is_integer=whole) for low, width, whole, _ in columns]
    expression = sum(cost * variable for (_, _, _, cost), variable in zip(columns, variables, strict=True))
    model.add_linear_constraint(expression <= 1)
    model.set_linear_objective(expression, is_maximize=maximize)
    ir = dialect.to_ir(model)
    expected = {index: column[3] for index, column in enumerate(columns) if column[3] != 0}
    assert ir.rows[0].terms == ir.objective.linear == expected
    assert [(v.lb, v.ub) for v in ir.variables] == [(low, low + width) for low, width, _, _ in columns]
    assert ir.objective.sense == ("max" if maximize else "min")
