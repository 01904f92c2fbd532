"""Capacity planning: how many vehicles of each type to send so that a load is carried."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, WordStory, chance, dot, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A firm moves boxes by", ("truck", "van", "bike", "cart", "drone"), "boxes"),
    ("A school moves pupils by", ("bus", "van", "car", "train", "tram"), "pupils"),
    ("A port moves sand by", ("barge", "ship", "truck", "boat", "wagon"), "tons of sand"),
    ("A town moves water by", ("tanker", "truck", "barge", "pipe", "cart"), "tons of water"),
    ("A camp moves guests by", ("boat", "jeep", "bus", "ferry", "plane"), "guests"),
    ("A dairy moves milk by", ("tanker", "van", "truck", "wagon", "train"), "tons of milk"),
)


class Fleet(Family):
    name = "fleet"
    bucket = "capacity_planning"

    def draw(self, rng: Random, difficulty: str) -> dict:
        types = size(difficulty, 2, 3, rng.randint(4, 5))
        trips = numbers(rng, types, 1, 6)
        cost = numbers(rng, types, 5, 60)
        carry = numbers(rng, types, 3, 30)
        fewest = chance(rng, 0.35)
        return {
            "carry": carry,
            "cost": cost,
            "load": dot(carry, trips) - rng.randint(0, 5),
            "most": [count + rng.randint(0, 4) for count in trips] if chance(rng, 0.5) else None,
            "budget": dot(cost, trips) + rng.randint(0, 9) if fewest else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{j}", "integer") for j in range(len(data["carry"]))]
        model.add_row(dict(zip(x, data["carry"], strict=True)), lb=data["load"])
        if data["budget"]:
            model.add_row(dict(zip(x, data["cost"], strict=True)), ub=data["budget"])
        for j, limit in enumerate(data["most"] or []):
            model.add_row({x[j]: 1}, ub=limit)
        model.set_objective("min", dict.fromkeys(x, 1) if data["budget"] else dict(zip(x, data["cost"], strict=True)))
        return model

    def goal(self, data: dict, rng: Random) -> str:
        if data["budget"]:
            return rng.choice(("Minimize the number of trips.", "Find the fewest trips."))
        return rng.choice(("Minimize total cost.", "Find the lowest cost."))

    def tell(self, data: dict, rng: Random) -> Story:
        lead, vehicles, load = rng.choice(SCENES)
        vehicle = Axis("vehicle", "vehicles", tuple(rng.sample(vehicles, len(data["carry"]))))
        facts = [
            Fact("k", data["carry"], f"{load} per trip", ("carry", "capacity", "size"), (vehicle,)),
            Fact("c", data["cost"], "cost per trip", ("cost", "price", "rates"), (vehicle,)),
            Fact("n", data["load"], f"{load} to move, at least", ("load", "total", "needed")),
        ]
        if data["budget"]:
            facts.append(Fact("b", data["budget"], "total cost at most", ("budget", "money", "funds")))
        if data["most"]:
            facts.append(Fact("u", data["most"], "trips at most", ("trips", "limit", "maximum"), (vehicle,)))
        return Story(
            intro=f"{lead} {{vehicles}}.",
            facts=tuple(facts),
            rules=(rng.choice(("Trips are whole numbers.", "Only whole trips count.")),),
            goal=self.goal(data, rng),
            variables="one integer variable per vehicle",
        )

    def body(self, data: dict) -> list[str]:
        made = "lb=0, ub=v) for v in u]" if data["most"] else "lb=0) for _ in k]"
        lines = [
            f"x = [m.add_integer_variable({made}",
            "m.add_linear_constraint(sum(i * j for i, j in zip(k, x)) >= n)",
        ]
        if data["budget"]:
            return [
                *lines,
                "m.add_linear_constraint(sum(i * j for i, j in zip(c, x)) <= b)",
                "m.minimize(sum(x))",
            ]
        return [*lines, "m.minimize(sum(i * j for i, j in zip(c, x)))"]

    def formulation(self, data: dict) -> list[str]:
        lines = [
            f"x_j = trips of vehicle j, {'0 <= x_j <= u_j' if data['most'] else 'x_j >= 0'}, integer",
            "min sum_j x_j" if data["budget"] else "min sum_j c_j x_j",
            "sum_j k_j x_j >= n",
        ]
        return [*lines, "sum_j c_j x_j <= b"] if data["budget"] else lines

    def word(self, data: dict, rng: Random) -> WordStory | None:
        count = len(data["carry"])
        if count > 3:
            return None
        lead, vehicles, load = rng.choice(SCENES)
        vehicles = rng.sample(vehicles, count)
        carried = [f"a {name} {amount}" for name, amount in zip(vehicles, data["carry"], strict=True)]
        costs = [f"{amount} by {name}" for name, amount in zip(vehicles, data["cost"], strict=True)]
        rows = [f"Per trip, {', '.join(carried)} {load}; at least {data['load']} must be moved."]
        if data["budget"]:
            rows.append(f"A trip costs {', '.join(costs)}; the total is at most {data['budget']}.")
        for name, limit in zip(vehicles, data["most"] or [], strict=False):
            rows.append(f"At most {limit} {name} trips are possible.")
        whole = rng.choice(("Trips are whole numbers.", "Only whole trips count."))
        return WordStory(
            intro=f"{lead} {' and '.join(vehicles)}.",
            rows=tuple(rows),
            objective="" if data["budget"] else f"A trip costs {', '.join(costs)}.",
            ending=f"{whole} {self.goal(data, rng)}",
        )


FAMILY = Fleet()
