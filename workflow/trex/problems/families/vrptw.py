"""Vehicle routing with time windows: vehicles leave a depot, serve each customer in its window, and come back."""

import math
from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, size
from trex.problems.ir import Model
from trex.problems.network import PLACES
from trex.problems.voice import Voice

# Vehicle, vehicles, stops, goods, their units.
SCENES = (
    ("van", "vans", "shops", "bread", ("crates", "trays")),
    ("truck", "trucks", "markets", "fruit", ("pallets", "crates")),
    ("bus", "buses", "schools", "pupils", ("pupils",)),
    ("tanker", "tankers", "farms", "milk", ("litres", "gallons")),
    ("bike", "bikes", "offices", "parcels", ("parcels",)),
    ("car", "cars", "clinics", "samples", ("samples", "boxes")),
    ("boat", "boats", "islands", "mail", ("sacks", "parcels")),
    ("lorry", "lorries", "building sites", "bricks", ("pallets", "tonnes")),
)


class Vrptw(Family):
    name = "vrptw"
    bucket = "routing"
    note = """
    A binary variable per ordered pair of different stops, the depot included, says whether some vehicle drives straight
    from one to the other. Each customer is entered once and left once, and the arcs out of the depot count the
    vehicles. A start time per customer, bounded by its window, rises along each driven arc by service and travel, and
    this excludes subtours as well. The constant that switches a time row off is the
    latest start at the tail plus its service and the travel, computed for each pair: smaller is tighter. Waiting is
    allowed, so the row is an inequality. The first leg starts when the depot opens, the last must end before it closes.
    Load variables rise along arcs by the demand in the same way, up to the capacity of a vehicle. All vehicles being
    alike, no index of the vehicle is needed.
    """

    def draw(self, rng: Random, difficulty: str) -> dict:
        n = size(difficulty, 3, 4, rng.randint(5, 6), rng.randint(9, 11))
        far, step = size(difficulty, 20, 30, 60, 90), size(difficulty, 9, 20, 60, 90)
        points = [(rng.uniform(0, far), rng.uniform(0, far)) for _ in range(n + 1)]
        travel = [[0 if p == q else 1 + round(math.dist(p, q)) for q in points] for p in points]
        several = chance(rng, 0.7)
        vehicles = size(difficulty, 2, 2, 2, 3) if several else 1
        service = [0, *(rng.randint(1, 9) for _ in range(n))] if chance(rng, 0.5) else None
        demand = [0, *(rng.randint(1, size(difficulty, 9, 20, 40, 90)) for _ in range(n))]
        routes = [[i for i in rng.sample(range(1, n + 1), n) if i % vehicles == v] for v in range(vehicles)]
        earliest, latest = [0] * (n + 1), [0] * (n + 1)
        for route in routes:
            now, at = 0, 0
            for i in route:
                now += travel[at][i] + (service[at] if service else 0)
                earliest[i], latest[i] = max(0, now - rng.randint(step // 3, step)), now + rng.randint(step // 3, step)
                at = i
        home = max(latest[i] + (service[i] if service else 0) + travel[i][0] for i in range(1, n + 1))
        latest[0] = home - rng.randint(0, step // 4)
        load = max(sum(demand[i] for i in route) for route in routes)
        costed = several and chance(rng, 0.5)
        return {
            "travel": travel,
            "earliest": earliest,
            "latest": latest,
            "service": service,
            "vehicles": vehicles,
            "demand": demand if several and chance(rng, 0.6) else None,
            "capacity": load + rng.randint(0, max(demand)),
            "fixed": rng.randint(20, 99) if costed else None,
            "rate": rng.randint(2, 9) if costed else None,
        }

    def model(self, data: dict) -> Model:
        model, travel, latest = Model(), data["travel"], data["latest"]
        n, demand, capacity = len(travel), data["demand"], data["capacity"]
        service = data["service"] or [0] * n
        x = {(i, j): model.add_variable(f"x{i}_{j}", "binary") for i in range(n) for j in range(n) if i != j}
        t = [None, *(model.add_variable(f"t{i}", lb=data["earliest"][i], ub=latest[i]) for i in range(1, n))]
        w = [None, *(model.add_variable(f"w{i}", lb=demand[i], ub=capacity) for i in range(1, n))] if demand else None
        for i in range(1, n):
            model.add_row({x[i, j]: 1 for j in range(n) if j != i}, lb=1, ub=1)
            model.add_row({x[j, i]: 1 for j in range(n) if j != i}, lb=1, ub=1)
            model.add_row({t[i]: 1, x[0, i]: -data["earliest"][0] - travel[0][i]}, lb=0)
            model.add_row({t[i]: 1, x[i, 0]: service[i] + travel[i][0]}, ub=latest[0])
        for i, j in x:
            if i and j:
                gap = service[i] + travel[i][j]
                model.add_row({t[i]: 1, t[j]: -1, x[i, j]: latest[i] + gap}, ub=latest[i])
                if w:
                    model.add_row({w[i]: 1, w[j]: -1, x[i, j]: capacity}, ub=capacity - demand[j])
        out = {x[0, j]: 1 for j in range(1, n)}
        model.add_row(out, lb=1 if data["vehicles"] == 1 else -math.inf, ub=data["vehicles"])
        fixed, rate = data["fixed"] or 0, data["rate"] or 1
        model.set_objective("min", {v: rate * travel[i][j] + (0 if i else fixed) for (i, j), v in x.items()})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        vehicle, vehicles, stops, goods, units = voice.scene(SCENES)
        one = data["vehicles"] == 1
        unit = voice.unit(("minutes", "min"))
        stop = Axis("stop", "all stops", ("Depot", *voice.names(PLACES, len(data["travel"]) - 1)))
        facts = [
            Fact(
                "c",
                data["travel"],
                f"travel time in {unit}",
                ("travel", "time", "matrix"),
                (stop, stop),
                "travel from {}",
            ),
            Fact("a", data["earliest"], f"earliest start in {unit}", ("earliest", "open", "ready"), (stop,)),
            Fact("b", data["latest"], f"latest start in {unit}", ("latest", "close", "due"), (stop,)),
        ]
        if data["service"]:
            facts.append(
                Fact("s", data["service"], f"service time in {unit}", ("service", "stay", "duration"), (stop,))
            )
        if data["demand"]:
            measure = voice.unit(units)
            keys = ("demand", "load", "amount")
            facts.append(Fact("d", data["demand"], f"demand in {measure}", keys, (stop,)))
            keys = ("capacity", "room", "maximum")
            facts.append(Fact("q", data["capacity"], f"capacity of any {vehicle} in {measure}", keys))
        if not one:
            facts.append(Fact("k", data["vehicles"], f"number of {vehicles}", ("vehicles", "fleet", "count")))
        if data["fixed"]:
            keys = ("fixed", "vehicle_cost", "hire")
            facts.append(Fact("f", data["fixed"], f"cost of each {vehicle} used", keys, kind=MONEY))
            keys = ("rate", "minute_cost", "price")
            facts.append(Fact("g", data["rate"], "cost per minute of travel", keys, kind=MONEY))
        who = f"One {vehicle} brings" if one else f"Several {vehicles} bring"
        return Story(
            intro=voice.phrase(
                (
                    f"A plan covers {{all stops}}, where the depot comes first. {who} {goods} to {stops}.",
                    f"{who} {goods} to {stops}. Listed from the depot on, the data cover {{all stops}}.",
                ),
                (f"With the depot in first place, {{all stops}} are on the plan: {who.lower()} {goods} to {stops}.",),
            ),
            facts=tuple(facts),
            rules=rules(data, voice, vehicle, vehicles),
            goal=goal(data, voice),
            variables="a binary variable per ordered pair of different stops, a continuous start time "
            f"{'and a continuous load ' if data['demand'] else ''}per stop except the depot",
        )

    def body(self, data: dict) -> list[str]:
        stay = "s[i] + " if data["service"] else ""
        home = f"({stay}c[i][0])" if stay else "c[i][0]"
        loads = data["demand"] is not None
        travel = "sum(c[i][j] * v for (i, j), v in x.items())"
        if data["fixed"]:
            travel = f"f * sum(x[0, j] for j in r) + g * {travel}"
        return [
            "r = range(1, len(c))",
            "x = {(i, j): m.add_binary_variable() for i in [0, *r] for j in [0, *r] if i != j}",
            "t = {i: m.add_variable(lb=a[i], ub=b[i]) for i in r}",
            *(["w = {i: m.add_variable(lb=d[i], ub=q) for i in r}"] if loads else []),
            "for i in r:",
            "    m.add_linear_constraint(sum(v for (h, j), v in x.items() if h == i) == 1)",
            "    m.add_linear_constraint(sum(v for (h, j), v in x.items() if j == i) == 1)",
            "    m.add_linear_constraint(t[i] >= (a[0] + c[0][i]) * x[0, i])",
            f"    m.add_linear_constraint(t[i] + {home} * x[i, 0] <= b[0])",
            "    for j in r:",
            "        if i != j:",
            f"            m.add_linear_constraint(t[i] - t[j] + (b[i] + {stay}c[i][j]) * x[i, j] <= b[i])",
            *(["            m.add_linear_constraint(w[i] - w[j] + q * x[i, j] <= q - d[j])"] if loads else []),
            f"m.add_linear_constraint(sum(x[0, j] for j in r) {'== 1' if data['vehicles'] == 1 else '<= k'})",
            f"m.minimize({travel})",
        ]

    def formulation(self, data: dict) -> list[str]:
        stay, home = ("s_i + ", "(s_i + c_i0)") if data["service"] else ("", "c_i0")
        loads = data["demand"] is not None
        return [
            "x_ij = 1 if stop j follows stop i, i != j, depot 0; a_i <= t_i <= b_i start at stop i > 0"
            + ("; d_i <= w_i <= q load after stop i > 0" if loads else ""),
            "min f sum_j x_0j + g sum_ij c_ij x_ij" if data["fixed"] else "min sum_ij c_ij x_ij",
            "sum_j x_ij = 1 for each i > 0",
            "sum_j x_ji = 1 for each i > 0",
            "t_i >= (a_0 + c_0i) x_0i for each i > 0",
            f"t_i + {home} x_i0 <= b_0 for each i > 0",
            f"t_i - t_j + (b_i + {stay}c_ij) x_ij <= b_i for i, j > 0, i != j",
            *(["w_i - w_j + q x_ij <= q - d_j for i, j > 0, i != j"] if loads else []),
            "sum_j x_0j = 1" if data["vehicles"] == 1 else "sum_j x_0j <= k",
        ]


def rules(data: dict, voice: Voice, vehicle: str, vehicles: str) -> tuple[str, ...]:
    told = [
        voice.phrase(
            ("Each stop but the depot is visited exactly once.", "All stops except the depot get exactly one visit."),
            ("One visit is due to every stop other than the depot.",),
        ),
        voice.phrase(
            (
                f"Any {vehicle} leaves the depot not before its earliest start and is back by its latest start; "
                "elsewhere it must begin between earliest and latest start, and may wait.",
                f"At a stop, a {vehicle} may wait, and begins within earliest and latest start; at the depot these say "
                "when it can leave and when it must be back.",
            ),
            (
                "Earliest and latest start bound when service begins at stops, with waiting allowed; for the depot, "
                f"when any {vehicle} may leave it and has to have come back.",
            ),
        ),
    ]
    if data["demand"]:
        usual = (f"The stops of one {vehicle} must fit its capacity.", f"No {vehicle} may load more than its capacity.")
        told.append(voice.phrase(usual, (f"What one {vehicle} takes along cannot exceed its capacity.",)))
    if data["vehicles"] == 1:
        usual = (f"The {vehicle} makes a single round.", f"There is only one {vehicle} and one round.")
        told.append(voice.phrase(usual, (f"A single round of the {vehicle} has to do.",)))
    else:
        usual = (f"Some {vehicles} may stay unused.", f"Not all {vehicles} need to be used.")
        told.append(voice.phrase(usual, (f"Fewer {vehicles} may do the work.",)))
    told.append(
        voice.phrase(
            (
                f"Model each stop's start time{' and load so far' if data['demand'] else ''}; no index for vehicles.",
                f"Use start times{' and loads' if data['demand'] else ''} by stop, not by vehicle.",
            ),
            (f"Start times{' and loads' if data['demand'] else ''} belong to stops; vehicles are all alike.",),
        )
    )
    return tuple(told)


def goal(data: dict, voice: Voice) -> str:
    if data["fixed"]:
        return voice.phrase(
            ("Minimize the total cost of vehicles and travel.", "Find routes of least total cost."),
            ("Which routes cost least, vehicles and travel together?",),
        )
    return voice.phrase(
        ("Minimize total travel time.", "Find routes with the least travel time in all."),
        ("How little travel time can all routes take together?",),
    )


FAMILY = Vrptw()
