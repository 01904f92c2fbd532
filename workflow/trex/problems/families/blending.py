"""Blending: how much of each ingredient to mix so that all needs are met, at the least cost."""

from random import Random

from trex.problems.family import (
    AMOUNT,
    MONEY,
    SHARE,
    Axis,
    Fact,
    Family,
    Story,
    WordRow,
    WordStory,
    chance,
    dot,
    matrix,
    numbers,
    size,
)  # fmt: skip
from trex.problems.ir import Model
from trex.problems.voice import Voice

ACTORS = ("A farm", "A lab", "A mill", "A small firm", "A cooperative", "A works", "A family business")
# What is mixed, out of what, with what in it.
SCENES = (
    (
        "feed",
        ("corn", "oats", "hay", "bran", "soy", "barley", "clover", "beet", "peas", "malt", "rye", "millet"),
        ("protein", "fiber", "fat", "iron", "calcium", "salt", "starch"),
    ),
    (
        "muesli",
        ("nuts", "dates", "figs", "seeds", "oats", "raisins", "bran", "honey", "flakes", "plums", "spelt", "cocoa"),
        ("protein", "fiber", "energy", "zinc", "iron", "sugar", "fat"),
    ),
    (
        "soil",
        ("peat", "sand", "bark", "loam", "ash", "compost", "clay", "straw", "lava", "coir", "chips", "marl"),
        ("nitrogen", "lime", "carbon", "iron", "potash", "humus", "water"),
    ),
    (
        "alloy",
        ("scrap", "ore", "slag", "coke", "dust", "ingots", "plates", "wire", "pipes", "rails", "cans", "cast iron"),
        ("nickel", "zinc", "carbon", "chrome", "tin", "copper", "silicon"),
    ),
    (
        "paint",
        ("oil", "resin", "chalk", "wax", "ink", "latex", "talc", "glue", "lacquer", "soot", "ocher", "alcohol"),
        ("gloss", "color", "body", "binder", "solvent", "dryer", "filler"),
    ),
    (
        "soup",
        ("rice", "beans", "milk", "fish", "eggs", "leek", "carrots", "lentils", "celery", "onions", "pasta", "beef"),
        ("protein", "iron", "zinc", "energy", "fiber", "salt", "fat"),
    ),
)  # fmt: skip
UNITS = ("kg", "tons", "pounds")
ONE = {"kg": "kg", "tons": "ton", "pounds": "pound"}
AMOUNTS, SHARES = "amounts", "shares"  # what is needed of something: so much of it, or that share of the blend


class Blending(Family):
    name = "blending"
    bucket = "blending"
    note = (
        "A blend mixes ingredients so that the whole has enough of everything. There is one variable per ingredient, "
        "its amount, and the objective adds up amount times cost. Where amounts are needed, each need has one row: "
        "content per unit times amount, summed over the ingredients, is at least the need. Where a share of the blend "
        "is needed, the right side is that share of the total amount, which is a sum of variables too: bring it to "
        "the left, and each coefficient becomes content minus share. The total is exact, limited or free, as told; "
        "stock bounds one variable. Typical mistakes are to average contents, to drop the total, and to read the "
        "table by the wrong side."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        ingredients = size(difficulty, rng.randint(2, 3), rng.randint(4, 8), rng.randint(15, 35), rng.randint(150, 300))
        needs = size(difficulty, rng.randint(1, 2), rng.randint(2, 3), rng.randint(3, 6), rng.randint(5, 7))
        integer = chance(rng, size(difficulty, 40, 30, 20, 0) / 100)
        if integer and difficulty == "large":  # whole units and many needs are a long search
            needs = 2
        basis = SHARES if chance(rng, size(difficulty, 15, 30, 35, 35) / 100) else AMOUNTS
        low, high = size(difficulty, (1, 9), (1, 12), (1, 30), (5, 60))
        content = matrix(rng, needs, ingredients, *((5, 60) if basis == SHARES else (low, high)))
        mix = numbers(rng, ingredients, *size(difficulty, (1, 8), (1, 9), (1, 12), (1, 20)))
        total = rng.choice(("exactly", "at most")) if chance(rng, size(difficulty, 20, 35, 50, 50) / 100) else None
        if basis == SHARES:
            needed = [max(1, dot(row, mix) // sum(mix) - rng.randint(0, 2)) for row in content]
            total = "exactly"
        else:
            needed = [dot(row, mix) - rng.randint(0, size(difficulty, 6, 9, 30, 90)) for row in content]
        worth = [sum(column) * rng.randint(60, 140) // (100 * needs) for column in zip(*content, strict=True)]
        stocked = chance(rng, size(difficulty, 10, 25, 40, 60) / 100)
        return {
            "cost": [max(2, value + rng.randint(0, 5)) for value in worth],
            "content": content,
            "needed": [max(1, least) for least in needed],
            "basis": basis,
            "total": sum(mix) if total else None,
            "total_is": total,
            "stock": [amount + rng.randint(0, 2 * amount) for amount in mix] if stocked else None,
            "integer": integer,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["cost"]))]
        for row, least in zip(data["content"], data["needed"], strict=True):
            if data["basis"] == SHARES:
                model.add_row({j: content - least for j, content in zip(x, row, strict=True)}, lb=0)
            else:
                model.add_row(dict(zip(x, row, strict=True)), lb=least)
        if data["total"]:
            least = data["total"] if data["total_is"] == "exactly" else float("-inf")
            model.add_row(dict.fromkeys(x, 1), lb=least, ub=data["total"])
        for j, limit in enumerate(data["stock"] or []):
            model.add_row({x[j]: 1}, ub=limit)
        model.set_objective("min", dict(zip(x, data["cost"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        product, ingredients, needs = voice.scene(SCENES)
        units = voice.unit(UNITS)
        actor, unit = voice.scene(ACTORS), ONE[units]
        ingredient = Axis("ingredient", "ingredients", voice.names(ingredients, len(data["cost"])))
        need = Axis("need", "needs", voice.names(needs, len(data["content"])))
        shares = data["basis"] == SHARES
        content, each = ("content", "{} content") if shares else (f"content per {unit}", f"{{}} per {unit}")
        least = f"least share of the {product}" if shares else "least amount needed"
        kind = SHARE if shares else AMOUNT
        keys = ("content", "grade", "share", "yields")
        facts = [
            Fact("c", data["cost"], f"cost per {unit}", ("cost", "price", "rates"), (ingredient,), kind=MONEY),
            Fact("a", data["content"], content, keys, (need, ingredient), each, kind=kind),
            Fact("n", data["needed"], least, ("needed", "minimum", "least", "target"), (need,), kind=kind),
        ]
        if data["stock"]:
            label = f"number of {units} in stock"
            facts.append(Fact("s", data["stock"], label, ("stock", "available", "supply"), (ingredient,)))
        if data["total"]:
            most = "largest " if data["total_is"] == "at most" else ""
            facts.append(
                Fact("w", data["total"], f"{most}number of {units} of {product}", ("total", "weight", "batch"))
            )
        intro = (f"{actor} mixes {product} from {{ingredients}}.", f"{actor} makes {product} out of {{ingredients}}.")
        return Story(
            intro=voice.phrase(intro, (f"How much of {{ingredients}} goes into the {product} of {actor.lower()}?",)),
            facts=tuple(facts),
            rules=(*self.rules(data, product, units, voice), self.kind_rule(data, units, voice)),
            goal=self.goal(voice),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per ingredient",
        )

    def rules(self, data: dict, product: str, units: str, voice: Voice) -> list[str]:
        usual = (
            "Every need must be met or exceeded.",
            f"The {product} must have at least what is needed of everything.",
        )
        rules = [voice.phrase(usual, (f"Of nothing that is needed may the {product} have less.",))]
        if data["total"]:
            amount = data["total_is"]
            usual = (f"Mix {amount} the number of {units} given.", f"The amounts add up to {amount} the {units} given.")
            told = "neither more nor less than" if amount == "exactly" else "no more than"
            rules.append(voice.phrase(usual, (f"All amounts together are {told} the {units} named.",)))
        if data["stock"]:
            usual = ("No more than the stock can be used.", "Amounts are limited by the stock.")
            rules.append(voice.phrase(usual, ("What is not in stock cannot be had.",)))
        return rules

    def kind_rule(self, data: dict, units: str, voice: Voice) -> str:
        if data["integer"]:
            usual = (f"Only whole {units} are used.", f"Use whole {units}.")
            return voice.phrase(usual, (f"The {ONE[units]} is the smallest amount of any ingredient.",))
        usual = ("Fractions are allowed.", f"Any fraction of a {ONE[units]} may be used.")
        return voice.phrase(usual, (f"Parts of a {ONE[units]} can be weighed out too.",))

    def goal(self, voice: Voice) -> str:
        return voice.phrase(("Minimize total cost.", "Find the lowest cost."), ("The mixture should come cheap.",))

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        row = "sum((i - v) * j for i, j in zip(r, x)) >= 0"
        if data["basis"] == AMOUNTS:
            row = "sum(i * j for i, j in zip(r, x)) >= v"
        lines = [
            f"x = [{variable}({'lb=0, ub=v) for v in s]' if data['stock'] else 'lb=0) for _ in c]'}",
            "for r, v in zip(a, n):",
            f"    m.add_linear_constraint({row})",
        ]
        if data["total"]:
            lines.append(f"m.add_linear_constraint(sum(x) {'==' if data['total_is'] == 'exactly' else '<='} w)")
        return [*lines, "m.minimize(sum(i * j for i, j in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        bound = "0 <= x_j <= s_j" if data["stock"] else "x_j >= 0"
        lines = [
            f"x_j = amount of ingredient j, {bound}, {'integer' if data['integer'] else 'continuous'}",
            "min sum_j c_j x_j",
            f"sum_j {'(a_ij - n_i) x_j >= 0' if data['basis'] == SHARES else 'a_ij x_j >= n_i'} for each need i",
        ]
        if data["total"]:
            lines.append(f"sum_j x_j {'=' if data['total_is'] == 'exactly' else '<='} w")
        return lines

    def word(self, data: dict, voice: Voice) -> WordStory | None:
        count = len(data["cost"])
        if count > 3 or data["basis"] == SHARES:
            return None
        product, ingredients, needs = voice.scene(SCENES)
        units = voice.unit(UNITS)
        actor, unit = voice.scene(ACTORS), ONE[units]
        ingredients, needs = voice.names(ingredients, count), voice.names(needs, len(data["needed"]))
        rows = []
        for need, content, needed in zip(needs, data["content"], data["needed"], strict=True):
            parts = ", ".join(f"{name} {voice.number(n)}" for name, n in zip(ingredients, content, strict=True))
            least = voice.number(needed)
            usual = (
                f"Of {need}, a {unit} has: {parts}; at least {least} in all is needed.",
                f"{need.capitalize()} per {unit}: {parts}, with at least {least} needed in total.",
            )
            rows.append(
                voice.phrase(usual, (f"A {unit} brings, of {need}, {parts}, and less than {least} will not do.",))
            )
        if data["total"]:
            told = f"{data['total_is']} {voice.number(data['total'])} {units}"
            usual = (f"The total is {told}.", f"Mix {told} in all.")
            rows.append(voice.phrase(usual, (f"Taken together, all ingredients are {told}.",)))
        most = [voice.number(limit) for limit in data["stock"] or []]
        for name, limit in zip(ingredients, most, strict=False):
            usual = (f"Of {name}, at most {limit} {units} are in stock.", f"Use at most {limit} {units} of {name}.")
            rows.append(voice.phrase(usual, (f"No more than {limit} {units} of {name} can be had.",)))
        costs = ", ".join(f"{name} {voice.money(n)}" for name, n in zip(ingredients, data["cost"], strict=True))
        made = f"{product} from {' and '.join(ingredients)}"
        heldout = (f"From {' and '.join(ingredients)} comes the {product} of {actor.lower()}.",)
        return WordStory(
            intro=voice.phrase((f"{actor} mixes {made}.", f"{actor} makes {made}."), heldout),
            rows=tuple(map(WordRow, rows)),
            objective=voice.phrase(
                (f"A {unit} costs: {costs}.", f"Cost per {unit}: {costs}."), (f"One pays for a {unit}: {costs}.",)
            ),
            ending=f"{self.kind_rule(data, units, voice)} {self.goal(voice)}",
        )


FAMILY = Blending()
