"""Maximum flow: how much can go from a source to a sink through arcs of limited capacity."""

from random import Random

from trex.problems import network
from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, dot, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice


class MaximumFlow(Family):
    name = "maximum_flow"
    bucket = "network_flow"
    note = """
    Give every arc a variable for the flow on it, bounded by the capacity of the arc. Each node other than the source
    and the sink passes on what it receives: one equation per node, inflow equals outflow. The objective is the flow
    that leaves the source, or, which is the same, the flow that enters the sink. Source and sink get no balance
    equation; writing one for them forces the flow to zero. An arc runs one way: tail and head are not to be swapped,
    and a two-way link is two arcs. A least flow on an arc is the lower bound of its variable. When sending costs money
    and a budget limits it, one row over all arcs says so; then the answer need not be whole, while with whole
    capacities alone some optimal flow is. The capacities across the tightest cut add up to the answer.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        nodes = size(difficulty, rng.randint(3, 4), rng.randint(4, 6), rng.randint(8, 14), rng.randint(40, 70))
        most = size(difficulty, 9, 20, 60, 900)
        extra = size(difficulty, 1, 2, 2 * nodes, 4 * nodes)
        net = network.draw(rng, nodes, extra, reach=max(2, nodes // 4), backward=0.2)
        source, sink = net.order[0], net.order[-1]
        flow = [0] * len(net.tail)
        for _ in range(nodes // 2 + 1):
            amount = rng.randint(1, most)
            for k in net.walk(rng, source):
                flow[k] += amount
        limits = rng.choice(("none", "none", "least", "budget"))
        cost = numbers(rng, len(flow), 1, size(difficulty, 9, 9, 20, 40))
        data = {
            "tail": net.tail,
            "head": net.head,
            "source": source,
            "sink": sink,
            "capacity": [f + rng.randint(1, most) for f in flow],
        }
        for k, (tail, head) in enumerate(zip(net.tail, net.head, strict=True)):
            if source == tail or (sink == head and nodes > 6 and chance(rng, 0.7)):
                data["capacity"][k] += rng.randint(most, 2 * most)
        if limits == "least":
            data["least"] = [rng.randint((f + 1) // 4, f) if chance(rng, 0.5) else 0 for f in flow]
            data["least"][rng.choice(net.walk(rng, source))] = 1
        if limits == "budget":
            data |= {"cost": cost, "budget": round(dot(cost, flow) * rng.uniform(0.5, 0.9))}
        return data

    def model(self, data: dict) -> Model:
        model = Model()
        least = data.get("least", [0] * len(data["capacity"]))
        bounds = list(zip(least, data["capacity"], strict=True))
        x = [model.add_variable(f"x{k}", lb=low, ub=high) for k, (low, high) in enumerate(bounds)]
        for node in sorted({*data["tail"], *data["head"]} - {data["source"], data["sink"]}):
            model.add_row(network.net_outflow(x, data, node), lb=0, ub=0)
        if "budget" in data:
            model.add_row(dict(zip(x, data["cost"], strict=True)), ub=data["budget"])
        model.set_objective("max", network.net_outflow(x, data, data["source"]))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        goods, arc, arcs, node, nodes, units = voice.scene(network.SCENES)
        unit = voice.unit(units)
        lines = Axis(arc, arcs, voice.names(network.LINES, len(data["tail"])))
        facts = [
            *network.ends(data, lines, node),
            Fact("u", data["capacity"], f"capacity in {unit}", ("capacity", "limit", "maximum", "size"), (lines,)),
            Fact("s", data["source"], f"source {node}", ("source", "origin", "supplier")),
            Fact("t", data["sink"], f"sink {node}", ("sink", "target", "goal")),
        ]
        rules = [
            voice.phrase(
                (f"All {arcs} are one-way; {nodes} are numbered from 1.", f"{nodes.capitalize()} have numbers from 1."),
                (f"A number from 1 on stands for each of the {nodes}.",),
            ),
            voice.phrase(
                (f"Other {nodes} pass on all they get.", f"Nothing is stored at {nodes} on the way."),
                (f"At {nodes} in between, what comes in goes out.",),
            ),
        ]
        if "least" in data:
            label = f"smallest flow allowed in {unit}"
            facts.insert(3, Fact("l", data["least"], label, ("least", "lower", "minimum"), (lines,)))
        if "budget" in data:
            label = f"cost per {unit[:-1]} sent"
            facts.insert(3, Fact("c", data["cost"], label, ("cost", "price", "rate"), (lines,), kind=MONEY))
            facts.append(Fact("g", data["budget"], "budget", ("budget", "money", "funds"), kind=MONEY))
            spend = ("Total cost must stay within the budget.", "Do not spend more than the budget.")
            rules.append(voice.phrase(spend, ("The budget covers all that is spent.",)))
        return Story(
            intro=voice.phrase(
                (f"A network carries {goods} through {{{arcs}}}.", f"{goods.capitalize()} is sent over {{{arcs}}}."),
                (f"Someone runs {{{arcs}}} that move {goods}.",),
            ),
            facts=tuple(facts),
            rules=tuple(rules),
            goal=voice.phrase(
                ("Maximize the flow from source to sink.", f"Send as much {goods} as possible from source to sink."),
                (f"How much {goods} can reach the sink from the source at best?",),
            ),
            variables=f"a continuous flow per {arc}",
        )

    def body(self, data: dict) -> list[str]:
        bounded = "lb=v, ub=w) for v, w in zip(l, u)" if "least" in data else "lb=0, ub=v) for v in u"
        lines = [
            f"x = [m.add_variable({bounded}]",
            "for k in {*a, *b} - {s, t}:",
            "    o = sum(v for v, i in zip(x, a) if i == k)",
            "    m.add_linear_constraint(o == sum(v for v, j in zip(x, b) if j == k))",
        ]
        if "budget" in data:
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(c, x)) <= g)")
        return [*lines, "m.maximize(sum(v for v, i in zip(x, a) if i == s))"]

    def formulation(self, data: dict) -> list[str]:
        low = "l_k" if "least" in data else "0"
        lines = [
            f"x_k = flow on arc k from a_k to b_k, {low} <= x_k <= u_k",
            "max sum_{k: a_k = s} x_k",
            "sum_{k: a_k = v} x_k = sum_{k: b_k = v} x_k for each node v other than s and t",
        ]
        return [*lines, "sum_k c_k x_k <= g"] if "budget" in data else lines


FAMILY = MaximumFlow()
