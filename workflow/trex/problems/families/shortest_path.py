"""Shortest path: the cheapest way from one node to another, with or without a limit on the way, or the longest one."""

from random import Random

from trex.problems import network
from trex.problems.family import Axis, Fact, Family, Story, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# Who travels, arc, arcs, node, nodes.
SCENES = (
    ("A courier", "street", "streets", "corner", "corners"),
    ("A train", "track", "tracks", "station", "stations"),
    ("A barge", "canal", "canals", "lock", "locks"),
    ("A hiker", "trail", "trails", "hut", "huts"),
    ("A drone", "corridor", "corridors", "beacon", "beacons"),
    ("A packet", "link", "links", "router", "routers"),
    ("A lorry", "road", "roads", "town", "towns"),
    ("A ferry", "sea lane", "sea lanes", "port", "ports"),
    ("A robot", "aisle", "aisles", "bay", "bays"),
)
# What each arc has, and what is limited along the way.
MEASURES = ("length in km", "time in minutes", "toll", "length in miles", "fuel in litres")
LIMITED = ("risk", "number of stops", "wear", "noise")


class ShortestPath(Family):
    name = "shortest_path"
    bucket = "network_flow"
    note = """
    A path is a unit of flow: one binary variable per arc says whether the path uses it. At the start the flow out is
    one more than the flow in, at the destination one less, and at all other nodes the two are equal. Minimizing the sum
    over used arcs then gives a shortest path as long as no cycle has negative length. Without further rows the linear
    relaxation is whole already; a limit on a second quantity along the way, or on the number of arcs, breaks that, and
    the variables must be declared binary. Several routes that share no arc are the same model with a larger supply:
    the binary bounds keep an arc from serving twice. A longest path is modelled alike only where the network has no
    cycle, as in project networks; with cycles the rows admit closed loops beside the path.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        nodes = size(difficulty, rng.randint(3, 4), rng.randint(5, 6), rng.randint(9, 15), rng.randint(45, 80))
        kind = rng.choice(("shortest", "shortest", "limit", "hops", "longest", "disjoint"))
        backward = 0.0 if kind == "longest" else 0.2
        extra = size(difficulty, 1, nodes - 2, 2 * nodes, 4 * nodes)
        net = network.draw(rng, nodes, extra, reach=max(3, nodes // 5), backward=backward)
        high = size(difficulty, 20, 40, 90, 900)
        place = {node: position for position, node in enumerate(net.order)}
        ends = list(zip(net.tail, net.head, strict=True))
        if kind == "disjoint" and min(net.tail.count(net.order[0]), net.head.count(net.order[-1])) < 2:
            kind = "shortest"
        data = {"tail": net.tail, "head": net.head, "start": net.order[0], "end": net.order[-1], "kind": kind}
        # Arcs that leap far cost more, else the fewest arcs are best.
        data["cost"] = [
            abs(place[q] - place[p]) * rng.randint(high // 10, high // 2) + rng.randint(1, 9) for p, q in ends
        ]
        way = min((net.walk(rng, net.order[0]) for _ in range(3)), key=len)
        if kind == "limit":
            data["use"] = numbers(rng, len(ends), 1, size(difficulty, 9, 9, 20, 60))
            data["limit"] = sum(data["use"][k] for k in way)
        if kind == "hops":
            data["limit"] = max(2, len(way))
        if kind == "disjoint":
            data["paths"] = 2
        return data

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{k}", "binary") for k in range(len(data["cost"]))]
        paths = data.get("paths", 1)
        for node in sorted({*data["tail"], *data["head"]}):
            balance = paths * ((node == data["start"]) - (node == data["end"]))
            model.add_row(network.net_outflow(x, data, node), lb=balance, ub=balance)
        if "limit" in data:
            model.add_row(dict(zip(x, data.get("use", [1] * len(x)), strict=True)), ub=data["limit"])
        sense = "max" if data["kind"] == "longest" else "min"
        model.set_objective(sense, dict(zip(x, data["cost"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, arc, arcs, node, nodes = voice.scene(SCENES)
        measure = voice.unit(MEASURES)
        lines = Axis(arc, arcs, voice.names(network.LINES, len(data["tail"])))
        facts = [
            *network.ends(data, lines, node),
            Fact("c", data["cost"], measure, ("cost", "weight", "value", "length"), (lines,)),
            Fact("s", data["start"], f"first {node} of the way", ("source", "origin", "first")),
            Fact("t", data["end"], f"last {node} of the way", ("target", "destination", "last")),
        ]
        rules = [
            voice.phrase(
                (
                    f"Each {arc} is used from its start to its end only; {nodes} are numbered from 1.",
                    f"Numbers from 1 denote {nodes}, and no {arc} can be used backwards.",
                ),
                (f"Every {arc} leads only from its start to its end; {nodes} bear numbers that begin with 1.",),
            )
        ]
        if data["kind"] == "limit":
            limited = voice.unit(LIMITED)
            facts.insert(3, Fact("r", data["use"], limited, ("use", "extra", "second"), (lines,)))
            facts.append(Fact("h", data["limit"], f"largest total {limited}", ("limit", "maximum", "bound")))
        if data["kind"] == "hops":
            facts.append(Fact("h", data["limit"], f"largest number of {arcs} on the way", ("limit", "maximum", "hops")))
        if data["kind"] == "longest":
            rules.append(
                voice.phrase(
                    ("There are no cycles.", f"No way comes back to the same {node}."), ("The network is acyclic.",)
                )
            )
        if data["kind"] == "disjoint":
            facts.append(Fact("n", data["paths"], "number of ways to find", ("paths", "ways", "routes")))
            rules.append(
                voice.phrase(
                    (f"No two ways share any {arc}.", f"Any {arc} is used once at most."),
                    (f"One {arc} serves one way.",),
                )
            )
        return Story(
            intro=voice.phrase(
                (f"{who} travels by {{{arcs}}}.", f"{who} can take {{{arcs}}} from one {node} to another."),
                (f"Open to the traffic between {nodes} are {{{arcs}}}.",),
            ),
            facts=tuple(facts),
            rules=tuple(rules),
            goal=goal(data["kind"], measure.split(" in ")[0], voice),
            variables=f"a binary variable per {arc}",
        )

    def body(self, data: dict) -> list[str]:
        balance = "(k == s) - (k == t)"
        balance = f"n * ({balance})" if data["kind"] == "disjoint" else balance
        lines = [
            "x = [m.add_binary_variable() for _ in c]",
            "for k in {*a, *b}:",
            "    o = sum(v for v, i in zip(x, a) if i == k)",
            f"    m.add_linear_constraint(o - sum(v for v, j in zip(x, b) if j == k) == {balance})",
        ]
        if data["kind"] == "limit":
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) <= h)")
        if data["kind"] == "hops":
            lines.append("m.add_linear_constraint(sum(x) <= h)")
        return [*lines, f"m.{'max' if data['kind'] == 'longest' else 'min'}imize(sum(i * j for i, j in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        n = "n" if data["kind"] == "disjoint" else "1"
        lines = [
            "x_k = 1 if arc k from a_k to b_k is used, else 0",
            f"{'max' if data['kind'] == 'longest' else 'min'} sum_k c_k x_k",
            f"sum_{{k: a_k = v}} x_k - sum_{{k: b_k = v}} x_k = {n} for v = s, -{n} for v = t, 0 for other nodes v",
        ]
        more = {"limit": ["sum_k r_k x_k <= h"], "hops": ["sum_k x_k <= h"]}
        return lines + more.get(data["kind"], [])


def goal(kind: str, measure: str, voice: Voice) -> str:
    if kind == "longest":
        return voice.phrase(
            (f"Find the way of largest total {measure}.", f"Maximize the total {measure} of the way."),
            (f"Which way has the most {measure} in all?",),
        )
    if kind == "disjoint":
        return voice.phrase(
            (f"Find the ways of least total {measure}.", f"Minimize the total {measure} of all ways."),
            (f"Which ways together have the least {measure}?",),
        )
    return voice.phrase(
        (f"Find the way of least total {measure}.", f"Minimize the total {measure} of the way."),
        (f"Which way has the least {measure} in all?",),
    )


FAMILY = ShortestPath()
