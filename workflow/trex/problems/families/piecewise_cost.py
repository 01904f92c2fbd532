"""Piecewise cost: how much to buy from each supplier when the price depends on the quantity, tier by tier."""

from random import Random

from trex.problems.family import MONEY, SHARE, Axis, Fact, Family, Story, chance, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

SELLERS = ("Abel", "Brandt", "Cole", "Dietz", "Engel", "Frost", "Grant", "Hahn", "Irwin", "Jung", "Keller", "Lang")
RISING, FALLING, WHOLE_ORDER = "rising", "falling", "whole_order"
FEE = {RISING: 0.0, FALLING: 1.0, WHOLE_ORDER: 0.4}
# Who buys, from whom, what (by the piece), what (by the amount), its unit.
SCENES = (
    ("A builder", ("quarry", "quarries"), "slabs", "gravel", "tons"),
    ("A canteen", ("grocer", "grocers"), "crates", "flour", "sacks"),
    ("A brewery", ("maltster", "maltsters"), "kegs", "malt", "tons"),
    ("A printer", ("mill", "mills"), "rolls", "paper", "tons"),
    ("A laundry", ("utility", "utilities"), "canisters", "water", "cubic metres"),
    ("A hospital", ("wholesaler", "wholesalers"), "kits", "oxygen", "litres"),
    ("A steel works", ("mine", "mines"), "ingots", "ore", "tons"),
    ("A data centre", ("provider", "providers"), "licences", "electricity", "megawatt hours"),
)


class PiecewiseCost(Family):
    name = "piecewise_cost"
    bucket = "piecewise"
    note = (
        "When a price depends on the quantity, each tier of each supplier gets its own quantity variable. If prices "
        "rise from tier to tier, the cheap tiers fill first by themselves: widths as bounds are enough, the model is "
        "linear. If prices fall, or a fee is due, a binary variable per tier says whether it is in use; a tier may be "
        "used only when the one before is full, so its quantity lies between its width times the next binary and its "
        "width times its own. When the price of the tier reached holds for the whole order, choose at most one tier, "
        "and let the quantity lie between its ends or be zero. Typical mistakes: to leave out binaries with falling "
        "prices, so that the cheapest tier is bought first, and to confuse prices for the part in a tier with prices "
        "for the whole order."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        kind = rng.choice((RISING, FALLING, WHOLE_ORDER))
        more = 2 if kind == RISING else 1  # without binaries it takes twice the suppliers for the same size
        sellers = size(difficulty, 2, rng.randint(2, 3) * more, rng.randint(4, 6) * more, rng.randint(20, 30) * more)
        tiers = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 4), rng.randint(4, 5))
        widths = [numbers(rng, tiers, *size(difficulty, (5, 20), (5, 30), (10, 50), (20, 200))) for _ in range(sellers)]
        base = numbers(rng, sellers, *size(difficulty, (12, 30), (15, 40), (20, 60), (30, 80)))
        steps = [[rng.randint(1, max(1, v // (2 * tiers))) for _ in range(tiers)] for v in base]
        up = 1 if kind == RISING else -1
        room = sum(map(sum, widths))
        need = round(room * rng.uniform(0.35, 0.65))
        limited = sellers > 2 and chance(rng, 0.4)
        largest = max(map(sum, widths))
        return {
            "kind": kind,
            "price": [[v + up * sum(step[:t]) for t in range(tiers)] for v, step in zip(base, steps, strict=True)],
            "width": widths,
            "fee": [rng.randint(2, 4) * v for v in base] if chance(rng, FEE[kind]) else None,
            "need": need,
            "exactly": kind != WHOLE_ORDER and chance(rng, 0.5),
            "share": min(90, max(-(-130 // sellers), round(70 * largest / need))) if limited else None,
        }

    def model(self, data: dict) -> Model:
        model = Model()
        price, sellers, tiers = data["price"], range(len(data["price"])), range(len(data["price"][0]))
        by_piece = data["kind"] == WHOLE_ORDER
        high = largest(data)
        x = [[model.add_variable(f"x{s}_{t}", "integer" if by_piece else "continuous",
                                 ub=high[s][t] if data["kind"] == RISING else float("inf")) for t in tiers]
             for s in sellers]  # fmt: skip
        cost = {x[s][t]: price[s][t] for s in sellers for t in tiers}
        need, quantity = data["need"], {v: 1 for row in x for v in row}
        model.add_row(quantity, lb=need, ub=need if data["exactly"] else float("inf"))
        for s in sellers:
            if data["share"]:
                model.add_row(dict.fromkeys(x[s], 1), ub=data["share"] / 100 * need)
            if data["kind"] == RISING:
                continue
            y = [model.add_variable(f"y{s}_{t}", "binary") for t in tiers]
            for t in tiers:
                model.add_row({x[s][t]: 1, y[t]: -high[s][t]}, ub=0)
                if by_piece:
                    model.add_row({x[s][t]: 1, y[t]: -smallest(data)[s][t]}, lb=0)
                elif t + 1 in tiers:
                    model.add_row({x[s][t]: 1, y[t + 1]: -high[s][t]}, lb=0)
            if by_piece:
                model.add_row(dict.fromkeys(y, 1), ub=1)
            if data["fee"]:
                cost |= dict.fromkeys(y if by_piece else y[:1], data["fee"][s])
        model.set_objective("min", cost)
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        who, (seller, sellers), pieces, stuff, unit = voice.scene(SCENES)
        by_piece = data["kind"] == WHOLE_ORDER
        good = pieces if by_piece else stuff
        shop = Axis(seller, sellers, voice.names(SELLERS, len(data["price"])))
        tier = Axis("tier", "tiers", tuple(f"tier {number + 1}" for number in range(len(data["price"][0]))))
        return Story(
            intro=voice.phrase(
                (f"{who} buys {good} from {{{sellers}}}.", f"{who} needs {good}; on offer are {{{sellers}}}."),
                (f"{who} wants {good}. Ready to supply it are {{{sellers}}}.",),
            ),
            facts=facts(data, shop, tier, good, pieces[:-1] if by_piece else unit),
            rules=rules(data, seller, sellers, good, voice),
            goal=voice.phrase(
                ("Minimize the total cost of buying.", "Find the cheapest way to buy."),
                ("Spend as little as possible on the purchase.",),
            ),
            variables=variables(data["kind"], seller),
        )

    def body(self, data: dict) -> list[str]:
        price = "sum(i * j for r, q in zip(p, x) for i, j in zip(r, q))"
        total = f"m.add_linear_constraint(sum(map(sum, x)) {'==' if data['exactly'] else '>='} d)"
        share = ["for r in x:", "    m.add_linear_constraint(sum(r) <= s / 100 * d)"] if data["share"] else []
        if data["kind"] == RISING:
            return ["x = [[m.add_variable(lb=0, ub=v) for v in r] for r in w]", total, *share, f"m.minimize({price})"]
        kind = "integer_variable" if data["kind"] == WHOLE_ORDER else "variable"
        lines = [
            f"x = [[m.add_{kind}(lb=0) for _ in r] for r in p]",
            "y = [[m.add_binary_variable() for _ in r] for r in p]",
            total,
            *share,
        ]
        if data["kind"] == WHOLE_ORDER:
            lines += [
                "for r, o, h, q in zip(x, y, l, u):",
                "    m.add_linear_constraint(sum(o) <= 1)",
                "    for t, v in enumerate(r):",
                "        m.add_linear_constraint(v <= q[t] * o[t])",
                "        m.add_linear_constraint(v >= h[t] * o[t])",
            ]
            fee = " + sum(i * sum(o) for i, o in zip(f, y))" if data["fee"] else ""
            return [*lines, f"m.minimize({price}{fee})"]
        return [
            *lines,
            "for r, o, v in zip(x, y, w):",
            "    for t in range(len(v)):",
            "        m.add_linear_constraint(r[t] <= v[t] * o[t])",
            "    for t in range(len(v) - 1):",
            "        m.add_linear_constraint(r[t] >= v[t] * o[t + 1])",
            f"m.minimize({price} + sum(i * o[0] for i, o in zip(f, y)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        total = f"sum_kt x_kt {'=' if data['exactly'] else '>='} d"
        share = ["sum_t x_kt <= s / 100 d for each k"] if data["share"] else []
        if data["kind"] == RISING:
            return ["0 <= x_kt <= w_kt bought from k in tier t", "min sum_kt p_kt x_kt", total, *share]
        if data["kind"] == WHOLE_ORDER:
            return [
                "x_kt >= 0 bought from k at the price of tier t, integer; y_kt = 1 if tier t is chosen, else 0",
                f"min sum_kt {'(p_kt x_kt + f_k y_kt)' if data['fee'] else 'p_kt x_kt'}",
                total,
                *share,
                "l_kt y_kt <= x_kt <= u_kt y_kt for each k and t",
                "sum_t y_kt <= 1 for each k",
            ]
        return [
            "x_kt >= 0 bought from k in tier t; y_kt = 1 if tier t is used, else 0",
            "min sum_kt p_kt x_kt + sum_k f_k y_k1",
            total,
            *share,
            "x_kt <= w_kt y_kt for each k and t",
            "x_kt >= w_kt y_k,t+1 for each k and each t but the last",
        ]


def largest(data: dict) -> list[list[int]]:
    """What can be bought in a tier: its width, or the upper end of the order."""
    if data["kind"] != WHOLE_ORDER:
        return data["width"]
    return [[sum(row[: t + 1]) for t in range(len(row))] for row in data["width"]]


def smallest(data: dict) -> list[list[int]]:
    """The least order that gets the price of a tier; small orders are not accepted."""
    return [[2 if t == 0 else sum(row[:t]) + 1 for t in range(len(row))] for row in data["width"]]


def facts(data: dict, shop: Axis, tier: Axis, good: str, unit: str) -> tuple[Fact, ...]:
    both = (shop, tier)
    per = f"price per {unit}" if data["kind"] == WHOLE_ORDER else f"price per unit of {good}"
    what = good if data["kind"] == WHOLE_ORDER else f"{good} in {unit}"
    keys = ("price", "prices", "tariff")
    found = [Fact("p", data["price"], per, keys, both, f"{per} at {{}}", kind=MONEY)]
    if data["kind"] == WHOLE_ORDER:
        label = "smallest order of the tier"
        found.append(Fact("l", smallest(data), label, ("smallest", "from", "low"), both, "{}, smallest order"))
        label = "largest order of the tier"
        found.append(Fact("u", largest(data), label, ("largest", "to", "high"), both, "{}, largest order"))
    else:
        label = f"width of the tier, {what}"
        found.append(Fact("w", data["width"], label, ("width", "widths", "steps"), both, "{}, width"))
    if data["fee"]:
        label = f"fee once anything is bought from the {shop.singular}"
        found.append(Fact("f", data["fee"], label, ("fee", "fixed", "charge"), (shop,), kind=MONEY))
    label = f"amount of {what} needed" if data["kind"] != WHOLE_ORDER else f"number of {good} needed"
    found.append(Fact("d", data["need"], label, ("need", "demand", "required")))
    if data["share"]:
        label = f"largest share of the amount needed that any one {shop.singular} may deliver"
        found.append(Fact("s", data["share"], label, ("share", "cap", "most"), kind=SHARE))
    return tuple(found)


def rules(data: dict, seller: str, sellers: str, good: str, voice: Voice) -> tuple[str, ...]:
    if data["kind"] == RISING:
        tiers = voice.phrase(
            (
                "A tier's price holds for what is bought within it, and prices never fall from tier to tier.",
                "Prices rise with the tier, and each price applies to the part of the purchase in its tier alone.",
            ),
            (f"What goes beyond the width of a tier costs the next, higher price; the rest of the {good} does not.",),
        )
    elif data["kind"] == FALLING:
        tiers = voice.phrase(
            (
                "A price holds for what is bought within its tier; prices fall, and a tier needs those before it full.",
                "Prices fall from tier to tier, each for the part in its tier alone, and tiers are filled in order.",
            ),
            ("Only when a tier is bought up does the next, cheaper one begin, and its price is for what comes then.",),
        )
    else:
        tiers = voice.phrase(
            (
                f"The size of an order decides its tier, whose price holds for all {good} of the order.",
                f"One price holds for a whole order, that of the tier in which the number of {good} lies.",
            ),
            (f"All {good} of an order cost the price of the tier that the order reaches.",),
        )
    return tiers, limit(data, seller, voice), amount(data, good, voice)


def limit(data: dict, seller: str, voice: Voice) -> str:
    if data["kind"] == WHOLE_ORDER:
        return voice.phrase(
            (
                f"From each {seller} buy nothing or place one order within a tier.",
                f"Each {seller} gets one order, within one tier, or none.",
            ),
            (f"No {seller} takes a second order, and an order outside the tiers is not taken either.",),
        )
    return voice.phrase(
        (f"Beyond its last tier a {seller} sells nothing.", f"The tiers of a {seller} together are all it can sell."),
        (f"After its last tier a {seller} is sold out.",),
    )


def amount(data: dict, good: str, voice: Voice) -> str:
    if data["exactly"]:
        return voice.phrase(
            ("Buy exactly what is needed.", f"The {good} bought must equal the need."), ("Buy the need, no more.",)
        )
    return voice.phrase(
        ("Buying more than is needed is allowed.", "Buy at least what is needed."), ("A surplus does not matter.",)
    )


def variables(kind: str, seller: str) -> str:
    if kind == RISING:
        return f"the amount bought in each tier of each {seller}, continuous"
    amounts = "integer" if kind == WHOLE_ORDER else "continuous"
    return f"the amount bought, {amounts}, and a binary in each tier of each {seller}"


FAMILY = PiecewiseCost()
