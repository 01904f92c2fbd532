"""Two arms on the same items: how many only one of them passes, and what that says."""

import math

from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from trex.common.statistics import CONFIDENCE

TEST = "exact McNemar"


def difference(n: int, only_a: int, only_b: int) -> tuple[float, float, float]:
    """(share of a - share of b, low, high): the adjusted Wald interval of Bonett and Price.

    Statistical Methods in Medical Research 21 (2012): one item is added to each discordant cell; 95 %.
    """
    if n == 0:
        return 0.0, -1.0, 1.0
    first, second = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    error = math.sqrt((first + second - (first - second) ** 2) / (n + 2))
    reach = float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return (only_a - only_b) / n, max(first - second - reach, -1.0), min(first - second + reach, 1.0)


def p_value(only_a: int, only_b: int) -> float:
    """Two-sided exact McNemar test; 1 where no item tells the arms apart."""
    if only_a + only_b == 0:
        return 1.0
    return float(mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue)


def holm(p_values: list[float]) -> list[float]:
    """Corrected for being looked at together, in the order given."""
    return multipletests(p_values, method="holm")[1].tolist() if p_values else []
