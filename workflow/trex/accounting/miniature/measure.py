"""Time and memory of training the miniature, each setting in a process of its own.

Processes are forked from a server that has imported torch and computed nothing: each starts in milliseconds, with the
same memory. Before it builds the model it trains a tiny one, so that what libraries load at their first call is no part
of the model's memory. Memory is the high-water mark of the resident set above what was resident then.

One round measures each setting once, one after the other; several rounds take turns, so that a slow spell of a shared
machine does not hit one setting alone.
"""

import dataclasses
import functools
import multiprocessing
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch
import torch._dynamo  # what an optimizer imports at its first step, seconds and much memory: once, in the server
from torch.utils.checkpoint import checkpoint

from trex.accounting import peak, recipes
from trex.accounting.miniature.setting import Setting
from trex.common.errors import UserError
from trex.model.config import ModelConfig

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # what to write there so that the high-water mark starts again
LEARNING_RATE = 1e-3


@dataclasses.dataclass(frozen=True)
class Measured:
    """seconds, cpu_seconds: of each timed step; memory: bytes above the baseline, None where there is no /proc."""

    seconds: list[float]
    cpu_seconds: list[float]
    memory: int | None


def resident(field: str) -> int | None:
    """Bytes of `VmRSS`, now, or of `VmHWM`, the high-water mark. None where there is no /proc."""
    if not STATUS.exists():
        return None
    line = next(line for line in STATUS.read_text(encoding="utf-8").splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def prepare(recipe: recipes.Recipe, setting: Setting) -> torch.optim.Optimizer:
    """Gives the model its precision and recomputation; the optimizer is the ladder's."""
    recipe.model.to(getattr(torch, setting.precision)).train()
    if setting.recomputation:
        for block in recipe.model.blocks:
            block.forward = functools.partial(checkpoint, block.forward, use_reentrant=False)
    return torch.optim.AdamW(recipe.model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=0.1)


def warm(config: ModelConfig, setting: Setting, seed: int) -> None:
    """One step of the same kind on a few tokens, in the smallest shape."""
    recipe = recipes.ours_plain(dataclasses.replace(config, vocab_size=64, hidden_size=16), seed)
    recipes.train(recipe, prepare(recipe, setting), np.zeros((1, 1, 64), np.int64))


def work(config: ModelConfig, setting: Setting, warmup_steps: int, steps: int, seed: int) -> Measured:
    """Trains on random tokens. config: the setting's."""
    torch.set_num_threads(setting.threads)
    torch.manual_seed(seed)
    warm(config, setting, seed)
    shape = (warmup_steps + steps, 1, setting.batch_size, setting.sequence_length)
    batches = np.random.default_rng(seed).integers(config.vocab_size, size=shape)
    baseline = resident("VmRSS")
    if CLEAR.exists():
        CLEAR.write_text(RESET_PEAK, encoding="utf-8")
    recipe = recipes.ours_plain(config, seed)
    optimizer = prepare(recipe, setting)
    seconds, cpu_seconds = [], []
    for batch in batches:
        start = time.process_time()
        seconds.append(recipes.train(recipe, optimizer, batch)[0])
        cpu_seconds.append(time.process_time() - start)
    memory = None if baseline is None else resident("VmHWM") - baseline
    return Measured(seconds[warmup_steps:], cpu_seconds[warmup_steps:], memory)


def serve(connection: Connection, function, *arguments) -> None:
    """Body of a process: sends what the function gives."""
    connection.send(function(*arguments))


def peaks(threads: int, repetitions: int) -> dict[str, float]:
    """TFLOP/s by dtype, as in accounting/peak.json, with so many threads."""
    torch.set_num_threads(threads)
    return peak.peaks(peak.measure(repetitions))


def apart(function, *arguments):
    """What the function of this module gives in a process of its own. Raises UserError where that ends early."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    ours, its = context.Pipe()
    process = context.Process(target=serve, args=(its, function, *arguments))
    process.start()
    its.close()
    try:
        return ours.recv()
    except EOFError as error:
        process.join()
        raise UserError(
            f"{arguments} ended with exit code {process.exitcode}; if memory ran out, leave that setting out of "
            "accounting.validation"
        ) from error
    finally:
        process.join()
