"""Short word problems of two to five variables: limits, ratios, shares and sums in any combination."""

from dataclasses import dataclass
from random import Random

from trex.problems.family import (
    AMOUNT,
    MONEY,
    SHARE,
    Axis,
    Fact,
    Family,
    Story,
    WordRow,
    WordStory,
    chance,
    dot,
    numbers,
    size,
)
from trex.problems.ir import Model
from trex.problems.mathopt_code import NAMES
from trex.problems.voice import Voice

ORDINALS = ("first", "second", "third", "fourth", "fifth")
SYMBOLS = "abcdefghklnoqrstuvw"


@dataclass(frozen=True)
class Scene:
    """Who does what with which things; what a thing brings or costs; what it uses up; what it yields."""

    lead: str
    items: tuple[str, ...]
    worth: str
    uses: tuple[str, ...]
    yields: tuple[str, ...]
    units: str = "units"
    money: bool = True


# By sense of the goal and by whether the things are counted.
SCENES = {
    ("max", True): (
        Scene("A joiner makes", ("chairs", "desks", "shelves", "beds", "stools"), "profit",
              ("hours of work", "boards", "litres of paint"), ("points of repute", "orders")),
        Scene("A bakery sells", ("cakes", "pies", "tarts", "rolls", "loaves"), "profit",
              ("eggs", "cups of flour", "minutes of oven time"), ("coupons", "smiles")),
        Scene("A charter firm books", ("buses", "vans", "coaches", "boats", "planes"), "revenue",
              ("drivers", "parking spaces", "litres of fuel"), ("passengers", "bags")),
        Scene("A station broadcasts", ("news spots", "songs", "quizzes", "plays", "talks"), "number of listeners",
              ("minutes of air time", "staff hours"), ("calls", "letters"), money=False),
        Scene("An artist paints", ("portraits", "landscapes", "murals", "icons", "signs"), "income",
              ("days", "tubes of paint", "brushes"), ("visitors", "reviews")),
    ),
    ("min", True): (
        Scene("A carrier sends", ("trucks", "vans", "trains", "barges", "carts"), "cost",
              ("drivers", "litres of fuel"), ("tons moved", "parcels moved")),
        Scene("A school hires", ("buses", "minibuses", "taxis", "coaches", "trams"), "fare",
              ("parking spaces", "guides"), ("seats", "places for bags")),
        Scene("A camp puts up", ("tents", "cabins", "huts", "trailers", "domes"), "cost",
              ("square metres", "hours of work"), ("beds", "lockers")),
        Scene("A firm runs", ("posters", "radio spots", "flyers", "films", "banners"), "cost",
              ("hours of work", "permits"), ("readers reached", "clicks")),
        Scene("A clinic sets up", ("day shifts", "night shifts", "split shifts", "late shifts", "short shifts"), "cost",
              ("nurses", "rooms"), ("patients seen", "tests done")),
    ),
    ("max", False): (
        Scene("A farmer sows", ("wheat", "oats", "beans", "maize", "rye"), "profit",
              ("hours of work", "bags of seed"), ("bales of straw", "sacks of feed"), "hectares"),
        Scene("A refiner makes", ("petrol", "diesel", "tar", "naphtha", "wax"), "margin",
              ("barrels of crude", "hours of plant time"), ("units of heat", "kilos of sulphur"), "tons"),
        Scene("A dairy makes", ("butter", "cheese", "curd", "yoghurt", "cream"), "profit",
              ("litres of milk", "minutes of machine time"), ("litres of whey", "stamps"), "kilos"),
        Scene("A vintner bottles", ("red wine", "white wine", "rose wine", "cider", "perry"), "profit",
              ("kilos of fruit", "hours of work"), ("points of prestige", "tokens"), "litres"),
    ),
    ("min", False): (
        Scene("A cook mixes", ("rice", "lentils", "nuts", "oats", "fruit"), "cost",
              ("grams of fat", "grams of salt"), ("grams of protein", "grams of fibre"), "kilos"),
        Scene("A gardener spreads", ("compost", "manure", "lime", "ash", "peat"), "cost",
              ("hours of work", "grams of salt"), ("grams of nitrogen", "grams of potash"), "sacks"),
        Scene("A foundry melts", ("scrap", "pig iron", "ore", "nickel", "chrome"), "cost",
              ("hours of furnace time", "tons of slag"), ("tons of iron", "kilos of carbon"), "tons"),
        Scene("A city buys", ("wind power", "gas power", "hydro power", "coal power", "solar power"), "cost",
              ("tons of emissions", "hours of upkeep"), ("units of heat", "points of safety"), "megawatt hours"),
    ),
}  # fmt: skip


class WordProblem(Family):
    name = "word_problem"
    bucket = "word_problem"
    note = (
        "A short word problem names two to five things and says, a sentence at a time, what must hold. Choose one "
        "variable per thing that is decided: integer when it is counted, continuous when it is an amount. Then turn "
        "each sentence into one row. At least gives a lower limit, at most an upper one; a sentence on a resource "
        "weights each variable by what it uses. Twice as many of one as of another compares two variables; a share "
        "compares one with the sum of all, so the unknown total stays on the right side. The last sentence gives the "
        "objective and its direction. Typical mistakes: to turn a ratio the wrong way round, to take the share of a "
        "fixed number instead of the total, to drop a row that looks redundant, and to forget that things are whole."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        count = size(difficulty, 2, rng.randint(2, 4), rng.randint(3, 5), 5)
        sense = rng.choice(("max", "min"))
        top = size(difficulty, 20, 40, 60, 900)
        plan = numbers(rng, count, size(difficulty, 3, 4, 5, 100), top)
        worth = numbers(rng, count, *size(difficulty, (2, 30), (2, 60), (3, 99), (3, 99)))
        main = [resource(rng, plan, "uses" if sense == "max" else "yields", difficulty)]
        if chance(rng, 0.35):
            main.append(resource(rng, plan, rng.choice(("uses", "yields")), difficulty))
        kinds = (lower, upper, total, ratio, share, more)
        most = size(difficulty, 2, 3, 4, 5)
        extra = [kind(rng, plan) for kind in rng.sample(kinds, rng.randint(most // 2, most))]
        rows = rng.sample(main + extra, len(main + extra))
        return {"sense": sense, "whole": chance(rng, 0.6), "worth": worth, "rows": rows}

    def model(self, data: dict) -> Model:
        model = Model()
        kind = "integer" if data["whole"] else "continuous"
        x = [model.add_variable(f"x{j}", kind) for j in range(len(data["worth"]))]
        for row in data["rows"]:
            terms, limit = terms_of(row, len(x))
            bound = {"ub": limit} if row["upper"] else {"lb": limit}
            model.add_row({x[j]: c for j, c in terms.items()}, **bound)
        model.set_objective(data["sense"], dict(zip(x, data["worth"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        scene = voice.scene(SCENES[data["sense"], data["whole"]])
        item = Axis("kind", "kinds", voice.names(scene.items, len(data["worth"])))
        facts = [fact for row in named(data, scene, voice) for fact in row_facts(row, item)]
        keys = ("worth", "values", "objective", "coefficients")
        facts.append(
            Fact(
                "p",
                data["worth"],
                f"{scene.worth} per {scene.units[:-1]}",
                keys,
                (item,),
                kind=MONEY if scene.money else AMOUNT,
            )
        )
        usual = (
            "The first kind is the first in the order given, and so on.",
            "Kinds are called first, second and so on.",
        )
        ordinal = [voice.phrase(usual, ("Kinds are called by their place in the order given.",))]
        ordinal = ordinal if any("of" in row for row in data["rows"]) else []
        return Story(
            intro=voice.phrase(
                (f"{scene.lead} {{kinds}}.", f"{scene.lead} these: {{kinds}}."),
                (f"Here is the question: {scene.lead} {{kinds}}; how {'many' if data['whole'] else 'much'} of each?",),
            ),
            facts=tuple(facts),
            rules=(*ordinal, kind_of_units(data["whole"], voice)),
            goal=goal(data, scene, voice),
            variables=f"one {'integer' if data['whole'] else 'continuous'} variable per kind",
        )

    def body(self, data: dict) -> list[str]:
        variable = "m.add_integer_variable" if data["whole"] else "m.add_variable"
        rows = [code(row, symbols) for row, symbols in zip(data["rows"], symbols_of(data), strict=True)]
        return [
            f"x = [{variable}(lb=0) for _ in p]",
            *(f"m.add_linear_constraint({row})" for row in rows),
            f"m.{data['sense']}imize(sum(i * j for i, j in zip(p, x)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return [
            f"x_j >= 0 for each kind j, {'integer' if data['whole'] else 'continuous'}",
            f"{data['sense']} sum_j p_j x_j",
            *(formula(row, symbols) for row, symbols in zip(data["rows"], symbols_of(data), strict=True)),
        ]

    def word(self, data: dict, voice: Voice) -> WordStory | None:
        scene = voice.scene(SCENES[data["sense"], data["whole"]])
        items = voice.names(scene.items, len(data["worth"]))
        rows = [WordRow(said(row, items, voice), in_names(row, len(items))) for row in named(data, scene, voice)]
        show = voice.money if scene.money else voice.number
        worth = ", ".join(f"{show(v)} for {name}" for name, v in zip(items, data["worth"], strict=True))
        one = scene.units[:-1]
        whole = "" if data["whole"] and not voice.chance("phrase", 0.5) else kind_of_units(data["whole"], voice) + " "
        listed = " and ".join((", ".join(items[:-1]), items[-1]))
        return WordStory(
            intro=voice.phrase(
                (f"{scene.lead} {listed}.",), (f"It is known that {scene.lead[0].lower()}{scene.lead[1:]} {listed}.",)
            ),
            rows=tuple(rows),
            objective=voice.phrase(
                (f"The {scene.worth} per {one} is {worth}.", f"To the {scene.worth} one {one} adds {worth}."),
                (f"As to the {scene.worth}, a {one} counts {worth}.",),
            ),
            ending=whole + goal(data, scene, voice),
        )


# Rows: what they are, whether the limit is an upper one, the things they are about, their numbers. The plan obeys them.


def resource(rng: Random, plan: list[int], kind: str, difficulty: str) -> dict:
    use = numbers(rng, len(plan), 1, size(difficulty, 9, 12, 20, 40))
    used = dot(use, plan)
    limit = round(used * (1.05 if kind == "uses" else 0.95))
    return {"kind": kind, "upper": kind == "uses", "use": use, "limit": limit}


def lower(rng: Random, plan: list[int]) -> dict:
    j = rng.randrange(len(plan))
    return {"kind": "single", "upper": False, "of": [j], "limit": max(1, round(plan[j] * rng.uniform(0.3, 0.9)))}


def upper(rng: Random, plan: list[int]) -> dict:
    j = rng.randrange(len(plan))
    return {"kind": "single", "upper": True, "of": [j], "limit": round(plan[j] * rng.uniform(1.05, 1.6)) + 1}


def total(rng: Random, plan: list[int]) -> dict:
    above = chance(rng, 0.5)
    limit = round(sum(plan) * (rng.uniform(1.0, 1.25) if above else rng.uniform(0.6, 1.0)))
    return {"kind": "total", "upper": above, "limit": max(limit, sum(plan)) if above else min(limit, sum(plan))}


def ratio(rng: Random, plan: list[int]) -> dict:
    """The first thing is at least (at most) so many times the second."""
    i, j = rng.sample(range(len(plan)), 2)
    if plan[i] < plan[j]:
        i, j = j, i
    quotient = plan[i] // plan[j]
    above = chance(rng, 0.5)
    return {"kind": "ratio", "upper": above, "of": [i, j], "limit": quotient + 1 if above else quotient}


def share(rng: Random, plan: list[int]) -> dict:
    j = rng.randrange(len(plan))
    percent = 100 * plan[j] / sum(plan)
    above = percent < 80 and chance(rng, 0.5)
    limit = min(95, 5 * int(percent / 5 + 1)) if above else max(1, 5 * int(percent / 5))
    return {"kind": "share", "upper": above, "of": [j], "limit": limit}


def more(rng: Random, plan: list[int]) -> dict:
    """The first thing exceeds the second by at least (at most) so much."""
    i, j = rng.sample(range(len(plan)), 2)
    if plan[i] < plan[j]:
        i, j = j, i
    gap = plan[i] - plan[j]
    above = gap < 2 or chance(rng, 0.4)
    return {"kind": "more", "upper": above, "of": [i, j], "limit": gap + rng.randint(1, 3) if above else gap - 1}


def terms_of(row: dict, count: int) -> tuple[dict[int, float], float]:
    """Left side and limit of a row."""
    limit = row["limit"]
    if row["kind"] in ("uses", "yields"):
        return dict(enumerate(row["use"])), limit
    if row["kind"] == "total":
        return dict.fromkeys(range(count), 1), limit
    j = row["of"][0]
    if row["kind"] == "single":
        return {j: 1}, limit
    if row["kind"] == "share":
        return {k: round((k == j) - limit / 100, 4) for k in range(count)}, 0
    other = row["of"][1]
    return ({j: 1, other: -limit}, 0) if row["kind"] == "ratio" else ({j: 1, other: -1}, limit)


def named(data: dict, scene: Scene, voice: Voice) -> list[dict]:
    """The rows with their letters, the unit of the scene and the names of what they use or yield."""
    pools = {"uses": list(voice.names(scene.uses, 2)), "yields": list(voice.names(scene.yields, 2))}
    return [
        row
        | {"name": pools[row["kind"]].pop() if row["kind"] in pools else "", "units": scene.units, "symbols": letters}
        for row, letters in zip(data["rows"], symbols_of(data), strict=True)
    ]


def symbols_of(data: dict) -> list[str]:
    """The letters of each row's facts: of what one unit takes and of the limit, or of the limit alone."""
    letters = iter(SYMBOLS)
    return [next(letters) + (next(letters) if "use" in row else "") for row in data["rows"]]


def row_facts(row: dict, item: Axis) -> list[Fact]:
    units, limit, symbol, end = row["units"], row["limit"], row["symbols"][-1], "most" if row["upper"] else "least"
    extreme = "largest" if row["upper"] else "least"
    kinds = [f"the {ORDINALS[j]} kind" for j in row.get("of", ())]
    place = "_".join(ORDINALS[j] for j in row.get("of", ()))
    if "use" in row:
        name, verb = row["name"], "takes" if row["upper"] else "brings"
        label = f"number of {name} available" if row["upper"] else f"least total number of {name}"
        keys = ("use", "takes", "consumption") if row["upper"] else ("yield", "brings", "gives")
        tail = "_".join(name.split()[-2:])
        return [
            Fact(row["symbols"][0], row["use"], f"number of {name} that one {units[:-1]} {verb}",
                 tuple(f"{key}_{tail}" for key in keys), (item,)),
            Fact(symbol, limit, label, tuple(f"{key}_{tail}" for key in (end, "limit", "total"))),
        ]  # fmt: skip
    if row["kind"] == "single":
        return [Fact(symbol, limit, f"{extreme} number of {units} of {kinds[0]}", keys_of(end, place))]
    if row["kind"] == "total":
        return [Fact(symbol, limit, f"{extreme} total number of {units} of all kinds", keys_of(end, "total"))]
    if row["kind"] == "share":
        label = f"{extreme} share of {kinds[0]} in the total number of {units}"
        return [Fact(symbol, limit, label, keys_of(f"{end}_share", place), kind=SHARE)]
    if row["kind"] == "ratio":
        label = f"{extreme} ratio of the {units} of {kinds[0]} to those of {kinds[1]}"
        return [Fact(symbol, limit, label, keys_of(f"{end}_ratio", place))]
    label = f"{extreme} excess of {kinds[0]} over {kinds[1]} in {units}"
    return [Fact(symbol, limit, label, keys_of(f"{end}_excess", place))]


def keys_of(end: str, place: str) -> tuple[str, str, str]:
    return f"{end}_{place}", f"{place}_{end}", f"{end}_of_{place}"


def code(row: dict, symbols: str) -> str:
    """The row over the list x; its limit is the last of the symbols."""
    sign, limit = "<=" if row["upper"] else ">=", symbols[-1]
    if "use" in row:
        return f"sum(i * j for i, j in zip({symbols[0]}, x)) {sign} {limit}"
    if row["kind"] == "total":
        return f"sum(x) {sign} {limit}"
    first, *others = [f"x[{j}]" for j in row["of"]]
    right = {"single": limit, "share": f"{limit} / 100 * sum(x)"}.get(row["kind"])
    if right is None:
        right = f"{limit} * {others[0]}" if row["kind"] == "ratio" else f"{others[0]} + {limit}"
    return f"{first} {sign} {right}"


def formula(row: dict, symbols: str) -> str:
    sign, limit = "<=" if row["upper"] else ">=", symbols[-1]
    if "use" in row:
        return f"sum_j {symbols[0]}_j x_j {sign} {limit}"
    if row["kind"] == "total":
        return f"sum_j x_j {sign} {limit}"
    first, *others = [f"x_{j + 1}" for j in row["of"]]
    right = {"single": limit, "share": f"{limit} / 100 sum_j x_j"}.get(row["kind"])
    if right is None:
        right = f"{limit} {others[0]}" if row["kind"] == "ratio" else f"{others[0]} + {limit}"
    return f"{first} {sign} {right}"


def in_names(row: dict, count: int) -> str | None:
    """The row over x, y, z, where it says more than its terms one by one."""
    sign = "<=" if row["upper"] else ">="
    if row["kind"] == "share":
        return f"{NAMES[row['of'][0]]} {sign} {row['limit'] / 100!r} * ({' + '.join(NAMES[:count])})"
    if row["kind"] == "ratio":
        first, second = (NAMES[j] for j in row["of"])
        return f"{first} {sign} {second}" if row["limit"] == 1 else f"{first} {sign} {row['limit']} * {second}"
    return None


def said(row: dict, items: tuple[str, ...], voice: Voice) -> str:
    """The row as a sentence."""
    things = [items[j] if row["units"] == "units" else f"{row['units']} of {items[j]}" for j in row.get("of", ())]
    n = voice.percent(row["limit"]) if row["kind"] == "share" else voice.number(row["limit"])
    if "use" in row:
        return resource_said(row, items, voice)
    if row["kind"] == "single":
        return single_said(row, things[0], n, voice)
    if row["kind"] == "total":
        return total_said(row, " and ".join((", ".join(items[:-1]), items[-1])), n, voice)
    if row["kind"] == "share":
        return share_said(row, items[row["of"][0]], n, voice)
    return pair_said(row, *things, n, voice)


def resource_said(row: dict, items: tuple[str, ...], voice: Voice) -> str:
    name, numbered = row["name"], [voice.number(v) for v in row["use"]]
    pairs = ", ".join(f"{item} {v}" for item, v in zip(items, numbered, strict=True))
    rest = ", ".join(f"of {item} {v}" for item, v in zip(items[1:], numbered[1:], strict=True))
    limit, one = voice.number(row["limit"]), row["units"][:-1]
    if row["upper"]:
        return voice.phrase(
            (
                f"One {one} of {items[0]} takes {numbered[0]} {name}, {rest}; {limit} {name} are available.",
                f"The {name} taken by one {one} are: {pairs}. No more than {limit} {name} can be used.",
                f"There are {limit} {name} to use, and one {one} takes this many: {pairs}.",
            ),
            (
                f"Of {name} there are {limit}, and each {one} needs some of them: {pairs}.",
                f"With {limit} {name} one has to get by; a {one} uses up {pairs}.",
            ),
        )
    return voice.phrase(
        (
            f"One {one} of {items[0]} brings {numbered[0]} {name}, {rest}; at least {limit} {name} are needed.",
            f"The {name} that one {one} brings are: {pairs}. The total must be {limit} or more.",
            f"At least {limit} {name} are wanted, and one {one} brings this many: {pairs}.",
        ),
        (
            f"No less than {limit} {name} will do, of which a {one} brings {pairs}.",
            f"Each {one} adds some {name}: {pairs}. Their sum has to reach {limit}.",
        ),
    )


def single_said(row: dict, thing: str, n: str, voice: Voice) -> str:
    if row["upper"]:
        return voice.phrase(
            (f"At most {n} {thing} are possible.", f"The number of {thing} must not exceed {n}.",
             f"There can be no more than {n} {thing}."),
            (f"The {thing} have to stay within {n}.", f"As for {thing}, {n} is the ceiling."),
        )  # fmt: skip
    return voice.phrase(
        (f"At least {n} {thing} are required.", f"The number of {thing} must be {n} or more.",
         f"There must be no fewer than {n} {thing}."),
        (f"The {thing} must not drop below {n}.", f"As for {thing}, {n} is the floor."),
    )  # fmt: skip


def total_said(row: dict, things: str, n: str, voice: Voice) -> str:
    units = row["units"]
    if row["upper"]:
        return voice.phrase(
            (f"In total there can be at most {n} {units} of {things}.", f"The sum of all {units} is at most {n}."),
            (f"Taken together, {things} may not come to more than {n} {units}.",),
        )
    return voice.phrase(
        (f"In total there must be at least {n} {units} of {things}.", f"The sum of all {units} is at least {n}."),
        (f"Taken together, {things} have to come to {n} {units} or more.",),
    )


def share_said(row: dict, thing: str, n: str, voice: Voice) -> str:
    units = row["units"]
    if row["upper"]:
        return voice.phrase(
            (
                f"At most {n} of all {units} may be {thing}.",
                f"The share of {thing} in all {units} must not exceed {n}.",
            ),
            (f"Of all {units} together, {thing} may make up {n} and not more.",),
        )
    return voice.phrase(
        (f"At least {n} of all {units} must be {thing}.", f"The share of {thing} in all {units} must be {n} or more."),
        (f"Of all {units} together, {thing} must account for {n} or more.",),
    )


def pair_said(row: dict, first: str, second: str, n: str, voice: Voice) -> str:
    if row["kind"] == "more":
        if row["upper"]:
            return voice.phrase(
                (f"The number of {first} may exceed that of {second} by at most {n}.",
                 f"There may be at most {n} more {first} than {second}."),
                (f"The {first} may be ahead of the {second} by {n}, not more.",),
            )  # fmt: skip
        return voice.phrase(
            (f"The number of {first} must exceed that of {second} by at least {n}.",
             f"There must be at least {n} more {first} than {second}."),
            (f"The {first} have to be ahead of the {second} by {n} or more.",),
        )  # fmt: skip
    times = "" if row["limit"] == 1 else "twice " if row["limit"] == 2 else f"{n} times "
    if row["upper"]:
        return voice.phrase(
            (f"There can be at most {times}as many {first} as {second}.",
             f"The number of {first} is at most {times or 'once '}that of {second}."),
            (f"The {first} may reach {times or 'once '}the number of {second} and no more.",),
        )  # fmt: skip
    return voice.phrase(
        (f"There must be at least {times}as many {first} as {second}.",
         f"The number of {first} is at least {times}that of {second}."),
        (f"The {first} must not fall short of {times}the number of {second}.",),
    )  # fmt: skip


def kind_of_units(whole: bool, voice: Voice) -> str:
    if whole:
        return voice.phrase(
            ("All numbers of units are whole.", "There are whole units only."),
            ("A part of a unit makes no sense here.",),
        )
    return voice.phrase(
        ("Amounts can be fractional.", "Amounts need not be whole numbers."), ("Any amount may be split at will.",)
    )


def goal(data: dict, scene: Scene, voice: Voice) -> str:
    if data["sense"] == "max":
        return voice.phrase(
            (f"Maximize the total {scene.worth}.", f"What is the largest total {scene.worth}?",
             f"Find the plan with the highest total {scene.worth}."),
            (f"How high can the {scene.worth} be in all?", f"Bring the {scene.worth} up as far as it goes."),
        )  # fmt: skip
    return voice.phrase(
        (f"Minimize the total {scene.worth}.", f"What is the least total {scene.worth}?",
         f"Find the plan with the lowest total {scene.worth}."),
        (f"How low can the {scene.worth} be in all?", f"Bring the {scene.worth} down as far as it goes."),
    )  # fmt: skip


FAMILY = WordProblem()
