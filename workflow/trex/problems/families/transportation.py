"""Transportation: ship goods from sources to destinations at the least cost."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model

SOURCES = ("Oslo", "Bonn", "Lyon", "Bern", "Turin", "Porto", "Ghent", "Malmo")
DESTINATIONS = ("Rome", "Paris", "Milan", "Vienna", "Prague", "Madrid", "Dublin", "Athens")
GOODS = ("grain", "coal", "steel", "paper", "fruit", "cement", "fuel", "salt")


class Transportation(Family):
    name = "transportation"
    bucket = "transportation"

    def draw(self, rng: Random, difficulty: str) -> dict:
        sources = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 4))
        destinations = size(difficulty, 2, 3, rng.randint(4, 5))
        demand = numbers(rng, destinations, 4, 30)
        shares = numbers(rng, sources, 1, 4)
        supply = [sum(demand) * share // sum(shares) + rng.randint(1, 9) for share in shares]
        return {
            "supply": supply,
            "demand": demand,
            "cost": matrix(rng, sources, destinations, 1, size(difficulty, 9, 9, 20)),
            "demand_is": rng.choice(("exactly", "at least")),
            "integer": chance(rng, 0.4),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        sources, destinations = range(len(data["supply"])), range(len(data["demand"]))
        x = [[model.add_variable(f"x{i}_{j}", kind) for j in destinations] for i in sources]
        for i in sources:
            model.add_row(dict.fromkeys(x[i], 1), ub=data["supply"][i])
        for j in destinations:
            most = data["demand"][j] if data["demand_is"] == "exactly" else float("inf")
            model.add_row({x[i][j]: 1 for i in sources}, lb=data["demand"][j], ub=most)
        model.set_objective("min", {x[i][j]: data["cost"][i][j] for i in sources for j in destinations})
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        source = Axis("source", "sources", tuple(rng.sample(SOURCES, len(data["supply"]))))
        destination = Axis("destination", "destinations", tuple(rng.sample(DESTINATIONS, len(data["demand"]))))
        goods = rng.choice(GOODS)
        whole = ("Only whole loads move.", "Ship whole loads.")
        parts = ("Loads may be split.", "Fractions are allowed.")
        return Story(
            intro=rng.choice(
                (
                    f"Ship {goods} from {{sources}} to {{destinations}}.",
                    f"A firm moves {goods} from {{sources}} to {{destinations}}.",
                )
            ),
            facts=(
                Fact("s", data["supply"], "supply at most", ("supply", "stock", "offer", "output"), (source,)),
                Fact(
                    "d", data["demand"], f"demand, {data['demand_is']}", ("demand", "orders", "needs"), (destination,)
                ),
                Fact(
                    "c",
                    data["cost"],
                    "cost per unit",
                    ("cost", "freight", "rates", "price"),
                    (source, destination),
                    "cost from {}",
                ),
            ),
            rules=(rng.choice(whole if data["integer"] else parts),),
            goal=rng.choice(("Minimize total cost.", "Find the cheapest plan.")),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per source and destination",
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        return [
            f"x = [[{variable}(lb=0) for _ in d] for _ in s]",
            "for r, v in zip(x, s):",
            "    m.add_linear_constraint(sum(r) <= v)",
            "for r, v in zip(zip(*x), d):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['demand_is'] == 'exactly' else '>='} v)",
            "m.minimize(sum(i * j for r, q in zip(c, x) for i, j in zip(r, q)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return [
            f"x_ij = units from source i to destination j, x_ij >= 0, {'integer' if data['integer'] else 'continuous'}",
            "min sum_ij c_ij x_ij",
            "sum_j x_ij <= s_i for each source i",
            f"sum_i x_ij {'=' if data['demand_is'] == 'exactly' else '>='} d_j for each destination j",
        ]


FAMILY = Transportation()
