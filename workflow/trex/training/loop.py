"""The training loop: same data, order, steps and rates give the same weights, bit for bit, on one machine."""

import math
import time
from collections.abc import Callable

import torch

from trex.common.errors import UserError
from trex.model.trace import Trace
from trex.model.transformer import Transformer
from trex.training import loss, optimizers
from trex.training.data import Rows, batches

LOWER = "lower the stage's lr or adamw_lr"


def rate(step: int, steps: int, settings: dict) -> float:
    """Share of the full learning rate: linear warm-up, constant, linear decay to `final_lr_fraction`."""
    warmup = max(1, round(steps * settings["warmup_fraction"]))
    if step < warmup:
        return (step + 1) / warmup
    left = (steps - step) / decay_steps(steps, settings)
    return settings["final_lr_fraction"] + (1 - settings["final_lr_fraction"]) * min(1.0, left)


def decay_steps(steps: int, settings: dict) -> int:
    """How many steps before the end the rates are full for the last time."""
    return max(1, round(steps * settings["decay_fraction"]))


def accumulate(
    model: Transformer, batch: Rows, weights: dict[str, float], micro_batch_rows: int
) -> tuple[dict[str, float], torch.Tensor]:
    """Adds the batch's gradient to the parameters' own, some rows at a time.

    Returns the mean of each term that has a weight, and loads [layers, E]: the real tokens that each expert got, the
    MTP block's in the last row where its term is on.
    """
    counts = loss.counts_of(model.config, batch)
    means, loads = dict.fromkeys(weights, 0.0), []
    for index in torch.arange(len(batch)).split(micro_batch_rows):
        rows = batch.take(index)
        trace = Trace(rows.document > 0, "balance" in weights, "indexer" in weights)
        parts = loss.means_of(loss.sums_of(model, rows, weights, trace), counts)
        loss.objective(parts, weights).backward()
        means = {term: mean + parts[term].item() for term, mean in means.items()}
        loads.append(torch.stack([layer.load for layer in trace.routing]))
    return means, torch.stack(loads).sum(0)


@torch.no_grad()
def balance(model: Transformer, loads: torch.Tensor, speed: float) -> None:
    """Moves each learned router's bias against its load; loads: [layers, E]."""
    blocks = [*model.blocks, *([model.mtp.block] if model.mtp is not None else [])]
    for block, load in zip(blocks, loads.float(), strict=False):  # a block that did not run has no load
        if not block.experts.router.is_hash:
            block.experts.router.bias += speed * (load.mean() - load).sign()


def train(model: Transformer, rows: Rows, settings: dict, seed: int, report: Callable[[dict], None]) -> None:
    """Trains in place. settings: the config's training section for one arm; report gets one record a step.

    `tokens` is the budget in row positions, padding included: steps = tokens / (batch_rows * S), rounded, at least 1.
    A record's losses are means without their weights, None where a term is off; expert_load is the largest load over
    the mean one, of each layer. Raises UserError at the first loss or gradient that is not finite, and when the last
    step leaves such weights.
    """
    length = rows.tokens.shape[1]
    steps = max(1, round(settings["tokens"] / (settings["batch_rows"] * length)))
    micro_batch_rows = settings["micro_batch_rows"] or settings["batch_rows"]
    steppers = optimizers.build(model, settings)
    full_rates = [[group["lr"] for group in stepper.param_groups] for stepper in steppers]
    started = time.perf_counter()
    model.train()
    for step, batch in enumerate(batches(rows, settings["batch_rows"], steps, seed)):
        share = rate(step, steps, settings)
        for stepper, rates in zip(steppers, full_rates, strict=True):
            for group, full in zip(stepper.param_groups, rates, strict=True):
                group["lr"] = full * share
        decaying = steps - step < decay_steps(steps, settings)
        weights = loss.weights_of(model.config, settings, decaying)
        means, loads = accumulate(model, batch, weights, micro_batch_rows)
        for term, mean in means.items():
            if not math.isfinite(mean):
                raise UserError(f"step {step + 1}: the {term} loss is {mean}; {LOWER}")
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
        if not norm.isfinite():
            raise UserError(f"step {step + 1}: the gradient's norm is {norm.item()}; {LOWER}")
        for stepper in steppers:
            stepper.step()
            stepper.zero_grad()
        balance(model, loads, settings["balance_speed"])
        expert_load = (loads.amax(1) / loads.float().mean(1)).tolist()
        seconds = time.perf_counter() - started
        report(
            {
                "step": step + 1,
                "steps": steps,
                "tokens": (step + 1) * settings["batch_rows"] * length,
                "loss": means["next_token"],
                "mtp_loss": means.get("mtp"),
                "mtp_weight": weights.get("mtp", 0.0),
                "balance_loss": means.get("balance"),
                "indexer_loss": means.get("indexer"),
                "gradient_norm": norm.item(),
                "lr": settings["lr"] * share,
                "max_expert_load": max(expert_load),
                "expert_load": expert_load,
                "seconds": seconds,
                "tokens_per_second": (step + 1) * settings["batch_rows"] * length / seconds,
            }
        )
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise UserError(f"step {steps}: it left weights that are not finite; {LOWER}")
    model.eval()
