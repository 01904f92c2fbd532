"""The solver for what is not linear, against closed forms and enumeration."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.problems.ir import Model
from trex.problems.solution import residuals
from trex.problems.solve import solve

INF = math.inf
X, Y, Z = ("variable", 0), ("variable", 1), ("variable", 2)


def model_of(variables: str, sense: str, objective: object, *rows: tuple, lb: float = 0.0, ub: float = INF) -> Model:
    """A model of continuous (c) and integer (i) variables; a row is (expression, lower bound, upper bound)."""
    model = Model()
    for position, letter in enumerate(variables):
        model.add_variable(f"x{position}", "integer" if letter == "i" else "continuous", lb, ub)
    for node, low, high in rows:
        model.add_row({}, low, high, nonlinear=node)
    model.set_objective(sense, {}, nonlinear=objective)
    return model


def plus(*operands: object) -> tuple:
    return ("sum", *operands)


def times(*operands: object) -> tuple:
    return ("product", *operands)


def minus(a: object, b: object) -> tuple:
    return plus(a, times(-1.0, b))


def square(node: object) -> tuple:
    return ("power", node, 2.0)


VOLUME = times(math.pi, square(X), Y)
SURFACE = times(2.0, math.pi, X, plus(X, Y))
ROSENBROCK = plus(square(minus(1.0, X)), times(100.0, square(minus(Y, square(X)))))
WEBER = plus(*[("sqrt", plus(square(minus(X, a)), square(minus(Y, b)))) for a, b in ((0, 0), (4, 0), (0, 3), (5, 5))])
LN2 = math.log(2)
BENT = -math.log(LN2) / LN2  # where 2^x - x is least

KNOWN = {
    "product with a given sum": (model_of("cc", "max", times(X, Y), (plus(X, Y), 10, 10)), 25),
    "free product with a given sum": (model_of("cc", "max", times(X, Y), (plus(X, Y), 10, 10), lb=-INF), 25),
    "surface of a can": (model_of("cc", "min", SURFACE, (VOLUME, 500, INF)), 3 * (2 * math.pi * 500**2) ** (1 / 3)),
    "volume of a can": (model_of("cc", "max", VOLUME, (SURFACE, -INF, 50)), (50 / 3) ** 1.5 / math.sqrt(2 * math.pi)),
    "box of a sheet": (model_of("c", "max", times(4.0, X, square(minus(6.0, X))), ub=6), 128),
    "product in an ellipse": (
        model_of("cc", "max", times(X, Y), (plus(square(X), times(2.0, square(Y))), -INF, 1), lb=-INF),
        math.sqrt(2) / 4,
    ),
    "the same, large": (
        model_of("cc", "max", times(X, Y), (plus(square(X), times(2.0, square(Y))), -INF, 1e8), lb=-INF),
        math.sqrt(2) / 4 * 1e8,
    ),
    "logarithms": (
        model_of("ccc", "max", plus(("log", X), ("log", Y), ("log", Z)), (plus(X, Y, Z), -INF, 10)),
        3 * math.log(10 / 3),
    ),
    "square roots": (model_of("cc", "max", plus(("sqrt", X), ("sqrt", Y)), (plus(X, Y), -INF, 3)), math.sqrt(6)),
    "rectangle in a half disc": (model_of("c", "max", times(2.0, X, ("sqrt", minus(100.0, square(X)))), ub=10), 100),
    "a valley": (model_of("cc", "min", ROSENBROCK, lb=-2, ub=2), 0),
    "distance to an integer": (model_of("i", "min", ("abs", minus(X, 3.7)), lb=-INF), 0.3),
    "least maximum": (model_of("c", "min", ("max", plus(X, 2.0), minus(10.0, X), 5.0), ub=10), 6),
    "greatest maximum": (model_of("c", "max", ("max", X, minus(9.0, X)), ub=10), 10),
    "greatest minimum": (model_of("cc", "max", ("min", X, Y, 7.0), (plus(X, Y), -INF, 11)), 5.5),
    "ratio": (
        model_of("cc", "max", ("quotient", plus(X, 1.0), plus(Y, 1.0)), (minus(X, Y), -INF, 2), ub=5),
        3,
    ),
    "ratio of whole numbers": (
        model_of("iii", "max", ("quotient", plus(X, times(2.0, Y), Z), plus(X, times(3.0, Y), times(4.0, Z)))
        , (plus(X, Y, Z), 3, INF), lb=1, ub=30), 33 / 37,
    ),
    "sum and reciprocal": (model_of("c", "min", plus(X, ("quotient", 1.0, X))), 2),
    "order quantity": (model_of("c", "min", plus(times(0.25, X), ("quotient", 5e6, X))), math.sqrt(5e6)),
    "a variable to its own power": (model_of("c", "min", ("power", X, X), ub=10), math.exp(-1 / math.e)),
    "a constant to a variable power": (model_of("c", "min", minus(("power", 2.0, X), X), ub=9), 2**BENT - BENT),
    "a broken power": (model_of("cc", "max", times(("power", X, 0.3), ("power", Y, 0.7)), (plus(X, Y), -INF, 10)),
                       3**0.3 * 7**0.7),
    "a negative power": (model_of("c", "min", plus(X, ("power", X, -1.5)), ub=9), 1.5**0.4 + 1.5**-0.6),
    "sine and cosine": (model_of("c", "max", plus(("sin", X), ("cos", X)), ub=10), math.sqrt(2)),
    "tangent": (model_of("c", "max", minus(("tan", X), X), ub=1), math.tan(1) - 1),
    "sum of distances": (model_of("cc", "min", WEBER, lb=-INF), math.hypot(5, 5) + 5),
    "falling towards zero": (model_of("c", "min", ("exp", times(-1.0, X))), 0),
    "large numbers": (model_of("c", "max", minus(times(1e5, X), times(1.7, square(X)))), 1e10 / 6.8),
    "beyond ten million times the coefficients": (
        model_of("cc", "max", times(X, Y), (plus(X, Y), -INF, 1e5)), 2.5e9),
    "small numbers": (model_of("cc", "min", plus(times(1e-5, square(X)), times(2e-5, square(Y))), (plus(X, Y), 3, 3)),
                      6e-5),
    "a whole number in a logarithm": (model_of("i", "min", ("log", X), ub=3), 0),
    "a whole number below a root": (model_of("i", "min", plus(("sqrt", X), X), lb=-2, ub=2), 0),
    "a binary that switches": (
        model_of("ii", "max", minus(times(5.0, X, Y), times(3.0, X)), lb=0, ub=1), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_an_optimum_that_is_known(name):
    model, expected = KNOWN[name]
    solution = solve(model)
    assert (solution.status, solution.detail) == ("optimal", "")
    assert solution.objective == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert solution.objective == model.objective.at(solution.values)
    assert residuals(model, solution.values).are_small
    assert all(x.is_integer() for x, v in zip(solution.values, model.variables, strict=True) if v.is_integer)


def test_values_are_in_the_models_order_and_the_same_every_time():
    model = model_of("cic", "min", plus(square(minus(X, 1.5)), ("abs", minus(Y, 2.9)), ("exp", minus(Z, 4.0))), lb=2)
    assert solve(model).values == pytest.approx([2, 3, 2], abs=1e-9)
    assert solve(model) == solve(model)


UNBOUNDED = {
    "a product": model_of("cc", "max", times(X, Y), lb=-INF),
    "a product of whole numbers": model_of("ii", "max", times(X, Y), lb=-INF),
    "a concave square": model_of("c", "min", times(-1.0, square(X)), lb=-INF),
    "a cube": model_of("i", "max", ("power", X, 3.0), lb=-INF),
    "an exponential": model_of("c", "max", ("exp", X)),
    "a root": model_of("c", "max", ("sqrt", X)),
    "a linear objective beside a curved row": model_of("cc", "max", Y, (minus(square(X), Y), 0, INF)),
    "a pole": model_of("c", "min", ("tan", X), ub=3),
    "a flat direction": model_of("cc", "min", plus(square(minus(X, Y)), X), lb=-INF),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_unbounded(name):
    assert solve(UNBOUNDED[name]).status == "unbounded"


def test_a_free_direction_that_the_objective_does_not_see_is_not_unbounded():
    """HiGHS 1.16 calls it so; there (x - y)^2 + (x - y) has its least value, -1/4, along a line."""
    model = model_of("cc", "min", plus(square(minus(X, Y)), minus(X, Y)), lb=-INF)
    assert solve(model).objective == pytest.approx(-0.25, abs=1e-9)


INFEASIBLE = {
    "a square below zero": model_of("c", "max", X, (square(X), -INF, -1), lb=-INF),
    "an exponential below zero": model_of("c", "max", ("exp", X), (("exp", X), -INF, -1), lb=-INF),
    "a sine of two": model_of("c", "max", X, (("sin", X), 2, 2), lb=-INF),
    "a line beside a disc": model_of(
        "cc", "max", times(X, Y), (plus(square(X), square(Y)), -INF, 1), (plus(X, Y), 2, INF), lb=-INF
    ),
    "an odd product of two": model_of("ii", "max", X, (times(2.0, X, Y), 7, 7)),
    "an objective that is nowhere defined": model_of("c", "max", ("log", X), lb=-5, ub=-1),
    "a row that is nowhere defined": model_of("c", "max", X, (("sqrt", minus(X, 4.0)), -INF, 9), lb=1, ub=2),
}


@pytest.mark.parametrize("name", INFEASIBLE)
def test_infeasible(name):
    assert solve(INFEASIBLE[name]).status == "infeasible"


WITHOUT_OPTIMUM = {
    "a logarithm that falls": model_of("c", "min", ("log", X)),
    "a logarithm that grows": model_of("c", "max", ("log", X)),
    "a reciprocal": model_of("c", "max", ("quotient", 1.0, X)),
    "a broken power": model_of("c", "max", ("power", X, -1.5)),
}


@pytest.mark.parametrize("name", WITHOUT_OPTIMUM)
def test_an_optimum_that_scip_makes_up_is_not_passed_on(name):
    assert solve(WITHOUT_OPTIMUM[name]).status in ("error", "unbounded")


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (model_of("c", "max", plus(X, ("log", -1.0)), ub=2), "undefined"),
        (model_of("c", "max", ("quotient", ("sqrt", X), 0.0), ub=2), "divide by 0"),
        (model_of("ci", "max", ("power", X, Y), lb=-1, ub=2), "not known to be positive"),
        (model_of("i", "max", ("power", -2.0, X), ub=5), "not known to be positive"),
    ],
)
def test_what_cannot_be_put_to_scip_is_an_error_that_says_why(model, reason):
    solution = solve(model)
    assert solution.status == "error"
    assert reason in solution.detail


def test_too_hard_is_a_limit():
    """SCIP finds the optimum at once, but no bound without bounds of the variables."""
    assert solve(model_of("cc", "min", ROSENBROCK, lb=-INF), time_limit=0.2).status == "limit"


LEAVES = st.one_of(st.sampled_from([X, Y]), st.sampled_from([-2.0, -1.0, 0.5, 2.0, 3.0]))
NODES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda f, e: (f, e), st.sampled_from(["exp", "log", "sqrt", "sin", "cos", "abs"]), inner),
        st.builds(
            lambda f, a, b: (f, a, b), st.sampled_from(["sum", "product", "max", "min", "quotient"]), inner, inner
        ),
        st.builds(lambda e, p: ("power", e, p), inner, st.sampled_from([2.0, 3.0, 0.5, 1.5])),
    ),
    max_leaves=5,
)
SIDES = st.integers(-3, 6)


@settings(max_examples=80, deadline=None)
@given(NODES, NODES, SIDES, st.sampled_from(["min", "max"]), st.integers(-1, 1))
def test_agreement_with_enumeration(objective, row, side, sense, lb):
    """An error, which says that SCIP could not be believed, is no disagreement."""
    try:
        model = model_of("ii", sense, plus(objective, times(0.5, X), Y), (row, side, INF), lb=lb, ub=lb + 3)
    except ValueError:  # a constant too large for a float
        return
    found = [residuals(model, list(map(float, p))) for p in itertools.product(range(lb, lb + 4), repeat=2)]
    objectives = [at.objective for at in found if at.violation <= 1e-9 and math.isfinite(at.objective)]
    if objectives and max(map(abs, objectives)) > 1e6:
        return  # infinite to SCIP before long
    solution = solve(model, "scip", time_limit=2.0)
    if solution.status == "optimal":
        best = max(objectives) if sense == "max" else min(objectives)
        assert solution.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
    elif solution.status in ("infeasible", "unbounded"):
        assert not objectives
