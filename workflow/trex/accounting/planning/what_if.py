"""What would other layouts, links or numbers of devices do? In proportion to a layout whose speed is known.

The samples that give that speed are carried over to the others, so that what all have in common cancels. An assumption
is taken to be the same in each: a matrix product that another layout cuts into smaller pieces loses nothing here.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np

from trex.accounting.counting.conventions import EXACT
from trex.accounting.planning import memory, topology
from trex.accounting.planning.changes import Outcome
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.released import BATCHES, FEWEST, LAST, RELEASED, Ladder
from trex.accounting.planning.sampling import quantiles
from trex.accounting.planning.setting import UNCALIBRATED, Setting, device, row, setting


@dataclasses.dataclass(frozen=True)
class Alternative:
    """links: how many times as fast all links are."""

    name: str
    layout: Layout
    links: float = 1.0


def alternatives() -> list[Alternative]:
    """To V4-Pro's released SFT layout, which is the first."""

    def other(name: str, links: float = 1.0, **changes: object) -> Alternative:
        return Alternative(name, dataclasses.replace(RELEASED.layout, **changes), links)

    return [
        other("as released"),
        other("tensor 1", tensor=1, sequence_parallel=False),
        other("tensor 4", tensor=4),
        other("expert 32", expert=32),
        other("pipeline 4", pipeline=4, chunk_layers=None),
        other("pipeline 16, one chunk a rank, expert 32", pipeline=16, virtual_stages=1, expert=32, chunk_layers=None),
        other("one chunk a rank", virtual_stages=1, chunk_layers=None),
        other("micro-batch 2", micro_batch=2),
        other("nothing recomputed", recomputation="none"),
        other("optimizer not swapped", swap_optimizer=False),
        other("global batch 256", global_batch=256),
        *(other(f"links x {factor:g}", factor) for factor in (0.125, 0.25, 0.5, 2, 4)),
        *(
            other("global batch in proportion", devices=devices, global_batch=2 * devices)
            for devices in (1024, 2048, 4096, 9216)
        ),
        other("global batch as released, tensor 4", devices=1024, tensor=4),
    ]


def what_if_rows(found: Ladder) -> Iterator[dict]:
    """Rows of accounting/projection.csv: what gives the last rung at the released batch, in other layouts."""
    weights = found.kept(LAST)[:, BATCHES.index(RELEASED.layout.global_batch)].sum(axis=(1, 2))
    kept = weights > 0
    common = {"accepted": int(kept.sum())}
    common["basis"] = f"{UNCALIBRATED}; samples that give {LAST.mfu:.2%} in the released layout"
    if common["accepted"] < FEWEST:
        note = f"only {common['accepted']} samples: no interval"
        yield row("what_if", "all", "all", (np.nan, np.nan, np.nan), note=note, **common)
        return
    assumed = {name: values[kept] for name, values in found.assumed.items()}
    rate = found.case.rate(found.case.step(assumed))
    for alternative in alternatives():
        scenario = f"V4-Pro on {alternative.layout.devices:,} dies of 910C, {alternative.name}"
        case = placed(RELEASED.model, RELEASED.device, alternative)
        fits = verdict(case, RELEASED.device)
        for quantity, values in outcomes(case, assumed, rate).items():
            interval = quantiles(values, weights[kept])
            yield row("what_if", scenario, quantity, interval, fits=fits, **common)


def placed(model: str, device_name: str, alternative: Alternative) -> Setting:
    links = topology.of(device(device_name), alternative.layout.devices).scaled(alternative.links)
    return setting(model, device_name, alternative.layout, links=links)


def outcomes(case: Setting, assumed: dict[str, np.ndarray], rate: np.ndarray) -> dict[str, np.ndarray]:
    """rate: tokens per second and device of the layout to compare with, [N]."""
    step = case.step(assumed)
    return {
        "relative_throughput_per_device": case.rate(step) / rate,
        "step_seconds": step.seconds,
        "tokens_per_second_per_device": case.rate(step),
        "mfu": case.rate(step) * case.flops_per_token(EXACT) / case.peak,
    }


def verdict(case: Setting, device_name: str) -> str:
    """Whether the layout fits in the devices' memory: `fits`, `may fit`, `does not fit`, or `unknown`."""
    known = device(device_name).memory_gb
    if known is None:
        return "unknown"
    worst = memory.worst(memory.ranks(case.model, case.layout))
    return Outcome("", case.layout, worst, round(1e9 * known.value)).verdict
