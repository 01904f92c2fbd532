"""The parts of mixtures of experts with full causal attention: DeepSeek-V3, Pangu Ultra MoE, Qwen3-MoE, Mixtral.

Attention is grouped-query (arXiv 2305.13245) or multi-head latent (MLA, arXiv 2405.04434), and each query sees all
tokens up to itself. What is counted and what not is as in `deepseek_v4`.
"""

import dataclasses

from trex.accounting.counting import part
from trex.accounting.counting.part import (
    Architecture,
    Part,
    embedding,
    experts,
    half,
    lm_head,
    lm_head_again,
    located,
    matrix,
)


@dataclasses.dataclass(frozen=True)
class GroupedQueryAttention:
    """qk_norm: an RMSNorm of queries and one of keys over a head's channels, shared by all heads, as in Qwen3."""

    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    qk_norm: bool = False

    @property
    def flops_per_pair(self) -> int:
        """Score and weighted sum of one query and one key over all heads."""
        return 4 * self.num_attention_heads * self.head_dim

    def projections(self, d: int, sequence_length: int) -> list[Part]:
        heads, shared = self.num_attention_heads * self.head_dim, self.num_key_value_heads * self.head_dim
        norm = self.head_dim if self.qk_norm else 0
        return [
            matrix("query", "projections", d * heads, sequence_length, "tensor", norm),
            matrix("key", "projections", d * shared, sequence_length, "tensor", norm),
            matrix("value", "projections", d * shared, sequence_length, "tensor"),
            matrix("output", "projections", heads * d, sequence_length, "tensor"),
        ]


@dataclasses.dataclass(frozen=True)
class LatentAttention:
    """Queries by way of q_lora_rank channels; keys and values by way of kv_lora_rank, and one rotary key for all heads.

    Keys and values are expanded for all heads, as in training; what inference absorbs is another count.
    """

    num_attention_heads: int
    q_lora_rank: int
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    @property
    def flops_per_pair(self) -> int:
        """Score and weighted sum of one query and one key over all heads."""
        return 2 * self.num_attention_heads * (self.qk_head_dim + self.v_head_dim)

    def projections(self, d: int, sequence_length: int) -> list[Part]:
        heads, r, c = self.num_attention_heads, self.q_lora_rank, self.kv_lora_rank
        expanded = heads * (self.qk_nope_head_dim + self.v_head_dim)

        def projection(name: str, size: int, sharding: str = "replicated", vectors: int = 0) -> Part:
            return matrix(name, "projections", size, sequence_length, sharding, vectors)

        return [
            projection("query_down", d * r, vectors=r),
            projection("query_up", r * heads * self.qk_head_dim, "tensor"),
            projection("key_value_down", d * (c + self.qk_rope_head_dim), vectors=c),
            projection("key_value_up", c * expanded, "tensor"),
            projection("output", heads * self.v_head_dim * d, "tensor"),
        ]


@dataclasses.dataclass(frozen=True)
class TransformerConfig:
    """num_dense_layers: the first layers, whose feed-forward part is one network of intermediate_size.

    router_bias: whether the router keeps a correction bias, which is a buffer. norms_per_layer: two, or four with the
    sandwich norms of Pangu. num_nextn_predict_layers: blocks of multi-token prediction (MTP), each as a last layer.
    """

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    attention: GroupedQueryAttention | LatentAttention
    n_routed_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    n_shared_experts: int = 0
    num_dense_layers: int = 0
    intermediate_size: int = 0
    router_bias: bool = False
    norms_per_layer: int = 2
    num_nextn_predict_layers: int = 0


def architecture(name: str, config: TransformerConfig, source: str) -> Architecture:
    return part.architecture(name, config, source, parts)


def causal_pairs(sequence_length: int) -> int:
    """Sum over queries t of the t + 1 tokens that each sees."""
    return half(sequence_length * (sequence_length + 1))


def parts(config: TransformerConfig, sequence_length: int) -> list[Part]:
    """All parts, those of multi-token prediction last."""
    layers = [
        located(one, layer, "layer")
        for layer in range(config.num_hidden_layers)
        for one in layer_parts(config, layer < config.num_dense_layers, sequence_length)
    ]
    ahead = [one for _ in range(config.num_nextn_predict_layers) for one in mtp_parts(config, sequence_length)]
    return [embedding(config), *layers, *head_parts(config, sequence_length), *ahead]


def layer_parts(config: TransformerConfig, dense: bool, sequence_length: int) -> list[Part]:
    attention, d = config.attention, config.hidden_size
    flops = attention.flops_per_pair * causal_pairs(sequence_length)
    feed_forward = (
        [dense_network(config, sequence_length)] if dense else experts(config, sequence_length, config.router_bias)
    )
    return [
        *attention.projections(d, sequence_length),
        Part("attention", "attention", flops=flops, operator="attention", sharding="tensor"),
        *feed_forward,
        Part("norms", "norms", vectors=config.norms_per_layer * d),
    ]


def dense_network(config: TransformerConfig, sequence_length: int) -> Part:
    """Gate, up and down, as in an expert."""
    size = 3 * config.hidden_size * config.intermediate_size
    return matrix("dense_network", "dense_networks", size, sequence_length, "tensor")


def head_parts(config: TransformerConfig, sequence_length: int) -> list[Part]:
    found = [Part("norms", "norms", vectors=config.hidden_size), lm_head(config, sequence_length)]
    return [located(one, None, "head") for one in found]


def mtp_parts(config: TransformerConfig, sequence_length: int) -> list[Part]:
    """One block (arXiv 2412.19437, section 2.2): a projection of the token's embedding and of the state, three norms, a
    layer with experts, and the main model's head once more; the embedding is the main model's, too."""
    d = config.hidden_size
    found = [
        matrix("mtp_projection", "mtp_projections", 2 * d * d, sequence_length),
        *layer_parts(config, False, sequence_length),
        Part("norms", "norms", vectors=3 * d),
        lm_head_again(config, sequence_length),
    ]
    return [located(one, None, "mtp") for one in found]
