"""Batched decoding with cached window and compressed entries."""

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
        return self.model.norm(self.model.streams_head(streams))


@torch.no_grad()
def generate(model: Transformer, prompts: list[list[int]], max_new_tokens: int, stop_id: int) -> list[list[int]]:
    """Greedy continuation of each prompt: the new tokens, without the stop token that ended them.

    A list shorter than max_new_tokens ended at the stop token. Raises ValueError on an empty prompt.
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
        tokens = logits.argmax(-1)
        for row in sorted(running):
            if tokens[row] == stop_id:
                running.remove(row)
            else:
                written[row].append(int(tokens[row]))
        if not running or step == max_new_tokens - 1:
            break
        logits = decoder.step(tokens, lengths + step)
    return written
