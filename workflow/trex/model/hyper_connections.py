"""Manifold-constrained hyper-connections: n residual streams, mixed by doubly stochastic matrices.

DeepSeek-V4 report (arXiv 2606.19348), section 2.2. The streams are a tuple of n tensors [B, S, d], and coefficients are
kept with the tokens in the last dimension, so that every operation runs along contiguous memory. Coefficients are
float32 whatever the streams are.
"""

import torch
from torch import nn

from trex.model.config import ModelConfig

Streams = tuple[torch.Tensor, ...]


def sinkhorn(weights: torch.Tensor, iterations: int, eps: float) -> torch.Tensor:
    """Alternate column (over j) and row (over k) normalisation of positive [j, k, ...]; ends on columns."""
    weights = weights / (weights.sum(0, keepdim=True) + eps)
    for _ in range(iterations - 1):
        weights = weights / (weights.sum(1, keepdim=True) + eps)
        weights = weights / (weights.sum(0, keepdim=True) + eps)
    return weights


def mix_streams(streams: Streams, fn: torch.Tensor, eps: float) -> torch.Tensor:
    """fn [m, n*d] times the RMS-normalised concatenation of the streams -> [m, B, S]."""
    width = streams[0].shape[-1]
    streams = tuple(stream.float() for stream in streams)
    square = sum(stream.square().sum(-1) for stream in streams) / (width * len(streams))
    parts = zip(fn.float().split(width, dim=1), streams, strict=True)
    mixed = sum(part @ stream.flatten(0, 1).T for part, stream in parts)
    return mixed.unflatten(1, square.shape) * torch.rsqrt(square + eps)


def weighted_sum(weights: torch.Tensor, streams: Streams) -> torch.Tensor:
    """weights [n, B, S] -> [B, S, d]."""
    total = weights[0].unsqueeze(-1) * streams[0]
    for weight, stream in zip(weights[1:], streams[1:], strict=True):
        total = torch.addcmul(total, weight.unsqueeze(-1), stream)
    return total.to(streams[0].dtype)


class HyperConnection(nn.Module):
    """Reads one stream out of n and writes the sub-layer's result back into all of them."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        n = config.hc_mult
        self.config = config
        self.fn = nn.Parameter(torch.empty((2 + n) * n, n * config.hidden_size))
        self.base = nn.Parameter(torch.zeros((2 + n) * n))
        self.scale = nn.Parameter(torch.ones(3))

    def read(self, streams: Streams) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Sub-layer input [B, S, d], write weights [k, B, S] and mixing matrices [j, k, B, S]."""
        n, eps = self.config.hc_mult, self.config.hc_eps
        scale = self.scale.repeat_interleave(torch.tensor((n, n, n * n)))
        mixed = mix_streams(streams, self.fn, self.config.rms_norm_eps)
        mixed = mixed * scale.view(-1, 1, 1) + self.base.view(-1, 1, 1)
        pre, post, mix = mixed.split((n, n, n * n))
        mix = torch.softmax(mix.unflatten(0, (n, n)), dim=1) + eps
        mix = sinkhorn(mix, self.config.hc_sinkhorn_iters, eps)
        return weighted_sum(torch.sigmoid(pre) + eps, streams), 2 * torch.sigmoid(post), mix

    @staticmethod
    def write(streams: Streams, result: torch.Tensor, post: torch.Tensor, mix: torch.Tensor) -> Streams:
        """Stream k becomes post_k * result + sum_j mix[j, k] * stream_j (the transpose matters)."""
        return tuple(
            weighted_sum(torch.cat((post[k : k + 1], mix[:, k])), (result, *streams)) for k in range(len(streams))
        )


class HyperHead(nn.Module):
    """Collapses the streams into one before the last norm."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.fn = nn.Parameter(torch.empty(config.hc_mult, config.hc_mult * config.hidden_size))
        self.base = nn.Parameter(torch.zeros(config.hc_mult))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, streams: Streams) -> torch.Tensor:
        mixed = mix_streams(streams, self.fn, self.config.rms_norm_eps)
        pre = torch.sigmoid(mixed * self.scale + self.base.view(-1, 1, 1)) + self.config.hc_eps
        return weighted_sum(pre, streams)
