"""Whose FLOPs: the conventions by which training work is counted, each a named object with its source.

Each convention gives the training FLOPs of one document, term by term, as its source has them; no constant is fitted to
a total. Terms are whole numbers or fractions, so nothing is rounded. All count three passes for each matrix (forward,
gradient of inputs, gradient of weights) and two FLOPs a multiply-add, where nothing else is said.

A convention for MFU leaves recomputed work out; one with `hardware` counts it, and gives HFU. A name with `mtp` counts
the block of multi-token prediction (MTP).

`MISTAKES` holds a count that its own authors corrected. `NOT_DERIVED` lists totals in circulation whose formula we
could not read, with what is missing.
"""

import dataclasses
from collections.abc import Callable
from fractions import Fraction

from trex.accounting.counting import deepseek_v4, part
from trex.accounting.counting.part import FORWARDS_PER_TRAINING_STEP, Architecture, Part
from trex.accounting.counting.transformer import GroupedQueryAttention, TransformerConfig
from trex.model.config import ModelConfig

Terms = dict[str, int | Fraction]
TRAINING = 2 * FORWARDS_PER_TRAINING_STEP  # FLOPs a multiply-add of the forward pass
EXACT = "exact_visible_pairs"
EXACT_WITH_MTP = "exact_visible_pairs_mtp"


@dataclasses.dataclass(frozen=True)
class Convention:
    """counts: in one sentence. source: with its version. terms(architecture, sequence_length): the training FLOPs of
    one document. shapes: the kinds of configuration that its source has a formula for.

    mtp: whether the block of multi-token prediction is counted. hardware: whether recomputed work is.
    """

    name: str
    counts: str
    source: str
    terms: Callable[[Architecture, int], Terms]
    shapes: tuple[type, ...] = (ModelConfig,)
    mtp: bool = False
    hardware: bool = False

    def applies_to(self, architecture: Architecture) -> bool:
        """Whether there is a formula for such a model; with MTP only where the model has that block."""
        has_block = bool(architecture.config.num_nextn_predict_layers)
        return isinstance(architecture.config, self.shapes) and (has_block or not self.mtp)

    def training_flops(self, architecture: Architecture, sequence_length: int) -> Terms:
        """Term -> training FLOPs of one document of so many tokens."""
        return self.terms(architecture, sequence_length)

    def total(self, architecture: Architecture, sequence_length: int) -> Fraction:
        """Training FLOPs of one document."""
        return Fraction(sum(self.training_flops(architecture, sequence_length).values()))

    def per_token(self, architecture: Architecture, sequence_length: int) -> Fraction:
        """Training FLOPs per token of a document that fills the sequence."""
        return self.total(architecture, sequence_length) / sequence_length


def scaled(terms: Terms, factor: int) -> Terms:
    return {name: factor * value for name, value in terms.items()}


def counted(architecture: Architecture, sequence_length: int, mtp: bool) -> list[Part]:
    """The parts that a convention looks at."""
    parts = architecture.parts(sequence_length)
    return parts if mtp else part.main(parts)


# Exact visible pairs: what `deepseek_v4` and `transformer` say. ------------------------------------------------------


def exact(architecture: Architecture, sequence_length: int, mtp: bool = False) -> Terms:
    """By component; those of multi-token prediction together."""
    parts = architecture.parts(sequence_length)
    terms = part.by_component(part.main(parts), lambda one: one.flops)
    if mtp:
        terms["mtp"] = part.forward_flops(part.mtp(parts))
    return scaled(terms, FORWARDS_PER_TRAINING_STEP)


def exact_with_mtp(architecture: Architecture, sequence_length: int) -> Terms:
    return exact(architecture, sequence_length, mtp=True)


def frozen_indexer(architecture: Architecture, sequence_length: int) -> Terms:
    """No gradient for the indexer: its forward pass alone."""
    terms = exact(architecture, sequence_length)
    once = {name: terms[name] // FORWARDS_PER_TRAINING_STEP for name in terms if name.startswith("indexer_")}
    return terms | once


def recomputed(architecture: Architecture, sequence_length: int, mtp: bool = False) -> Terms:
    """With a second forward pass of each layer, MTP's too; head, collapse and MTP's projections are not recomputed."""
    parts = counted(architecture, sequence_length, mtp)
    outside = ("lm_head", "collapse", "mtp_projection", "token_projection", "streams_projection")
    again = sum(one.flops for one in parts if one.block in ("layer", "mtp") and one.name not in outside)
    return exact(architecture, sequence_length, mtp) | {"recomputation": again}


def recomputed_with_mtp(architecture: Architecture, sequence_length: int) -> Terms:
    return recomputed(architecture, sequence_length, mtp=True)


# 6N. -----------------------------------------------------------------------------------------------------------------


def six_n(architecture: Architecture, sequence_length: int) -> Terms:
    """Six FLOPs an active parameter and token, the input embedding left out; no attention over pairs."""
    parts = [one for one in counted(architecture, sequence_length, mtp=False) if one.block != "embedding"]
    active = sum(one.active_parameters for one in parts)
    return {"active_parameters": TRAINING * active * sequence_length}


def six_n_with_embedding(architecture: Architecture, sequence_length: int) -> Terms:
    table = architecture.vocab_size * architecture.hidden_size
    return six_n(architecture, sequence_length) | {"embedding": TRAINING * table * sequence_length}


# Megatron-LM. --------------------------------------------------------------------------------------------------------


def megatron(architecture: Architecture, sequence_length: int, mtp: bool = False) -> Terms:
    """`num_floating_point_operations`: no router, no hyper-connections; half of all pairs count as visible in full
    attention; norms count where they stand beside a low rank."""
    config = architecture.config
    blocks = config.num_nextn_predict_layers if mtp else 0
    d, vocabulary = config.hidden_size, config.vocab_size
    attention = megatron_compressed if isinstance(config, ModelConfig) else megatron_full
    per_token = {
        **attention(config, sequence_length, blocks),
        **megatron_feed_forward(config, blocks),
        "mtp": blocks * (3 * d + 2 * d * d),
        "lm_head": (1 + blocks) * d * vocabulary,
    }
    return scaled({name: value for name, value in per_token.items() if value}, TRAINING * sequence_length)


def megatron_with_mtp(architecture: Architecture, sequence_length: int) -> Terms:
    return megatron(architecture, sequence_length, mtp=True)


def megatron_feed_forward(config: ModelConfig | TransformerConfig, blocks: int) -> Terms:
    """Multiply-adds per token; the blocks of MTP are like the last layer, which has experts."""
    dense = 0 if isinstance(config, ModelConfig) else config.num_dense_layers
    expert = 3 * config.hidden_size * config.moe_intermediate_size
    sparse = config.num_hidden_layers + blocks - dense
    network = 3 * config.hidden_size * config.intermediate_size if dense else 0
    return {
        "dense_networks": dense * network,
        "routed_experts": sparse * config.num_experts_per_tok * expert,
        "shared_experts": sparse * config.n_shared_experts * expert,
    }


def megatron_full(config: TransformerConfig, sequence_length: int, blocks: int) -> Terms:
    """Multiply-adds per token of grouped-query or latent attention; half of all pairs of query and key count."""
    attention, d = config.attention, config.hidden_size
    layers, heads = config.num_hidden_layers + blocks, attention.num_attention_heads
    if isinstance(attention, GroupedQueryAttention):
        width = heads * attention.head_dim
        projections = d * (2 * width + 2 * attention.num_key_value_heads * attention.head_dim)
        core = Fraction(2 * width * sequence_length, 2)
    else:
        low, latent = attention.q_lora_rank, attention.kv_lora_rank
        projections = (
            low * (d + heads * attention.qk_head_dim + 1)
            + latent * (d + heads * (attention.qk_nope_head_dim + attention.v_head_dim) + 1)
            + d * attention.qk_rope_head_dim
            + heads * attention.v_head_dim * d
        )
        core = Fraction(heads * (attention.qk_head_dim + attention.v_head_dim) * sequence_length, 2)
    return {"projections": layers * projections, "attention": layers * core}


def layer_counts(config: ModelConfig, blocks: int) -> dict[str, int]:
    """Layers by kind; the blocks of MTP are window layers."""
    kinds = [config.layer_kind(layer) for layer in range(config.num_hidden_layers)] + ["window"] * blocks
    return {kind: kinds.count(kind) for kind in ("window", "csa", "hca")}


def compression_ratios(config: ModelConfig) -> list[int]:
    """Of the layers that compress with the ratio of HCA, one entry a layer."""
    return [ratio for ratio in config.compress_ratios if config.kind_of(ratio) == "hca"]


def megatron_compressed(config: ModelConfig, sequence_length: int, blocks: int) -> Terms:
    """Multiply-adds per token of `dsv4_hybrid`: the whole window for each query, half of HCA's entries, the causal mean
    of CSA's chosen ones, and the indexer on all entries."""
    d, c, heads, low = config.hidden_size, config.head_dim, config.num_attention_heads, config.q_lora_rank
    count, ratio = layer_counts(config, blocks), config.csa_ratio
    chosen = min(config.index_topk, sequence_length // ratio)
    average = chosen * (1 - Fraction(chosen * ratio, 2 * sequence_length))
    halves = sum(Fraction(sequence_length // each, 2) for each in compression_ratios(config))
    projections = low * (d + heads * c + 1) + c * (d + 1) + config.o_lora_rank * (heads * c + config.o_groups * d)
    indexer = config.index_n_heads * config.index_head_dim
    return {
        "projections": sum(count.values()) * projections,
        "compressors": (2 * count["csa"] + count["hca"]) * 2 * d * c,
        "indexer_projections": count["csa"]
        * (4 * d * config.index_head_dim + low * indexer + d * config.index_n_heads),
        "indexer_scores": count["csa"] * indexer * (sequence_length // ratio),
        "window_attention": sum(count.values()) * 2 * heads * c * config.sliding_window,
        "csa_attention": count["csa"] * 2 * heads * c * average,
        "hca_attention": 2 * heads * c * halves,
    }


# Others that know DeepSeek-V4. ---------------------------------------------------------------------------------------


def veomni(architecture: Architecture, sequence_length: int) -> Terms:
    """As exact visible pairs, but of the streams' sums only the mixing of n by n streams, twice a layer."""
    config: ModelConfig = architecture.config
    n, d = config.hc_mult, config.hidden_size
    projections = 2 * config.num_hidden_layers * (2 + n) * n * n * d + n * n * d
    mixing = 2 * config.num_hidden_layers * n * n * d
    terms = exact(architecture, sequence_length)
    return terms | {"hyper_connections": TRAINING * (projections + mixing) * sequence_length}


def torchtitan(architecture: Architecture, sequence_length: int, mtp: bool = False) -> Terms:
    """Six FLOPs an active parameter, vectors and the compressors' biases too, and attention without causality: the
    whole window and all compressed entries, or index_topk of them, for each query."""
    config: ModelConfig = architecture.config
    blocks = config.num_nextn_predict_layers if mtp else 0
    d = config.hidden_size
    parts = [one for one in counted(architecture, sequence_length, mtp) if one.block != "embedding"]
    again = blocks * (config.vocab_size * d + (config.hc_mult - 1) * d * d)  # the head, a projection of each stream
    count = layer_counts(config, blocks)
    entries = sequence_length // config.csa_ratio
    pair = 2 * config.num_attention_heads * config.head_dim
    per_token = {
        "active_parameters": sum(one.active_parameters for one in parts) + again,
        "window_attention": sum(count.values()) * pair * min(sequence_length, config.sliding_window),
        "indexer_scores": count["csa"] * config.index_n_heads * config.index_head_dim * entries,
        "csa_attention": count["csa"] * pair * min(entries, config.index_topk),
        "hca_attention": pair * sum(sequence_length // each for each in compression_ratios(config)),
    }
    return scaled(per_token, TRAINING * sequence_length)


def torchtitan_with_mtp(architecture: Architecture, sequence_length: int) -> Terms:
    return torchtitan(architecture, sequence_length, mtp=True)


def primus(architecture: Architecture, sequence_length: int, mtp: bool = False, streams: int = 1) -> Terms:
    """Window and HCA by visible pairs, CSA without causality; the indexer's query from the hidden state by way of
    index_head_dim channels; no router in hash layers; hyper-connections without the sums of streams.

    streams: a document is so many times as long inside the layers.
    """
    config: ModelConfig = architecture.config
    blocks = config.num_nextn_predict_layers if mtp else 0
    layers, d, n = config.num_hidden_layers + blocks, config.hidden_size, config.hc_mult
    inside = streams * sequence_length
    count, entries = layer_counts(config, blocks), max(1, inside // config.csa_ratio)
    visible = sum(deepseek_v4.compressed_pairs(inside, each) for each in compression_ratios(config))
    pair = 2 * config.num_attention_heads * config.head_dim
    terms = {
        **primus_layers(config, inside, blocks),
        "indexer_scores": count["csa"] * config.index_n_heads * config.index_head_dim * entries * inside,
        "window_attention": layers * pair * deepseek_v4.window_pairs(inside, config.sliding_window),
        "csa_attention": count["csa"] * pair * min(config.index_topk, entries) * inside,
        "hca_attention": pair * visible,
        "hyper_connections": (2 * layers * (2 + n) * n + (1 + blocks) * n) * n * d * sequence_length,
        "mtp": blocks * 2 * d * d * sequence_length,
        "lm_head": (1 + blocks) * d * config.vocab_size * sequence_length,
    }
    return scaled(terms, TRAINING)


def primus_with_mtp(architecture: Architecture, sequence_length: int) -> Terms:
    return primus(architecture, sequence_length, mtp=True)


def primus_by_streams(architecture: Architecture, sequence_length: int) -> Terms:
    """As if the residual streams went through the layers one after the other."""
    return primus(architecture, sequence_length, mtp=True, streams=architecture.streams)


def primus_layers(config: ModelConfig, inside: int, blocks: int) -> Terms:
    """Multiply-adds of the layers' matrices over so many tokens."""
    layers, count, d = config.num_hidden_layers + blocks, layer_counts(config, blocks), config.hidden_size
    heads, width = config.num_attention_heads * config.head_dim, config.index_head_dim
    projections = d * (config.q_lora_rank + config.head_dim + config.o_groups * config.o_lora_rank)
    projections += heads * (config.q_lora_rank + config.o_lora_rank)
    indexer = d * width + width * config.index_n_heads * width + d * config.index_n_heads + 4 * d * width
    expert = 3 * d * config.moe_intermediate_size
    per_token = {
        "projections": layers * projections,
        "compressors": (2 * count["csa"] + count["hca"]) * 2 * d * config.head_dim,
        "indexer_projections": count["csa"] * indexer,
        "routers": (layers - config.num_hash_layers) * d * config.n_routed_experts,
        "routed_experts": layers * config.num_experts_per_tok * expert,
        "shared_experts": layers * config.n_shared_experts * expert,
    }
    return scaled(per_token, inside)


# The list. -----------------------------------------------------------------------------------------------------------

ALL_SHAPES = (ModelConfig, TransformerConfig)
MEGATRON = (
    "NVIDIA/Megatron-LM, num_floating_point_operations in megatron/training/training.py (commit 001b00c2; for "
    "DeepSeek-V4 the later variant dsv4_hybrid, as the unit tests of that function restate it, 2026)"
)
TORCHTITAN = "pytorch/torchtitan, models/deepseek_v4/model.py and models/utils.py (commit 048b0ae4)"
PRIMUS_PATH = "primus/backends/megatron/patches/deepseek_v4_flops_patches.py"
PRIMUS = f"Primus, {PRIMUS_PATH}, corrected (commit d38ac655 of hann-wang/Primus)"
SIX_N = "arXiv 2001.08361, section 2.1"

CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention(
            EXACT,
            "each visible pair of query and key, each matrix, hyper-connections; the indexer trained; without MTP",
            "this package: counting/deepseek_v4.py and counting/transformer.py",
            exact,
            ALL_SHAPES,
        ),
        Convention(
            EXACT_WITH_MTP,
            "the same with the block of multi-token prediction",
            "this package: counting/deepseek_v4.py and counting/transformer.py",
            exact_with_mtp,
            ALL_SHAPES,
            mtp=True,
        ),
        Convention(
            "exact_visible_pairs_frozen_indexer",
            "as exact_visible_pairs, but of the indexer the forward pass alone: it is not trained",
            "this package: counting/deepseek_v4.py",
            frozen_indexer,
        ),
        Convention(
            "veomni",
            "visible pairs; of the hyper-connections not the collapse and expansion of streams; without MTP",
            "ByteDance-Seed/VeOmni, _estimate_deepseek_v4_flops in veomni/utils/count_flops.py (2026)",
            veomni,
        ),
        Convention(
            "megatron",
            "no router, no hyper-connections, the whole window for each query, half of full attention; without MTP",
            MEGATRON,
            megatron,
            ALL_SHAPES,
        ),
        Convention("megatron_mtp", "the same with MTP", MEGATRON, megatron_with_mtp, ALL_SHAPES, mtp=True),
        Convention(
            "torchtitan",
            "six FLOPs an active parameter, and attention without causality; without MTP",
            TORCHTITAN,
            torchtitan,
        ),
        Convention("torchtitan_mtp", "the same with MTP", TORCHTITAN, torchtitan_with_mtp, mtp=True),
        Convention(
            "primus",
            "CSA and indexer without causality, an indexer of another shape, no router in hash layers; without MTP",
            PRIMUS,
            primus,
        ),
        Convention("primus_mtp", "the same with MTP", PRIMUS, primus_with_mtp, mtp=True),
        Convention(
            "6n",
            "six FLOPs an active parameter without the input embedding; no pairs; without MTP",
            SIX_N,
            six_n,
            ALL_SHAPES,
        ),
        Convention(
            "6n_with_embedding",
            "six FLOPs an active parameter; no pairs; without MTP",
            "the same shortcut on a model card's active parameters",
            six_n_with_embedding,
            ALL_SHAPES,
        ),
        Convention(
            "exact_visible_pairs_full_recomputation",
            "as exact_visible_pairs, and the forward pass of each layer once more",
            "this package: counting/deepseek_v4.py and counting/transformer.py",
            recomputed,
            ALL_SHAPES,
            hardware=True,
        ),
        Convention(
            "exact_visible_pairs_mtp_full_recomputation",
            "the same with MTP",
            "this package: counting/deepseek_v4.py and counting/transformer.py",
            recomputed_with_mtp,
            ALL_SHAPES,
            mtp=True,
            hardware=True,
        ),
    )
}

# What a release counted by mistake: kept apart, so that no range of MFU holds it.
MISTAKES = {
    "primus_by_streams_mtp": Convention(
        "primus_by_streams_mtp",
        "everything in the layers times the number of residual streams, which an earlier version did; with MTP",
        f"Primus, {PRIMUS_PATH}, before that (commit 6a6bcd93 of yudigege86/Primus)",
        primus_by_streams,
        mtp=True,
    ),
}

NOT_DERIVED = {
    "maxtext": "AI-Hypercomputer/maxtext, DeepSeek-V4 (85.619 and 312.495 GFLOP a token at 4096 without MTP, for Flash "
    "and Pro): the function that counts compressed attention was not among the sources we could read, only its unit "
    "test, which takes attention from that function",
}


def applicable(architecture: Architecture) -> list[Convention]:
    """Those with a formula for such a model."""
    return [convention for convention in CONVENTIONS.values() if convention.applies_to(architecture)]
