"""The lightning indexer: picks the top-k compressed entries that a CSA query attends to (arXiv 2606.19348, 2.3.1).

Picking gives integers, so the language-model loss does not reach the indexer. It is trained to put its softmax where
the main attention puts its weight, by a KL divergence on detached inputs.
"""

import torch
from torch import nn

from trex.model.compressor import Compressor
from trex.model.config import ModelConfig
from trex.model.packing import Packing, Windows, take
from trex.model.rotary import rotate


class Indexer(nn.Module):
    def __init__(self, config: ModelConfig, ratio: int):
        super().__init__()
        self.heads, self.head_dim, self.topk = config.index_n_heads, config.index_head_dim, config.index_topk
        self.query = nn.Linear(config.q_lora_rank, self.heads * self.head_dim, bias=False)
        self.weight = nn.Linear(config.hidden_size, self.heads, bias=False)
        self.compressor = Compressor(config, ratio, self.head_dim, overlap=True)

    def queries(self, low_rank: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """low_rank [B, S, r] -> rotated queries [B, S, h, c]."""
        return rotate(self.query(low_rank).unflatten(-1, (self.heads, self.head_dim)), table.unsqueeze(-2))

    def weights(self, x: torch.Tensor) -> torch.Tensor:
        """x [..., d] -> a weight for each head, with both scale factors in it, [..., h]."""
        return self.weight(x) * (self.heads * self.head_dim) ** -0.5

    def select(self, scores: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """The visible entries with the k highest scores, as a mask like `visible` [..., R]."""
        if scores.shape[-1] <= self.topk:
            return visible
        chosen = scores.masked_fill(~visible, -torch.inf).topk(self.topk, dim=-1).indices
        return torch.zeros_like(visible).scatter(-1, chosen, True) & visible

    def forward(
        self, x: torch.Tensor, low_rank: torch.Tensor, packing: Packing, windows: Windows, table: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores [B, blocks, block, R] with gradients to the indexer alone, and the mask of the entries it picks."""
        x, low_rank = x.detach(), low_rank.detach()
        query = packing.in_blocks(self.queries(low_rank, table)).transpose(2, 3)  # [B, blocks, h, block, c]
        keys = take(self.compressor(x, windows), windows.reach)  # [B, blocks, R, c]
        weight = packing.in_blocks(self.weights(x)).transpose(2, 3)  # [B, blocks, h, block]
        scores = score(query, keys, weight)
        return scores, self.select(scores.detach(), windows.visible)


def score(query: torch.Tensor, keys: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """sum_h w_h ReLU(q_h . k): query [..., h, block, c], keys [..., R, c], weight [..., h, block]; [..., block, R]."""
    heads, block = query.shape[-3:-1]
    match = (query.flatten(-3, -2) @ keys.transpose(-1, -2)).unflatten(-2, (heads, block))
    return (torch.relu(match) * weight.unsqueeze(-1)).sum(-3)


def divergence(scores: torch.Tensor, selected: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
    """Sum over queries of KL(attention || softmax(scores)), both over the selected entries.

    scores, selected: [..., R]; attention: [..., R], the main attention's weights summed over heads, of a softmax that
    includes window and sink: here they are scaled to sum to 1. A query without entries adds 0.
    """
    teacher = attention.detach() * selected
    teacher = teacher / teacher.sum(-1, keepdim=True).clamp(min=1e-20)
    student = scores.masked_fill(~selected, -1e9).log_softmax(-1)
    return (torch.xlogy(teacher, teacher) - teacher * student).sum()
