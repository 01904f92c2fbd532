"""What the page is made of: sections of figures, each with a line that says how it was got."""

import dataclasses
import math
from collections.abc import Callable, Iterable

import pandas as pd
from markupsafe import Markup

from trex.evaluation.floors import FLOORS

NO_VALUE = "n/a"


@dataclasses.dataclass(frozen=True)
class Got:
    """How a figure was got. file: relative to the run's folder; limits: what the figure cannot show."""

    file: str
    n: str
    method: str
    limits: str


@dataclasses.dataclass(frozen=True)
class Cell:
    """kind: `number`, `text` or `verdict`; detail: small print below the text; href: where the text leads."""

    text: str
    kind: str = "text"
    detail: str = ""
    href: str = ""


@dataclasses.dataclass(frozen=True)
class Table:
    headers: list[Cell]
    rows: list[list[Cell]]


@dataclasses.dataclass(frozen=True)
class Text:
    """A text as it stands, shown on demand."""

    title: str
    text: str


@dataclasses.dataclass(frozen=True)
class Figure:
    """svg: a chart, or ""; folded: the table is shown on demand only."""

    title: str
    got: Got
    svg: Markup | None = None
    table: Table | None = None
    note: str = ""
    folded: bool = False
    texts: tuple[Text, ...] = ()


@dataclasses.dataclass(frozen=True)
class Section:
    id: str
    title: str
    lead: str
    figures: list[Figure]


@dataclasses.dataclass(frozen=True)
class Column:
    """header; value, detail, href: from a row of the frame to the cell's fields; kind as in Cell."""

    header: str
    value: Callable[[object], str]
    kind: str = "number"
    detail: Callable[[object], str] = lambda row: ""
    href: Callable[[object], str] = lambda row: ""


def table(frame: pd.DataFrame, columns: Iterable[Column]) -> Table:
    columns = list(columns)
    rows = [
        [Cell(column.value(row), column.kind, column.detail(row), column.href(row)) for column in columns]
        for row in frame.itertuples()
    ]
    return Table([Cell(column.header, column.kind) for column in columns], rows)


def is_missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def number(value: float, digits: int = 2) -> str:
    return NO_VALUE if is_missing(value) else f"{value:,.{digits}f}"


def integer(value: float) -> str:
    return NO_VALUE if is_missing(value) else f"{round(value):,}"


def percent(share: float, digits: int = 1) -> str:
    """From a share between 0 and 1."""
    return NO_VALUE if is_missing(share) else f"{100 * share:.{digits}f} %"


def points(difference: float) -> str:
    """From a difference of shares."""
    return NO_VALUE if is_missing(difference) else f"{100 * difference:+.1f}"


def p_value(p: float) -> str:
    return "<0.001" if p < 0.001 else number(p, 3)


def span(low: float, high: float, digits: int = 1, sign: bool = False) -> str:
    """low to high, as printed in a table."""
    if is_missing(low) or is_missing(high):
        return ""
    form = f"+.{digits}f" if sign else f",.{digits}f"
    return f"{low:{form}} to {high:{form}}"


def percent_span(low: float, high: float) -> str:
    return span(100 * low, 100 * high)


def plain(name: str) -> str:
    """in_distribution -> in distribution."""
    return str(name).replace("_", " ")


def arm(name: str) -> str:
    """The arms, and what stands beside them, by the names that the text uses."""
    if name in FLOORS:
        return f"no skill: {plain(name)}"
    return {"base": "base", "cpt": "CPT", "sft": "SFT", "cpt_sft": "CPT + SFT"}.get(name, name)
