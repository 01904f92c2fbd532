"""Which links a group of ranks talks over, and how long it takes at the links' full speed.

Ranks are numbered as Megatron-Core does: tensor-parallel neighbours next to each other, then context, then data; the
pipeline outermost. A group is every `stride`-th rank, `size` of them. Devices fill one unit (a pair of dies, a node, a
super node) after the other; a level of the hierarchy is what joins such units.

Bandwidths are config/hardware.yaml's, of one rank and one direction. What this does not cover: latency, congestion and
the shape of the network above a unit. What is reached of a link's speed is an assumption of `step_time`.
"""

import dataclasses
import math

from trex.accounting.hardware import Device
from trex.common.errors import UserError

WITHOUT_END = math.inf
# Ranks that scale-up links join. A GB200 NVL72 rack has 72 GPUs, but groups are powers of two and leave 8 out.
UNITS = {"ascend-910c-die": 768, "gb200": 64}
NODE = 8


@dataclasses.dataclass(frozen=True)
class Level:
    """ranks: that it joins, the inner levels' included; bytes_per_second: of a rank, in one direction."""

    name: str
    ranks: float
    bytes_per_second: float


@dataclasses.dataclass(frozen=True)
class Topology:
    """levels: from the innermost to the outermost, which joins all ranks that there are."""

    name: str
    levels: tuple[Level, ...]

    def reached(self, stride: int, size: int) -> list[tuple[Level, float]]:
        """Each level that the group needs, with how many of its ranks are joined up to there; the last joins all.

        A group that does not come out even with a level's units is cut by their borders somewhere. It is taken to have
        as many members in each as the largest divisor of its size that fits.
        """
        found, joined = [], 1
        for level in self.levels:
            inside = members_inside(level.ranks, stride, size)
            if inside > joined:
                found.append((level, inside))
                joined = inside
        return found

    def all_to_all_seconds(self, sent: float, stride: int, size: int) -> float:
        """Of an exchange in which every rank sends `sent` bytes, in equal parts to all members, itself included.

        The levels' links work at the same time.
        """
        before, seconds = 1, [0.0]
        for level, joined in self.reached(stride, size):
            seconds.append(sent * (joined - before) / size / level.bytes_per_second)
            before = joined
        return max(seconds)

    def gather_seconds(self, total: float, stride: int, size: int) -> float:
        """Of an all-gather to, or a reduce-scatter of, `total` bytes, level by level: outer ones see a part only."""
        before, seconds = 1, 0.0
        for level, joined in self.reached(stride, size):
            seconds += total / before * (1 - before / joined) / level.bytes_per_second
            before = joined
        return seconds

    def send_seconds(self, sent: float, stride: int, size: int) -> float:
        """Of a message to the next member; the slowest pair of neighbours counts."""
        reached = self.reached(stride, size)
        return sent / reached[-1][0].bytes_per_second if reached else 0.0

    def scaled(self, factor: float) -> "Topology":
        """With all links as many times as fast."""
        levels = tuple(
            dataclasses.replace(level, bytes_per_second=factor * level.bytes_per_second) for level in self.levels
        )
        return Topology(f"{self.name}, links x {factor:g}", levels)


def members_inside(ranks: float, stride: int, size: int) -> int:
    """Members of a group that are within the same unit of so many ranks, wherever the group begins."""
    if ranks == WITHOUT_END:
        return size
    return max(
        count for count in range(1, size + 1) if size % count == 0 and (count == 1 or ranks % (stride * count) == 0)
    )


def of(device: Device, devices: int, scale_up: float | None = None, scale_out: float | None = None) -> Topology:
    """So many ranks of a device: CloudMatrix384 of dies, NVLink racks, or nodes of eight.

    scale_up, scale_out: 10^9 bytes/s, instead of what the hardware file says.

    Raises UserError where a bandwidth is neither known nor given.
    """
    given = {"scale_up_gb_per_s": scale_up, "scale_out_gb_per_s": scale_out}
    speeds = {}
    for name, value in given.items():
        known = getattr(device, name)
        if value is None and known is None:
            raise UserError(
                f"device {device.key}: the hardware file has no {name}; add it, or take a device that has one"
            )
        speeds[name] = 1e9 * (value if value is not None else known.value)
    levels = [
        Level("scale-up", UNITS.get(device.key, NODE), speeds["scale_up_gb_per_s"]),
        Level("scale-out", WITHOUT_END, speeds["scale_out_gb_per_s"]),
    ]
    if device.die_to_die_gb_per_s and device.key.endswith("-die"):
        levels.insert(0, Level("die to die", 2, 1e9 * device.die_to_die_gb_per_s.value))
    outermost = next(number for number, level in enumerate(levels) if level.ranks >= devices)
    levels[outermost] = dataclasses.replace(levels[outermost], ranks=WITHOUT_END)
    return Topology(device.key, tuple(levels[: outermost + 1]))
