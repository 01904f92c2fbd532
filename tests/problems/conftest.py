"""Registers random models with hypothesis: tests draw them by `st.from_type(Model)`."""

import math

from hypothesis import strategies as st

from trex.problems.ir import KINDS, SENSES, Model

NUMBERS = st.one_of(st.integers(-9, 9), st.floats(-1e19, 1e19))
WILD_NAMES = [
    "x[0]",
    "x 0",
    "e1",
    "E",
    "free",
    "inf",
    "Constant",
    "End",
    "st",
    "user",
    "_x",
    "x",
    "2x",
    "a:b",
    "x_2",
    "x^2",
]
NAMES = st.one_of(st.sampled_from(WILD_NAMES), st.text(min_size=1))
BOUNDS = st.one_of(st.none(), NUMBERS)


@st.composite
def models(draw: st.DrawFn) -> Model:
    model = Model()
    names = draw(st.lists(NAMES, max_size=6, unique=True))
    for name in names:
        model.add_variable(name, draw(st.sampled_from(KINDS[:2])), *draw(intervals()))
    if draw(st.booleans()):
        model.add_variable("".join(["b", *names]), "binary", ub=draw(st.sampled_from([0, 1, 5])))
    indexes = st.integers(0, len(model.variables) - 1) if model.variables else st.nothing()
    terms = st.dictionaries(indexes, NUMBERS)
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        model.add_row(draw(terms), *draw(intervals()), name)
    products = draw(st.dictionaries(st.tuples(indexes, indexes), NUMBERS))
    model.set_objective(draw(st.sampled_from(SENSES)), draw(terms), draw(NUMBERS), products)
    return model


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, float]:
    lb, ub = draw(BOUNDS), draw(BOUNDS)
    if lb is not None and ub is not None:
        lb, ub = min(lb, ub), max(lb, ub)
    return (-math.inf if lb is None else lb, math.inf if ub is None else ub)


st.register_type_strategy(Model, models())
