"""Samples, and what remains of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.planning.sampling import latin_hypercube, quantiles, width
from trex.accounting.planning.step_time import Range

RANGES = {"one": Range(0, 1, ""), "two": Range(10, 60, "")}


def draw(samples, seed=0):
    return latin_hypercube(RANGES, samples, np.random.default_rng(seed))


def test_every_slice_of_a_range_has_one_sample():
    drawn = draw(50)
    assert sorted((drawn["one"] * 50).astype(int)) == list(range(50))
    assert sorted((drawn["two"] - 10).astype(int)) == list(range(50))


def test_ranges_are_drawn_independently_and_alike_for_one_seed():
    drawn, again = draw(2000), draw(2000)
    assert abs(np.corrcoef(drawn["one"], drawn["two"])[0, 1]) < 0.1
    assert (drawn["one"] == again["one"]).all()
    assert (drawn["one"] != draw(2000, seed=1)["one"]).any()


@given(st.lists(st.tuples(st.floats(-10, 10), st.integers(1, 5)), min_size=1, max_size=30))
def test_weights_count_as_repetitions(pairs):
    values, weights = map(np.array, zip(*pairs, strict=True))
    assert quantiles(values, weights) == quantiles(np.repeat(values, weights))


def test_quantiles_of_a_hundred():
    assert quantiles(np.arange(1, 101)) == (5, 50, 95)


def test_a_condition_that_says_nothing_narrows_nothing():
    values = draw(1000)["one"]
    whole, tenth = quantiles(values), quantiles(values, (values < 0.1).astype(int))
    assert quantiles(values, np.ones(1000)) == whole
    assert width(tenth) == pytest.approx(0.1 * width(whole), rel=0.05)
