"""Other layouts, links and numbers of devices, in proportion to one that is known."""

import dataclasses
import math

import numpy as np
import pytest

from trex.accounting.counting.read import architecture
from trex.accounting.planning import released
from trex.accounting.planning.step_time import ASSUMED
from trex.accounting.planning.what_if import Alternative, alternatives, outcomes, placed, verdict, what_if_rows

LAYOUT = released.RELEASED.layout
MIDDLE = {name: np.array([(each.low + each.high) / 2]) for name, each in ASSUMED.items()}


def relative(alternative: Alternative) -> float:
    base = placed("v4-pro", "ascend-910c-die", Alternative("", LAYOUT))
    other = placed("v4-pro", "ascend-910c-die", alternative)
    return outcomes(other, MIDDLE, base.rate(base.step(MIDDLE)))["relative_throughput_per_device"][0]


def test_all_alternatives_can_be_launched():
    model = architecture("v4-pro")
    assert all(each.layout.errors(model) == [] for each in alternatives())
    assert len({(each.name, each.layout.devices) for each in alternatives()}) == len(alternatives())
    assert max(each.layout.devices for each in alternatives()) <= 10_000


def test_the_same_layout_is_as_fast():
    assert relative(Alternative("", LAYOUT)) == pytest.approx(1)


def test_faster_links_help_and_slower_ones_hurt():
    speeds = [relative(Alternative("", LAYOUT, links)) for links in (0.25, 0.5, 1, 2, 4)]
    assert speeds == sorted(speeds)
    assert speeds[0] < 0.95


def test_less_work_and_a_smaller_bubble_help():
    assert relative(Alternative("", dataclasses.replace(LAYOUT, recomputation="none"))) > 1.1
    assert relative(Alternative("", dataclasses.replace(LAYOUT, global_batch=256))) < 0.9


def test_whether_it_fits_is_said():
    case = placed("v4-pro", "ascend-910c-die", Alternative("", LAYOUT))
    assert verdict(case, "ascend-910c-die") in ("fits", "may fit")
    case = placed("v4-pro", "ascend-910c-die", Alternative("", dataclasses.replace(LAYOUT, recomputation="none")))
    assert verdict(case, "ascend-910c-die") == "does not fit"


def test_rows_are_conditioned_and_labelled():
    rows = list(what_if_rows(released.ladder(samples=6000, seed=1)))
    assert {row["validated"] for row in rows} == {"not validated"}
    first = rows[0]
    assert first["quantity"] == "relative_throughput_per_device"
    assert first["low"] == first["high"] == pytest.approx(1)
    assert len(rows) == 4 * len(alternatives())


def test_too_few_samples_give_no_interval():
    (row,) = what_if_rows(released.ladder(samples=100, seed=1))
    assert math.isnan(row["median"])
