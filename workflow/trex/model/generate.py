"""Batched decoding with cached window and compressed entries, greedy or by chance.

The main model alone decodes, one token a step; the block of multi-token prediction is for training.
"""

from collections.abc import Collection
from random import Random

import torch

from trex.model.cache import LayerCache
from trex.model.packing import plan
from trex.model.transformer import Transformer


class Decoder:
    """The model's state after some tokens of a batch of sequences, each at its own length."""

    def __init__(self, model: Transformer, batch: int, max_length: int):
        self.model = model
        self.caches = [LayerCache(block.attention, model.config, batch, max_length) for block in model.blocks]

    def prefill(self, prompts: list[list[int]]) -> torch.Tensor:
        """Logits [B, V] after the last token of each prompt. Padding stands on the right and belongs to no document."""
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        tokens = torch.zeros(len(prompts), int(lengths.max()), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            tokens[row, : len(prompt)] = torch.tensor(prompt)
        position = torch.arange(tokens.shape[1]).expand_as(tokens)
        document = (position < lengths.unsqueeze(1)).long()
        packing = plan(self.model.config, document, position)
        features = self.run(tokens, lambda cache, attention, x: cache.prefill(attention, x, packing, lengths))
        return self.model.head(features[torch.arange(len(prompts)), lengths - 1])

    def step(self, tokens: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """tokens [B] at position [B] -> logits [B, V] for the next ones."""
        features = self.run(tokens.unsqueeze(1), lambda cache, attention, x: cache.step(attention, x, position))
        return self.model.head(features[:, 0])

    def run(self, tokens: torch.Tensor, attend) -> torch.Tensor:
        """tokens [B, S] through all blocks, attend(cache, attention, x) in place of the attention -> [B, S, d]."""
        streams = self.model.streams(tokens)
        for block, cache in zip(self.model.blocks, self.caches, strict=True):
            streams = block(streams, tokens, lambda attention, x, cache=cache: attend(cache, attention, x))
        return self.model.collapse(streams)


class Sampler:
    """Draws tokens at a temperature above 0 from the smallest set of tokens whose probability is at least top_p.

    generators: one a sequence of the batch, in their order, so that a sequence's draws do not depend on its company.
    """

    def __init__(self, temperature: float, top_p: float, generators: list[Random]):
        self.temperature = temperature
        self.top_p = top_p
        self.generators = generators

    def __call__(self, logits: torch.Tensor) -> torch.Tensor:
        """logits [B, V] -> tokens [B]. One draw of each generator."""
        cumulated = self.probabilities(logits).cumsum(-1)
        # A share above 0 and at most 1: the first token to reach it has a probability above 0.
        share = torch.tensor([[1 - generator.random()] for generator in self.generators], dtype=torch.float64)
        return torch.searchsorted(cumulated, share * cumulated[:, -1:]).squeeze(-1)

    def probabilities(self, logits: torch.Tensor) -> torch.Tensor:
        """[B, V], 0 outside the set; they add up to what the set has."""
        logits = logits.double()
        # The largest is taken off first, lest a small temperature makes it infinite.
        found = ((logits - logits.amax(-1, keepdim=True)) / self.temperature).softmax(-1)
        if self.top_p == 1:
            return found
        largest, order = found.sort(descending=True, stable=True)
        outside = largest.cumsum(-1) - largest >= self.top_p
        return found.masked_fill(outside.scatter(-1, order, outside), 0)


@torch.no_grad()
def generate(
    model: Transformer,
    prompts: list[list[int]],
    max_new_tokens: int,
    stop_ids: Collection[int],
    sampler: Sampler | None = None,
) -> list[list[int]]:
    """The continuation of each prompt, greedy without a sampler: the new tokens, without the stop token that ends them.

    A list shorter than max_new_tokens ended at one of stop_ids. Raises ValueError on an empty prompt.
    """
    if not prompts:
        return []
    if min(len(prompt) for prompt in prompts) == 0:
        raise ValueError("an empty prompt has no last token to continue")
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    decoder = Decoder(model, len(prompts), int(lengths.max()) + max_new_tokens)
    logits = decoder.prefill(prompts)
    written: list[list[int]] = [[] for _ in prompts]
    running = set(range(len(prompts)))
    for step in range(max_new_tokens):
        tokens = logits.argmax(-1) if sampler is None else sampler(logits)
        for row in sorted(running):
            token = int(tokens[row])
            if token in stop_ids:
                running.remove(row)
            else:
                written[row].append(token)
        if not running or step == max_new_tokens - 1:
            break
        logits = decoder.step(tokens, lengths + step)
    return written
