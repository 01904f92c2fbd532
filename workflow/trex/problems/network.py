"""Directed networks for the families that have one: drawing them, their scenes and names, and how arcs are told.

Nodes are numbered from 1. A network has an order of its nodes, drawn at random, from a first to a last one: every node
lies on a way of forward arcs between the two, so walks along forward arcs give flows that are feasible by construction.
No arc enters the first node or leaves the last.
"""

import dataclasses
from random import Random

from trex.problems.family import PLACE, Axis, Fact, chance

# Goods, arc, arcs, node, nodes, units (one of them: without the last letter).
SCENES = (
    ("water", "pipe", "pipes", "junction", "junctions", ("litres", "gallons", "cubic metres")),
    ("oil", "pipeline", "pipelines", "terminal", "terminals", ("barrels", "tonnes", "gallons")),
    ("gas", "duct", "ducts", "station", "stations", ("cubic metres", "tonnes", "kilos")),
    ("grain", "railway", "railways", "yard", "yards", ("tonnes", "bushels", "tons")),
    ("gravel", "belt", "belts", "tower", "towers", ("tonnes", "tons", "cubic metres")),
    ("steel", "road", "roads", "town", "towns", ("tonnes", "tons", "kilos")),
    ("power", "cable", "cables", "substation", "substations", ("megawatts", "kilowatts")),
    ("traffic", "fibre", "fibres", "router", "routers", ("gigabits", "megabits", "terabytes")),
    ("coal", "canal", "canals", "port", "ports", ("tonnes", "tons", "kilos")),
    ("sand", "track", "tracks", "pit", "pits", ("tonnes", "tons", "cubic metres")),
)
LINES = (
    "Elm", "Oak", "Pine", "Fir", "Yew", "Birch", "Cedar", "Maple", "Willow", "Hazel", "Alder", "Larch", "Beech",
    "Rowan", "Holly", "Linden", "Juniper", "Poplar", "Spruce", "Walnut", "Cherry", "Laurel", "Myrtle", "Sorrel",
)  # fmt: skip
PLACES = (
    "Oslo", "Bonn", "Lyon", "Bern", "Turin", "Porto", "Rome", "Paris", "Milan", "Vienna", "Prague", "Madrid", "Riga",
    "Ghent", "Delft", "Graz", "Malmo", "Bergen", "Lodz", "Split", "Bari", "Nice", "Cork", "Leeds", "York", "Bath",
    "Basel", "Bruges", "Seville", "Genoa", "Trier", "Lille", "Nantes", "Tartu", "Kiel", "Essen",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Network:
    """Arcs as two lists of node numbers, sorted; `order`: the nodes from first to last."""

    tail: list[int]
    head: list[int]
    order: list[int]

    def walk(self, rng: Random, start: int) -> list[int]:
        """The arcs, by index, of a random way along forward arcs from `start` to the last node."""
        place = {node: position for position, node in enumerate(self.order)}
        arcs: list[int] = []
        while start != self.order[-1]:
            onward = [k for k, p in enumerate(self.tail) if p == start and place[self.head[k]] > place[start]]
            arcs.append(rng.choice(onward))
            start = self.head[arcs[-1]]
        return arcs


def draw(rng: Random, nodes: int, extra: int, reach: int, backward: float = 0.0) -> Network:
    """extra: how many arcs to put beside those that every node needs, as far as there is room for them.

    reach: how far apart in the order the ends of an arc may be; backward: the share of the extra arcs that run against
    the order, and so make cycles.
    """
    last = nodes - 1
    pairs = {(rng.randrange(max(0, j - reach), j), j) for j in range(1, nodes)}
    pairs |= {(i, rng.randint(i + 1, min(last, i + reach))) for i in range(last)}
    wanted = len(pairs) + extra
    for _ in range(20 * extra):
        if len(pairs) == wanted:
            break
        i, j = sorted(rng.sample(range(nodes), 2))
        j = min(j, i + reach)
        pairs.add((j, i) if chance(rng, backward) and i > 0 and j < last else (i, j))
    order = rng.sample(range(1, nodes + 1), nodes)
    arcs = sorted((order[i], order[j]) for i, j in pairs)
    return Network([tail for tail, _ in arcs], [head for _, head in arcs], order)


def net_outflow(x: list[int], data: dict, node: int) -> dict[int, int]:
    """Terms of a row: what leaves the node less what enters it; x: the variable of each arc."""
    return {v: (p == node) - (q == node) for v, p, q in zip(x, data["tail"], data["head"], strict=True)}


def ends(data: dict, arc: Axis, node: str) -> list[Fact]:
    """The facts that say from where to where each arc runs: symbols a and b."""
    return [
        Fact(
            "a", data["tail"], f"{node} where the {arc.singular} starts", ("tail", "from", "start"), (arc,), kind=PLACE
        ),
        Fact("b", data["head"], f"{node} where the {arc.singular} ends", ("head", "to", "end"), (arc,), kind=PLACE),
    ]
