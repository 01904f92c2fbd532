"""The section on projected step times: published runs held out, what T-Rex's MFU says and what not, other layouts."""

import pandas as pd
from markupsafe import Markup

from trex.report import charts
from trex.report.load import Run
from trex.report.parts import NO_VALUE, Column, Figure, Got, Section, integer, is_missing, number, plain, table

FILE = "accounting/projection.csv"
RATE = "tokens_per_second_per_device"
RELATIVE = "relative_throughput_per_device"
PROBABILITY = "probability of "
MODEL = "an analytic step time, nothing fitted; intervals hold 90 % of samples of what nobody published"
NOT_VALIDATED = "no parallel layout is validated; stragglers, failures and latency are not modelled"


def projection(run: Run) -> Section:
    frame = run.tables["projection"]
    groups = {name: frame[frame["group"] == name] for name in ("published_run", "trex_ladder", "what_if")}
    lead = (
        "How fast large models would train, by arithmetic from layout, links and peaks. What follows from the flags is "
        "computed, what does not is sampled over wide ranges: an answer is an interval, and says what it cannot tell."
    )
    figures = [
        published(groups["published_run"]),
        ladder(groups["trex_ladder"]),
        probabilities(groups["trex_ladder"]),
        *what_if(groups["what_if"]),
    ]
    return Section("projection", "Projected step times", lead, figures)


def interval(row: object) -> str:
    """Low, median, high with three digits that count."""
    values = (row.low, row.median, row.high)
    return NO_VALUE if is_missing(row.median) else " / ".join(f"{value:,.3g}" for value in values)


def bounds(row: object) -> str:
    return "" if is_missing(row.bound_low) else f"bounds {row.bound_low:,.3g} to {row.bound_high:,.3g}"


def reported(row: object) -> str:
    if is_missing(row.reported_low):
        return NO_VALUE
    low, high = (f"{value:,.4g}" for value in (row.reported_low, row.reported_high))
    return low if low == high else f"{low} to {high}"


def said(row: object) -> str:
    """The note of a row, where it has one."""
    return "" if is_missing(row.note) else row.note


def published(frame: pd.DataFrame) -> Figure:
    rates = frame[frame["quantity"] == RATE]
    middle = (rates["reported_low"] + rates["reported_high"]) / 2
    chart = pd.DataFrame({name: rates[column] / middle for name, column in CHART.items()})
    chart = chart.assign(row=rates["scenario"], text=[number(value) for value in chart["value"]])
    label = "Projected over reported tokens per second, of each published run"
    svg = charts.ranges(chart, list(chart["row"]), "projected / reported tokens per second and device", label)
    inside = int(frame["validated"].str.contains("within").sum())
    columns = [
        Column("run", lambda row: row.scenario, "text", lambda row: said(row)),
        Column("quantity", lambda row: plain(row.quantity), "text"),
        Column("5 / 50 / 95 %", interval, detail=bounds),
        Column("reported", reported, detail=lambda row: row.source),
        Column("", lambda row: row.validated, "verdict"),
    ]
    return Figure(
        f"Held against published runs: {inside} of {len(frame)} figures are within the interval",
        Got(
            FILE,
            f"{len(rates)} runs, {len(frame)} figures; no run was used to set a range",
            f"{MODEL}; bounds have every assumption at its slow and at its fast end",
            "where it misses, only the bounds hold; published runs are tuned ones, the ranges are not",
        ),
        Markup(svg),
        table(frame, columns),
    )


CHART = {"value": "median", "low": "low", "high": "high"}


def ladder(frame: pd.DataFrame) -> Figure:
    """Assumptions and what follows from them, of each rung; and the communication that the flags explain."""
    shown = frame[~frame["quantity"].str.startswith(PROBABILITY)]
    identifiable = shown["identifiable"].astype("boolean").fillna(False)
    columns = [
        Column("condition", lambda row: row.scenario, "text", lambda row: row.source),
        Column("quantity", lambda row: plain(row.quantity), "text"),
        Column("5 / 50 / 95 %", interval, detail=lambda row: "" if row.unit == "1" else row.unit),
        Column("of the interval before", lambda row: number(row.of_prior), detail=said),
        Column("published", reported),
        Column("samples", lambda row: integer(row.accepted)),
    ]
    return Figure(
        f"Under which assumptions V4-Pro's released flags give T-Rex's MFU: {identifiable.sum()} of "
        f"{shown['identifiable'].notna().sum()} quantities are narrowed at all",
        Got(
            FILE,
            f"{len(shown)} rows of condition and quantity",
            f"{MODEL}; kept are samples that give the reported figure within 2 %, over all batches, counts and peaks",
            "an interval about as wide as before means: not identifiable; rungs before the last ran in other layouts, "
            "which are not public",
        ),
        table=table(shown, columns),
        folded=True,
    )


def probabilities(frame: pd.DataFrame) -> Figure:
    shown = frame[frame["quantity"].str.startswith(PROBABILITY)]
    columns = [
        Column("condition", lambda row: row.scenario, "text"),
        Column("what", lambda row: plain(row.quantity.removeprefix(PROBABILITY)), "text"),
        Column("share of samples", lambda row: number(row.median), detail=said),
    ]
    return Figure(
        "Which batch, count and peak go with T-Rex's MFU",
        Got(
            FILE,
            f"{len(shown)} rows",
            f"{MODEL}; all combinations were equally probable before",
            "this is what our ranges make likely, and no evidence of what was counted",
        ),
        table=table(shown, columns),
        folded=True,
    )


def what_if(frame: pd.DataFrame) -> list[Figure]:
    """None where too few samples gave the last rung."""
    rates = frame[frame["quantity"] == RELATIVE]
    if rates.empty:
        return []
    chart = pd.DataFrame({name: rates[column] for name, column in CHART.items()})
    chart = chart.assign(row=rates["scenario"], text=[number(value) for value in rates["median"]])
    svg = charts.ranges(chart, list(chart["row"]), "throughput per device / that of the released layout", "What if")
    columns = [
        Column("layout", lambda row: row.scenario, "text"),
        Column("quantity", lambda row: plain(row.quantity), "text"),
        Column("5 / 50 / 95 %", interval, detail=lambda row: "" if row.unit == "1" else row.unit),
        Column("memory", lambda row: row.fits, "text"),
    ]
    figure = Figure(
        "What if: other layouts, links and numbers of devices",
        Got(
            FILE,
            f"{len(rates)} layouts; {integer(rates['accepted'].iloc[0])} samples",
            f"{rates['basis'].iloc[0]}; memory by trex.accounting.fit",
            f"{NOT_VALIDATED}; efficiencies are taken to be the same in each layout",
        ),
        Markup(svg),
        table(frame, columns),
        folded=True,
    )
    return [figure]
