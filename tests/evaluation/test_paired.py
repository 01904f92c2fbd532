"""Paired comparisons against values worked out by hand or by another method."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from trex.common import statistics
from trex.evaluation import paired
from trex.evaluation.paired import Pair, compare, detectable

OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@st.composite
def pairs(draw, most: int = 9) -> Pair:
    counts = []
    for _ in range(2):
        attempts = draw(st.integers(1, 4))
        counts += [draw(st.integers(0, attempts)), attempts]
    return Pair(str(draw(st.integers(1, most))), *counts)


PAIRS = st.lists(pairs(), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(statistics, "DRAWS", 499)


def once(outcomes: list[tuple[bool, bool]]) -> list[Pair]:
    """Each item once by each arm."""
    return [Pair(str(number), int(a), 1, int(b), 1) for number, (a, b) in enumerate(outcomes)]


def swapped(items: list[Pair]) -> list[Pair]:
    return [Pair(item.cluster, item.passed_b, item.attempts_b, item.passed_a, item.attempts_a) for item in items]


def test_difference_by_hand():
    # Bonett and Price (2012): (only + 1) / (n + 2) each, n = 98.
    found = compare(once([(True, False)] * 19 + [(False, True)] * 9 + [(True, True)] * 70))
    assert (found.n, found.only_a, found.only_b, found.test) == (98, 19, 9, "exact McNemar")
    assert found.difference == pytest.approx(10 / 98)
    reach = 1.959964 * ((0.2 + 0.1 - 0.01) / 100) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.1 - reach, 0.1 + reach), abs=1e-6)


@given(OUTCOMES)
def test_single_attempts_at_items_apart_are_mcnemars(outcomes):
    found = compare(once(outcomes))
    expected = mcnemar([[0, found.only_a], [found.only_b, 0]], exact=True).pvalue if found.only_a + found.only_b else 1
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.test == "exact McNemar"


@given(st.integers(0, 500), st.integers(0, 500))
def test_p_value_is_the_binomial_one(only_a, only_b):
    expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    p_value, _ = paired.sign_flip([1] * only_a + [-1] * only_b + [0] * 3)
    assert p_value == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60)
@given(PAIRS)
def test_p_value_counts_all_patterns_of_signs(items):
    sums: dict[str, Fraction] = {}
    for item in items:
        sums[item.cluster] = sums.get(item.cluster, Fraction(0)) + item.difference
    patterns = itertools.product((1, -1), repeat=len(sums))
    totals = [abs(sum(sign * value for sign, value in zip(signs, sums.values(), strict=True))) for signs in patterns]
    expected = sum(total >= abs(sum(sums.values())) for total in totals) / len(totals)
    assert compare(items).p_value == pytest.approx(expected, rel=1e-12)


@settings(max_examples=60)
@given(PAIRS, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_swapping_the_arms_swaps_the_signs(items, rng):
    found = compare(items)
    other = compare(swapped(items))
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert other.difference == -found.difference and (other.only_a, other.only_b) == (found.only_b, found.only_a)
    assert (other.p_value, other.test) == (found.p_value, found.test)
    rng.shuffle(items)
    np.testing.assert_equal(compare(items), found)


@settings(max_examples=40)
@given(PAIRS, st.integers(2, 3))
def test_the_same_attempts_again_change_nothing(items, times):
    items = [*items, Pair("more", 1, 2, 1, 2)]
    again = [Pair(p.cluster, p.passed_a * times, p.attempts_a * times, p.passed_b, p.attempts_b) for p in items]
    np.testing.assert_equal(compare(again), compare(items))


def test_pairs_that_go_together_count_once():
    """Twins that always do alike: the test is that of one of each, and the interval about as wide."""
    outcomes = [(True, False)] * 12 + [(False, True)] * 4 + [(True, True)] * 44
    one = compare(once(outcomes))
    twins = compare(once(outcomes) * 2)
    assert (twins.n, twins.only_a, twins.only_b) == (120, 24, 8)
    assert twins.test == "exact sign-flip over clusters"
    assert (twins.p_value, twins.difference, twins.detectable) == (one.p_value, one.difference, one.detectable)
    assert (twins.low, twins.high) == pytest.approx((one.low, one.high), abs=0.02)


def test_swapping_the_arms_mirrors_the_interval():
    outcomes = [(True, False)] * 12 + [(False, True)] * 4 + [(True, True)] * 44
    found, other = compare(once(outcomes)), compare(swapped(once(outcomes)))
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))
    twins = once(outcomes) * 2
    found, other = compare(twins), compare(swapped(twins))
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low), abs=0.04)  # other draws


def test_no_difference_has_an_interval_all_the_same():
    found = compare([Pair(str(number // 2), 1, 1, 1, 1) for number in range(40)])
    assert (found.p_value, found.difference) == (1, 0)
    assert -0.25 < found.low < -0.05 and 0.05 < found.high < 0.25


def test_the_interval_of_few_discordant_pairs_holds_the_truth():
    """Without the two clusters that are added it does so in 30 to 70 of 100."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(100):
        better = rng.random(60) < 0.01
        found = compare([Pair(str(number // 2), int(better[number // 2]), 1, 0, 1) for number in range(120)])
        held += found.low <= 0.01 <= found.high
    assert held >= 93


def test_too_many_sums_are_drawn(monkeypatch):
    items = [Pair(str(number), 1, 2 + number % 3, number % 4 == 0, 1) for number in range(20)]
    exact = compare(items)
    monkeypatch.setattr(paired, "LARGEST", 10)
    drawn = compare(items)
    assert exact.test == "exact sign-flip over clusters"
    assert drawn.test == "sign-flip over clusters, 9,999 random patterns"
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.06)
    assert drawn._replace(test="", p_value=0) == exact._replace(test="", p_value=0)


def test_numbers_of_attempts_without_a_common_measure():
    """Their least common multiple is beyond what an array holds."""
    items = [Pair(str(n), 1, n, 0, n + 1) for n in range(2, 400)]
    found = compare(items)
    assert found.test == paired.RANDOM_FLIPS and found.p_value == 1 / 500


def test_holm():
    assert paired.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert paired.holm([]) == []


def test_detectable_by_hand():
    """Connor (1987): with a fifth discordant, a difference of 0.1 needs 155 items."""
    level, power, share, difference = 1.959964, 0.841621, 0.2, 0.1
    n = ((level * share**0.5 + power * (share - difference**2) ** 0.5) / difference) ** 2
    assert math.ceil(n) == 155
    assert detectable(155, share) == pytest.approx(difference, abs=2e-4)


@given(st.integers(6, 5000), st.floats(0, 1))
def test_more_items_show_less_and_more_discordance_more(n, discordant):
    found = detectable(n, discordant)
    assert 0 < detectable(n + 1, discordant) < found < 1
    assert found <= detectable(n, min(discordant + 0.1, 1)) + 1e-9


def test_five_items_show_nothing():
    assert math.isnan(detectable(5, 0.5)) and not math.isnan(detectable(6, 0.5))
    assert compare(once([(True, False)] * 5)).p_value > 0.05 >= compare(once([(True, False)] * 6)).p_value


@pytest.mark.parametrize(("n", "discordant"), [(60, 0.0), (100, 0.3), (289, 0.1)])
def test_the_power_at_the_detectable_difference(n, discordant):
    difference = detectable(n, discordant)
    share = max(discordant, difference)
    rng = np.random.default_rng(7)
    shown = 0
    for only_a, only_b, _ in rng.multinomial(
        n, [(share + difference) / 2, (share - difference) / 2, 1 - share], size=2000
    ):
        p_value, _ = paired.sign_flip([1] * int(only_a) + [-1] * int(only_b))
        shown += p_value <= 0.05
    assert 0.73 <= shown / 2000 <= 0.83
