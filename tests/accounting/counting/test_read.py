"""Models by name and from files, with what can be wrong in these."""

import json

import pytest

from trex.accounting.counting.published import MIXTRAL_8X7B, QWEN3_30B_A3B, SHAPES
from trex.accounting.counting.read import architecture
from trex.common.errors import UserError

V3 = {
    "model_type": "deepseek_v3",
    "vocab_size": 129280,
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "moe_layer_freq": 1,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "topk_method": "noaux_tc",
    "num_nextn_predict_layers": 1,
    "tie_word_embeddings": False,
}
QWEN = {
    "model_type": "qwen3_moe",
    "vocab_size": 151936,
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
    "mlp_only_layers": [],
    "sliding_window": None,
}
MIXTRAL = {
    "model_type": "mixtral",
    "vocab_size": 32000,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "intermediate_size": 14336,
    "sliding_window": None,
}


def written(folder, values):
    path = folder / "config.json"
    path.write_text(json.dumps(values))
    return path


def test_names():
    assert set(SHAPES) >= {"v4-flash", "v4-pro", "deepseek-v3", "qwen3-235b-a22b", "mixtral-8x22b", "pangu-ultra-moe"}
    for name in SHAPES:
        model = architecture(name)
        assert model.name == name and model.source and model.config is SHAPES[name][0]


def test_configs_of_hugging_face_give_the_known_shapes(tmp_path):
    known = {"deepseek-v3": V3, "qwen3-30b-a3b": QWEN, "mixtral-8x7b": MIXTRAL}
    for name, values in known.items():
        assert architecture(written(tmp_path, values)).config == SHAPES[name][0]
    assert QWEN3_30B_A3B.attention.qk_norm and not MIXTRAL_8X7B.attention.qk_norm


def test_our_own_config(tmp_path, tiny):
    path = written(tmp_path, {"model": tiny.to_dict()})
    model = architecture(path)
    assert model.config == tiny and model.streams == tiny.hc_mult and str(path) == model.source


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (MIXTRAL | {"model_type": "llama"}, "model_type is 'llama'; known are deepseek_v4, deepseek_v3"),
        ({name: QWEN[name] for name in QWEN if name != "num_experts"}, "missing key num_experts"),
        (MIXTRAL | {"num_local_experts": "eight"}, "n_routed_experts must be whole numbers"),
        (MIXTRAL | {"num_attention_heads": "32"}, "num_attention_heads and hidden_size must be whole numbers"),
        (QWEN | {"num_attention_heads": "32"}, "num_attention_heads must be whole numbers"),
        (MIXTRAL | {"sliding_window": 4096}, "sliding_window"),
        (MIXTRAL | {"tie_word_embeddings": True}, "tie_word_embeddings is true"),
        (QWEN | {"mlp_only_layers": [0]}, "experts in each layer"),
        (V3 | {"q_lora_rank": None}, "q_lora_rank"),
        ({"model_type": "deepseek_v4"}, "missing key"),
        ([], "holds no model config"),
    ],
)
def test_what_a_file_has_wrong_is_said(tmp_path, values, said):
    path = written(tmp_path, values)
    with pytest.raises(UserError) as error:
        architecture(path)
    assert said in str(error.value) and str(path) in str(error.value)


def test_unknown_name_lists_the_known():
    with pytest.raises(UserError, match="v5-ultra: neither a file nor a known model; known are v4-flash, v4-pro"):
        architecture("v5-ultra")


def test_no_json(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("{")
    with pytest.raises(UserError):
        architecture(path)


SIZES = [name for name, value in V3.items() if type(value) is int and name != "moe_layer_freq"]
MAY_BE_ZERO = ("n_shared_experts", "first_k_dense_replace", "intermediate_size", "num_nextn_predict_layers")


@pytest.mark.parametrize("name", SIZES)
def test_each_size_is_a_count_that_a_model_can_have(tmp_path, name):
    wrong = [None, "7", -1, True, 1.5, float("nan"), [7], {}, 10**30]
    for value in wrong if name in MAY_BE_ZERO else [*wrong, 0]:
        path = tmp_path / "config.json"
        path.write_text(json.dumps(V3 | {name: value}))
        with pytest.raises(UserError, match=r"config\.json: .*" + name):
            architecture(path)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model_type": ["a"]}, "model_type"),
        ({"model_type": {}}, "model_type"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({"num_nextn_predict_layers": 10**7}, "num_nextn_predict_layers"),
        ({"num_experts_per_tok": 257}, "num_experts_per_tok"),
        ({"first_k_dense_replace": 62}, "first_k_dense_replace"),
    ],
)
def test_sizes_that_contradict_are_named(tmp_path, changes, named):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(V3 | changes))
    with pytest.raises(UserError, match=named):
        architecture(path)


@pytest.mark.parametrize("changes", [{"num_attention_heads": 0}, {"hidden_size": None}, {"num_key_value_heads": 5}])
def test_widths_of_heads_that_do_not_come_out(tmp_path, changes):
    path = tmp_path / "config.json"
    values = {"model_type": "mixtral", "vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32}
    values |= {"num_experts_per_tok": 2, "num_attention_heads": 32, "num_key_value_heads": 8}
    values |= {"num_local_experts": 8, "intermediate_size": 14336}
    path.write_text(json.dumps(values | changes))
    with pytest.raises(UserError, match=next(iter(changes))):
        architecture(path)
