"""General constraints hold at exactly the points where the libraries say that they do."""

import itertools
import math

import pytest

from trex.execution.standins.gurobi import library


def holds(model, point: tuple) -> bool:
    ir = model._recording.to_ir()
    return all(row.lb - 1e-9 <= row.at(point) <= row.ub + 1e-9 for row in ir.rows)


@pytest.mark.parametrize(("helper", "rule"), [(library.and_, all), (library.or_, any)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_logic(model, helper, rule, count):
    result, *operands = model.addVars(count + 1).values()
    model.addConstr(result == helper(operands))
    assert {v.kind for v in model._recording.to_ir().variables} == {"binary"}
    for point in itertools.product((0.0, 1.0), repeat=count + 1):
        assert holds(model, point) == (point[0] == float(rule(point[1:])))


@pytest.mark.parametrize(
    ("general", "expected"),
    [
        (lambda x, y: library.max_(x, y, constant=1), lambda x, y: max(x, y, 1)),
        (lambda x, y: library.min_([x, y, 2]), lambda x, y: min(x, y, 2)),
        (lambda x, y: library.abs_(y), lambda x, y: abs(y)),
        (lambda x, y: library.norm([x, y], 1), lambda x, y: abs(x) + abs(y)),
        (lambda x, y: library.norm([x, y, x], 2), lambda x, y: math.sqrt(2 * x * x + y * y)),
        (lambda x, y: library.norm([x, y], library.GRB.INFINITY), lambda x, y: max(abs(x), abs(y))),
        (lambda x, y: library.nlfunc.logistic(x) + y, lambda x, y: 1 / (1 + math.exp(-x)) + y),
        (lambda x, y: library.nlfunc.tanh(x * y), lambda x, y: math.tanh(x * y)),
        (lambda x, y: library.nlfunc.log2(x * x + 1), lambda x, y: math.log2(x * x + 1)),
        (lambda x, y: library.nlfunc.signpow(y, 3), lambda x, y: math.copysign(abs(y) ** 3, y)),
        (lambda x, y: library.nlfunc.square(x) / 4, lambda x, y: x * x / 4),
    ],
)
def test_functions(model, general, expected):
    result, x, y = model.addVars(3, lb=-100).values()
    model.addConstr(result == general(x, y))
    for at in itertools.product((-3.0, 0.5, 2.0), repeat=2):
        value = expected(*at)
        assert holds(model, (value, *at))
        assert not holds(model, (value + 0.1, *at))
    assert not holds(model, (-1e3, 0.5, 0.5))


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("sense", ["<", ">", "="])
def test_indicators(model, active, sense):
    b, x, y = model.addVar(vtype="B"), model.addVar(), model.addVar()
    model.addGenConstrIndicator(b, active, x + 2 * y + 1, sense, 4)
    compare = {"<": float.__le__, ">": float.__ge__, "=": float.__eq__}[sense]
    for point in itertools.product((0.0, 1.0), (0.0, 1.0, 3.0), (0.0, 1.0, 2.0)):
        required = point[0] == float(active)
        assert holds(model, point) == (not required or compare(point[1] + 2 * point[2] + 1, 4.0))
