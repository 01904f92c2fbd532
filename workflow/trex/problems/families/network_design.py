"""Network design: which arcs to build at a fixed cost, so that supplies reach demands over the built ones."""

from random import Random

from trex.problems import network
from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice


class NetworkDesign(Family):
    name = "network_design"
    bucket = "network_design"
    note = """
    Two decisions go together: which arcs to build, a binary variable each, and how much flows over each, a continuous
    variable. Flow needs the arc: the flow on an arc is at most its capacity times its binary variable. Where no
    capacity is given, the total supply serves in its place, since no arc ever carries more; a larger constant is valid
    but weakens the relaxation. Every node has a balance equation: what leaves less what enters equals its net supply,
    which is negative at places of demand and zero where goods only pass. The objective adds the fixed costs of built
    arcs and, where there are any, costs per unit of flow. Forgetting the link between flow and building makes all fixed
    costs vanish. A limit on how many arcs are built is one
    more row over the binary variables.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        nodes = size(difficulty, 3, rng.randint(4, 5), rng.randint(6, 8), rng.randint(15, 18))
        extra = size(difficulty, 1, 3, nodes, nodes)
        net = network.draw(rng, nodes, extra, reach=max(2, nodes // 4), backward=0.2)
        most = size(difficulty, 9, 20, 60, 400)
        supply, load, built = [0] * nodes, [0] * len(net.tail), set()
        for _ in range(size(difficulty, rng.randint(1, 2), 2, 4, nodes // 2)):
            start, amount = net.order[rng.randrange(max(1, nodes // 3))], rng.randint(max(2, most // 5), most)
            way = net.walk(rng, start)
            way = way[: rng.randint((len(way) + 1) // 2, len(way))]
            supply[start - 1] += amount
            supply[net.head[way[-1]] - 1] -= amount
            built.update(way)
            for k in way:
                load[k] += amount
        capacitated = chance(rng, 0.6)
        priced = chance(rng, 0.6)
        arcs = len(load)
        return {
            "tail": net.tail,
            "head": net.head,
            "net": supply,
            "fixed": numbers(rng, arcs, size(difficulty, 5, 10, 40, 500), size(difficulty, 60, 90, 400, 5000)),
            "cost": numbers(rng, arcs, 1, size(difficulty, 9, 9, 20, 20)) if priced else None,
            "capacity": [v + rng.randint(most // 3, most) for v in load] if capacitated else None,
            "most": min(arcs - 1, len(built)) if chance(rng, 0.25) else None,
        }

    def model(self, data: dict) -> Model:
        model, arcs = Model(), range(len(data["fixed"]))
        total = sum(v for v in data["net"] if v > 0)
        limit = data["capacity"] or [total] * len(arcs)
        x = [model.add_variable(f"x{k}") for k in arcs]
        y = [model.add_variable(f"y{k}", "binary") for k in arcs]
        for k in arcs:
            model.add_row({x[k]: 1, y[k]: -limit[k]}, ub=0)
        for node, supply in enumerate(data["net"], 1):
            model.add_row(network.net_outflow(x, data, node), lb=supply, ub=supply)
        if data["most"]:
            model.add_row(dict.fromkeys(y, 1), ub=data["most"])
        fixed = dict(zip(y, data["fixed"], strict=True))
        model.set_objective("min", fixed | (dict(zip(x, data["cost"], strict=True)) if data["cost"] else {}))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        goods, arc, arcs, node, nodes, units = voice.scene(network.SCENES)
        unit = voice.unit(units)
        lines = Axis(arc, arcs, voice.names(network.LINES, len(data["tail"])))
        places = Axis(node, nodes, voice.names(network.PLACES, len(data["net"])))
        facts = [
            Fact(
                "s",
                data["net"],
                f"net supply in {unit}, negative where there is demand",
                ("supply", "net", "balance"),
                (places,),
            ),
            *network.ends(data, lines, node),
            Fact("f", data["fixed"], "cost to build", ("fixed", "build", "setup"), (lines,), kind=MONEY),
        ]
        if data["cost"]:
            label, keys = f"cost per {unit[:-1]} sent", ("cost", "rate", "price")
            facts.append(Fact("c", data["cost"], label, keys, (lines,), kind=MONEY))
        if data["capacity"]:
            label, keys = f"capacity when built in {unit}", ("capacity", "limit", "size")
            facts.append(Fact("u", data["capacity"], label, keys, (lines,)))
        if data["most"]:
            facts.append(Fact("n", data["most"], f"largest number of {arcs} to build", ("most", "count", "maximum")))
        return Story(
            intro=voice.phrase(
                (
                    f"To move {goods} between {{{nodes}}}, a planner may build {{{arcs}}}.",
                    f"A network for {goods} shall join {{{nodes}}}; it may use {{{arcs}}}.",
                ),
                (f"Candidates to carry {goods} are {{{arcs}}}; they would join {{{nodes}}}.",),
            ),
            facts=tuple(facts),
            rules=rules(data, voice, (arc, arcs, node, nodes)),
            goal=voice.phrase(
                ("Minimize total cost.", "Find the network of least total cost."),
                ("What is the least that building and running can cost?",)
                if data["cost"]
                else ("What is the least that building can cost?",),
            ),
            variables=f"a continuous flow and a binary variable per {arc}",
        )

    def body(self, data: dict) -> list[str]:
        limit = "u" if data["capacity"] else "w"
        lines = [] if data["capacity"] else ["w = [sum(v for v in s if v > 0)] * len(f)"]
        lines += [
            "x = [m.add_variable(lb=0) for _ in f]",
            "y = [m.add_binary_variable() for _ in f]",
            f"for i, j, v in zip(x, y, {limit}):",
            "    m.add_linear_constraint(i <= v * j)",
            "for k, v in enumerate(s, 1):",
            "    o = sum(i for i, p in zip(x, a) if p == k)",
            "    m.add_linear_constraint(o - sum(i for i, q in zip(x, b) if q == k) == v)",
        ]
        if data["most"]:
            lines.append("m.add_linear_constraint(sum(y) <= n)")
        flow = " + sum(i * j for i, j in zip(c, x))" if data["cost"] else ""
        return [*lines, f"m.minimize(sum(i * j for i, j in zip(f, y)){flow})"]

    def formulation(self, data: dict) -> list[str]:
        return [
            "x_k >= 0 flow on arc k from a_k to b_k; y_k = 1 if arc k is built, else 0",
            f"min sum_k f_k y_k{' + sum_k c_k x_k' if data['cost'] else ''}",
            f"x_k <= {'u_k' if data['capacity'] else '(sum of all s_v > 0)'} y_k for each arc k",
            "sum_{k: a_k = v} x_k - sum_{k: b_k = v} x_k = s_v for each node v",
            *(["sum_k y_k <= n"] if data["most"] else []),
        ]


def rules(data: dict, voice: Voice, nouns: tuple[str, ...]) -> tuple[str, ...]:
    arc, arcs, node, nodes = nouns
    told = [
        voice.phrase(
            (
                f"The {nodes} are numbered from 1 as listed, and {arcs} are one-way.",
                f"One-way {arcs} refer to {nodes} by number, from 1 in the given order.",
            ),
            (f"By its place in the list, from 1, each {node} has a number; {arcs} carry nothing backwards.",),
        ),
        voice.phrase(
            (f"Only a {arc} that is built can carry flow.", f"Without being built, no {arc} carries anything."),
            (f"Flow on any {arc} requires that it be built.",),
        ),
        voice.phrase(
            (
                f"At each {node}, outflow minus inflow equals net supply.",
                f"Each {node} sends out its net supply more than it receives.",
            ),
            (f"Net supply is what any {node} sends out beyond what it takes in.",),
        ),
    ]
    if not data["capacity"]:
        usual = (f"Any {arc} that is built can carry everything.", f"A {arc} has no limit of its own once built.")
        told.append(voice.phrase(usual, (f"The total supply would fit on any single {arc}.",)))
    return tuple(told)


FAMILY = NetworkDesign()
