"""Set cover: open the cheapest sites so that each area is covered, by one site or by several."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice, letters

ACTORS = ("A city", "A county", "A company", "A province", "A new agency", "An island state")
SCENES = (
    ("opens", "station", "stations"),
    ("builds", "clinic", "clinics"),
    ("sets up", "tower", "towers"),
    ("installs", "camera", "cameras"),
    ("rents", "depot", "depots"),
    ("places", "radar", "radars"),
    ("runs", "fire post", "fire posts"),
    ("founds", "library", "libraries"),
)
AREAS = (
    "north", "south", "east", "west", "center", "harbor", "hill", "lake", "park", "mill", "forest", "valley",
    "airport", "campus", "market", "castle", "bridge", "beach", "quarry", "island",
)  # fmt: skip
ONCE, SAME, EACH = "once", "same", "each"  # every area by one site, all by the same number of sites, each by its own


class SetCover(Family):
    name = "set_cover"
    bucket = "covering"
    note = (
        "Covering chooses sites so that every area lies within reach of enough of them. There is one binary variable "
        "per site that may be opened, and the objective adds up the costs of the open ones, or simply counts them. "
        "Each area has one row: the sum of the variables of those sites that reach it is at least one, or at least "
        "the number asked for where an area needs several. The lists of sites per area are the rows; a site that is "
        "not in an area's list does not stand in its row. Typical mistakes are to read the lists the wrong way round, "
        "to be one off when sites are numbered from one, and to demand equality, which forbids harmless double cover."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        sites = size(difficulty, rng.randint(3, 5), rng.randint(7, 12), rng.randint(20, 50), rng.randint(150, 250))
        areas = size(difficulty, rng.randint(3, 4), rng.randint(5, 9), rng.randint(15, 30), rng.randint(40, 65))
        low, high = size(difficulty, (2, 3), (2, 4), (3, 6), (5, 12))
        cover = rng.choices((ONCE, SAME, EACH), (40, 30, 30))[0]
        reach = [sorted(rng.sample(range(1, sites + 1), min(sites - 1, rng.randint(low, high)))) for _ in range(areas)]
        needed = {ONCE: None, SAME: 2, EACH: [rng.randint(1, min(3, len(near))) for near in reach]}
        costs = numbers(rng, sites, *size(difficulty, (2, 30), (2, 40), (10, 99), (100, 900)))
        return {
            "cost": costs if chance(rng, size(difficulty, 70, 75, 80, 90) / 100) else None,
            "sites": sites,
            "reach": reach,
            "cover": cover,
            "needed": needed[cover],
        }

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{j}", "binary") for j in range(data["sites"])]
        for sites, needed in zip(data["reach"], self.needed(data), strict=True):
            model.add_row({x[site - 1]: 1 for site in sites}, lb=needed)
        model.set_objective("min", dict(zip(x, data["cost"] or [1] * data["sites"], strict=True)))
        return model

    def needed(self, data: dict) -> list[int]:
        return data["needed"] if data["cover"] == EACH else [data["needed"] or 1] * len(data["reach"])

    def tell(self, data: dict, voice: Voice) -> Story:
        verb, singular, plural = voice.scene(SCENES)
        actor = voice.scene(ACTORS)
        site = Axis(singular, plural, tuple(map(letters, range(data["sites"]))))
        area = Axis("area", "areas", voice.names(AREAS, len(data["reach"])))
        reach = f"numbers of the {plural} that cover an area"
        facts = [Fact("r", data["reach"], reach, ("reach", "cover", "range"), (area, site), ragged=True)]
        least = f"least number of {plural} that an area needs"
        if data["cover"] == SAME:
            facts.append(Fact("k", data["needed"], least, ("needed", "times", "least")))
        if data["cover"] == EACH:
            facts.append(Fact("k", data["needed"], least, ("needed", "times", "least"), (area,)))
        if data["cost"]:
            facts.insert(0, Fact("c", data["cost"], "cost", ("cost", "price", "expense"), (site,), kind=MONEY))
        else:
            count = f"number of {plural} to choose from"
            facts.append(Fact("n", data["sites"], count, ("sites", "number", "count")))
        lead = f"{actor} {verb}"
        intro = (f"{lead} {plural} to cover {{areas}}.", f"{lead} {plural} so that {{areas}} are covered.")
        return Story(
            intro=voice.phrase(intro, (f"To reach {{areas}}, {actor[0].lower()}{actor[1:]} {verb} {plural}.",)),
            facts=tuple(facts),
            rules=(
                voice.phrase(
                    (f"The {plural} are numbered from 1 in order; each is there once.",),
                    (f"Numbers of {plural} begin at 1, and no number stands for two of them.",),
                ),
                self.cover_rule(data, singular, plural, voice),
            ),
            goal=self.goal(data, plural, voice),
            variables=f"one binary variable per {singular}",
        )

    def cover_rule(self, data: dict, singular: str, plural: str, voice: Voice) -> str:
        if data["cover"] == ONCE:
            usual = (
                f"Each area must be covered by at least one {singular}.",
                f"Every area needs one {singular} or more.",
            )
            return voice.phrase(usual, (f"No area may be left without any of its {plural}.",))
        usual = (f"Each area must be covered by enough {plural}.", f"Every area must get as many {plural} as it needs.")
        return voice.phrase(usual, (f"Fewer {plural} than needed leave an area badly served, which is ruled out.",))

    def goal(self, data: dict, plural: str, voice: Voice) -> str:
        if data["cost"]:
            usual = ("Minimize total cost.", "Find the lowest cost.")
            return voice.phrase(usual, (f"The {plural} taken should cost as little as can be.",))
        usual = (f"Use as few {plural} as possible.", f"Minimize the number of {plural}.")
        return voice.phrase(usual, (f"How many {plural} will do at the very least?",))

    def body(self, data: dict) -> list[str]:
        loop = "for q, v in zip(r, k):" if data["cover"] == EACH else "for q in r:"
        needed = {ONCE: "1", SAME: "k", EACH: "v"}[data["cover"]]
        return [
            f"x = [m.add_binary_variable() for _ in {'c' if data['cost'] else 'range(n)'}]",
            loop,
            f"    m.add_linear_constraint(sum(x[j - 1] for j in q) >= {needed})",
            "m.minimize(sum(i * j for i, j in zip(c, x)))" if data["cost"] else "m.minimize(sum(x))",
        ]

    def formulation(self, data: dict) -> list[str]:
        needed = {ONCE: "1", SAME: "k", EACH: "k_i"}[data["cover"]]
        return [
            "x_j = 1 if site j is open, else 0",
            "min sum_j c_j x_j" if data["cost"] else "min sum_j x_j",
            f"sum of x_j over j in r_i >= {needed} for each area i",
        ]


FAMILY = SetCover()
