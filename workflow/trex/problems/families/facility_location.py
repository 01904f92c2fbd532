"""Facility location: which sites to open at a fixed cost, and from which to serve each customer."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SITES = (
    "Oslo", "Bonn", "Lyon", "Bern", "Turin", "Porto", "Ghent", "Graz", "Brno", "Cork", "Split", "Riga", "Leeds",
)  # fmt: skip
PLACES = (
    "Rome", "Paris", "Milan", "Vienna", "Prague", "Madrid", "Dublin", "Athens", "Lisbon", "Warsaw", "Berlin", "Sofia",
    "Zagreb", "Tallinn", "Naples", "Seville", "Munich", "Geneva",
)  # fmt: skip
ACTORS = ("A firm", "A cooperative", "A retailer", "A publisher", "A grocer", "A start-up", "An agency")
SCENES = (
    ("plant", "plants", "market", "markets"),
    ("depot", "depots", "shop", "shops"),
    ("warehouse", "warehouses", "customer", "customers"),
    ("factory", "factories", "dealer", "dealers"),
    ("hub", "hubs", "district", "districts"),
    ("laboratory", "laboratories", "hospital", "hospitals"),
    ("bakery", "bakeries", "village", "villages"),
)
UNITS = ("ton", "pallet", "crate", "load")


class FacilityLocation(Family):
    name = "facility_location"
    bucket = "facility_location"
    note = (
        "Facility location weighs the fixed cost of opening sites against the cost of serving customers from afar. "
        "There is a binary variable per site, open or not. With capacities there is a flow from each site to each "
        "customer: a row per customer meets the demand, and a row per site keeps its outflow below the capacity times "
        "the binary, which also stops a closed site from shipping. Without capacities each customer is assigned to "
        "one site by a binary, and each of these is at most the site's binary. A row may limit the number of open "
        "sites. Typical mistakes are to leave out the link between flow and opening, to drop the fixed cost, and to "
        "relax the opening."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        sites = size(difficulty, 2, rng.randint(2, 4), rng.randint(4, 5), rng.randint(8, 10))
        places = size(difficulty, rng.randint(2, 3), rng.randint(3, 5), rng.randint(7, 10), rng.randint(18, 22))
        fixed = numbers(rng, sites, *size(difficulty, (10, 99), (20, 150), (100, 400), (500, 2500)))
        limited = chance(rng, size(difficulty, 10, 25, 40, 40) / 100)
        if chance(rng, 0.35):
            cost = matrix(rng, sites, places, *size(difficulty, (5, 60), (5, 80), (10, 99), (50, 900)))
            most = rng.randint(1, sites - 1) if limited else None
            return {"fixed": fixed, "capacity": None, "demand": None, "cost": cost, "demand_is": None, "most": most}
        demand = numbers(rng, places, *size(difficulty, (3, 25), (3, 30), (5, 50), (10, 90)))
        capacity = [round(sum(demand) * rng.uniform(0.5, 1.3) / max(1, sites / 4)) for _ in range(sites)]
        capacity[-1] += max(0, sum(demand) - sum(capacity))
        spare = rng.randint(*size(difficulty, (0, 1), (0, 1), (0, 1), (1, 2)))
        return {
            "fixed": fixed,
            "capacity": capacity,
            "demand": demand,
            "cost": matrix(rng, sites, places, *size(difficulty, (1, 9), (1, 12), (2, 30), (3, 60))),
            "demand_is": rng.choice(("exactly", "at least")),
            "most": self.fewest(capacity, sum(demand)) + spare if limited else None,
        }

    def fewest(self, capacity: list[int], demand: int) -> int:
        """How many sites, the largest ones, have room for the demand."""
        largest = sorted(capacity, reverse=True)
        return next(n for n in range(1, len(largest) + 1) if sum(largest[:n]) >= demand)

    def model(self, data: dict) -> Model:
        model = Model()
        sites, places = range(len(data["fixed"])), range(len(data["cost"][0]))
        kind = "continuous" if data["capacity"] else "binary"
        y = [model.add_variable(f"y{i}", "binary") for i in sites]
        x = [[model.add_variable(f"x{i}_{j}", kind) for j in places] for i in sites]
        if data["capacity"]:
            for i in sites:
                model.add_row(dict.fromkeys(x[i], 1) | {y[i]: -data["capacity"][i]}, ub=0)
        else:
            for i in sites:
                for j in places:
                    model.add_row({x[i][j]: 1, y[i]: -1}, ub=0)
        for j, demand in enumerate(data["demand"] or [1 for _ in places]):
            most = float("inf") if data["demand_is"] == "at least" else demand
            model.add_row({x[i][j]: 1 for i in sites}, lb=demand, ub=most)
        if data["most"]:
            model.add_row(dict.fromkeys(y, 1), ub=data["most"])
        serving = {x[i][j]: data["cost"][i][j] for i in sites for j in places}
        model.set_objective("min", dict(zip(y, data["fixed"], strict=True)) | serving)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        singular, plural, end, ends = voice.scene(SCENES)
        actor = voice.scene(ACTORS)
        site = Axis(singular, plural, voice.names(SITES, len(data["fixed"])))
        place = Axis(end, ends, voice.names(PLACES, len(data["cost"][0])))
        unit = voice.unit(UNITS)
        facts = [Fact("f", data["fixed"], "cost to open", ("fixed", "opening", "setup"), (site,), kind=MONEY)]
        if data["capacity"]:
            capacity = f"capacity when open in {unit}s"
            facts.append(Fact("s", data["capacity"], capacity, ("capacity", "supply", "output"), (site,)))
            facts.append(Fact("d", data["demand"], f"demand in {unit}s", ("demand", "orders", "needs"), (place,)))
        cost = f"shipping cost per {unit}" if data["capacity"] else f"cost to serve a {end}"
        keys = ("cost", "freight", "rates")
        facts.append(Fact("c", data["cost"], cost, keys, (site, place), f"{cost} from {{}}", kind=MONEY))
        if data["most"]:
            facts.append(Fact("n", data["most"], f"largest number of open {plural}", ("open", "maximum", "count")))
        intro = (
            f"{actor} must choose which of {{{plural}}} to open for {{{ends}}}.",
            f"{actor} may open {{{plural}}} to supply {{{ends}}}.",
        )
        flow = "a continuous flow" if data["capacity"] else "a binary"
        return Story(
            intro=voice.phrase(intro, (f"Where should {{{ends}}} be served from? {actor} looks at {{{plural}}}.",)),
            facts=tuple(facts),
            rules=self.rules(data, singular, plural, end, voice),
            goal=voice.phrase(
                ("Minimize total cost.", "Find the cheapest plan."),
                ("Opening and serving together should cost as little as can be.",),
            ),
            variables=f"a binary per {singular}, {flow} per {singular} and {end}",
        )

    def rules(self, data: dict, singular: str, plural: str, end: str, voice: Voice) -> tuple[str, ...]:
        if not data["capacity"]:
            usual = (
                f"Each {end} is served by exactly one open {singular}.",
                f"Every {end} gets one {singular}, which must be open, and an open one can serve any number.",
            )
            return (
                voice.phrase(usual, (f"No {end} is shared by two {plural} or left out, and closed ones serve none.",)),
            )
        closed = (
            f"Closed {plural} ship nothing, open ones no more than their capacity.",
            f"Only open {plural} ship, within capacity.",
        )
        amount = data["demand_is"]
        demand = (f"Each {end} gets {amount} its demand.", f"Every {end} must receive {amount} its demand.")
        met = "precisely what it wants" if amount == "exactly" else "what it wants or more"
        return (
            voice.phrase(
                closed, (f"What leaves a {singular} is bound by its capacity, and is none if it is not opened.",)
            ),
            voice.phrase(demand, (f"A {end} is to have {met}, from one {singular} or several.",)),
            voice.phrase(("Amounts may be fractional.",), ("No amount has to be a whole number.",)),
        )

    def body(self, data: dict) -> list[str]:
        kind = "m.add_variable(lb=0)" if data["capacity"] else "m.add_binary_variable()"
        lines = ["y = [m.add_binary_variable() for _ in f]", f"x = [[{kind} for _ in r] for r in c]"]
        if data["capacity"]:
            lines += ["for r, v, o in zip(x, s, y):", "    m.add_linear_constraint(sum(r) <= v * o)"]
            lines += ["for r, v in zip(zip(*x), d):"]
            lines += [f"    m.add_linear_constraint(sum(r) {'==' if data['demand_is'] == 'exactly' else '>='} v)"]
        else:
            lines += ["for r, o in zip(x, y):", "    for j in r:", "        m.add_linear_constraint(j <= o)"]
            lines += ["for r in zip(*x):", "    m.add_linear_constraint(sum(r) == 1)"]
        if data["most"]:
            lines.append("m.add_linear_constraint(sum(y) <= n)")
        serving = "sum(i * j for r, q in zip(c, x) for i, j in zip(r, q))"
        return [*lines, f"m.minimize(sum(i * j for i, j in zip(f, y)) + {serving})"]

    def formulation(self, data: dict) -> list[str]:
        lines = ["min sum_i f_i y_i + sum_ij c_ij x_ij"]
        if data["capacity"]:
            lines.insert(0, "y_i = 1 if site i is open, else 0; x_ij >= 0 units from site i to market j")
            lines.append("sum_j x_ij <= s_i y_i for each site i")
            lines.append(f"sum_i x_ij {'=' if data['demand_is'] == 'exactly' else '>='} d_j for each market j")
        else:
            lines.insert(0, "y_i = 1 if site i is open, else 0; x_ij = 1 if site i serves market j, else 0")
            lines.append("x_ij <= y_i for each site i and market j")
            lines.append("sum_i x_ij = 1 for each market j")
        return [*lines, "sum_i y_i <= n"] if data["most"] else lines


FAMILY = FacilityLocation()
