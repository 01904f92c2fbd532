"""A model to count, by its name or from its config.json. Free of torch."""

from dataclasses import fields
from pathlib import Path

from trex.accounting.counting import deepseek_v4, transformer
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.published import SHAPES
from trex.accounting.counting.transformer import GroupedQueryAttention, LatentAttention, TransformerConfig
from trex.common import files
from trex.common.errors import UserError
from trex.model.config import ModelConfig
from trex.model.huggingface_config import read_config

DEEPSEEK_V4 = "deepseek_v4"
MOST, MOST_LAYERS = 10**12, 10_000  # of any size; of layers, as a formula has a term for each
KEYS = {"num_dense_layers": "first_k_dense_replace"}  # what a file calls it
POSITIVE = (
    *("vocab_size", "hidden_size", "num_hidden_layers"),
    *("n_routed_experts", "num_experts_per_tok", "moe_intermediate_size"),
)


def architecture(name_or_path: str | Path) -> Architecture:
    """A known model by its name, or the shape that a config.json tells: ours or Hugging Face's.

    Raises UserError that lists the names, or says what is wrong in the file.
    """
    name = str(name_or_path)
    if name in SHAPES:
        return of(name, *SHAPES[name])
    path = Path(name_or_path)
    if not path.is_file():
        raise UserError(f"{name}: neither a file nor a known model; known are {', '.join(SHAPES)}")
    return of(path.stem, read(path), name)


def of(name: str, config: ModelConfig | TransformerConfig, source: str) -> Architecture:
    """The architecture of a shape."""
    kind = deepseek_v4 if isinstance(config, ModelConfig) else transformer
    return kind.architecture(name, config, source)


def read(path: Path) -> ModelConfig | TransformerConfig:
    """The shape in a config.json. Raises UserError."""
    values = files.read_json(path)
    kind = values.get("model_type", DEEPSEEK_V4) if isinstance(values, dict) else DEEPSEEK_V4
    if kind == DEEPSEEK_V4:
        return read_config(path)
    if not isinstance(kind, str) or kind not in READERS:
        known = ", ".join([DEEPSEEK_V4, *READERS])
        raise UserError(f"{path}: model_type is {kind!r}; known are {known}")
    try:
        config = READERS[kind](values)
        if wrong := [KEYS.get(name, name) for name, value in numbers(config).items() if not is_count(value)]:
            raise UserError(f"{', '.join(wrong)} must be whole numbers, not below 0")
        if wrong := contradictions(config):
            raise UserError("; ".join(wrong))
    except KeyError as error:
        raise UserError(f"{path}: missing key {error.args[0]}") from error
    except (UserError, TypeError) as error:
        raise UserError(f"{path}: {error}") from error
    return config


def numbers(config: TransformerConfig) -> dict:
    """All values of the shape that are counts."""
    parts = (config, config.attention)
    return {field.name: getattr(part, field.name) for part in parts for field in fields(part) if field.type is int}


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def contradictions(config: TransformerConfig) -> list[str]:
    """Counts that no model has, each with what must hold; all values are whole numbers."""
    attention, counts = config.attention.__dict__, numbers(config)
    positive = [*POSITIVE, *(name for name in attention if name in counts)]
    found = [f"{name} must be at least 1" for name in positive if not counts[name]]
    blocks = config.num_hidden_layers + config.num_nextn_predict_layers
    if blocks > MOST_LAYERS:
        found.append(f"num_hidden_layers and num_nextn_predict_layers are {blocks:,}; at most {MOST_LAYERS:,} layers")
    if config.num_experts_per_tok > config.n_routed_experts:
        found.append("num_experts_per_tok must be at most the number of experts")
    if config.num_dense_layers > config.num_hidden_layers:
        found.append("first_k_dense_replace must be at most num_hidden_layers")
    heads, shared_by = attention["num_attention_heads"], attention.get("num_key_value_heads", 1)
    if shared_by and heads % shared_by:
        found.append("num_key_value_heads must divide num_attention_heads")
    return found


def shared(values: dict) -> dict:
    """What the files of all kinds tell by the same key."""
    if values.get("tie_word_embeddings", False):
        raise UserError("tie_word_embeddings is true; only models with a head of their own are counted")
    return {name: values[name] for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_experts_per_tok")}


def deepseek_v3(values: dict) -> TransformerConfig:
    """DeepSeek-V3 and what has its architecture (deepseek_v3 of transformers)."""
    if not values["q_lora_rank"] or values.get("moe_layer_freq", 1) != 1:
        raise UserError("deepseek_v3: counted are models with q_lora_rank and with experts in each later layer")
    latent = ("num_attention_heads", "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim")
    return TransformerConfig(
        **shared(values),
        attention=LatentAttention(**{name: values[name] for name in (*latent, "v_head_dim")}),
        n_routed_experts=values["n_routed_experts"],
        moe_intermediate_size=values["moe_intermediate_size"],
        n_shared_experts=values["n_shared_experts"],
        num_dense_layers=values["first_k_dense_replace"],
        intermediate_size=values["intermediate_size"],
        router_bias=values.get("topk_method", "noaux_tc") == "noaux_tc",
        num_nextn_predict_layers=values.get("num_nextn_predict_layers", 0),
    )


def grouped_query(values: dict, qk_norm: bool) -> GroupedQueryAttention:
    if values.get("attention_bias", False) or values.get("sliding_window"):
        raise UserError("attention_bias and sliding_window are not counted here")
    heads, width = values["num_attention_heads"], values["hidden_size"]
    if values.get("head_dim") is None and not (is_count(heads) and heads and is_count(width)):
        raise UserError("num_attention_heads and hidden_size must be whole numbers, from 1 on")
    return GroupedQueryAttention(
        num_attention_heads=heads,
        num_key_value_heads=values["num_key_value_heads"],
        head_dim=width // heads if values.get("head_dim") is None else values["head_dim"],
        qk_norm=qk_norm,
    )


def qwen3_moe(values: dict) -> TransformerConfig:
    if values.get("mlp_only_layers") or values.get("decoder_sparse_step", 1) != 1:
        raise UserError("qwen3_moe: counted are models with experts in each layer")
    return TransformerConfig(
        **shared(values),
        attention=grouped_query(values, qk_norm=True),
        n_routed_experts=values["num_experts"],
        moe_intermediate_size=values["moe_intermediate_size"],
    )


def mixtral(values: dict) -> TransformerConfig:
    return TransformerConfig(
        **shared(values),
        attention=grouped_query(values, qk_norm=False),
        n_routed_experts=values["num_local_experts"],
        moe_intermediate_size=values["intermediate_size"],
    )


READERS = {"deepseek_v3": deepseek_v3, "qwen3_moe": qwen3_moe, "mixtral": mixtral}
