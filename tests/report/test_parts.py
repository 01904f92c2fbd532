"""How numbers are printed, and how tables are made of frames and records."""

import math

import pandas as pd
import pytest

from trex.report import parts
from trex.report.documents import flatten, leaf_text, records


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (parts.percent(0.1234), "12.3 %"),
        (parts.percent(math.nan), "n/a"),
        (parts.number(1234.5), "1,234.50"),
        (parts.number(None), "n/a"),
        (parts.integer(1999.7), "2,000"),
        (parts.integer(pd.NA), "n/a"),
        (parts.span(-1.0, 2.0, sign=True), "-1.0 to +2.0"),
        (parts.span(math.nan, 2.0), ""),
        (parts.percent_span(0.01, 0.5), "1.0 to 50.0"),
        (parts.p_value(0.0004), "<0.001"),
        (parts.p_value(0.0312), "0.031"),
        (parts.arm("cpt_sft"), "CPT + SFT"),
        (parts.arm("some_model"), "some_model"),
        (leaf_text(True), "yes"),
        (leaf_text(12345), "12,345"),
    ],
)
def test_printed(text, expected):
    assert text == expected


def test_table_keeps_columns_rows_and_kinds():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    columns = [
        parts.Column("A", lambda row: parts.integer(row.a), detail=lambda row: "small"),
        parts.Column("B", lambda row: row.b, "text"),
    ]
    table = parts.table(frame, columns)
    assert [cell.text for cell in table.headers] == ["A", "B"]
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "x"], ["2", "y"]]
    assert (table.rows[0][0].kind, table.rows[0][0].detail, table.rows[0][1].kind) == ("number", "small", "text")


def test_nested_json_becomes_paths():
    nested = {"a": {"b_c": 1, "d": [1, 2]}, "e": [{"f": None}]}
    assert list(flatten(nested)) == [("a / b c", 1), ("a / d", "1, 2"), ("e / 1 / f", None)]


def test_records_with_nested_counts_and_gaps():
    table = records([{"stage": "base", "n": 1}, {"stage": "sft", "n": 2, "dropped": {"too_long": 3}}])
    assert [cell.text for cell in table.headers] == ["stage", "n", "dropped"]
    assert [cell.kind for cell in table.headers] == ["text", "number", "text"]
    assert [cell.text for cell in table.rows[1]] == ["sft", "2", "too long 3"]
    assert table.rows[0][2].text == "none"
