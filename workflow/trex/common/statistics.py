"""Estimates that the tables share: a share with its 95 % interval, and what several attempts say."""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

CONFIDENCE = 0.95
WILSON, BOOTSTRAP, OVER_CLUSTERS = "Wilson", "cluster bootstrap", "Wilson over clusters"
FEWEST_CLUSTERS = 20  # that are drawn again
DRAWS = 9_999
SEED = 0
CELLS = 2_000_000  # numbers that are drawn at a time
SAME = 1e-9  # sums of floats that differ by less are equal


@dataclasses.dataclass(frozen=True)
class Estimate:
    """passed: the sum of the n items' values, an int where it is whole; share: passed / n (nan where n is 0).

    interval: the method that low and high come from.
    """

    n: int
    passed: float
    share: float
    low: float
    high: float
    interval: str


def estimate(values: Sequence[float], clusters: Sequence[str]) -> Estimate:
    """The mean of the items' values in [0, 1]; items of one cluster are not independent of each other.

    Wilson's interval where each item is a cluster and passes or fails; else whole clusters are drawn again. Where there
    are few clusters, or all have the same share, drawing says little, and Wilson's interval takes each cluster for one
    item, which is wide enough.
    """
    n, total = len(values), math.fsum(values)
    share = total / n if n else math.nan
    sums, sizes = by_cluster(values, clusters)
    if len(sums) == n and {0, 1}.issuperset(values):
        interval, (low, high) = WILSON, wilson(total, n)
    elif len(sums) < FEWEST_CLUSTERS or np.ptp(sums / sizes) < SAME:
        interval, (low, high) = OVER_CLUSTERS, wilson(share * len(sums), len(sums))
    else:
        interval, (low, high) = BOOTSTRAP, cluster_bootstrap(sums, sizes)
        low, high = min(low, share), max(high, share)  # it holds the share but for a rounding error
    return Estimate(n, int(total) if total.is_integer() else total, share, low, high, interval)


def wilson(passed: float, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of passed/n (E. B. Wilson, JASA 22, 1927); (0, 1) where n is 0."""
    if n == 0:
        return 0.0, 1.0
    low, high = proportion_confint(passed, n, alpha=1 - CONFIDENCE, method="wilson")
    # The ends are exact there; the formula misses them by a rounding error.
    return 0.0 if passed == 0 else float(low), 1.0 if passed == n else float(high)


def by_cluster(values: Sequence[float], clusters: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(sum, number) of each cluster's values. A sum is rounded once, so the order of the items does not matter."""
    members = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        members[cluster].append(value)
    return (
        np.array([math.fsum(found) for found in members.values()]),
        np.array([len(found) for found in members.values()], dtype=float),
    )


def cluster_bootstrap(sums: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of sum(sums) / sum(sizes) when whole clusters are drawn again: BCa (B. Efron, JASA 82, 1987).

    Not the plain percentiles: with few passes in a set of pairs, they hold the truth 85 times in 100 (simulated).
    The shares of the clusters must not all be equal.
    """
    kinds, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
    total = np.einsum("k,kc->c", counts, kinds)
    found = total[0] / total[1]
    draws = np.concatenate([drawn[:, 0] / drawn[:, 1] for drawn in resampled(kinds, counts)])
    ties = np.abs(draws - found) < SAME
    bias = norm.ppf(np.mean((draws < found) & ~ties) + np.mean(ties) / 2)
    without = (total[0] - kinds[:, 0]) / (total[1] - kinds[:, 1])  # one cluster of this kind
    pull = np.average(without, weights=counts) - without
    skew = np.sum(counts * pull**3) / (6 * np.sum(counts * pull**2) ** 1.5)
    ends = bias + norm.ppf([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    low, high = np.quantile(draws, norm.cdf(bias + ends / (1 - skew * ends)))
    return float(low), float(high)


def resampled(kinds: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """Batches of sums of kinds, each of as many clusters drawn with replacement as there are.

    Clusters of one kind are interchangeable, so a draw is how often each kind occurs, which is multinomial. The seed is
    fixed, and einsum adds up in the same order with any number of threads: the same bits every time.
    """
    rng = np.random.default_rng(SEED)
    for n in batches(len(kinds)):
        occurring = rng.multinomial(counts.sum(), counts / counts.sum(), size=n)
        yield np.einsum("dk,kc->dc", occurring, kinds)


def batches(width: int) -> Iterator[int]:
    """Numbers of draws that add up to DRAWS, each of so many that an array of this width stays small."""
    step = max(CELLS // width, 1)
    for start in range(0, DRAWS, step):
        yield min(step, DRAWS - start)


def pass_at_k(n: int, passed: int, k: int) -> float:
    """The share of all choices of k of n attempts that hold a passed one: unbiased (Chen et al., arXiv 2107.03374).

    From whole numbers, rounded once: nothing to cancel or overflow.
    """
    if not 0 <= passed <= n or not 1 <= k <= n:
        raise ValueError(f"{passed} passed of {n} attempts say nothing of {k}")
    choices = math.comb(n, k)
    return (choices - math.comb(n - passed, k)) / choices


def acc_at_k(attempts: Sequence[bool], k: int) -> bool:
    """As SLAI T-Rex's authors count: the attempts are made in turn until one passes, at most k."""
    return any(attempts[:k])
