"""Lot sizing: when to set up and how much to make, over several periods with stock, and late deliveries in some."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice, letters

CALENDAR = {
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "day": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "week": (),
    "quarter": (),
}
SCENES = (
    ("A brewery makes beer", "barrel"),
    ("A mill makes paper", "roll"),
    ("A dairy makes cheese", "wheel"),
    ("A plant makes glass", "pane"),
    ("A press prints books", "box"),
    ("A yard builds boats", "hull"),
    ("A works casts pipes", "ton"),
    ("A kiln burns lime", "sack"),
    ("A refinery makes sugar", "bag"),
)


class LotSizing(Family):
    name = "lot_sizing"
    bucket = "lot_sizing"
    note = (
        "Lot sizing decides in which periods to produce when every production period costs a setup. Each period has "
        "production, stock at its end and a binary setup; when orders may be late, also a backlog. The balance row of "
        "a period says that stock before plus production equals demand plus stock after; a backlog counts as negative "
        "stock. A second row allows production only with a setup, up to the capacity; without one, the sum of all "
        "demands is a bound that cuts nothing off. Costs add up setups, holding, lateness and units. Typical mistakes "
        "are to forget the initial stock, to link stock to the wrong neighbour period, and to choose a needlessly "
        "large constant."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        periods = size(difficulty, rng.randint(2, 3), rng.randint(4, 6), rng.randint(8, 16), rng.randint(50, 70))
        demand = numbers(rng, periods, *size(difficulty, (5, 40), (5, 60), (10, 99), (20, 200)))
        late = chance(rng, size(difficulty, 15, 30, 35, 35) / 100)
        low, high = size(difficulty, (1, 5), (1, 5), (1, 6), (2, 9))
        holding = rng.randint(low, high)
        costs = numbers(rng, periods, *size(difficulty, (1, 9), (1, 9), (2, 20), (3, 30)))
        room = max(demand) + rng.randint(1, size(difficulty, 40, 60, 120, 300))
        return {
            "demand": demand,
            "setup": rng.randint(*size(difficulty, (15, 99), (20, 150), (60, 400), (150, 900))),
            "holding": holding,
            "late": holding * rng.randint(2, 4) + rng.randint(0, 3) if late else None,
            "unit_cost": costs if chance(rng, size(difficulty, 25, 50, 70, 70) / 100) else None,
            "capacity": room if chance(rng, 0.7) else None,
            "start": rng.randint(1, demand[0] - 1) if chance(rng, 0.3) else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        demand = data["demand"]
        periods = range(len(demand))
        most = data["capacity"] or sum(demand)
        x = [model.add_variable(f"make{t}") for t in periods]
        s = [model.add_variable(f"stock{t}") for t in periods]
        y = [model.add_variable(f"setup{t}", "binary") for t in periods]
        b = [model.add_variable(f"late{t}") for t in periods] if data["late"] else []
        for t in periods:
            needed = demand[t] - (0 if t else data["start"] or 0)
            terms = {x[t]: 1, s[t]: -1} | ({s[t - 1]: 1} if t else {})
            if b:
                terms |= {b[t]: 1} | ({b[t - 1]: -1} if t else {})
            model.add_row(terms, lb=needed, ub=needed)
            model.add_row({x[t]: 1, y[t]: -most}, ub=0)
        if b:
            model.add_row({b[-1]: 1}, lb=0, ub=0)
        cost = dict(zip(x, data["unit_cost"], strict=True)) if data["unit_cost"] else {}
        cost |= dict.fromkeys(s, data["holding"]) | dict.fromkeys(y, data["setup"]) | dict.fromkeys(b, data["late"])
        model.set_objective("min", cost)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        lead, unit = voice.scene(SCENES)
        singular = voice.unit(tuple(CALENDAR))
        units = "boxes" if unit == "box" else f"{unit}s"
        period = Axis(singular, f"{singular}s", self.calendar(singular, len(data["demand"]), voice))
        intro = (f"{lead} over {{{period.plural}}}.", f"{lead} and plans {{{period.plural}}}.")
        return Story(
            intro=voice.phrase(intro, (f"{lead} and looks ahead at {{{period.plural}}}.",)),
            facts=self.facts(data, unit, units, period),
            rules=self.rules(data, unit, singular, voice),
            goal=voice.phrase(
                ("Minimize total cost.", "Find the cheapest plan."), ("All of this should cost as little as can be.",)
            ),
            variables=f"per {singular} production, end stock, {'backlog ' if data['late'] else ''}and a binary setup",
        )

    def facts(self, data: dict, unit: str, units: str, period: Axis) -> tuple[Fact, ...]:
        each = period.singular
        money = (
            ("f", data["setup"], f"setup cost per {each} of production", ("setup", "fixed", "start")),
            ("h", data["holding"], f"cost of holding a {unit} for a {each}", ("holding", "storage", "keep")),
            ("p", data["late"], f"cost of delivering a {unit} one {each} late", ("late", "penalty", "delay")),
        )
        amounts = (
            ("k", data["capacity"], f"production capacity per {each} in {units}", ("capacity", "limit", "maximum")),
            ("q", data["start"], f"stock at the start in {units}", ("initial", "stock", "opening")),
        )
        making = (f"cost of making a {unit}", ("cost", "price", "rates"), (period,))
        return (
            Fact("d", data["demand"], f"demand in {units}", ("demand", "orders", "needs", "sales"), (period,)),
            *([Fact("c", data["unit_cost"], *making, kind=MONEY)] if data["unit_cost"] else []),
            *(Fact(*told, kind=MONEY) for told in money if told[1]),
            *(Fact(*told) for told in amounts if told[1]),
        )

    def calendar(self, singular: str, count: int, voice: Voice) -> tuple[str, ...]:
        names = CALENDAR[singular]
        if count > len(names):
            return tuple(f"{singular} {letters(t)}" for t in range(count))
        first = voice.unit(range(len(names) - count + 1))
        return names[first : first + count]

    def rules(self, data: dict, unit: str, singular: str, voice: Voice) -> tuple[str, ...]:
        if data["late"]:
            usual = (
                f"Stock carries over; demand may be met late, but all of it by the end of the last {singular}.",
                f"What is made early is stored. Orders may wait, but none is open after the last {singular}.",
            )
            heldout = (
                f"Goods can be early, in stock, or late, as long as the last {singular} ends with nothing owed.",
            )
        else:
            usual = ("Demand is met on time, stock carries over.", "Demand is met on time, the rest is stored.")
            heldout = ("No order may wait; what is left over is kept.",)
        rules = [voice.phrase(usual, heldout)]
        if not data["capacity"]:
            usual = (
                f"One {singular} can make no more than the total demand of the plan.",
                f"Production in one {singular} is at most the sum of all demand.",
            )
            rules.append(voice.phrase(usual, (f"A {singular} never makes more than all orders of the plan together.",)))
        if not data["start"]:
            rules.append(
                voice.phrase(
                    ("There is no stock at the start.", "The store is empty at first."),
                    ("Nothing is in store to begin with.",),
                )
            )
        parts = voice.phrase((f"Parts of a {unit} count too.",), (f"A {unit} need not be full to be made.",))
        return (*rules, parts)

    def body(self, data: dict) -> list[str]:
        start = "q" if data["start"] else 0
        cost = "sum(f * i + h * j for i, j in zip(y, s))"
        if data["unit_cost"]:
            cost += " + sum(i * j for i, j in zip(c, x))"
        lines = ["x = [m.add_variable(lb=0) for _ in d]", "s = [m.add_variable(lb=0) for _ in d]"]
        before, after = f"(s[t - 1] if t else {start})", "s[t]"
        if data["late"]:
            cost += " + p * sum(b)"
            lines.append("b = [m.add_variable(lb=0) for _ in d]")
            before, after = f"(s[t - 1] - b[t - 1] if t else {start})", "s[t] - b[t]"
        return [
            *lines,
            "y = [m.add_binary_variable() for _ in d]",
            "for t, v in enumerate(d):",
            f"    m.add_linear_constraint({before} + x[t] == v + {after})",
            f"    m.add_linear_constraint(x[t] <= {'k' if data['capacity'] else 'sum(d)'} * y[t])",
            *(["m.add_linear_constraint(b[-1] == 0)"] if data["late"] else []),
            f"m.minimize({cost})",
        ]

    def formulation(self, data: dict) -> list[str]:
        late = data["late"]
        cost = f"sum_t f y_t + h s_t{' + p b_t' if late else ''}{' + c_t x_t' if data['unit_cost'] else ''}"
        start = "q" if data["start"] else 0
        balance = "s_t-1 - b_t-1 + x_t = d_t + s_t - b_t" if late else "s_t-1 + x_t = d_t + s_t"
        variables = "x_t >= 0 units made, s_t >= 0 stock at the end, y_t = 1 if set up, else 0"
        return [
            f"{variables}; b_t >= 0 owed" if late else variables,
            f"min {cost}",
            f"{balance} for each t, s_0 = {start}{', b_0 = 0' if late else ''}",
            f"x_t <= {'k' if data['capacity'] else '(sum_r d_r)'} y_t for each t",
            *(["b_T = 0 for the last period T"] if late else []),
        ]


FAMILY = LotSizing()
