import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.problems import expression
from trex.problems.ir import Model
from trex.problems.polish import gradient, polished, slopes

X, Y = ("variable", 0), ("variable", 1)
SMOOTH = ["exp", "log", "sqrt", "sin", "cos", "tan", "abs"]


def expressions() -> st.SearchStrategy:
    leaves = st.one_of(st.sampled_from([X, Y]), st.sampled_from([-2.0, 0.5, 3.0]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda name, e: (name, e), st.sampled_from(SMOOTH), inner),
            st.builds(lambda name, a, b: (name, a, b), st.sampled_from(["quotient", "power"]), inner, inner),
            st.builds(lambda name, e: (name, *e), st.sampled_from(["sum", "product"]), st.lists(inner, min_size=1)),
        ),
        max_leaves=6,
    )


POSITIVE = st.floats(0.5, 2.0)


@given(expressions(), POSITIVE, POSITIVE)
def test_slopes_are_the_limits_of_differences(node, x, y):
    def at(dx: float, dy: float) -> float:
        return expression.evaluate(node, (x + dx, y + dy))

    h = 1e-5
    differences = {0: (at(h, 0) - at(-h, 0)) / (2 * h), 1: (at(0, h) - at(0, -h)) / (2 * h)}
    coarse = {0: (at(2 * h, 0) - at(-2 * h, 0)) / (4 * h), 1: (at(0, 2 * h) - at(0, -2 * h)) / (4 * h)}
    values = [at(a, b) for a in (-2 * h, 0, 2 * h) for b in (-2 * h, 0, 2 * h)]
    if not all(math.isfinite(v) and abs(v) < 1e3 for v in values):
        return  # at the edge of where it is defined
    value, found = slopes(node, [x, y])
    assert value == at(0, 0)
    for i in (0, 1):
        near = abs(differences[i] - coarse[i])  # how well differences tell
        assert found.get(i, 0.0) == pytest.approx(differences[i], rel=1e-5, abs=1e-4 + 10 * near)


@pytest.mark.parametrize(("node", "at", "slope"), [(("max", X, 1.0), 3.0, 1.0), (("min", X, 1.0), 3.0, 0.0)])
def test_slopes_beside_a_kink(node, at, slope):
    assert slopes(node, [at]) == (expression.evaluate(node, [at]), {0: slope})


def circle() -> Model:
    """The largest x + y + 3 z on the unit disc, z whole and at most 2: sqrt(2) + 6."""
    model = Model()
    model.add_variable("x", lb=-math.inf)
    model.add_variable("y", lb=-math.inf)
    model.add_variable("z", "integer", ub=2)
    model.add_row({}, ub=1, quadratic={(0, 0): 1, (1, 1): 1})
    model.set_objective("max", {0: 1, 1: 1, 2: 3})
    return model


def test_gradient_of_all_parts():
    model = circle()
    model.set_objective("max", {0: 1}, quadratic={(0, 1): 2, (1, 1): 3}, nonlinear=["exp", X])
    assert gradient(model.objective, [1.0, 2.0, 5.0]) == pytest.approx([1 + 4 + math.e, 2 + 12, 0])
    model.set_objective("max", {0: 1}, nonlinear=["sqrt", X])
    assert math.isnan(gradient(model.objective, [0.0, 0.0, 0.0])[0])


@pytest.mark.parametrize("offset", [1e-6, -1e-3])
def test_a_rough_optimum_becomes_exact(offset):
    root = math.sqrt(0.5)
    values = polished(circle(), [root + 1.3 * offset, root + offset, 2 - 1e-6], scale=3.0)
    assert values == pytest.approx([root, root, 2], abs=1e-6)
    assert circle().objective.at(values) == pytest.approx(math.sqrt(2) + 6, abs=1e-12)
    assert values[2] == 2.0


def test_integers_that_cannot_be_rounded():
    model = Model()
    model.add_variable("x", "integer")
    model.add_row({}, -10, 10, nonlinear=["log", X])
    model.set_objective("min", {0: 1})
    assert polished(model, [1e-3], scale=1.0) is None
    assert polished(model, [1 - 1e-7], scale=1.0) == [1.0]


def test_more_equations_than_variables():
    """scipy 1.17 crashes on them when it is let."""
    model = Model()
    model.add_variable("x")
    for factor in range(1, 30):
        model.add_row({0: factor}, 2 * factor, 2 * factor)
    model.set_objective("min", {}, quadratic={(0, 0): 1})
    assert polished(model, [2 + 1e-7], scale=1.0) == pytest.approx([2], abs=1e-12)
