"""Bin packing: into how few bins, or how cheap ones, all items fit."""

from random import Random

from trex.problems.family import MONEY, PLACE, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# Where, a bin, bins, an item, items, what an item takes of a bin.
SCENES = (
    ("A mover", "van", "vans", "crate", "crates", "volume"),
    ("A data centre", "disk", "disks", "file", "files", "size"),
    ("A library", "shelf", "shelves", "series", "series", "width"),
    ("A freight agent", "container", "containers", "machine", "machines", "weight"),
    ("A television station", "break", "breaks", "spot", "spots", "length"),
    ("A nursery", "bed", "beds", "shrub", "shrubs", "area"),
    ("A ferry line", "ferry", "ferries", "truck", "trucks", "weight"),
    ("A cloud firm", "host", "hosts", "service", "services", "load"),
    ("A kiln owner", "firing", "firings", "order", "orders", "area"),
)
ITEMS = (
    "Arrow", "Bell", "Crown", "Drum", "Emblem", "Flute", "Globe", "Harp", "Icon", "Jewel", "Kite", "Lamp", "Mirror",
    "Nail", "Oar", "Pipe", "Rope", "Spoon", "Torch", "Urn", "Violin", "Wheel", "Axle", "Brush",
)  # fmt: skip
BINS = ("Red", "Blue", "Green", "White", "Black", "Gold", "Silver", "Pink", "Brown", "Grey", "Orange", "Purple")
UNITS = {
    "volume": ("litres", "m3"),
    "size": ("GB", "MB", "TB"),
    "width": ("cm", "mm", "inches"),
    "weight": ("tons", "kg", "pounds"),
    "length": ("seconds", "minutes"),
    "area": ("m2", "square feet"),
    "load": ("percent of a core", "units", "GB"),
}


class BinPacking(Family):
    name = "bin_packing"
    bucket = "packing"
    note = (
        "All items have to go into bins and each bin that is used counts, by one or by its cost. A binary for each bin "
        "says whether it is used, a binary for each bin and item where the item is. Each item is in exactly one bin; "
        "the sizes of the items of a bin add up to no more than its capacity times the bin's binary, which also keeps "
        "unused bins empty. Pairs that must not meet give a row for each bin; a limit of items per bin is a plain sum. "
        "Bins that are alike make many equal solutions, so an order among them helps a solver but changes the model. "
        "Typical mistakes: a capacity row without the bin's binary, so that bins are free, an inequality where every "
        "item must be packed, and a conflict row that is written once instead of for every bin."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        while True:
            data = self.attempt(rng, difficulty)
            if first_fit(data):
                return data

    def attempt(self, rng: Random, difficulty: str) -> dict:
        bins = size(difficulty, 2, rng.randint(2, 3), rng.randint(4, 5), rng.randint(6, 8))
        items = size(difficulty, rng.randint(2, 3), rng.randint(4, 5), rng.randint(7, 10), rng.randint(24, 30))
        sizes = numbers(rng, items, *size(difficulty, (2, 20), (2, 40), (5, 60), (50, 700)))
        priced = chance(rng, 0.6)
        share = sum(sizes) / bins
        pairs = sorted({tuple(sorted(rng.sample(range(1, items + 1), 2))) for _ in range(max(1, items // 4))})
        with_pairs = difficulty != "small" and chance(rng, 0.3)
        return {
            "size": sizes,
            "capacity": [round(share * rng.uniform(0.8, 1.8)) for _ in range(bins)]
            if priced
            else round(share * rng.uniform(1.15, 1.5)),
            "cost": numbers(rng, bins, *size(difficulty, (2, 30), (5, 60), (10, 99), (200, 900))) if priced else None,
            "bins": bins,
            "conflicts": [list(ends) for ends in zip(*pairs, strict=True)] if with_pairs else None,
            "most": -(-items // bins) + rng.randint(0, 1) if items > 3 and chance(rng, 0.2) else None,
        }

    def model(self, data: dict) -> Model:
        model, bins, items = Model(), range(data["bins"]), range(len(data["size"]))
        y = [model.add_variable(f"y{b}", "binary") for b in bins]
        x = [[model.add_variable(f"x{b}_{i}", "binary") for i in items] for b in bins]
        for b in bins:
            model.add_row(dict(zip(x[b], data["size"], strict=True)) | {y[b]: -capacities(data)[b]}, ub=0)
            if data["most"]:
                model.add_row(dict.fromkeys(x[b], 1), ub=data["most"])
            for i, j in zip(*(data["conflicts"] or ((), ())), strict=True):
                model.add_row({x[b][i - 1]: 1, x[b][j - 1]: 1}, ub=1)
        for i in items:
            model.add_row({x[b][i]: 1 for b in bins}, lb=1, ub=1)
        model.set_objective("min", dict(zip(y, data["cost"] or [1 for _ in y], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, one, many, thing, things, measure = voice.scene(SCENES)
        unit = voice.unit(UNITS[measure])
        item = Axis(thing, things, voice.names(ITEMS, len(data["size"])))
        facts = [Fact("s", data["size"], f"{measure} in {unit}", ("size", "need", "amount", "measure"), (item,))]
        capacity = ("capacity", "room", "limit", "space")
        if data["cost"]:
            place = Axis(one, many, voice.names(BINS, data["bins"]))
            facts.append(Fact("c", data["capacity"], f"capacity in {unit}", capacity, (place,)))
            facts.append(
                Fact("f", data["cost"], "cost if used", ("cost", "price", "fee", "rent"), (place,), kind=MONEY)
            )
        else:
            facts.append(Fact("c", data["capacity"], f"capacity of each {one} in {unit}", capacity))
            label = f"number of {many} at hand"
            facts.append(Fact("n", data["bins"], label, ("bins", "count", "available", "number")))
        if data["conflicts"]:
            pair = Axis("conflict", "conflicts", tuple(f"conflict {n + 1}" for n in range(len(data["conflicts"][0]))))
            first, second = data["conflicts"]
            facts.append(Fact("u", first, f"first {thing} of the pair", ("first", "one", "left"), (pair,), kind=PLACE))
            facts.append(
                Fact("v", second, f"second {thing} of the pair", ("second", "other", "right"), (pair,), kind=PLACE)
            )
        if data["most"]:
            label = f"largest number of {things} per {one}"
            facts.append(Fact("k", data["most"], label, ("most", "maximum", "cap", "top")))
        to = f"{{{many}}}" if data["cost"] else f"{many}, all alike"
        return Story(
            intro=voice.phrase(
                (f"{who} has {{{things}}} to put into {to}.", f"{who} packs {{{things}}} into {to}."),
                (f"{who} must find room for {{{things}}} in {to}.",),
            ),
            facts=tuple(facts),
            rules=tuple(rules(data, voice, one, thing, things)),
            goal=goal(data, voice, many),
            variables=f"a binary per {one}, a binary per {one} and {thing}",
        )

    def body(self, data: dict) -> list[str]:
        rows, row, room = ("x, y, c", "r, o, l", "l") if data["cost"] else ("x, y", "r, o", "c")
        lines = [
            f"y = [m.add_binary_variable() for _ in {'c' if data['cost'] else 'range(n)'}]",
            "x = [[m.add_binary_variable() for _ in s] for _ in y]",
            f"for {row} in zip({rows}):",
            f"    m.add_linear_constraint(sum(i * j for i, j in zip(s, r)) <= {room} * o)",
        ]
        if data["most"]:
            lines.append("    m.add_linear_constraint(sum(r) <= k)")
        if data["conflicts"]:
            lines.append("    for i, j in zip(u, v):")
            lines.append("        m.add_linear_constraint(r[i - 1] + r[j - 1] <= 1)")
        lines += ["for r in zip(*x):", "    m.add_linear_constraint(sum(r) == 1)"]
        return [*lines, f"m.minimize({'sum(i * j for i, j in zip(f, y))' if data['cost'] else 'sum(y)'})"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            "y_b = 1 if bin b is used, else 0; x_bi = 1 if item i is in bin b, else 0",
            "min sum_b f_b y_b" if data["cost"] else "min sum_b y_b, b = 1..n",
            f"sum_i s_i x_bi <= {'c_b' if data['cost'] else 'c'} y_b for each b",
            "sum_b x_bi = 1 for each i",
        ]
        if data["most"]:
            lines.append("sum_i x_bi <= k for each b")
        return [*lines, "x_bi + x_bj <= 1 for each b and pair (i, j) in (u, v)"] if data["conflicts"] else lines


def capacities(data: dict) -> list[int]:
    return data["capacity"] if data["cost"] else [data["capacity"]] * data["bins"]


def first_fit(data: dict) -> bool:
    """Whether the largest items first, each into the fullest bin where it fits, leave none over."""
    room, inside = list(capacities(data)), [set() for _ in range(data["bins"])]
    conflicts = list(zip(*(data["conflicts"] or ((), ())), strict=True))
    for i in sorted(range(1, len(data["size"]) + 1), key=lambda i: -data["size"][i - 1]):
        apart = {a + b - i for a, b in conflicts if i in (a, b)}
        fits = [
            b
            for b in range(data["bins"])
            if room[b] >= data["size"][i - 1] and not apart & inside[b] and len(inside[b]) < (data["most"] or 999)
        ]
        if not fits:
            return False
        best = min(fits, key=lambda b: room[b])
        room[best] -= data["size"][i - 1]
        inside[best].add(i)
    return True


def rules(data: dict, voice: Voice, one: str, thing: str, things: str) -> list[str]:
    usual = (f"Each {thing} goes, whole, into exactly one {one}.", f"Every one of the {things} has to be in one {one}.")
    told = [voice.phrase(usual, (f"None of the {things} is split, and none stays behind.",))]
    if data["conflicts"]:
        usual = (
            f"The {things} are numbered from 1, and the two of a pair must not share a {one}.",
            f"The pairs give {things} by number, from 1; each pair has to be kept apart.",
        )
        told.append(voice.phrase(usual, (f"Counting the {things} from 1, no {one} may hold both of a pair.",)))
    return told


def goal(data: dict, voice: Voice, many: str) -> str:
    if data["cost"]:
        usual = (f"Minimize the total cost of the {many} used.", f"Which {many} should be used, at least total cost?")
        return voice.phrase(usual, (f"Spend as little as possible on {many}.",))
    usual = (f"Use as few {many} as possible.", f"Minimize the number of {many} used.")
    return voice.phrase(usual, (f"How many {many} are needed at least?",))


FAMILY = BinPacking()
