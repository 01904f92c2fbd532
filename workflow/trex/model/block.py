"""One layer: attention, then experts, each between a hyper-connection's reading and writing (arXiv 2606.19348, 2)."""

from collections.abc import Callable

import torch
from torch import nn

from trex.model.attention import Attention
from trex.model.config import ModelConfig
from trex.model.experts import MixtureOfExperts
from trex.model.hyper_connections import HyperConnection, Streams
from trex.model.norm import RMSNorm
from trex.model.trace import Trace


class Block(nn.Module):
    def __init__(self, config: ModelConfig, ratio: int, is_hash: bool):
        super().__init__()
        self.attention_streams, self.experts_streams = HyperConnection(config), HyperConnection(config)
        self.attention_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.attention = Attention(config, ratio)
        self.experts_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.experts = MixtureOfExperts(config, is_hash)

    def forward(
        self,
        streams: Streams,
        tokens: torch.Tensor,
        attend: Callable[[Attention, torch.Tensor], torch.Tensor],
        trace: Trace | None = None,
    ) -> Streams:
        """attend(attention, x) gives the attention's result for its normalised input x [B, S, d]."""
        x, post, mix = self.attention_streams.read(streams)
        streams = self.attention_streams.write(streams, attend(self.attention, self.attention_norm(x)), post, mix)
        x, post, mix = self.experts_streams.read(streams)
        return self.experts_streams.write(streams, self.experts(self.experts_norm(x), tokens, trace), post, mix)
