import json
import subprocess
import sys

import pytest

from tests.model.conftest import small_config
from tests.training.conftest import SETTINGS
from trex.model import checkpoint


def run(packed, model_json, out, *more, arm="base"):
    command = [sys.executable, "-m", "trex.training.train", "--arm", arm, "--packed", packed, "--model", model_json]
    command += ["--settings", json.dumps(SETTINGS | {"tokens": 512}), "--seed", "3", "--threads", "1", "--out", out]
    return subprocess.run([*map(str, command), *map(str, more)], capture_output=True, text=True)


@pytest.fixture
def base(packed, model_json, tmp_path):
    result = run(packed, model_json, tmp_path / "base")
    assert result.returncode == 0, result.stderr
    return tmp_path / "base"


def test_an_arm_starts_from_another_and_both_are_recorded(base, packed, model_json, tmp_path):
    result = run(packed, model_json, tmp_path / "sft", "--init", base, arm="sft")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("sft: 512 tokens in 4 steps")
    assert checkpoint.load(tmp_path / "sft").config == small_config()
    steps = [json.loads(line) for line in (tmp_path / "sft/metrics.jsonl").read_text().splitlines()]
    assert [step["step"] for step in steps] == [1, 2, 3, 4]
    assert all(len(step["expert_load"]) == 4 and step["mtp_loss"] > 0 for step in steps)
    assert set(json.loads((tmp_path / "sft/config.json").read_text())["provenance"]["inputs"]) == {"init", "packed"}


def test_a_model_that_does_not_fit_is_refused_and_nothing_written(base, packed, tmp_path):
    other = json.dumps(small_config(hidden_size=48).to_dict())
    result = run(packed, other, tmp_path / "sft", "--init", base)
    assert result.returncode == 2
    assert "train that arm again" in result.stderr
    assert not (tmp_path / "sft").exists()


def test_a_token_outside_the_vocabulary_is_refused(packed, tmp_path):
    result = run(packed, json.dumps(small_config(vocab_size=20).to_dict()), tmp_path / "base")
    assert result.returncode == 2
    assert "corpus.vocab_size" in result.stderr
