import json

import pytest
import torch

from tests.model.conftest import alone, tokens_of
from trex.common.errors import UserError
from trex.model import checkpoint


def test_a_loaded_model_gives_the_same_logits(model, tmp_path):
    checkpoint.save(model, tmp_path, {})
    tokens = tokens_of(25)
    assert torch.equal(alone(model, tokens), alone(checkpoint.load(tmp_path), tokens))


def test_the_hash_table_and_the_biases_are_saved(model, tmp_path):
    checkpoint.save(model, tmp_path, {})
    loaded = checkpoint.load(tmp_path)
    assert torch.equal(loaded.blocks[0].experts.router.table, model.blocks[0].experts.router.table)
    assert torch.equal(loaded.blocks[1].experts.router.bias, model.blocks[1].experts.router.bias)


def test_the_same_model_gives_the_same_bytes(model, tmp_path):
    for name in "ab":
        checkpoint.save(model, tmp_path / name, {"step": "x"})
    assert (tmp_path / "a/model.safetensors").read_bytes() == (tmp_path / "b/model.safetensors").read_bytes()


@pytest.mark.parametrize("damage", ["missing", "cut", "foreign"])
def test_a_damaged_checkpoint_is_named(model, tmp_path, damage):
    checkpoint.save(model, tmp_path, {})
    weights = tmp_path / "model.safetensors"
    if damage == "missing":
        weights.unlink()
    elif damage == "cut":
        weights.write_bytes(weights.read_bytes()[:1000])
    else:
        config = (tmp_path / "config.json").read_text().replace('"hidden_size": 32', '"hidden_size": 64')
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(UserError, match=r"model\.safetensors"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"hidden_size": 64}, "shape"),
        ({"num_nextn_predict_layers": 0}, "mtp.* is no part"),
        ({"compress_ratios": [0, 4, 8, 0]}, r"blocks\.3\..* is missing"),
        ({"num_hash_layers": 0}, r"blocks\.0\.experts\.router\.bias is missing"),
    ],
)
def test_a_config_of_another_model_is_told_by_the_tensor_that_does_not_fit(model, tmp_path, changes, named):
    checkpoint.save(model, tmp_path, {})
    content = json.loads((tmp_path / "config.json").read_text())
    content["model"] |= changes
    (tmp_path / "config.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=named):
        checkpoint.load(tmp_path)
