"""The shape of a model in Hugging Face's config.json, both ways; no other library is needed for it."""

import dataclasses
import json

import pytest

from tests.model.conftest import small_config
from trex.accounting.counting.published import FLASH, PRO
from trex.common.errors import UserError
from trex.model.config import RopeScaling
from trex.model.huggingface_config import from_hf_config, read_config, to_hf_config

# The keys of deepseek-ai/DeepSeek-V4-Flash's config.json that say what the model is, and some that do not.
RELEASED_FLASH = {
    "architectures": ["DeepseekV4ForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 0,
    "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0],
    "compress_rope_theta": 160000,
    "eos_token_id": 1,
    "expert_dtype": "fp4",
    "hc_eps": 1e-06,
    "hc_mult": 4,
    "hc_sinkhorn_iters": 20,
    "head_dim": 512,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "index_head_dim": 128,
    "index_n_heads": 64,
    "index_topk": 512,
    "initializer_range": 0.02,
    "max_position_embeddings": 1048576,
    "model_type": "deepseek_v4",
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "norm_topk_prob": True,
    "num_attention_heads": 64,
    "num_experts_per_tok": 6,
    "num_hash_layers": 3,
    "num_hidden_layers": 43,
    "num_key_value_heads": 1,
    "num_nextn_predict_layers": 1,
    "o_groups": 8,
    "o_lora_rank": 1024,
    "q_lora_rank": 1024,
    "qk_rope_head_dim": 64,
    "quantization_config": {"quant_method": "fp8", "scale_fmt": "ue8m0", "weight_block_size": [128, 128]},
    "rms_norm_eps": 1e-06,
    "rope_scaling": {
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 16,
        "original_max_position_embeddings": 65536,
        "type": "yarn",
    },
    "rope_theta": 10000,
    "routed_scaling_factor": 1.5,
    "scoring_func": "sqrtsoftplus",
    "sliding_window": 128,
    "swiglu_limit": 10.0,
    "tie_word_embeddings": False,
    "topk_method": "noaux_tc",
    "torch_dtype": "bfloat16",
    "use_cache": True,
    "vocab_size": 129280,
}
RELEASED_PRO = RELEASED_FLASH | {
    "compress_ratios": [128, 128, *[4, 128] * 29, 4, 0],
    "hidden_size": 7168,
    "index_topk": 1024,
    "moe_intermediate_size": 3072,
    "n_routed_experts": 384,
    "num_attention_heads": 128,
    "num_hidden_layers": 61,
    "o_groups": 16,
    "q_lora_rank": 1536,
    "routed_scaling_factor": 2.5,
}
SCALED = RopeScaling(factor=4.0, original_max_position_embeddings=256, beta_fast=16.0, beta_slow=2.0)


@pytest.mark.parametrize(("released", "known"), [(RELEASED_FLASH, FLASH), (RELEASED_PRO, PRO)])
def test_the_released_configs_are_the_known_models(released, known):
    assert from_hf_config(released) == known


def test_a_released_config_without_mtp_and_scaling():
    values = RELEASED_FLASH | {"num_nextn_predict_layers": 0, "rope_scaling": None}
    values["compress_ratios"] = values["compress_ratios"][:-1]
    assert from_hf_config(values) == dataclasses.replace(FLASH, num_nextn_predict_layers=0, rope_scaling=None)


@pytest.mark.parametrize(
    "config",
    [
        FLASH,
        PRO,
        small_config(),
        small_config(rope_scaling=SCALED, num_nextn_predict_layers=0, num_hash_layers=0),
        small_config(rope_scaling=None, compress_ratios=(0,), num_hash_layers=1),
        small_config(compress_ratios=(32, 8), csa_ratio=8, rope_theta=500.0, compress_rope_theta=7000.0),
    ],
)
def test_what_is_written_is_read_back(config, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "deepseek_v4"} | to_hf_config(config)))
    assert read_config(path) == config


def test_our_own_files_are_read(tmp_path):
    path = tmp_path / "config.json"
    for values in (small_config().to_dict(), {"model": small_config().to_dict()}):
        path.write_text(json.dumps(values))
        assert read_config(path) == small_config()


@pytest.mark.parametrize("content", ["", "[1, 2]", "5", '{"model": 5}', '{"model": {"hidden_size": 4}}', "{"])
def test_a_file_that_is_no_config_is_named(tmp_path, content):
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"config\.json"):
        read_config(path)
    with pytest.raises(UserError, match="no such file"):
        read_config(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model_type": "deepseek_v3"}, "deepseek_v3"),
        ({"scoring_func": "sigmoid"}, "scoring_func"),
        ({"num_key_value_heads": 8}, "num_key_value_heads"),
        ({"tie_word_embeddings": True}, "tie_word_embeddings"),
        ({"num_nextn_predict_layers": 0}, "compress_ratios: 44 entries"),
        ({"num_hidden_layers": 50}, "compress_ratios: 44 entries"),
        ({"compress_ratios": [*RELEASED_FLASH["compress_ratios"][:-1], 4]}, "MTP block of ratio 4"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "'linear'"),
        ({"hidden_size": "wide"}, "hidden_size is 'wide'"),
        ({"compress_ratios": 4}, "wrong type"),
    ],
)
def test_another_architecture_is_refused_by_its_key(change, named, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(RELEASED_FLASH | change))
    with pytest.raises(UserError, match=named):
        read_config(path)


@pytest.mark.parametrize("key", ["hidden_size", "compress_ratios", "num_hash_layers", "num_hidden_layers"])
def test_a_missing_key_is_named(key):
    with pytest.raises(UserError, match=f"missing keys? {key}"):
        from_hf_config({name: value for name, value in RELEASED_FLASH.items() if name != key})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}, "full_attention"),
        ({"mlp_layer_types": ["moe", "hash_moe", "moe"]}, "mlp_layer_types"),
        ({"mlp_layer_types": ["hash_moe", "moe"]}, "mlp_layer_types"),
        ({"num_hidden_layers": 2}, "num_hidden_layers is 2; layer_types has 3"),
        ({"partial_rotary_factor": 1.0}, "partial_rotary_factor"),
    ],
)
def test_layers_that_transformers_may_name_but_we_lack_are_refused(change, named):
    with pytest.raises(UserError, match=named):
        from_hf_config(to_hf_config(small_config()) | change)


def test_a_scaled_rotation_is_refused():
    """transformers' default for YaRN, where the config does not say otherwise; V4 has none."""
    values = to_hf_config(small_config())
    del values["rope_parameters"]["compress"]["attention_factor"]
    with pytest.raises(UserError, match="attention_factor"):
        from_hf_config(values)


@pytest.mark.parametrize(
    "change",
    [
        {"n_shared_experts": 2},
        {"compress_ratios": (32, 64)},
        {"head_dim": 49, "qk_rope_head_dim": 8},
        {"shared_expert_clamp": False},
    ],
)
def test_what_transformers_cannot_say_is_refused(change):
    with pytest.raises(UserError):
        to_hf_config(dataclasses.replace(small_config(), **change))
