"""What a layer with full causal attention leaves behind: multi-head latent (MLA) or grouped-query attention, experts.

Symbols as in `trex.accounting.counting.transformer`. Attention is fused: it keeps its inputs, its output and the
softmax's two statistics. MLA keeps keys and values expanded for all heads, as Megatron-Core trains it.
"""

from trex.accounting.counting.transformer import GroupedQueryAttention, LatentAttention, TransformerConfig
from trex.accounting.planning.activations.feed_forward import (
    expert_gradients,
    logits,
    network,
    norm,
    routed_experts,
    router,
)
from trex.accounting.planning.activations.kept import FP32, Kept, Trace


def trace(config: TransformerConfig, tokens: int) -> Trace:
    """tokens: the length of the sequence."""
    d = config.hidden_size
    return Trace(
        inputs=[stream("layer", config, tokens)],
        layers=[layer(config, number < config.num_dense_layers, tokens) for number in range(config.num_hidden_layers)],
        mtp=mtp(config, tokens) * config.num_nextn_predict_layers,
        mtp_inputs=[ahead(config, tokens)] * config.num_nextn_predict_layers,
        head=norm("head_norm", "norms", tokens * d),
        logits=[logits("main", tokens, config.vocab_size)]
        + [logits("mtp", tokens, config.vocab_size)] * config.num_nextn_predict_layers,
        gradients=gradients(config, tokens),
    )


def stream(name: str, config: TransformerConfig, tokens: int) -> Kept:
    return Kept(f"{name}_input", "residual", tokens * config.hidden_size, why="the residual, input of the first norm")


def layer(config: TransformerConfig, dense: bool, tokens: int) -> list[Kept]:
    """All but its input, which is also the first norm's."""
    d = config.hidden_size
    sandwich = [Kept("sandwich", "norms", tokens * d, why="input of a norm behind a block")] * (
        config.norms_per_layer - 2
    )
    behind = network("dense_networks", tokens, config.intermediate_size) if dense else experts(config, tokens)
    return [
        Kept("attention_norm_output", "norms", tokens * d, again=True, why="input of the projections"),
        *attention(config.attention, tokens),
        *norm("experts_norm", "norms", tokens * d),
        *behind,
        *sandwich,
    ]


def experts(config: TransformerConfig, tokens: int) -> list[Kept]:
    d, f, k = config.hidden_size, config.moe_intermediate_size, config.num_experts_per_tok
    return [
        *router(tokens, d, config.n_routed_experts, k),
        *routed_experts(tokens, d, f, k),
        *network("shared_experts", tokens, config.n_shared_experts * f),
    ]


def attention(shape: GroupedQueryAttention | LatentAttention, tokens: int) -> list[Kept]:
    made = latent(shape, tokens) if isinstance(shape, LatentAttention) else grouped(shape, tokens)
    heads, output = shape.num_attention_heads, tokens * width_of_values(shape)
    return [
        *made,
        Kept("softmax_statistics", "attention", 2 * tokens * heads, FP32, "tensor", why="maximum and sum"),
        Kept("attention_output", "attention", output, split="tensor", why="for the scores' gradient; input of output"),
    ]


def width_of_values(shape: GroupedQueryAttention | LatentAttention) -> int:
    """Channels of all heads' outputs."""
    channels = shape.v_head_dim if isinstance(shape, LatentAttention) else shape.head_dim
    return shape.num_attention_heads * channels


def width_of_queries(shape: GroupedQueryAttention | LatentAttention) -> int:
    channels = shape.qk_head_dim if isinstance(shape, LatentAttention) else shape.head_dim
    return shape.num_attention_heads * channels


def latent(shape: LatentAttention, tokens: int) -> list[Kept]:
    heads = shape.num_attention_heads
    return [
        *norm("query_rank", "attention", tokens * shape.q_lora_rank),
        *norm("key_value_rank", "attention", tokens * shape.kv_lora_rank),
        expanded("query", tokens * heads * shape.qk_head_dim, again=True),
        expanded("key", tokens * heads * shape.qk_head_dim, again=True),
        expanded("value", tokens * heads * shape.v_head_dim, again=True),
    ]


def grouped(shape: GroupedQueryAttention, tokens: int) -> list[Kept]:
    shared = tokens * shape.num_key_value_heads * shape.head_dim
    own = tokens * shape.num_attention_heads * shape.head_dim
    before = [expanded("query_before_norm", own), expanded("key_before_norm", shared)] if shape.qk_norm else []
    return [*before, expanded("query", own), expanded("key", shared), expanded("value", shared)]


def expanded(name: str, values: int, again: bool = False) -> Kept:
    return Kept(name, "attention", values, split="tensor", again=again, why="input of attention or of its norm")


def ahead(config: TransformerConfig, tokens: int) -> Kept:
    return Kept("next_embedding", "mtp", tokens * config.hidden_size, why="input of its norm")


def mtp(config: TransformerConfig, tokens: int) -> list[Kept]:
    d = config.hidden_size
    return [
        ahead(config, tokens),
        Kept("embedding_norm_output", "mtp", tokens * d, again=True, why="input of the projection"),
        Kept("state_norm_output", "mtp", tokens * d, again=True, why="input of the projection"),
        stream("mtp_layer", config, tokens),
        *layer(config, False, tokens),
        *norm("mtp_norm", "norms", tokens * d),
    ]


def gradients(config: TransformerConfig, tokens: int) -> list[list[Kept]]:
    """Within attention, a dense network and experts; with each, that of the residual."""
    shape, d = config.attention, config.hidden_size
    query = Kept("query", "gradients", tokens * width_of_queries(shape), split="tensor")
    value = Kept("output", "gradients", tokens * width_of_values(shape), split="tensor")
    network = Kept("network", "gradients", 2 * tokens * config.intermediate_size, split="tensor")
    inside = expert_gradients(tokens, d, config.moe_intermediate_size, config.num_experts_per_tok)
    return [[stream("gradient", config, tokens), *group] for group in ([query, value], [network], *inside)]
