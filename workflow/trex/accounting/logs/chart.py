"""MFU over the steps of a log: a table, a chart of it as SVG, and a page that holds the answer and the chart."""

import html
from pathlib import Path

import pandas as pd

from trex.accounting.logs.steady import Run
from trex.accounting.utilization import Utilization
from trex.common import files

KEPT = "steady"
COLOURS = {  # Okabe and Ito's, safe for colour-blind readers; shapes differ too
    KEPT: "#0072B2",
    "warm-up": "#E69F00",
    "outlier": "#D55E00",
    "repeated": "#999999",
    "skipped": "#CC79A7",
    "nan": "#000000",
}
SHAPES = ("circle", "triangle-up", "diamond", "square", "triangle-down", "cross")
WIDTH, HEIGHT = 760, 280


def steps(run: Run, found: Utilization) -> pd.DataFrame:
    """One row a line of the log. share: MFU by the exact convention and the first peak, blank without a peak."""
    per_token, peak = found.exact.flops_per_token, found.peaks[0].value * 1e12 if found.peaks else None
    return pd.DataFrame(
        {
            "step": one.line.step,
            "steps": one.line.steps,
            "attempt": one.line.attempt,
            "seconds": one.seconds,
            "tokens": one.tokens,
            "tokens_per_second": one.tokens_per_second,
            "mfu": one.tokens_per_second * per_token / found.devices / peak if peak and one.tokens_per_second else None,
            "framework_tflops": one.line.tflops,
            "loss": one.line.loss,
            "left_out": one.reason,
        }
        for one in run.rated
    )


def write(folder: Path, frame: pd.DataFrame, found: Utilization, answer: str) -> None:
    """steps.svg where there is something to draw and the drawing libraries are installed; mfu.html always."""
    drawing = draw(frame, found)
    if drawing:
        files.write_text(folder / "steps.svg", drawing)
    note = "" if drawing else "<p>No chart: it needs altair and vl-convert (pip install 'trex-mini[run]').</p>"
    title = f"<title>MFU of {html.escape(found.architecture.name)}</title>"
    page = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{title}</head>\n<body>\n'
    page += f"{drawing or note}\n<pre>{html.escape(answer)}</pre>\n</body></html>\n"
    files.write_text(folder / "mfu.html", page)


def draw(frame: pd.DataFrame, found: Utilization) -> str | None:
    """The chart as SVG; None without altair."""
    try:
        import altair as alt
        import vl_convert
    except ImportError:
        return None
    value, title = ("mfu", "MFU, %") if found.peaks else ("tokens_per_second", "tokens/s")
    frame = frame[frame[value].notna()].assign(kind=frame["left_out"].replace("", KEPT))
    factor = 100 if found.peaks else 1
    frame = frame.assign(shown=frame[value] * factor)
    kinds = [kind for kind in COLOURS if kind in set(frame["kind"])]
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds]))
    shape = alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds, range=list(SHAPES[: len(kinds)])))
    top = 1.05 * float(frame["shown"].max())
    ticks = min(10, int(frame["step"].max() - frame["step"].min()))
    steady = found.mfu * factor if found.peaks else found.tokens_per_second
    points = (
        alt.Chart(frame)
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(format="d", tickCount=ticks), scale=alt.Scale(zero=False)),
            y=alt.Y("shown:Q", title=title, scale=alt.Scale(domain=[0, top], nice=True)),
            color=colour,
            shape=shape,
        )
    )
    rule = (
        alt.Chart(pd.DataFrame({"shown": [steady]}))
        .mark_rule(strokeDash=[5, 3], color=COLOURS[KEPT])
        .encode(y="shown:Q")
    )
    chart = alt.layer(points, rule).properties(
        width=WIDTH,
        height=HEIGHT,
        title=f"{found.architecture.name}: line at the steady rate; exact_visible_pairs"
        + (f" of {found.peaks[0].value:g} TFLOP/s" if found.peaks else ""),
    )
    return vl_convert.vegalite_to_svg(chart.configure(font="Arial, sans-serif").to_dict())
