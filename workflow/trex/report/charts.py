"""Charts as static SVG: they open offline, print, and are the same bytes for the same data.

Every function takes a long table and returns SVG text without an XML header. Colours are Okabe and Ito's, safe for
colour-blind readers; arms differ in shape too.
"""

import html
import itertools
import re

import altair as alt
import pandas as pd
import vl_convert

ARM_COLOURS = ("#555555", "#E69F00", "#56B4E9", "#0072B2", "#009E73", "#D55E00", "#CC79A7")
ARM_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
)  # as many as pair with all colours
ARM_DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2])
FLOOR_COLOUR = "#9a9a9a"
FLOOR_SHAPES = ("triangle-left", "triangle-right", "diamond")
FLOOR_LINE = "no skill"
LEGEND_COLUMNS = 5
NARROWEST = 90
ACCENT = "#0072B2"
WEAK = "#b5b9be"
DECADES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
WIDTH = 620
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"  # what the converter measures text with
PADDING = {"left": 14, "right": 30, "top": 4, "bottom": 4}  # for readers whose font is wider


def svg(chart: alt.TopLevelMixin, label: str) -> str:
    """The chart as SVG that scales to its container; label: what a screen reader says."""
    chart = chart.configure(font=FONT, background="transparent", padding=PADDING)
    chart = chart.configure_view(stroke=None)
    chart = chart.configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e4e4e4")
    chart = chart.configure_header(labelFontSize=13, labelFontWeight="bold", title=None, labelAnchor="start")
    chart = chart.configure_legend(
        labelFontSize=12, title=None, orient="top", symbolSize=90, columns=LEGEND_COLUMNS, labelLimit=0
    )
    head, _, body = vl_convert.vegalite_to_svg(chart.to_dict()).partition(">")
    head = re.sub(r' (width|height)="[\d.]+"', "", head)
    return f'{head} role="img" aria-label="{html.escape(label)}">{body}'


def marks(kinds: tuple, names: list[str]) -> list:
    """Each name its mark; over again where there are more names than marks."""
    return list(itertools.islice(itertools.cycle(kinds), len(names)))


def by_arm(arms: list[str], kinds: tuple) -> alt.Scale:
    return alt.Scale(domain=arms, range=marks(kinds, arms))


def shares(frame: pd.DataFrame, rows: list[str], arms: list[str], label: str, floors: list[str] | None = None) -> str:
    """Shares with intervals: one panel a `panel`, one line a `row`, one mark an `arm`.

    frame: panel, row, arm, share, low, high (shares in percent); rows, arms: in the order to show. An arm without rows
    keeps its mark, so that the others look the same on every chart. floors: what is no arm, grey on a line below them.
    """
    floors = floors or []
    frame = frame.assign(place=frame["arm"].where(~frame["arm"].isin(floors), FLOOR_LINE))
    named = [*arms, *floors]
    colours = [*marks(ARM_COLOURS, arms), *(FLOOR_COLOUR for _ in floors)]
    shapes = [*marks(ARM_SHAPES, arms), *marks(FLOOR_SHAPES, floors)]
    legend = alt.Legend(values=[name for name in named if name in set(frame["arm"])])
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False, labelPadding=9))
    offset = alt.YOffset("place:N", sort=[*arms, FLOOR_LINE])
    colour = alt.Color("arm:N", sort=named, scale=alt.Scale(domain=named, range=colours), legend=legend)
    shape = alt.Shape("arm:N", sort=named, scale=alt.Scale(domain=named, range=shapes), legend=legend)
    top = max(5.0, min(100.0, float(frame["high"].max()) * 1.02))
    x = alt.X("low:Q", title="%", scale=alt.Scale(domain=[0, top], nice=False))
    base = alt.Chart().encode(y=y, yOffset=offset, color=colour)
    interval = base.mark_rule(strokeWidth=1.6).encode(x=x, x2="high:Q")
    mark = base.mark_point(filled=True, size=55, opacity=1).encode(x="share:Q", shape=shape)
    layers = alt.layer(interval, mark, data=frame).properties(
        width=WIDTH, height=alt.Step(max(13, 15 if len(arms) > 1 else 22))
    )
    panels = list(dict.fromkeys(frame["panel"]))
    chart = layers.facet(row=alt.Row("panel:N", sort=panels, header=alt.Header(labelOrient="top")), spacing=18)
    return svg(chart.resolve_scale(y="independent"), label)  # a panel shows its own rows alone


def bars(frame: pd.DataFrame, rows: list[str], columns: list[str], title: str, label: str) -> str:
    """Plain bars: one panel a `panel` and `column`, one bar a `row`. frame: panel, column, row, value, text."""
    frame = without_gaps(frame, rows[0])
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False, labelLimit=220))
    top = float(frame["value"].max()) * 1.35 or 1.0
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=4))
    base = alt.Chart().encode(y=y, x=x)
    bar = base.mark_bar(color=ACCENT, height={"band": 0.7})
    text = base.mark_text(align="left", dx=4, fontSize=11, color="#333").encode(text="text:N")
    layers = alt.layer(bar, text, data=frame).properties(
        width=max(NARROWEST, WIDTH // len(columns) - 12), height=alt.Step(18)
    )
    facets = {"column": alt.Column("column:N", sort=columns)}
    panels = list(dict.fromkeys(frame["panel"]))
    if len(panels) > 1:
        facets["row"] = alt.Row(
            "panel:N",
            sort=panels,
            header=alt.Header(labelOrient="left", labelAngle=0, labelAlign="left", labelAnchor="middle"),
        )
    return svg(layers.facet(**facets, spacing=14), label)


def without_gaps(frame: pd.DataFrame, row: str) -> pd.DataFrame:
    """With an empty bar in each panel that has none: Vega gives the place of a missing panel to the next one."""
    panels = pd.MultiIndex.from_product([frame["panel"].unique(), frame["column"].unique()], names=["panel", "column"])
    missing = panels.difference(pd.MultiIndex.from_frame(frame[["panel", "column"]]), sort=False).to_frame(index=False)
    return pd.concat([frame, missing.assign(row=row, value=0.0, text="")], ignore_index=True)


def curves(frame: pd.DataFrame, panels: list[str], arms: list[str], value: str, title: str, label: str) -> str:
    """A value over tokens, one panel a stage. frame: panel, arm, tokens (millions), and the column `value`."""
    colour = alt.Color("arm:N", sort=arms, scale=by_arm(arms, ARM_COLOURS))
    dash = alt.StrokeDash("arm:N", sort=arms, scale=by_arm(arms, ARM_DASHES))
    line = (
        alt.Chart(frame)
        .mark_line(strokeWidth=1.8)
        .encode(
            x=alt.X("tokens:Q", title="million tokens", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5)),
            y=alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=True)),
            color=colour,
            strokeDash=dash,
        )
        .properties(width=WIDTH // len(panels) - 24, height=220)
    )
    chart = line.facet(column=alt.Column("panel:N", sort=panels), spacing=16)
    return svg(chart.resolve_scale(x="independent", y="shared"), label)


def ranges(frame: pd.DataFrame, rows: list[str], title: str, label: str) -> str:
    """A bar for the median and a whisker from smallest to largest. frame: row, value, low, high, text."""
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False))
    top = float(frame["high"].max()) * 1.5
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, top], nice=False))
    base = alt.Chart(frame).encode(y=y)
    bar = base.mark_bar(color="#9ecae1", height={"band": 0.6}).encode(x=x)
    whisker = base.mark_rule(strokeWidth=2, color="#333").encode(x="low:Q", x2="high:Q")
    text = base.mark_text(align="left", dx=6, fontSize=12, color="#333").encode(x="high:Q", text="text:N")
    return svg(alt.layer(bar, whisker, text).properties(width=WIDTH, height=alt.Step(34)), label)


def intervals(frame: pd.DataFrame, rows: list[str], title: str, label: str, at: float | None = None) -> str:
    """A thin line for all that is possible, a thick one for what is likely, a mark at the median.

    Panels side by side share rows and axis. at: where to draw a line, which makes the axis logarithmic: values are then
    proportions. frame: panel, row, possible_low, low, value, high, possible_high, strong (else grey).
    """
    panels = list(dict.fromkeys(frame["panel"]))
    ends = float(frame["possible_low"].min()), float(frame["possible_high"].max())
    wrapped = alt.Axis(
        grid=True, ticks=False, domain=False, labelExpr="split(datum.label, ', ')", labelLimit=0, labelPadding=8
    )
    y = alt.Y("row:N", sort=rows, title=None, axis=wrapped)
    scale = alt.Scale(type="linear" if at is None else "log", domain=ends, nice=False)
    ticks = alt.Axis(tickCount=4, grid=False) if at is None else alt.Axis(values=DECADES, grid=False)
    x = alt.X("possible_low:Q", title=title, scale=scale, axis=ticks)
    strong = alt.condition("datum.strong", alt.value(ACCENT), alt.value(WEAK))
    base = alt.Chart().encode(y=y)
    layers = [
        base.mark_rule(strokeWidth=1.5, color=WEAK).encode(x=x, x2="possible_high:Q"),
        base.mark_rule(strokeWidth=7).encode(x=alt.X("low:Q"), x2="high:Q", color=strong),
        base.mark_tick(thickness=2, height=14, color="#111").encode(x="value:Q"),
    ]
    if at is not None:
        layers.append(alt.Chart().mark_rule(color="#D55E00", strokeWidth=1.5).encode(x=alt.datum(at)))
    step = 34 if any(", " in row for row in rows) else 19
    width = WIDTH // len(panels) - (0 if len(panels) == 1 else 24)
    chart = alt.layer(*layers, data=frame).properties(width=width, height=alt.Step(step))
    if len(panels) > 1:
        chart = chart.facet(column=alt.Column("panel:N", sort=panels), spacing=12)
    return svg(chart, label)


def scatter(frame: pd.DataFrame, bands: dict[str, float], label: str) -> str:
    """Predicted over measured, one panel a quantity, both axes logarithmic, with the line of equals and a band.

    frame: panel, kind, measured, predicted. bands: panel -> share that the band is wide, either way.
    """
    kinds = list(dict.fromkeys(frame["kind"]))
    panels = [scatter_panel(frame[frame["panel"] == panel], panel, kinds, band) for panel, band in bands.items()]
    return svg(alt.hconcat(*panels, spacing=30), label)


def scatter_panel(frame: pd.DataFrame, title: str, kinds: list[str], band: float) -> alt.LayerChart:
    both = pd.concat([frame["measured"], frame["predicted"]])
    ends = [0.85 * float(both.min()), 1.15 * float(both.max())]
    line = pd.DataFrame({"measured": ends, "low": [(1 - band) * end for end in ends]})
    line = line.assign(high=[(1 + band) * end for end in ends])
    scale = alt.Scale(type="log", domain=[line["low"].min(), line["high"].max()], nice=False)
    x = alt.X("measured:Q", title=f"measured {title}", scale=scale, axis=alt.Axis(tickCount=4, grid=False))
    axis = alt.Axis(tickCount=4, grid=False)
    lines = alt.Chart(line).encode(x=x)
    within = lines.mark_area(color="#9ecae1", opacity=0.45).encode(
        y=alt.Y("low:Q", title=f"predicted {title}", scale=scale, axis=axis), y2="high:Q"
    )
    equal = lines.mark_line(color="#777", strokeWidth=1).encode(y="measured:Q")
    colours, shapes = ("#888888", ACCENT, "#D55E00"), ("cross", "circle", "diamond")
    point = (
        alt.Chart(frame)
        .mark_point(filled=True, size=60, opacity=0.9)
        .encode(
            x=x,
            y=alt.Y("predicted:Q", scale=scale),
            color=alt.Color("kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=marks(colours, kinds))),
            shape=alt.Shape("kind:N", sort=kinds, scale=alt.Scale(domain=kinds, range=marks(shapes, kinds))),
        )
    )
    return alt.layer(within, equal, point).properties(width=WIDTH // 2 - 30, height=WIDTH // 2 - 30)


def dots(frame: pd.DataFrame, rows: list[str], title: str, label: str) -> str:
    """A mark for each value with its text beside it, and a line at nought; panels side by side share rows and axis.

    frame: panel, row, value, text.
    """
    panels = list(dict.fromkeys(frame["panel"]))
    low, high = (float(end) for end in (min(frame["value"].min(), 0.0), max(frame["value"].max(), 0.0)))
    room = 0.3 * (high - low or 1.0)
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(grid=True, ticks=False, domain=False, labelLimit=260))
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=[low - room / 4, high + room], nice=False))
    base = alt.Chart().encode(y=y, x=x)
    nought = alt.Chart().mark_rule(color="#777", strokeDash=[3, 3]).encode(x=alt.datum(0.0))
    mark = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT)
    text = base.mark_text(align="left", dx=8, fontSize=11, color="#333").encode(text="text:N")
    layers = alt.layer(nought, mark, text, data=frame).properties(width=WIDTH // len(panels) - 40, height=alt.Step(19))
    return svg(layers.facet(column=alt.Column("panel:N", sort=panels), spacing=14), label)
