"""The derivations from the public record, against the figures worked out by hand."""

from pathlib import Path

import pytest
import yaml

from trex.audit import arithmetic

RECORD = yaml.safe_load((Path(__file__).parents[2] / "config/paper.yaml").read_text(encoding="utf-8"))["record"]


def test_step_time_agrees_with_the_press():
    derived = arithmetic.step_seconds(RECORD)
    assert pytest.approx(78.1, abs=0.05) == 40.76 / 0.522
    assert derived.value == pytest.approx(26.6, abs=0.05)
    assert derived.low < derived.value < derived.high
    assert "78.1 s" in derived.how


def test_implied_mfu_without_and_with_recomputation():
    """By hand, and by what `trex.accounting.mfu` says of 26.6 s: 22.6 to 29.4 %, and 34.0 % with recomputation."""
    plain, counted = arithmetic.mfu_without_recomputation(RECORD), arithmetic.mfu_with_recomputation(RECORD)
    assert plain.value == pytest.approx(100 * 8192 * 312.472e9 / (40.76 / 0.522 * 11.67 / 34.22) / 376e12, rel=1e-5)
    assert (plain.low, plain.high) == (pytest.approx(22.6, abs=0.1), pytest.approx(29.4, abs=0.1))
    assert counted.value == pytest.approx(33.9, abs=0.1)
    assert counted.low < 34.22 < counted.high
    assert "exact_visible_pairs, peak 376" in plain.how and "8,192 tokens a die" in plain.how
    assert "12 conventions (293.1-337.5 GFLOP a token) and 4 peaks in circulation (354-400)" in plain.how
    assert "exact_visible_pairs_full_recomputation" in counted.how


def test_the_batch_that_would_meet_the_claim_is_said():
    """A range of MFU is in proportion to the batch: 1,193 sequences bring its upper end to 34.22 %."""
    plain = arithmetic.mfu_without_recomputation(RECORD)
    assert "1,193 to 1,557 sequences" in plain.assumptions
    more = RECORD | {"tokens_per_global_batch": {"sequences": 1193, "sequence_length": 4096}}
    assert arithmetic.mfu_without_recomputation(more).high == pytest.approx(34.22, abs=0.02)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("average_of_four", 71.8125),
        ("gain_over_base", 11.2775),
        ("gain_over_gpt_5_4_mini", 3.9825),
        ("speedup", 2.9323),
        ("communication_parts", 40.75),
    ],
)
def test_simple_derivations(name, value):
    derived = arithmetic.DERIVATIONS[name](RECORD)
    assert derived.value == pytest.approx(value, abs=1e-4)
    assert derived.low <= value <= derived.high
