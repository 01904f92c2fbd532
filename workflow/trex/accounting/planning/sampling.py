"""Samples of what is not known, and what remains of them under a condition."""

import numpy as np

from trex.accounting.planning.step_time import Range

QUANTILES = (0.05, 0.5, 0.95)


def latin_hypercube(ranges: dict[str, Range], samples: int, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Each range in as many equal slices as there are samples, one sample from each, in an order of its own.

    Uniform (M. D. McKay et al., Technometrics 21, 1979). Arrays [N].
    """
    drawn = {}
    for name, each in ranges.items():
        share = (generator.permutation(samples) + generator.random(samples)) / samples
        drawn[name] = each.low + (each.high - each.low) * share
    return drawn


def quantiles(values: np.ndarray, weights: np.ndarray | None = None) -> tuple[float, float, float]:
    """The 5 %, 50 % and 95 % points of weighted values [N]: the smallest value with so much weight up to it."""
    if weights is None:
        weights = np.ones(len(values))
    values, weights = values[weights > 0], weights[weights > 0]
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    places = np.searchsorted(below, np.array(QUANTILES) * below[-1])
    low, median, high = values[order][np.minimum(places, len(values) - 1)]
    return float(low), float(median), float(high)


def width(interval: tuple[float, float, float]) -> float:
    return interval[2] - interval[0]
