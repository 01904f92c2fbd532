"""What a DeepSeek-V4-style layer leaves behind, as Megatron-style training code with fused attention runs it.

Symbols as in `trex.accounting.counting.deepseek_v4`. Taken from the equations of arXiv 2606.19348, and where those
leave a choice, from the public MindSpeed-LLM v26.1 (mindspeed_llm/tasks/models/transformer/deepseek4), on which SLAI
T-Rex trains:

- Attention and indexer are fused: no scores of all pairs are kept, but the chosen entries and the softmax's two
  statistics of each query and head.
- Tensor parallelism splits heads, groups and shared experts. Compressors, indexer and the low-rank projections are
  whole on each rank, but see the rank's tokens only; keys, values and compressed entries are then gathered for all.
- The indexer is trained (by its own loss) and sees the whole sequence on each rank of a tensor group. A frozen one
  keeps the chosen entries alone.
- Compressors run in fp32.
"""

from trex.accounting.planning.activations.feed_forward import (
    expert_gradients,
    logits,
    network,
    norm,
    routed_experts,
    router,
)
from trex.accounting.planning.activations.kept import FP32, INT32, Kept, Trace
from trex.model.config import ModelConfig


def trace(config: ModelConfig, tokens: int) -> Trace:
    """tokens: the length of the sequence."""
    return Trace(
        inputs=[streams("layer", config, tokens)],
        layers=[layer(config, ratio, tokens) for ratio in config.compress_ratios],
        mtp=mtp(config, tokens) if config.num_nextn_predict_layers else [],
        mtp_inputs=[ahead(config, tokens)] if config.num_nextn_predict_layers else [],
        head=collapse("head", config, tokens),
        logits=[logits("main", tokens, config.vocab_size)]
        + [logits("mtp", tokens, config.vocab_size)] * config.num_nextn_predict_layers,
        gradients=gradients(config, tokens),
    )


def layer(config: ModelConfig, ratio: int, tokens: int) -> list[Kept]:
    """All but the streams at its start. ratio: of compression, 0 for the window alone."""
    d = config.hidden_size
    middle = streams("middle", config, tokens, again=True)
    return [
        *hyper_connection("attention", config, tokens),
        *norm("attention_norm", "norms", tokens * d),
        *attention(config, ratio, tokens),
        middle,
        *hyper_connection("experts", config, tokens),
        *norm("experts_norm", "norms", tokens * d),
        *router(tokens, d, config.n_routed_experts, config.num_experts_per_tok),
        *routed_experts(tokens, d, config.moe_intermediate_size, config.num_experts_per_tok),
        *network("shared_experts", tokens, config.n_shared_experts * config.moe_intermediate_size),
    ]


def streams(name: str, config: ModelConfig, tokens: int, again: bool = False) -> Kept:
    values = tokens * config.hc_mult * config.hidden_size
    return Kept(f"{name}_streams", "streams", values, again=again, why="the n residual streams, which are mixed")


def hyper_connection(place: str, config: ModelConfig, tokens: int) -> list[Kept]:
    """Beside the streams: the coefficients, Sinkhorn's steps, and the output of the block that is spread over the
    streams."""
    n, d = config.hc_mult, config.hidden_size
    coefficients = 2 * (2 + n) * n + 1
    steps = 2 * config.hc_sinkhorn_iters * (n + n * n)
    return [
        Kept(f"{place}_coefficients", "streams", tokens * coefficients, FP32, why="before and after their activation"),
        Kept(
            f"{place}_sinkhorn",
            "streams",
            tokens * steps,
            FP32,
            again=True,
            certain=False,
            why="sums and results of each",
        ),
        Kept(
            f"{place}_streams_fp32",
            "streams",
            tokens * n * d,
            FP32,
            again=True,
            certain=False,
            why="a copy, if mixing is not fused",
        ),
        Kept(f"{place}_block_output", "streams", tokens * d, why="factor of the product with `post`"),
    ]


def attention(config: ModelConfig, ratio: int, tokens: int) -> list[Kept]:
    heads, inner = config.num_attention_heads * config.head_dim, config.o_groups * config.o_lora_rank
    return [
        *norm("query_rank", "attention", tokens * config.q_lora_rank),
        Kept("query_up", "attention", tokens * heads, split="tensor", again=True, why="input of the norm of each head"),
        Kept("query", "attention", tokens * heads, split="tensor", again=True, why="rotated, input of attention"),
        Kept("key_value_down", "attention", tokens * config.head_dim, why="input of its norm"),
        Kept("key_value", "attention", tokens * config.head_dim, split="whole", why="of all tokens, for all heads"),
        *compressed(config, ratio, tokens),
        Kept(
            "softmax_statistics",
            "attention",
            2 * tokens * config.num_attention_heads,
            FP32,
            "tensor",
            why="maximum and sum",
        ),
        Kept("attention_output", "attention", tokens * heads, split="tensor", why="for the gradient of the scores"),
        Kept(
            "output_rotated_back",
            "attention",
            tokens * heads,
            split="tensor",
            again=True,
            certain=False,
            why="input of output_down, if it is another tensor than attention_output",
        ),
        Kept("output_down", "attention", tokens * inner, split="tensor", why="input of output_up"),
    ]


def compressed(config: ModelConfig, ratio: int, tokens: int) -> list[Kept]:
    """The compressor, and the indexer of a CSA layer."""
    if ratio == 0:
        return []
    kind = config.kind_of(ratio)
    entries = compressor("compressors", config, kind, ratio, config.head_dim, tokens)
    if kind == "hca":
        return entries
    heads, width, best = config.index_n_heads, config.index_head_dim, min(config.index_topk, tokens // ratio)
    return [
        *entries,
        Kept("index_query", "indexer", tokens * heads * width, split="context", why="for the indexer's own loss"),
        Kept("index_weight", "indexer", tokens * heads, FP32, "context", why="for the indexer's own loss"),
        Kept("chosen", "indexer", tokens * best, INT32, "context", why="entry numbers of each query"),
        *compressor("indexer", config, kind, ratio, width, tokens),
    ]


def compressor(component: str, config: ModelConfig, kind: str, ratio: int, width: int, tokens: int) -> list[Kept]:
    """Values and softmax weights of all slots, both in fp32; the pooled entries before and after their norm."""
    series, entries = 2 if kind == "csa" else 1, tokens // ratio
    return [
        Kept(
            "input_fp32",
            component,
            tokens * config.hidden_size,
            FP32,
            again=True,
            certain=False,
            why="the input's cast",
        ),
        Kept("slots", component, 2 * entries * ratio * series * width, FP32, again=True, why="factors of the pooling"),
        Kept("pooled", component, entries * width, why="input of its norm"),
        Kept("entries", component, entries * width, split="whole", why="of all tokens, for all heads"),
    ]


def collapse(place: str, config: ModelConfig, tokens: int) -> list[Kept]:
    """From the last streams to the head's input."""
    values = tokens * config.hidden_size
    return [streams(place, config, tokens), *norm(f"{place}_norm", "norms", values)]


def ahead(config: ModelConfig, tokens: int) -> Kept:
    return Kept("next_embedding", "mtp", tokens * config.hidden_size, why="input of its norm")


def mtp(config: ModelConfig, tokens: int) -> list[Kept]:
    """A window layer with its projections of embedding and streams before and a collapse behind."""
    d, n = config.hidden_size, config.hc_mult
    return [
        ahead(config, tokens),
        Kept("embedding_norm_output", "mtp", tokens * d, again=True, why="input of the embedding's projection"),
        Kept("streams_norm_output", "mtp", tokens * n * d, again=True, why="input of the streams' projection"),
        streams("mtp_layer", config, tokens),
        *layer(config, 0, tokens),
        *collapse("mtp", config, tokens),
    ]


def gradients(config: ModelConfig, tokens: int) -> list[list[Kept]]:
    """Within attention and within experts; with each, those of the streams before and after mixing."""
    heads = Kept("heads", "gradients", tokens * config.num_attention_heads * config.head_dim, split="tensor")
    mixed = streams("gradient", config, tokens)
    inside = expert_gradients(tokens, config.hidden_size, config.moe_intermediate_size, config.num_experts_per_tok)
    return [[mixed, mixed, *group] for group in ([heads, heads], *inside)]
