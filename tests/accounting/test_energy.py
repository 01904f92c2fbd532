import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting import energy

RANGE = 262143328850


def zone(root, folder, name, microjoules=1000):
    (root / folder).mkdir()
    (root / folder / "name").write_text(f"{name}\n")
    (root / folder / "energy_uj").write_text(f"{microjoules}\n")
    (root / folder / "max_energy_range_uj").write_text(f"{RANGE}\n")


@pytest.fixture
def powercap(tmp_path):
    """Two packages, one with memory; and what counts the same energy again."""
    zone(tmp_path, "intel-rapl:0", "package-0", 5_000_000)
    zone(tmp_path, "intel-rapl:0:0", "core")
    zone(tmp_path, "intel-rapl:0:1", "dram", 1_000_000)
    zone(tmp_path, "intel-rapl:1", "package-1", RANGE)
    zone(tmp_path, "intel-rapl:2", "psys")
    zone(tmp_path, "intel-rapl-mmio:0", "package-0")
    return tmp_path


def test_packages_and_memory_count_and_nothing_twice(powercap):
    assert energy.counters(powercap).keys() == {"intel-rapl:0", "intel-rapl:0:1", "intel-rapl:1"}


def test_energy_between_two_readings_of_which_one_counter_has_turned(powercap):
    before = energy.counters(powercap)
    for folder, microjoules in (("intel-rapl:0", 8_000_000), ("intel-rapl:0:1", 1_500_000), ("intel-rapl:1", 999_999)):
        (powercap / folder / "energy_uj").write_text(str(microjoules))
    assert energy.joules(before, energy.counters(powercap)) == pytest.approx(3 + 0.5 + 1)


@given(start=st.integers(0, RANGE), used=st.integers(0, RANGE))
def test_a_turn_loses_no_energy(start, used):
    before, after = {"zone": (start, RANGE)}, {"zone": ((start + used) % (RANGE + 1), RANGE)}
    assert energy.joules(before, after) == pytest.approx(used / 1e6)


@pytest.mark.parametrize("text", ["", "not a number"])
def test_what_cannot_be_read_is_no_measurement(powercap, text):
    (powercap / "intel-rapl:1/energy_uj").write_text(text)
    assert energy.counters(powercap) is None
    assert energy.joules(None, None) is None


def test_a_machine_without_counters(tmp_path):
    assert energy.counters(tmp_path) is None and energy.counters(tmp_path / "none") is None


def test_a_counter_that_went_away_is_no_measurement():
    assert energy.joules({"a": (1, RANGE), "b": (1, RANGE)}, {"a": (2, RANGE)}) is None


def test_an_estimate_says_that_it_is_one_and_has_a_range():
    power = energy.estimate(4)
    assert power.basis.startswith("ESTIMATE") and power.low < power.watts < power.high
    assert power.watts == 4 * energy.estimate(1).watts
    assert energy.given(120.0) == energy.Power(120.0, 120.0, 120.0, "user-supplied")
