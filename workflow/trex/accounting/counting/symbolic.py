"""The formulas as formulas: the same functions that count, evaluated on symbols instead of numbers.

What is printed is therefore what is counted: with a model's values put in for the symbols, each expression gives its
exact number. The pattern of layers (how many of which kind, which route by hash) stays in numbers.
"""

import dataclasses
from typing import Any

import sympy

from trex.accounting.counting import part, read
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.transformer import GroupedQueryAttention, LatentAttention, TransformerConfig
from trex.model.config import ModelConfig

SEQUENCE_LENGTH = "S"
CSA_RATIO, HCA_RATIO = "m", "M"
NAMES = {
    "vocab_size": "V",
    "hidden_size": "d",
    "num_attention_heads": "H",
    "num_key_value_heads": "H_kv",
    "head_dim": "c",
    "q_lora_rank": "r",
    "kv_lora_rank": "r_kv",
    "qk_nope_head_dim": "c_nope",
    "qk_rope_head_dim": "c_rope",
    "v_head_dim": "c_v",
    "o_groups": "g",
    "o_lora_rank": "d_g",
    "sliding_window": "w",
    "index_n_heads": "H_I",
    "index_head_dim": "c_I",
    "index_topk": "k",
    "moe_intermediate_size": "f",
    "intermediate_size": "F",
    "n_routed_experts": "E",
    "num_experts_per_tok": "K",
    "n_shared_experts": "E_s",
    "norms_per_layer": "N",
    "hc_mult": "n",
    "csa_ratio": CSA_RATIO,
}


@dataclasses.dataclass(frozen=True)
class Formulas:
    """Component -> expression; values: symbol -> this model's number; names: symbol -> what it is in the config.

    flops: of the forward pass over one document.
    """

    parameters: dict[str, sympy.Expr]
    active_parameters: dict[str, sympy.Expr]
    flops: dict[str, sympy.Expr]
    values: dict[sympy.Symbol, int]
    names: dict[sympy.Symbol, str]


def symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, integer=True, positive=True)


def formulas(architecture: Architecture, sequence_length: int) -> Formulas:
    """By component, those of multi-token prediction with the rest."""
    config, values, names = symbolic(architecture.config)
    length = symbol(SEQUENCE_LENGTH)
    parts = read.of(architecture.name, config, architecture.source).parts(length)
    parameters = part.by_component(parts, lambda one: one.parameters)
    flops = part.by_component(parts, lambda one: one.flops)
    used = set().union(*(expression.free_symbols for expression in (*parameters.values(), *flops.values())))
    values |= {length: sequence_length}
    return Formulas(
        parameters=parameters,
        active_parameters=part.by_component(parts, lambda one: one.active_parameters),
        flops=flops,
        values={one: value for one, value in values.items() if one in used},
        names=names | {length: "sequence_length"},
    )


def symbolic(
    config: ModelConfig | TransformerConfig | GroupedQueryAttention | LatentAttention,
) -> tuple[Any, dict[sympy.Symbol, int], dict[sympy.Symbol, str]]:
    """(the shape with symbols for its sizes, symbol -> number, symbol -> name)."""
    own = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    changed = {name: symbol(NAMES[name]) for name, value in own.items() if name in NAMES and value}
    values = {changed[name]: own[name] for name in changed}
    names = {changed[name]: name for name in changed}
    if isinstance(config, ModelConfig):
        ratio = {config.csa_ratio: symbol(CSA_RATIO)} | {
            ratio: symbol(HCA_RATIO) for ratio in config.compress_ratios if config.kind_of(ratio) == "hca"
        }
        changed["compress_ratios"] = tuple(ratio.get(each, each) for each in config.compress_ratios)
        values |= {ratio[each]: each for each in ratio}
        names |= {ratio[each]: "compress_ratios" for each in ratio if ratio[each] not in names}
    elif isinstance(config, TransformerConfig):
        changed["attention"], inner, inner_names = symbolic(config.attention)
        values, names = values | inner, names | inner_names
    return dataclasses.replace(config, **changed), values, names
