"""Nonlinear expressions: what is taken in, their value, and multiplying out."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.problems import expression

NUMBERS = st.floats(-4, 4, allow_subnormal=False)
LEAVES = NUMBERS | st.integers(0, 2).map(lambda index: ("variable", index))


def operators(operands):
    several = st.lists(operands, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda name, found: (name, *found), st.sampled_from(expression.SEVERAL), several),
        st.builds(lambda name, a, b: (name, a, b), st.sampled_from(expression.PAIRS), operands, operands),
        st.builds(lambda name, a: (name, a), st.sampled_from(sorted(expression.FUNCTIONS)), operands),
    )


EXPRESSIONS = st.recursive(LEAVES, operators, max_leaves=12)
POLYNOMIAL = st.recursive(
    LEAVES,
    lambda operands: st.builds(
        lambda name, found: (name, *found),
        st.sampled_from(["sum", "product"]),
        st.lists(operands, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def value(found: expression.Polynomial, x: list[float]) -> float:
    linear = sum(c * x[i] for i, c in found.linear.items())
    return found.constant + linear + sum(c * x[i] * x[j] for (i, j), c in found.quadratic.items())


@given(EXPRESSIONS)
def test_json_and_back(data):
    assert expression.checked(json.loads(json.dumps(data)), 3) == data


@given(POLYNOMIAL | EXPRESSIONS, st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_what_is_multiplied_out_has_the_same_value(data, x):
    found = expression.polynomial(data)
    direct = expression.evaluate(data, x)
    if found is not None and not math.isnan(direct):
        assert value(found, x) == pytest.approx(direct, rel=1e-9, abs=1e-6)
        assert all(i <= j for i, j in found.quadratic)


X, Y = ("variable", 0), ("variable", 1)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (("product", ("sum", X, 1.0), ("sum", Y, -2.0)), expression.Polynomial(-2.0, {0: -2.0, 1: 1.0}, {(0, 1): 1.0})),
        (("power", ("sum", X, 3.0), 2.0), expression.Polynomial(9.0, {0: 6.0}, {(0, 0): 1.0})),
        (("quotient", X, 4.0), expression.Polynomial(0.0, {0: 0.25})),
        (("exp", 0.0), expression.Polynomial(1.0)),
        (("product", X, X, X), None),
        (("quotient", X, Y), None),
        (("power", X, 0.5), None),
        (("abs", X), None),
    ],
)
def test_multiplying_out(data, expected):
    assert expression.polynomial(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (("max", X, 3.0, Y), 5.0),
        (("min", X, 3.0), 2.0),
        (("power", X, -1.0), 0.5),
        (("sqrt", ("sum", Y, 4.0)), 3.0),
        (("log", ("exp", X)), 2.0),
        (("abs", ("product", -1.0, X)), 2.0),
    ],
)
def test_values(data, expected):
    assert expression.evaluate(data, [2.0, 5.0]) == pytest.approx(expected)


@pytest.mark.parametrize("data", [("log", -1.0), ("quotient", 1.0, 0.0), ("exp", 1e9), ("power", -1.0, 0.5)])
def test_no_value_is_nan(data):
    assert math.isnan(expression.evaluate(data, []))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("x", "not x"),
        (True, "not True"),
        (math.inf, "not finite"),
        (10**400, "not finite"),
        ((), "operator"),
        (("sum",), "operator"),
        (("hyperbolic", 1.0), "unknown operator"),
        (("exp", 1.0, 2.0), "takes 1"),
        (("quotient", 1.0), "takes 2"),
        (("variable", 2), "there are 2"),
        (("variable", -1), "there are 2"),
        (("variable", 1.0), "there are 2"),
        (("variable", True), "there are 2"),
    ],
)
def test_what_is_not_an_expression_is_refused(data, reason):
    with pytest.raises(ValueError, match=reason):
        expression.checked(data, 2)


def test_depth_is_limited():
    data = X
    for _ in range(10_000):
        data = ("exp", data)
    with pytest.raises(ValueError, match="deeper"):
        expression.checked(data, 1)
