"""The parts of any DeepSeek-V4-style configuration (arXiv 2606.19348). Free of torch.

In the symbols of the report: d hidden size, c head size, H heads, r query rank, g groups of rank d_g in the output
projection, m compression ratio, E routed experts of width f, n residual streams.

Parameters are trainable weights of the published checkpoints' shapes; the router's correction bias is a buffer, and the
fixed hash table from token to experts is neither.

FLOPs are by the convention `exact_visible_pairs`:

- Attention costs four FLOPs per head, channel and *visible* pair of query and key (two for the score, two for the
  weighted sum): pairs that a mask hides are not counted, whether or not an implementation computes them. Query t
  (from 0) sees the last `sliding_window` tokens up to itself and, of the compressed entries i < (t + 1) // m, all
  (HCA) or the best `index_topk` (CSA).
- The indexer scores every entry that is visible before the choice: two FLOPs per index head, channel and pair.
- A hyper-connection costs its projection and the weighted sums of the streams; the last collapse its projection.
- Routed experts count `num_experts_per_tok` experts a token, whatever capacity or padding an implementation needs.

Not counted: recomputation, the optimizer, Sinkhorn normalisation, norms and other elementwise work, softmax, RoPE,
the pooling in the compressors, and the embedding look-up.
"""

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
    smaller,
)
from trex.model.config import ModelConfig


def window_pairs(sequence_length: int, window: int) -> int:
    """Sum over queries t of min(t + 1, window)."""
    ramp = smaller(sequence_length, window)
    return half(ramp * (ramp + 1)) + (sequence_length - ramp) * window


def compressed_pairs(sequence_length: int, ratio: int, top_k: int | None = None) -> int:
    """Sum over queries t of the visible compressed entries (t + 1) // ratio, at most `top_k` of them."""
    entries = sequence_length // ratio
    if top_k is not None:
        entries = smaller(entries, top_k)
    return half(ratio * entries * (entries - 1)) + entries * (sequence_length - entries * ratio + 1)


def architecture(name: str, config: ModelConfig, source: str) -> Architecture:
    return part.architecture(name, config, source, parts, streams=config.hc_mult)


def parts(config: ModelConfig, sequence_length: int) -> list[Part]:
    """All parts, the MTP block's last where the config has one."""
    layers = [
        located(one, layer, "layer")
        for layer, ratio in enumerate(config.compress_ratios)
        for one in layer_parts(config, ratio, config.is_hash_layer(layer), sequence_length)
    ]
    ahead = mtp_parts(config, sequence_length) if config.num_nextn_predict_layers else []
    return [embedding(config), *layers, *head_parts(config, sequence_length), *ahead]


def layer_parts(config: ModelConfig, ratio: int, is_hash: bool, sequence_length: int) -> list[Part]:
    """One layer's; ratio: its compression ratio, 0 for the window alone. Hash layers have a router too, for the weights
    of the experts that the table names, but no correction bias."""
    return [
        *projections(config, sequence_length),
        *compression(config, ratio, sequence_length),
        *attention(config, ratio, sequence_length),
        *experts(config, sequence_length, has_bias=not is_hash),
        hyper_connections(config, sequence_length),
        Part("norms", "norms", vectors=2 * config.hidden_size),
    ]


def projections(config: ModelConfig, sequence_length: int) -> list[Part]:
    """Query down and up, shared key-value, grouped output down and up; norms of query rank and key-value, sinks."""
    d, c, r = config.hidden_size, config.head_dim, config.q_lora_rank
    heads, inner = config.num_attention_heads * c, config.o_groups * config.o_lora_rank

    def projection(name: str, size: int, sharding: str = "replicated", vectors: int = 0) -> Part:
        return matrix(name, "projections", size, sequence_length, sharding, vectors)

    return [
        projection("query_down", d * r, vectors=r),
        projection("query_up", r * heads, "tensor"),
        projection("key_value", d * c, vectors=c),
        projection("output_down", heads * config.o_lora_rank, "tensor"),
        projection("output_up", inner * d, "tensor"),
        Part("sink", "projections", vectors=config.num_attention_heads, sharding="tensor"),
    ]


def compressor(config: ModelConfig, name: str, component: str, ratio: int, width: int, sequence_length: int) -> Part:
    """Key-value and gate matrices of `width` channels, the bias of each of the window's slots, a norm.

    CSA's windows overlap, which takes two series of everything but the norm.
    """
    series = 2 if config.kind_of(ratio) == "csa" else 1
    size, slots = 2 * series * config.hidden_size * width, ratio * series * width
    flops = 2 * size * sequence_length
    return Part(name, component, matrices=size + slots, vectors=width, flops=flops, operator="matmul")


def compression(config: ModelConfig, ratio: int, sequence_length: int) -> list[Part]:
    """The compressor of a CSA or HCA layer, and what the indexer of a CSA layer projects and scores."""
    if ratio == 0:
        return []
    entries = compressor(config, "compressor", "compressors", ratio, config.head_dim, sequence_length)
    if config.kind_of(ratio) == "hca":
        return [entries]
    heads, width = config.index_n_heads, config.index_head_dim
    scores = 2 * heads * width * compressed_pairs(sequence_length, ratio)
    projected = "indexer_projections"
    return [
        entries,
        matrix("index_query", projected, config.q_lora_rank * heads * width, sequence_length),
        matrix("index_weight", projected, config.hidden_size * heads, sequence_length),
        compressor(config, "index_compressor", projected, ratio, width, sequence_length),
        Part("indexer_scores", "indexer_scores", flops=scores, operator="indexer"),
    ]


def attention(config: ModelConfig, ratio: int, sequence_length: int) -> list[Part]:
    """Scores and weighted sums over the window, and over the compressed entries that a query sees."""
    pairs = {"window_attention": window_pairs(sequence_length, config.sliding_window)}
    kind = config.kind_of(ratio)
    if kind != "window":
        best = config.index_topk if kind == "csa" else None
        pairs[f"{kind}_attention"] = compressed_pairs(sequence_length, ratio, best)
    per_pair = 4 * config.num_attention_heads * config.head_dim
    return [
        Part(name, name, flops=per_pair * count, operator="attention", sharding="tensor")
        for name, count in pairs.items()
    ]


def hyper_connections(config: ModelConfig, sequence_length: int) -> Part:
    """Both of a layer: each fn [(2 + n) * n, n * d], bias and three scales; projection, collapse, expansion, mixing."""
    n, d = config.hc_mult, config.hidden_size
    fn, streams = (2 + n) * n * n * d, n * n * d + 2 * n * d
    return Part(
        "hyper_connections",
        "hyper_connections",
        matrices=2 * fn,
        vectors=2 * ((2 + n) * n + 3),
        flops=2 * 2 * (fn + streams) * sequence_length,
        operator="mix",
    )


def collapse(config: ModelConfig, sequence_length: int) -> Part:
    """The last collapse of the streams: fn [n, n * d], bias and one scale."""
    n = config.hc_mult
    fn = n * n * config.hidden_size
    flops = 2 * fn * sequence_length
    return Part("collapse", "hyper_connections", matrices=fn, vectors=n + 1, flops=flops, operator="mix")


def head_parts(config: ModelConfig, sequence_length: int) -> list[Part]:
    found = [
        collapse(config, sequence_length),
        Part("norms", "norms", vectors=config.hidden_size),
        lm_head(config, sequence_length),
    ]
    return [located(one, None, "head") for one in found]


def mtp_parts(config: ModelConfig, sequence_length: int) -> list[Part]:
    """Multi-token prediction: a window layer without hash routing, the projections of the embedding and of each of the
    n streams, three norms, a collapse, and the main model's head once more."""
    square, projected = config.hidden_size * config.hidden_size, "mtp_projections"
    found = [
        *layer_parts(config, 0, False, sequence_length),
        matrix("token_projection", projected, square, sequence_length),
        matrix("streams_projection", projected, square, config.hc_mult * sequence_length),  # each of n streams passes
        Part("norms", "norms", vectors=3 * config.hidden_size),
        collapse(config, sequence_length),
        lm_head_again(config, sequence_length),
    ]
    return [located(one, None, "mtp") for one in found]
