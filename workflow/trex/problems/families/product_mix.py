"""Production planning: how much of each product to make from limited resources, for the most profit."""

from random import Random

from trex.problems.family import (
    MONEY,
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
)
from trex.problems.ir import Model
from trex.problems.voice import Voice

ACTORS = ("A family firm", "A cooperative", "A start-up", "A small company", "A supplier", "A new business")
# What is made, out of what.
SCENES = (
    (
        ("chairs", "tables", "desks", "beds", "stools", "shelves", "benches", "crates", "doors", "frames",
         "trunks"),
        ("wood", "paint", "labor", "steel", "glue", "varnish", "sanding", "screws", "fabric"),
    ),
    (
        ("cakes", "pies", "rolls", "tarts", "buns", "loaves", "cookies", "waffles", "muffins", "rusks",
         "pretzels"),
        ("flour", "sugar", "butter", "labor", "oven time", "eggs", "milk", "yeast", "nuts"),
    ),
    (
        ("pumps", "fans", "motors", "valves", "gears", "drills", "presses", "mixers", "winches", "lathes",
         "hoists"),
        ("steel", "copper", "power", "labor", "rubber", "brass", "testing", "wire", "oil"),
    ),
    (
        ("shirts", "coats", "skirts", "vests", "gowns", "scarves", "hats", "gloves", "socks", "belts",
         "capes"),
        ("cotton", "wool", "thread", "labor", "buttons", "dye", "lining", "ironing", "zippers"),
    ),
    (
        ("dolls", "trains", "robots", "kites", "drums", "puzzles", "boats", "castles", "blocks", "yo-yos",
         "tops"),
        ("wood", "paint", "plastic", "labor", "felt", "string", "glue", "paper", "springs"),
    ),
    (
        ("vases", "bowls", "plates", "cups", "jugs", "tiles", "lamps", "basins", "pots", "urns", "trays"),
        ("clay", "glaze", "power", "labor", "kiln time", "sand", "pigment", "water", "straw"),
    ),
    (
        ("phones", "tablets", "laptops", "radios", "cameras", "clocks", "scanners", "routers", "printers",
         "speakers"),
        ("glass", "copper", "chips", "labor", "plastic", "solder", "tin", "testing", "cables"),
    ),
)  # fmt: skip


class ProductMix(Family):
    name = "product_mix"
    bucket = "production_planning"
    note = (
        "A product mix shares scarce resources among products. There is one variable per product, the amount made, "
        "whole when only whole units can be sold, and the objective adds up profit per unit times amount. Each "
        "resource has one row: what a unit of each product takes of it, times the amounts, is at most what is "
        "available. A limit of sales is an upper bound of one variable, a promised amount a lower bound; neither is a "
        "sum. Typical mistakes are to read the table of uses by the wrong side, to make one row per product instead "
        "of one per resource, to add amounts of different resources, and to forget that whole units are asked for."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        products = size(difficulty, rng.randint(2, 3), rng.randint(4, 10), rng.randint(15, 32), rng.randint(150, 300))
        resources = size(difficulty, rng.randint(1, 2), rng.randint(2, 4), rng.randint(3, 5), rng.randint(5, 9))
        integer = chance(rng, size(difficulty, 60, 60, 50, 30) / 100)
        if integer and difficulty == "industrial":  # whole units and many resources are a long search
            resources = 2
        use = matrix(rng, resources, products, *size(difficulty, (1, 9), (1, 12), (1, 30), (5, 60)))
        plan = numbers(rng, products, *size(difficulty, (1, 9), (1, 12), (1, 12), (1, 30)))
        capped = chance(rng, size(difficulty, 20, 35, 60, 80) / 100)
        promised = chance(rng, size(difficulty, 5, 20, 25, 30) / 100)
        spare = size(difficulty, 6, 9, 20, 100)
        return {
            "profit": numbers(rng, products, *size(difficulty, (3, 60), (3, 80), (5, 90), (10, 99))),
            "use": use,
            "available": [dot(row, plan) + rng.randint(0, spare) for row in use],
            "sales_limit": [units + rng.randint(0, 2 + units) for units in plan] if capped else None,
            "promised": [rng.randint(1, max(1, units // 2)) for units in plan] if promised else None,
            "integer": integer,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["profit"]))]
        for row, limit in zip(data["use"], data["available"], strict=True):
            model.add_row(dict(zip(x, row, strict=True)), ub=limit)
        for j, limit in enumerate(data["sales_limit"] or []):
            model.add_row({x[j]: 1}, ub=limit)
        for j, least in enumerate(data["promised"] or []):
            model.add_row({x[j]: 1}, lb=least)
        model.set_objective("max", dict(zip(x, data["profit"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        actor = voice.scene(ACTORS)
        products, resources = voice.scene(SCENES)
        product = Axis("product", "products", voice.names(products, len(data["profit"])))
        resource = Axis("resource", "resources", voice.names(resources, len(data["use"])))
        profit, use = ("profit", "gain", "margin", "earnings"), ("use", "needs", "rates", "recipe")
        facts = [
            Fact("p", data["profit"], "profit per unit", profit, (product,), kind=MONEY),
            Fact("a", data["use"], "use of resources per unit", use, (resource, product), "{} per unit"),
            Fact("b", data["available"], "amount available", ("available", "stock", "limit", "supply"), (resource,)),
        ]
        if data["sales_limit"]:
            most = "largest number of units that can be sold"
            facts.append(Fact("u", data["sales_limit"], most, ("sales", "demand", "market"), (product,)))
        if data["promised"]:
            least = "least number of units, already promised"
            facts.append(Fact("o", data["promised"], least, ("promised", "orders", "contracts"), (product,)))
        intro = (f"{actor} makes {{products}}.", f"{actor} makes {{products}} from scarce resources.")
        heldout = (f"How much of {{products}} should {actor[0].lower()}{actor[1:]} produce?",)
        return Story(
            intro=voice.phrase(intro, heldout),
            facts=tuple(facts),
            rules=(self.use_rule(voice), self.kind_rule(data, voice)),
            goal=self.goal(voice),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per product",
        )

    def use_rule(self, voice: Voice) -> str:
        usual = ("No more of a resource can be used than is available.", "All products share what is available.")
        return voice.phrase(usual, ("The products together must get by with what there is of each resource.",))

    def kind_rule(self, data: dict, voice: Voice) -> str:
        if data["integer"]:
            return voice.phrase(("Only whole units count.", "Make whole units."), ("A unit cannot be made in part.",))
        return voice.phrase(("Fractions are allowed.", "Units may be fractional."), ("Parts of a unit sell as well.",))

    def goal(self, voice: Voice) -> str:
        usual = ("Maximize total profit.", "Find the highest profit.")
        return voice.phrase(usual, ("As much profit as possible should be left in the end.",))

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        made = "lb=0, ub=v) for v in u]" if data["sales_limit"] else "lb=0) for _ in p]"
        lines = [
            f"x = [{variable}({made}",
            "for r, v in zip(a, b):",
            "    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) <= v)",
        ]
        if data["promised"]:
            lines += ["for i, j in zip(o, x):", "    m.add_linear_constraint(j >= i)"]
        return [*lines, "m.maximize(sum(i * j for i, j in zip(p, x)))"]

    def formulation(self, data: dict) -> list[str]:
        bound = "0 <= x_j <= u_j" if data["sales_limit"] else "x_j >= 0"
        lines = [
            f"x_j = units of product j, {bound}, {'integer' if data['integer'] else 'continuous'}",
            "max sum_j p_j x_j",
            "sum_j a_ij x_j <= b_i for each resource i",
        ]
        return [*lines, "x_j >= o_j for each product j"] if data["promised"] else lines

    def word(self, data: dict, voice: Voice) -> WordStory | None:
        count = len(data["profit"])
        if count > 3:
            return None
        actor = voice.scene(ACTORS)
        products, resources = voice.scene(SCENES)
        products, resources = voice.names(products, count), voice.names(resources, len(data["use"]))
        rows = []
        for name, use, limit in zip(resources, data["use"], data["available"], strict=True):
            parts = ", ".join(f"{product} {voice.number(n)}" for product, n in zip(products, use, strict=True))
            most = voice.number(limit)
            usual = (
                f"Of {name}, a unit takes: {parts}; {most} in all is available.",
                f"{name.capitalize()} used by a unit: {parts}, of at most {most} in total.",
            )
            rows.append(voice.phrase(usual, (f"A unit needs, of {name}, {parts}, and there is no more than {most}.",)))
        for product, limit in zip(products, data["sales_limit"] or [], strict=False):
            most = voice.number(limit)
            usual = (f"At most {most} units of {product} can be sold.", f"Make at most {most} units of {product}.")
            rows.append(voice.phrase(usual, (f"Nobody buys more than {most} units of {product}.",)))
        for product, promised in zip(products, data["promised"] or [], strict=False):
            least = voice.number(promised)
            usual = (f"At least {least} units of {product} are promised.", f"Make at least {least} units of {product}.")
            rows.append(voice.phrase(usual, (f"No fewer than {least} units of {product} are due to a customer.",)))
        profits = ", ".join(f"{name} {voice.money(n)}" for name, n in zip(products, data["profit"], strict=True))
        made = " and ".join(products)
        heldout = (f"What amounts of {made} should {actor[0].lower()}{actor[1:]} produce?",)
        return WordStory(
            intro=voice.phrase((f"{actor} makes {made}.", f"{actor} plans to make {made}."), heldout),
            rows=tuple(map(WordRow, rows)),
            objective=voice.phrase(
                (f"The profit per unit: {profits}.", f"A unit brings this profit: {profits}."),
                (f"What is earned with a unit: {profits}.",),
            ),
            ending=f"{self.kind_rule(data, voice)} {self.goal(voice)}",
        )


FAMILY = ProductMix()
