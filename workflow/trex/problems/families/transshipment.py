"""Transshipment: goods go from sources through hubs to customers, at the lowest freight cost."""

from math import inf
from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.network import PLACES
from trex.problems.voice import Voice

# Goods, sources, hubs, customers.
SCENES = (
    ("steel", ("mill", "mills"), ("depot", "depots"), ("plant", "plants")),
    ("grain", ("farm", "farms"), ("silo", "silos"), ("bakery", "bakeries")),
    ("fuel", ("refinery", "refineries"), ("terminal", "terminals"), ("garage", "garages")),
    ("fruit", ("grower", "growers"), ("cold store", "cold stores"), ("market", "markets")),
    ("cement", ("kiln", "kilns"), ("yard", "yards"), ("building site", "building sites")),
    ("paper", ("mill", "mills"), ("warehouse", "warehouses"), ("printer", "printers")),
    ("beer", ("brewery", "breweries"), ("cellar", "cellars"), ("pub", "pubs")),
    ("timber", ("forest", "forests"), ("railhead", "railheads"), ("sawmill", "sawmills")),
)
WEIGHTS, PIECES = ("tonnes", "kilos", "tons"), ("pallets", "crates", "truckloads")


class Transshipment(Family):
    name = "transshipment"
    bucket = "network_flow"
    note = """
    There are two layers of shipments and two matrices of variables: from each source to each hub, and from each hub to
    each customer. A source ships no more than it has, a customer receives what it asks for, and for every hub an
    equation says that what comes in goes out again. That equation links the layers: without it the second layer draws
    goods from nowhere. The cost adds up the freight of both legs. A hub that can handle only so much needs a row on its
    inflow or on its outflow, not on both. Where total supply equals total demand and everything has to leave, all
    rows are equations; where supply is larger, source rows are upper limits. Goods counted in pallets ask for integer
    variables. A frequent slip is to sum a matrix over the wrong index, by row where the hub is the column.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        sources = size(difficulty, rng.randint(1, 2), rng.randint(2, 3), rng.randint(3, 5), rng.randint(6, 10))
        hubs = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 5), rng.randint(7, 12))
        customers = size(difficulty, rng.randint(1, 2), rng.randint(2, 3), rng.randint(4, 7), rng.randint(15, 30))
        demand = numbers(rng, customers, size(difficulty, 2, 5, 10, 100), size(difficulty, 20, 40, 90, 900))
        total, balanced = sum(demand), chance(rng, 0.35)
        weights = [rng.uniform(1, 3) for _ in range(sources)]
        supply = [max(1, round(total * rng.uniform(1.1, 1.4) * w / sum(weights))) for w in weights]
        if balanced:
            supply = [total // sources] * sources
            supply[-1] += total - sum(supply)
            for k in range(sources - 1):
                moved = rng.randint(0, supply[k] // 2)
                supply[k], supply[k + 1] = supply[k] - moved, supply[k + 1] + moved
        elif sum(supply) < total:
            supply[0] += total - sum(supply)
        highest = size(difficulty, 9, 20, 40, 90)
        capacity = [round(total * rng.uniform(1.1, 1.9) / hubs) + 1 for _ in range(hubs)]
        return {
            "supply": supply,
            "demand": demand,
            "inbound": matrix(rng, sources, hubs, 1, highest),
            "outbound": matrix(rng, hubs, customers, 1, highest),
            "capacity": capacity if chance(rng, 0.5) else None,
            "balanced": balanced,
            "demand_is": "exactly" if balanced else rng.choice(("exactly", "at least")),
            "integer": chance(rng, 0.3),
        }

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["integer"] else "continuous"
        sources, hubs, customers = (range(len(data[key])) for key in ("supply", "outbound", "demand"))
        x = [[model.add_variable(f"x{i}_{j}", kind) for j in hubs] for i in sources]
        y = [[model.add_variable(f"y{j}_{k}", kind) for k in customers] for j in hubs]
        for i, supply in enumerate(data["supply"]):
            model.add_row(dict.fromkeys(x[i], 1), lb=supply if data["balanced"] else -inf, ub=supply)
        for j in hubs:
            model.add_row({x[i][j]: 1 for i in sources} | dict.fromkeys(y[j], -1), lb=0, ub=0)
        for j, capacity in enumerate(data["capacity"] or []):
            model.add_row({x[i][j]: 1 for i in sources}, ub=capacity)
        for k, demand in enumerate(data["demand"]):
            most = demand if data["demand_is"] == "exactly" else inf
            model.add_row({y[j][k]: 1 for j in hubs}, lb=demand, ub=most)
        cost = {x[i][j]: data["inbound"][i][j] for i in sources for j in hubs}
        model.set_objective("min", cost | {y[j][k]: data["outbound"][j][k] for j in hubs for k in customers})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        goods, *kinds = voice.scene(SCENES)
        counts = len(data["supply"]), len(data["outbound"]), len(data["demand"])
        names = iter(voice.names(PLACES, sum(counts)))
        axes = [Axis(*kind, tuple(next(names) for _ in range(n))) for kind, n in zip(kinds, counts, strict=True)]
        source, hub, customer = axes
        unit = voice.unit(PIECES if data["integer"] else WEIGHTS)
        facts = [
            Fact("s", data["supply"], f"supply in {unit}", ("supply", "stock", "output"), (source,)),
            Fact("d", data["demand"], f"demand in {unit}", ("demand", "need", "orders"), (customer,)),
            freight("c", data["inbound"], unit, ("inbound", "first_leg", "cost_in"), source, hub),
            freight("e", data["outbound"], unit, ("outbound", "second_leg", "cost_out"), hub, customer),
        ]
        if data["capacity"]:
            label = f"most that can pass in {unit}"
            facts.append(Fact("u", data["capacity"], label, ("capacity", "throughput", "limit"), (hub,)))
        return Story(
            intro=voice.phrase(
                (
                    f"{goods.capitalize()} goes from {{{source.plural}}} to {{{hub.plural}}} and on to "
                    f"{{{customer.plural}}}.",
                    f"A firm ships {goods} from {{{source.plural}}} by way of {{{hub.plural}}} to "
                    f"{{{customer.plural}}}.",
                ),
                (f"By way of {{{hub.plural}}}, {{{customer.plural}}} receive {goods} from {{{source.plural}}}.",),
            ),
            facts=tuple(facts),
            rules=rules(data, voice, axes, unit),
            goal=voice.phrase(
                ("Minimize total freight cost.", "Find the cheapest shipping plan."),
                ("What is the least that all shipments can cost?",),
            ),
            variables=f"two matrices of {'integer' if data['integer'] else 'continuous'} shipments, "
            f"per {source.singular} and {hub.singular}, per {hub.singular} and {customer.singular}",
        )

    def body(self, data: dict) -> list[str]:
        add = f"m.add_{'integer_' if data['integer'] else ''}variable(lb=0)"
        lines = [
            f"x = [[{add} for _ in r] for r in c]",
            f"y = [[{add} for _ in r] for r in e]",
            "for r, v in zip(x, s):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['balanced'] else '<='} v)",
            "for r, q in zip(zip(*x), y):",
            "    m.add_linear_constraint(sum(r) == sum(q))",
        ]
        if data["capacity"]:
            lines += ["for r, v in zip(zip(*x), u):", "    m.add_linear_constraint(sum(r) <= v)"]
        return [
            *lines,
            "for r, v in zip(zip(*y), d):",
            f"    m.add_linear_constraint(sum(r) {'==' if data['demand_is'] == 'exactly' else '>='} v)",
            "m.minimize(sum(i * j for p, q in zip(c + e, x + y) for i, j in zip(p, q)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        kind = "integer >= 0" if data["integer"] else ">= 0"
        return [
            f"x_ij shipped from source i to hub j, y_jk from hub j to customer k, {kind}",
            "min sum_ij c_ij x_ij + sum_jk e_jk y_jk",
            f"sum_j x_ij {'=' if data['balanced'] else '<='} s_i for each source i",
            "sum_i x_ij = sum_k y_jk for each hub j",
            *(["sum_i x_ij <= u_j for each hub j"] if data["capacity"] else []),
            f"sum_j y_jk {'=' if data['demand_is'] == 'exactly' else '>='} d_k for each customer k",
        ]


def freight(symbol: str, value: list, unit: str, keys: tuple[str, ...], start: Axis, end: Axis) -> Fact:
    label = f"cost per {unit[:-1]} from {start.singular} to {end.singular}"
    return Fact(symbol, value, label, keys, (start, end), "cost from {}", kind=MONEY)


def rules(data: dict, voice: Voice, axes: list[Axis], unit: str) -> tuple[str, ...]:
    source, hub, customer = axes
    told = [
        voice.phrase(
            (f"Each {hub.singular} sends on all it receives.", f"Nothing stays in any {hub.singular}."),
            (f"What arrives at one {hub.singular} also leaves it.",),
        )
    ]
    if data["balanced"]:
        usual = (f"Each {source.singular} ships its whole supply.", f"All supply of each {source.singular} is shipped.")
        told.append(voice.phrase(usual, (f"No supply is left at any {source.singular}.",)))
    else:
        usual = (
            f"Each {source.singular} ships at most its supply.",
            "No more than the supply can be shipped, but less can.",
        )
        told.append(voice.phrase(usual, (f"Its supply limits what one {source.singular} can send.",)))
    if data["demand_is"] == "exactly":
        usual = (f"Each {customer.singular} gets exactly its demand.", "Demands are met exactly.")
        told.append(voice.phrase(usual, (f"Not more and not less than its demand goes to any {customer.singular}.",)))
    else:
        usual = (f"Each {customer.singular} gets at least its demand.", "Demands must be met; more may be delivered.")
        told.append(voice.phrase(usual, (f"Its demand or more goes to any {customer.singular}.",)))
    if data["integer"]:
        usual = (f"Only whole {unit} are shipped.", f"Shipments are whole numbers of {unit}.")
        told.append(voice.phrase(usual, (f"No fraction of {unit} can travel.",)))
    return tuple(told)


FAMILY = Transshipment()
