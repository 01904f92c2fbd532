"""Under which efficiencies and overlaps do the released flags of V4-Pro give the MFU of each rung of SLAI T-Rex?

Sampled is what nobody published: all of `step_time.ASSUMED`, each independent and uniform. Tried in all combinations is
what else an MFU rests on: the batch, the FLOPs that were counted, and the peak that they were divided by (the physical
one, of which efficiencies are a share, is the hardware file's). Kept is what gives the reported figure.

A quantity whose interval stays about as wide as it was is not identifiable from that figure. What is said of a rung
holds under these ranges, which are ours, and for the released layout; rungs before the last ran in others, which are
not public.
"""

import dataclasses
import functools
from collections.abc import Iterator

import numpy as np

from trex.accounting.counting.conventions import EXACT, EXACT_WITH_MTP
from trex.accounting.planning.presets import PRESETS
from trex.accounting.planning.sampling import latin_hypercube, quantiles, width
from trex.accounting.planning.setting import UNCALIBRATED, Setting, device, row, setting
from trex.accounting.planning.step_time import ASSUMED, slowest
from trex.common import seeds

GROUP = "trex_ladder"
RELEASED = PRESETS["trex-pro-sft"]
TOLERANCE = 0.02  # of a reported figure, either way
FEWEST = 100  # samples that an interval may rest on
AS_WIDE = 0.9  # of the interval before: not identifiable
# All that the interleaved schedule takes. Released are 256 (CPT) and 1024 (SFT); that of the MFU runs is not public.
BATCHES = tuple(range(256, 2049, 256))
COUNTED = (
    EXACT,
    EXACT_WITH_MTP,
    "megatron_mtp",
    "exact_visible_pairs_full_recomputation",
    "exact_visible_pairs_mtp_full_recomputation",
)
FIGURE = "SLAI T-Rex (arXiv 2607.20145), figure 1"
BREAKDOWN = "SLAI T-Rex, repository: communication of the baseline's step"
# 40.76 s of communication are 52.2 % of the baseline's step: 78.1 s.
BASELINE_SECONDS = 40.76 / 0.522
BASELINE_COMMUNICATION = {"all_to_all_seconds": 5.91, "tensor_and_data_seconds": 19.71, "pipeline_seconds": 14.95}


@dataclasses.dataclass(frozen=True)
class Rung:
    """seconds: of a step; communication: the share of it that is exposed communication; where these are known too."""

    name: str
    mfu: float
    seconds: float | None = None
    communication: float | None = None
    source: str = FIGURE


RUNGS = (
    Rung("open-sourced recipe, 11.67 %", 0.1167),
    Rung("optimized parallelism, 25.80 %", 0.2580),
    Rung("NPU-CPU co-optimization, 27.00 %", 0.2700),
    Rung("kernel optimization, 34.22 %", 0.3422),
)
WITH_SECONDS = (
    Rung("open-sourced recipe, 11.67 %, with its 78.1 s", 0.1167, BASELINE_SECONDS, None, f"{FIGURE}; {BREAKDOWN}"),
    Rung(
        "open-sourced recipe, 11.67 %, with its 78.1 s and 52.2 % communication",
        0.1167,
        BASELINE_SECONDS,
        0.522,
        f"{FIGURE}; {BREAKDOWN}",
    ),
    Rung(
        "kernel optimization, 34.22 %, with 26.6 s",
        0.3422,
        BASELINE_SECONDS * 0.1167 / 0.3422,
        None,
        f"{FIGURE}; the seconds by our arithmetic, if all rungs had one batch (press: 27 s)",
    ),
)
LAST = RUNGS[-1]


@dataclasses.dataclass(frozen=True)
class Ladder:
    """assumed: [N] each. derived: [N, B] each, over BATCHES. mfu: [N, B, C, K], over COUNTED and the peaks too, which
    are in TFLOP/s."""

    case: Setting
    assumed: dict[str, np.ndarray]
    derived: dict[str, np.ndarray]
    mfu: np.ndarray
    peaks: list[float]

    @functools.cached_property
    def widths(self) -> dict[str, float]:
        """Of the intervals before any condition."""
        return {name: width(quantiles(values.ravel())) for name, values in (self.assumed | self.derived).items()}

    def kept(self, rung: Rung) -> np.ndarray:
        """[N, B, C, K]: whether a sample gives the rung's figures."""
        found = close(self.mfu, rung.mfu)
        if rung.seconds is not None:
            found = found & close(self.derived["step_seconds"], rung.seconds)[:, :, None, None]
        if rung.communication is not None:
            found = found & close(self.derived["communication_share"], rung.communication)[:, :, None, None]
        return found


def close(values: np.ndarray, target: float) -> np.ndarray:
    return abs(values / target - 1) < TOLERANCE


def ladder(samples: int, seed: int) -> Ladder:
    case = setting(RELEASED.model, RELEASED.device, RELEASED.layout)
    assumed = latin_hypercube(ASSUMED, samples, seeds.array_generator(seed, "projection", "released"))
    steps = [case.step(assumed, batch) for batch in BATCHES]
    seconds = np.stack([step.seconds for step in steps], axis=-1)
    compute = np.stack([step.compute for step in steps], axis=-1)
    rates = np.array(BATCHES) * case.layout.sequence_length / (case.layout.devices * seconds)
    peaks = [figure.value for figure in device(RELEASED.device).peak("bf16").all]
    counted = np.array([case.flops_per_token(name) for name in COUNTED])
    return Ladder(
        case=case,
        assumed=assumed,
        derived={
            "step_seconds": seconds,
            "tokens_per_second_per_device": rates,
            "communication_share": np.stack([step.exposed for step in steps], axis=-1) / seconds,
            "compute_share": compute / seconds,
            "compute_tflops": np.array([executed(case, batch) for batch in BATCHES]) / compute / 1e12,
        },
        mfu=rates[:, :, None, None] * counted[:, None] / (1e12 * np.array(peaks)),
        peaks=peaks,
    )


def executed(case: Setting, global_batch: int) -> float:
    """FLOPs of a step on the stage with most, recomputed ones included."""
    layout = dataclasses.replace(case.layout, global_batch=global_batch)
    return float(layout.micro_batches * sum(case.work.flops.values()).max())


def ladder_rows(found: Ladder) -> Iterator[dict]:
    """Rows of accounting/projection.csv."""
    for rung in (*RUNGS, *WITH_SECONDS):
        yield from rung_rows(found, rung)
    together = np.prod([found.kept(rung).mean(axis=0) for rung in RUNGS], axis=0)
    yield from shares(found, together, "all four rungs with one batch, peak and count", {"source": FIGURE})
    yield from communication_rows(found)


def rung_rows(found: Ladder, rung: Rung) -> Iterator[dict]:
    """What remains of each assumption and of what follows from them, then of batch, count and peak."""
    kept = found.kept(rung)
    accepted = int(kept.any(axis=(1, 2, 3)).sum())
    common = {"accepted": accepted, "source": rung.source, "basis": f"{UNCALIBRATED}; figures within {TOLERANCE:.0%}"}
    if accepted < FEWEST:
        note = f"only {accepted} samples give these figures together: no interval"
        yield row(GROUP, rung.name, "all", (np.nan, np.nan, np.nan), note=note, **common)
        return
    for name, values in found.assumed.items():
        yield conditioned(found, rung, name, values, kept.sum(axis=(1, 2, 3)), common)
    for name, values in found.derived.items():
        yield conditioned(found, rung, name, values, kept.sum(axis=(2, 3)), common)
    yield from shares(found, kept.mean(axis=0), rung.name, common)


def conditioned(found: Ladder, rung: Rung, name: str, values: np.ndarray, weights: np.ndarray, common: dict) -> dict:
    """A quantity under the weights, both [N] or both [N, B]."""
    interval = quantiles(values.ravel(), weights.ravel())
    ratio = width(interval) / found.widths[name]
    note = "not identifiable: as wide as before" if ratio >= AS_WIDE else ""
    return row(GROUP, rung.name, name, interval, of_prior=ratio, identifiable=ratio < AS_WIDE, note=note, **common)


def shares(found: Ladder, weights: np.ndarray, scenario: str, common: dict) -> Iterator[dict]:
    """How probable each batch, count and peak is; weights [B, C, K]. Before, all were equally probable."""
    axes = {
        "global_batch": (BATCHES, (1, 2)),
        "counted": (COUNTED, (0, 2)),
        "peak_tflops": ([f"{peak:g}" for peak in found.peaks], (0, 1)),
    }
    if not weights.any():
        return
    for axis, (labels, others) in axes.items():
        remaining = weights.sum(axis=others) / weights.sum()
        for label, share in zip(labels, remaining, strict=True):
            note = f"{1 / len(labels):.2f} before"
            yield row(GROUP, scenario, f"probability of {axis} {label}", (share,) * 3, note=note, **common)


def communication_rows(found: Ladder) -> Iterator[dict]:
    """What a step of the released layout sends, with nothing hidden, beside what was published of the baseline."""
    work, layout = found.case.work, found.case.layout
    link = found.assumed["link"]
    per_step = {name: layout.micro_batches * work.seconds[name].max() for name in ("all_to_all", "tensor", "pipeline")}
    seconds = {
        "all_to_all_seconds": per_step["all_to_all"] * found.assumed["imbalance"],
        "tensor_and_data_seconds": per_step["tensor"] + work.seconds["gradients"].max(),
        "pipeline_seconds": per_step["pipeline"],
    }
    bubble = found.case.step(slowest(ASSUMED)).terms["bubble"][0]
    for name, each in seconds.items():
        reported = BASELINE_COMMUNICATION[name]
        note = "volumes over links at the share of their speed that is sampled; waiting is no part of it"
        if name == "pipeline_seconds":
            note += f", and the bubble is up to {bubble:.1f} s"
        yield row(
            GROUP,
            f"communication of a step of {layout.global_batch:,} sequences, none of it hidden",
            name,
            quantiles(each / link),
            reported_low=reported,
            reported_high=reported,
            source=BREAKDOWN,
            note=f"{note}; the baseline's layout and batch are not public",
        )
