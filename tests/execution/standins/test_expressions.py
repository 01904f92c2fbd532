"""Arithmetic of the stand-ins is that of numbers, whatever is done in which order."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.execution.standins import expressions
from trex.execution.standins.expressions import degree_of, joined
from trex.execution.standins.gurobi import library
from trex.execution.standins.gurobi.expressions import FAMILY

POINT = (1.5, -0.75, 2.0)
LEAVES = (
    st.sampled_from(["x", "y", "z"]) | st.integers(-3, 3) | st.sampled_from([0.5, np.float64(1.25), np.int64(2), True])
)
BINARY = (operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul)
TREES = st.recursive(LEAVES, lambda inner: st.tuples(st.sampled_from(BINARY), inner, inner), max_leaves=8)


def calculate(tree: object, values: dict) -> object:
    if not isinstance(tree, tuple):
        return values[tree] if isinstance(tree, str) else tree
    return tree[0](*(calculate(part, values) for part in tree[1:]))


def value_of(model, expression: object) -> float:
    """Of an expression, at POINT, by way of the IR."""
    is_plain = isinstance(expression, expressions.Variable) or expressions.is_number(expression)
    operand = library.LinExpr(expression) if is_plain else expression
    model._recording.set_objective(operand)
    return model._recording.to_ir().objective.at(POINT)


@given(TREES)
def test_sums_and_products_have_the_values_of_numbers(tree):
    model = library.Model()
    variables = {name: model.addVar(name=name) for name in "xyz"}
    expected = calculate(tree, dict(zip("xyz", POINT, strict=True)))
    assert math.isclose(value_of(model, calculate(tree, variables)), expected, rel_tol=1e-9, abs_tol=1e-9)


@given(TREES, TREES, st.sampled_from(BINARY[:3]))
def test_operators_leave_their_operands_alone(one, other, operation):
    model = library.Model()
    variables = {name: model.addVar(name=name) for name in "xyz"}
    a, b = calculate(one, variables), calculate(other, variables)
    before = value_of(model, a), value_of(model, b)
    operation(a, b)
    assert (value_of(model, a), value_of(model, b)) == before


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y: 2 / x + y / 3, 2 / 1.5 - 0.25),
        (lambda x, y: x**3 - y**2, 1.5**3 - 0.75**2),
        (lambda x, y: 2**x * y, 2**1.5 * -0.75),
        (lambda x, y: (x * y) ** 2 / (x - y), (1.5 * 0.75) ** 2 / 2.25),
        (lambda x, y: x**1 + x**0, 2.5),
        (lambda x, y: x**y, 1.5**-0.75),
    ],
)
def test_quotients_and_powers(model, xyz, function, expected):
    assert math.isclose(value_of(model, function(*xyz[:2])), expected)


def test_degrees(xyz):
    x, y, z = xyz
    found = [degree_of(e) for e in (3, x, x + 1, x * 2, x * y, x * y + z, x * y * z, x / y, x**2, x**3, None, "x")]
    assert found == [0, 1, 1, 1, 2, 2, 3, 3, 2, 3, None, None]


def test_in_place_changes_are_seen_under_every_name(model, xyz):
    x, y, _ = xyz
    total = library.LinExpr()
    other = total
    total += 2 * x
    total -= y
    total *= 3
    total /= 2
    assert other is total
    assert value_of(model, other) == (2 * 1.5 + 0.75) * 1.5
    total += x * y  # of a higher degree: another object
    assert (degree_of(total), degree_of(other)) == (2, 1)


def test_a_variable_is_never_changed(model, xyz):
    x, y, _ = xyz
    total = x
    total += y
    assert (value_of(model, x), value_of(model, total)) == (1.5, 0.75)


def test_arrays_of_numbers_are_taken_by_element(model, xyz):
    x, y, _ = xyz
    found = [np.array([1, 2]) * x + y, x * np.array([1, 2]) + y, (np.array([[1], [2]]) * x + y).ravel()]
    assert [[value_of(model, e) for e in array] for array in found] == [[0.75, 2.25]] * 3
    assert value_of(model, np.array([1.0, 2.0]) @ np.array([x, y])) == 0.0
    assert value_of(model, np.array(3.0) * x) == 4.5


def test_sums_of_anything(model, xyz):
    x, y, z = xyz
    assert value_of(model, expressions.quicksum(FAMILY, [x, 2 * y, 3, x * y, x, z**3])) == 8.0 + 3.0 - 1.5 + 3 - 1.125
    assert value_of(model, sum([x, y, z])) == value_of(model, expressions.quicksum(FAMILY, (v for v in xyz)))
    assert value_of(model, expressions.quicksum(FAMILY, [])) == 0.0


def test_long_sums_and_products_stay_shallow(xyz):
    x, y, _ = xyz
    total = x**3
    for _ in range(500):
        total = total + y**3
    assert [len(total.tree), {len(part) for part in total.tree[1:]}] == [502, {3}]
    assert joined("product", ("product", 1.0, x), y) == ("product", 1.0, x, y)


def test_comparisons_have_no_truth_value(xyz):
    x, y, _ = xyz
    for compare in (lambda: x == y, lambda: x <= 1, lambda: x >= y + 1):
        with pytest.raises(library.GurobiError, match="no bool value"):
            bool(compare())
