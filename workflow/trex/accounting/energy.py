"""Power of this machine: counted by RAPL where it can be read, else told by the user, else an estimate that says so.

RAPL (running average power limit) counts the energy of each processor package and, on many servers, of its memory, in
/sys/class/powercap. Not in it: fans, disks, network, losses of the power supply, cooling. Virtual machines have none,
and since CVE-2020-8694 most systems let only root read it.

The estimate is watts per thread in use. Its middle is what codecarbon takes for a processor that it does not know
(4 W, codecarbon/core/cpu.py); its ends are the lowest and highest full-load figures per virtual core that Cloud Carbon
Footprint derives from SPECpower by processor generation (1.69 W EPYC 2nd generation, 8.58 W Sandy Bridge). They bound
no particular machine: a factor of five between the ends is what is known without a meter.
"""

import dataclasses
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
WATTS_PER_THREAD = (1.69, 4.0, 8.58)
ESTIMATE = "ESTIMATE, not measured: {low} to {high} W, middle {middle} W, a thread; processor alone"
MEASURED = "measured by RAPL (packages and their memory), smallest to largest repetition"
GIVEN = "user-supplied"


@dataclasses.dataclass(frozen=True)
class Power:
    """Watts, with a range. basis: how they were got."""

    watts: float
    low: float
    high: float
    basis: str


def counters(root: Path = POWERCAP) -> dict[str, tuple[int, int]] | None:
    """Name of each counter -> (microjoules so far, where it starts again); None unless every package can be read.

    Taken are packages and their DRAM, which do not overlap. `psys` and `core` are parts or sums of these, and
    intel-rapl-mmio counts the same packages once more.
    """
    found: dict[str, tuple[int, int]] = {}
    try:
        for zone in sorted(root.glob("intel-rapl:*")):
            name = (zone / "name").read_text(encoding="utf-8").strip()
            if name.startswith("package") or name == "dram":
                energy, wraps = (int((zone / file).read_text()) for file in ("energy_uj", "max_energy_range_uj"))
                found[zone.name] = (energy, wraps)
    except (OSError, ValueError):
        return None
    return found or None


def joules(before: dict[str, tuple[int, int]] | None, after: dict[str, tuple[int, int]] | None) -> float | None:
    """Between two readings at most one turn of a counter apart (minutes, under full load); None without them."""
    if before is None or after is None or before.keys() != after.keys():
        return None
    return sum((after[name][0] - start) % (wraps + 1) for name, (start, wraps) in before.items()) / 1e6


def estimate(threads: int) -> Power:
    low, middle, high = WATTS_PER_THREAD
    basis = ESTIMATE.format(low=low, middle=middle, high=high)
    return Power(threads * middle, threads * low, threads * high, basis)


def given(watts: float) -> Power:
    return Power(watts, watts, watts, GIVEN)
