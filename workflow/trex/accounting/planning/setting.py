"""A model in a layout on devices, ready to be asked for the time of a step. Rows of accounting/projection.csv."""

import dataclasses
import functools

import numpy as np

from trex.accounting import hardware
from trex.accounting.counting import read
from trex.accounting.counting.conventions import CONVENTIONS
from trex.accounting.counting.part import Architecture
from trex.accounting.planning import topology
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.step_time import OPERATORS, Execution, Step, Work, step_time, work
from trex.accounting.planning.topology import Topology
from trex.common.errors import UserError

UNCALIBRATED = "analytic step time, nothing fitted"
NOT_VALIDATED = "not validated"
UNITS = {"tokens_per_second_per_device": "tokens/s", "compute_tflops": "TFLOP/s", "host_link": "GB/s"}
COLUMNS = (
    "group",  # published_run, trex_ladder, what_if
    "scenario",
    "quantity",
    "low",  # the 5 % point; median; high, the 95 % point
    "median",
    "high",
    "unit",
    "bound_low",  # with every assumption at its slow, at its fast end
    "bound_high",
    "reported_low",
    "reported_high",
    "of_prior",  # width of the interval / its width without the condition
    "identifiable",
    "accepted",  # samples that meet the condition
    "fits",  # in memory, by trex.accounting.fit
    "basis",
    "validated",
    "source",
    "note",
)


@functools.cache
def device(name: str) -> hardware.Device:
    """Of the hardware file, read once."""
    return hardware.device(name)


@functools.cache
def architecture(name: str) -> Architecture:
    """Read once, its parts counted once for each length."""
    found = read.architecture(name)
    return dataclasses.replace(found, parts=functools.cache(found.parts))


@dataclasses.dataclass(frozen=True)
class Setting:
    """peaks: FLOP/s by operator; peak: the denominator of MFU, FLOP/s; memory_bandwidth: bytes/s."""

    model: Architecture
    layout: Layout
    work: Work
    peaks: dict[str, float]
    peak: float
    memory_bandwidth: float

    def step(self, assumed: dict[str, np.ndarray], global_batch: int | None = None) -> Step:
        layout = dataclasses.replace(self.layout, global_batch=global_batch or self.layout.global_batch)
        return step_time(self.work, self.peaks, self.memory_bandwidth, assumed, layout.micro_batches)

    def rate(self, step: Step) -> np.ndarray:
        """Tokens per second and device."""
        return self.layout.global_batch * self.layout.sequence_length / (step.seconds * self.layout.devices)

    def flops_per_token(self, convention: str) -> float:
        return float(CONVENTIONS[convention].per_token(self.model, self.layout.sequence_length))


def setting(
    model: str,
    device_name: str,
    layout: Layout,
    execution: Execution | None = None,
    matmul_dtype: str = "bf16",
    links: Topology | None = None,
) -> Setting:
    """matmul_dtype: of the products of matrices; all else is in bf16. links: instead of the device's own.

    Raises UserError where a peak or a bandwidth is not known, or the layout does not fit the model.
    """
    chip, shape = device(device_name), architecture(model)
    peaks = {dtype: chip.peak(dtype) for dtype in ("bf16", matmul_dtype)}
    if missing := [dtype for dtype, peak in peaks.items() if peak is None]:
        raise UserError(f"device {device_name}: no peak is known for {', '.join(missing)}; add it to the hardware file")
    products, other = (1e12 * peaks[dtype].value for dtype in (matmul_dtype, "bf16"))
    known = chip.memory_bandwidth_gb_per_s
    return Setting(
        model=shape,
        layout=layout,
        work=work(shape, layout, links or topology.of(chip, layout.devices), execution),
        peaks={name: products if name in ("matmul", "grouped_matmul") else other for name in OPERATORS},
        peak=other,
        memory_bandwidth=1e9 * known.value if known else np.inf,
    )


def row(group: str, scenario: str, quantity: str, interval: tuple[float, float, float], **more: object) -> dict:
    """more: other COLUMNS."""
    low, median, high = interval
    unit = UNITS.get(quantity, "s" if quantity.endswith("seconds") else "1")
    own = {"group": group, "scenario": scenario, "quantity": quantity, "low": low, "median": median, "high": high}
    return own | {"unit": unit, "basis": UNCALIBRATED, "validated": NOT_VALIDATED} | more
