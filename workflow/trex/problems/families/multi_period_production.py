"""Production over several periods: products share each period's capacity, and stock bridges from one to the next."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, dot, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

PERIODS = {
    "week": "weeks",
    "month": "months",
    "quarter": "quarters",
    "day": "days",
    "shift": "shifts",
    "season": "seasons",
}
FURNITURE = ("chairs", "desks", "beds", "shelves", "stools", "benches", "tables", "chests", "cribs", "racks", "sofas")
MACHINES = ("pumps", "fans", "motors", "valves", "gears", "drills", "saws", "mixers", "presses", "lathes", "winches")
CLOTHES = ("shirts", "coats", "skirts", "vests", "gowns", "scarves", "socks", "caps", "jackets", "gloves", "robes")
DEVICES = ("radios", "phones", "tablets", "lamps", "clocks", "cameras", "printers", "routers", "scales", "toasters")
POTTERY = ("vases", "bowls", "plates", "cups", "jugs", "tiles", "pots", "trays", "urns", "basins", "mugs", "dishes")
TOYS = ("dolls", "trains", "robots", "kites", "drums", "puzzles", "blocks", "yoyos", "castles", "planes", "tops")
SCENES = (
    ("A joiner makes", FURNITURE, "saw"),
    ("A workshop plans", MACHINES, "assembly"),
    ("A sewing room makes", CLOTHES, "sewing"),
    ("An electronics plant builds", DEVICES, "line"),
    ("A pottery makes", POTTERY, "kiln"),
    ("A toy factory builds", TOYS, "press"),
)


class MultiPeriodProduction(Family):
    name = "multi_period_production"
    bucket = "production_planning"
    note = (
        "In a production plan over several periods, each product has two variables a period: how much is made, and how "
        "much is in stock at the period's end. The balance ties the periods together: stock from before plus "
        "production equals demand plus new stock. The stock before the first period is data, or zero. All products "
        "share the hours of a period; overtime is a variable of its own with a limit and a price, added to the regular "
        "hours on the right side. The objective adds making, holding and overtime. Typical mistakes: to forget the "
        "opening stock or count it in every period, to pay for stock at the start of a period when the text says its "
        "end, to require production to meet each period's demand by itself, which forbids building ahead, and to let "
        "overtime be free or without limit."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        products = size(difficulty, rng.randint(1, 2), 2, rng.randint(3, 4), rng.randint(8, 14))
        periods = size(difficulty, 3 if products == 1 else 2, rng.randint(3, 4), rng.randint(5, 8), rng.randint(10, 20))
        low, high = size(difficulty, (2, 20), (3, 40), (10, 99), (100, 400))
        demand = matrix(rng, products, periods, low, high)
        by_hours = chance(rng, size(difficulty, 10, 60, 70, 70) / 100)
        hours = numbers(rng, products, 1, size(difficulty, 4, 5, 6, 6)) if by_hours else None
        initial = numbers(rng, products, 1, low) if chance(rng, size(difficulty, 20, 40, 50, 50) / 100) else None
        room = capacities(rng, demand, hours or [1] * products, high)
        overtime = by_hours and chance(rng, size(difficulty, 0, 35, 50, 50) / 100)
        regular = [max(1, round(v * 0.8)) for v in room] if overtime else room
        varying = chance(rng, size(difficulty, 10, 30, 40, 40) / 100)
        price = size(difficulty, (5, 30), (5, 40), (10, 60), (20, 60))
        base = numbers(rng, products, *price)
        return {
            "demand": demand,
            "hours": hours,
            "capacity": regular,
            "cost": [[v + rng.randint(0, 5) for _ in range(periods)] for v in base] if varying else base,
            "varying": varying,
            "holding": numbers(rng, products, *size(difficulty, (1, 4), (1, 5), (1, 6), (8, 15))),
            "initial": initial,
            "overtime": [v - r + rng.randint(1, 5) for v, r in zip(room, regular, strict=True)] if overtime else None,
            "overtime_cost": rng.randint(*size(difficulty, (2, 9), (2, 9), (3, 12), (9, 30))) if overtime else None,
            "integer": chance(rng, size(difficulty, 50, 50, 30, 0) / 100) and not (by_hours and difficulty == "large"),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        products, periods = range(len(data["demand"])), range(len(data["capacity"]))
        kind = "integer" if data["integer"] else "continuous"
        x = [[model.add_variable(f"x{p}_{t}", kind) for t in periods] for p in products]
        s = [[model.add_variable(f"s{p}_{t}", kind) for t in periods] for p in products]
        cost = {}
        for p in products:
            for t in periods:
                before = {s[p][t - 1]: 1} if t else {}
                start = data["initial"][p] if data["initial"] and not t else 0
                need = data["demand"][p][t] - start
                model.add_row(before | {x[p][t]: 1, s[p][t]: -1}, lb=need, ub=need)
                cost[x[p][t]] = data["cost"][p][t] if data["varying"] else data["cost"][p]
                cost[s[p][t]] = data["holding"][p]
        hours = data["hours"] or [1] * len(products)
        for t in periods:
            used = {x[p][t]: hours[p] for p in products}
            if data["overtime"]:
                extra = model.add_variable(f"o{t}", ub=data["overtime"][t])
                used[extra] = -1
                cost[extra] = data["overtime_cost"]
            model.add_row(used, ub=data["capacity"][t])
        model.set_objective("min", cost)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        lead, things, machine = voice.scene(SCENES)
        singular = voice.unit(tuple(PERIODS))
        plural = PERIODS[singular]
        count = len(data["capacity"])
        product = Axis("product", "products", voice.names(things, len(data["demand"])))
        period = Axis(singular, plural, tuple(f"{singular} {t + 1}" for t in range(count)))
        return Story(
            intro=voice.phrase(
                (f"{lead} {{products}} over {{{plural}}}.", f"{lead} {{products}}; the plan covers {{{plural}}}."),
                (f"For {{{plural}}} a plan is needed. {lead} {{products}}.",),
            ),
            facts=facts(data, product, period, machine),
            rules=rules(data, singular, machine, voice),
            goal=voice.phrase(
                ("Minimize the total cost of the plan.", "Find the plan of least total cost."),
                ("What plan costs the least over the whole time?",),
            ),
            variables=f"production and closing stock per product and {singular}, "
            f"{'integer' if data['integer'] else 'continuous'}"
            + (f"; overtime per {singular}, continuous" if data["overtime"] else ""),
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        opening = "o" if data["initial"] else 0
        start = "for r, q, v, o in zip(x, s, d, a):" if data["initial"] else "for r, q, v in zip(x, s, d):"
        lines = [f"{name} = [[{variable}(lb=0) for _ in k] for _ in d]" for name in "xs"]
        lines += [
            start,
            "    for t in range(len(k)):",
            f"        m.add_linear_constraint((q[t - 1] if t else {opening}) + r[t] == v[t] + q[t])",
        ]
        used = "sum(i * j for i, j in zip(h, r))" if data["hours"] else "sum(r)"
        if data["overtime"]:
            lines.append("z = [m.add_variable(lb=0, ub=v) for v in u]")
            lines += ["for r, v, o in zip(zip(*x), k, z):", f"    m.add_linear_constraint({used} <= v + o)"]
        else:
            lines += ["for r, v in zip(zip(*x), k):", f"    m.add_linear_constraint({used} <= v)"]
        if data["varying"]:
            making = "sum(i * j for r, q in zip(c, x) for i, j in zip(r, q))"
        else:
            making = "sum(i * sum(r) for i, r in zip(c, x))"
        extra = " + f * sum(z)" if data["overtime"] else ""
        return [*lines, f"m.minimize({making} + sum(i * sum(r) for i, r in zip(b, s)){extra})"]

    def formulation(self, data: dict) -> list[str]:
        kind = "integer" if data["integer"] else "continuous"
        extra = ", overtime 0 <= z_t <= u_t, continuous" if data["overtime"] else ""
        cost = "c_pt" if data["varying"] else "c_p"
        h = "h_p " if data["hours"] else ""
        return [
            f"x_pt >= 0 made and s_pt >= 0 in stock at the end of period t, of product p, {kind}{extra}",
            f"min sum_pt {cost} x_pt + sum_pt b_p s_pt{' + f sum_t z_t' if data['overtime'] else ''}",
            f"s_p,t-1 + x_pt = d_pt + s_pt for each p and t, with s_p0 = {'a_p' if data['initial'] else 0}",
            f"sum_p {h}x_pt <= k_t{' + z_t' if data['overtime'] else ''} for each t",
        ]


def capacities(rng: Random, demand: list[list[int]], hours: list[int], high: int) -> list[int]:
    """Enough for a plan that makes some of the demand ahead of its period, and little more."""
    plan = [list(row) for row in demand]
    for row in plan:
        for t in range(1, len(row)):
            if chance(rng, 0.6):
                units = rng.randint(0, row[t] // 2)
                row[t] -= units
                row[rng.randint(max(0, t - 3), t - 1)] += units
    load = [dot(hours, list(column)) for column in zip(*plan, strict=True)]
    return [v + rng.randint(0, max(1, high // 8)) for v in load]


def facts(data: dict, product: Axis, period: Axis, machine: str) -> tuple[Fact, ...]:
    hours, both = f"{machine} hours", (product, period)
    table = "cost of making one of the {}"
    cost_axes = both if data["varying"] else (product,)
    found = [
        Fact("d", data["demand"], "demand", ("demand", "orders", "sales", "needs"), both, "demand for {}"),
        Fact("c", data["cost"], "cost per unit made", ("cost", "unit_cost", "making"), cost_axes, table, kind=MONEY),
        Fact(
            "b",
            data["holding"],
            f"cost per unit in stock at the end of a {period.singular}",
            ("holding", "stock_cost", "storage", "carry"),
            (product,),
            kind=MONEY,
        ),
    ]
    if data["hours"]:
        found.append(Fact("h", data["hours"], f"{hours} per unit", ("hours", "time", "use"), (product,)))
    label = f"regular {hours}" if data["overtime"] else f"{hours} available"
    label = label if data["hours"] else "total number of units that can be made"
    found.append(Fact("k", data["capacity"], label, ("capacity", "available", "limit", "regular"), (period,)))
    if data["overtime"]:
        label = f"largest number of overtime {hours}"
        found.append(Fact("u", data["overtime"], label, ("overtime", "extra", "overtime_limit"), (period,)))
        keys = ("overtime_cost", "extra_cost", "rate")
        found.append(Fact("f", data["overtime_cost"], "extra cost per overtime hour", keys, kind=MONEY))
    if data["initial"]:
        found.append(Fact("a", data["initial"], "opening stock", ("initial", "opening", "start"), (product,)))
    return tuple(found)


def rules(data: dict, singular: str, machine: str, voice: Voice) -> tuple[str, ...]:
    found = [
        voice.phrase(
            (
                f"Units not sold go into stock, and demand of each {singular} is met from production and stock.",
                f"Each {singular}'s demand is met in time, from what is made then or from stock.",
            ),
            (f"No {singular} may leave demand open; what was made before can serve it from stock.",),
        )
    ]
    if not data["initial"]:
        empty = ("There is no stock at the start.", "The stock is empty at first.")
        found.append(voice.phrase(empty, ("One begins without stock.",)))
    found.append(whole(data["integer"], voice))
    return tuple(found)


def whole(integer: bool, voice: Voice) -> str:
    if integer:
        usual = ("Make whole units only.", "Production is in whole units.")
        return voice.phrase(usual, ("No unit may be left half made.",))
    usual = ("Parts of units may be made.", "Fractions of a unit are fine.")
    return voice.phrase(usual, ("Production need not be in whole numbers.",))


FAMILY = MultiPeriodProduction()
