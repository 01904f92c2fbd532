"""Why a log's own TFLOP/s differ from ours; the shared Mixtral log, by figures of the thread that it was posted in."""

from fractions import Fraction
from pathlib import Path

import pytest

from trex.accounting.counting.conventions import CONVENTIONS
from trex.accounting.counting.read import architecture
from trex.accounting.logs import framework, steady
from trex.accounting.logs.line import Line
from trex.accounting.logs.read import Log, read

MIXTRAL = architecture("mixtral-8x7b")
# NVIDIA/Megatron-LM issue 756: seconds of a step and TFLOP/s a GPU; 16 GPUs, 128 sequences a step.
POSTED = ((5.3616, 243.6), (5.4707, 238.7), (5.8299, 224.0))
SHARED = Path("/work/shared/logs/megatron-mixtral-8x7b-16xh100.log")


def rated(sequence_length, lines=None, devices=16):
    if lines is None:
        lines = [
            Line(number=place, step=71 + place, seconds=seconds, samples=128, tflops=tflops)
            for place, (seconds, tflops) in enumerate(POSTED)
        ]
    return steady.assess(Log(("run.log",), "megatron", tuple(lines), 0, 0, 0, {}), sequence_length, devices, None).kept


def compare(sequence_length, devices=16, **more):
    return framework.compare(
        MIXTRAL, rated(sequence_length, devices=devices), sequence_length, devices, "megatron", **more
    )


def test_as_stated_the_framework_counted_half():
    found = compare(4096)
    exact = CONVENTIONS["exact_visible_pairs"].per_token(MIXTRAL, 4096)
    assert found.flops_per_token / float(exact) == pytest.approx(0.5, abs=1e-3)


def test_two_readings_explain_it_and_no_other():
    """Sequences of 2048 by the formula of the time, or 32 GPUs by today's; the thread prints a world size of 16."""
    readings = {(one.convention, one.sequence_length, one.device_factor) for one in compare(4096).explanations}
    assert readings == {("megatron_2024", 2048, 1), ("megatron", 4096, 2)}
    (only,) = compare(4096, devices_told=True).explanations
    assert (only.convention, only.sequence_length) == ("megatron_2024", 2048)


def test_at_2048_it_is_the_formula_of_the_time():
    (only,) = compare(2048).explanations
    assert (only.convention, only.sequence_length, only.device_factor) == ("megatron_2024", 2048, 1)
    assert abs(only.error) < 2e-4  # what one decimal of TFLOP/s hides


def test_today_s_formula_at_2048_does_not_explain_it():
    today = float(CONVENTIONS["megatron"].per_token(MIXTRAL, 2048))
    assert compare(2048).flops_per_token / today == pytest.approx(1.0206, abs=1e-3)


def test_the_old_formula_counts_all_pairs():
    """12 B S L h^2 (1 + g/a + S/h + 3/2 k f/h + V/(2Lh)), arXiv 2104.04473 with experts, SwiGLU and shared keys."""
    layers, d, width, vocabulary, length = 32, 4096, 14336, 32000, 2048
    ratio = 1 + Fraction(8, 32) + Fraction(length, d) + Fraction(3, 2) * 2 * Fraction(width, d)
    expected = 12 * length * layers * d * d * (ratio + Fraction(vocabulary, 2 * layers * d))
    assert framework.MEGATRON_2024.total(MIXTRAL, length) == expected


@pytest.mark.parametrize("name", ["megatron", "megatron_2024"])
@pytest.mark.parametrize("devices", [8, 64])
def test_a_log_that_counts_as_stated_is_recognised(name, devices):
    convention = {**CONVENTIONS, "megatron_2024": framework.MEGATRON_2024}[name]
    work = float(convention.per_token(MIXTRAL, 4096)) * 4096 * 128
    lines = [Line(number=1, step=100, seconds=5.0, samples=128, tflops=round(work / 5 / devices / 1e12, 1))]
    found = framework.compare(MIXTRAL, rated(4096, lines, devices), 4096, devices, "megatron")
    assert [(one.convention, one.sequence_length, one.device_factor) for one in found.explanations] == [(name, 4096, 1)]


def test_what_nothing_explains():
    lines = [Line(number=1, step=100, seconds=5.0, samples=128, tflops=777.7)]
    assert framework.compare(MIXTRAL, rated(4096, lines), 4096, 16, "megatron").explanations == ()


def test_without_a_figure_of_the_framework():
    lines = [Line(number=1, step=100, seconds=5.0, samples=128)]
    assert framework.compare(MIXTRAL, rated(4096, lines), 4096, 16, "megatron") is None


def test_the_old_formula_is_for_plain_mixtures_of_experts_only():
    assert not framework.MEGATRON_2024.applies_to(architecture("deepseek-v3"))
    assert not framework.MEGATRON_2024.applies_to(architecture("v4-pro"))


@pytest.mark.skipif(not SHARED.exists(), reason="the shared log is not here")
def test_the_shared_log_has_these_figures():
    assert [(line.seconds, line.tflops) for line in read([SHARED]).lines] == [pytest.approx(pair) for pair in POSTED]
