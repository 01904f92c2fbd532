"""The ladder's arithmetic and draws, and the step as a whole on a tiny model."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from trex.accounting import ladder
from trex.accounting.counting.conventions import CONVENTIONS, EXACT
from trex.accounting.counting.read import of
from trex.common.errors import UserError

SETTINGS = {"batch_size": 2, "steps": 1, "warmup_steps": 1, "repetitions": 3, "learning_rate": 1e-3}


def test_table_pairs_repetitions_of_the_same_turn():
    base = {"rates": [100.0, 50.0, 100.0], "losses": [2.0, 1.0], "peak_rss_mb": 10.0, "variant": ""}
    base["watts"] = [math.nan] * 3
    ours = base | {"rates": [200.0, 100.0, 300.0], "watts": [40.0, 60.0, 50.0]}
    frame = ladder.table({"open_source": base, "ours_plain": ours}, 1e9, 1.0).set_index("recipe")
    row = frame.loc["ours_plain"]
    assert (row.speedup, row.speedup_min, row.speedup_max) == (2.0, 2.0, 3.0)
    assert (row.tokens_per_second, row.tokens_per_second_min, row.tokens_per_second_max) == (200.0, 100.0, 300.0)
    assert row.mfu == row.hfu == pytest.approx(200 * 1e9 / 1e12)
    assert (row.loss, row.loss_last) == (2.0, 1.0)
    assert (row.watts, row.watts_min, row.watts_max) == (50.0, 40.0, 60.0)
    assert math.isnan(frame.loc["open_source"].watts)
    assert frame.loc["open_source"].speedup == 1.0


def test_batches_depend_on_the_seed_alone():
    rows = np.arange(60).reshape(6, 10)
    first, again = ladder.draw_batches(rows, SETTINGS, 1), ladder.draw_batches(rows, SETTINGS, 1)
    assert [batch.shape for batch in first] == [(1, 2, 10)] * 4
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, ladder.draw_batches(rows, SETTINGS, 2), strict=True))


def test_missing_packed_file_is_one_clear_error(tmp_path):
    with pytest.raises(UserError, match=r"packed\.safetensors"):
        ladder.read_tokens(str(tmp_path / "packed.safetensors"))


def test_recipe_that_ends_is_one_clear_error(tiny):
    with (
        pytest.raises(UserError, match="recipe no_such_recipe ended with exit code 1"),
        ladder.worker("no_such_recipe", tiny, SETTINGS, 1, 1) as (process, connection),
    ):
        ladder.ask(process, connection, np.zeros((1, 2, 10), np.int64))


@pytest.fixture
def inputs(tmp_path, tiny):
    tokens = np.random.default_rng(0).integers(0, tiny.vocab_size, size=(8, 40), dtype=np.int32)
    save_file({"tokens": tokens}, tmp_path / "packed.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    (tmp_path / "peak.json").write_text(json.dumps({"threads": 1, "peak_tflops": {"float32": 0.2}}))
    return tmp_path


def run(folder, threads):
    command = [sys.executable, "-m", "trex.accounting.ladder", "--settings", json.dumps(SETTINGS), "--seed", "1"]
    for option, name in (("model-config", "config.json"), ("packed", "packed.safetensors"), ("peak", "peak.json")):
        command += [f"--{option}", str(folder / name)]
    command += ["--threads", str(threads), "--out", str(folder / "ladder.csv")]
    return subprocess.run(command, capture_output=True, text=True)


def test_step_writes_both_rungs_with_equal_losses(inputs, tiny):
    done = run(inputs, threads=1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    frame = pd.read_csv(inputs / "ladder.csv")
    assert list(frame.recipe) == ["open_source", "ours_plain"]
    assert frame.loss.diff().iloc[1] == pytest.approx(0, abs=1e-4)
    assert frame.loss_last.diff().iloc[1] == pytest.approx(0, abs=1e-3)
    assert (frame.flops_per_token == float(CONVENTIONS[EXACT].per_token(of("tiny", tiny, "here"), 40))).all()
    assert (frame.tokens_per_second_min <= frame.tokens_per_second).all()
    assert (frame.peak_rss_mb > 100).all()
    assert frame.columns[:16].tolist() == [
        "model",
        "recipe",
        "variant",
        "precision",
        "tokens_per_second",
        "tokens_per_second_min",
        "tokens_per_second_max",
        "flops_per_token",
        "mfu",
        "hfu",
        "peak_tflops",
        "speedup",
        "peak_rss_mb",
        "loss",
        "speedup_min",
        "speedup_max",
    ]


def test_peak_of_other_threads_is_refused(inputs):
    done = run(inputs, threads=2)
    assert done.returncode == 2
    assert "peak of 1 threads" in done.stderr
    assert not (inputs / "ladder.csv").exists()
