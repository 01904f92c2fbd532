"""Models and damaged texts for the tests of LP and MPS text."""

import re
from collections.abc import Callable

from hypothesis import strategies as st

from trex.problems.ir import Model, unused_name

FLOATS = st.one_of(st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False))
LINE = re.compile(r"line [1-9][0-9]*: .")


@st.composite
def quadratic_models(draw: st.DrawFn) -> Model:
    """The random models of this folder, and sometimes quadratic rows; any finite float is a coefficient."""
    model = draw(st.from_type(Model))
    if not model.variables or draw(st.booleans()):
        return model
    indexes = st.integers(0, len(model.variables) - 1)
    terms = st.dictionaries(indexes, FLOATS, max_size=3)
    products = st.dictionaries(st.tuples(indexes, indexes).map(lambda pair: tuple(sorted(pair))), FLOATS, max_size=3)
    for name in draw(st.lists(st.text(min_size=1), min_size=1, max_size=2, unique=True)):
        lb, ub = sorted((draw(FLOATS) / 1e300, draw(FLOATS) / 1e290))
        name = unused_name(name, {row.name for row in model.rows})
        model.add_row(draw(terms), lb, ub, name, quadratic=draw(products))
    model.set_objective("max", draw(terms), draw(FLOATS), quadratic=draw(products))
    return model


def damaged(texts: list[str]) -> st.SearchStrategy[str]:
    """One of the texts with a few places cut out, doubled or overwritten, or without its end."""
    place = st.tuples(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from(["cut", "double", "write", "end"]))
    junk = st.one_of(st.sampled_from(["\n", " ", "inf", "1e999", "-", "end", '"', "é"]), st.text(max_size=3))

    def apply(text: str, places: list[tuple[int, int, str]], written: str) -> str:
        for start, length, action in places:
            start %= len(text) + 1
            middle = text[start : start + length]
            put = {"cut": "", "double": middle * 2, "write": written, "end": ""}[action]
            text = text[:start] + put + ("" if action == "end" else text[start + length :])
        return text

    return st.builds(apply, st.sampled_from(texts), st.lists(place, min_size=1, max_size=3), junk)


def assert_model_or_line(read: Callable[[str], Model], write: Callable[[Model], str], text: str) -> None:
    """A text gives a model that can be written and read, or a reason with its line."""
    try:
        model = read(text)
    except ValueError as error:
        assert LINE.match(str(error))
    else:
        assert read(write(model)) == model
