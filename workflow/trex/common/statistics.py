"""Interval estimates that the tables share; the methods are statsmodels'."""

from statsmodels.stats.proportion import proportion_confint

CONFIDENCE = 0.95


def wilson(passed: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of passed/n (E. B. Wilson, JASA 22, 1927); (0, 1) where n is 0."""
    if n == 0:
        return 0.0, 1.0
    low, high = proportion_confint(passed, n, alpha=1 - CONFIDENCE, method="wilson")
    # The ends are exact there; the formula misses them by a rounding error.
    return 0.0 if passed == 0 else float(low), 1.0 if passed == n else float(high)
