"""Capacity expansion: when to add which units so that growing demand is met at the least cost."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

PERIODS = (("year", "years"), ("quarter", "quarters"), ("season", "seasons"), ("stage", "stages"))
# Who plans, the types of units, what one unit is called, what is demanded.
SCENES = (
    ("A power company", ("gas", "hydro", "wind", "solar", "coal", "biomass", "diesel", "tidal"), "plants", "energy"),
    ("A water board", ("well", "river", "lake", "desalting", "reuse", "spring", "dam", "rain"), "stations", "water"),
    ("A data firm", ("rack", "blade", "tower", "cloud", "edge", "tape", "grid", "cube"), "servers", "storage"),
    (
        "A haulage firm",
        ("van", "lorry", "trailer", "tanker", "tipper", "flatbed", "barge", "wagon"),
        "vehicles",
        "freight",
    ),
    ("A hospital", ("day", "acute", "surgical", "children", "eye", "heart", "rehab", "bone"), "wards", "care"),
    ("A brewery", ("copper", "steel", "oak", "clay", "twin", "conical", "open", "mini"), "tanks", "beer"),
    ("A school board", ("brick", "timber", "mobile", "tent", "steel", "glass", "annex", "loft"), "rooms", "teaching"),
    (
        "A recycling firm",
        ("paper", "glass", "metal", "plastic", "textile", "wood", "battery", "tyre"),
        "lines",
        "recycling",
    ),
)


class CapacityExpansion(Family):
    name = "capacity_expansion"
    bucket = "capacity_planning"
    note = (
        "Capacity expansion decides in which period to add how many units of each type. An integer variable per type "
        "and period counts the additions, a continuous one gives the output. What is installed in a period is what was "
        "there at the start plus all additions up to that period, so the capacity row sums over the periods before it "
        "and its own. In each period the outputs together meet the demand. Investment is paid once, in the period of "
        "the addition, and running costs for every unit of output. A budget limits the spending of a period; a site "
        "limit holds the additions of a type over all periods together. Typical mistakes: to let additions serve in "
        "their own period alone, to pay the investment again in later periods, to forget what exists, and to build "
        "fractions of a unit."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        types = size(difficulty, rng.randint(1, 2), 2, 3, 4)
        periods = size(difficulty, 4 - types, rng.randint(3, 4), rng.randint(5, 7), rng.randint(19, 24))
        demand = [rng.randint(*size(difficulty, (8, 25), (10, 40), (20, 60), (300, 600)))]
        for _ in range(periods - 1):
            demand.append(demand[-1] + rng.randint(*size(difficulty, (2, 12), (3, 15), (5, 25), (40, 120))))
        unit = numbers(rng, types, *size(difficulty, (3, 9), (4, 12), (5, 20), (250, 600)))
        invest = [round(v * rng.uniform(1.5, 5)) * size(difficulty, 1, 2, 3, 5) for v in unit]
        falling = chance(rng, 0.4)
        limited = chance(rng, size(difficulty, 0, 30, 40, 40) / 100)
        existing = [rng.randint(0, max(1, demand[0] // v // types)) for v in unit]
        running = numbers(rng, types, *size(difficulty, (1, 9), (1, 9), (1, 9), (5, 30)))
        return {
            "demand": demand,
            "unit": unit,
            "invest": [price(rng, v, periods) for v in invest] if falling else invest,
            "falling": falling,
            "upkeep": None if falling else [rng.randint(1, 1 + v // 6) for v in invest],
            "running": running,
            "existing": existing if chance(rng, 0.6) else None,
            "site": [1 + round(demand[-1] / v * rng.uniform(0.6, 0.9)) for v in unit]
            if limited and types > 1
            else None,
            "most": rng.randint(2, 4) + demand[0] // min(unit)
            if chance(rng, size(difficulty, 0, 20, 30, 0) / 100)
            else None,
            "exactly": chance(rng, 0.4),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        types, periods = range(len(data["unit"])), range(len(data["demand"]))
        y = [[model.add_variable(f"y{k}_{t}", "integer") for t in periods] for k in types]
        x = [[model.add_variable(f"x{k}_{t}") for t in periods] for k in types]
        cost = {}
        for k in types:
            unit, start = data["unit"][k], data["existing"][k] if data["existing"] else 0
            for t in periods:
                model.add_row({x[k][t]: 1} | dict.fromkeys(y[k][: t + 1], -unit), ub=unit * start)
                cost[y[k][t]] = (
                    data["invest"][k][t]
                    if data["falling"]
                    else data["invest"][k] + data["upkeep"][k] * (len(periods) - t)
                )
                cost[x[k][t]] = data["running"][k]
            if data["site"]:
                model.add_row(dict.fromkeys(y[k], 1), ub=data["site"][k])
        for t, need in enumerate(data["demand"]):
            model.add_row({x[k][t]: 1 for k in types}, lb=need, ub=need if data["exactly"] else float("inf"))
            if data["most"]:
                model.add_row({y[k][t]: 1 for k in types}, ub=data["most"])
        model.set_objective("min", cost)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, names, units, good = voice.scene(SCENES)
        singular, plural = voice.unit(PERIODS)
        kind = Axis(
            "type", f"types of {units}", tuple(f"{name} {units}" for name in voice.names(names, len(data["unit"])))
        )
        period = Axis(singular, plural, tuple(f"{singular} {t + 1}" for t in range(len(data["demand"]))))
        one = units[:-1]
        return Story(
            intro=voice.phrase(
                (
                    f"{who} adds {{types of {units}}} over {{{plural}}} as the demand for {good} grows.",
                    f"{who} plans {{{plural}}} and can add {{types of {units}}}.",
                ),
                (f"Over {{{plural}}} more and more {good} is wanted. {who} can add {{types of {units}}}.",),
            ),
            facts=facts(data, kind, period, units, good),
            rules=rules(data, one, units, singular, voice),
            goal=voice.phrase(
                (
                    f"Minimize all costs of adding and running {units}.",
                    "Find the plan of least cost for investment and operation.",
                ),
                ("What is the cheapest way, buying and using taken together?",),
            ),
            variables=f"per type and {singular} the {units} added, integer, and the output, continuous",
        )

    def body(self, data: dict) -> list[str]:
        built = "(o + sum(u[: t + 1]))" if data["existing"] else "sum(u[: t + 1])"
        lines = [
            "y = [[m.add_integer_variable(lb=0) for _ in d] for _ in q]",
            "x = [[m.add_variable(lb=0) for _ in d] for _ in q]",
            "for r, u, v, o in zip(x, y, q, s):" if data["existing"] else "for r, u, v in zip(x, y, q):",
            "    for t in range(len(d)):",
            f"        m.add_linear_constraint(r[t] <= v * {built})",
            "for r, v in zip(zip(*x), d):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['exactly'] else '>='} v)",
        ]
        if data["site"]:
            lines += ["for u, v in zip(y, l):", "    m.add_linear_constraint(sum(u) <= v)"]
        if data["most"]:
            lines += ["for r in zip(*y):", "    m.add_linear_constraint(sum(r) <= n)"]
        if data["upkeep"]:
            lines.append("e = sum((i + v * (len(d) - t)) * j for i, v, u in zip(f, h, y) for t, j in enumerate(u))")
        else:
            lines.append("e = sum(i * j for r, u in zip(f, y) for i, j in zip(r, u))")
        return [*lines, "m.minimize(e + sum(i * sum(r) for i, r in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        return [
            "y_kt >= 0 units of type k added in period t, integer; x_kt >= 0 output of type k in period t",
            f"min sum_kt {'f_kt' if data['falling'] else '(f_k + h_k (T - t + 1))'} y_kt + sum_kt c_k x_kt",
            f"x_kt <= q_k ({'s_k + ' if data['existing'] else ''}sum_(h <= t) y_kh) for each k and t",
            f"sum_k x_kt {'=' if data['exactly'] else '>='} d_t for each t",
            *(["sum_t y_kt <= l_k for each k"] if data["site"] else []),
            *(["sum_k y_kt <= n for each t"] if data["most"] else []),
        ]


def price(rng: Random, start: int, periods: int) -> list[int]:
    """A price that falls a little with every period."""
    prices = [start]
    for _ in range(periods - 1):
        prices.append(max(1, prices[-1] - rng.randint(0, 1 + start // 12)))
    return prices


def facts(data: dict, kind: Axis, period: Axis, units: str, good: str) -> tuple[Fact, ...]:
    one, singular = units[:-1], period.singular
    axes = (kind, period) if data["falling"] else (kind,)
    found = [
        Fact("d", data["demand"], f"demand for {good}", ("demand", "need", "load", "required"), (period,)),
        Fact("q", data["unit"], f"capacity of one {one} in a {singular}", ("capacity", "unit", "size"), (kind,)),
        Fact(
            "f",
            data["invest"],
            f"cost to add one {one}",
            ("invest", "price", "build"),
            axes,
            "cost to add one of {}",
            kind=MONEY,
        ),
        Fact(
            "c",
            data["running"],
            "running cost per unit of output",
            ("running", "operating", "cost"),
            (kind,),
            kind=MONEY,
        ),
    ]
    if data["upkeep"]:
        label = f"upkeep of one added {one} for each {singular}"
        found.append(Fact("h", data["upkeep"], label, ("upkeep", "fixed", "maintenance"), (kind,), kind=MONEY))
    if data["existing"]:
        label = f"number of {units} at the start"
        found.append(Fact("s", data["existing"], label, ("existing", "start", "initial", "installed"), (kind,)))
    if data["site"]:
        label = f"largest number of {units} that can be added in all {period.plural} together"
        found.append(Fact("l", data["site"], label, ("site", "limit", "maximum"), (kind,)))
    if data["most"]:
        label = f"largest number of {units} of all types that can be added in one {singular}"
        found.append(Fact("n", data["most"], label, ("per_period", "most", "crews")))
    return tuple(found)


def rules(data: dict, one: str, units: str, singular: str, voice: Voice) -> tuple[str, ...]:
    found = [
        voice.phrase(
            (
                f"A {one} added in a {singular} works from that {singular} on.",
                f"New {units} can be used in the {singular} in which they are added and ever after.",
            ),
            (f"Once added, a {one} gives its capacity at once and to the very end.",),
        )
    ]
    if data["upkeep"]:
        usual = (
            f"Upkeep is paid for every {one} added, from the {singular} of its adding to the last {singular}.",
            f"Each added {one} costs upkeep in the {singular} in which it is added and in all later ones.",
        )
        held = f"From the {singular} it is added, that one included, until the end, a {one} costs its upkeep."
        found.append(voice.phrase(usual, (held,)))
    if not data["existing"]:
        usual = (f"There are no {units} at the start.", f"At the start there are no {units} yet.")
        found.append(voice.phrase(usual, (f"Nobody has {units} at hand when the plan begins.",)))
    if data["exactly"]:
        usual = (f"The total output of a {singular} equals its demand.", "Output must match demand, with nothing over.")
        found.append(voice.phrase(usual, (f"In no {singular} may output and demand differ.",)))
    else:
        usual = (
            f"The total output of a {singular} must cover its demand.",
            "Output may exceed demand but not fall short.",
        )
        found.append(voice.phrase(usual, (f"In no {singular} may output be below demand; more does no harm.",)))
    return tuple(found)


FAMILY = CapacityExpansion()
