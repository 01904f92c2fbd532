"""Agreement with transformers' implementation, and that the comparison would notice what is wrong."""

import dataclasses
import subprocess
import sys

import pandas as pd
import pytest
import torch

from trex.common import seeds
from trex.model import checkpoint, hyper_connections, oracle
from trex.model.config import ModelConfig

pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def rows():
    return oracle.random_rows(seed=1)


def test_every_kind_of_layer_agrees_at_every_length(rows):
    """Logits to 1e-5 of the largest, gradients to 1e-4 by norm, in float32."""
    assert {(row["kind"], row["rope_scaling"], row["length"]) for row in rows} == {
        (kind, scaling, length)
        for kind in ("window", "csa", "hca", "all")
        for scaling in (("none",) if kind == "window" else ("none", "YaRN"))
        for length in oracle.LENGTHS
    }
    for row in rows:
        assert row["logits_difference"] <= 1e-5, row
        assert row["gradient_difference"] <= 1e-4, row
        assert row["agrees"] and row["tokens_off"] == 0


def test_the_lengths_are_what_they_are_said_to_be():
    csa, hca = oracle.SHAPE.csa_ratio, max(oracle.SHAPE.compress_ratios)
    shortest, below, remainder, whole = oracle.LENGTHS
    assert shortest < csa < hca <= below < oracle.SHAPE.sliding_window < remainder < whole
    assert remainder % csa and remainder % hca and not whole % csa and not whole % hca


@pytest.fixture(scope="module")
def pair():
    """(our model with all kinds of layers and YaRN, transformers' of the same weights)."""
    *_, (_, config) = oracle.shapes()
    model = oracle.random_model(config, 5)
    return model, oracle.counterpart(model)


def test_no_weight_of_the_random_model_is_degenerate(pair):
    model, _ = pair
    for name, tensor in model.state_dict().items():
        values = tensor.float()
        assert tensor.numel() == 1 or values.std() > 0.05, name
        assert not ((values == 0) | (values == 1)).any() or name.endswith("router.table"), name


def test_the_clamps_and_the_choices_bind(pair):
    """What never binds is not compared: without the clamp, or with all entries or experts, the logits are others."""
    model, _ = pair
    tokens = oracle.random_tokens(model.config, 96, 0)
    expected = logits(model, model.config, tokens)
    for change in ({"swiglu_limit": 100.0}, {"index_topk": 50}, {"sliding_window": 96}, {"hc_sinkhorn_iters": 1}):
        changed = logits(model, dataclasses.replace(model.config, **change), tokens)
        assert (changed - expected).abs().max() > 1e-3 * expected.abs().max(), change


def logits(model, config: ModelConfig, tokens: torch.Tensor) -> torch.Tensor:
    """Of a model with the same weights and another configuration."""
    other = type(model)(config)
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        return other(tokens, torch.ones_like(tokens), torch.arange(tokens.shape[1]).expand_as(tokens))


@pytest.mark.parametrize(
    "change",
    [
        {"rope_scaling": None},
        {"rope_scaling": dataclasses.replace(oracle.YARN, beta_slow=1.5)},
        {"compress_rope_theta": 100000.0},
        {"rope_theta": 12000.0},
        {"routed_scaling_factor": 1.51},
        {"index_topk": 4},
        {"sliding_window": 23},
        {"hc_sinkhorn_iters": 4},
        {"swiglu_limit": 1.4},
        {"shared_expert_clamp": False},
    ],
)
def test_another_shape_is_noticed(pair, change):
    model, theirs = pair
    other = type(model)(dataclasses.replace(model.config, **change))
    other.load_state_dict(model.state_dict())
    tokens = oracle.random_tokens(model.config, 61, 3)
    assert not oracle.compare(other, theirs, tokens)["agrees"]


def test_transposed_mixing_matrices_are_noticed(pair, monkeypatch):
    model, theirs = pair
    right = hyper_connections.HyperConnection.write
    monkeypatch.setattr(
        hyper_connections.HyperConnection,
        "write",
        staticmethod(lambda streams, result, post, mix: right(streams, result, post, mix.transpose(0, 1))),
    )
    found = oracle.compare(model, theirs, oracle.random_tokens(model.config, 61, 3))
    assert not found["agrees"] and found["tokens_off"] == found["tokens"]


def test_a_changed_weight_is_noticed(pair):
    """Also where it changes little else: sinks, slot biases and scales, by a hundredth of themselves."""
    model, theirs = pair
    tokens = oracle.random_tokens(model.config, 61, 3)
    for name in ("blocks.1.attention.compressor.ape", "blocks.2.attention.sink", "blocks.3.experts_streams.scale"):
        parameter = model.get_parameter(name)
        before = parameter.detach().clone()
        with torch.no_grad():
            parameter.mul_(1.01)
        assert not oracle.compare(model, theirs, tokens)["agrees"], name
        with torch.no_grad():
            parameter.copy_(before)
    assert oracle.settled(model, theirs, 61, 3)["agrees"]


def test_tokens_that_disagree_are_drawn_again(pair, monkeypatch):
    model, theirs = pair
    outcomes = iter([False, False, True])
    monkeypatch.setattr(oracle, "compare", lambda *_: {"agrees": next(outcomes)})
    assert oracle.settled(model, theirs, 16, 0) == {"agrees": True, "draws": 3}
    monkeypatch.setattr(oracle, "compare", lambda *_: {"agrees": False})
    assert oracle.settled(model, theirs, 16, 0) == {"agrees": False, "draws": oracle.DRAWS}


def test_the_step_holds_trained_arms_against_it_too(tmp_path, monkeypatch, capsys):
    """An arm with an MTP block, which transformers passes over."""
    config = dataclasses.replace(oracle.SHAPE, num_nextn_predict_layers=1)
    checkpoint.save(oracle.random_model(config, seeds.derive(1, "arm")), tmp_path / "sft", {})
    monkeypatch.setattr(oracle, "KINDS", {"window": (0,), "csa": (4,), "hca": (16,), "all": (0, 4)})
    monkeypatch.setattr(oracle, "LENGTHS", (16,))
    monkeypatch.setattr(oracle, "ARM_LENGTHS", (40,))
    out = tmp_path / "oracle.csv"
    monkeypatch.setattr(
        sys, "argv", ["oracle", "--arms", str(tmp_path / "sft"), "--seed", "2", "--threads", "1", "--out", str(out)]
    )
    oracle.main()
    frame = pd.read_csv(out)
    assert frame["agrees"].all() and frame["library"].str.startswith("transformers ").all()
    last = frame.iloc[-1]
    assert (last["subject"], last["kind"], last["length"]) == ("sft", "all", 40)
    assert (last["logits_tolerance"], last["gradient_tolerance"]) == (1e-5, 1e-4)
    assert f"oracle: {len(frame)} of {len(frame)} comparisons agree" in capsys.readouterr().out


def test_a_folder_without_an_arm_is_one_line(tmp_path):
    command = [sys.executable, "-m", "trex.model.oracle", "--arms", tmp_path / "none", "--seed", "1"]
    command += ["--threads", "1", "--out", tmp_path / "oracle.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no such file" in done.stderr
    assert not (tmp_path / "oracle.csv").exists()


def test_no_threads_is_one_line(tmp_path):
    command = [sys.executable, "-m", "trex.model.oracle", "--seed", "1", "--threads", "0", "--out", tmp_path / "o.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--threads" in done.stderr and "Traceback" not in done.stderr
