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


def figures(frame):
    fields = {field.name: None for field in dataclasses.fields(Run)}
    section = projection.projection(Run(**fields | {"tables": {"projection": frame}}))
    return {figure.title.split(":")[0].split(",")[0]: figure for figure in section.figures}


def test_misses_are_on_the_page(frame):
    held_out = figures(frame)["Held against published runs"]
    assert held_out.title.endswith("3 of 5 within the interval, 2 missed")
    first = held_out.table.rows[0]
    assert first[0].text == "DeepSeek-V3 on 2,048 H800"
    assert first[-1].text == "missed" and "bounds only" in first[-1].detail
    assert "bounds" in first[2].detail and held_out.svg.startswith("<svg")


@pytest.mark.parametrize(
    ("validated", "expected"),
    [
        ("held out: within the interval", ("within", "the interval")),
        (
            "held out: missed, reported is above the interval; bounds only",
            ("missed", "reported is above the interval; bounds only"),
        ),
    ],
)
def test_verdicts_are_a_word_and_the_rest(validated, expected):
    assert projection.verdict(validated) == expected


def test_what_is_not_identifiable_is_said(frame):
    figure = figures(frame)["What T-Rex's MFU says of V4-Pro's efficiencies"]
    assert "overlap pipeline" in figure.note and "not validated" in figure.title
    narrowed = {row[0].text: row for row in figure.table.rows}
    assert "overlap pipeline" not in narrowed and "tokens per second per device" in narrowed
    assert narrowed["grouped matmul"][1].detail == "not identifiable"
    assert narrowed["grouped matmul"][4].detail.endswith("% as wide")
    assert "assumed 0.2 to 0.75" in narrowed["grouped matmul"][0].detail
    assert "11.67 % MFU" in figure.svg and "34.22 % MFU" in figure.svg


def test_shares_of_batches_counts_and_peaks_add_up(frame):
    rows = figures(frame)["Which batch"].table.rows
    assert [rows[place][0].text for place in (0, 8, -1)] == [
        "256 sequences a step",
        "counted: exact visible pairs",
        "peak of 400 TFLOP/s",
    ]
    for condition in range(2, len(rows[0])):
        total = sum(float(row[condition].text) for row in rows)
        assert total == pytest.approx(3.0, abs=0.09)  # two digits of 17 shares


def test_communication_stands_beside_the_published_one(frame):
    rows = figures(frame)["What the released layout sends"].table.rows
    assert {row[0].text: row[2].text for row in rows} == {
        "all to all": "5.91",
        "tensor and data": "19.71",
        "pipeline": "14.95",
    }


def test_other_layouts_say_that_nothing_validates_them(frame):
    what_if = figures(frame)["What if"]
    assert "not validated" in what_if.title and "no parallel layout is validated" in what_if.got.limits
    assert {row[-1].text for row in what_if.table.rows} == {"fits", "may fit", "does not fit"}
    assert what_if.table.rows[0][1].text == "1.00"


def test_without_enough_samples_there_are_no_intervals(frame):
    """As the step writes it: one row that says so instead of the quantities."""
    few = frame[frame["group"] == "published_run"]
    rung = "kernel optimization, 34.22 %"
    common = {"quantity": "all", "accepted": 3, "note": "only 3 samples", "source": "a source", "basis": "b"}
    sent = frame[frame["scenario"].str.startswith("communication")]
    bare = [{"group": "trex_ladder", "scenario": rung} | common, {"group": "what_if", "scenario": "all"} | common]
    found = figures(pd.concat([few, sent, pd.DataFrame(bare)]))
    assert not {"What if", "What T-Rex's MFU says of V4-Pro's efficiencies"} & found.keys()
    assert "only 3 samples" in str(found["All conditions"].table.rows[0])
