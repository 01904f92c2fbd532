"""Estimates against published values, counting by hand, and each other."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from trex.common import statistics
from trex.common.statistics import acc_at_k, estimate, pass_at_k, wilson

ITEMS = st.lists(st.tuples(st.sampled_from([0, 1 / 3, 0.9, 1]), st.sampled_from("abcdef")), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(statistics, "DRAWS", 999)


def names(n: int) -> list[str]:
    return [str(number) for number in range(n)]


def test_a_published_value():
    """R: prop.test(10, 100, correct = FALSE) and binom::binom.confint(10, 100, methods = "wilson")."""
    assert wilson(10, 100) == pytest.approx((0.05522914, 0.1743657), abs=1e-6)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_holds_the_share_and_mirrors(passed, n):
    passed, n = min(passed, n), max(passed, n)
    low, high = wilson(passed, n)
    assert 0 <= low <= (passed / n if n else 0.5) <= high <= 1
    assert wilson(n - passed, n) == pytest.approx((1 - high, 1 - low))


def test_the_ends_are_exact():
    assert wilson(0, 3)[0] == 0 and wilson(3, 3)[1] == 1


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_single_attempts_at_items_apart_are_wilsons(passed):
    found = estimate(passed, names(len(passed)))
    assert (found.n, found.passed, found.interval) == (len(passed), sum(passed), "Wilson")
    assert type(found.passed) is int
    assert (found.low, found.high) == wilson(sum(passed), len(passed))


def test_nothing_is_known_of_nothing():
    found = estimate([], [])
    assert (found.n, found.passed, found.low, found.high) == (0, 0, 0, 1) and math.isnan(found.share)


@settings(max_examples=60)
@given(ITEMS, st.randoms(use_true_random=False))
def test_order_and_the_names_of_clusters_do_not_matter(items, rng):
    values, clusters = zip(*items, strict=True)
    found = estimate(values, clusters)
    assert 0 <= found.low <= found.share <= found.high <= 1
    rng.shuffle(items)
    values, clusters = zip(*items, strict=True)
    assert estimate(values, [f"another {name}" for name in clusters]) == found


@given(st.sampled_from([0, 0.5, 1]), st.integers(1, 8), st.integers(2, 4))
def test_where_all_clusters_agree_each_is_one_item(value, clusters, size):
    found = estimate([value] * clusters * size, names(clusters) * size)
    assert found.interval == "Wilson over clusters"
    assert (found.low, found.high) == wilson(value * clusters, clusters)


def test_clusters_that_agree_though_their_items_differ():
    """The draws would all be 0.5, an interval without width."""
    found = estimate([0, 1] * 10, [name for name in names(10) for _ in range(2)])
    assert found.interval == "Wilson over clusters" and (found.low, found.high) == wilson(5, 10)


@pytest.mark.parametrize("clusters", [1, 2, 19])
def test_few_clusters_are_not_drawn(clusters):
    """Of two draws again and again, one half would be all that is known."""
    values = [float(number % 3 == 0) for number in range(2 * clusters)]
    found = estimate(values, [name for name in names(clusters) for _ in range(2)])
    assert found.interval == "Wilson over clusters"
    assert (found.low, found.high) == pytest.approx(wilson(found.share * clusters, clusters))


@pytest.mark.parametrize("passed", [1, 3, 20, 60, 99])
def test_pairs_that_pass_together_count_once(passed):
    """100 pairs say no more than 100 items: the interval is about Wilson's of 100, and wider than that of 200."""
    values = [float(number < passed) for number in range(100) for _ in range(2)]
    found = estimate(values, [name for name in names(100) for _ in range(2)])
    low, high = wilson(passed, 100)
    assert found.interval == "cluster bootstrap"
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    width = found.high - found.low
    assert width > np.subtract(*wilson(2 * passed, 200)[::-1]) and width == pytest.approx(high - low, rel=0.25)


def test_clusters_of_different_size_weigh_by_their_items():
    found = estimate([1, 1, 1, 0, 0.5], ["a", "a", "a", "b", "c"])
    assert (found.n, found.passed, found.share) == (5, 3.5, 0.7)


def test_the_bootstrap_is_scipys(monkeypatch):
    """Its BCa interval of the same ratio; the draws are others, so the ends differ a little."""
    monkeypatch.setattr(statistics, "DRAWS", 9_999)
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 4, 60).astype(float)
    sums = rng.binomial(sizes.astype(int), 0.2).astype(float)

    def ratio(sums, sizes, axis):
        return sums.sum(axis) / sizes.sum(axis)

    theirs = bootstrap((sums, sizes), ratio, paired=True, vectorized=True, method="BCa", rng=1).confidence_interval
    assert statistics.cluster_bootstrap(sums, sizes) == pytest.approx(tuple(theirs), abs=0.006)


def test_the_size_of_a_batch_changes_no_bit(monkeypatch):
    rng = random.Random(5)
    values, clusters = [rng.random() for _ in range(90)], [str(number // 3) for number in range(90)]
    found = estimate(values, clusters)
    monkeypatch.setattr(statistics, "CELLS", 70)
    assert estimate(values, clusters) == found


def test_five_in_a_hundred_miss_the_truth():
    """Pairs that are alike in half of their chance, few passes: where plain percentiles miss 15 in 100."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        chance = rng.beta(0.01, 0.99, size=172)
        sums = rng.binomial(2, chance)
        pairs = [value for passed in sums for value in ((0, 0), (0, 1), (1, 1))[passed]]
        found = estimate(pairs, [name for name in names(172) for _ in range(2)])
        held += found.low <= 0.01 <= found.high
    assert held >= 180


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8))
def test_pass_at_k_counts_all_choices(attempts, k):
    k = min(k, len(attempts))
    choices = list(itertools.combinations(attempts, k))
    expected = sum(any(choice) for choice in choices) / len(choices)
    assert pass_at_k(len(attempts), sum(attempts), k) == pytest.approx(expected, rel=1e-14)
    orders = Counter(acc_at_k(order, k) for order in itertools.islice(itertools.permutations(attempts), 720))
    if len(attempts) <= 6:
        assert orders[True] / orders.total() == pytest.approx(expected)


@given(st.integers(1, 3000), st.data())
def test_pass_at_k_is_a_share_that_grows(n, data):
    passed = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    value = pass_at_k(n, passed, k)
    assert pass_at_k(n, passed, 1) == passed / n <= value <= 1
    assert value <= pass_at_k(n, passed, min(k + 1, n))
    assert (value == 0) == (passed == 0)


def test_pass_at_k_keeps_its_digits():
    """1 - (1 - 1e-6) would keep ten of them."""
    assert pass_at_k(10**6, 1, 3) == 3e-6


@pytest.mark.parametrize("arguments", [(3, 1, 4), (3, 4, 1), (3, 1, 0), (3, -1, 1)])
def test_pass_at_k_of_more_than_was_attempted_is_refused(arguments):
    with pytest.raises(ValueError, match="say nothing"):
        pass_at_k(*arguments)
