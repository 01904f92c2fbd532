import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.model.conftest import small_config
from tests.training.conftest import SETTINGS
from trex.model import checkpoint, export
from trex.model.huggingface_weights import to_hf_state


def run(packed, model_json, out, *more, arm="base", settings=SETTINGS):
    command = [sys.executable, "-m", "trex.training.train", "--arm", arm, "--packed", packed, "--model", model_json]
    command += ["--settings", json.dumps(settings | {"tokens": 512}), "--seed", "3", "--threads", "1", "--out", out]
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


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"micro_batch_rows": -1}, "micro_batch_rows"),
        ({"batch_rows": 0}, "batch_rows"),
        ({"mtp_weight": float("nan")}, "mtp_weight"),
        ({"lr": "fast"}, "lr"),
        ({"learning_rate": 0.1}, "learning_rate"),
    ],
)
def test_settings_are_checked_before_the_training(packed, model_json, tmp_path, settings, named):
    result = run(packed, model_json, tmp_path / "base", settings=SETTINGS | settings)
    assert result.returncode == 2
    assert named in result.stderr and "Traceback" not in result.stderr
    assert not (tmp_path / "base").exists()


def test_a_setting_that_the_last_steps_alone_read_is_missed_before_the_first(packed, model_json, tmp_path):
    settings = {name: value for name, value in SETTINGS.items() if name != "mtp_decay_weight"}
    result = run(packed, model_json, tmp_path / "base", settings=settings)
    assert result.returncode == 2
    assert "mtp_decay_weight" in result.stderr


def test_an_arm_starts_from_a_folder_of_several_files_of_weights(base, packed, model_json, tmp_path):
    """As transformers writes them, with an index."""
    folder, tensors = tmp_path / "shards", to_hf_state(load_file(base / "model.safetensors"))
    export.write_model(checkpoint.load(base), folder, {})
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    places = {name: f"model-{number % 2}.safetensors" for number, name in enumerate(names)}
    for file in set(places.values()):
        save_file({name: tensors[name] for name in names if places[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    for name, init in (("one", base), ("several", folder)):
        result = run(packed, model_json, tmp_path / name, "--init", init, arm="sft")
        assert result.returncode == 0, result.stderr
    one, several = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "several"))
    assert all(torch.equal(one[name], several[name]) for name in one)
