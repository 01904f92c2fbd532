"""Maximum dispersion: which sites to choose so that they lie far apart, in total or at the closest."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# Who, a site, sites.
SCENES = (
    ("A franchise wants to open", "shop", "shops"),
    ("A city plans to build", "fire station", "fire stations"),
    ("A utility means to put up", "wind turbine", "wind turbines"),
    ("A telecom firm is to raise", "mast", "masts"),
    ("A state wants to place", "library", "libraries"),
    ("A weather service is to set up", "sensor", "sensors"),
    ("A bank plans to keep", "vault", "vaults"),
    ("A chemical firm needs", "depot", "depots"),
)
PLACES = (
    "Aarhus", "Bilbao", "Cork", "Dresden", "Evora", "Fulda", "Ghent", "Hull", "Izmir", "Jena", "Kiel", "Leeds", "Metz",
    "Nice", "Odense", "Parma", "Riga", "Split", "Trier", "Ulm", "Vaasa", "Worms", "York", "Zadar",
)  # fmt: skip
UNITS = ("km", "miles", "minutes by road")


class MaximumDispersion(Family):
    name = "maximum_dispersion"
    bucket = "graph"
    note = (
        "From several sites some are chosen so that they lie far apart. One binary for each site says whether it is "
        "chosen. For the greatest total distance, a pair counts only if both of its sites are chosen: a product of two "
        "binaries, which becomes a binary for each pair that is at most each of the two. For the greatest least "
        "distance one variable stands for it; for each pair it is at most the distance, plus a constant for each site "
        "of the pair that is not chosen, and the largest distance is a constant that is large enough. A number of "
        "sites or a budget limits the choice. Typical mistakes: each pair counted twice, the pair's binary bounded by "
        "one site only, and a least distance over all sites instead of the chosen ones."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        goal = "total" if chance(rng, size(difficulty, 50, 50, 60, 80) / 100) else "closest"
        if goal == "total":
            sites = size(difficulty, 3, rng.randint(4, 5), rng.randint(7, 9), rng.randint(13, 15))
        else:
            sites = size(difficulty, rng.randint(3, 4), rng.randint(5, 6), rng.randint(10, 14), rng.randint(20, 26))
        reach = size(difficulty, 9, 40, 99, 900)
        at = [(rng.randint(0, reach), rng.randint(0, reach)) for _ in range(sites)]
        distance = [[max(1, abs(a - c) + abs(b - d)) if (a, b) != (c, d) else 0 for c, d in at] for a, b in at]
        chosen = rng.randint(*size(difficulty, (2, 2), (2, 3), (3, 4), (3, 4)))
        cost = numbers(rng, sites, *size(difficulty, (1, 9), (2, 30), (5, 60), (100, 900)))
        limited = chance(rng, 0.3)
        if len(set(at)) < sites:
            return self.draw(rng, difficulty)
        return {
            "distance": distance,
            "goal": goal,
            "chosen": None if limited and goal == "total" else chosen,
            "cost": cost if limited else None,
            "budget": round(sum(sorted(cost)[:chosen]) * rng.uniform(1.1, 1.6)) + 1 if limited else None,
        }

    def model(self, data: dict) -> Model:
        model, d = Model(), data["distance"]
        x = [model.add_variable(f"x{i}", "binary") for i in range(len(d))]
        pairs = [(i, j) for i in range(len(d)) for j in range(i)]
        if data["goal"] == "total":
            y = {(i, j): model.add_variable(f"y{i}_{j}", "binary") for i, j in pairs}
            for i, j in pairs:
                model.add_row({y[i, j]: 1, x[i]: -1}, ub=0)
                model.add_row({y[i, j]: 1, x[j]: -1}, ub=0)
            model.set_objective("max", {y[i, j]: d[i][j] for i, j in pairs})
        else:
            far, t = max(map(max, d)), model.add_variable("closest")
            for i, j in pairs:
                model.add_row({t: 1, x[i]: far, x[j]: far}, ub=d[i][j] + 2 * far)
            model.set_objective("max", {t: 1})
        if data["chosen"]:
            model.add_row(dict.fromkeys(x, 1), lb=data["chosen"], ub=data["chosen"])
        if data["cost"]:
            model.add_row(dict(zip(x, data["cost"], strict=True)), ub=data["budget"])
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, one, many = voice.scene(SCENES)
        unit = voice.unit(UNITS)
        site = Axis("site", "sites", voice.names(PLACES, len(data["distance"])))
        label, keys = f"distance between sites in {unit}", ("distance", "apart", "far", "length")
        facts = (
            Fact("d", data["distance"], label, keys, (site, site), "from {}"),
            Fact("k", data["chosen"], f"number of {many}", ("number", "count", "chosen", "open")),
            Fact("c", data["cost"], f"cost of a {one}", ("cost", "price", "rent", "expense"), (site,), kind=MONEY),
            Fact("b", data["budget"], "budget", ("budget", "money", "funds"), kind=MONEY),
        )
        return Story(
            intro=voice.phrase(
                (f"{who} {many} at some of {{sites}}.", f"{who} {many}, for which it can choose among {{sites}}."),
                (f"{who} {many}; there is a choice of {{sites}}.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice, one, many)),
            goal=goal(data, voice, many),
            variables="a binary per site, "
            + ("a binary per pair of sites" if data["goal"] == "total" else "one continuous for the least distance"),
        )

    def body(self, data: dict) -> list[str]:
        lines = ["x = [m.add_binary_variable() for _ in d]"]
        if data["chosen"]:
            lines.append("m.add_linear_constraint(sum(x) == k)")
        if data["cost"]:
            lines.append("m.add_linear_constraint(sum(i * j for i, j in zip(c, x)) <= b)")
        pairs = ["for i in range(len(d)):", "    for j in range(i):"]
        if data["goal"] == "total":
            row = "        m.add_linear_constraint(y[i, j] <= x[{}])"
            return [
                *lines,
                "y = {(i, j): m.add_binary_variable() for i in range(len(d)) for j in range(i)}",
                "for i, j in y:",
                row.format("i")[4:],
                row.format("j")[4:],
                "m.maximize(sum(d[i][j] * y[i, j] for i, j in y))",
            ]
        lines += ["t = m.add_variable(lb=0)", "q = max(map(max, d))", *pairs]
        lines.append("        m.add_linear_constraint(t <= d[i][j] + q * (2 - x[i] - x[j]))")
        return [*lines, "m.maximize(t)"]

    def formulation(self, data: dict) -> list[str]:
        if data["goal"] == "total":
            lines = ["x_i = 1 if site i is chosen, else 0; y_ij = 1 if both i and j are, else 0, for j < i"]
            lines += ["max sum_(j<i) d_ij y_ij", "y_ij <= x_i for j < i", "y_ij <= x_j for j < i"]
        else:
            lines = ["x_i = 1 if site i is chosen, else 0; t >= 0 least distance", "max t"]
            lines.append("t <= d_ij + q (2 - x_i - x_j) for j < i, q = max d")
        if data["chosen"]:
            lines.append("sum_i x_i = k")
        return [*lines, "sum_i c_i x_i <= b"] if data["cost"] else lines


def rules(data: dict, voice: Voice, one: str, many: str) -> list[str]:
    usual = (f"A site has room for one {one}.", f"There can be at most one {one} at a site.")
    told = [voice.phrase(usual, (f"No site takes a second {one}.",))]
    if data["cost"]:
        usual = (f"All {many} together may not cost more than the budget.", f"The budget has to cover all {many}.")
        told.append(voice.phrase(usual, (f"What the {many} cost must be within the budget.",)))
    return told


def goal(data: dict, voice: Voice, many: str) -> str:
    if data["goal"] == "total":
        return voice.phrase(
            (
                "Maximize the sum of distances over all pairs of chosen sites.",
                f"The distances between all pairs of {many}, each pair counted once, are to add up to the most.",
            ),
            ("How large can the sum of distances get over all pairs of sites that are chosen?",),
        )
    return voice.phrase(
        (
            "Maximize the smallest distance between two chosen sites.",
            f"The two closest {many} shall be as far apart as possible.",
        ),
        (f"Place the {many} so that the nearest two of them are farthest from each other.",),
    )


FAMILY = MaximumDispersion()
