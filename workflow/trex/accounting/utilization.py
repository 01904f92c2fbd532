"""MFU and HFU of a throughput: every convention against every peak. Free of torch.

    MFU = tokens per second x FLOPs per token / (devices x peak)

Model FLOPs utilization (arXiv 2204.02311, appendix B) counts what the model needs; hardware FLOPs utilization counts
what was recomputed too. Whose FLOPs and which peak decide the figure as much as the run does, so none is given without
both.
"""

import dataclasses
import textwrap

from trex.accounting.counting.conventions import EXACT, MISTAKES, NOT_DERIVED, Convention, applicable
from trex.accounting.counting.part import Architecture
from trex.accounting.hardware import Quantity
from trex.common.errors import UserError
from trex.model.config import ModelConfig

GIGA, TERA = 10**9, 10**12
WIDTH = 120


@dataclasses.dataclass(frozen=True)
class Row:
    """A convention. flops_per_token: of training. of_exact: that by the exact convention's. device_flops: FLOP/s of one
    device. shares: MFU (HFU, where it counts recomputation) by each peak, in their order."""

    convention: Convention
    flops_per_token: float
    of_exact: float
    device_flops: float
    shares: tuple[float, ...]

    @property
    def in_range(self) -> bool:
        return not self.convention.hardware and self.convention.name not in MISTAKES


@dataclasses.dataclass(frozen=True)
class Utilization:
    """tokens_per_second: of all devices. peaks: of one device, 10^12 FLOP/s, the first for the headline; empty where
    none is known."""

    architecture: Architecture
    sequence_length: int
    tokens_per_second: float
    devices: int
    peaks: tuple[Quantity, ...]
    rows: tuple[Row, ...]

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.convention.name == name)

    @property
    def exact(self) -> Row:
        return self.row(EXACT)

    @property
    def mfu(self) -> float | None:
        """By the exact convention and the first peak."""
        return self.exact.shares[0] if self.peaks else None

    def hfu(self, recompute: str) -> float | None:
        """By the exact convention and the first peak; recompute: `none` or `full`."""
        if not self.peaks or recompute == "none":
            return self.mfu
        return self.row(f"{EXACT}_full_recomputation").shares[0]

    @property
    def range(self) -> tuple[float, float] | None:
        """Least and largest MFU over conventions and peaks, without hardware counts and known mistakes."""
        shares = [share for row in self.rows if row.in_range for share in row.shares]
        return (min(shares), max(shares)) if shares else None


def utilization(
    architecture: Architecture,
    sequence_length: int,
    tokens_per_second: float,
    devices: int,
    peaks: tuple[Quantity, ...],
) -> Utilization:
    """Of a run at so many tokens per second on all its devices."""
    conventions = [*applicable(architecture), *(one for one in MISTAKES.values() if one.applies_to(architecture))]
    counted = {one.name: float(one.per_token(architecture, sequence_length)) for one in conventions}
    rows = []
    for convention in conventions:
        per_token = counted[convention.name]
        speed = tokens_per_second * per_token / devices
        shares = tuple(speed / (peak.value * TERA) for peak in peaks)
        rows.append(Row(convention, per_token, per_token / counted[EXACT], speed, shares))
    return Utilization(architecture, sequence_length, tokens_per_second, devices, peaks, tuple(rows))


def of_step(step_time: float, global_batch: float, sequence_length: int) -> float:
    """Tokens per second. step_time: seconds; global_batch: sequences."""
    if step_time <= 0 or global_batch <= 0:
        raise UserError("--step-time and --global-batch must be above 0")
    return global_batch * sequence_length / step_time


def text(found: Utilization, recompute: str | None, headline: str, notes: list[str]) -> str:
    """The answer, one line first; then what moves it. headline: of the run, e.g. "308 tokens/s on 1 device"."""
    exact, peak = found.exact, found.peaks[0] if found.peaks else None
    work = f"{EXACT} ({exact.flops_per_token / GIGA:.1f} GFLOP a token)"
    run = f"    {found.architecture.name}, {found.sequence_length} tokens a sequence, {headline}"
    rest = [*notes, "", table(found), "", legend(found)]
    if peak is None:
        first = f"MFU N/A, for want of a peak: {exact.device_flops / TERA:.1f} TFLOP/s a device by {work}"
        return "\n".join([first, run, *rest])
    first = f"MFU {found.mfu:.1%} of {peak.value:g} TFLOP/s by {work}"
    low, high = found.range
    span = f"    {low:.1%} to {high:.1%} over {sum(row.in_range for row in found.rows)} conventions and "
    span += f"{len(found.peaks)} peak{'s' if len(found.peaks) > 1 else ''}: whose FLOPs and which peak, below"
    return "\n".join([first, run, span, hfu_line(found, recompute), *rest])


def hfu_line(found: Utilization, recompute: str | None) -> str:
    full, none = found.hfu("full"), found.hfu("none")
    if recompute == "full":
        return f"HFU {full:.1%} with full recomputation of the layers (stated)"
    if recompute == "none":
        return f"HFU {none:.1%}, the same: nothing recomputed (stated)"
    return f"HFU {none:.1%} if nothing is recomputed, {full:.1%} if all layers are; say which with --recompute"


def table(found: Utilization) -> str:
    """Conventions by peaks: those in the range from least to largest, then hardware counts and known mistakes."""
    order = sorted(found.rows, key=lambda row: (not row.in_range, row.convention.hardware, row.flops_per_token))
    peaks = [f"of {peak.value:g}" for peak in found.peaks]
    lines = [["convention", "GFLOP/token", "to exact", "TFLOP/s/device", *peaks]]
    for row in order:
        shares = [f"{share:.1%}" for share in row.shares]
        lines.append(
            [
                label(row),
                f"{row.flops_per_token / GIGA:.3f}",
                "" if row.convention.name == EXACT else f"{row.of_exact - 1:+.1%}",
                f"{row.device_flops / TERA:.1f}",
                *shares,
            ]
        )
    return aligned(lines)


def label(row: Row) -> str:
    if row.convention.hardware:
        return f"HFU {row.convention.name}"
    return f"(mistake) {row.convention.name}" if row.convention.name in MISTAKES else row.convention.name


def aligned(lines: list[list[str]]) -> str:
    """The first column to the left, the others to the right."""
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    first, *others = widths
    rows = []
    for name, *cells in lines:
        padded = [cell.rjust(width) for cell, width in zip(cells, others, strict=True)]
        rows.append("  ".join([name.ljust(first), *padded]).rstrip())
    return "\n".join(rows)


def legend(found: Utilization) -> str:
    """What each column and row rests on."""
    lines = ["Peaks, dense TFLOP/s of one device:"]
    lines += [wrapped(f"{peak.value:g}: {described(peak)}") for peak in found.peaks] or ["  none"]
    lines.append("Conventions: what they count [source]")
    for row in found.rows:
        lines.append(wrapped(f"{row.convention.name}: {row.convention.counts} [{row.convention.source}]"))
    if isinstance(found.architecture.config, ModelConfig):
        lines += [wrapped(f"not derived, hence left out: {name}, {why}") for name, why in NOT_DERIVED.items()]
    lines.append(f"Shape of the model: {found.architecture.source}")
    return "\n".join(lines)


def wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False)


def described(quantity: Quantity) -> str:
    """Source, date, note, and whether it is verified."""
    parts = [quantity.source, quantity.date, quantity.note, "" if quantity.verified else "UNVERIFIED"]
    return "; ".join(part for part in parts if part)
