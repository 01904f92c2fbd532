"""What decoding keeps of the past: the window's key-values, the compressed entries, the tokens not yet compressed.

All sequences of a batch advance together, each at its own position. The window is a ring of `sliding_window` places;
a compressor's pending projections are a ring of m places (2m with overlap), of which an entry is pooled each time a
sequence's position closes a window.
"""

import torch

from trex.model.attention import Attention, attend
from trex.model.compressor import Compressor
from trex.model.config import ModelConfig
from trex.model.indexer import score
from trex.model.packing import Packing
from trex.model.rotary import frequencies, rotary_table, rotate


class EntryCache:
    """The entries of one compressor, [B, W, c], and the projections of the last m or 2m tokens."""

    def __init__(self, compressor: Compressor, config: ModelConfig, batch: int, max_length: int):
        self.compressor, self.frequency = compressor, frequencies(config, compressed=True)
        self.slots = compressor.ratio * (2 if compressor.overlap else 1)
        width = compressor.kv.out_features
        self.kv = torch.zeros(batch, self.slots, width)
        self.gate = torch.zeros(batch, self.slots, width)
        self.entries = torch.zeros(batch, max_length // compressor.ratio, compressor.head_dim)

    def prefill(self, x: torch.Tensor, packing: Packing, lengths: torch.Tensor) -> None:
        """x [B, S, d], one document a row from column 0; lengths [B]."""
        windows = packing.windows[self.compressor.ratio]
        self.entries[:, : windows.slots.shape[1]] = self.compressor(x, windows)
        kv, gate = self.compressor.project(x)
        fill_ring(self.kv, kv, lengths)
        fill_ring(self.gate, gate, lengths)

    def append(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """x [B, 1, d], position [B] of that token -> mask [B, W] of the entries it may see."""
        ratio = self.compressor.ratio
        rows = torch.arange(len(position))
        kv, gate = self.compressor.project(x)
        self.kv[rows, position % self.slots] = kv[:, 0]
        self.gate[rows, position % self.slots] = gate[:, 0]
        closing = rows[(position + 1) % ratio == 0]
        if len(closing):
            end = position[closing]
            order = (end.unsqueeze(1) - self.slots + 1 + torch.arange(self.slots)) % self.slots
            start = end + 1 - ratio
            pooled = self.compressor.pool(
                self.kv[closing.unsqueeze(1), order], self.gate[closing.unsqueeze(1), order], start < ratio
            )
            table = rotary_table(start, self.frequency)
            self.entries[closing, start // ratio] = rotate(pooled, table)
        return torch.arange(self.entries.shape[1]) < ((position + 1) // ratio).unsqueeze(1)


class LayerCache:
    """The cache of one attention layer; `prefill` and `step` give the attention's result for their input."""

    def __init__(self, attention: Attention, config: ModelConfig, batch: int, max_length: int):
        self.frequency = frequencies(config, compressed=attention.ratio > 0)
        self.window = torch.zeros(batch, config.sliding_window, config.head_dim)
        self.entries = self.index = None
        if attention.compressor is not None:
            self.entries = EntryCache(attention.compressor, config, batch, max_length)
        if attention.indexer is not None:
            self.index = EntryCache(attention.indexer.compressor, config, batch, max_length)

    def prefill(self, attention: Attention, x: torch.Tensor, packing: Packing, lengths: torch.Tensor) -> torch.Tensor:
        fill_ring(self.window, attention.keys(x, packing.table(attention.ratio)), lengths)
        for cache in (self.entries, self.index):
            if cache is not None:
                cache.prefill(x, packing, lengths)
        return attention(x, packing)

    def step(self, attention: Attention, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """x [B, 1, d], position [B] -> [B, 1, d]."""
        table = rotary_table(position, self.frequency).unsqueeze(1)
        low_rank, query = attention.queries(x, table)
        size = self.window.shape[1]
        self.window[torch.arange(len(position)), position % size] = attention.keys(x, table)[:, 0]
        local = (torch.arange(size) <= position.unsqueeze(1)).unsqueeze(1)  # [B, 1, window]; all once the ring is full
        far = visible = None
        if self.entries is not None:
            far, visible = self.entries.entries, self.entries.append(x, position).unsqueeze(1)
        if self.index is not None:
            indexer = attention.indexer
            self.index.append(x, position)
            queries = indexer.queries(low_rank, table).transpose(1, 2)  # [B, h, 1, c]
            scores = score(queries, self.index.entries, indexer.weights(x).transpose(1, 2))
            visible = indexer.select(scores, visible)
        heads, _ = attend(query.transpose(1, 2), attention.sink, self.window, local, far, visible)
        return attention.output(heads.transpose(1, 2), table)


def fill_ring(ring: torch.Tensor, values: torch.Tensor, lengths: torch.Tensor) -> None:
    """Puts the last tokens of each sequence into ring [B, size, c], token p in place p % size. values: [B, S, c]."""
    size = ring.shape[1]
    place = torch.arange(size)
    # The largest p below the length with p % size == place; negative where the sequence is shorter than that.
    newest = lengths.unsqueeze(1) - 1 - (lengths.unsqueeze(1) - 1 - place) % size
    rows = torch.arange(len(lengths)).unsqueeze(1)
    ring.copy_(values[rows, newest.clamp(min=0)] * (newest >= 0).unsqueeze(-1))
