"""Root-mean-square normalisation and rotary position embedding as DeepSeek-V4 uses them (arXiv 2606.19348, 2.3)."""

import torch
from torch import nn


def rms_normalise(x: torch.Tensor, eps: float) -> torch.Tensor:
    """x divided by its root mean square over the last dimension; no weight."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


class RMSNorm(nn.Module):
    """RMS normalisation with a learned weight per channel."""

    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return rms_normalise(x, self.eps) * self.weight


def rotary_table(position: torch.Tensor, dim: int, theta: float) -> torch.Tensor:
    """Unit complex numbers [*position.shape, dim/2]; one angle for each interleaved pair of channels."""
    frequency = theta ** (-torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    angle = position[..., None].float() * frequency
    return torch.polar(torch.ones_like(angle), angle)


def rotate(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Rotates the LAST 2*table.shape[-1] channels of x as interleaved pairs; the leading channels stay.

    x: [..., c]; table: broadcastable to [..., dim/2]. Pass table.conj() for the inverse rotation.
    """
    dim = 2 * table.shape[-1]
    plain, turned = x.split((x.shape[-1] - dim, dim), dim=-1)
    turned = torch.view_as_real(torch.view_as_complex(turned.unflatten(-1, (-1, 2))) * table).flatten(-2)
    return torch.cat((plain, turned), dim=-1)
