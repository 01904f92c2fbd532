"""DeepSeek-V4's attention: one shared key-value head, a sliding window, compressed entries, a sink.

arXiv 2606.19348, section 2.3. Keys and values are the same vector, so values carry the key's rotation: the output is
rotated back at the query's position. One softmax goes over the window and the visible compressed entries together.
"""

import torch
from torch import nn

from trex.model.compressor import Compressor
from trex.model.config import ModelConfig
from trex.model.indexer import Indexer, divergence
from trex.model.norm import RMSNorm, rms_normalise
from trex.model.packing import Packing, blocks_reached, take, with_previous_blocks
from trex.model.rotary import rotate
from trex.model.trace import Trace


class Attention(nn.Module):
    """Of one layer; ratio: its compression ratio, 0 for the window alone."""

    def __init__(self, config: ModelConfig, ratio: int):
        super().__init__()
        d, heads, c, rank = config.hidden_size, config.num_attention_heads, config.head_dim, config.q_lora_rank
        is_csa = config.kind_of(ratio) == "csa"
        self.config, self.ratio = config, ratio
        self.query_down = nn.Linear(d, rank, bias=False)
        self.query_norm = RMSNorm(rank, config.rms_norm_eps)
        self.query_up = nn.Linear(rank, heads * c, bias=False)
        self.kv = nn.Linear(d, c, bias=False)
        self.kv_norm = RMSNorm(c, config.rms_norm_eps)
        self.output_down = nn.Parameter(torch.empty(config.o_groups, heads * c // config.o_groups, config.o_lora_rank))
        self.output_up = nn.Linear(config.o_groups * config.o_lora_rank, d, bias=False)
        self.sink = nn.Parameter(torch.zeros(heads))
        self.compressor = Compressor(config, ratio, c, overlap=is_csa) if ratio else None
        self.indexer = Indexer(config, ratio) if is_csa else None

    def queries(self, x: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """x [B, S, d] -> low-rank queries [B, S, r] and rotated queries [B, S, H, c], normalised and scaled."""
        low_rank = self.query_norm(self.query_down(x))
        query = self.query_up(low_rank).unflatten(-1, (self.config.num_attention_heads, self.config.head_dim))
        query = rms_normalise(query, self.config.rms_norm_eps) * self.config.head_dim**-0.5
        return low_rank, rotate(query, table.unsqueeze(-2))

    def keys(self, x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """x [B, S, d] -> rotated key-values [B, S, c]."""
        return rotate(self.kv_norm(self.kv(x)), table)

    def output(self, heads: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """heads [B, S, H, c], still rotated -> [B, S, d] by the grouped low-rank projection."""
        heads = rotate(heads, table.conj().unsqueeze(-2))
        groups = heads.flatten(-2).unflatten(-1, (self.config.o_groups, -1)).unbind(-2)
        down = [group @ weight for group, weight in zip(groups, self.output_down.unbind(0), strict=True)]
        return self.output_up(torch.cat(down, dim=-1))

    def forward(self, x: torch.Tensor, packing: Packing, trace: Trace | None = None) -> torch.Tensor:
        """x [B, S, d] -> [B, S, d]."""
        table = packing.table(self.ratio)
        low_rank, query = self.queries(x, table)
        query = packing.in_blocks(query).transpose(2, 3)  # [B, blocks, H, block, c]
        block = query.shape[-2]
        before = blocks_reached(self.config.sliding_window, block)
        near = with_previous_blocks(packing.in_blocks(self.keys(x, table)), before)
        if self.compressor is None:
            heads, _ = attend(query, self.sink, near, packing.local)
        else:
            windows = packing.windows[self.ratio]
            far, visible, scores = take(self.compressor(x, windows), windows.reach), windows.visible, None
            if self.indexer is not None:
                scores, visible = self.indexer(x, low_rank, packing, windows, table)
            heads, on_entries = attend(query, self.sink, near, packing.local, far, visible)
            if scores is not None and trace is not None and trace.wants_divergence:
                trace.divergence.append(divergence(scores, visible, on_entries))
        heads = heads.transpose(2, 3).flatten(1, 2)[:, : x.shape[1]]  # [B, S, H, c]
        return self.output(heads, table)


def attend(
    query: torch.Tensor,
    sink: torch.Tensor,
    near: torch.Tensor,
    local: torch.Tensor,
    far: torch.Tensor | None = None,
    visible: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """One softmax over window, compressed entries and sink, for blocks of queries.

    query [..., H, block, c]; sink [H]; near [..., K, c] keys of the window, local [..., block, K] their mask;
    far [..., R, c] compressed entries, visible [..., block, R] their mask.
    Returns the heads [..., H, block, c] and the weights on the entries summed over heads, detached, [..., block, R].
    """
    heads, block = query.shape[-3:-1]
    rows = query.flatten(-3, -2)  # the key-value head is shared: all heads' queries are rows of one product
    parts = [hide(rows @ near.transpose(-1, -2), local, heads)]
    if far is not None:
        parts.append(hide(rows @ far.transpose(-1, -2), visible, heads))
    parts.append(sink.view(-1, 1, 1).expand(*parts[0].shape[:-1], 1))
    weights = torch.cat(parts, dim=-1).softmax(dim=-1)
    on_near, *on_far, _ = weights.split([part.shape[-1] for part in parts], dim=-1)
    result = on_near.flatten(-3, -2) @ near
    if far is None:
        return result.unflatten(-2, (heads, block)), None
    result = result + on_far[0].flatten(-3, -2) @ far
    return result.unflatten(-2, (heads, block)), on_far[0].detach().sum(-3)


def hide(scores: torch.Tensor, allowed: torch.Tensor, heads: int) -> torch.Tensor:
    """scores [..., H*block, K] -> [..., H, block, K], minus infinity where allowed [..., block, K] is False.

    The sink is never hidden, so no softmax has all its scores at minus infinity.
    """
    return scores.unflatten(-2, (heads, -1)).masked_fill(~allowed.unsqueeze(-3), -torch.inf)
