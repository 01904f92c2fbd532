"""Knapsack: which items to take within one to three limits, for the highest value."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SCENES = (
    (
        "A hiker packs",
        ("tent", "rope", "stove", "map", "lamp", "soup", "boots", "axe", "radio", "tarp", "knife", "mat"),
    ),
    ("A ship loads", ("silk", "tea", "tin", "wool", "rum", "salt", "rice", "oil", "corn", "coal", "wax", "cocoa")),
    ("A rocket lifts", ("probe", "rover", "seeds", "laser", "dish", "pump", "cells", "glove", "robot", "arm", "lens")),
    ("A museum lends", ("vase", "mask", "coin", "sword", "chart", "statue", "crown", "ring", "clock", "globe", "harp")),
    ("A truck carries", ("sofa", "desk", "piano", "bed", "table", "chair", "oven", "shelf", "mirror", "rug", "bench")),
    (
        "A relief flight brings",
        ("water", "flour", "beans", "soap", "drugs", "blankets", "fuel", "milk", "nets", "tools"),
    ),
    (
        "A trader takes",
        ("pots", "cloth", "beads", "spice", "shoes", "hats", "paper", "glass", "honey", "furs", "dates"),
    ),
)
# Symbols of use and limit; label and unit of the use (the first has several); keys of use and limit.
LIMITS = (
    ("w", "b", "weight", None, ("weight", "mass", "load"), ("limit", "capacity", "maximum")),
    ("g", "h", "volume", "liters", ("volume", "space", "bulk"), ("room", "size", "hold")),
    ("e", "f", "packing time", "minutes", ("minutes", "time", "packing"), ("available", "shift", "hours")),
)
LIMITS_DRAWN = {"small": (85, 15, 0), "medium": (60, 30, 10), "large": (45, 35, 20), "industrial": (45, 35, 20)}
COPIES = ("once", "bounded", "any")


class Knapsack(Family):
    name = "knapsack"
    bucket = "knapsack"
    note = (
        "A knapsack problem picks things that compete for room. There is one variable per item: binary when an item "
        "is taken or left, integer with an upper bound when a few copies of it exist, integer without one when copies "
        "are plentiful. The objective adds up the values of what is taken. Each scarce resource, such as weight, "
        "volume or time, has one row: the use of an item times the copies taken, summed over all items, is at most "
        "the limit. Typical mistakes are to leave the variables continuous, to make them binary although several "
        "copies may be taken, to mix up values and weights, and to merge two limits into one row."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        items = size(difficulty, rng.randint(3, 4), rng.randint(6, 12), rng.randint(20, 40), rng.randint(160, 400))
        limits = rng.choices((1, 2, 3), LIMITS_DRAWN[difficulty])[0]
        if difficulty == "industrial":
            items = 2 * items // (limits + 1)
        copies = rng.choices(COPIES, (50, 25, 25))[0]
        use = [numbers(rng, items, *size(difficulty, (1, 9), (1, 20), (5, 60), (100, 500))) for _ in range(limits)]
        stock = numbers(rng, items, *size(difficulty, (1, 4), (1, 5), (1, 6), (1, 5)))
        taken = stock if copies == "bounded" else [1] * items
        full = [sum(u * t for u, t in zip(row, taken, strict=True)) for row in use]
        return {
            "value": numbers(rng, items, *size(difficulty, (3, 60), (3, 80), (5, 99), (50, 500))),
            "use": use,
            "limit": [max(max(row), round(f * rng.uniform(0.35, 0.65))) for row, f in zip(use, full, strict=True)],
            "copies": copies,
            "stock": stock if copies == "bounded" else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "binary" if data["copies"] == "once" else "integer"
        stock = data["stock"] or [float("inf")] * len(data["value"])
        x = [model.add_variable(f"x{j}", kind, ub=most) for j, most in enumerate(stock)]
        for row, limit in zip(data["use"], data["limit"], strict=True):
            model.add_row(dict(zip(x, row, strict=True)), ub=limit)
        model.set_objective("max", dict(zip(x, data["value"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        lead, pool = voice.scene(SCENES)
        item = Axis("item", "items", voice.names(pool, len(data["value"])))
        weighed_in = voice.unit(("kg", "pounds"))
        each = " per copy" if data["copies"] != "once" else ""
        facts = [Fact("v", data["value"], f"value{each}", ("value", "worth", "profit", "score"), (item,), kind=MONEY)]
        limits = []
        for (w, b, what, unit, keys, most), row, limit in zip(LIMITS, data["use"], data["limit"], strict=False):
            facts.append(Fact(w, row, f"{what}{each} in {unit or weighed_in}", keys, (item,)))
            limits.append(Fact(b, limit, f"limit on the total {what} in {unit or weighed_in}", most))
        if data["stock"]:
            facts.append(Fact("u", data["stock"], "number of copies at hand", ("copies", "stock", "pieces"), (item,)))
        intro = (f"{lead} {{items}}.", f"{lead} a choice of {{items}}.")
        return Story(
            intro=voice.phrase(intro, (f"Not everything fits: {lead[0].lower()}{lead[1:]} {{items}}, or only some.",)),
            facts=(*facts, *limits),
            rules=(self.copies_rule(data, voice),),
            goal=voice.phrase(
                ("Maximize total value.", "Find the highest value."), ("What is taken should be worth the most.",)
            ),
            variables=f"one {'binary' if data['copies'] == 'once' else 'integer'} variable per item",
        )

    def copies_rule(self, data: dict, voice: Voice) -> str:
        if data["copies"] == "once":
            usual = ("Each can be taken once or not.", "Take each at most once, whole.")
            return voice.phrase(usual, ("Every item is there once and is not divided.",))
        if data["copies"] == "any":
            usual = ("Any whole number of each is possible.", "Items can be taken several times, as whole copies.")
            return voice.phrase(usual, ("There is no end to the copies of an item, and none is divided.",))
        usual = ("Take whole copies, no more than are at hand.", "Only whole copies count, up to the number at hand.")
        return voice.phrase(usual, ("Copies stay whole, and their number at hand cannot be passed.",))

    def body(self, data: dict) -> list[str]:
        made = {
            "once": "m.add_binary_variable() for _ in v",
            "bounded": "m.add_integer_variable(lb=0, ub=i) for i in u",
            "any": "m.add_integer_variable(lb=0) for _ in v",
        }
        rows = [
            f"m.add_linear_constraint(sum(i * j for i, j in zip({w}, x)) <= {b})"
            for (w, b, *_), _ in zip(LIMITS, data["use"], strict=False)
        ]
        return [f"x = [{made[data['copies']]}]", *rows, "m.maximize(sum(i * j for i, j in zip(v, x)))"]

    def formulation(self, data: dict) -> list[str]:
        variables = {
            "once": "x_j = 1 if item j is taken, else 0",
            "bounded": "x_j = copies of item j, 0 <= x_j <= u_j, integer",
            "any": "x_j = copies of item j, x_j >= 0, integer",
        }
        rows = [f"sum_j {w}_j x_j <= {b}" for (w, b, *_), _ in zip(LIMITS, data["use"], strict=False)]
        return [variables[data["copies"]], "max sum_j v_j x_j", *rows]


FAMILY = Knapsack()
