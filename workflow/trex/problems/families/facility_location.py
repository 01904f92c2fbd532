"""Facility location: which plants to open at a fixed cost, and from which to serve each market."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model

PLANTS = ("Oslo", "Bonn", "Lyon", "Bern", "Turin", "Porto")
MARKETS = ("Rome", "Paris", "Milan", "Vienna", "Prague", "Madrid")
SCENES = (("plant", "plants"), ("depot", "depots"), ("warehouse", "warehouses"), ("factory", "factories"))


class FacilityLocation(Family):
    name = "facility_location"
    bucket = "facility_location"

    def draw(self, rng: Random, difficulty: str) -> dict:
        plants = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 4))
        markets = size(difficulty, 2, 3, rng.randint(4, 5))
        demand = numbers(rng, markets, 3, 25)
        capacity = [round(sum(demand) * rng.uniform(0.5, 1.3)) for _ in range(plants)]
        capacity[-1] += max(0, sum(demand) - sum(capacity))
        return {
            "fixed": numbers(rng, plants, 10, 99),
            "capacity": capacity,
            "demand": demand,
            "cost": matrix(rng, plants, markets, 1, 9),
            "demand_is": rng.choice(("exactly", "at least")),
            "most": rng.randint(1, plants - 1) if chance(rng, size(difficulty, 0, 25, 40) / 100) else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        plants, markets = range(len(data["fixed"])), range(len(data["demand"]))
        y = [model.add_variable(f"y{i}", "binary") for i in plants]
        x = [[model.add_variable(f"x{i}_{j}") for j in markets] for i in plants]
        for i in plants:
            model.add_row(dict.fromkeys(x[i], 1) | {y[i]: -data["capacity"][i]}, ub=0)
        for j in markets:
            most = data["demand"][j] if data["demand_is"] == "exactly" else float("inf")
            model.add_row({x[i][j]: 1 for i in plants}, lb=data["demand"][j], ub=most)
        if data["most"]:
            model.add_row(dict.fromkeys(y, 1), ub=data["most"])
        shipping = {x[i][j]: data["cost"][i][j] for i in plants for j in markets}
        model.set_objective("min", dict(zip(y, data["fixed"], strict=True)) | shipping)
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        singular, plural = rng.choice(SCENES)
        plant = Axis(singular, plural, tuple(rng.sample(PLANTS, len(data["fixed"]))))
        market = Axis("market", "markets", tuple(rng.sample(MARKETS, len(data["demand"]))))
        facts = [
            Fact("f", data["fixed"], "cost to open", ("fixed", "opening", "setup"), (plant,)),
            Fact("s", data["capacity"], "capacity when open", ("capacity", "supply", "output"), (plant,)),
            Fact("d", data["demand"], f"demand, {data['demand_is']}", ("demand", "orders", "needs"), (market,)),
            Fact("c", data["cost"], "cost per unit", ("cost", "freight", "rates"), (plant, market), "cost from {}"),
        ]
        if data["most"]:
            facts.append(Fact("n", data["most"], f"open {plural} at most", ("open", "maximum", "count")))
        return Story(
            intro=rng.choice(
                (
                    f"Open some of {{{plural}}} to serve {{markets}}.",
                    f"A firm may open {{{plural}}} to supply {{markets}}.",
                )
            ),
            facts=tuple(facts),
            rules=(rng.choice((f"Closed {plural} ship nothing.", f"Only open {plural} ship.")),),
            goal=rng.choice(("Minimize total cost.", "Find the cheapest plan.")),
            variables=f"a binary per {singular}, a continuous flow per {singular} and market",
        )

    def body(self, data: dict) -> list[str]:
        lines = [
            "y = [m.add_binary_variable() for _ in f]",
            "x = [[m.add_variable(lb=0) for _ in d] for _ in f]",
            "for r, v, o in zip(x, s, y):",
            "    m.add_linear_constraint(sum(r) <= v * o)",
            "for r, v in zip(zip(*x), d):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['demand_is'] == 'exactly' else '>='} v)",
        ]
        if data["most"]:
            lines.append("m.add_linear_constraint(sum(y) <= n)")
        shipping = "sum(i * j for r, q in zip(c, x) for i, j in zip(r, q))"
        return [*lines, f"m.minimize(sum(i * j for i, j in zip(f, y)) + {shipping})"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            "y_i = 1 if site i is open, else 0; x_ij >= 0 units from site i to market j",
            "min sum_i f_i y_i + sum_ij c_ij x_ij",
            "sum_j x_ij <= s_i y_i for each site i",
            f"sum_i x_ij {'=' if data['demand_is'] == 'exactly' else '>='} d_j for each market j",
        ]
        return [*lines, "sum_i y_i <= n"] if data["most"] else lines


FAMILY = FacilityLocation()
