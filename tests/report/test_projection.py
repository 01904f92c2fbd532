"""The section on projected step times."""

import dataclasses

import pandas as pd
import pytest

from trex.accounting import project
from trex.accounting.planning.setting import COLUMNS
from trex.report import projection
from trex.report.load import Run


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    """By the step itself, written and read."""
    path = tmp_path_factory.mktemp("projection") / "projection.csv"
    pd.DataFrame(project.projection(samples=2000, seed=1), columns=COLUMNS).to_csv(path, index=False)
    return pd.read_csv(path)


def section(frame):
    fields = {field.name: None for field in dataclasses.fields(Run)}
    return projection.projection(Run(**fields | {"tables": {"projection": frame}}))


def test_misses_are_on_the_page(frame):
    held_out = section(frame).figures[0]
    assert held_out.title.startswith("Held against published runs: ")
    verdicts = {row[0].text: row[-1].text for row in held_out.table.rows}
    assert "missed" in verdicts["DeepSeek-V3 on 2,048 H800"]
    assert "bounds" in held_out.table.rows[0][2].detail
    assert held_out.svg.startswith("<svg")


def test_what_is_not_identifiable_is_said(frame):
    _, ladder, shares, _ = section(frame).figures
    details = {(row[0].text, row[1].text): row[3].detail for row in ladder.table.rows}
    assert "not identifiable" in details["open-sourced recipe, 11.67 %", "overlap pipeline"]
    assert all(row[1].text.split()[0] in ("global", "counted", "peak") for row in shares.table.rows)


def test_other_layouts_say_that_nothing_validates_them(frame):
    what_if = section(frame).figures[-1]
    assert "no parallel layout is validated" in what_if.got.limits
    assert {row[-1].text for row in what_if.table.rows} == {"fits", "may fit", "does not fit"}


def test_without_enough_samples_there_are_no_other_layouts(frame):
    few = frame[frame["group"] != "what_if"]
    empty = pd.concat([few, pd.DataFrame([{"group": "what_if", "scenario": "all", "quantity": "all"}])])
    assert len(section(empty).figures) == 3
