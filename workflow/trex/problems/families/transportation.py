"""Transportation: ship goods from sources to destinations at the least cost."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SOURCES = (
    "Oslo", "Bonn", "Lyon", "Bern", "Turin", "Porto", "Ghent", "Malmo", "Graz", "Brno", "Cork", "Split",
    "Riga", "Leeds", "Basel", "Parma",
)  # fmt: skip
DESTINATIONS = (
    "Rome", "Paris", "Milan", "Vienna", "Prague", "Madrid", "Dublin", "Athens", "Lisbon", "Warsaw", "Berlin", "Sofia",
    "Zagreb", "Tallinn", "Naples", "Seville", "Munich", "Geneva",
)  # fmt: skip
# Goods, and one load of them.
GOODS = (
    ("grain", "ton", "tons"), ("coal", "ton", "tons"), ("steel", "ton", "tons"), ("paper", "pallet", "pallets"),
    ("fruit", "crate", "crates"), ("cement", "bag", "bags"), ("fuel", "barrel", "barrels"), ("salt", "sack", "sacks"),
    ("milk", "tank", "tanks"), ("wool", "bale", "bales"), ("bricks", "pallet", "pallets"), ("wine", "case", "cases"),
)  # fmt: skip
# Who ships: where from, where to.
SCENES = (
    ("source", "sources", "destination", "destinations"),
    ("plant", "plants", "market", "markets"),
    ("port", "ports", "depot", "depots"),
    ("farm", "farms", "town", "towns"),
    ("warehouse", "warehouses", "customer", "customers"),
    ("supplier", "suppliers", "store", "stores"),
    ("terminal", "terminals", "building site", "building sites"),
)


class Transportation(Family):
    name = "transportation"
    bucket = "transportation"
    note = (
        "Goods go from places that have them to places that want them. The model has one variable per pair of places, "
        "the amount sent, and the objective adds up amount times cost per unit. A row per source keeps the sum of "
        "what leaves within the supply; a row per destination makes the sum of what arrives equal the demand, or at "
        "least the demand, whichever the text says. A limit on each connection is an upper bound of each variable. "
        "Amounts are whole when loads cannot be split. Typical mistakes are to sum over the wrong index, to demand "
        "that all supply leaves when there is more of it than needed, and to confuse the table's rows with its "
        "columns."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        sources = size(difficulty, 2, rng.randint(2, 3), rng.randint(4, 7), rng.randint(8, 25))
        destinations = size(difficulty, rng.randint(2, 3), rng.randint(3, 5), rng.randint(6, 12), rng.randint(20, 60))
        demand = numbers(rng, destinations, *size(difficulty, (4, 30), (4, 40), (10, 99), (20, 200)))
        shares = numbers(rng, sources, 1, 4)
        slack = size(difficulty, 9, 9, 20, 100)
        widest = max(demand) * max(shares) // sum(shares) + 1
        return {
            "supply": [sum(demand) * share // sum(shares) + rng.randint(1, slack) for share in shares],
            "demand": demand,
            "cost": matrix(rng, sources, destinations, *size(difficulty, (1, 9), (1, 20), (2, 60), (5, 80))),
            "demand_is": rng.choice(("exactly", "at least")),
            "lane": widest + rng.randint(1, slack) if chance(rng, size(difficulty, 15, 30, 40, 40) / 100) else None,
            "integer": chance(rng, 0.4),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        lane = data["lane"] or float("inf")
        sources, destinations = range(len(data["supply"])), range(len(data["demand"]))
        x = [[model.add_variable(f"x{i}_{j}", kind, ub=lane) for j in destinations] for i in sources]
        for i in sources:
            model.add_row(dict.fromkeys(x[i], 1), ub=data["supply"][i])
        for j in destinations:
            most = data["demand"][j] if data["demand_is"] == "exactly" else float("inf")
            model.add_row({x[i][j]: 1 for i in sources}, lb=data["demand"][j], ub=most)
        model.set_objective("min", {x[i][j]: data["cost"][i][j] for i in sources for j in destinations})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        start, starts, end, ends = voice.scene(SCENES)
        source = Axis(start, starts, voice.names(SOURCES, len(data["supply"])))
        destination = Axis(end, ends, voice.names(DESTINATIONS, len(data["demand"])))
        goods, unit, units = voice.unit(GOODS)
        cost = f"cost per {unit}"
        facts = [
            Fact("s", data["supply"], f"supply in {units}", ("supply", "stock", "offer", "output"), (source,)),
            Fact("d", data["demand"], f"demand in {units}", ("demand", "orders", "needs"), (destination,)),
            Fact(
                "c", data["cost"], cost, ("cost", "freight", "rates", "price"), (source, destination),
                f"{cost} from {{}}", kind=MONEY,
            ),
        ]  # fmt: skip
        if data["lane"]:
            most = f"largest number of {units} from any {start} to any {end}"
            facts.append(Fact("u", data["lane"], most, ("lane", "limit", "maximum")))
        intro = (
            f"Ship {goods} from {{{starts}}} to {{{ends}}}.",
            f"A firm moves {goods} from {{{starts}}} to {{{ends}}}.",
        )
        return Story(
            intro=voice.phrase(intro, (f"Loads of {goods} wait at {{{starts}}} for {{{ends}}}.",)),
            facts=tuple(facts),
            rules=(self.supply_and_demand(data, start, end, voice), self.kind_rule(data, unit, units, voice)),
            goal=voice.phrase(
                ("Minimize total cost.", "Find the cheapest plan."), ("Keep the freight bill as low as can be.",)
            ),
            variables=f"one {'integer' if data['integer'] else 'continuous'} variable per {start} and {end}",
        )

    def supply_and_demand(self, data: dict, start: str, end: str, voice: Voice) -> str:
        amount = data["demand_is"]
        usual = (
            f"Each {end} gets {amount} its demand, no {start} sends more than its supply.",
            f"No {start} ships more than its supply and every {end} receives {amount} its demand.",
        )
        met = "precisely what it wants" if amount == "exactly" else "what it wants or more"
        return voice.phrase(usual, (f"A {end} is to have {met}, and a {start} gives no more than it has.",))

    def kind_rule(self, data: dict, unit: str, units: str, voice: Voice) -> str:
        if data["integer"]:
            return voice.phrase((f"Only whole {units} move.", f"Ship whole {units}."), (f"No {unit} can be split.",))
        return voice.phrase(
            (f"A {unit} may be split.", "Fractions are allowed."), (f"Parts of a {unit} can travel too.",)
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["integer"] else "m.add_variable"
        return [
            f"x = [[{variable}(lb=0{', ub=u' if data['lane'] else ''}) for _ in d] for _ in s]",
            "for r, v in zip(x, s):",
            "    m.add_linear_constraint(sum(r) <= v)",
            "for r, v in zip(zip(*x), d):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['demand_is'] == 'exactly' else '>='} v)",
            "m.minimize(sum(i * j for r, q in zip(c, x) for i, j in zip(r, q)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        bound = "0 <= x_ij <= u" if data["lane"] else "x_ij >= 0"
        return [
            f"x_ij = units from source i to destination j, {bound}, {'integer' if data['integer'] else 'continuous'}",
            "min sum_ij c_ij x_ij",
            "sum_j x_ij <= s_i for each source i",
            f"sum_i x_ij {'=' if data['demand_is'] == 'exactly' else '>='} d_j for each destination j",
        ]


FAMILY = Transportation()
