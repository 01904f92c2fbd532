"""Where documents and compression windows lie in packed rows; computed once a forward pass, used by every layer.

A row of S tokens holds several documents one after the other. Nothing crosses a document's boundary: no attention and
no compression window. A document's windows start at its own first token, wherever it lies in the row.

Queries are cut in blocks. A block attends to the keys of its own and the preceding blocks that its sliding window
reaches, and to the compressed entries from the first to the last that any of its queries may see: with short documents
these are few, so the work follows the documents' length, not the row's.
"""

import dataclasses

import torch
from torch import nn

from trex.model.config import ModelConfig
from trex.model.rotary import frequencies, rotary_table

BLOCK = 64


@dataclasses.dataclass
class Windows:
    """The complete compression windows of each row: W = S // ratio places, unused ones at the end.

    slots: [B, W, m] token indices, first to last; first: [B, W] whether it is its document's first window;
    table: [B, W, dim/2] rotary table at the position of its first token; reach: [B, blocks, R] the places that a
    block of queries computes with; visible: [B, blocks, block, R] those that a query may see.
    """

    slots: torch.Tensor
    first: torch.Tensor
    table: torch.Tensor
    reach: torch.Tensor
    visible: torch.Tensor


@dataclasses.dataclass
class Packing:
    """local: [B, blocks, block, keys] window mask; plain, compressed: rotary tables [B, S, dim/2] of layers without and
    with compression; windows: by compression ratio."""

    local: torch.Tensor
    plain: torch.Tensor
    compressed: torch.Tensor
    windows: dict[int, Windows]

    def table(self, ratio: int) -> torch.Tensor:
        """The rotary table of a layer of that compression ratio."""
        return self.compressed if ratio else self.plain

    def in_blocks(self, x: torch.Tensor) -> torch.Tensor:
        """[B, S, ...] -> [B, blocks, block, ...], padded with zeros at the end."""
        return in_blocks(x, self.local.shape[2])


def in_blocks(x: torch.Tensor, block: int) -> torch.Tensor:
    pad = -x.shape[1] % block
    return nn.functional.pad(x, (0, 0) * (x.dim() - 2) + (0, pad)).unflatten(1, (-1, block))


def plan(config: ModelConfig, document: torch.Tensor, position: torch.Tensor) -> Packing:
    """document: [B, S], 0 for padding, else equal within a document; position: [B, S], 0-based within it."""
    block = min(BLOCK, document.shape[1])
    ratios = set(config.compress_ratios) - {0}
    return Packing(
        local=local_mask(document, block, config.sliding_window),
        plain=rotary_table(position, frequencies(config, compressed=False)),
        compressed=rotary_table(position, frequencies(config, compressed=True)),
        windows={ratio: find_windows(config, document, position, ratio, block) for ratio in ratios},
    )


def with_previous_blocks(x: torch.Tensor, blocks_before: int) -> torch.Tensor:
    """[B, blocks, block, ...] -> [B, blocks, (1+blocks_before)*block, ...]: each block behind those before it."""
    blocks = x.shape[1]
    padded = torch.cat((torch.zeros_like(x[:, :1]).expand(-1, blocks_before, *x.shape[2:]), x), dim=1)
    return torch.cat([padded[:, i : i + blocks] for i in range(blocks_before + 1)], dim=2)


def blocks_reached(window: int, block: int) -> int:
    """How many blocks before its own a block's sliding window reaches into."""
    return -(-(window - 1) // block)


def local_mask(document: torch.Tensor, block: int, window: int) -> torch.Tensor:
    """[B, blocks, block, keys], True where query t may see key s: same document, s <= t, t - s < window."""
    before = blocks_reached(window, block)
    of_query = in_blocks(document, block)
    of_key = with_previous_blocks(of_query, before)
    start = torch.arange(of_query.shape[1]).view(-1, 1, 1) * block
    query = start + torch.arange(block).view(-1, 1)
    key = start + torch.arange(-before * block, block)
    near = (key >= 0) & (key <= query) & (query - key < window)
    return near & (of_query.unsqueeze(-1) == of_key.unsqueeze(-2)) & (of_query.unsqueeze(-1) > 0)


def find_windows(
    config: ModelConfig, document: torch.Tensor, position: torch.Tensor, ratio: int, block: int
) -> Windows:
    """A window closes at each real token whose position within its document is ratio-1 modulo ratio."""
    rows, length = document.shape
    places = length // ratio
    closes = (document > 0) & ((position + 1) % ratio == 0)
    closed = closes.cumsum(1)  # windows closed up to and with this token
    place = torch.where(closes, closed - 1, places)
    end = torch.zeros(rows, places + 1, dtype=torch.long)
    end = end.scatter(1, place, torch.arange(length).expand(rows, -1))[:, :places]
    start = (end - (ratio - 1)).clamp(min=0)
    first_position = position.gather(1, start)
    # A query sees the windows of its document that are closed by then: the last (position+1)//ratio ones.
    last = in_blocks(closed, block)
    first = last - in_blocks((position + 1) // ratio * (document > 0), block)
    begin = first.masked_fill(first == last, places).amin(-1)  # [B, blocks]
    width = int((last.amax(-1) - begin).amax().clamp(min=0)) if begin.numel() else 0
    reach = begin.unsqueeze(-1) + torch.arange(width)
    visible = (reach.unsqueeze(2) >= first.unsqueeze(-1)) & (reach.unsqueeze(2) < last.unsqueeze(-1))
    return Windows(
        slots=(start.unsqueeze(-1) + torch.arange(ratio)).clamp(max=length - 1),
        first=first_position < ratio,
        table=rotary_table(first_position, frequencies(config, compressed=True)),
        reach=reach.clamp(max=max(places - 1, 0)),
        visible=visible,
    )


def take(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """x [B, S, c], index [B, I, J] into S -> [B, I, J, c]."""
    offset = torch.arange(x.shape[0]).view(-1, 1, 1) * x.shape[1]
    return x.flatten(0, 1).index_select(0, (index + offset).flatten()).view(*index.shape, x.shape[-1])
