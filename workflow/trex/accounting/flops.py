"""Exact training FLOPs of any DeepSeek-V4-style configuration, by component and sequence length. Free of torch.

The convention, `exact_visible_pairs`:

- One multiply-add is two FLOPs; a matrix that every token passes costs twice its parameters a token.
- Attention costs four FLOPs per head, channel and *visible* pair of query and key (two for the score, two for the
  weighted sum): pairs that a mask hides are not counted, whether or not an implementation computes them. Query t
  (from 0) sees the last `sliding_window` tokens up to itself and, of the compressed entries i < (t + 1) // m, all
  (HCA) or the best `index_topk` (CSA).
- The indexer scores every entry that is visible before the choice: two FLOPs per index head, channel and pair.
- A hyper-connection costs its projection and the weighted sums of the streams; the last collapse its projection.
- Routed experts count `num_experts_per_tok` experts a token, whatever capacity or padding an implementation needs.
- Training is three times the forward pass (backward towards inputs and weights), the indexer included.

Not counted: recomputation, the optimizer, Sinkhorn normalisation, norms and other elementwise work, softmax, RoPE,
the pooling in the compressors, the embedding look-up, and the MTP block, which `mtp_forward` counts by itself.

All functions return whole FLOPs of one document of `sequence_length` tokens, so nothing is rounded; per token means
divided by that length. Documents packed into one row do not see each other: add them up with `packed_training`.
"""

from collections.abc import Iterable

from trex.accounting import parameters
from trex.model.config import ModelConfig

CONVENTION = "exact_visible_pairs"
CONVENTION_WITH_MTP = "exact_visible_pairs_mtp"
FORWARDS_PER_TRAINING_STEP = 3


def window_pairs(sequence_length: int, window: int) -> int:
    """Sum over queries t of min(t + 1, window)."""
    ramp = min(sequence_length, window)
    return ramp * (ramp + 1) // 2 + (sequence_length - ramp) * window


def compressed_pairs(sequence_length: int, ratio: int, top_k: int | None = None) -> int:
    """Sum over queries t of the visible compressed entries (t + 1) // ratio, at most `top_k` of them."""
    entries = sequence_length // ratio
    if top_k is not None:
        entries = min(entries, top_k)
    return ratio * entries * (entries - 1) // 2 + entries * (sequence_length - entries * ratio + 1)


def attention(config: ModelConfig, pairs: int) -> int:
    """Scores and weighted sums of one layer over so many pairs."""
    return 4 * config.num_attention_heads * config.head_dim * pairs


def hyper_connections(config: ModelConfig) -> int:
    """Both hyper-connections of one layer, per token: projection, mixing of n streams, collapse and expansion."""
    streams = config.hc_mult * config.hc_mult * config.hidden_size + 2 * config.hc_mult * config.hidden_size
    per_connection = parameters.hyper_connection_projection(config) + streams
    return 2 * parameters.HYPER_CONNECTIONS_PER_LAYER * per_connection


def forward(config: ModelConfig, sequence_length: int) -> dict[str, int]:
    """FLOPs of the main model's forward pass over one document, by component."""
    layers = range(config.num_hidden_layers)
    csa = [config.compress_ratios[i] for i in layers if config.layer_kind(i) == "csa"]
    hca = [config.compress_ratios[i] for i in layers if config.layer_kind(i) == "hca"]
    all_csa_pairs = sum(compressed_pairs(sequence_length, ratio) for ratio in csa)
    per_token = {
        "projections": 2 * config.num_hidden_layers * parameters.attention_projections(config),
        "compressors": 2 * sum(parameters.compressor_projections(config, i) for i in layers),
        "indexer_projections": 2 * sum(parameters.indexer_projections(config, i) for i in layers),
        "routers": 2 * config.num_hidden_layers * parameters.router(config),
        "routed_experts": 2 * config.num_hidden_layers * config.num_experts_per_tok * parameters.expert(config),
        "shared_experts": 2 * config.num_hidden_layers * config.n_shared_experts * parameters.expert(config),
        "hyper_connections": config.num_hidden_layers * hyper_connections(config)
        + 2 * parameters.hyper_head_projection(config),
        "lm_head": 2 * config.vocab_size * config.hidden_size,
    }
    return {name: flops * sequence_length for name, flops in per_token.items()} | {
        "window_attention": config.num_hidden_layers
        * attention(config, window_pairs(sequence_length, config.sliding_window)),
        "csa_attention": attention(
            config, sum(compressed_pairs(sequence_length, ratio, config.index_topk) for ratio in csa)
        ),
        "hca_attention": attention(config, sum(compressed_pairs(sequence_length, ratio) for ratio in hca)),
        "indexer_scores": 2 * config.index_n_heads * config.index_head_dim * all_csa_pairs,
    }


def mtp_forward(config: ModelConfig, sequence_length: int) -> int:
    """FLOPs of the forward pass of one MTP block over one document: a window layer, the projection of the embedding
    and of each of the n streams, its collapse, and the shared head once more."""
    per_token = (
        2 * parameters.attention_projections(config)
        + 2 * parameters.router(config)
        + 2 * (config.num_experts_per_tok + config.n_shared_experts) * parameters.expert(config)
        + hyper_connections(config)
        + 2 * (1 + config.hc_mult) * config.hidden_size**2
        + 2 * parameters.hyper_head_projection(config)
        + 2 * config.vocab_size * config.hidden_size
    )
    return per_token * sequence_length + attention(config, window_pairs(sequence_length, config.sliding_window))


def training(config: ModelConfig, sequence_length: int, mtp_blocks: int = 0) -> int:
    """FLOPs of one training step over one document."""
    main = sum(forward(config, sequence_length).values())
    return FORWARDS_PER_TRAINING_STEP * (main + mtp_blocks * mtp_forward(config, sequence_length))


def training_per_token(config: ModelConfig, sequence_length: int, mtp_blocks: int = 0) -> float:
    """FLOPs of one training step per token of a document that fills the whole sequence."""
    return training(config, sequence_length, mtp_blocks) / sequence_length


def packed_training(config: ModelConfig, document_lengths: Iterable[int]) -> int:
    """FLOPs of one training step over packed documents, padding not counted: it is not useful work."""
    return sum(training(config, length) for length in document_lengths)
