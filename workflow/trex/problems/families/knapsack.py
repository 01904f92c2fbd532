"""Knapsack: which items to take within one or two limits, for the highest value."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A hiker packs", ("tent", "rope", "stove", "map", "lamp", "food", "boots", "axe", "radio", "tarp")),
    ("A ship loads", ("silk", "tea", "tin", "wool", "rum", "salt", "rice", "oil", "corn", "coal")),
    ("A fund picks", ("mine", "farm", "port", "bank", "mill", "dam", "hotel", "school", "road", "rail")),
    ("A museum shows", ("vase", "mask", "coin", "sword", "map", "statue", "crown", "ring", "clock", "globe")),
    ("A truck carries", ("sofa", "desk", "piano", "bed", "table", "chair", "lamp", "stove", "mirror", "rug")),
)


class Knapsack(Family):
    name = "knapsack"
    bucket = "knapsack"

    def draw(self, rng: Random, difficulty: str) -> dict:
        items = size(difficulty, rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 9))
        limits = 2 if chance(rng, size(difficulty, 15, 35, 50) / 100) else 1
        use = [numbers(rng, items, 1, size(difficulty, 9, 15, 30)) for _ in range(limits)]
        copies = chance(rng, 0.3)
        return {
            "value": numbers(rng, items, 3, 60),
            "use": use,
            "limit": [max(max(row), round(sum(row) * rng.uniform(0.35, 0.65))) for row in use],
            "copies": copies,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["copies"] else "binary"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["value"]))]
        for row, limit in zip(data["use"], data["limit"], strict=True):
            model.add_row(dict(zip(x, row, strict=True)), ub=limit)
        model.set_objective("max", dict(zip(x, data["value"], strict=True)))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        lead, names = rng.choice(SCENES)
        item = Axis("item", "items", tuple(rng.sample(names, len(data["value"]))))
        facts = [
            Fact("v", data["value"], "value", ("value", "worth", "profit", "score"), (item,)),
            Fact("w", data["use"][0], "weight", ("weight", "mass", "load"), (item,)),
            Fact("b", data["limit"][0], "weight limit", ("limit", "capacity", "maximum")),
        ]
        if len(data["use"]) == 2:
            facts[2:2] = [Fact("g", data["use"][1], "volume", ("volume", "space", "bulk"), (item,))]
            facts.append(Fact("h", data["limit"][1], "volume limit", ("room", "size", "hold")))
        many = ("Any whole number of each is possible.", "Items can be taken several times.")
        once = ("Each can be taken once or not.", "Take each at most once, whole.")
        return Story(
            intro=rng.choice((f"{lead} {{items}}.", f"{lead} some of {{items}}.")),
            facts=tuple(facts),
            rules=(rng.choice(many if data["copies"] else once),),
            goal=rng.choice(("Maximize total value.", "Find the highest value.")),
            variables=f"one {'integer' if data['copies'] else 'binary'} variable per item",
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable(lb=0)" if data["copies"] else "m.add_binary_variable()"
        lines = [
            f"x = [{variable} for _ in v]",
            "m.add_linear_constraint(sum(i * j for i, j in zip(w, x)) <= b)",
        ]
        if len(data["use"]) == 2:
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(g, x)) <= h)")
        return [*lines, "m.maximize(sum(i * j for i, j in zip(v, x)))"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            "x_j = copies of item j, integer >= 0" if data["copies"] else "x_j = 1 if item j is taken, else 0",
            "max sum_j v_j x_j",
            "sum_j w_j x_j <= b",
        ]
        return [*lines, "sum_j g_j x_j <= h"] if len(data["use"]) == 2 else lines


FAMILY = Knapsack()
