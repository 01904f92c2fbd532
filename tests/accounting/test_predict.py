"""The command that answers from a run's validation."""

import json
import subprocess
import sys

import pytest

from trex.accounting import predict
from trex.accounting.miniature.predict import MEMORY_TERMS, TIME_TERMS
from trex.common import provenance


@pytest.fixture
def validation(tmp_path, tiny):
    found = {
        "model": tiny.to_dict(),
        "steps": 3,
        "peak_tflops": {"1": {"float32": 0.1, "bfloat16": 0.2}},
        "time_coefficients": dict.fromkeys(TIME_TERMS, 0.0) | {"layers": 0.5},
        "memory_coefficients": dict.fromkeys(MEMORY_TERMS, 0.0) | {"base": 2.0**20},
        "time": {"verdict": "validated within 5%"},
        "memory": {"verdict": "descriptive"},
        "parallel_layouts": "not validated",
    }
    path = tmp_path / "validation.json"
    path.write_text(json.dumps(found))
    return path


def run(path, *more):
    command = [sys.executable, "-m", "trex.accounting.predict", "--validation", str(path), "--batch-size", "2"]
    command += ["--sequence-length", "64", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_answer_says_how_far_it_can_be_trusted(validation):
    done = run(validation, "--threads", "1")
    assert done.returncode == 0, done.stderr
    step, term, memory, layouts = done.stdout.splitlines()
    assert step == "step 4.500 s, 28 tokens/s: validated within 5%"  # 3 layers, 3 passes, half a second each
    assert term.split() == ["layers", "4.500", "s", "100.0%"]
    assert memory.startswith("memory") and memory.endswith("after 3 steps: descriptive")
    assert layouts == "parallel layouts: not validated"


@pytest.mark.parametrize(
    ("more", "said"), [(["--threads", "2"], "known: 1"), (["--threads", "1", "--width", "0.3"], "no whole number")]
)
def test_what_was_not_measured_is_one_clear_line(validation, more, said):
    done = run(validation, *more)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and said in done.stderr


def test_another_file_is_one_clear_line(tmp_path):
    path = tmp_path / "peak.json"
    path.write_text("{}")
    done = run(path, "--threads", "1")
    assert done.returncode == 2 and "not accounting/validation.json" in done.stderr


def test_no_torch():
    assert "torch" not in provenance.libraries(predict.__name__)


@pytest.mark.parametrize("width", ["nan", "inf", "0", "-1"])
def test_a_width_that_is_none_is_refused(validation, width):
    done = run(validation, "--threads", "1", "--width", width)
    assert done.returncode == 2 and "--width" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("key", ["model", "steps", "peak_tflops", "time_coefficients", "time", "memory"])
def test_each_missing_part_is_one_clear_line(validation, key):
    found = json.loads(validation.read_text())
    del found[key]
    validation.write_text(json.dumps(found))
    done = run(validation, "--threads", "1")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and key in done.stderr
