"""What the public numbers imply about each other. Nothing of this run enters.

A derivation takes the `record` section of config/paper.yaml and returns the interval that the printed digits allow.
"""

import dataclasses
from collections.abc import Callable

from trex.accounting.counting.conventions import CONVENTIONS
from trex.accounting.counting.read import architecture

HUNDREDTH, TENTH = 0.005, 0.05  # half a unit of the last printed digit


@dataclasses.dataclass(frozen=True)
class Derived:
    """value and its interval; how: the derivation in words; assumptions: what the record does not settle, or ""."""

    value: float
    low: float
    high: float
    how: str
    assumptions: str = ""


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def average_of_four(record: dict) -> Derived:
    value = mean(record["pass_at_1_percent"]["cpt_sft"])
    return Derived(value, value - HUNDREDTH, value + HUNDREDTH, "mean of the four printed benchmark values")


def gain_over_base(record: dict) -> Derived:
    table = record["pass_at_1_percent"]
    value = mean(table["cpt_sft"]) - mean(table["base"])
    return Derived(
        value, value - 2 * HUNDREDTH, value + 2 * HUNDREDTH, "difference of the means of four printed values"
    )


def gain_over_gpt_5_4_mini(record: dict) -> Derived:
    value = mean(record["pass_at_1_percent"]["cpt_sft"]) - record["average_percent"]["gpt_5_4_mini"]
    return Derived(value, value - 2 * HUNDREDTH, value + 2 * HUNDREDTH, "mean of four printed values - printed average")


def speedup(record: dict) -> Derived:
    first, last = record["mfu_percent"]["open_source"], record["mfu_percent"]["kernels"]
    low, high = (last - HUNDREDTH) / (first + HUNDREDTH), (last + HUNDREDTH) / (first - HUNDREDTH)
    return Derived(last / first, low, high, f"{last} / {first} of figure 1")


def communication_parts(record: dict) -> Derived:
    parts = record["communication_parts_seconds"]
    value, slack = sum(parts), len(parts) * HUNDREDTH
    return Derived(value, value - slack, value + slack, " + ".join(f"{part} s" for part in parts))


def step_seconds(record: dict) -> Derived:
    """The final recipe's step, from the baseline's communication time and share and from the ratio of MFU."""
    seconds, percent, ratio = record["communication_seconds"], record["communication_percent"], speedup(record)
    baseline = seconds / (percent / 100)
    low = (seconds - HUNDREDTH) / ((percent + TENTH) / 100) / ratio.high
    high = (seconds + HUNDREDTH) / ((percent - TENTH) / 100) / ratio.low
    how = f"{seconds} s / {percent} % = {baseline:.1f} s a baseline step, divided by {ratio.value:.2f}"
    assumptions = (
        "assumes that both recipes were timed on equal batches, so that their MFU is inverse to their step time"
    )
    return Derived(baseline / ratio.value, low, high, how, assumptions)


def implied_mfu(record: dict, recomputation: bool) -> Derived:
    """MFU that the step time implies, from the exact FLOPs of V4-Pro without and with the MTP block."""
    batch, step = record["tokens_per_global_batch"], step_seconds(record)
    length, tokens = batch["sequence_length"], batch["sequences"] * batch["sequence_length"] / record["dies"]
    suffix = "_full_recomputation" if recomputation else ""
    names = (f"exact_visible_pairs{suffix}", f"exact_visible_pairs_mtp{suffix}")
    least, most = (float(CONVENTIONS[name].per_token(architecture("v4-pro"), length)) for name in names)
    peak = record["peak_tflops_per_die"] * 1e12

    def percent(per_token: float, seconds: float) -> float:
        return 100 * tokens * per_token / seconds / peak

    how = (
        f"{tokens:,.0f} tokens a die in {step.value:.1f} s, {least / 1e9:.1f}-{most / 1e9:.1f} GFLOP a token"
        f"{' with full recomputation' if recomputation else ''}, "
        f"peak {record['peak_tflops_per_die']} TFLOP/s a die"
    )
    assumptions = (
        f"assumes a global batch of {batch['sequences']} sequences of {length} on {record['dies']} dies (the released "
        "SFT script) in the step that was timed, and this peak; neither is stated for the 34.22 %"
    )
    low, high = percent(least, step.high), percent(most, step.low)
    return Derived((percent(least, step.value) + percent(most, step.value)) / 2, low, high, how, assumptions)


def mfu_without_recomputation(record: dict) -> Derived:
    return implied_mfu(record, recomputation=False)


def mfu_with_recomputation(record: dict) -> Derived:
    return implied_mfu(record, recomputation=True)


DERIVATIONS: dict[str, Callable[[dict], Derived]] = {
    function.__name__: function
    for function in (
        average_of_four,
        gain_over_base,
        gain_over_gpt_5_4_mini,
        speedup,
        communication_parts,
        step_seconds,
        mfu_without_recomputation,
        mfu_with_recomputation,
    )
}
