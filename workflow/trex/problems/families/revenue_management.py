"""Revenue management: how many of each product to sell when products share seats or rooms, for the most revenue."""

from random import Random

from trex.problems.family import MONEY, SHARE, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

FARES = ("saver", "flex", "basic", "group", "senior", "youth", "club", "early", "late", "family", "premium", "staff")
# Who sells; the resources, in order; the products; what is taken up.
SCENES = (
    ("An airline", ("leg", "legs"), ("ticket type", "ticket types"), "seats"),
    ("A hotel", ("night", "nights"), ("package", "packages"), "rooms"),
    ("A railway", ("section", "sections"), ("fare", "fares"), "seats"),
    ("A ferry line", ("crossing", "crossings"), ("ticket", "tickets"), "car places"),
    ("A coach company", ("stage", "stages"), ("ticket type", "ticket types"), "seats"),
    ("A campsite", ("weekend", "weekends"), ("offer", "offers"), "pitches"),
    ("A festival", ("evening", "evenings"), ("pass", "passes"), "seats"),
    ("A cruise line", ("stretch", "stretches"), ("cruise", "cruises"), "cabins"),
)


class RevenueManagement(Family):
    name = "revenue_management"
    bucket = "revenue"
    note = (
        "In revenue management the products on sale use resources that are there in fixed number: seats on the legs of "
        "a network, rooms on the nights of a stay. An integer variable per product counts how many are sold; its upper "
        "bound is the demand, its lower bound what has been promised. One row per resource adds the products that use "
        "it, each times the places that one sale takes, and keeps the sum within what is there, or a little above when "
        "overbooking is allowed. The objective adds fare times sales. Typical mistakes: to count a product on its "
        "first leg alone, to treat the legs as one pool, to take demand as something that must be served, and to "
        "apply the overbooking percentage to the demand instead of the capacity."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        legs = size(difficulty, 2, rng.randint(3, 4), rng.randint(6, 10), rng.randint(25, 50))
        products = size(difficulty, 3, rng.randint(6, 9), rng.randint(20, 40), rng.randint(150, 400))
        longest = size(difficulty, 2, 3, 4, 5)
        uses = [[1, 2]]
        for index in range(1, products):
            first = index % legs if index < legs else rng.randrange(legs)
            uses.append(list(range(first + 1, min(legs, first + rng.randint(1, longest)) + 1)))
        demand = numbers(rng, products, *size(difficulty, (5, 30), (5, 40), (10, 60), (5, 30)))
        places = numbers(rng, products, 1, 3) if chance(rng, size(difficulty, 10, 30, 40, 40) / 100) else None
        asked = [
            sum(d * v for d, v, use in zip(demand, places or [1] * products, uses, strict=True) if leg + 1 in use)
            for leg in range(legs)
        ]
        step = size(difficulty, 1, 1, 1, 10)
        promised = chance(rng, size(difficulty, 10, 30, 40, 40) / 100)
        return {
            "fare": [step * round(rng.randint(8, 30) * (0.5 + len(use) / 2) * (places or [1] * products)[p])
                     for p, use in enumerate(uses)],
            "demand": demand,
            "uses": uses,
            "places": places,
            "promised": [rng.randint(0, d // 4) for d in demand] if promised else None,
            "capacity": [max(1, round(v * rng.uniform(0.5, 0.85))) for v in asked],
            "overbooking": rng.randint(2, 12) if chance(rng, size(difficulty, 0, 25, 30, 30) / 100) else None,
        }  # fmt: skip

    def model(self, data: dict) -> Model:
        model = Model()
        products = range(len(data["fare"]))
        least = data["promised"] or [0] * len(products)
        x = [model.add_variable(f"x{p}", "integer", least[p], data["demand"][p]) for p in products]
        places = data["places"] or [1] * len(products)
        for leg, capacity in enumerate(data["capacity"], 1):
            limit = (100 + data["overbooking"]) / 100 * capacity if data["overbooking"] else capacity
            model.add_row({x[p]: places[p] for p in products if leg in data["uses"][p]}, ub=limit)
        model.set_objective("max", dict(zip(x, data["fare"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, (leg, legs), (product, products), places = voice.scene(SCENES)
        good = Axis(product, products, voice.names(FARES, len(data["fare"])))
        part = Axis(leg, legs, tuple(f"{leg} {number + 1}" for number in range(len(data["capacity"]))))
        label = f"numbers of the {legs} that it uses"
        facts = [
            Fact("f", data["fare"], "price", ("price", "fare", "revenue", "rate"), (good,), kind=MONEY),
            Fact("d", data["demand"], "largest number that can be sold", ("demand", "most", "requests"), (good,)),
            Fact("l", data["uses"], label, (legs, "uses", "route", "parts"), (good, part), ragged=True),
            Fact("k", data["capacity"], f"number of {places}", ("capacity", "available", "places"), (part,)),
        ]
        if data["places"]:
            label = f"number of {places} that one sale takes"
            facts.append(Fact("s", data["places"], label, ("size", "per_sale", "use"), (good,)))
        if data["promised"]:
            label = "least number to sell, already promised"
            facts.append(Fact("a", data["promised"], label, ("promised", "least", "booked"), (good,)))
        if data["overbooking"]:
            label = f"share of {places} that may be sold beyond those there are"
            facts.append(Fact("o", data["overbooking"], label, ("overbooking", "extra", "beyond"), kind=SHARE))
        return Story(
            intro=voice.phrase(
                (
                    f"{who} sells {{{products}}} for {{{legs}}}.",
                    f"{who} has {places} on {{{legs}}} and offers {{{products}}}.",
                ),
                (f"On sale are {{{products}}}. {who} has to divide its {places} of {{{legs}}} among them.",),
            ),
            facts=tuple(facts),
            rules=rules(data, (leg, legs, product, places), voice),
            goal=voice.phrase(
                ("Maximize the revenue.", "Find the largest total revenue.", "How much can be earned at most?"),
                ("The takings should be as high as possible.",),
            ),
            variables=f"the number sold of each {product}, integer",
        )

    def body(self, data: dict) -> list[str]:
        bounds = "lb=o, ub=v) for o, v in zip(a, d)]" if data["promised"] else "lb=0, ub=v) for v in d]"
        if data["promised"] and data["overbooking"]:
            bounds = "lb=w, ub=v) for w, v in zip(a, d)]"
        used = (
            "sum(i * j for i, j, r in zip(s, x, l) if t in r)"
            if data["places"]
            else "sum(i for i, r in zip(x, l) if t in r)"
        )
        limit = "(100 + o) / 100 * v" if data["overbooking"] else "v"
        return [
            f"x = [m.add_integer_variable({bounds}",
            "for t, v in enumerate(k, 1):",
            f"    m.add_linear_constraint({used} <= {limit})",
            "m.maximize(sum(i * j for i, j in zip(f, x)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        limit = "(100 + o) / 100 k_t" if data["overbooking"] else "k_t"
        return [
            f"x_p = number sold of p, integer, {'a_p' if data['promised'] else 0} <= x_p <= d_p",
            "max sum_p f_p x_p",
            f"sum_(p with t in l_p) {'s_p ' if data['places'] else ''}x_p <= {limit} for each t",
        ]


def rules(data: dict, words: tuple[str, str, str, str], voice: Voice) -> tuple[str, ...]:
    leg, legs, product, places = words
    found = [
        voice.phrase(
            (f"The {legs} are numbered from 1.", f"{legs.capitalize()} carry the numbers 1, 2 and so on."),
            (f"Number 1 is the first of the {legs}.",),
        )
    ]
    if not data["places"]:
        found.append(
            voice.phrase(
                (
                    f"One sale takes one of the {places} on every {leg} that the {product} uses.",
                    f"Each {product} sold uses one of the {places} on each of its {legs}.",
                ),
                (f"With every sale one of the {places} is gone on all its {legs}.",),
            )
        )
    else:
        found.append(
            voice.phrase(
                (
                    f"A sale takes its {places} on every {leg} that the {product} uses.",
                    f"The {places} of a sale are used on each of its {legs}.",
                ),
                (f"All the {legs} of a sale lose the same number of {places}.",),
            )
        )
    return tuple(found)


FAMILY = RevenueManagement()
