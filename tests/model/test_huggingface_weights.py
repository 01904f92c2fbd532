"""Our weights under released names and back."""

import pytest
import torch

from tests.model.conftest import randomise, small_config
from trex.common.errors import UserError
from trex.model.huggingface_weights import from_hf_state, to_hf_state
from trex.model.transformer import Transformer


@pytest.fixture(scope="module")
def state():
    return randomise(Transformer(small_config(compress_ratios=(0, 4, 8))).initialise(0)).state_dict()


@pytest.fixture
def released(state):
    return to_hf_state(state)


def test_every_tensor_comes_back(state, released):
    back = from_hf_state(released, state)
    assert list(back) == list(state)
    for name, tensor in state.items():
        assert torch.equal(back[name], tensor) and back[name].dtype == tensor.dtype, name


def test_the_released_names_of_each_part(released):
    """Of the checkpoint that DeepSeek published; a layer of each kind, and the MTP block."""
    assert {
        "embed.weight",
        "head.weight",
        "norm.weight",
        "hc_head_fn",
        "layers.0.attn.wq_a.weight",
        "layers.0.attn.attn_sink",
        "layers.0.attn.kv_norm.weight",
        "layers.0.ffn.gate.tid2eid",
        "layers.0.hc_attn_base",
        "layers.1.attn.compressor.wgate.weight",
        "layers.1.attn.indexer.wq_b.weight",
        "layers.1.attn.indexer.compressor.ape",
        "layers.1.attn.indexer.weights_proj.weight",
        "layers.1.ffn.gate.bias",
        "layers.2.ffn.experts.3.w1.weight",
        "layers.2.ffn.shared_experts.w2.weight",
        "mtp.0.e_proj.weight",
        "mtp.0.enorm.weight",
        "mtp.0.hc_head_scale",
        "mtp.0.attn.wo_a.weight",
        "mtp.0.ffn.experts.0.w3.weight",
    } <= set(released)
    assert not any(name.startswith(("layers.0.attn.compressor", "layers.2.attn.indexer")) for name in released)


def test_shapes_and_halves(state, released):
    """An expert's w1 is its gate, w3 what is gated, w2 the way down, each [out, in]."""
    gate_up, down = state["blocks.1.experts.gate_up"], state["blocks.1.experts.down"]  # [E, d, 2f], [E, f, d]
    width = down.shape[1]
    assert torch.equal(released["layers.1.ffn.experts.2.w1.weight"], gate_up[2, :, :width].T)
    assert torch.equal(released["layers.1.ffn.experts.2.w3.weight"], gate_up[2, :, width:].T)
    assert torch.equal(released["layers.1.ffn.experts.2.w2.weight"], down[2].T)
    grouped = state["blocks.1.attention.output_down"]  # [g, H*c/g, r]
    assert torch.equal(released["layers.1.attn.wo_a.weight"][grouped.shape[2] :], grouped[1].T)


def test_weights_of_16_bits_are_read(state, released):
    half = {name: x.bfloat16() if x.is_floating_point() else x for name, x in released.items()}
    back = from_hf_state(half, state)
    assert all(back[name].dtype == tensor.dtype for name, tensor in state.items())
    torch.testing.assert_close(back["head.weight"], state["head.weight"], rtol=1e-2, atol=0)


def damage(released, kind):
    if kind == "missing":
        del released["layers.1.attn.wkv.weight"]
    elif kind == "extra":
        released["layers.7.attn.wkv.weight"] = torch.zeros(1)
    elif kind == "shape":
        released["embed.weight"] = released["embed.weight"][1:]
    elif kind == "scale":
        released["layers.0.attn.wq_a.scale"] = torch.zeros(1)
    elif kind == "fp8":
        released["layers.0.attn.wq_a.weight"] = released["layers.0.attn.wq_a.weight"].to(torch.float8_e4m3fn)
    elif kind == "no mtp":
        for name in [name for name in released if name.startswith("mtp.")]:
            del released[name]


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("missing", r"missing, such as layers\.1\.attn\.wkv\.weight"),
        ("extra", r"no part of the configured model, such as layers\.7"),
        ("shape", r"embed\.weight has shape \[60, 32\]"),
        ("scale", r"quantised tensors such as layers\.0\.attn\.wq_a\.scale"),
        ("fp8", r"quantised tensors such as layers\.0\.attn\.wq_a\.weight"),
        ("no mtp", "set num_nextn_predict_layers to 0"),
    ],
)
def test_what_does_not_fit_is_named(state, released, kind, named):
    damage(released, kind)
    with pytest.raises(UserError, match=named):
        from_hf_state(released, state)


def test_mtp_weights_that_the_config_has_no_block_for_are_named(state, released):
    main = {name: tensor for name, tensor in state.items() if not name.startswith("mtp.")}
    with pytest.raises(UserError, match="set num_nextn_predict_layers to 1"):
        from_hf_state(released, main)
