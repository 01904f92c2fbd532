"""p-median: which sites to open so that customers are as near as possible to the site that serves them."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, chance, matrix, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

PLACES = ("Arden", "Birkdale", "Corby", "Dunmore", "Elsworth", "Farley", "Glenroy", "Hadley", "Ivybridge", "Kelso")
TOWNS = ("Alton", "Barton", "Caldy", "Dalby", "Eaton", "Filey", "Garston", "Holt", "Inver", "Kirby", "Lydd", "Moreton")
# Who opens what for whom; what the weight of a customer counts.
SCENES = (
    ("A health board", ("clinic", "clinics"), ("village", "villages"), "number of patients"),
    ("A library service", ("branch", "branches"), ("district", "districts"), "number of readers"),
    ("A parcel firm", ("hub", "hubs"), ("town", "towns"), "number of parcels per day"),
    ("A fire service", ("station", "stations"), ("quarter", "quarters"), "number of calls per year"),
    ("A school authority", ("school", "schools"), ("suburb", "suburbs"), "number of pupils"),
    ("A repair company", ("workshop", "workshops"), ("client", "clients"), "number of visits per month"),
    ("A bakery chain", ("kitchen", "kitchens"), ("shop", "shops"), "number of deliveries per week"),
    ("A waste company", ("transfer yard", "transfer yards"), ("parish", "parishes"), "number of truckloads per month"),
)


class PMedian(Family):
    name = "p_median"
    bucket = "facility_location"
    note = (
        "A p-median problem opens a given number of sites and sends every customer to one of them. A binary variable "
        "per site says whether it is open, another per pair of site and customer says who serves whom. Each customer "
        "is assigned exactly once, an assignment needs an open site, and one row counts the open sites. The objective "
        "adds the distances of the chosen pairs, each times the weight of its customer where weights are given. "
        "Linking each pair to its site by a row of its own gives a much stronger relaxation than one summed row a "
        "site; with capacities the row of the site's load does the linking. Typical mistakes: to leave out the links, "
        "so that closed sites serve; to forget the weights; to ask for at most where the text says exactly; to add "
        "opening costs that nobody mentioned."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        sites = size(difficulty, 2, 3, rng.randint(4, 6), rng.randint(10, 20))
        customers = size(difficulty, rng.randint(2, 3), rng.randint(3, 5), rng.randint(7, 10), rng.randint(25, 45))
        most = size(difficulty, 1, 2, 3, 6)
        weighted = chance(rng, 0.7)
        limited = chance(rng, size(difficulty, 10, 25, 30, 30) / 100)
        number = rng.randint(2, most) if limited and most > 1 else rng.randint(1, most)
        step = size(difficulty, 1, 1, 1, 10)
        weight = [v * step for v in numbers(rng, customers, *size(difficulty, (1, 20), (1, 40), (5, 90), (10, 90)))]
        weight = weight if weighted else None
        load = weight or [1] * customers
        room = sum(load) / (1 if difficulty == "small" else number) * rng.uniform(1.1, 1.4) + max(load)
        return {
            "distance": distances(rng, sites, customers, difficulty),
            "weight": weight,
            "open": number,
            "exactly": chance(rng, 0.6),
            "capacity": [round(room * rng.uniform(1.0, 1.2)) for _ in range(sites)] if limited else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        c = data["distance"]
        sites, customers = range(len(c)), range(len(c[0]))
        weight = data["weight"] or [1] * len(customers)
        y = [model.add_variable(f"y{i}", "binary") for i in sites]
        x = [[model.add_variable(f"x{i}_{j}", "binary") for j in customers] for i in sites]
        for j in customers:
            model.add_row({x[i][j]: 1 for i in sites}, lb=1, ub=1)
        for i in sites:
            if data["capacity"]:
                model.add_row(dict(zip(x[i], weight, strict=True)) | {y[i]: -data["capacity"][i]}, ub=0)
            else:
                for j in customers:
                    model.add_row({x[i][j]: 1, y[i]: -1}, ub=0)
        model.add_row(dict.fromkeys(y, 1), lb=data["open"] if data["exactly"] else float("-inf"), ub=data["open"])
        model.set_objective("min", {x[i][j]: weight[j] * c[i][j] for i in sites for j in customers})
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, (site, sites), (customer, customers), counted = voice.scene(SCENES)
        place = Axis("candidate site", "candidate sites", voice.names(PLACES, len(data["distance"])))
        town = Axis(customer, customers, voice.names(TOWNS, len(data["distance"][0])))
        unit = voice.unit(("km", "miles"))
        keys = ("distance", "dist", "distances", "d")
        facts = [Fact("c", data["distance"], f"distance in {unit}", keys, (place, town), f"{{}}, distance in {unit}")]
        if data["weight"]:
            facts.append(Fact("w", data["weight"], counted, ("weight", "demand", "volume", "w"), (town,)))
        if data["capacity"]:
            load = counted if data["weight"] else f"number of {customers}"
            label = f"capacity when open ({load})"
            facts.append(Fact("k", data["capacity"], label, ("capacity", "room", "max_load"), (place,)))
        count = f"number of {sites} to open" if data["exactly"] else f"largest number of open {sites}"
        facts.append(Fact("p", data["open"], count, ("p", "open", "count", "sites")))
        each = voice.phrase(
            (
                f"Every {customer} is served by exactly one open {site}.",
                f"Assign each {customer} to a single {site} that is open.",
                f"Each {customer} goes to one {site}, which must be open.",
            ),
            (f"One open {site} takes care of any given {customer}, never two.",),
        )
        return Story(
            intro=voice.phrase(
                (
                    f"{who} may open {sites} at {{candidate sites}} to serve {{{customers}}}.",
                    f"{who} looks at {{candidate sites}} for new {sites}, which will serve {{{customers}}}.",
                ),
                (f"Where to put {sites}? Candidates: {{candidate sites}}. To be served: {{{customers}}}.",),
            ),
            facts=tuple(facts),
            rules=(each, self.counting(data, sites, voice)),
            goal=goal(data, counted, site, customers, voice),
            variables=f"a binary per {site} and a binary per pair of {site} and {customer}",
        )

    def counting(self, data: dict, sites: str, voice: Voice) -> str:
        if data["exactly"]:
            return voice.phrase(
                (f"Open exactly the given number of {sites}.", f"The number of open {sites} must be as given."),
                (f"Neither more nor fewer {sites} than stated are opened.",),
            )
        return voice.phrase(
            (f"Fewer {sites} may be open than allowed.", f"The number of open {sites} must not exceed its limit."),
            (f"Not every permitted one of the {sites} needs to open.",),
        )

    def body(self, data: dict) -> list[str]:
        lines = [
            "y = [m.add_binary_variable() for _ in c]",
            "x = [[m.add_binary_variable() for _ in r] for r in c]",
            "for r in zip(*x):",
            "    m.add_linear_constraint(sum(r) == 1)",
        ]
        if data["capacity"]:
            load = "sum(i * j for i, j in zip(w, r))" if data["weight"] else "sum(r)"
            lines += ["for r, v, o in zip(x, k, y):", f"    m.add_linear_constraint({load} <= v * o)"]
        else:
            lines += ["for r, o in zip(x, y):", "    for v in r:", "        m.add_linear_constraint(v <= o)"]
        lines.append(f"m.add_linear_constraint(sum(y) {'==' if data['exactly'] else '<='} p)")
        if data["weight"]:
            return [*lines, "m.minimize(sum(v * i * j for r, q in zip(c, x) for v, i, j in zip(w, r, q)))"]
        return [*lines, "m.minimize(sum(i * j for r, q in zip(c, x) for i, j in zip(r, q)))"]

    def formulation(self, data: dict) -> list[str]:
        w = "w_j " if data["weight"] else ""
        link = f"sum_j {w}x_ij <= k_i y_i for each site i" if data["capacity"] else "x_ij <= y_i for each i and j"
        return [
            "y_i = 1 if site i is open, else 0; x_ij = 1 if site i serves customer j, else 0",
            f"min sum_ij {w}c_ij x_ij",
            "sum_i x_ij = 1 for each customer j",
            link,
            f"sum_i y_i {'=' if data['exactly'] else '<='} p",
        ]


def distances(rng: Random, sites: int, customers: int, difficulty: str) -> list[list[int]]:
    """Of points in a square, rounded up; small ones are drawn freely."""
    if difficulty == "small":
        return matrix(rng, sites, customers, 1, 20)
    side = size(difficulty, 20, 40, 90, 400)
    here, there = ([(rng.uniform(0, side), rng.uniform(0, side)) for _ in range(n)] for n in (sites, customers))
    return [[1 + int(((a - u) ** 2 + (b - v) ** 2) ** 0.5) for u, v in there] for a, b in here]


def goal(data: dict, counted: str, site: str, customers: str, voice: Voice) -> str:
    if data["weight"]:
        return voice.phrase(
            (
                f"Minimize the total distance, each distance weighted by the {counted}.",
                f"Find the least sum, over the {customers}, of {counted} times distance to the serving {site}.",
            ),
            (f"With each distance multiplied by the {counted}, the overall sum is to be as short as can be.",),
        )
    return voice.phrase(
        (
            f"Minimize the sum of the distances from the {customers} to where they are served.",
            f"Find the least total distance, counting each of the {customers} once.",
        ),
        (f"All the {customers} count alike: make the sum of their distances as short as can be.",),
    )


FAMILY = PMedian()
