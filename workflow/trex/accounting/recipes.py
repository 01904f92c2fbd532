"""What the rungs of the ladder train with: one process a recipe, so that each has its own memory.

All recipes train the same model from the same weights on the same tokens with the same optimizer (torch.optim.AdamW),
next-token loss only, float32. Each row of tokens is one document: packed boundaries are no part of this comparison,
for transformers' compressors would pool across them. Padding tokens, where a row has any, count as tokens.

- `open_source`: transformers' DeepseekV4ForCausalLM as shipped, with its own loss, attention and expert kernels; only
  the cache for decoding is switched off, as every trainer does.
- `ours_plain`: `trex.model.transformer.Transformer` and the loss that our arms are trained with, no tuning.
"""

import dataclasses
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch

from trex.model.config import ModelConfig
from trex.model.huggingface_config import to_hf_config
from trex.model.huggingface_weights import to_hf_state
from trex.model.transformer import Transformer
from trex.training.data import Rows
from trex.training.loss import next_token_loss


@dataclasses.dataclass(frozen=True)
class Recipe:
    """model; loss: tokens [B, S] -> mean next-token loss; variant: what was chosen inside, for the table."""

    model: torch.nn.Module
    loss: Callable[[torch.Tensor], torch.Tensor]
    variant: str


def open_source(config: ModelConfig, seed: int) -> Recipe:
    import transformers  # seconds to import, and no other recipe needs it

    model = transformers.DeepseekV4ForCausalLM.from_pretrained(
        None,
        config=transformers.DeepseekV4Config(**to_hf_config(config)),
        state_dict=to_hf_state(Transformer(config).initialise(seed).state_dict()),
    )
    kernels = f"transformers {transformers.__version__}; attention {model.config._attn_implementation}; "
    kernels += f"experts {model.config._experts_implementation}"
    return Recipe(model, lambda tokens: model(input_ids=tokens, labels=tokens, use_cache=False).loss, kernels)


def ours_plain(config: ModelConfig, seed: int) -> Recipe:
    model = Transformer(config).initialise(seed)

    def loss(tokens: torch.Tensor) -> torch.Tensor:
        everywhere = torch.ones_like(tokens)
        position = torch.arange(tokens.shape[1]).expand_as(tokens)
        return next_token_loss(model, Rows(tokens, document=everywhere, position=position, loss=everywhere))

    return Recipe(model, loss, "eager, no compilation")


RECIPES = {"open_source": open_source, "ours_plain": ours_plain}


def train(recipe: Recipe, optimizer: torch.optim.Optimizer, batches: np.ndarray) -> tuple[float, list[float]]:
    """Trains on batches [steps, B, S]; returns the seconds of it all and the loss of each step."""
    losses = []
    start = time.perf_counter()
    for tokens in torch.from_numpy(batches):
        loss = recipe.loss(tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    return time.perf_counter() - start, losses


def peak_rss_mb() -> float | None:
    """Largest resident memory of this process so far; None where there is no /proc.

    It is the kernel's high-water mark of this program. getrusage's would start from the parent's.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def serve(connection: Connection, name: str, config: ModelConfig, seed: int, threads: int, learning_rate: float):
    """Body of a recipe's process: answers each array of batches with (seconds, losses, peak memory in MB, variant),
    until it is sent None."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    recipe = RECIPES[name](config, seed)
    recipe.model.train()
    optimizer = torch.optim.AdamW(recipe.model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.1)
    while (batches := connection.recv()) is not None:
        seconds, losses = train(recipe, optimizer, batches)
        connection.send((seconds, losses, peak_rss_mb(), recipe.variant))
