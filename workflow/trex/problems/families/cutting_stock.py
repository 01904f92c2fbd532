"""Cutting stock: how to cut the pieces ordered from long rolls, by given patterns or roll by roll."""

from random import Random

from trex.problems.family import MONEY, Axis, Fact, Family, Story, chance, dot, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice

# Who, a roll, rolls, a piece, pieces.
SCENES = (
    ("A paper mill", "roll", "rolls", "reel", "reels"),
    ("A steel yard", "bar", "bars", "rod", "rods"),
    ("A sawmill", "beam", "beams", "board", "boards"),
    ("A pipe works", "tube", "tubes", "pipe", "pipes"),
    ("A cable firm", "drum", "drums", "cable", "cables"),
    ("A carpet store", "carpet", "carpets", "strip", "strips"),
    ("A window maker", "profile", "profiles", "frame part", "frame parts"),
    ("A foil plant", "coil", "coils", "band", "bands"),
)
PIECES = ("A", "B", "C", "D", "E", "F", "G", "H", "K", "L", "N", "P", "Q", "R", "S", "T", "U", "V", "W")
UNITS = ("cm", "mm", "inches", "dm", "feet")


class CuttingStock(Family):
    name = "cutting_stock"
    bucket = "packing"
    note = (
        "Long rolls are cut into the pieces that are ordered. Where the cutting patterns are given, there is one "
        "integer variable for each pattern, how often it is cut, and one row for each kind of piece: the pieces that "
        "all patterns give together meet the order. Without patterns there is, for each roll, a binary that says "
        "whether it is cut and an integer number of each kind of piece; the lengths cut from a roll fit its length "
        "times that binary, and the pieces of all rolls meet the orders. The objective counts rolls or adds the costs "
        "of patterns. Typical mistakes: continuous variables, although half a roll cannot be cut; rows by pattern "
        "instead of by piece; an equality where more pieces than ordered do no harm; rolls that are free of charge "
        "since their binary is missing in the length row."
    )

    def draw(self, rng: Random, difficulty: str) -> dict:
        by_pattern = chance(rng, size(difficulty, 60, 60, 60, 100) / 100)
        return (self.patterns if by_pattern else self.rolls)(rng, difficulty)

    def patterns(self, rng: Random, difficulty: str) -> dict:
        kinds = size(difficulty, 2, rng.randint(2, 4), rng.randint(5, 8), rng.randint(10, 16))
        count = size(difficulty, rng.randint(2, 3), rng.randint(5, 8), rng.randint(18, 30), rng.randint(180, 300))
        length = rng.randint(20, 60)
        widths = numbers(rng, kinds, length // 7, length // 2)
        patterns = [cut(rng, widths, length) for _ in range(count)]
        for piece in range(kinds):  # every piece is in some pattern
            if not any(pattern[piece] for pattern in patterns):
                patterns[rng.randrange(count)][piece] += 1
        exactly = chance(rng, size(difficulty, 40, 40, 30, 20) / 100)
        demand = numbers(rng, kinds, *size(difficulty, (4, 40), (5, 99), (10, 200), (100, 900)))
        if exactly:
            times = numbers(rng, count, 1, size(difficulty, 6, 12, 8, 30))
            demand = [dot([pattern[piece] for pattern in patterns], times) for piece in range(kinds)]
        cost = numbers(rng, count, *size(difficulty, (2, 20), (5, 40), (20, 99), (20, 99)))
        return {
            "patterns": patterns,
            "demand": demand,
            "exactly": exactly,
            "cost": cost if exactly or chance(rng, 0.4) else None,
            "width": None,
            "length": None,
            "rolls": None,
            "knives": None,
        }

    def rolls(self, rng: Random, difficulty: str) -> dict:
        kinds = size(difficulty, 2, rng.randint(2, 3), rng.randint(3, 5), 6)
        rolls = size(difficulty, 2, rng.randint(3, 4), rng.randint(5, 8), 9)
        length = rng.randint(30, size(difficulty, 60, 90, 120, 900))
        width = numbers(rng, kinds, length // 6, length // 2)
        cuts = [cut(rng, width, length) for _ in range(rolls)]
        demand = [sum(column) for column in zip(*cuts, strict=True)]
        if not all(demand):
            return self.rolls(rng, difficulty)
        return {
            "patterns": None,
            "demand": demand,
            "exactly": chance(rng, 0.3),
            "cost": None,
            "width": width,
            "length": length,
            "rolls": rolls,
            "knives": max(map(sum, cuts)) if chance(rng, 0.2) else None,
        }

    def model(self, data: dict) -> Model:
        return pattern_model(data) if data["patterns"] else roll_model(data)

    def tell(self, data: dict, voice: Voice) -> Story:
        who, roll, rolls, one, many = voice.scene(SCENES)
        unit = voice.unit(UNITS)
        piece = Axis(one, many, voice.names(PIECES, len(data["demand"])))
        facts = [Fact("d", data["demand"], "number ordered", ("demand", "orders", "ordered", "need"), (piece,))]
        if data["patterns"]:
            pattern = Axis("pattern", "patterns", tuple(f"pattern {p + 1}" for p in range(len(data["patterns"]))))
            both, label = (pattern, piece), f"number of {many} that a pattern gives"
            facts.append(Fact("a", data["patterns"], label, ("patterns", "pieces", "yield"), both))
            label = f"cost of a {roll} cut by the pattern"
            facts.append(Fact("c", data["cost"], label, ("cost", "price", "expense"), (pattern,), kind=MONEY))
        else:
            facts.append(Fact("w", data["width"], f"length in {unit}", ("length", "width", "size"), (piece,)))
            facts.append(Fact("b", data["length"], f"length of a {roll} in {unit}", ("roll", "stock", "whole", "full")))
            facts.append(Fact("n", data["rolls"], f"number of {rolls} at hand", ("rolls", "number", "count", "supply")))
            label = f"largest number of {many} from one {roll}"
            facts.append(Fact("k", data["knives"], label, ("most", "knives", "cuts", "maximum")))
        how = " by given patterns" if data["patterns"] else ""
        return Story(
            intro=voice.phrase(
                (f"{who} cuts {{{many}}} from {rolls}{how}.", f"{who} has to cut {{{many}}} out of its {rolls}{how}."),
                (f"{who} turns {rolls} into {{{many}}}{how}.",),
            ),
            facts=tuple(fact for fact in facts if fact.value is not None),
            rules=tuple(rules(data, voice, roll, rolls, one, many)),
            goal=goal(data, voice, rolls),
            variables="an integer per pattern"
            if data["patterns"]
            else f"a binary per {roll}, an integer per {roll} and {one}",
        )

    def body(self, data: dict) -> list[str]:
        sign = "==" if data["exactly"] else ">="
        if data["patterns"]:
            return [
                "x = [m.add_integer_variable(lb=0) for _ in a]",
                "for r, v in zip(zip(*a), d):",
                f"    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) {sign} v)",
                f"m.minimize({'sum(i * j for i, j in zip(c, x))' if data['cost'] else 'sum(x)'})",
            ]
        lines = [
            "y = [m.add_binary_variable() for _ in range(n)]",
            "x = [[m.add_integer_variable(lb=0) for _ in d] for _ in y]",
            "for r, o in zip(x, y):",
            "    m.add_linear_constraint(sum(i * j for i, j in zip(w, r)) <= b * o)",
            "for r, v in zip(zip(*x), d):",
            f"    m.add_linear_constraint(sum(r) {sign} v)",
            "m.minimize(sum(y))",
        ]
        if data["knives"]:
            lines.insert(4, "    m.add_linear_constraint(sum(r) <= k)")
        return lines

    def formulation(self, data: dict) -> list[str]:
        sign = "=" if data["exactly"] else ">="
        if data["patterns"]:
            return [
                "x_p >= 0 integer, how often pattern p is cut",
                f"min sum_p {'c_p ' if data['cost'] else ''}x_p",
                f"sum_p a_pi x_p {sign} d_i for each piece i",
            ]
        lines = [
            "y_r = 1 if roll r is cut, else 0; x_ri >= 0 integer, pieces i from roll r; r = 1..n",
            "min sum_r y_r",
            "sum_i w_i x_ri <= b y_r for each roll r",
            f"sum_r x_ri {sign} d_i for each piece i",
        ]
        return [*lines, "sum_i x_ri <= k for each roll r"] if data["knives"] else lines


def cut(rng: Random, widths: list[int], length: int) -> list[int]:
    """How many pieces of each kind a roll gives, cut until none fits any more."""
    pieces = [0 for _ in widths]
    while fitting := [i for i, width in enumerate(widths) if width <= length]:
        piece = rng.choice(fitting)
        pieces[piece] += 1
        length -= widths[piece]
    return pieces


def pattern_model(data: dict) -> Model:
    model = Model()
    x = [model.add_variable(f"x{p}", "integer") for p in range(len(data["patterns"]))]
    for column, demand in zip(zip(*data["patterns"], strict=True), data["demand"], strict=True):
        model.add_row(dict(zip(x, column, strict=True)), lb=demand, ub=demand if data["exactly"] else float("inf"))
    model.set_objective("min", dict(zip(x, data["cost"] or [1 for _ in x], strict=True)))
    return model


def roll_model(data: dict) -> Model:
    model, kinds = Model(), range(len(data["demand"]))
    y = [model.add_variable(f"y{r}", "binary") for r in range(data["rolls"])]
    x = [[model.add_variable(f"x{r}_{i}", "integer") for i in kinds] for r in range(data["rolls"])]
    for row, used in zip(x, y, strict=True):
        model.add_row(dict(zip(row, data["width"], strict=True)) | {used: -data["length"]}, ub=0)
        if data["knives"]:
            model.add_row(dict.fromkeys(row, 1), ub=data["knives"])
    for i, demand in enumerate(data["demand"]):
        model.add_row({row[i]: 1 for row in x}, lb=demand, ub=demand if data["exactly"] else float("inf"))
    model.set_objective("min", dict.fromkeys(y, 1))
    return model


def rules(data: dict, voice: Voice, roll: str, rolls: str, one: str, many: str) -> list[str]:
    if data["exactly"]:
        usual = (f"Exactly the {many} ordered must be cut, no more.", f"Cut each {one} exactly as often as ordered.")
        told = [voice.phrase(usual, (f"The {many} cut must equal those ordered in number.",))]
    else:
        usual = (f"At least the {many} ordered must be cut.", f"Cut each {one} as often as ordered or more often.")
        told = [voice.phrase(usual, (f"Orders have to be met; {many} beyond them do no harm.",))]
    if data["patterns"]:
        usual = (f"Only whole {rolls} are cut.", f"Each pattern is used on a whole number of {rolls}.")
        told.append(voice.phrase(usual, (f"How often a pattern is used is a whole number of {rolls}.",)))
    else:
        usual = (
            f"The {many} cut from a {roll} must not be longer, in total, than the {roll}.",
            f"A {roll} gives any {many} whose lengths together do not exceed its own.",
        )
        told.append(voice.phrase(usual, (f"No {roll} can give more length, over all its {many}, than it has.",)))
    return told


def goal(data: dict, voice: Voice, rolls: str) -> str:
    if data["cost"]:
        usual = (f"Minimize the total cost of the {rolls} cut.", "Meet the orders at least total cost.")
        return voice.phrase(usual, (f"What do the {rolls} cut cost at the lowest?",))
    usual = (f"Cut as few {rolls} as possible.", f"Minimize the number of {rolls} cut.")
    return voice.phrase(usual, (f"How few {rolls} will do?",))


FAMILY = CuttingStock()
