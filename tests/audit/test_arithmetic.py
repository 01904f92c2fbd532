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
    plain, counted = arithmetic.mfu_without_recomputation(RECORD), arithmetic.mfu_with_recomputation(RECORD)
    assert (plain.low, plain.high) == (pytest.approx(25.6, abs=0.1), pytest.approx(26.6, abs=0.1))
    assert 33.8 < counted.low < 34.22 < counted.high < 35.3
    assert "312.5-324.3 GFLOP" in plain.how and "8,192 tokens a die" in plain.how
    assert "414.8-428.1 GFLOP a token with full recomputation" in counted.how
    assert plain.assumptions


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
