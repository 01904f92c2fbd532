"""The four numbers at the top of the page."""

import dataclasses

import pandas as pd

from trex.audit import verdicts
from trex.audit.claims import share
from trex.evaluation.floors import SLOTS
from trex.evaluation.summarise import ALL
from trex.report.load import Run
from trex.report.parts import arm, percent, plain, span

DIRECTIONS = (verdicts.SAME_DIRECTION, verdicts.OPPOSITE_DIRECTION, verdicts.INCONCLUSIVE)


@dataclasses.dataclass(frozen=True)
class Headline:
    """One number at the top of the page. section: where it is explained."""

    title: str
    value: str
    detail: str
    section: str


def headlines(run: Run) -> list[Headline]:
    return [pass_rate(run), cpt_effect(run), speed(run), claim_counts(run)]


def pass_rate(run: Run) -> Headline:
    """The last arm that was trained, which is CPT + SFT, beside the first, which is the base."""
    suite = run.suites[0]
    first, last = (share(run.tables["pass_at_1"], name, suite, ALL) for name in (run.trained[0], run.trained[-1]))
    detail = (
        f"{last.passed:g} of {last.n}, 95 % interval {span(100 * last.ci_low, 100 * last.ci_high)} %; "
        f"{arm(run.trained[0])}: {percent(first.pass_at_1)}"
    )
    if (floor := share(run.floors, SLOTS, suite, ALL)) is not None:
        detail += f"; {arm(SLOTS)}: {percent(floor.pass_at_1)}"
    title = f"Pass@1 of {arm(run.trained[-1])}, {plain(suite)}"
    return Headline(title, percent(last.pass_at_1), detail, "pass-at-1")


def cpt_effect(run: Run) -> Headline:
    claims = run.tables["claims"]
    row = next(claims[claims["id"].str.fullmatch(f"cpt_before_sft(@{run.suites[0]})?")].itertuples())
    interval = (
        f"95 % interval {span(row.ci_low, row.ci_high, sign=True)} points" if pd.notna(row.ci_low) else "no interval"
    )
    value = f"{row.our_value:+.1f} points" if pd.notna(row.our_value) else "not measured"
    return Headline("CPT before the same SFT", value, f"{interval}: {row.verdict}", "claims")


def speed(run: Run) -> Headline:
    row = list(run.tables["ladder"].itertuples())[-1]
    detail = (
        f"{plain(row.recipe)}, range {span(row.speedup_min, row.speedup_max, 2)}; "
        f"{row.tokens_per_second:,.0f} tokens/s, MFU {percent(row.mfu)} of the measured {row.precision} peak of "
        f"{row.peak_tflops:.2f} TFLOP/s"
    )
    return Headline("Training speed against transformers", f"{row.speedup:.2f} x", detail, "speed")


def claim_counts(run: Run) -> Headline:
    counts = run.tables["claims"]["verdict"].value_counts()
    directions = {verdict: counts.get(verdict, 0) for verdict in DIRECTIONS}
    detail = ", ".join(f"{count} {verdict}" for verdict, count in directions.items())
    detail += "; the others cannot be compared, were not measured or are public arithmetic"
    title = "Claims with a direction in the miniature"
    return Headline(title, f"{sum(directions.values())} of {counts.sum()}", detail, "claims")
