"""Charts: valid SVG that scales, labelled for screen readers, the same bytes for the same data."""

import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest

from trex.report import charts

ARMS = ["base", "CPT"]
SHARES = pd.DataFrame(
    [
        {"panel": "in", "row": row, "arm": arm, "share": 10.0, "low": 5.0, "high": high}
        for row in ("all", "word")
        for arm, high in zip(ARMS, (20.0, 30.0), strict=True)
    ]
)
BARS = pd.DataFrame([{"panel": "in", "column": arm, "row": "passed", "value": 3.0, "text": "3"} for arm in ARMS])
CURVES = pd.DataFrame([{"panel": "SFT", "arm": arm, "tokens": t, "loss": 3.0 - t} for arm in ARMS for t in (0.1, 0.2)])
RANGES = pd.DataFrame([{"row": "plain", "value": 3.0, "low": 2.0, "high": 4.0, "text": "3 tokens/s"}])
DOTS = pd.DataFrame([{"panel": panel, "row": "6n", "value": -6.0, "text": "293.1"} for panel in ("Flash", "Pro")])
INTERVALS = pd.DataFrame(
    [
        {"panel": panel, "row": "a run, of somebody", "low": 0.5, "value": 0.7, "high": 0.9, "strong": strong}
        for panel, strong in (("11.67 %", False), ("34.22 %", True))
    ]
).assign(possible_low=0.2, possible_high=3.0)
SCATTER = pd.DataFrame(
    [
        {"panel": panel, "kind": kind, "measured": 2.0, "predicted": predicted}
        for panel in ("time, s", "memory, MiB")
        for kind, predicted in (("fitted", 2.1), ("tested", 1.5))
    ]
)
CASES = {
    "shares": lambda label: charts.shares(SHARES, ["all", "word"], ARMS, label),
    "bars": lambda label: charts.bars(BARS, ["passed"], ARMS, "%", label),
    "curves": lambda label: charts.curves(CURVES, ["SFT"], ARMS, "loss", "loss, nats", label),
    "dots": lambda label: charts.dots(DOTS, ["6n"], "%", label),
    "intervals": lambda label: charts.intervals(INTERVALS, ["a run, of somebody"], "%", label),
    "intervals of one panel": lambda label: charts.intervals(INTERVALS[:1], ["a run, of somebody"], "x", label, at=1.0),
    "scatter": lambda label: charts.scatter(SCATTER, {"time, s": 0.15, "memory, MiB": 0.1}, label),
    "ranges": lambda label: charts.ranges(RANGES, ["plain"], "tokens/s", label),
}


@pytest.mark.parametrize("case", CASES)
def test_svg(case):
    text = CASES[case]('what <it> "shows" & why')
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == 'what <it> "shows" & why'
    assert "viewBox" in root.attrib and "width" not in root.attrib
    assert "id=" not in text  # two charts on one page would share it
    assert text == CASES[case]('what <it> "shows" & why')


def test_marks_of_all_zero_shares_are_drawn():
    zero = SHARES.assign(share=0.0, low=0.0, high=0.0)
    assert "NaN" not in charts.shares(zero, ["all", "word"], ARMS, "zero")
    assert "NaN" not in charts.bars(BARS.assign(value=0.0), ["passed"], ARMS, "%", "zero")


def test_an_arm_keeps_its_colour_where_others_have_no_rows():
    both = charts.shares(SHARES, ["all", "word"], ARMS, "both")
    one = charts.shares(SHARES[SHARES["arm"] == "CPT"], ["all", "word"], ARMS, "one")
    base, cpt = charts.ARM_COLOURS[:2]
    assert base in both and cpt in both
    assert cpt in one and base not in one and ">base<" not in one


def test_more_arms_than_marks():
    arms = [f"a model with a rather long name, {n}" for n in range(9)]
    frame = pd.DataFrame(
        [{"panel": "in", "row": "all", "arm": arm, "share": 3.0, "low": 2.0, "high": 4.0} for arm in arms]
    )
    text = charts.shares(frame, ["all"], arms, "nine")
    ElementTree.fromstring(text)
    assert all(arm in text for arm in arms)
    bars = pd.concat([BARS[:1].assign(column=arm) for arm in arms])
    ElementTree.fromstring(charts.bars(bars, ["passed"], arms, "%", "nine"))


def test_colour_and_shape_together_tell_many_arms_apart():
    count = len(charts.ARM_COLOURS) * len(charts.ARM_SHAPES)
    arms = [str(n) for n in range(count)]
    marks = [charts.by_arm(arms, kind).to_dict()["range"] for kind in (charts.ARM_COLOURS, charts.ARM_SHAPES)]
    assert len(set(zip(*marks, strict=True))) == count


def test_a_missing_panel_keeps_its_place():
    """A model that did not answer a suite: its empty panel must not be taken by another's bars."""
    cells = [("in", "base"), ("in", "CPT"), ("public", "CPT")]
    frame = pd.DataFrame(
        [{"panel": p, "column": c, "row": "passed", "value": 1.0, "text": f"{p}-{c}"} for p, c in cells]
    )
    whole = charts.without_gaps(frame, "passed")
    assert set(zip(whole["panel"], whole["column"], strict=True)) == {*cells, ("public", "base")}
    root = ElementTree.fromstring(charts.bars(frame, ["passed"], ["base", "CPT"], "%", "gap"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text in {f"{p}-{c}" for p, c in cells}] == ["in-base", "in-CPT", "public-CPT"]
