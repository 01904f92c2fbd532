"""Each answer computed again, in another way, from what the question gives."""

import ast
import random
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.corpus import drills

SEEDS = st.integers(0, 10**9)
SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}
SIZES = SECONDS | {
    "grams": 1, "kilograms": 1000, "tonnes": 1_000_000, "centimetres": 1, "metres": 100, "kilometres": 100_000,
    "millilitres": 1, "litres": 1000, "cubic metres": 1_000_000, "pieces": 1, "dozens": 12, "months": 1, "years": 12,
    "megabytes": 1, "gigabytes": 1000, "cents": 1, "euros": 100,
}  # fmt: skip
SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip


def in_digits(words):
    """A number below a million from its words."""
    total, part = 0, 0
    for word in re.split(r"[ -]", words):
        if word == "thousand":
            total, part = total + 1000 * part, 0
        elif word == "hundred":
            part *= 100
        else:
            part += TENS.get(word) or SMALL.index(word)
    return total + part


def at(point):
    return dict(zip(drills.LETTERS, point, strict=False))


def left_side(given):
    return int(np.dot(given["coefficients"], given["point"]))


def root(given):
    (found,) = (x for x in range(-1000, 1001) if given["slope"] * x + given["shift"] == given["right"])
    return found


def corner(given):
    rows = np.array(given["rows"], dtype=float)
    return np.linalg.solve(rows[:, :2], rows[:, 2])


CHECKS = {
    "addition": lambda g, a: int(a) == int(np.sum(g["values"])),
    "difference": lambda g, a: int(a) + g["second"] == g["first"],
    "product": lambda g, a: int(a) == sum([g["first"]] * g["second"]),
    "division": lambda g, a: (lambda q, r: q * g["divisor"] + r == g["dividend"] and 0 <= r < g["divisor"])(
        *map(int, a.split(" remainder "))
    ),
    "dot_product": lambda g, a: int(a) == int(np.dot(g["left"], g["right"])),
    "percentage": lambda g, a: Decimal(a) * 100 == Decimal(g["percent"]) * g["whole"],
    "comparison": lambda g, a: (
        a in g["values"] and all((float(a) - float(v)) * (1 if g["largest"] else -1) >= 0 for v in g["values"])
    ),
    "equation": lambda g, a: a.split(" = ")[1] == str(root(g)),
    "system": lambda g, a: np.allclose(corner(g), [int(part.split(" = ")[1]) for part in a.split(", ")], atol=1e-9),
    "evaluation": lambda g, a: int(a) == left_side(g),
    "satisfaction": lambda g, a: (a == "yes") == eval(f"{left_side(g)} {g['sign']} {g['limit']}"),
    "slack": lambda g, a: (
        int(a) == abs(left_side(g) - g["limit"]) * (1 if eval(f"{left_side(g)} {g['sign']} {g['limit']}") else -1)
    ),
    "rounding_down": lambda g, a: int(a) == next(n for n in range(10_001) if g["each"] * (n + 1) > g["total"]),
    "conversion": lambda g, a: Decimal(a) * SIZES[g["to"]] == Decimal(g["start"]) * SIZES[g["from"]],
    "table_cell": lambda g, a: (
        int(a) == dict(zip(g["rows"], g["cells"], strict=True))[g["row"]][g["columns"].index(g["column"])]
    ),
    "words_to_digits": lambda g, a: int(a) == in_digits(g["words"]),
    "digits_to_words": lambda g, a: in_digits(a) == g["value"],
    "list_syntax": lambda g, a: (
        [f"{v}" for v in ast.literal_eval(a.rpartition("= ")[2])] == [text.replace(",", "") for text in g["shown"]]
    ),
}


def numbers(given):
    """All numbers and strings below a value, as the question writes them; a sign may stand apart."""
    for value in given.values() if isinstance(given, dict) else given:
        if isinstance(value, list | dict):
            yield from numbers(value)
        elif not isinstance(value, bool):
            yield str(abs(value)) if isinstance(value, int) else value


def test_every_kind_is_checked():
    assert set(CHECKS) == set(drills.KINDS)


@pytest.mark.parametrize("kind", drills.KINDS)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_the_answer_is_right(kind, seed):
    made = drills.drill(kind, random.Random(seed))
    assert CHECKS[kind](made.given, made.answer), made


@pytest.mark.parametrize("kind", drills.KINDS)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_the_question_holds_what_is_given(kind, seed):
    made = drills.drill(kind, random.Random(seed))
    # A coefficient of 1 is not written.
    missing = [text for text in numbers(made.given) if text != "1" and text not in made.question]
    assert missing == [], made


@pytest.mark.parametrize("kind", drills.KINDS)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_every_equality_of_the_steps_holds(kind, seed):
    """Of each clause, the sides of plain arithmetic, before any comparison."""
    made = drills.drill(kind, random.Random(seed))
    for clause in re.split(r"[;,.:] | and |\.$", made.steps):
        sides = re.split(r" = ", re.split(r" <= | > ", clause)[0])
        sides[0] = re.sub(r"^[A-Za-z ]+(?=[-\d])", "", sides[0])
        values = [eval(side) for side in sides if re.fullmatch(r"[-\d .+*/()]+", side)]
        assert np.allclose(values, values[:1] * len(values), rtol=0, atol=1e-9), clause


@pytest.mark.parametrize("kind", drills.KINDS)
def test_the_wording_varies(kind):
    """More than two ways to ask, numbers aside."""
    asked = {
        re.sub(r"[\d.,\-+*=<>]+|\b[a-z]\b", "", drills.drill(kind, random.Random(seed)).question) for seed in range(60)
    }
    assert len(asked) > 2


def test_one_seed_gives_one_drill():
    for kind in drills.KINDS:
        assert drills.drill(kind, random.Random(3)) == drills.drill(kind, random.Random(3))


def test_a_worksheet_holds_different_kinds():
    text = drills.worksheet(random.Random(1))
    assert 2 <= text.count("Answer: ") <= 5
    assert len({drills.worksheet(random.Random(seed)) for seed in range(200)}) == 200
