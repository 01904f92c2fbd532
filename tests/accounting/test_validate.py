"""The step on a tiny model, its verdicts, and what it refuses. No time is asserted."""

import dataclasses
import json
import subprocess
import sys

import pandas as pd
import pytest

from trex.accounting import validate
from trex.accounting.miniature import measure, predict
from trex.accounting.miniature.measure import Measured
from trex.accounting.miniature.predict import MEMORY_TERMS, TIME_TERMS, Predictor
from trex.accounting.miniature.setting import Setting
from trex.common.errors import UserError

SMALL = {
    "batch_size": 1,
    "sequence_length": 64,
    "width": 1,
    "threads": "one",
    "precision": "float32",
    "recomputation": False,
}
SETTINGS = {
    "rounds": 1,
    "warmup_steps": 1,
    "steps": 2,
    "peak_repetitions": 1,
    "fitted": [SMALL, SMALL | {"recomputation": True}],
    "tested": [SMALL | {"sequence_length": 128, "precision": "bfloat16"}],
}
PLAIN = Setting(1, 64, 1, 1, "float32", recomputation=False)


@pytest.fixture
def inputs(tmp_path, tiny):
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    peak = {"threads": 1, "peak_tflops": {"float32": 0.1, "bfloat16": 0.2}}
    (tmp_path / "peak.json").write_text(json.dumps(peak))
    return tmp_path


def run(folder, settings, threads=1):
    command = [sys.executable, "-m", "trex.accounting.validate", "--settings", json.dumps(settings), "--seed", "1"]
    for option, name in (
        ("model-config", "config.json"),
        ("peak", "peak.json"),
        ("out", "v.csv"),
        ("report", "v.json"),
    ):
        command += [f"--{option}", str(folder / name)]
    return subprocess.run([*command, "--threads", str(threads)], capture_output=True, text=True, check=False)


def test_step_predicts_and_measures(inputs):
    done = run(inputs, SETTINGS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and "descriptive: 1 tested" in done.stdout
    frame = pd.read_csv(inputs / "v.csv")
    assert list(frame["set"]) == ["fitted", "fitted", "tested"]
    assert list(frame.extrapolated) == [False, False, True]
    assert (frame.timed_steps == 2).all()
    assert (frame.step_seconds <= frame.step_seconds_median).all()
    assert (frame.step_seconds_median <= frame.step_seconds_max).all()
    assert (frame.step_seconds_predicted >= 0).all()
    report = json.loads((inputs / "v.json").read_text())
    assert set(report["time_coefficients"]) == set(TIME_TERMS)
    assert report["parallel_layouts"] == "not validated"
    if report["memory"]:  # where there is /proc
        assert set(report["memory_coefficients"]) == set(MEMORY_TERMS)
        assert (frame.memory_mib > 0).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tested": [SMALL]}, "both fitted and tested"),
        ({"tested": [SMALL | {"width": 0.3}]}, "no whole number"),
        ({"rounds": None}, None),
    ],
)
def test_bad_settings_are_one_clear_line(inputs, change, said):
    settings = {name: value for name, value in (SETTINGS | change).items() if value is not None}
    done = run(inputs, settings)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert (said or "lack the key 'rounds'") in done.stderr
    assert not (inputs / "v.csv").exists()


def test_peak_of_other_threads_is_refused(inputs):
    done = run(inputs, SETTINGS, threads=2)
    assert done.returncode == 2 and "peak of 1 threads" in done.stderr


def test_a_process_that_ends_is_one_clear_error():
    with pytest.raises(UserError, match=r"ended with exit code 1.*accounting\.validation"):
        measure.apart(measure.peaks, -1, 1)


@pytest.mark.parametrize(
    ("median", "tested", "said"),
    [(0.08, 12, "validated within 8%"), (0.2, 12, "NOT validated"), (0.01, 11, "descriptive")],
)
def test_verdicts(median, tested, said):
    assert validate.verdict(median, tested, 0.1).startswith(said)


@pytest.mark.parametrize(("idle_share", "busy"), [(0.1, False), (0.5, True)])
def test_a_verdict_on_time_says_where_the_machine_was_busy(idle_share, busy):
    found = validate.on_busy_machine({"verdict": "NOT validated"}, idle_share)["verdict"]
    assert found.startswith("NOT validated") and ("machine was busy (threads idle 50%)" in found) == busy
    assert validate.on_busy_machine(None, idle_share) is None


def test_errors_are_relative_to_what_was_measured(tiny):
    time = dict.fromkeys(TIME_TERMS, 0.0) | {"layers": 1.0}
    states = predict.states(tiny, PLAIN)
    memory = dict.fromkeys(MEMORY_TERMS, 0.0) | {"base": 2.0 * states}
    predictor = Predictor(tiny, {1: {"float32": 1.0}}, time, memory)
    seconds = predictor.seconds(PLAIN)
    result = Measured([2 * seconds, 4 * seconds, 5 * seconds], [seconds] * 3, 4 * states)
    row = validate.row("tested", PLAIN, predictor, result, 3, False)
    assert row["time_error"] == pytest.approx(-0.5) and row["time_error_median"] == pytest.approx(-0.75)
    assert row["memory_error"] == pytest.approx(-0.25)
    assert row["idle_share"] == pytest.approx(1 - 3 / 11)


def test_without_proc_time_alone_is_validated(tiny):
    result = Measured([1.0], [1.0], None)
    predictor = validate.fit([PLAIN], {PLAIN: result}, tiny, {1: {"float32": 1.0}}, 3)
    again = dataclasses.replace(PLAIN, batch_size=2)
    found, results = {"fitted": [PLAIN], "tested": [again]}, {PLAIN: result, again: result}
    frame = validate.table(found, predictor, results, 3)
    assert frame.memory_error.isna().all()
    assert validate.summary(frame, "memory_error", "memory") is None
    assert validate.summary(frame, "time_error", "time")["tested"] == 1
