"""The training loop: same data, order, steps and rates give the same weights, bit for bit, on one machine."""

import math
import time
from collections.abc import Callable

import torch

from trex.common.errors import UserError
from trex.model.transformer import Transformer
from trex.training import optimizers
from trex.training.data import Rows, batches
from trex.training.loss import indexer_loss, next_token_loss


def rate(step: int, steps: int, settings: dict) -> float:
    """Share of the full learning rate: linear warm-up, constant, linear decay to `final_lr_fraction`."""
    warmup = max(1, round(steps * settings["warmup_fraction"]))
    decay = max(1, round(steps * settings["decay_fraction"]))
    if step < warmup:
        return (step + 1) / warmup
    left = (steps - step) / decay
    return settings["final_lr_fraction"] + (1 - settings["final_lr_fraction"]) * min(1.0, left)


@torch.no_grad()
def balance(model: Transformer, speed: float) -> float:
    """Moves each learned router's bias against its load; returns the largest share of the mean load that any had."""
    worst = 0.0
    for block in model.blocks:
        load = block.experts.load.float()
        worst = max(worst, float(load.max() / load.mean()))
        if not block.experts.router.is_hash:
            block.experts.router.bias += speed * (load.mean() - load).sign()
    return worst


def train(model: Transformer, rows: Rows, settings: dict, seed: int, report: Callable[[dict], None]) -> None:
    """Trains in place. settings: the config's training section for one arm; report gets one record a step.

    `tokens` is the budget in row positions, padding included: steps = tokens / (batch_rows * S), rounded, at least 1.
    Raises UserError at the first loss that is not finite.
    """
    length = rows.tokens.shape[1]
    steps = max(1, round(settings["tokens"] / (settings["batch_rows"] * length)))
    steppers = optimizers.build(model, settings)
    full_rates = [[group["lr"] for group in stepper.param_groups] for stepper in steppers]
    started = time.perf_counter()
    model.train()
    for step, batch in enumerate(batches(rows, settings["batch_rows"], steps, seed)):
        share = rate(step, steps, settings)
        for stepper, rates in zip(steppers, full_rates, strict=True):
            for group, full in zip(stepper.param_groups, rates, strict=True):
                group["lr"] = full * share
        loss = next_token_loss(model, batch)
        if not math.isfinite(loss.item()):
            raise UserError(f"step {step + 1}: the loss is {loss.item()}; lower the stage's lr or adamw_lr")
        auxiliary = indexer_loss(model)
        (loss + auxiliary).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
        for stepper in steppers:
            stepper.step()
            stepper.zero_grad()
        worst_load = balance(model, settings["balance_speed"])
        seconds = time.perf_counter() - started
        report(
            {
                "step": step + 1,
                "steps": steps,
                "tokens": (step + 1) * settings["batch_rows"] * length,
                "loss": loss.item(),
                "indexer_loss": auxiliary.item(),
                "gradient_norm": norm.item(),
                "lr": settings["lr"] * share,
                "max_expert_load": worst_load,
                "seconds": seconds,
                "tokens_per_second": (step + 1) * settings["batch_rows"] * length / seconds,
            }
        )
    model.eval()
