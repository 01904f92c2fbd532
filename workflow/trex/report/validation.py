"""The section on predictions of time and memory, held against what training the miniature took here."""

import pandas as pd
from markupsafe import Markup

from trex.report import charts
from trex.report.documents import leaf_text
from trex.report.load import Run
from trex.report.parts import NO_VALUE, Column, Figure, Got, Section, integer, is_missing, number, percent, plain, table

FILE = "accounting/validation.csv"
FITTED, TESTED, LARGER = "fitted", "tested", "tested, larger than all fitted"
PARALLEL = "one process of this machine: parallel layouts are not validated by it"
# Of the chart: title, columns of what was measured and predicted, and the column of the error.
QUANTITIES = {
    "time": ("step time, s", "step_seconds", "step_seconds_predicted", "time_error"),
    "memory": ("memory, MiB", "memory_mib", "memory_mib_predicted", "memory_error"),
}


def validation(run: Run) -> Section:
    lead = (
        "A few coefficients are fitted to the time and memory of some settings on this machine; other settings are "
        "predicted, then measured. What is predicted is one process; no parallel layout is validated."
    )
    document, frame = run.documents["validation"], run.tables["validation"]
    return Section("validation", "Predictions held against this machine", lead, [held(frame, document), fit(document)])


def kind(row: object) -> str:
    if row.set == FITTED:
        return FITTED
    return LARGER if row.extrapolated else TESTED


def held(frame: pd.DataFrame, document: dict) -> Figure:
    known = {name: document[name] for name in QUANTITIES if document[name] is not None}
    kinds = [kind(row) for row in frame.itertuples()]
    parts = []
    for name in known:
        title, measured, predicted, _ = QUANTITIES[name]
        own = {"panel": title, "kind": kinds, "measured": frame[measured], "predicted": frame[predicted]}
        parts.append(pd.DataFrame(own).dropna())
    bands = {QUANTITIES[name][0]: summary["target"] for name, summary in known.items()}
    svg = charts.scatter(pd.concat(parts), bands, "Predicted over measured step time and memory, by setting")
    said = "; ".join(
        f"{name}: median error {percent(summary['median_error'])}, worst {percent(summary['worst_error'], 0)}"
        for name, summary in known.items()
    )
    counts = {name: kinds.count(name) for name in (FITTED, TESTED, LARGER)}
    columns = [
        Column("setting", lambda row: setting(row), "text", lambda row: kind(row)),
        *quantity_columns("time", lambda value: number(value, 3)),
        Column(
            "median and slowest step, s",
            lambda row: number(row.step_seconds_median, 3),
            detail=lambda row: number(row.step_seconds_max, 3),
        ),
        Column("threads idle", lambda row: percent(row.idle_share, 0)),
        *quantity_columns("memory", integer),
    ]
    return Figure(
        f"Predicted against measured, tested settings alone: {said}",
        Got(
            f"{FILE}; accounting/validation.json",
            f"{counts[FITTED]} fitted and {counts[TESTED] + counts[LARGER]} tested settings, of which {counts[LARGER]} "
            f"are larger than all fitted; {integer(frame['timed_steps'].min())} timed steps or more each",
            "each setting trains in processes of its own, taking turns; the fastest step counts, for other work on the "
            "machine only ever adds; memory is the high-water mark above what the process had before the model was "
            f"built. Bands are the targets of the median error: {targets(known)}; lines are equality",
            f"{PARALLEL}; threads were idle for {percent(document['idle_share'], 0)} of the steps (median), which is "
            "others' work and waiting, so that times are those of this hour",
        ),
        Markup(svg),
        table(frame, columns),
        note=" ".join(verdict(name, summary) for name, summary in known.items()),
        folded=True,
    )


def targets(known: dict[str, dict]) -> str:
    return ", ".join(f"{percent(summary['target'], 0)} for {name}" for name, summary in known.items())


def verdict(name: str, summary: dict) -> str:
    """What the step says of a quantity, with the worst case."""
    outside = summary["median_error_extrapolated"]
    text = f"{name.capitalize()}: {summary['verdict']}. Worst: {percent(summary['worst_error'], 0)} at "
    text += ", ".join(f"{plain(key)} {leaf_text(value)}" for key, value in summary["worst_setting"].items())
    return text + ("." if is_missing(outside) else f"; median of those larger than all fitted {percent(outside)}.")


def setting(row: object) -> str:
    again = ", recomputation" if row.recomputation else ""
    shape = f"{row.batch_size} x {row.sequence_length:,} tokens, width {row.width:g}"
    return f"{shape}, {row.threads} thread{'s' if row.threads > 1 else ''}, {row.precision}{again}"


def quantity_columns(name: str, form) -> list[Column]:
    title, measured, predicted, error = QUANTITIES[name]
    return [
        Column(f"{title}: predicted", lambda row: form(getattr(row, predicted))),
        Column("measured", lambda row: form(getattr(row, measured))),
        Column(
            "error",
            lambda row: NO_VALUE if is_missing(getattr(row, error)) else f"{100 * getattr(row, error):+.1f} %",
        ),
    ]


def fit(document: dict) -> Figure:
    """The coefficients, and what they mean as efficiencies."""
    fitted = {"time": document["time_coefficients"], "memory": document["memory_coefficients"] or {}}
    rows = [
        {"what": name, "term": term, "value": value, "efficiency": document["efficiencies"].get(term)}
        for name, coefficients in fitted.items()
        for term, value in coefficients.items()
    ]
    columns = [
        Column("of", lambda row: row.what, "text"),
        Column("term", lambda row: plain(row.term), "text"),
        Column("coefficient", lambda row: f"{row.value:.3g}"),
        Column("share of the measured peak", lambda row: percent(row.efficiency)),
    ]
    return Figure(
        "Fitted coefficients",
        Got(
            "accounting/validation.json",
            f"{len(rows)} coefficients, none negative",
            "least squares of relative errors over the fitted settings; units and meaning of each term stand in "
            "trex/accounting/miniature/predict.py",
            "a coefficient of nought, or a share above the peak, says that terms cannot be told apart by these "
            "settings, not that the work costs nothing",
        ),
        table=table(pd.DataFrame(rows), columns),
        folded=True,
    )
