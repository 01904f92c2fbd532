"""Exact parameter counts of any DeepSeek-V4-style configuration, by component. Free of torch.

Shapes are those of the published checkpoints (arXiv 2606.19348), in the symbols of that report: d hidden size, c head
size, H heads, r query rank, g groups of rank d_g in the output projection, m compression ratio, E routed experts of
width f, n residual streams. Counted are trainable weights; the router's correction bias is a buffer, counted by
`router_bias` alone, and the fixed hash table from token to experts is not a parameter at all.
"""

from trex.model.config import ModelConfig

HYPER_CONNECTIONS_PER_LAYER = 2  # one before attention, one before the experts


def attention_projections(config: ModelConfig) -> int:
    """Matrices of one layer's attention: query down and up, shared key-value, grouped output down and up."""
    heads = config.num_attention_heads * config.head_dim
    return (
        config.hidden_size * config.q_lora_rank
        + config.q_lora_rank * heads
        + config.hidden_size * config.head_dim
        + heads * config.o_lora_rank
        + config.o_groups * config.o_lora_rank * config.hidden_size
    )


def attention_vectors(config: ModelConfig) -> int:
    """Norm weights of query rank and key-value, and one sink a head."""
    return config.q_lora_rank + config.head_dim + config.num_attention_heads


def compressor_projections(config: ModelConfig, layer: int) -> int:
    """Key-value and gate matrices; CSA's overlapping windows need two of each."""
    series = {"window": 0, "hca": 1, "csa": 2}[config.layer_kind(layer)]
    return 2 * series * config.hidden_size * config.head_dim


def compressor_vectors(config: ModelConfig, layer: int) -> tuple[int, int]:
    """(slot bias, a matrix of one row a slot; norm weight) of a layer's compressor."""
    kind = config.layer_kind(layer)
    if kind == "window":
        return 0, 0
    series = 2 if kind == "csa" else 1
    return config.compress_ratios[layer] * series * config.head_dim, config.head_dim


def indexer_projections(config: ModelConfig, layer: int) -> int:
    """Query, head weights and the indexer's own overlapping compressor; CSA layers alone have an indexer."""
    if config.layer_kind(layer) != "csa":
        return 0
    return (
        config.q_lora_rank * config.index_n_heads * config.index_head_dim
        + config.hidden_size * config.index_n_heads
        + 4 * config.hidden_size * config.index_head_dim
    )


def indexer_vectors(config: ModelConfig, layer: int) -> tuple[int, int]:
    """(slot bias, norm weight) of the indexer's compressor."""
    if config.layer_kind(layer) != "csa":
        return 0, 0
    return config.compress_ratios[layer] * 2 * config.index_head_dim, config.index_head_dim


def router(config: ModelConfig) -> int:
    """One layer's gate; hash layers have it too, for the weights of the experts that the table names."""
    return config.n_routed_experts * config.hidden_size


def expert(config: ModelConfig) -> int:
    """Gate, up and down matrices of one expert."""
    return 3 * config.hidden_size * config.moe_intermediate_size


def hyper_connection_projection(config: ModelConfig) -> int:
    """fn [(2 + n) * n, n * d] of one hyper-connection: n weights in, n out and n * n between streams."""
    return (2 + config.hc_mult) * config.hc_mult * config.hc_mult * config.hidden_size


def hyper_connection_vectors(config: ModelConfig) -> int:
    """Bias [(2 + n) * n] and the three scales."""
    return (2 + config.hc_mult) * config.hc_mult + 3


def hyper_head_projection(config: ModelConfig) -> int:
    """fn [n, n * d] of the last collapse of the streams."""
    return config.hc_mult * config.hc_mult * config.hidden_size


def hyper_head_vectors(config: ModelConfig) -> int:
    """Bias [n] and one scale."""
    return config.hc_mult + 1


def hyper_connections(config: ModelConfig) -> int:
    """Both hyper-connections of one layer."""
    return HYPER_CONNECTIONS_PER_LAYER * (hyper_connection_projection(config) + hyper_connection_vectors(config))


def components(config: ModelConfig) -> dict[str, int]:
    """Trainable parameters of the main model (no MTP block) by component; the total is their sum."""
    layers = range(config.num_hidden_layers)
    count = config.num_hidden_layers
    return {
        "embedding": config.vocab_size * config.hidden_size,
        "attention": count * (attention_projections(config) + attention_vectors(config)),
        "compressors": sum(compressor_projections(config, i) + sum(compressor_vectors(config, i)) for i in layers),
        "indexers": sum(indexer_projections(config, i) + sum(indexer_vectors(config, i)) for i in layers),
        "routers": count * router(config),
        "routed_experts": count * config.n_routed_experts * expert(config),
        "shared_experts": count * config.n_shared_experts * expert(config),
        "hyper_connections": count * hyper_connections(config)
        + hyper_head_projection(config)
        + hyper_head_vectors(config),
        "norms": (2 * count + 1) * config.hidden_size,
        "lm_head": config.vocab_size * config.hidden_size,
    }


def total(config: ModelConfig) -> int:
    """Trainable parameters of the main model."""
    return sum(components(config).values())


def router_bias(config: ModelConfig) -> int:
    """Size of the correction-bias buffers; hash layers have none."""
    learned = sum(not config.is_hash_layer(layer) for layer in range(config.num_hidden_layers))
    return learned * config.n_routed_experts


def active(config: ModelConfig) -> int:
    """Parameters that one token meets: the routed experts it is not sent to left out, bias buffers included."""
    idle = config.n_routed_experts - config.num_experts_per_tok
    return total(config) + router_bias(config) - config.num_hidden_layers * idle * expert(config)


def active_without_embedding(config: ModelConfig) -> int:
    """`active` without the input embedding, which is looked up: what "13B" and "49B" active mean."""
    return active(config) - config.vocab_size * config.hidden_size


def mtp(config: ModelConfig) -> int:
    """Trainable parameters of one MTP block: a window layer without hash routing, two d x d projections, three norms
    and a collapse of its own. The head is the main model's."""
    return (
        attention_projections(config)
        + attention_vectors(config)
        + router(config)
        + (config.n_routed_experts + config.n_shared_experts) * expert(config)
        + hyper_connections(config)
        + hyper_head_projection(config)
        + hyper_head_vectors(config)
        + 2 * config.hidden_size
        + 2 * config.hidden_size**2
        + 3 * config.hidden_size
    )


def adamw(config: ModelConfig) -> int:
    """Parameters that the report trains with AdamW: embedding, head, norm weights, sinks, and the biases and scales of
    the hyper-connections. Muon takes the rest (arXiv 2606.19348)."""
    layers = range(config.num_hidden_layers)
    per_layer = attention_vectors(config) + HYPER_CONNECTIONS_PER_LAYER * hyper_connection_vectors(config)
    compressor_norms = sum(compressor_vectors(config, i)[1] + indexer_vectors(config, i)[1] for i in layers)
    counts = components(config)
    return (
        counts["embedding"]
        + counts["lm_head"]
        + counts["norms"]
        + config.num_hidden_layers * per_layer
        + hyper_head_vectors(config)
        + compressor_norms
    )
