"""The hardware file: every figure with its source, and what can be wrong in such a file."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting import hardware
from trex.common.errors import UserError

DEVICES = hardware.load()
FIELDS = ("memory_gb", "memory_bandwidth_gb_per_s", "scale_up_gb_per_s", "scale_out_gb_per_s", "power_w")
WANTED = ("ascend-910c-die", "ascend-910c", "ascend-910b", "h100", "h800", "h200", "b200", "gb200")


def quantities(device):
    kept = [getattr(device, field) for field in FIELDS]
    return [*device.peak_tflops.values(), *(one for one in kept if one is not None)]


def test_the_devices_that_users_have_are_there():
    assert set(WANTED) <= DEVICES.keys()


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_every_figure_has_a_dated_source_or_is_unverified(device):
    for one in quantities(device):
        assert not one.verified or (one.source != "no source" and one.date)
        assert all(other.value != one.value for other in one.alternatives)


def test_a_die_is_half_of_its_package():
    die, package = DEVICES["ascend-910c-die"], DEVICES["ascend-910c"]
    for one, two in zip(quantities(die), quantities(package), strict=True):
        assert 2 * one.value == two.value
        assert [2 * other.value for other in one.alternatives] == [other.value for other in two.alternatives]


def test_the_figures_in_circulation_for_the_910c():
    assert [one.value for one in DEVICES["ascend-910c"].peak("bf16").all] == [752, 708, 780, 800]


def test_peaks_are_dense():
    """Twice these are printed for structured sparsity."""
    assert DEVICES["h100"].peak("bfloat16").value == pytest.approx(989, rel=1e-3)
    assert DEVICES["b200"].peak("bf16").value == 2250
    assert DEVICES["gb200"].peak("bf16").value == 2500


def test_a_dtype_without_a_peak_has_none():
    assert DEVICES["ascend-910c-die"].peak("fp8") is None


@pytest.mark.parametrize("dtype", ["bf61", "", "bfloat"])
def test_what_is_no_dtype_is_refused(dtype):
    with pytest.raises(UserError, match="is not known; give one of"):
        DEVICES["h100"].peak(dtype)


def test_an_unknown_device_lists_the_known_and_the_nearest():
    with pytest.raises(UserError, match=r"h100.*did you mean ascend-910c"):
        hardware.device("ascend-910d")


def test_every_source_is_used():
    content = yaml.safe_load(hardware.FILE.read_text(encoding="utf-8"))
    assert hardware.cited(content["devices"]) == content["sources"].keys()


def write(folder, content):
    path = folder / "mine.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return path


def entry(**quantity):
    return {
        "sources": {"sheet": {"title": "a sheet", "date": "2026-01-01"}},
        "devices": {"mine": {"name": "mine", "peak_tflops": {"bf16": {"value": 2.5, "source": "sheet"} | quantity}}},
    }


def test_a_file_of_the_user(tmp_path):
    peak = hardware.device("mine", write(tmp_path, entry(note="at 1 GHz"))).peak("bf16")
    assert (peak.value, peak.source, peak.date, peak.note, peak.verified) == (
        2.5,
        "a sheet",
        "2026-01-01",
        "at 1 GHz",
        True,
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("devices: [", "not valid YAML"),
        ("", "a section"),
        (entry(value=-1), "-1"),
        (entry(value="many"), "allowed: a number"),
        (entry(source="elsewhere"), "unknown source 'elsewhere'"),
        (entry(unit="W"), "unknown key"),
        (entry() | {"sources": {"sheet": {"title": "undated"}}}, "undated"),
        ({"sources": {}, "devices": {"mine": {"name": "mine"}}}, "peak_tflops"),
        ({"sources": {}, "devices": {"mine": {"name": "m", "peak_tflops": {"bf16": {"value": 1}}}}}, "bf16"),
    ],
)
def test_a_wrong_file_is_one_clear_line(tmp_path, content, complaint):
    with pytest.raises(UserError, match=complaint) as caught:
        hardware.load(write(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        hardware.load(tmp_path / "none.yaml")


@given(st.dictionaries(st.sampled_from(["float32", "bfloat16"]), st.floats(1e-3, 1e3), min_size=1))
def test_this_cpu_is_what_was_measured(tmp_path_factory, peaks):
    path = tmp_path_factory.mktemp("peak") / "peak.json"
    path.write_text(json.dumps({"threads": 2, "peak_tflops": peaks}))
    found = hardware.device(str(path))
    assert {dtype: found.peak(dtype).value for dtype in peaks} == peaks
    assert "2 threads" in found.name


@pytest.mark.parametrize("content", ["[]", "{}", '{"peak_tflops": {"bfloat16": 1}}'])
def test_a_json_that_is_no_peak_json(tmp_path, content):
    path = tmp_path / "peak.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"not a peak\.json"):
        hardware.device(str(path))
