"""The rules of the verdicts, at and on both sides of their limits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.audit import verdicts


@pytest.mark.parametrize(
    ("low", "high", "p", "verdict"),
    [
        (0.01, 0.2, None, "same direction"),
        (0.01, 0.2, 0.01, "same direction"),
        (0.01, 0.2, 0.2, "inconclusive"),
        (0.01, 0.2, math.nan, "inconclusive"),
        (0.0, 0.2, 0.01, "inconclusive"),
        (-0.1, 0.2, 0.01, "inconclusive"),
        (-0.2, 0.0, 0.01, "inconclusive"),
        (-0.2, -0.01, 0.01, "opposite direction"),
        (-0.2, -0.01, 0.05, "inconclusive"),
        (math.nan, math.nan, 0.01, "inconclusive"),
    ],
)
def test_direction(low, high, p, verdict):
    assert verdicts.direction(low, high, 0.0, p) == verdict


@pytest.mark.parametrize(("repetitions", "verdict"), [(2, "inconclusive"), (3, "same direction")])
def test_a_range_needs_repetitions(repetitions, verdict):
    assert verdicts.faster(1.5, 2.0, repetitions) == verdict


@given(st.floats(-10, 10), st.floats(0, 10), st.floats(-10, 10))
def test_direction_mirrors(low, width, no_effect):
    mirror = {"same direction": "opposite direction", "opposite direction": "same direction"}
    verdict = verdicts.direction(low, low + width, no_effect)
    assert verdicts.direction(-(low + width), -low, -no_effect) == mirror.get(verdict, verdict)


@pytest.mark.parametrize(
    ("low", "high", "published", "assumes", "verdict"),
    [
        (26.5, 26.7, 27.0, False, "consistent"),
        (26.5, 26.7, 28.0, False, "not consistent"),
        (26.5, 26.7, 27.0, True, "consistent under assumptions"),
        (26.5, 26.7, 28.0, True, "depends on assumptions"),
        (27.5, 28.0, 27.0, False, "consistent"),
    ],
)
def test_arithmetic(low, high, published, assumes, verdict):
    assert verdicts.arithmetic(low, high, published, 0.5, assumes) == verdict


def test_all_or_inconclusive():
    assert verdicts.in_miniature(1.0) == "consistent"
    assert verdicts.in_miniature(0.999) == "inconclusive"
