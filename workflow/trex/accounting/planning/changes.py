"""One step away from a layout: what a change does to its memory, what it would take to fit, how far it can grow."""

import dataclasses
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations

from trex.accounting.counting.part import Architecture
from trex.accounting.planning import memory
from trex.accounting.planning.activations.kept import Bounds
from trex.accounting.planning.layout import Layout, next_multiple
from trex.accounting.planning.memory import MOMENTS, Assumptions, RankMemory, Term

LARGEST_FACTOR = 2**10
MOST_CHANGES = 3


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Of a layout on devices with so many bytes. verdict: `fits`, `may fit` (between the bounds), `does not fit`."""

    change: str
    layout: Layout
    worst: RankMemory
    capacity: int

    @property
    def verdict(self) -> str:
        peak = self.worst.peak
        return "fits" if peak.high <= self.capacity else "may fit" if peak.low <= self.capacity else "does not fit"

    @property
    def breaks_at(self) -> Term | None:
        """In the order in which a job allocates, the first term with which the memory does not suffice: at the lower
        bounds where those are too much already, else at the upper."""
        if self.verdict == "fits":
            return None
        bound = "low" if self.verdict == "does not fit" else "high"
        held = 0
        for term in in_order(self.worst, bound):
            held += getattr(term.bounds, bound)
            if held > self.capacity:
                return term
        return None


def in_order(rank: RankMemory, bound: str) -> list[Term]:
    """States, buffers that stay, then what the worst moment adds: activations, its own buffers."""
    moment = max(MOMENTS, key=lambda moment: getattr(rank.at(moment), bound))
    here = [term for term in rank.terms if moment in term.moments]
    stay = [term for term in here if term.moments == MOMENTS]
    comes = [term for term in here if term.moments != MOMENTS]
    return [
        *(term for term in stay if term.group == "state"),
        *(term for term in stay if term.group != "state"),
        *(term for term in comes if term.group == "activations"),
        *(term for term in comes if term.group != "activations"),
    ]


def outcome(change: str, model: Architecture, layout: Layout, capacity: int, assumed: Assumptions) -> Outcome:
    return Outcome(change, layout, memory.worst(memory.ranks(model, layout, assumed)), capacity)


def whole_batches(layout: Layout) -> Layout:
    """With a global batch that its data ranks and its schedule can deal out: the same, or the next larger."""
    step = layout.micro_batch * layout.data * (layout.pipeline if layout.virtual_stages > 1 else 1)
    return dataclasses.replace(layout, global_batch=next_multiple(layout.global_batch, max(step, 1)))


def changed(layout: Layout, **values) -> Layout | None:
    """None where nothing changes."""
    if "pipeline" in values or "virtual_stages" in values:
        values["chunk_layers"] = None
    new = dataclasses.replace(layout, **values)
    return None if new == layout else whole_batches(new)


# Without each of its savings


def savings() -> list[tuple[str, Callable[[Layout], Layout | None]]]:
    """What a layout may owe its fit to, each taken away by itself."""
    return [
        ("recomputation none", lambda of: changed(of, recomputation="none")),
        ("recomputation selective", lambda of: changed(of, recomputation="selective") if full(of) else None),
        ("no swap_optimizer", lambda of: changed(of, swap_optimizer=False)),
        (
            "no distributed_optimizer (nor swap)",
            lambda of: changed(of, distributed_optimizer=False, swap_optimizer=False),
        ),
        ("no sequence_parallel", lambda of: changed(of, sequence_parallel=False)),
        ("tensor halved", lambda of: changed(of, tensor=of.tensor // 2) if of.tensor > 1 else None),
        ("expert halved", lambda of: changed(of, expert=of.expert // 2) if of.expert > 1 else None),
        ("pipeline halved", lambda of: changed(of, pipeline=of.pipeline // 2) if of.pipeline > 1 else None),
        ("micro_batch doubled", lambda of: changed(of, micro_batch=of.micro_batch * 2)),
        ("sequence_length doubled", lambda of: changed(of, sequence_length=of.sequence_length * 2)),
    ]


def full(layout: Layout) -> bool:
    return layout.recomputation == "full"


def without_each(model: Architecture, layout: Layout, capacity: int, assumed: Assumptions) -> list[Outcome]:
    """Largest memory first."""
    tried = [(name, change(layout)) for name, change in savings()]
    found = [
        outcome(name, model, new, capacity, assumed) for name, new in tried if new is not None and not new.errors(model)
    ]
    return sorted(found, key=lambda each: -each.worst.peak.low)


# What it would take


def mends() -> list[tuple[str, Callable[[Layout], Layout | None]]]:
    """Changes that save memory, the cheapest first: flags, then time, then other groups, then more devices."""
    return [
        ("distributed_optimizer", lambda of: changed(of, distributed_optimizer=True)),
        ("sequence_parallel", lambda of: changed(of, sequence_parallel=True) if of.tensor > 1 else None),
        ("recomputation selective", lambda of: changed(of, recomputation="selective") if not full(of) else None),
        ("recomputation full", lambda of: changed(of, recomputation="full")),
        ("swap_optimizer", lambda of: changed(of, swap_optimizer=True, distributed_optimizer=True)),
        ("micro_batch halved", lambda of: changed(of, micro_batch=max(of.micro_batch // 2, 1))),
        ("expert doubled", lambda of: changed(of, expert=of.expert * 2)),
        ("tensor doubled", lambda of: changed(of, tensor=of.tensor * 2, sequence_parallel=True)),
        ("pipeline doubled", lambda of: changed(of, pipeline=of.pipeline * 2)),
        ("context doubled", lambda of: changed(of, context=of.context * 2)),
        ("devices doubled", lambda of: changed(of, devices=of.devices * 2)),
        ("devices times four", lambda of: changed(of, devices=of.devices * 4)),
    ]


def least_devices(model: Architecture, layout: Layout, capacity: int) -> int:
    """Devices that hold weights and gradients once, and nothing else: below, no layout of this kind can fit."""
    parameters = sum(part.parameters for part in model.parts(layout.sequence_length))
    return -(-parameters * (layout.weight_bytes + layout.gradient_bytes) // capacity)


def to_fit(model: Architecture, layout: Layout, capacity: int, assumed: Assumptions) -> list[Outcome]:
    """The fewest changes that make it fit, for all that is known: all of that number, cheapest first; empty where no
    MOST_CHANGES of them do. Where none fits for certain, those that may fit."""
    perhaps: list[Outcome] = []
    for number in range(1, MOST_CHANGES + 1):
        tried = list(combined(model, layout, number, capacity, assumed))
        if fitting := [each for each in tried if each.verdict == "fits"]:
            return fitting
        perhaps = perhaps or [each for each in tried if each.verdict == "may fit"]
    return perhaps


def combined(
    model: Architecture, layout: Layout, number: int, capacity: int, assumed: Assumptions
) -> Iterable[Outcome]:
    least = least_devices(model, layout, capacity)
    for chosen in combinations(mends(), number):
        new = applied(layout, [change for _, change in chosen])
        if new is not None and new.devices >= least and not new.errors(model):
            yield outcome(" and ".join(name for name, _ in chosen), model, new, capacity, assumed)


def applied(layout: Layout, changes: Iterable[Callable[[Layout], Layout | None]]) -> Layout | None:
    """All changes after each other; None where one of them changes nothing."""
    for change in changes:
        new = change(layout)
        if new is None:
            return None
        layout = new
    return layout


# How far it can grow


def largest_imbalance(model: Architecture, layout: Layout, capacity: int, assumed: Assumptions) -> Fraction | None:
    """Load of the busiest expert rank over the mean, to a tenth, up to which it surely fits; None where none does.

    It cannot exceed the number of ranks that share the experts.
    """

    def fits(tenths: int) -> bool:
        loads = (Fraction(1), Fraction(tenths, 10))
        return outcome("", model, layout, capacity, dataclasses.replace(assumed, imbalance=loads)).verdict == "fits"

    low, high = 10, 10 * layout.expert
    if not fits(low):
        return None
    if fits(high):
        return Fraction(layout.expert)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return Fraction(low, 10)


def largest_factor(name: str, model: Architecture, layout: Layout, capacity: int, assumed: Assumptions) -> int:
    """The largest power of two by which that size can grow and still surely fit; 0 where it does not fit as it is."""
    factor = 0
    for power in range(LARGEST_FACTOR.bit_length()):
        new = whole_batches(dataclasses.replace(layout, **{name: getattr(layout, name) << power}))
        if new.errors(model) or outcome("", model, new, capacity, assumed).verdict != "fits":
            break
        factor = 1 << power
    return factor


def gigabytes(bounds: Bounds) -> str:
    low, high = bounds.low / 1e9, bounds.high / 1e9
    return f"{low:.1f}" if bounds.low == bounds.high else f"{low:.1f} to {high:.1f}"
