"""Travelling salesman: one tour, or one open way, through all stops, with positions that rule out subtours."""

import math
from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, size
from trex.problems.ir import Model
from trex.problems.network import PLACES
from trex.problems.voice import Voice

SITES = (
    "Hall", "Lab", "Gate", "Dock", "Store", "Office", "Tower", "Garage", "Canteen", "Library", "Chapel", "Stadium",
    "Clinic", "School", "Museum", "Market", "Theatre", "Barracks", "Harbour", "Mill",
)  # fmt: skip
GREEK = (
    "Alpha", "Beta", "Gamma", "Delta", "Zeta", "Eta", "Theta", "Iota", "Kappa", "Lambda", "Nu", "Xi", "Pi", "Rho",
    "Sigma", "Tau", "Phi", "Chi", "Psi", "Omega",
)  # fmt: skip
# Who travels, stop, stops, names of them.
SCENES = (
    ("A salesman", "city", "cities", PLACES),
    ("A courier", "client", "clients", SITES),
    ("A drill head", "hole", "holes", GREEK),
    ("An inspector", "site", "sites", SITES),
    ("A drone", "mast", "masts", GREEK),
    ("A ship", "port", "ports", PLACES),
    ("A school bus", "stop", "stops", SITES),
    ("A robot arm", "weld", "welds", GREEK),
    ("A band", "town", "towns", PLACES),
    ("A camera crew", "peak", "peaks", GREEK),
)
MEASURES = ("distance in km", "time in minutes", "distance in miles", "energy in kWh", "time in seconds")


class Tsp(Family):
    name = "tsp"
    bucket = "routing"
    note = """
    A binary variable for each ordered pair of different stops says whether the tour goes straight from one to the
    other. Every stop is left once and entered once: two families of equations. They alone allow several closed loops
    apart from each other, so subtours have to be excluded. Position variables do this compactly: each stop but the
    first has a position, and travelling from one to another forces the later position to be at least one larger; the
    first stop is left out, since the tour returns there. The constant that switches such a row off is the number of
    stops less one. Positions also express that one stop comes before another. An open way has no arc back to the first
    stop, and each other stop is left at most once. The relaxation with positions is weak; cuts
    over subsets of stops are stronger but many.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        n = size(difficulty, 4, 5, rng.randint(6, 7), rng.randint(13, 14))
        far = size(difficulty, 40, 60, 90, 900)
        before = None
        if chance(rng, size(difficulty, 15, 30, 30, 30) / 100):
            before = rng.sample(range(2, n + 1), 2)
        return {
            "distance": in_the_plane(rng, n, far) if difficulty != "industrial" else drawn(rng, n, far),
            "closed": chance(rng, 0.65),
            "before": before,
        }

    def model(self, data: dict) -> Model:
        model, cost, closed = Model(), data["distance"], data["closed"]
        n = len(cost)
        pairs = [(i, j) for i in range(n) for j in range(0 if closed else 1, n) if i != j]
        x = {(i, j): model.add_variable(f"x{i}_{j}", "binary") for i, j in pairs}
        u = [None, *(model.add_variable(f"u{i}", lb=1, ub=n - 1) for i in range(1, n))]
        for i in range(n):
            leaving = {x[i, j]: 1 for j in range(n) if (i, j) in x}
            model.add_row(leaving, lb=1 if closed or i == 0 else -math.inf, ub=1)
        for j in range(0 if closed else 1, n):
            model.add_row({x[i, j]: 1 for i in range(n) if i != j}, lb=1, ub=1)
        for i, j in pairs:
            if i and j:
                model.add_row({u[i]: 1, u[j]: -1, x[i, j]: n - 1}, ub=n - 2)
        if data["before"]:
            first, second = data["before"]
            model.add_row({u[first - 1]: 1, u[second - 1]: -1}, ub=-1)
        model.set_objective("min", {x[i, j]: cost[i][j] for i, j in pairs})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, stop, stops, pool = voice.scene(SCENES)
        measure = voice.unit(MEASURES)
        axis = Axis(stop, stops, voice.names(pool, len(data["distance"])))
        way, first = "tour" if data["closed"] else "way", f"the first {stop}"
        facts = [
            Fact(
                "c",
                data["distance"],
                measure,
                ("distance", "cost", "matrix", "time"),
                (axis, axis),
                f"{measure} from {{}}",
            )
        ]
        rules = [
            voice.phrase(
                (
                    f"The {way} starts at {first} and visits each {stop} exactly once.",
                    f"Begin at {first} and go to each of the others once.",
                ),
                (f"From {first} on, every {stop} is on the {way} exactly once.",),
            )
        ]
        if data["closed"]:
            usual = (f"At the end it returns to {first}.", f"The last leg leads back to {first}.")
            rules.append(voice.phrase(usual, (f"It closes at {first}.",)))
        else:
            usual = (f"The {way} may end at any other {stop}.", f"There is no return to {first}.")
            rules.append(voice.phrase(usual, (f"Where it ends is open, but not at {first}.",)))
        rules.append(
            voice.phrase(
                (
                    f"Each other {stop} has a position, from 1 to their number, which excludes subtours.",
                    f"Exclude subtours by giving each other {stop} a position, from 1 to their number.",
                ),
                (f"Positions from 1 to their number for the other {stops} shall exclude subtours.",),
            )
        )
        if data["before"]:
            facts += [
                Fact("p", data["before"][0], f"number of the {stop} to visit earlier", ("earlier", "before", "pickup")),
                Fact("q", data["before"][1], f"number of the {stop} to visit later", ("later", "after", "delivery")),
            ]
            usual = (f"The {stops} are numbered from 1 as listed.", f"Numbers of {stops} count from 1 as given.")
            rules.append(voice.phrase(usual, (f"The order of the list numbers the {stops}, from 1.",)))
        total = measure.split(" in ")[0]
        return Story(
            intro=voice.phrase(
                (f"{who} has to visit {{{stops}}}.", f"{who} must go through {{{stops}}}."),
                (f"On the list of stops are {{{stops}}}.",),
            ),
            facts=tuple(facts),
            rules=tuple(rules),
            goal=voice.phrase(
                (f"Minimize the total {total} of the {way}.", f"Find the {way} of least total {total}."),
                (f"Which {way} takes the least {total} altogether?",),
            ),
            variables=f"a binary variable per ordered pair of different {stops}"
            f"{'' if data['closed'] else ' (none into the first)'}, a continuous position per {stop} except the first",
        )

    def body(self, data: dict) -> list[str]:
        closed = data["closed"]
        targets = "r" if closed else "r[1:]"
        lines = [
            "r = range(len(c))",
            f"x = {{(i, j): m.add_binary_variable() for i in r for j in {targets} if i != j}}",
            "u = {i: m.add_variable(lb=1, ub=len(c) - 1) for i in r[1:]}",
            *([] if closed else ["m.add_linear_constraint(sum(x[0, j] for j in r[1:]) == 1)"]),
            f"for k in {targets}:",
            f"    m.add_linear_constraint(sum(v for (i, j), v in x.items() if i == k) {'==' if closed else '<='} 1)",
            "    m.add_linear_constraint(sum(v for (i, j), v in x.items() if j == k) == 1)",
            "for i, j in x:",
            f"    if {'i and j' if closed else 'i'}:",
            "        m.add_linear_constraint(u[i] - u[j] + (len(c) - 1) * x[i, j] <= len(c) - 2)",
        ]
        if data["before"]:
            lines.append("m.add_linear_constraint(u[p - 1] + 1 <= u[q - 1])")
        return [*lines, "m.minimize(sum(c[i][j] * v for (i, j), v in x.items()))"]

    def formulation(self, data: dict) -> list[str]:
        closed, target = data["closed"], "" if data["closed"] else ", j > 1"
        return [
            f"x_ij = 1 if the way goes from stop i to stop j, i != j{target}; 1 <= u_i <= N - 1 for i = 2..N; N stops",
            "min sum_ij c_ij x_ij",
            *(["sum_j x_ij = 1 for each i"] if closed else ["sum_j x_1j = 1", "sum_j x_ij <= 1 for each i > 1"]),
            f"sum_i x_ij = 1 for each j{'' if closed else ' > 1'}",
            "u_i - u_j + (N - 1) x_ij <= N - 2 for i, j > 1, i != j",
            *(["u_p + 1 <= u_q"] if data["before"] else []),
        ]


def in_the_plane(rng: Random, n: int, far: int) -> list[list[int]]:
    """Distances of points, in some instances other on the way back."""
    points = [(rng.uniform(0, far), rng.uniform(0, far)) for _ in range(n)]
    skew = rng.choice((0.0, 0.3))
    return [[0 if p == q else 1 + round(math.dist(p, q) * (1 + rng.uniform(0, skew))) for q in points] for p in points]


def drawn(rng: Random, n: int, far: int) -> list[list[int]]:
    """Entries of their own each: with positions, larger instances in the plane take solvers minutes."""
    return [[0 if i == j else rng.randint(far // 10, far) for j in range(n)] for i in range(n)]


FAMILY = Tsp()
