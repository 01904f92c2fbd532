"""Our configuration and weights in transformers' model: same parameters, same logits."""

import dataclasses
import json

import pytest
import torch

from trex.accounting import parameters
from trex.accounting.known import FLASH, PRO
from trex.common.errors import UserError
from trex.model.config import ModelConfig
from trex.model.huggingface import to_hf_config, to_hf_state
from trex.model.transformer import Transformer

transformers = pytest.importorskip("transformers")

SMALL = ModelConfig(
    vocab_size=97,
    hidden_size=48,
    num_attention_heads=4,
    head_dim=32,
    qk_rope_head_dim=16,
    q_lora_rank=24,
    o_groups=2,
    o_lora_rank=12,
    sliding_window=16,
    compress_ratios=(0, 4, 32, 4),
    index_n_heads=16,
    index_head_dim=24,
    index_topk=5,
    moe_intermediate_size=20,
    n_routed_experts=6,
    num_experts_per_tok=2,
    num_hash_layers=2,
    routed_scaling_factor=1.5,
    hc_mult=2,
    initializer_range=0.2,
)


def theirs(config: ModelConfig):
    return transformers.DeepseekV4ForCausalLM(transformers.DeepseekV4Config(**to_hf_config(config)))


@pytest.mark.parametrize("ratios", [(0, 4, 32, 4), (32,), (4, 0)])
@pytest.mark.parametrize("streams", [2, 3])
def test_parameter_count_is_the_formula(ratios, streams):
    config = dataclasses.replace(SMALL, compress_ratios=ratios, hc_mult=streams)
    with torch.device("meta"):
        ours, other = Transformer(config), theirs(config)
    assert sum(p.numel() for p in other.parameters()) == parameters.total(config)
    assert sum(p.numel() for p in ours.parameters()) == parameters.total(config)


@pytest.mark.parametrize("config", [FLASH, PRO])
def test_published_models_have_the_formulas_parameters(config):
    with torch.device("meta"):
        other = theirs(config)
    assert sum(p.numel() for p in other.parameters()) == parameters.total(config)


def test_same_weights_give_the_same_logits():
    """One document a row, longer than window and compression windows, with a remainder."""
    ours, other = Transformer(SMALL).initialise(3).eval(), theirs(SMALL).eval()
    other.load_state_dict(to_hf_state(ours.state_dict()))
    tokens = torch.randint(0, SMALL.vocab_size, (2, 110), generator=torch.Generator().manual_seed(1))
    position = torch.arange(110).expand(2, -1)
    with torch.no_grad():
        expected = other(input_ids=tokens, use_cache=False).logits
        found = ours(tokens, torch.ones_like(tokens), position)
    assert expected.std() > 0.1  # else agreement says nothing
    torch.testing.assert_close(found, expected, atol=2e-4, rtol=1e-3)


def test_configuration_is_json_and_holds_the_ratios():
    written = json.loads(json.dumps(to_hf_config(SMALL)))
    assert written["compress_rates"] == {"compressed_sparse_attention": 4, "heavily_compressed_attention": 32}
    read = transformers.DeepseekV4Config(**written)
    assert read.layer_types[:3] == ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"]
    assert read.mlp_layer_types == ["hash_moe", "hash_moe", "moe", "moe"]
    assert (read.qk_rope_head_dim, read.index_topk, read.pad_token_id) == (16, 5, None)
    assert read.rope_parameters["compress"]["rope_theta"] == 160000.0


@pytest.mark.parametrize(
    "change", [{"n_shared_experts": 2}, {"compress_ratios": (32, 64)}, {"head_dim": 49, "qk_rope_head_dim": 8}]
)
def test_what_transformers_cannot_say_is_refused(change):
    with pytest.raises(UserError):
        to_hf_config(dataclasses.replace(SMALL, **change))
