"""The DeepSeek-V4 miniature as a whole: embedding, blocks over n residual streams, head (arXiv 2606.19348, 2).

Covers: window, CSA and HCA layers, hyper-connections, hash and learned routing, shared expert, untied head.
Does not cover: the multi-token-prediction block and YaRN.
"""

import torch
from torch import nn

from trex.common import seeds
from trex.model.attention import Attention
from trex.model.config import ModelConfig
from trex.model.experts import MixtureOfExperts
from trex.model.hyper_connections import HyperConnection, HyperHead, Streams
from trex.model.layers import RMSNorm
from trex.model.packing import Packing, plan


class Block(nn.Module):
    def __init__(self, config: ModelConfig, layer: int):
        super().__init__()
        self.attention_streams, self.experts_streams = HyperConnection(config), HyperConnection(config)
        self.attention_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.attention = Attention(config, layer)
        self.experts_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.experts = MixtureOfExperts(config, layer)

    def forward(self, streams: Streams, tokens: torch.Tensor, attend) -> Streams:
        """attend(attention, x) gives the attention's result for its normalised input x [B, S, d]."""
        x, post, mix = self.attention_streams.read(streams)
        streams = self.attention_streams.write(streams, attend(self.attention, self.attention_norm(x)), post, mix)
        x, post, mix = self.experts_streams.read(streams)
        return self.experts_streams.write(streams, self.experts(self.experts_norm(x), tokens), post, mix)


class Transformer(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config, layer) for layer in range(config.num_hidden_layers))
        self.streams_head = HyperHead(config)
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    @torch.no_grad()
    def initialise(self, seed: int) -> "Transformer":
        """Normal weights of the config's deviation; norms and scales 1; biases, sinks and gates' positions 0."""
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            if parameter.dim() >= 2 and not name.endswith(".ape"):
                parameter.normal_(0.0, self.config.initializer_range, generator=generator)
        for layer, block in enumerate(self.blocks):
            if block.experts.router.is_hash:
                block.experts.router.table.copy_(hash_table(self.config, seeds.derive(seed, "hash", layer)))
        return self

    def streams(self, tokens: torch.Tensor) -> Streams:
        """tokens [B, S] -> n equal streams, the embedding [B, S, d]."""
        return (self.embedding(tokens),) * self.config.hc_mult

    def features(self, tokens: torch.Tensor, packing: Packing) -> torch.Tensor:
        """The normalised input of the head, [B, S, d]."""
        streams = self.streams(tokens)
        for block in self.blocks:
            streams = block(streams, tokens, lambda attention, x: attention(x, packing))
        return self.norm(self.streams_head(streams))

    def forward(self, tokens: torch.Tensor, document: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """tokens, document (0 = padding), position (within the document): [B, S] -> logits [B, S, V]."""
        return self.head(self.features(tokens, plan(self.config, document, position)))

    def indexer_losses(self) -> list[torch.Tensor]:
        """One a CSA layer, of the last forward pass."""
        losses = [block.attention.indexer_loss for block in self.blocks]
        return [loss for loss in losses if loss is not None]


def hash_table(config: ModelConfig, seed: int) -> torch.Tensor:
    """[V, k]: k different experts for each token id; each expert serves nearly the same number of ids."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.rand(config.vocab_size, config.n_routed_experts, generator=generator)
    first = torch.randperm(config.vocab_size, generator=generator) % config.n_routed_experts
    rows.scatter_(1, first.unsqueeze(1), 2.0)
    return rows.topk(config.num_experts_per_tok, dim=1).indices.to(torch.int32)
