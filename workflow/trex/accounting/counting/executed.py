"""What this package's own model executes in matrix products, which is more than the visible pairs, and elsewhere less.

For one document a row, as PyTorch's FLOP counter sees it (a test holds the two together):

- Queries go in blocks of 64, padded to a whole block. Each computes scores and sums over all keys of its own block and
  of the blocks before it that its window reaches; a mask hides the rest.
- Each query computes with all compressed entries of the document, the later ones and those that the indexer did not
  choose included; the indexer, too, scores all.
- The weighted sum of the experts' results is a product here (2 FLOPs a channel and visited expert).
- The weighted sums of the residual streams are elementwise here, and no products.

Gradients stop before the indexer: its projections have no gradient towards their inputs.
"""

import dataclasses

from trex.accounting.counting import deepseek_v4
from trex.accounting.counting.part import FORWARDS_PER_TRAINING_STEP, Part
from trex.model.config import ModelConfig

BLOCK = 64  # of trex.model.packing, which needs torch


def parts(config: ModelConfig, sequence_length: int, block: int = BLOCK) -> list[Part]:
    """Those of `deepseek_v4`, with the FLOPs of what is executed forward."""
    found = deepseek_v4.parts(config, sequence_length)
    return [dataclasses.replace(one, flops=flops(config, one, sequence_length, block)) for one in found]


def flops(config: ModelConfig, one: Part, sequence_length: int, block: int) -> int:
    """Executed forward by one part."""
    per_pair = 4 * config.num_attention_heads * config.head_dim
    block = min(block, sequence_length)
    queries = -(-sequence_length // block) * block
    if one.name == "window_attention":
        before = -(-(config.sliding_window - 1) // block)
        return per_pair * queries * (1 + before) * block
    if one.name in ("csa_attention", "hca_attention"):
        return per_pair * queries * (sequence_length // config.compress_ratios[one.layer])
    if one.name == "indexer_scores":
        entries = sequence_length // config.csa_ratio
        return 2 * config.index_n_heads * config.index_head_dim * queries * entries
    if one.name == "routed_experts":
        return one.flops + 2 * config.num_experts_per_tok * config.hidden_size * sequence_length
    if one.component == "hyper_connections":
        return 2 * one.matrices * sequence_length
    return one.flops


def training_flops(config: ModelConfig, sequence_length: int, block: int = BLOCK) -> int:
    """Executed by a training step with all losses, over one document."""
    return sum(passes(one) * one.flops for one in parts(config, sequence_length, block))


def passes(one: Part) -> int:
    """Forward, and the gradients that are computed."""
    return FORWARDS_PER_TRAINING_STEP - (one.component == "indexer_projections")
