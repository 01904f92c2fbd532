"""Set cover: open the cheapest sites so that each area is covered often enough."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model

SCENES = (
    ("A city opens", "station", "stations"),
    ("A county builds", "clinic", "clinics"),
    ("A network sets up", "tower", "towers"),
    ("A park installs", "camera", "cameras"),
    ("A company hires", "guard", "guards"),
    ("A port places", "radar", "radars"),
)
AREAS = ("north", "south", "east", "west", "center", "harbor", "hill", "lake", "park", "mill")
SITES = ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J")


class SetCover(Family):
    name = "set_cover"
    bucket = "covering"

    def draw(self, rng: Random, difficulty: str) -> dict:
        sites = size(difficulty, rng.randint(3, 4), rng.randint(5, 6), rng.randint(7, 9))
        areas = size(difficulty, rng.randint(3, 4), rng.randint(4, 6), rng.randint(7, 9))
        times = 2 if chance(rng, 0.3) else 1
        largest = size(difficulty, 3, 3, 4)
        return {
            "cost": numbers(rng, sites, 2, 30) if chance(rng, 0.75) else None,
            "sites": sites,
            "reach": [
                sorted(rng.sample(range(1, sites + 1), rng.randint(min(2, sites - 1), min(largest, sites - 1))))
                for _ in range(areas)
            ],
            "times": times,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{j}", "binary") for j in range(data["sites"])]
        for sites in data["reach"]:
            model.add_row({x[site - 1]: 1 for site in sites}, lb=data["times"])
        model.set_objective("min", dict(zip(x, data["cost"] or [1] * data["sites"], strict=True)))
        return model

    def tell(self, data: dict, rng: Random) -> Story:
        lead, singular, plural = rng.choice(SCENES)
        site = Axis(singular, plural, SITES[: data["sites"]])
        area = Axis("area", "areas", tuple(rng.sample(AREAS, len(data["reach"]))))
        cover = Fact("r", data["reach"], f"{plural} that cover", ("reach", "cover", "range"), (area, site), ragged=True)
        facts = [cover, Fact("k", data["times"], f"{plural} needed per area, at least", ("needed", "times", "least"))]
        if data["cost"]:
            facts.insert(0, Fact("c", data["cost"], "cost", ("cost", "price", "expense"), (site,)))
            goal = rng.choice(("Minimize total cost.", "Find the lowest cost."))
        else:
            facts.append(Fact("n", data["sites"], f"number of {plural}", ("sites", "number", "count")))
            goal = rng.choice((f"Open as few {plural} as possible.", f"Minimize the number of {plural}."))
        return Story(
            intro=rng.choice(
                (f"{lead} some of {{{plural}}} to cover {{areas}}.", f"{lead} {plural} to cover {{areas}}.")
            ),
            facts=tuple(facts),
            rules=(f"Numbers of {plural} count from 1 in order.",),
            goal=goal,
            variables=f"one binary variable per {singular}",
        )

    def body(self, data: dict) -> list[str]:
        return [
            f"x = [m.add_binary_variable() for _ in {'c' if data['cost'] else 'range(n)'}]",
            "for q in r:",
            "    m.add_linear_constraint(sum(x[j - 1] for j in q) >= k)",
            "m.minimize(sum(i * j for i, j in zip(c, x)))" if data["cost"] else "m.minimize(sum(x))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return [
            "x_j = 1 if site j is open, else 0",
            "min sum_j c_j x_j" if data["cost"] else "min sum_j x_j",
            "sum of x_j over the sites j in r_i >= k for each area i",
        ]


FAMILY = SetCover()
