"""What the MFU of SLAI T-Rex's rungs says of efficiencies, and what not."""

import dataclasses
import math

import numpy as np
import pytest

from trex.accounting.counting.conventions import EXACT, EXACT_WITH_MTP
from trex.accounting.planning import released
from trex.accounting.planning.released import BASELINE_SECONDS, BATCHES, LAST, RUNGS, TOLERANCE, Rung

FOUND = released.ladder(samples=4000, seed=1)
ROWS = list(released.ladder_rows(FOUND))


def rows(scenario):
    return {row["quantity"]: row for row in ROWS if row["scenario"] == scenario}


def test_the_seconds_of_the_public_record():
    """78.1 s and 26.6 s a step; the latter is 25.6 % of 376 TFLOP/s without MTP, 26.6 % with it."""
    assert pytest.approx(78.1, abs=0.05) == BASELINE_SECONDS
    seconds = round(BASELINE_SECONDS * 0.1167 / 0.3422, 1)
    assert seconds == 26.6
    tokens = 1024 * 4096 / 512 / seconds
    assert tokens * FOUND.case.flops_per_token(EXACT) / 376e12 == pytest.approx(0.256, abs=5e-4)
    assert tokens * FOUND.case.flops_per_token(EXACT_WITH_MTP) / 376e12 == pytest.approx(0.266, abs=5e-4)


def test_what_is_kept_gives_the_figure():
    kept = FOUND.kept(LAST)
    assert kept.any()
    assert np.abs(FOUND.mfu[kept] / LAST.mfu - 1).max() < TOLERANCE


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.name)
def test_every_rung_has_intervals_within_the_ranges(rung):
    found = rows(rung.name)
    for name, each in released.ASSUMED.items():
        row = found[name]
        assert each.low <= row["low"] <= row["median"] <= row["high"] <= each.high
        assert row["identifiable"] == (row["of_prior"] < released.AS_WIDE)
    assert found["step_seconds"]["unit"] == "s"


def test_an_mfu_alone_does_not_tell_overlaps():
    found = rows(LAST.name)
    assert not any(found[name]["identifiable"] for name in ("indexer", "overlap_pipeline", "overlap_gradients", "link"))
    assert found["tokens_per_second_per_device"]["identifiable"]
    assert "not identifiable" in found["overlap_pipeline"]["note"]


@pytest.mark.parametrize("scenario", [LAST.name, "all four rungs with one batch, peak and count"])
@pytest.mark.parametrize("axis", ["global_batch", "counted", "peak_tflops"])
def test_probabilities_add_up_to_one(scenario, axis):
    found = [row["median"] for name, row in rows(scenario).items() if name.startswith(f"probability of {axis} ")]
    assert len(found) > 1
    assert sum(found) == pytest.approx(1)


def test_a_condition_that_hardly_any_sample_meets_has_no_interval():
    (row,) = released.rung_rows(FOUND, Rung("impossible", 0.99))
    assert math.isnan(row["median"])
    assert row["accepted"] == 0
    assert "no interval" in row["note"]


def test_a_planted_efficiency_is_found_where_all_else_is_known():
    """With one assumption free and the rest fixed, the MFU of a planted value brings it back."""
    middle = {name: np.full(4000, (each.low + each.high) / 2) for name, each in released.ASSUMED.items()}
    free = middle | {"grouped_matmul": np.linspace(0.2, 0.75, 4000)}
    step = FOUND.case.step(free)
    mfu = FOUND.case.rate(step) * FOUND.case.flops_per_token(EXACT) / 376e12
    planted = mfu[2000]
    near = free["grouped_matmul"][released.close(mfu, planted)]
    assert near.min() < free["grouped_matmul"][2000] < near.max()
    assert np.ptp(near) < 0.1


def test_communication_is_held_against_the_published_breakdown():
    found = rows("communication of a step of 1,024 sequences, none of it hidden")
    assert {name: row["reported_low"] for name, row in found.items()} == released.BASELINE_COMMUNICATION
    assert all(0 < row["low"] < row["high"] for row in found.values())


def test_the_same_seed_gives_the_same_samples():
    again = released.ladder(samples=4000, seed=1)
    assert (again.mfu == FOUND.mfu).all()
    assert (released.ladder(samples=4000, seed=2).mfu != FOUND.mfu).any()


def test_a_batch_is_as_the_layout_with_that_batch():
    case = dataclasses.replace(FOUND.case, layout=dataclasses.replace(FOUND.case.layout, global_batch=256))
    assert case.step(FOUND.assumed).seconds == pytest.approx(FOUND.derived["step_seconds"][:, BATCHES.index(256)])
