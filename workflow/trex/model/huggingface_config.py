"""A model's shape as a Hugging Face config.json, both ways. Free of torch and of transformers.

Two forms of that file are read: the one that DeepSeek released with its weights (`compress_ratios`, whose last entry is
that of the MTP block, `num_hash_layers`, `rope_scaling`), and the one that transformers writes for its
DeepseekV4ForCausalLM (`layer_types`, `compress_rates`, `mlp_layer_types`, `rope_parameters`; checked against 5.24.0).
Written is the latter, which alone can tell a miniature's compression ratios. Keys on how weights are stored or how a
model is run (quantisation, dtype, token ids, caches) are passed over.

What that file cannot tell: `shared_expert_clamp`; transformers always clamps.
"""

from pathlib import Path

from trex.common import files
from trex.common.errors import UserError
from trex.model.config import ModelConfig, RopeScaling

MODEL_TYPE = "deepseek_v4"
LAYER_TYPES = {
    "window": "sliding_attention",
    "csa": "compressed_sparse_attention",
    "hca": "heavily_compressed_attention",
}
DEFAULT_RATIOS = {"csa": 4, "hca": 128}
SAME_NAME = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "head_dim",
    "q_lora_rank",
    "o_groups",
    "o_lora_rank",
    "sliding_window",
    "index_n_heads",
    "index_head_dim",
    "index_topk",
    "moe_intermediate_size",
    "n_routed_experts",
    "num_experts_per_tok",
    "n_shared_experts",
    "routed_scaling_factor",
    "hc_mult",
    "hc_sinkhorn_iters",
    "hc_eps",
    "rms_norm_eps",
    "rope_theta",
    "compress_rope_theta",
    "swiglu_limit",
    "initializer_range",
    "num_nextn_predict_layers",
)
# What the architecture is built on; another value would be another model. Absent means the same.
FIXED = {
    "num_key_value_heads": 1,
    "scoring_func": "sqrtsoftplus",
    "norm_topk_prob": True,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "attention_bias": False,
    "mlp_bias": False,
}


def to_hf_config(config: ModelConfig) -> dict:
    """Keyword arguments of transformers' DeepseekV4Config for the same model, as plain JSON values.

    Raises UserError where transformers cannot say the same: two ratios of heavily compressed attention, another number
    of shared experts than one, a shared expert without the clamp, or a rotary size that its product of floats does not
    give back.
    """
    if config.n_shared_experts != 1:
        raise UserError(f"model config: n_shared_experts is {config.n_shared_experts}; transformers builds exactly 1")
    if not config.shared_expert_clamp:
        raise UserError("model config: shared_expert_clamp is false; transformers clamps the shared expert, too")
    factor = config.qk_rope_head_dim / config.head_dim
    if int(config.head_dim * factor) != config.qk_rope_head_dim:
        raise UserError(
            f"model config: qk_rope_head_dim {config.qk_rope_head_dim} of head_dim {config.head_dim} is no exact "
            "fraction for transformers; use a power of two"
        )
    kinds = [config.layer_kind(layer) for layer in range(config.num_hidden_layers)]
    values = FIXED | {name: getattr(config, name) for name in SAME_NAME}
    if config.rope_scaling is not None:
        values["max_position_embeddings"] = longest(config.rope_scaling)
    return values | {
        "num_hidden_layers": config.num_hidden_layers,
        "layer_types": [LAYER_TYPES[kind] for kind in kinds],
        "compress_rates": {LAYER_TYPES[kind]: ratio_of(config, kind) for kind in ("csa", "hca")},
        "mlp_layer_types": ["hash_moe" if config.is_hash_layer(i) else "moe" for i in range(len(kinds))],
        "partial_rotary_factor": factor,
        "rope_parameters": {
            "main": {"rope_type": "default", "rope_theta": config.rope_theta, "partial_rotary_factor": factor},
            "compress": yarn(config.rope_scaling)
            | {"rope_theta": config.compress_rope_theta, "partial_rotary_factor": factor},
        },
        # A padding id would freeze that row of the embedding; special tokens belong to the tokenizer.
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def longest(scaling: RopeScaling) -> int:
    """The number of positions that the scaling stretches to."""
    return round(scaling.factor * scaling.original_max_position_embeddings)


def yarn(scaling: RopeScaling | None) -> dict:
    """What transformers calls it. Without the attention factor it would scale the rotated vectors, too (mscale)."""
    if scaling is None:
        return {"rope_type": "default"}
    return {
        "rope_type": "yarn",
        "factor": scaling.factor,
        "original_max_position_embeddings": scaling.original_max_position_embeddings,
        "beta_fast": scaling.beta_fast,
        "beta_slow": scaling.beta_slow,
        "attention_factor": 1.0,
    }


def ratio_of(config: ModelConfig, kind: str) -> int:
    """The one compression ratio of all layers of a kind."""
    ratios = {r for layer, r in enumerate(config.compress_ratios) if config.layer_kind(layer) == kind}
    if len(ratios) > 1:
        raise UserError(
            f"model config: {kind.upper()} layers of ratios {sorted(ratios)}; transformers knows one a kind"
        )
    return ratios.pop() if ratios else config.csa_ratio if kind == "csa" else DEFAULT_RATIOS["hca"]


def read_config(path: str | Path) -> ModelConfig:
    """From a trained arm's config.json, a file that holds our model section alone, or a Hugging Face config.json.

    Raises UserError that names the file and what is wrong in it.
    """
    values = files.read_json(path)
    if not isinstance(values, dict) or not isinstance(values.get("model", values), dict):
        raise UserError(f"{path}: holds no model config; give the config.json of a trained arm or of Hugging Face")
    try:
        return from_hf_config(values) if is_hf(values) else ModelConfig.from_dict(values.get("model", values))
    except UserError as error:
        raise UserError(f"{path}: {error}") from error


def is_hf(values: dict) -> bool:
    """Whether the content of a config.json is Hugging Face's, which always says what kind of model it is."""
    return "model_type" in values or "architectures" in values


def from_hf_config(values: dict) -> ModelConfig:
    """The shape in the content of a Hugging Face config.json of DeepSeek-V4, of either form.

    Raises UserError that names a missing key, or a value that is not of this architecture.
    """
    if (kind := values.get("model_type", MODEL_TYPE)) != MODEL_TYPE:
        raise UserError(f"model_type is {kind!r}; only {MODEL_TYPE!r} is known here")
    for name, value in FIXED.items():
        if values.get(name, value) != value:
            raise UserError(f"{name} is {values[name]!r}; this architecture has {value!r}")
    for name in SAME_NAME:
        if not isinstance(values.get(name, 0), int | float):
            raise UserError(f"{name} is {values[name]!r}; a number is wanted")
    try:
        same = {"num_nextn_predict_layers": 0} | {name: values[name] for name in SAME_NAME if name in values}
        shape = same | layers(values) | rotary(values)
    except KeyError as error:
        raise UserError(f"missing key {error.args[0]}") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise UserError(f"a value of the wrong type ({error})") from error
    return ModelConfig.from_dict(shape)


def layers(values: dict) -> dict:
    """What each layer is: compress_ratios of the main layers, csa_ratio and num_hash_layers."""
    if "layer_types" not in values:
        return {"compress_ratios": main_ratios(values), "num_hash_layers": values["num_hash_layers"]}
    csa, hca = (values["compress_rates"][LAYER_TYPES[kind]] for kind in ("csa", "hca"))
    ratio = {LAYER_TYPES["window"]: 0, LAYER_TYPES["csa"]: csa, LAYER_TYPES["hca"]: hca}
    if unknown := sorted(set(values["layer_types"]) - set(ratio)):
        raise UserError(f"layer_types: unknown {', '.join(unknown)}; known are {', '.join(ratio)}")
    experts = list(values["mlp_layer_types"])
    hashed = experts.count("hash_moe")
    if experts != ["hash_moe"] * hashed + ["moe"] * (len(values["layer_types"]) - hashed):
        raise UserError("mlp_layer_types: must be one a layer, all of hash_moe before all of moe")
    if (said := values.get("num_hidden_layers", len(experts))) != len(experts):
        raise UserError(f"num_hidden_layers is {said!r}; layer_types has {len(experts)}")
    return {
        "compress_ratios": [ratio[name] for name in values["layer_types"]],
        "csa_ratio": csa,
        "num_hash_layers": hashed,
    }


def main_ratios(values: dict) -> list[int]:
    """compress_ratios as released without the entries of the MTP blocks, which stand at the end and must be 0."""
    ratios, main = list(values["compress_ratios"]), values["num_hidden_layers"]
    ahead = ratios[main:]
    if len(ratios) < main or len(ahead) > values.get("num_nextn_predict_layers", 0):
        raise UserError(
            f"compress_ratios: {len(ratios)} entries for {main} layers and "
            f"{values.get('num_nextn_predict_layers', 0)} MTP blocks"
        )
    if any(ahead):
        raise UserError(f"compress_ratios: an MTP block of ratio {max(ahead)}; only 0 is known here")
    return ratios[:main]


def rotary(values: dict) -> dict:
    """qk_rope_head_dim, rope_scaling and, where they stand among the rotary parameters, the two thetas."""
    parameters = values.get("rope_parameters") or {}
    found = {"qk_rope_head_dim": rotary_size(values)}
    if "compress" in parameters:
        main, compress = parameters["main"], parameters["compress"]
        share = values.get("partial_rotary_factor")
        if any(section.get("partial_rotary_factor", share) != share for section in (main, compress) if share):
            raise UserError("partial_rotary_factor: rope_parameters has another one; this architecture has one")
        if scaling_of(main) is not None:
            raise UserError("rope_parameters.main: window layers have no scaling in this architecture")
        # Here transformers takes the factor as it stands; in the flat form it sets 1 itself.
        if rope_type(compress) == "yarn" and compress.get("attention_factor") != 1:
            raise UserError("rope_parameters.compress: attention_factor must be 1; V4 does not scale rotated vectors")
        thetas = {"rope_theta": main["rope_theta"], "compress_rope_theta": compress["rope_theta"]}
        return found | thetas | {"rope_scaling": scaling_of(compress)}
    return found | {"rope_scaling": scaling_of(values.get("rope_scaling") or parameters)}


def rotary_size(values: dict) -> int:
    if "qk_rope_head_dim" in values:
        return values["qk_rope_head_dim"]
    return int(values["head_dim"] * values["partial_rotary_factor"])


def rope_type(parameters: dict) -> str:
    return parameters.get("rope_type", parameters.get("type", "default"))


def scaling_of(parameters: dict) -> dict | None:
    """ModelConfig's `rope_scaling` from a section of rotary parameters; empty means none."""
    kind = rope_type(parameters)
    if kind == "default":
        return None
    if kind != "yarn" or not parameters.get("truncate", True):
        raise UserError(f"rotary scaling {kind!r}: only 'yarn' is known here, with truncated ramp")
    names = ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow")
    return {name: parameters[name] for name in names if name in parameters}
