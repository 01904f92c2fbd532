"""The DeepSeek-V4 miniature as a whole: embedding, blocks over n residual streams, head (arXiv 2606.19348, 2)."""

import torch
from torch import nn

from trex.common import seeds
from trex.model.block import Block
from trex.model.config import ModelConfig
from trex.model.hyper_connections import HyperHead, Streams
from trex.model.mtp import MultiTokenPrediction
from trex.model.norm import RMSNorm
from trex.model.packing import Packing, plan
from trex.model.router import hash_table
from trex.model.trace import Trace


class Transformer(nn.Module):
    """The main model, and the block of multi-token prediction where the config has one: it is for training alone."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(
            Block(config, ratio, config.is_hash_layer(layer)) for layer, ratio in enumerate(config.compress_ratios)
        )
        self.streams_head = HyperHead(config)
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.mtp = MultiTokenPrediction(config) if config.num_nextn_predict_layers else None

    @torch.no_grad()
    def initialise(self, seed: int) -> "Transformer":
        """Normal weights of the config's deviation; norms and scales 1; biases, sinks and slots' biases 0."""
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

    def run(self, tokens: torch.Tensor, packing: Packing, trace: Trace | None = None) -> Streams:
        """tokens [B, S] -> the streams after the last block."""
        streams = self.streams(tokens)
        for block in self.blocks:
            streams = block(streams, tokens, lambda attention, x: attention(x, packing, trace), trace)
        return streams

    def collapse(self, streams: Streams) -> torch.Tensor:
        """The normalised input of the head, [B, S, d]: at position t it is about token t + 1."""
        return self.norm(self.streams_head(streams))

    def features(self, tokens: torch.Tensor, packing: Packing) -> torch.Tensor:
        """tokens [B, S] -> [B, S, d]."""
        return self.collapse(self.run(tokens, packing))

    def predict_ahead(
        self, streams: Streams, tokens: torch.Tensor, packing: Packing, trace: Trace | None = None
    ) -> torch.Tensor:
        """The head's input for multi-token prediction, [B, S, d]: at position t it is about token t + 2.

        streams: what `run` gave for tokens [B, S]. Position t sees token t + 1, so the last of each document has no
        meaning, and the one before it no target.
        """
        return self.mtp(streams, self.embedding(tokens.roll(-1, dims=1)), packing, trace)

    def forward(self, tokens: torch.Tensor, document: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """tokens, document (0 = padding), position (within the document): [B, S] -> logits [B, S, V], float32."""
        return self.head(self.features(tokens, plan(self.config, document, position))).float()
