"""Production planning: how much of each product to make from limited resources, for the most profit."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, WordStory, chance, dot, matrix, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A workshop builds", ("chair", "table", "desk", "bed", "stool"), ("wood", "paint", "labor", "steel")),
    ("A bakery makes", ("cake", "pie", "roll", "tart", "bun"), ("flour", "sugar", "butter", "labor")),
    ("A plant produces", ("pump", "fan", "motor", "valve", "gear"), ("steel", "copper", "power", "labor")),
    ("A tailor sews", ("shirt", "coat", "skirt", "vest", "gown"), ("cotton", "wool", "thread", "labor")),
    ("A toy maker sells", ("doll", "train", "robot", "kite", "drum"), ("wood", "paint", "plastic", "labor")),
    ("A studio makes", ("vase", "bowl", "plate", "cup", "jug"), ("clay", "glaze", "power", "labor")),
    ("A shop assembles", ("phone", "tablet", "laptop", "radio", "camera"), ("glass", "copper", "chips", "labor")),
)


class ProductMix(Family):
    name = "product_mix"
    bucket = "production_planning"

    def draw(self, rng: Random, difficulty: str) -> dict:
        products = size(difficulty, 2, 3, rng.randint(4, 5))
        resources = size(difficulty, rng.randint(1, 2), rng.randint(2, 3), rng.randint(3, 4))
        use = matrix(rng, resources, products, 1, 9)
        plan = numbers(rng, products, 1, 9)
        capped = chance(rng, size(difficulty, 20, 35, 50) / 100)
        return {
            "profit": numbers(rng, products, 3, 60),
            "use": use,
            "available": [dot(row, plan) + rng.randint(0, 6) for row in use],
            "sales_limit": [units + rng.randint(0, 4) for units in plan] if capped else None,
            "integer": chance(rng, 0.6),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["profit"]))]
        for row, limit in zip(data["use"], data["available"], strict=True):
            model.add_row(dict(zip(x, row, strict=True)), ub=limit)
        for j, limit in enumerate(data["sales_limit"] or []):
            model.add_row({x[j]: 1}, ub=limit)
        model.set_objective("max", dict(zip(x, data["profit"], strict=True)))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        lead, products, resources = rng.choice(SCENES)
        product = Axis("product", "products", tuple(f"{name}s" for name in rng.sample(products, len(data["profit"]))))
        resource = Axis("resource", "resources", tuple(rng.sample(resources, len(data["use"]))))
        facts = [
            Fact("p", data["profit"], "profit per unit", ("profit", "gain", "margin", "earnings"), (product,)),
            Fact(
                "a",
                data["use"],
                "use per unit",
                ("use", "needs", "rates", "recipe"),
                (resource, product),
                "{} per unit",
            ),
            Fact("b", data["available"], "available", ("available", "stock", "limit", "supply"), (resource,)),
        ]
        if data["sales_limit"]:
            facts.append(Fact("u", data["sales_limit"], "sales limit", ("sales", "demand", "market"), (product,)))
        whole = ("Only whole units count.", "Make whole units.")
        parts = ("Fractions are allowed.", "Units may be fractional.")
        return Story(
            intro=rng.choice((f"{lead} {{products}}.", f"{lead} {{products}} from scarce resources.")),
            facts=tuple(facts),
            rules=(rng.choice(whole if data["integer"] else parts),),
            goal=rng.choice(("Maximize total profit.", "Find the highest profit.")),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per product",
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        made = "lb=0, ub=v) for v in u]" if data["sales_limit"] else "lb=0) for _ in p]"
        return [
            f"x = [{variable}({made}",
            "for r, v in zip(a, b):",
            "    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) <= v)",
            "m.maximize(sum(i * j for i, j in zip(p, x)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        bound = "0 <= x_j <= u_j" if data["sales_limit"] else "x_j >= 0"
        return [
            f"x_j = units of product j, {bound}, {'integer' if data['integer'] else 'continuous'}",
            "max sum_j p_j x_j",
            "sum_j a_ij x_j <= b_i for each resource i",
        ]

    def word(self, data: dict, rng: Random) -> WordStory | None:
        count = len(data["profit"])
        if count > 3:
            return None
        lead, products, resources = rng.choice(SCENES)
        products, resources = rng.sample(products, count), rng.sample(resources, len(data["use"]))
        rows = []
        for name, use, limit in zip(resources, data["use"], data["available"], strict=True):
            parts = [f"a {product} takes {amount}" for product, amount in zip(products, use, strict=True)]
            rows.append(f"Of {name}, {', '.join(parts)}, and {limit} is available.")
        for product, limit in zip(products, data["sales_limit"] or [], strict=False):
            rows.append(f"At most {limit} {product}s can be sold.")
        profits = [f"{amount} per {product}" for product, amount in zip(products, data["profit"], strict=True)]
        whole = ("Only whole units count.", "Make whole units.")
        parts = ("Fractions are allowed.", "Units may be fractional.")
        return WordStory(
            intro=f"{lead} {' and '.join(f'{product}s' for product in products)}.",
            rows=tuple(rows),
            objective=f"The profit is {', '.join(profits)}.",
            ending=f"{rng.choice(whole if data['integer'] else parts)} "
            + rng.choice(("Maximize total profit.", "Find the highest profit.")),
        )


FAMILY = ProductMix()
