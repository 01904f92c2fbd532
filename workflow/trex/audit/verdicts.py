"""Every verdict of the audit, and the rule behind each.

A verdict speaks of the miniature, never of the paper's own experiment:

- same direction / opposite direction: the interval of our effect excludes "no effect" on the claimed / the other side
  and, where several comparisons were made together, the corrected p-value is below 0.05 too.
- inconclusive: anything else that was measured, and a speed with fewer than three repetitions, whose range says
  little. It is no evidence against the claim.
- consistent: public numbers agree with each other within their rounding; or our run did the same thing in miniature.
- consistent under assumptions / depends on assumptions: the same comparison of public numbers needs something that the
  record does not settle; with the stated assumption they agree / they do not.
- not consistent: public numbers disagree beyond their rounding, with nothing assumed.
- not comparable: both sides have a number, but of different machines, models or benchmarks.
- not measured: this run has no number for it.
"""

import math

SAME_DIRECTION = "same direction"
OPPOSITE_DIRECTION = "opposite direction"
INCONCLUSIVE = "inconclusive"
CONSISTENT = "consistent"
CONSISTENT_IF = "consistent under assumptions"
DEPENDS = "depends on assumptions"
NOT_CONSISTENT = "not consistent"
NOT_COMPARABLE = "not comparable"
NOT_MEASURED = "not measured"

SIGNIFICANCE = 0.05
FEWEST_REPETITIONS = 3


def direction(low: float, high: float, no_effect: float, p_corrected: float | None = None) -> str:
    """For a claim that the effect is above `no_effect`; low, high: interval of our effect."""
    if math.isnan(low) or math.isnan(high):
        return INCONCLUSIVE
    if p_corrected is not None and not p_corrected < SIGNIFICANCE:
        return INCONCLUSIVE
    if low > no_effect:
        return SAME_DIRECTION
    return OPPOSITE_DIRECTION if high < no_effect else INCONCLUSIVE


def faster(low: float, high: float, repetitions: int) -> str:
    """For a claim that a ratio of speeds is above 1; low, high: its range over repetitions."""
    return direction(low, high, 1.0) if repetitions >= FEWEST_REPETITIONS else INCONCLUSIVE


def arithmetic(low: float, high: float, published: float, rounding: float, assumes: bool) -> str:
    """low, high: what the public record gives; published: the printed value, exact to within `rounding`."""
    slack = 1e-9 * max(1.0, abs(published))
    agrees = low - slack <= published + rounding and published - rounding <= high + slack
    if assumes:
        return CONSISTENT_IF if agrees else DEPENDS
    return CONSISTENT if agrees else NOT_CONSISTENT


def in_miniature(share: float) -> str:
    """For a claim that all of something holds; share: in how much of ours it does."""
    return CONSISTENT if share == 1 else INCONCLUSIVE
