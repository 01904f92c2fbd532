"""Multicommodity flow: several commodities share the capacity of the arcs of one network."""

from random import Random

from trex.problems import network
from trex.problems.family import MONEY, PLACE, Axis, Fact, Family, Story, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# Arc, arcs, node, nodes, commodity, commodities, their names, units.
FREIGHT = ("corn", "coal", "ore", "salt", "sugar", "timber", "cement", "wheat", "copper", "sand", "paper", "cotton")
DATA = ("video", "voice", "mail", "backup", "games", "music", "maps", "news", "radio", "payments", "archive", "sensors")
LIQUIDS = ("crude", "diesel", "kerosene", "naphtha", "petrol", "bitumen", "ethanol", "methanol", "benzene", "toluene")
TONNES, BITS, BARRELS = ("tonnes", "tons", "kilos"), ("gigabits", "megabits", "terabytes"), ("barrels", "litres")
SCENES = (
    ("railway", "railways", "station", "stations", "product", "products", FREIGHT, TONNES),
    ("road", "roads", "town", "towns", "cargo", "cargoes", FREIGHT, TONNES),
    ("canal", "canals", "port", "ports", "freight", "freights", FREIGHT, TONNES),
    ("fibre", "fibres", "router", "routers", "stream", "streams", DATA, BITS),
    ("radio link", "radio links", "tower", "towers", "service", "services", DATA, BITS),
    ("pipeline", "pipelines", "tank farm", "tank farms", "liquid", "liquids", LIQUIDS, BARRELS),
    ("conveyor", "conveyors", "hall", "halls", "material", "materials", FREIGHT, TONNES),
)


class MulticommodityFlow(Family):
    name = "multicommodity_flow"
    bucket = "network_flow"
    note = """
    Every commodity has its own flow variable on every arc, and its own balance equation at every node: the demand
    leaves at its origin, arrives at its destination, and elsewhere as much goes out as comes in. What couples the
    commodities is one capacity row per arc, over all commodities together; without it the problem falls apart into one
    cheapest path problem per commodity. A single balance over the sum of all commodities is wrong, since it would let
    corn arrive where coal was sent. When each commodity must keep to one path, the variables become binary and the
    capacity row weighs them by the demands, as does the cost; such a model is much harder. When demand may be refused,
    a variable per commodity, at most its demand, takes the place of the demand in the equations, and
    revenue per unit delivered enters the objective.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        kind = rng.choice(("split", "split", "single", "revenue"))
        nodes = size(difficulty, 3, 4, rng.randint(5, 8), rng.randint(12, 20))
        commodities = size(
            difficulty,
            2,
            rng.randint(2, 3),
            rng.randint(3, 4),
            rng.randint(5, 7) if kind == "single" else rng.randint(6, 10),
        )
        net = network.draw(rng, nodes, size(difficulty, 1, 2, nodes, 2 * nodes), reach=3, backward=0.2)
        high = size(difficulty, 9, 20, 60, 600)
        cost = numbers(rng, len(net.tail), size(difficulty, 1, 1, 2, 10), size(difficulty, 9, 20, 40, 90))
        data = {
            "tail": net.tail,
            "head": net.head,
            "cost": cost,
            "kind": kind,
            "origin": [],
            "target": [],
            "revenue": [],
        }
        lot = size(difficulty, 1, 1, 1, 10)
        data["demand"] = [lot * amount for amount in numbers(rng, commodities, max(2, high // 6 // lot), high // lot)]
        load = [0] * len(cost)
        for demand in data["demand"]:
            start = net.order[rng.randrange(max(1, nodes // 2))]
            way = net.walk(rng, start)
            way = way[: rng.randint((len(way) + 1) // 2, len(way))]
            data["origin"].append(start)
            data["target"].append(net.head[way[-1]])
            data["revenue"].append(round(sum(cost[k] for k in way) * rng.uniform(0.8, 1.8)) + 2)
            for k in way:
                load[k] += demand
        data["capacity"] = [v + rng.randint(0, high // 2) if v else rng.randint(high // 3, high) for v in load]
        if kind == "revenue":
            data["capacity"] = [max(1, round(v * rng.uniform(0.6, 1.1))) for v in data["capacity"]]
        else:
            del data["revenue"]
        return data

    def model(self, data: dict) -> Model:
        model = Model()
        single, demand = data["kind"] == "single", data["demand"]
        kind = "binary" if single else "continuous"
        arcs = range(len(data["cost"]))
        x = [[model.add_variable(f"x{k}_{e}", kind) for e in arcs] for k in range(len(demand))]
        w = [model.add_variable(f"w{k}", ub=most) for k, most in enumerate(demand) if "revenue" in data]
        load = demand if single else [1] * len(demand)
        for e in arcs:
            model.add_row({x[k][e]: load[k] for k in range(len(demand))}, ub=data["capacity"][e])
        for k, (start, end) in enumerate(zip(data["origin"], data["target"], strict=True)):
            for node in sorted({*data["tail"], *data["head"]}):
                terms, out = network.net_outflow(x[k], data, node), (node == start) - (node == end)
                if w:
                    model.add_row(terms | {w[k]: -out}, lb=0, ub=0)
                else:
                    amount = out * (1 if single else demand[k])
                    model.add_row(terms, lb=amount, ub=amount)
        sign = -1 if w else 1
        cost = {x[k][e]: sign * load[k] * data["cost"][e] for k in range(len(demand)) for e in arcs}
        revenue = dict(zip(w, data["revenue"], strict=True)) if w else {}
        model.set_objective("max" if w else "min", cost | revenue)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        arc, arcs, node, nodes, one, many, pool, units = voice.scene(SCENES)
        unit = voice.unit(units)
        lines = Axis(arc, arcs, voice.names(network.LINES, len(data["tail"])))
        goods = Axis(one, many, voice.names(pool, len(data["demand"])))
        facts = [
            *network.ends(data, lines, node),
            Fact("u", data["capacity"], f"capacity in {unit}", ("capacity", "limit", "bandwidth"), (lines,)),
            Fact("c", data["cost"], f"cost per {unit[:-1]}", ("cost", "rate", "price"), (lines,), kind=MONEY),
            Fact("s", data["origin"], f"{node} of origin", ("origin", "source", "start_at"), (goods,), kind=PLACE),
            Fact(
                "t", data["target"], f"{node} of destination", ("destination", "target", "sink"), (goods,), kind=PLACE
            ),
            Fact("d", data["demand"], f"amount asked for in {unit}", ("demand", "amount", "volume"), (goods,)),
        ]
        if data["kind"] == "revenue":
            label, keys = f"revenue per {unit[:-1]} delivered", ("revenue", "reward", "income")
            facts.append(Fact("r", data["revenue"], label, keys, (goods,), kind=MONEY))
        return Story(
            intro=voice.phrase(
                (f"A network of {{{arcs}}} carries {{{many}}}.", f"Send {{{many}}} over {{{arcs}}}."),
                (f"Bound for different places, {{{many}}} move over {{{arcs}}}.",),
            ),
            facts=tuple(facts),
            rules=rules(data["kind"], voice, (arc, arcs, nodes, one, many)),
            goal=goal(data["kind"], voice),
            variables=variables(data["kind"], arc, one),
        )

    def body(self, data: dict) -> list[str]:
        kind = data["kind"]
        variable = "m.add_binary_variable()" if kind == "single" else "m.add_variable(lb=0)"
        load = "sum(i * j for i, j in zip(d, f))" if kind == "single" else "sum(f)"
        amount = "(k == g) - (k == h)" if kind == "single" else "q * ((k == g) - (k == h))"
        lines = [f"x = [[{variable} for _ in a] for _ in d]"]
        if kind == "revenue":
            lines.append("w = [m.add_variable(lb=0, ub=v) for v in d]")
        lines += [
            "for f, v in zip(zip(*x), u):",
            f"    m.add_linear_constraint({load} <= v)",
            f"for f, g, h, q in zip(x, s, t, {'w' if kind == 'revenue' else 'd'}):",
            "    for k in {*a, *b}:",
            "        o = sum(v for v, i in zip(f, a) if i == k)",
            "        p = sum(v for v, j in zip(f, b) if j == k)",
            f"        m.add_linear_constraint(o - p == {amount})",
        ]
        if kind == "single":
            return [*lines, "m.minimize(sum(q * i * j for q, f in zip(d, x) for i, j in zip(c, f)))"]
        cost = "sum(i * j for f in x for i, j in zip(c, f))"
        if kind == "revenue":
            return [*lines, f"m.maximize(sum(i * j for i, j in zip(r, w)) - {cost})"]
        return [*lines, f"m.minimize({cost})"]

    def formulation(self, data: dict) -> list[str]:
        kind = data["kind"]
        w = {"split": "d_k", "single": "1", "revenue": "w_k"}[kind]
        first = "x_ke >= 0 flow of commodity k on arc e from a_e to b_e"
        objective = {
            "split": "min sum_ke c_e x_ke",
            "single": "min sum_ke d_k c_e x_ke",
            "revenue": "max sum_k r_k w_k - sum_ke c_e x_ke",
        }[kind]
        if kind == "single":
            first = "x_ke = 1 if commodity k uses arc e from a_e to b_e, else 0"
        if kind == "revenue":
            first += "; 0 <= w_k <= d_k amount delivered"
        out = "sum_{e: a_e = v} x_ke - sum_{e: b_e = v} x_ke"
        return [
            first,
            objective,
            f"sum_k {'d_k ' if kind == 'single' else ''}x_ke <= u_e for each arc e",
            f"{out} = {w} for v = s_k, -{w} for v = t_k, 0 for other nodes v, for each k",
        ]


def rules(kind: str, voice: Voice, nouns: tuple[str, ...]) -> tuple[str, ...]:
    arc, arcs, nodes, one, many = nouns
    told = [
        voice.phrase(
            (
                f"Numbers of {nodes} begin at 1, and {arcs} are one-way.",
                f"One-way {arcs} join {nodes} numbered from 1.",
            ),
            (f"From 1 on, {nodes} are numbered; {arcs} take no return traffic.",),
        ),
        voice.phrase(
            (f"All {many} together must fit the capacity of each {arc}.", f"Capacity is shared by all {many}."),
            (f"The {many} have to share what each {arc} can hold.",),
        ),
    ]
    if kind == "single":
        usual = (f"Each {one} takes one path, unsplit.", f"No {one} may be split over several paths.")
        told.append(voice.phrase(usual, (f"A whole {one} keeps to one route.",)))
    else:
        usual = (f"Each {one} may be split over several paths.", "Amounts can be split among paths.")
        told.append(voice.phrase(usual, (f"Parts of one {one} can go by different routes.",)))
    if kind == "revenue":
        usual = ("Any part of the amount asked for may be refused.", "Deliver at most the amount asked for.")
        told.append(voice.phrase(usual, (f"Less than the amount asked for may be sent of any {one}.",)))
    else:
        usual = ("All amounts must arrive.", "Deliver every amount in full.")
        told.append(voice.phrase(usual, ("Nothing that is asked for may be left behind.",)))
    return tuple(told)


def goal(kind: str, voice: Voice) -> str:
    if kind == "revenue":
        return voice.phrase(
            ("Maximize revenue less cost.", "Find the plan of highest profit, revenue minus cost."),
            ("How large can revenue after cost be?",),
        )
    return voice.phrase(
        ("Minimize the total cost of all flows.", "Find the cheapest way to send everything."),
        ("What is the lowest bill for moving it all?",),
    )


def variables(kind: str, arc: str, one: str) -> str:
    found = f"a {'binary variable' if kind == 'single' else 'continuous flow'} per {one} and {arc}"
    return f"{found}, an amount delivered per {one}" if kind == "revenue" else found


FAMILY = MulticommodityFlow()
