"""Paired comparisons against values worked out by hand or by another method."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from trex.evaluation import paired


def test_difference_by_hand():
    # Bonett and Price (2012): (only + 1) / (n + 2) each, n = 98.
    value, low, high = paired.difference(98, 19, 9)
    assert value == pytest.approx(10 / 98)
    reach = 1.959964 * ((0.2 + 0.1 - 0.01) / 100) ** 0.5
    assert (low, high) == pytest.approx((0.1 - reach, 0.1 + reach), abs=1e-6)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_swapping_the_arms_swaps_the_signs(only_a, only_b, rest):
    n = only_a + only_b + rest
    value, low, high = paired.difference(n, only_a, only_b)
    other = paired.difference(n, only_b, only_a)
    assert -1 <= low <= high <= 1
    assert other == pytest.approx((-value, -high, -low))
    assert paired.p_value(only_a, only_b) == paired.p_value(only_b, only_a)


@given(st.integers(0, 80), st.integers(0, 80))
def test_p_value_is_the_binomial_one(only_a, only_b):
    total = only_a + only_b
    expected = binomtest(only_a, total).pvalue if total else 1.0
    assert paired.p_value(only_a, only_b) == pytest.approx(expected)


def test_holm():
    assert paired.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert paired.holm([]) == []
