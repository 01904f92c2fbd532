"""Rotary position embedding by kind of layer, with YaRN (arXiv 2606.19348, 2.3; arXiv 2309.00071, 3.2).

A layer without compression turns by `rope_theta`, unscaled. A layer with compression (CSA, HCA) turns everything, its
window's keys too, by `compress_rope_theta` with YaRN. Attention scores are not rescaled (no `mscale`).
"""

import math

import torch

from trex.model.config import ModelConfig, RopeScaling


def frequencies(config: ModelConfig, compressed: bool) -> torch.Tensor:
    """Angle a position for each interleaved pair of channels, [dim/2]; compressed: of a CSA or HCA layer."""
    dim = config.qk_rope_head_dim
    theta = config.compress_rope_theta if compressed else config.rope_theta
    plain = theta ** (-torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    if config.rope_scaling is None or not compressed:
        return plain
    slowed = slowed_share(config.rope_scaling, dim, theta)
    return plain * (1 - slowed) + plain / config.rope_scaling.factor * slowed


def slowed_share(scaling: RopeScaling, dim: int, theta: float) -> torch.Tensor:
    """[dim/2], from 0 (keeps its frequency) to 1 (divided by the factor), linear in the pair's number between."""

    def pair_that_turns(times: float) -> float:
        """The number, not whole, of the pair that turns so many times within the original positions."""
        return dim * math.log(scaling.original_max_position_embeddings / (2 * math.pi * times)) / (2 * math.log(theta))

    low = max(math.floor(pair_that_turns(scaling.beta_fast)), 0)
    high = min(math.ceil(pair_that_turns(scaling.beta_slow)), dim - 1)
    span = max(high - low, 0.001)  # where both bounds are one pair
    return ((torch.arange(dim // 2) - low) / span).clamp(0, 1)


def rotary_table(position: torch.Tensor, frequency: torch.Tensor) -> torch.Tensor:
    """Unit complex numbers [*position.shape, dim/2]; frequency: [dim/2]."""
    angle = position[..., None].float() * frequency
    return torch.polar(torch.ones_like(angle), angle)


def rotate(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Rotates the LAST 2*table.shape[-1] channels of x as interleaved pairs; the leading channels stay.

    x: [..., c]; table: broadcastable to [..., dim/2]. Pass table.conj() for the inverse rotation.
    """
    dim = 2 * table.shape[-1]
    plain, turned = x.split((x.shape[-1] - dim, dim), dim=-1)
    turned = torch.view_as_real(torch.view_as_complex(turned.float().unflatten(-1, (-1, 2))) * table).flatten(-2)
    return torch.cat((plain, turned.to(x.dtype)), dim=-1)
