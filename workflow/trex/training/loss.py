"""What training minimises: next-token cross-entropy, and the indexer's own loss beside it."""

import torch
from torch import nn

from trex.model.packing import plan
from trex.model.transformer import Transformer
from trex.training.data import Rows


def next_token_loss(model: Transformer, rows: Rows) -> torch.Tensor:
    """Mean nats over the batch's targets. Only the positions that have a target go through the head."""
    chosen, targets = rows.targets()
    features = model.features(rows.tokens, plan(model.config, rows.document, rows.position))
    logits = model.head(features[:, :-1][chosen])
    return nn.functional.cross_entropy(logits, targets)


def indexer_loss(model: Transformer) -> torch.Tensor:
    """Mean over the CSA layers of the last forward pass; 0 where there are none. Reaches the indexers alone."""
    losses = model.indexer_losses()
    return torch.stack(losses).mean() if losses else torch.zeros(())
