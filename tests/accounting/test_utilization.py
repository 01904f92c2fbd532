"""MFU and HFU against the facts, and what must hold for any run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.accounting import hardware
from trex.accounting.counting.read import architecture
from trex.accounting.hardware import Quantity
from trex.accounting.utilization import of_step, utilization

PRO, FLASH = architecture("v4-pro"), architecture("v4-flash")
DIE = (Quantity(376, "die"),)


def test_the_pro_run_of_the_record():
    """8,192 tokens a die in 26.6 s: 25.6 % of 376 TFLOP/s, and 34 % with full recomputation."""
    rate = of_step(26.6, 1024, 4096)
    found = utilization(PRO, 4096, rate, 512, DIE)
    assert rate / 512 == pytest.approx(8192 / 26.6)
    assert found.mfu == pytest.approx(0.256, abs=5e-4)
    assert found.hfu("full") == pytest.approx(0.340, abs=5e-4)
    assert found.hfu("none") == found.mfu


@pytest.mark.parametrize(("model", "rate"), [(FLASH, 8783.9), (PRO, 2406.6)])
def test_all_of_a_package(model, rate):
    """Tokens per second at 100 % of 752 TFLOP/s, main model, 4096 tokens."""
    assert utilization(model, 4096, rate, 1, (Quantity(752, "package"),)).mfu == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize(("model", "ratio"), [(FLASH, 1.321), (PRO, 1.327)])
def test_hfu_of_full_recomputation(model, ratio):
    found = utilization(model, 4096, 100, 1, DIE)
    assert found.hfu("full") / found.mfu == pytest.approx(ratio, abs=5e-4)


def test_the_range_leaves_out_hardware_counts_and_known_mistakes():
    found = utilization(PRO, 4096, 308, 1, DIE)
    low, high = found.range
    assert low == found.row("6n").shares[0]
    assert high == found.row("torchtitan_mtp").shares[0]
    assert found.row("primus_by_streams_mtp").shares[0] > 1


def test_without_a_peak_there_is_no_share():
    found = utilization(PRO, 4096, 308, 1, ())
    assert (found.mfu, found.hfu("full"), found.range) == (None, None, None)
    assert found.exact.device_flops == pytest.approx(308 * 312.4724e9, rel=1e-6)


def test_deepseek_v3_as_published():
    """14.8T tokens in 2.664M H800 hours (arXiv 2412.19437); MFU 38.94 % of the causal count (arXiv 2505.09343)."""
    rate = 14.8e12 / (2.664e6 * 3600)
    found = utilization(architecture("deepseek-v3"), 4096, rate, 1, hardware.load()["h800"].peak("bf16").all)
    assert found.row("megatron").shares[0] == pytest.approx(0.3894, abs=1e-3)
    assert found.mfu == pytest.approx(0.3894, abs=2e-3)


@settings(max_examples=10, deadline=None)  # an architecture takes a while to lay out
@given(
    st.floats(0.01, 0.99),
    st.integers(1, 10_000),
    st.floats(1, 5000),
    st.sampled_from([128, 4096]),
)
def test_a_rate_made_from_an_mfu_gives_that_mfu(share, devices, peak, length):
    once = utilization(FLASH, length, 1.0, 1, (Quantity(1.0, "one"),)).mfu
    found = utilization(FLASH, length, share * devices * peak / once, devices, (Quantity(peak, "given"),))
    assert found.mfu == pytest.approx(share)


@settings(max_examples=10, deadline=None)
@given(st.floats(1, 1e6), st.integers(2, 100))
def test_a_die_counted_as_a_package_halves_nothing_if_the_peak_doubles(rate, devices):
    dies = utilization(FLASH, 512, rate, 2 * devices, (Quantity(376, "die"),))
    packages = utilization(FLASH, 512, rate, devices, (Quantity(752, "package"),))
    assert dies.mfu == pytest.approx(packages.mfu)
