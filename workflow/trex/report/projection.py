"""The section on projected step times: published runs held out, what T-Rex's MFU says and what not, other layouts."""

from collections.abc import Callable

import pandas as pd
from markupsafe import Markup

from trex.accounting.planning.released import RUNGS
from trex.accounting.planning.step_time import ASSUMED
from trex.report import charts
from trex.report.load import Run
from trex.report.parts import (
    NO_VALUE,
    Column,
    Figure,
    Got,
    Section,
    integer,
    is_missing,
    number,
    percent,
    plain,
    span,
    table,
)

FILE = "accounting/projection.csv"
RATE = "tokens_per_second_per_device"
RELATIVE = "relative_throughput_per_device"
PROBABILITY = "probability of "
COMMUNICATION = "communication of a step"
MODEL = "an analytic step time, nothing fitted; intervals hold 90 % of samples of what nobody published"
NOT_VALIDATED = "no parallel layout is validated; stragglers, failures and latency are not modelled"
AXES = {"global_batch": "{} sequences a step", "counted": "counted: {}", "peak_tflops": "peak of {} TFLOP/s"}
DERIVED = {
    "step_seconds": "depends on the batch, which is not public",
    "tokens_per_second_per_device": "of a die",
    "communication_share": "share of the step in communication that nothing hides",
    "compute_share": "share of the step in computation on the slowest stage",
    "compute_tflops": "TFLOP/s of a die while it computes, recomputed work included",
}


def projection(run: Run) -> Section:
    frame = run.tables["projection"]
    groups = {name: frame[frame["group"] == name] for name in ("published_run", "trex_ladder", "what_if")}
    ladder = groups["trex_ladder"]
    sent = ladder["scenario"].str.startswith(COMMUNICATION)
    likely = ladder["quantity"].str.startswith(PROBABILITY)
    lead = (
        "How fast large models would train, by arithmetic from layout, links and peaks. What follows from the flags is "
        "computed, what does not is sampled over wide ranges: an answer is an interval, and says what it cannot tell. "
        "No parallel layout here is validated."
    )
    figures = [
        published(groups["published_run"]),
        *identifiable(ladder[~likely & ~sent]),
        probabilities(ladder[likely]),
        conditions(ladder[~likely & ~sent]),
        communication(ladder[sent]),
        *what_if(groups["what_if"]),
    ]
    return Section("projection", "Projected step times", lead, figures)


def interval(row: object) -> str:
    """Low to high with three digits that count."""
    return NO_VALUE if is_missing(row.median) else f"{digits(row.low)} to {digits(row.high)}"


def digits(value: float, count: int = 3) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 ** (count - 1) else f"{value:.{count}g}"


def bounds(row: object) -> str:
    return "" if is_missing(row.bound_low) else f"bounds {digits(row.bound_low)} to {digits(row.bound_high)}"


def reported(row: object) -> str:
    if is_missing(row.reported_low):
        return NO_VALUE
    low, high = digits(row.reported_low, 4), digits(row.reported_high, 4)
    return low if low == high else f"{low} to {high}"


def unit(row: object) -> str:
    return "" if row.unit == "1" else row.unit


def said(row: object) -> str:
    """The note of a row, where it has one."""
    return "" if is_missing(row.note) else row.note


# Published runs. -----------------------------------------------------------------------------------------------------


def published(frame: pd.DataFrame) -> Figure:
    rates = frame[frame["quantity"] == RATE]
    middle = (rates["reported_low"] + rates["reported_high"]) / 2
    names = {
        "possible_low": "bound_low",
        "low": "low",
        "value": "median",
        "high": "high",
        "possible_high": "bound_high",
    }
    chart = pd.DataFrame({name: rates[column] / middle for name, column in names.items()})
    inside = rates["validated"].str.contains("within")
    chart = chart.assign(panel="", row=rates["scenario"], strong=inside)
    svg = charts.intervals(
        chart,
        list(chart["row"]),
        "projected / reported tokens per second and device (logarithmic)",
        "Projected over reported tokens per second, of each published run",
        at=1.0,
    )
    shown = frame.assign(first=~frame.duplicated("scenario"))
    columns = [
        Column(
            "run",
            lambda row: row.scenario if row.first else "",
            "text",
            lambda row: said(row) if row.first else "",
        ),
        Column("quantity", lambda row: plain(row.quantity), "text", lambda row: row.source),
        Column("5 % to 95 %", interval, detail=bounds),
        Column("reported", reported),
        Column("held out", lambda row: verdict(row.validated)[0], "verdict", lambda row: verdict(row.validated)[1]),
    ]
    return Figure(
        f"Held against published runs: {inside.sum()} of {len(rates)} within the interval, {(~inside).sum()} missed",
        Got(
            FILE,
            f"{len(rates)} runs, {len(frame)} figures; no run was used to set a range",
            f"{MODEL}. In the chart: thick, the interval (grey where missed); thin, the bounds, with every assumption "
            "at its slow and at its fast end; upright line, what was reported",
            "where it misses, only the bounds hold, within a factor of three or so; published runs are tuned ones, the "
            "ranges are not, so misses are to the slow side; a row that takes more from its report was added after the "
            "plain one had missed; figures of one run are one figure in several units",
        ),
        Markup(svg),
        table(shown, columns),
    )


def verdict(validated: str) -> tuple[str, str]:
    """`held out: missed, reported is above the interval; bounds only` -> `missed` and the rest."""
    text = validated.removeprefix("held out: ")
    word, _, rest = text.partition(", ") if ", " in text else text.partition(" ")
    return word, rest


# What an MFU says. ---------------------------------------------------------------------------------------------------


def identifiable(frame: pd.DataFrame) -> list[Figure]:
    """What remains of each assumption under each reported MFU. None where too few samples give any."""
    rungs = [rung.name for rung in RUNGS if rung.name in set(frame.dropna(subset="median")["scenario"])]
    shown = frame[frame["scenario"].isin(rungs)]
    if not rungs:
        return []
    cells = {(row.quantity, row.scenario): row for row in shown.itertuples()}
    narrowed = shown["identifiable"].astype("boolean").fillna(False)
    told = list(dict.fromkeys(shown[narrowed]["quantity"]))
    never = [plain(name) for name in dict.fromkeys(shown["quantity"]) if name not in told]
    rows = pd.DataFrame({"quantity": told})
    columns = [
        Column("quantity", lambda row: plain(row.quantity), "text", lambda row: meaning(row.quantity)),
        *(
            Column(
                rung,
                lambda row, rung=rung: interval(cells[row.quantity, rung]),
                detail=lambda row, rung=rung: share_of_prior(cells[row.quantity, rung]),
            )
            for rung in rungs
        ),
    ]
    figure = Figure(
        "What T-Rex's MFU says of V4-Pro's efficiencies, and what not: "
        f"{len(told)} of {len(told) + len(never)} quantities are narrowed by any rung (not validated)",
        Got(
            FILE,
            f"{len(rungs)} rungs of {integer(shown['accepted'].min())} to {integer(shown['accepted'].max())} samples",
            f"{MODEL}; kept are samples that give the reported figure within 2 %, over all batches, counts and peaks. "
            "In the chart: thin, the range assumed, from its low to its high end; thick, what remains of it, blue "
            "where it is narrowed by a tenth or more, grey where it is as wide as before: not identifiable",
            "anything about the grey ones; rungs before the last ran in other layouts, which are not public, and are "
            "read here as if in the released one",
        ),
        Markup(remaining(shown, rungs)),
        table(rows, columns),
        note=f"As wide as before under every rung, so not identifiable: {', '.join(never)}." if never else "",
    )
    return [figure]


def remaining(frame: pd.DataFrame, rungs: list[str]) -> str:
    """Chart: the interval of each assumption within the range that was assumed, by rung."""
    own = frame[frame["quantity"].isin(ASSUMED)]
    low = own["quantity"].map(lambda name: ASSUMED[name].low)
    width = own["quantity"].map(lambda name: ASSUMED[name].high) - low
    chart = pd.DataFrame(
        {
            "panel": own["scenario"].map(lambda name: name.rpartition(", ")[2] + " MFU"),
            "row": own["quantity"].map(plain),
            "possible_low": 0.0,
            "possible_high": 100.0,
            "strong": own["identifiable"].astype("boolean").fillna(False).astype(bool),
            "low": 100 * (own["low"] - low) / width,
            "value": 100 * (own["median"] - low) / width,
            "high": 100 * (own["high"] - low) / width,
        }
    )
    label = f"What remains of each assumption under {len(rungs)} reported MFU figures"
    return charts.intervals(chart, [plain(name) for name in ASSUMED], "% of the range assumed", label)


def meaning(quantity: str) -> str:
    if quantity in DERIVED:
        return DERIVED[quantity]
    assumed = ASSUMED[quantity]
    return f"{assumed.meaning}; assumed {assumed.low:g} to {assumed.high:g}"


def share_of_prior(row: object) -> str:
    if is_missing(row.of_prior):
        return ""
    return f"{percent(row.of_prior, 0)} as wide" if row.identifiable else "not identifiable"


def conditions(frame: pd.DataFrame) -> Figure:
    """Every condition and quantity, those with step times too."""
    columns = [
        Column("condition", lambda row: row.scenario, "text", lambda row: row.source),
        Column("quantity", lambda row: plain(row.quantity), "text", said),
        Column("5 % to 95 %", interval, detail=unit),
        Column("median", lambda row: NO_VALUE if is_missing(row.median) else digits(row.median)),
        Column("of the width before", lambda row: percent(row.of_prior, 0)),
        Column("samples", lambda row: integer(row.accepted)),
    ]
    return Figure(
        "All conditions, with the record's step times too (not validated)",
        Got(
            FILE,
            f"{len(frame)} rows of condition and quantity",
            f"{MODEL}; kept are samples that give the figures of the condition within 2 % each",
            "26.6 s is our arithmetic from equal batches, and no printed figure",
        ),
        table=table(frame, columns),
        folded=True,
    )


def probabilities(frame: pd.DataFrame) -> Figure:
    """One row a batch, count or peak, one column a condition."""
    scenarios = list(dict.fromkeys(frame["scenario"]))
    cells = {(row.quantity, row.scenario): row for row in frame.itertuples()}
    columns = [
        Column("what", lambda row: choice(row.quantity), "text"),
        Column("before", lambda row: row.note.removesuffix(" before")),
        *(
            Column(
                scenario.partition(", ")[2] or scenario,  # without the recipe's name
                lambda row, name=scenario: (
                    number(cells[row.quantity, name].median) if (row.quantity, name) in cells else NO_VALUE
                ),
            )
            for scenario in scenarios
        ),
    ]
    return Figure(
        "Which batch, count and peak go with T-Rex's MFU: shares of the samples (not validated)",
        Got(
            FILE,
            f"{len(scenarios)} conditions",
            f"{MODEL}; all combinations were equally probable before",
            "this is what our ranges make likely, and no evidence of what was counted: with faster kernels than they "
            "allow for, recomputed work need not have been",
        ),
        table=table(frame.drop_duplicates("quantity"), columns),
        folded=True,
    )


def choice(quantity: str) -> str:
    """`probability of global_batch 256` -> `256 sequences a step`."""
    axis, _, value = quantity.removeprefix(PROBABILITY).partition(" ")
    return AXES[axis].format(plain(value))


def communication(frame: pd.DataFrame) -> Figure:
    columns = [
        Column("of a step", lambda row: plain(row.quantity.removesuffix("_seconds")), "text"),
        Column("released layout, s", interval),
        Column("baseline as published, s", reported),
        Column("note", said, "text"),
    ]
    return Figure(
        "What the released layout sends, beside the baseline's published communication (not validated)",
        Got(
            FILE,
            f"{len(frame)} kinds of communication; {frame['scenario'].iloc[0]}",
            f"bytes over the links' speed; {frame['source'].iloc[0]}",
            "why the published times are longer: waiting, another layout and slower links cannot be told apart",
        ),
        table=table(frame, columns),
    )


# Other layouts. ------------------------------------------------------------------------------------------------------


def what_if(frame: pd.DataFrame) -> list[Figure]:
    """One row a layout. None where too few samples gave the last rung."""
    rates = frame[frame["quantity"] == RELATIVE]
    if rates.empty:
        return []
    cells = {(row.scenario, row.quantity): row for row in frame.itertuples()}

    def column(header: str, quantity: str, form: Callable[[object], str]) -> Column:
        return Column(header, lambda row: form(cells[row.scenario, quantity]))

    columns = [
        Column("layout", lambda row: row.scenario.partition(" on ")[2], "text"),
        Column(
            "throughput a device, released = 1",
            lambda row: number(row.median),
            detail=lambda row: span(row.low, row.high, 2),
        ),
        column("step, s", "step_seconds", lambda row: span(row.low, row.high)),
        column("tokens/s a device", RATE, lambda row: span(row.low, row.high, 0)),
        column("MFU, exact count, %", "mfu", lambda row: span(100 * row.low, 100 * row.high)),
        Column("memory", lambda row: row.fits, "text"),
    ]
    figure = Figure(
        "What if: V4-Pro in other layouts, on other links and numbers of devices (not validated)",
        Got(
            FILE,
            f"{len(rates)} layouts; {integer(rates['accepted'].iloc[0])} samples",
            f"{rates['basis'].iloc[0]}, carried over to the other layouts, so that what all have in common cancels; "
            "memory by trex.accounting.fit",
            f"{NOT_VALIDATED}; efficiencies are taken to be the same in each layout",
        ),
        table=table(rates, columns),
    )
    return [figure]
