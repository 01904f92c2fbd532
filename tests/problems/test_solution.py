import math

import pytest

from trex.problems.ir import Model
from trex.problems.solution import residuals


def mixed() -> Model:
    """x within [0, 4] and a whole y; 2 <= x + x y + sqrt(y) <= 9."""
    model = Model()
    model.add_variable("x", ub=4)
    model.add_variable("y", "integer", lb=-5)
    model.add_row({0: 1}, 2, 9, quadratic={(0, 1): 1}, nonlinear=["sqrt", ["variable", 1]])
    model.set_objective("min", {0: 1}, 2, {(0, 1): 3, (1, 1): 0.5})
    return model


def test_a_feasible_point():
    found = residuals(mixed(), [1.0, 4.0])
    assert (found.violation, found.fractionality) == (0.0, 0.0)
    assert found.objective == 1 + 2 + 3 * 4 + 0.5 * 16
    assert found.are_small


def test_excess_is_in_units_of_the_largest_number_in_sight():
    assert residuals(mixed(), [3.0, 4.0]).violation == pytest.approx((3 + 12 + 2 - 9) / 12)
    assert residuals(mixed(), [4.5, 0.0]).violation == pytest.approx(0.5 / 4)
    model = Model()
    model.add_variable("x", ub=4)
    model.add_variable("y", "integer")
    model.add_row({0: 1e6, 1: -1e6}, 0, 0)
    assert residuals(model, [3.0, 3.5]).violation == pytest.approx(5e5 / 3.5e6)
    assert residuals(model, [3.0, 3.5]).fractionality == 0.5


@pytest.mark.parametrize("values", [[1.0, -1.0], [math.nan, 4.0], [1.0, math.nan], [1.0, math.inf], [1e300, 1e300]])
def test_what_is_undefined_or_infinite_is_infeasible(values):
    assert residuals(mixed(), values).violation == math.inf


def test_an_undefined_objective_is_no_small_residual():
    model = Model()
    model.add_variable("x")
    model.set_objective("max", {}, nonlinear=["log", ["variable", 0]])
    found = residuals(model, [0.0])
    assert found.violation == 0.0
    assert not found.are_small
