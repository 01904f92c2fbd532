"""Blending: how much of each ingredient to mix so that all needs are met, at the least cost."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, WordStory, chance, dot, matrix, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A farm mixes feed from", ("corn", "oats", "hay", "bran", "soy"), ("protein", "fiber", "fat", "iron")),
    ("A kitchen plans meals of", ("rice", "beans", "milk", "fish", "eggs"), ("protein", "iron", "zinc", "energy")),
    ("A nursery blends soil from", ("peat", "sand", "bark", "loam", "ash"), ("nitrogen", "lime", "carbon", "iron")),
    ("A mill blends alloy from", ("scrap", "ore", "slag", "coke", "dust"), ("nickel", "zinc", "carbon", "chrome")),
    ("A team packs snacks of", ("nuts", "dates", "figs", "seeds", "oats"), ("protein", "fiber", "energy", "zinc")),
    ("A lab mixes paint from", ("oil", "resin", "chalk", "wax", "ink"), ("gloss", "color", "body", "binder")),
)


class Blending(Family):
    name = "blending"
    bucket = "blending"

    def draw(self, rng: Random, difficulty: str) -> dict:
        ingredients = size(difficulty, 2, 3, rng.randint(4, 5))
        needs = size(difficulty, rng.randint(1, 2), rng.randint(2, 3), rng.randint(3, 4))
        content = matrix(rng, needs, ingredients, 1, 9)
        mix = numbers(rng, ingredients, 1, 8)
        total = rng.choice(("exactly", "at most")) if chance(rng, size(difficulty, 20, 35, 50) / 100) else None
        return {
            "cost": numbers(rng, ingredients, 2, 40),
            "content": content,
            "needed": [dot(row, mix) - rng.randint(0, 6) for row in content],
            "total": sum(mix) if total else None,
            "total_is": total,
            "integer": chance(rng, 0.4),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["cost"]))]
        for row, least in zip(data["content"], data["needed"], strict=True):
            model.add_row(dict(zip(x, row, strict=True)), lb=least)
        if data["total"]:
            least = data["total"] if data["total_is"] == "exactly" else float("-inf")
            model.add_row(dict.fromkeys(x, 1), lb=least, ub=data["total"])
        model.set_objective("min", dict(zip(x, data["cost"], strict=True)))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        lead, ingredients, needs = rng.choice(SCENES)
        ingredient = Axis("ingredient", "ingredients", tuple(rng.sample(ingredients, len(data["cost"]))))
        need = Axis("need", "needs", tuple(rng.sample(needs, len(data["content"]))))
        facts = [
            Fact("c", data["cost"], "cost per kg", ("cost", "price", "rates", "expense"), (ingredient,)),
            Fact(
                "a",
                data["content"],
                "content per kg",
                ("content", "grade", "share", "yields"),
                (need, ingredient),
                "{} per kg",
            ),
            Fact("n", data["needed"], "needed at least", ("needed", "minimum", "least", "target"), (need,)),
        ]
        if data["total"]:
            facts.append(Fact("w", data["total"], f"total kg, {data['total_is']}", ("total", "weight", "batch")))
        return Story(
            intro=rng.choice((f"{lead} {{ingredients}}.", f"{lead} {{ingredients}} and wants it cheap.")),
            facts=tuple(facts),
            rules=(self.kind_rule(data, rng),),
            goal=rng.choice(("Minimize total cost.", "Find the lowest cost.")),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per ingredient",
        )

    def kind_rule(self, data: dict, rng: Random) -> str:
        whole = ("Only whole kg are used.", "Use whole kg.")
        parts = ("Fractions are allowed.", "Any fraction of a kg may be used.")
        return rng.choice(whole if data["integer"] else parts)

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        lines = [
            f"x = [{variable}(lb=0) for _ in c]",
            "for r, v in zip(a, n):",
            "    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) >= v)",
        ]
        if data["total"]:
            lines.append(f"m.add_linear_constraint(sum(x) {'==' if data['total_is'] == 'exactly' else '<='} w)")
        return [*lines, "m.minimize(sum(i * j for i, j in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            f"x_j = kg of ingredient j, x_j >= 0, {'integer' if data['integer'] else 'continuous'}",
            "min sum_j c_j x_j",
            "sum_j a_ij x_j >= n_i for each need i",
        ]
        if data["total"]:
            lines.append(f"sum_j x_j {'=' if data['total_is'] == 'exactly' else '<='} w")
        return lines

    def word(self, data: dict, rng: Random) -> WordStory | None:
        count = len(data["cost"])
        if count > 3:
            return None
        lead, ingredients, needs = rng.choice(SCENES)
        ingredients, needs = rng.sample(ingredients, count), rng.sample(needs, len(data["needed"]))
        rows = []
        for need, content, least in zip(needs, data["content"], data["needed"], strict=True):
            parts = ", ".join(f"{name} {amount}" for name, amount in zip(ingredients, content, strict=True))
            rows.append(f"Per kg, {parts} {need}; at least {least} {need} is needed.")
        if data["total"]:
            rows.append(f"The total weight is {data['total_is']} {data['total']} kg.")
        costs = [f"{name} {amount}" for name, amount in zip(ingredients, data["cost"], strict=True)]
        return WordStory(
            intro=f"{lead} {' and '.join(ingredients)}.",
            rows=tuple(rows),
            objective=f"A kg costs: {', '.join(costs)}.",
            ending=f"{self.kind_rule(data, rng)} {rng.choice(('Minimize total cost.', 'Find the lowest cost.'))}",
        )


FAMILY = Blending()
