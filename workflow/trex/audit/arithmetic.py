"""What the public numbers imply about each other. Nothing of this run enters.

A derivation takes the `record` section of config/paper.yaml and returns the interval that the printed digits allow.
"""

import dataclasses
from collections.abc import Callable

from trex.accounting import hardware
from trex.accounting.counting.conventions import EXACT
from trex.accounting.counting.read import architecture
from trex.accounting.utilization import GIGA, Row, of_step, utilization

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
    """MFU that the step time implies for V4-Pro, by the exact count and the peak of the hardware file.

    The interval is over all conventions (those that count recomputed work, where that counts), over all peaks in
    circulation, and over the printed digits of the step: the least and the largest of all combinations.
    """
    batch, step, die = record["tokens_per_global_batch"], step_seconds(record), hardware.device(record["device"])
    sequences, length, peaks = batch["sequences"], batch["sequence_length"], die.peak("bf16").all
    exact = f"{EXACT}_full_recomputation" if recomputation else EXACT

    def rows(seconds: float) -> dict[str, Row]:
        rate = of_step(seconds, sequences, length)
        found = utilization(architecture("v4-pro"), length, rate, record["dies"], peaks).rows
        kept = [row for row in found if (row.convention.hardware if recomputation else row.in_range)]
        return {row.convention.name: row for row in kept}

    value = 100 * rows(step.value)[exact].shares[0]
    low = 100 * min(share for row in rows(step.high).values() for share in row.shares)
    high = 100 * max(share for row in rows(step.low).values() for share in row.shares)
    counts = [row.flops_per_token / GIGA for row in rows(step.value).values()]
    figures = [peak.value for peak in peaks]
    how = (
        f"{sequences * length / record['dies']:,.0f} tokens a die in {step.value:.1f} s, {exact}, peak "
        f"{figures[0]:g} TFLOP/s; range over {len(counts)} conventions ({min(counts):.1f}-{max(counts):.1f} GFLOP a "
        f"token) and {len(figures)} peaks in circulation ({min(figures):g}-{max(figures):g})"
    )
    published = record["mfu_percent"]["kernels"]
    meets = f"{sequences * published / high:,.0f} to {sequences * published / low:,.0f}"
    assumptions = (
        f"assumes {sequences:,} sequences of {length} on {record['dies']} dies (the released SFT script) in the step "
        f"that was timed; the record states no batch, count or peak for its {published} %, which this range meets "
        f"with {meets} sequences"
    )
    return Derived(value, low, high, how, assumptions)


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
