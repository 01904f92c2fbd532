"""Compression of every m key-value vectors into one entry by a learned softmax gate (arXiv 2606.19348, 2.3).

HCA pools the m tokens of a window. CSA projects to two series of c channels and pools 2m slots: the first series of the
window before, the second of the window itself; a document's first window has no predecessor.
"""

import torch
from torch import nn

from trex.model.config import ModelConfig
from trex.model.norm import RMSNorm
from trex.model.packing import Windows, take
from trex.model.rotary import rotate


class Compressor(nn.Module):
    """Used at two widths: the attention's head_dim, and the indexer's index_head_dim. It pools in float32."""

    def __init__(self, config: ModelConfig, ratio: int, head_dim: int, overlap: bool):
        super().__init__()
        width = head_dim * (2 if overlap else 1)
        self.ratio, self.head_dim, self.overlap = ratio, head_dim, overlap
        self.kv = nn.Linear(config.hidden_size, width, bias=False)
        self.gate = nn.Linear(config.hidden_size, width, bias=False)
        self.ape = nn.Parameter(torch.zeros(ratio, width))
        self.norm = RMSNorm(head_dim, config.rms_norm_eps)

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """x [B, S, d] -> per-token key-values and gates, both [B, S, width], float32."""
        return self.kv(x).float(), self.gate(x).float()

    def pool(self, kv: torch.Tensor, gate: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
        """Entries [N, c] of N windows. kv, gate: [N, slots, width], slots = 2m with overlap, else m; first: [N]."""
        if self.overlap:
            m, c = self.ratio, self.head_dim
            ape = torch.cat((self.ape[:, :c], self.ape[:, c:]))
            kv = torch.cat((kv[:, :m, :c], kv[:, m:, c:]), dim=1)
            gate = torch.cat((gate[:, :m, :c], gate[:, m:, c:]), dim=1) + ape
            absent = first.view(-1, 1, 1) & (torch.arange(2 * m) < m).view(1, -1, 1)
            gate = gate.masked_fill(absent, -torch.inf)
        else:
            gate = gate + self.ape
        return self.norm((gate.softmax(dim=1) * kv).sum(dim=1))

    def forward(self, x: torch.Tensor, windows: Windows) -> torch.Tensor:
        """x [B, S, d] -> rotated entries [B, W, c]; unused places hold finite values that no query sees."""
        slots = windows.slots
        if self.overlap:
            slots = torch.cat(((slots - self.ratio).clamp(min=0), slots), dim=-1)
        kv, gate = (take(y, slots).flatten(0, 1) for y in self.project(x))
        entries = self.pool(kv, gate, windows.first.flatten()).view(*slots.shape[:2], self.head_dim)
        return rotate(entries, windows.table).to(x.dtype)
