"""Capacity planning: how many trips of each type of vehicle carry a load, or the loads of several routes."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, WordRow, WordStory, chance, dot, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

LAND = (
    "trucks", "vans", "bikes", "carts", "buses", "tractors", "cars", "trains", "trams", "jeeps", "pickups", "trailers",
)  # fmt: skip
WATER = (
    "barges", "ferries", "boats", "rafts", "tugs", "sloops", "steamers", "canoes", "cutters", "ketches", "tenders",
)  # fmt: skip
# Who moves what, in which unit, by what.
SCENES = (
    ("A firm moves boxes", "boxes", LAND),
    ("A school moves pupils", "pupils", LAND),
    ("A port moves sand", "tons of sand", WATER),
    ("A town moves water", "barrels of water", LAND),
    ("A camp moves guests", "guests", WATER),
    ("A dairy moves milk", "cans of milk", LAND),
    ("An island moves mail", "sacks of mail", WATER),
    ("A festival moves visitors", "visitors", (*LAND, *WATER)),
)
ROUTES = (
    "red", "blue", "green", "white", "black", "brown", "pink", "gray", "amber", "violet", "silver", "gold",
    "north", "south", "east", "west", "harbor", "hill", "lake", "castle", "market", "campus", "airport", "mill",
)  # fmt: skip


class Fleet(Family):
    name = "fleet"
    bucket = "capacity_planning"
    note = (
        "A fleet problem asks how many trips each type of vehicle makes. There is an integer variable per type, or "
        "per route and type when several routes have loads of their own. A load gives one covering row: trips times "
        "what a trip carries, summed over the types, is at least the load. A limit of trips is an upper bound of one "
        "variable, or, over several routes, a row that sums a type's trips. Either cost is minimized, or the number "
        "of trips within a budget, which is then one more row. Typical mistakes are to demand that the load is met "
        "exactly, to allow parts of trips, to mix up cost and size, and to make the limit of a type hold on each "
        "route separately."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        routes = size(difficulty, 1, rng.choice((1, 2, 3)), rng.randint(4, 7), rng.randint(22, 30))
        types = size(difficulty, rng.randint(2, 3), rng.randint(4, 6) if routes == 1 else 3, rng.randint(4, 5), 7)
        carry = numbers(rng, types, *size(difficulty, (3, 30), (3, 40), (5, 60), (8, 80)))
        trips = [numbers(rng, types, *size(difficulty, (1, 6), (0, 6), (0, 6), (0, 4))) for _ in range(routes)]
        for row in trips:
            row[rng.randrange(types)] += 1
        low, high = size(difficulty, (80, 120), (80, 120), (60, 160), (60, 160))
        cost = [[max(2, c * rng.randint(low, high) // 100 + rng.randint(0, 3)) for c in carry] for _ in trips]
        # Tight limits over many routes are a long search.
        room = size(difficulty, 1, 1, 3, 5)
        tight = chance(rng, size(difficulty, 30, 30, 0, 0) / 100)
        spent = sum(map(dot, cost, trips))
        made = [sum(column) for column in zip(*trips, strict=True)]
        return {
            "carry": carry,
            "cost": cost,
            "load": [dot(carry, row) - rng.randint(0, min(carry) - 1) for row in trips],
            "most": [room * count + rng.randint(0, 4) for count in made] if chance(rng, 0.5) else None,
            "budget": spent + rng.randint(0, 9) if tight else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        routes, types = range(len(data["load"])), range(len(data["carry"]))
        x = [[model.add_variable(f"x{r}_{j}", "integer") for j in types] for r in routes]
        cost = {x[r][j]: data["cost"][r][j] for r in routes for j in types}
        for r in routes:
            model.add_row(dict(zip(x[r], data["carry"], strict=True)), lb=data["load"][r])
        if data["budget"]:
            model.add_row(cost, ub=data["budget"])
        for j, limit in enumerate(data["most"] or []):
            model.add_row({x[r][j]: 1 for r in routes}, ub=limit)
        model.set_objective("min", dict.fromkeys(cost, 1) if data["budget"] else cost)
        return model

    def is_single(self, data: dict) -> bool:
        return len(data["load"]) == 1

    def tell(self, data: dict, voice: Voice) -> Story:
        lead, load, pool = voice.scene(SCENES)
        vehicle = Axis("vehicle", "vehicles", voice.names(pool, len(data["carry"])))
        route = Axis("route", "routes", voice.names(ROUTES, len(data["load"])))
        along = () if self.is_single(data) else (route,)
        cost = data["cost"][0] if self.is_single(data) else data["cost"]
        loads = data["load"][0] if self.is_single(data) else data["load"]
        carry = ("carry", "capacity", "size")
        facts = [
            Fact("k", data["carry"], f"number of {load} carried per trip", carry, (vehicle,)),
            Fact(
                "c",
                cost,
                "cost per trip",
                ("cost", "price", "rates"),
                (*along, vehicle),
                "cost per trip on {}",
                kind=MONEY,
            ),
            Fact("n", loads, f"number of {load} to move", ("load", "total", "needed"), along),
        ]
        if data["budget"]:
            facts.append(Fact("b", data["budget"], "budget for all trips", ("budget", "money", "funds"), kind=MONEY))
        if data["most"]:
            every = "" if self.is_single(data) else ", on all routes together"
            facts.append(
                Fact("u", data["most"], f"largest number of trips{every}", ("trips", "limit", "maximum"), (vehicle,))
            )
        where = "" if self.is_single(data) else " on {routes}"
        usual = (f"{lead}{where} by {{vehicles}}.", f"{lead}{where} with {{vehicles}}.")
        return Story(
            intro=voice.phrase(usual, (f"{lead}{where}; for that it has {{vehicles}}.",)),
            facts=tuple(facts),
            rules=(self.load_rule(data, voice), self.kind_rule(voice)),
            goal=self.goal(data, voice),
            variables=f"one integer variable per {'' if self.is_single(data) else 'route and '}vehicle",
        )

    def load_rule(self, data: dict, voice: Voice) -> str:
        where = "" if self.is_single(data) else " on each route"
        budget = " within the budget" if data["budget"] else ""
        usual = (
            f"The whole load{where} must be moved{budget}.",
            f"All that is to move{where} must be carried{budget}.",
        )
        return voice.phrase(
            usual, (f"Nothing of the load{where} may stay behind{', and the budget must do' if budget else ''}.",)
        )

    def kind_rule(self, voice: Voice) -> str:
        usual = ("Trips are whole numbers, and need not be full.", "Only whole trips count, full or not.")
        return voice.phrase(usual, ("A trip is made or not made, be it with room to spare.",))

    def goal(self, data: dict, voice: Voice) -> str:
        if data["budget"]:
            usual = ("Minimize the number of trips.", "Find the fewest trips.")
            return voice.phrase(usual, ("How few trips will do?",))
        return voice.phrase(("Minimize total cost.", "Find the lowest cost."), ("How cheaply can this be done?",))

    def body(self, data: dict) -> list[str]:
        if self.is_single(data):
            made = "lb=0, ub=v) for v in u]" if data["most"] else "lb=0) for _ in k]"
            lines = [f"x = [m.add_integer_variable({made}"]
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(k, x)) >= n)")
            cost, trips = "sum(i * j for i, j in zip(c, x))", "sum(x)"
        else:
            lines = ["x = [[m.add_integer_variable(lb=0) for _ in k] for _ in n]", "for r, v in zip(x, n):"]
            lines.append("    m.add_linear_constraint(sum(i * j for i, j in zip(k, r)) >= v)")
            if data["most"]:
                lines += ["for q, v in zip(zip(*x), u):", "    m.add_linear_constraint(sum(q) <= v)"]
            cost, trips = "sum(i * j for r, q in zip(c, x) for i, j in zip(r, q))", "sum(map(sum, x))"
        if data["budget"]:
            lines.append(f"m.add_linear_constraint({cost} <= b)")
        return [*lines, f"m.minimize({trips if data['budget'] else cost})"]

    def formulation(self, data: dict) -> list[str]:
        single = self.is_single(data)
        over, term = ("j", "j") if single else ("rj", "rj")
        bound = "0 <= x_j <= u_j" if single and data["most"] else f"x_{term} >= 0"
        cost = f"sum_{over} c_{term} x_{term}"
        lines = [
            f"x_{term} = trips of vehicle j{'' if single else ' on route r'}, {bound}, integer",
            f"min {f'sum_{over} x_{term}' if data['budget'] else cost}",
            "sum_j k_j x_j >= n" if single else "sum_j k_j x_rj >= n_r for each route r",
        ]
        if data["most"] and not single:
            lines.append("sum_r x_rj <= u_j for each vehicle j")
        return [*lines, f"{cost} <= b"] if data["budget"] else lines

    def word(self, data: dict, voice: Voice) -> WordStory | None:
        count = len(data["carry"])
        if count > 3 or not self.is_single(data):
            return None
        lead, load, pool = voice.scene(SCENES)
        vehicles = voice.names(pool, count)
        carried = ", ".join(f"{name} {voice.number(n)}" for name, n in zip(vehicles, data["carry"], strict=True))
        costs = ", ".join(f"{name} {voice.money(n)}" for name, n in zip(vehicles, data["cost"][0], strict=True))
        least = voice.number(data["load"][0])
        usual = (
            f"So many {load} go on one trip: {carried}; at least {least} must be moved.",
            f"One trip carries this many {load}: {carried}, and {least} or more must be moved.",
        )
        rows = [
            voice.phrase(usual, (f"Of {load}, these fit in at a time: {carried}, and no fewer than {least} wait.",))
        ]
        if data["budget"]:
            most = voice.money(data["budget"])
            usual = (
                f"A trip costs: {costs}; all cost at most {most}.",
                f"Trip costs are {costs}, of at most {most} in all.",
            )
            rows.append(voice.phrase(usual, (f"One pays for a trip: {costs}, and has no more than {most}.",)))
        for name, limit in zip(vehicles, data["most"] or [], strict=False):
            most = voice.number(limit)
            usual = (f"At most {most} trips by {name} are possible.", f"Make at most {most} trips by {name}.")
            rows.append(voice.phrase(usual, (f"After {most} trips the {name} are out of service.",)))
        usual = (f"{lead} by {' and '.join(vehicles)}.", f"{lead} with {' and '.join(vehicles)}.")
        price = voice.phrase(
            (f"A trip costs: {costs}.", f"Cost per trip: {costs}."), (f"One pays for a trip: {costs}.",)
        )
        return WordStory(
            intro=voice.phrase(usual, (f"{lead}; for that it has {' and '.join(vehicles)}.",)),
            rows=tuple(map(WordRow, rows)),
            objective="" if data["budget"] else price,
            ending=f"{self.kind_rule(voice)} {self.goal(data, voice)}",
        )


FAMILY = Fleet()
