"""Multi-token prediction: one block that predicts the token after the next (arXiv 2606.19348, 2.4; depth 1)."""

import torch
from torch import nn

from trex.model.block import Block
from trex.model.config import ModelConfig
from trex.model.hyper_connections import HyperHead, Streams
from trex.model.norm import RMSNorm
from trex.model.packing import Packing
from trex.model.trace import Trace


class MultiTokenPrediction(nn.Module):
    """A whole block, of window attention and learned routing, on the last streams and the next token's embedding.

    Embedding and head are the main model's; what collapses the streams, and the norm before the head, are its own.
    """

    def __init__(self, config: ModelConfig):
        super().__init__()
        d, eps = config.hidden_size, config.rms_norm_eps
        self.token_norm, self.streams_norm = RMSNorm(d, eps), RMSNorm(d, eps)
        self.token_projection = nn.Linear(d, d, bias=False)
        self.streams_projection = nn.Linear(d, d, bias=False)
        self.block = Block(config, ratio=0, is_hash=False)
        self.streams_head = HyperHead(config)
        self.norm = RMSNorm(d, eps)

    def forward(
        self, streams: Streams, following: torch.Tensor, packing: Packing, trace: Trace | None = None
    ) -> torch.Tensor:
        """streams: n of [B, S, d], the main model's last; following: [B, S, d], the embedding of the next token.

        Returns the head's input [B, S, d]; at position t it is about token t + 2.
        """
        token = self.token_projection(self.token_norm(following))
        streams = tuple(token + self.streams_projection(self.streams_norm(stream)) for stream in streams)
        nowhere = torch.zeros(following.shape[:2], dtype=torch.long)  # its router learns: no token id is looked up
        streams = self.block(streams, nowhere, lambda attention, x: attention(x, packing, trace), trace)
        return self.norm(self.streams_head(streams))
