"""Lot sizing: when to set up and how much to make, over several periods with stock."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MAKERS = (
    "A brewery makes beer",
    "A mill makes paper",
    "A dairy makes cheese",
    "A plant makes glass",
    "A press prints books",
    "A yard builds boats",
    "A works casts pipes",
)


class LotSizing(Family):
    name = "lot_sizing"
    bucket = "lot_sizing"

    def draw(self, rng: Random, difficulty: str) -> dict:
        periods = size(difficulty, 3, rng.randint(4, 5), rng.randint(6, 7))
        demand = numbers(rng, periods, 5, 40)
        start = rng.randint(1, demand[0] - 1) if chance(rng, 0.3) else None
        return {
            "demand": demand,
            "setup": rng.randint(15, 99),
            "holding": rng.randint(1, 5),
            "unit_cost": numbers(rng, periods, 1, 9) if chance(rng, size(difficulty, 25, 50, 70) / 100) else None,
            "capacity": max(demand) + rng.randint(1, 40),
            "start": start,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        periods = range(len(data["demand"]))
        x = [model.add_variable(f"make{t}") for t in periods]
        s = [model.add_variable(f"stock{t}") for t in periods]
        y = [model.add_variable(f"setup{t}", "binary") for t in periods]
        for t in periods:
            needed = data["demand"][t] - (0 if t else data["start"] or 0)
            before = {s[t - 1]: 1} if t else {}
            model.add_row(before | {x[t]: 1, s[t]: -1}, lb=needed, ub=needed)
            model.add_row({x[t]: 1, y[t]: -data["capacity"]}, ub=0)
        cost = dict(zip(x, data["unit_cost"], strict=True)) if data["unit_cost"] else {}
        model.set_objective("min", cost | dict.fromkeys(s, data["holding"]) | dict.fromkeys(y, data["setup"]))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        count = len(data["demand"])
        singular, names = rng.choice((("month", MONTHS), ("day", DAYS)))
        first = rng.randint(0, len(names) - count)
        period = Axis(singular, f"{singular}s", names[first : first + count])
        facts = [
            Fact("d", data["demand"], "demand", ("demand", "orders", "needs", "sales"), (period,)),
            Fact("f", data["setup"], f"setup cost per {singular} of production", ("setup", "fixed", "start")),
            Fact("h", data["holding"], f"holding cost per unit and {singular}", ("holding", "storage", "keep")),
            Fact("k", data["capacity"], f"capacity per {singular}", ("capacity", "limit", "maximum")),
        ]
        if data["unit_cost"]:
            facts.insert(1, Fact("c", data["unit_cost"], "cost per unit", ("cost", "price", "rates"), (period,)))
        if data["start"]:
            facts.append(Fact("q", data["start"], "stock at the start", ("initial", "stock", "opening")))
        return Story(
            intro=rng.choice(
                (
                    f"{rng.choice(MAKERS)} over {{{period.plural}}}.",
                    f"{rng.choice(MAKERS)} and plans {{{period.plural}}}.",
                )
            ),
            facts=tuple(facts),
            rules=(
                rng.choice(
                    ("Demand is met on time, stock carries over.", "Demand is met on time, the rest is stored.")
                ),
                *(() if data["start"] else ("There is no stock at the start.",)),
            ),
            goal=rng.choice(("Minimize total cost.", "Find the cheapest plan.")),
            variables=f"per {singular} production, end stock and a binary setup",
        )

    def body(self, data: dict) -> list[str]:
        cost = "sum(f * i + h * j for i, j in zip(y, s))"
        if data["unit_cost"]:
            cost += " + sum(i * j for i, j in zip(c, x))"
        return [
            "x = [m.add_variable(lb=0) for _ in d]",
            "s = [m.add_variable(lb=0) for _ in d]",
            "y = [m.add_binary_variable() for _ in d]",
            "for t, v in enumerate(d):",
            f"    m.add_linear_constraint((s[t - 1] if t else {'q' if data['start'] else 0}) + x[t] == v + s[t])",
            "    m.add_linear_constraint(x[t] <= k * y[t])",
            f"m.minimize({cost})",
        ]

    def formulation(self, data: dict) -> list[str]:
        cost = "sum_t f y_t + h s_t"
        return [
            "x_t >= 0 units made, s_t >= 0 stock at the end, y_t = 1 if set up, else 0",
            f"min {cost} + c_t x_t" if data["unit_cost"] else f"min {cost}",
            f"s_t-1 + x_t = d_t + s_t for each t, s_0 = {'q' if data['start'] else 0}",
            "x_t <= k y_t for each t",
        ]


FAMILY = LotSizing()
