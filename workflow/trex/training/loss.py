"""What training minimises: next-token cross-entropy, and beside it the losses of DeepSeek-V4 (arXiv 2606.19348).

- `next_token`: of each token that is a target, given those before it.
- `mtp`: of each token that is a target, given those up to the last but one before it, by the multi-token-prediction
  block.
- `balance`: of each row and layer with a learned router, how unequally its tokens are spread over the experts.
- `indexer`: of each query and CSA layer, the divergence of its indexer from the attention that it chooses for. Reaches
  the indexers alone.

Each is a SUM over a batch, divided by a count of the whole batch. So the parts of a batch add up to the batch, however
unequally its targets are spread over them; a mean of the parts' means would be another loss.
"""

from collections.abc import Collection

import torch
from torch import nn

from trex.model.config import ModelConfig
from trex.model.packing import plan
from trex.model.trace import Trace
from trex.model.transformer import Transformer
from trex.training.data import Rows


def weights_of(config: ModelConfig, settings: dict, decaying: bool) -> dict[str, float]:
    """The terms that are on, with their weights: those that have a weight and that the model has layers for.

    settings: the training settings; decaying: whether the learning rates fall already.
    """
    mtp = settings["mtp_decay_weight" if decaying else "mtp_weight"] if config.num_nextn_predict_layers else 0
    learned = mtp or config.num_hash_layers < config.num_hidden_layers
    values = {
        "next_token": 1.0,
        "mtp": mtp,
        "balance": settings["sequence_balance_weight"] if learned else 0,
        "indexer": settings["indexer_weight"] if config.csa_ratio in config.compress_ratios else 0,
    }
    return {term: weight for term, weight in values.items() if weight}


def counts_of(config: ModelConfig, rows: Rows) -> dict[str, int]:
    """What each term's sum over the rows is divided by: its targets, the rows, the queries that an indexer serves."""
    served = (rows.document > 0) & (rows.position + 1 >= config.csa_ratio)
    return {
        "next_token": int(rows.targets(ahead=1)[0].sum()),
        "mtp": int(rows.targets(ahead=2)[0].sum()),
        "balance": len(rows),
        "indexer": int(served.sum()),
    }


def sums_of(
    model: Transformer, rows: Rows, terms: Collection[str], trace: Trace | None = None
) -> dict[str, torch.Tensor]:
    """Each of the terms, summed over the rows; `balance` and `indexer` are means over their layers.

    trace: what the forward pass fills; needed for `balance` and `indexer`.
    """
    packing = plan(model.config, rows.document, rows.position)
    streams = model.run(rows.tokens, packing, trace)
    sums = {"next_token": cross_entropy(model, model.collapse(streams), rows, ahead=1)}
    if "mtp" in terms:
        features = model.predict_ahead(streams, rows.tokens, packing, trace)
        sums["mtp"] = cross_entropy(model, features, rows, ahead=2)
    if "balance" in terms:
        sums["balance"] = torch.stack([layer.balance for layer in trace.routing if not layer.is_hash]).mean()
    if "indexer" in terms:
        sums["indexer"] = torch.stack(trace.divergence).mean()
    return sums


def cross_entropy(model: Transformer, features: torch.Tensor, rows: Rows, ahead: int) -> torch.Tensor:
    """Summed nats of the targets, each predicted from the features [B, S, d] `ahead` tokens before it.

    Only the positions that have a target go through the head.
    """
    chosen, targets = rows.targets(ahead)
    return nn.functional.cross_entropy(model.head(features[:, :-ahead][chosen]), targets, reduction="sum")


def means_of(sums: dict[str, torch.Tensor], counts: dict[str, int]) -> dict[str, torch.Tensor]:
    """sums: of a batch, or of a part of it; counts: of the whole batch. A term that nothing counts for is 0."""
    return {term: total / max(counts[term], 1) for term, total in sums.items()}


def objective(means: dict[str, torch.Tensor], weights: dict[str, float]) -> torch.Tensor:
    """The weighted sum of the terms, which is minimised."""
    return sum(weights[term] * mean for term, mean in means.items())


def next_token_loss(model: Transformer, rows: Rows) -> torch.Tensor:
    """Mean nats over the rows' targets."""
    return means_of(sums_of(model, rows, ["next_token"]), counts_of(model.config, rows))["next_token"]
