"""Mathematics drills: short questions with their steps and answers, made from seeds.

`drill(kind, rng)` gives one; `worksheet(rng)` puts a few of them into a document. They practise what a small model
needs to write models down: the arithmetic of rows and objectives, small equations, points against rows, numbers in
words, tables and lists. Answers are exact: whole numbers, or decimals that end. The tests compute each answer again
from `given`, in another way, and look for the given numbers in the question.
"""

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from random import Random

from num2words import num2words

THINGS = ("crates", "pallets", "tickets", "loaves", "tiles", "cables", "seeds", "bottles", "chairs", "parcels")
NAMES = (
    "oats", "rye", "maize", "steel", "glass", "cedar", "linen", "copper", "paper", "clay", "tin", "wool",
)  # fmt: skip
LETTERS = "xyzuv"
UNITS = (
    ("hours", "minutes", 60), ("minutes", "seconds", 60), ("days", "hours", 24), ("weeks", "days", 7),
    ("kilograms", "grams", 1000), ("tonnes", "kilograms", 1000), ("kilometres", "metres", 1000),
    ("metres", "centimetres", 100), ("litres", "millilitres", 1000), ("cubic metres", "litres", 1000),
    ("dozens", "pieces", 12), ("years", "months", 12), ("gigabytes", "megabytes", 1000), ("euros", "cents", 100),
)  # fmt: skip
HEADINGS = ("Exercises.", "Practice.", "Drill.", "Arithmetic for models.", "Worked questions.", "Check your numbers.")
PER_WORKSHEET = (2, 5)


@dataclasses.dataclass(frozen=True)
class Drill:
    """given: the question's data by name, in digits as the question has them unless it spells them."""

    kind: str
    question: str
    steps: str
    answer: str
    given: dict


def drill(kind: str, rng: Random) -> Drill:
    return Drill(kind, *MAKERS[kind](rng))


def worksheet(rng: Random) -> str:
    """A document: a heading and some drills, no kind twice."""
    kinds = rng.sample(list(MAKERS), rng.randint(*PER_WORKSHEET))
    drills = [drill(kind, rng) for kind in kinds]
    return "\n\n".join([rng.choice(HEADINGS), *map(written, drills)])


def written(made: Drill) -> str:
    return "\n".join(part for part in (made.question, made.steps, f"Answer: {made.answer}") if part)


def number(value: Fraction | int) -> str:
    """A whole number, or a decimal that ends, without zeros at its end."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    places = next(places for places in range(1, 20) if value * 10**places == int(value * 10**places))
    digits = f"{abs(int(value * 10**places)):0{places + 1}d}"
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def amount(rng: Random) -> int:
    """Of one to four digits, small ones more often."""
    return rng.randint(1, 10 ** rng.choice((1, 2, 2, 3, 3, 4)) - 1)


def listed(values: list, last: str = "and") -> str:
    return f"{', '.join(map(str, values[:-1]))} {last} {values[-1]}"


def expression(coefficients: list[int], names: str = LETTERS) -> str:
    """`3 * x - y`, as code has it. At least one coefficient is not 0."""
    text = ""
    for coefficient, name in zip(coefficients, names, strict=False):
        if coefficient:
            size = name if abs(coefficient) == 1 else f"{abs(coefficient)} * {name}"
            text += f" {'-' if coefficient < 0 else '+'} {size}" if text else f"{'-' * (coefficient < 0)}{size}"
    return text


def values_at(coefficients: list[int], point: list[int]) -> str:
    """`3 * 2 - 1 * 5 = 6 - 5 = 1`, the value of an expression at a point."""
    products = [c * p for c, p in zip(coefficients, point, strict=True)]
    return (
        f"{signed([f'{abs(c)} * {bracketed(p)}' for c, p in zip(coefficients, point, strict=True)], coefficients)} = "
        f"{signed([str(abs(product)) for product in products], products)} = {sum(products)}"
    )


def bracketed(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def signed(parts: list[str], like: list[int]) -> str:
    text = f"{'-' * (like[0] < 0)}{parts[0]}"
    return text + "".join(f" {'-' if sign < 0 else '+'} {part}" for part, sign in zip(parts[1:], like[1:], strict=True))


def addition(rng: Random) -> tuple:
    values = [amount(rng) for _ in range(rng.randint(2, 5))]
    thing = rng.choice(THINGS)
    question = rng.choice(
        (
            f"What is {' + '.join(map(str, values))}?",
            f"Add up {listed(values)}.",
            f"Deliveries of {listed(values)} {thing} arrive. How many {thing} is that in all?",
            f"Compute the sum of {listed(values)}.",
        )
    )
    steps, total = [], values[0]
    for value in values[1:]:
        steps.append(f"{total} + {value} = {total + value}")
        total += value
    return question, "; ".join(steps) + ".", str(total), {"values": values}


def difference(rng: Random) -> tuple:
    first, second = amount(rng), amount(rng)
    thing = rng.choice(THINGS)
    options = [f"What is {first} - {second}?", f"Subtract {second} from {first}.", f"Compute {first} minus {second}."]
    if first >= second:
        options.append(f"A store has {first} {thing} and sells {second}. How many {thing} remain?")
    steps = f"{second} + {first - second} = {first}."
    if first < second:
        steps = f"{second} is larger than {first} by {second - first}, so the result is negative."
    return rng.choice(options), steps, str(first - second), {"first": first, "second": second}


def product(rng: Random) -> tuple:
    first, second = rng.randint(2, 999), rng.randint(2, 99)
    thing = rng.choice(THINGS)
    question = rng.choice(
        (
            f"What is {first} * {second}?",
            f"Multiply {first} by {second}.",
            f"Each of {second} vans carries {first} {thing}. How many {thing} are carried?",
            f"One batch costs {first} and we make {second} batches. What is the total cost?",
        )
    )
    tens, ones = second // 10 * 10, second % 10
    parts = f"{first} * {tens} + {first} * {ones} = {first * tens} + {first * ones} = " if tens and ones else ""
    steps = f"{first} * {second} = {parts}{first * second}."
    return question, steps, str(first * second), {"first": first, "second": second}


def division(rng: Random) -> tuple:
    divisor, dividend = rng.randint(2, 60), amount(rng) + rng.randint(0, 60)
    quotient, rest = divmod(dividend, divisor)
    question = rng.choice(
        (
            f"Divide {dividend} by {divisor}: what are the whole quotient and the remainder?",
            f"How often does {divisor} go into {dividend}, and what remains?",
            f"What are divmod({dividend}, {divisor})'s two values in Python?",
            f"{dividend} {rng.choice(THINGS)} are packed {divisor} to a box. How many boxes are full, and how many are "
            "left over?",
        )
    )
    steps = f"{quotient} * {divisor} = {quotient * divisor}, and {dividend} - {quotient * divisor} = {rest}."
    return question, steps, f"{quotient} remainder {rest}", {"dividend": dividend, "divisor": divisor}


def dot_product(rng: Random) -> tuple:
    size = rng.randint(2, 5)
    left = [rng.randint(1, 60) for _ in range(size)]
    right = [rng.randint(0, 20) for _ in range(size)]
    question = rng.choice(
        (
            f"What is sum(i * j for i, j in zip({left}, {right}))?",
            f"The unit profits are {left} and the amounts made are {right}. What is the objective value?",
            f"Compute the dot product of {left} and {right}.",
            f"c = {left}\nx = {right}\nWhat is the total of c_i x_i over all i?",
        )
    )
    return (
        question,
        f"{values_at(left, right)}.",
        str(sum(map(int.__mul__, left, right))),
        {"left": left, "right": right},
    )


def percentage(rng: Random) -> tuple:
    percent, whole = rng.choice((rng.randint(1, 99), rng.choice((5, 10, 20, 25, 50, 75, 110, 150)))), amount(rng) * 10
    part = Fraction(percent * whole, 100)
    question = rng.choice(
        (
            f"What is {percent}% of {whole}?",
            f"A budget of {whole} is used to {percent} percent. How much is used?",
            f"Of {whole} {rng.choice(THINGS)}, at most {percent}% may be sent by air. How large is that limit?",
            f"Write {percent} percent of {whole} as a number.",
        )
    )
    steps = (
        f"{percent}% is {number(Fraction(percent, 100))}; {number(Fraction(percent, 100))} * {whole} = {number(part)}."
    )
    return question, steps, number(part), {"percent": percent, "whole": whole}


def comparison(rng: Random) -> tuple:
    places = rng.choice((0, 0, 1, 2))
    chosen = rng.sample(range(1, 10 ** (places + 2)), rng.randint(2, 4))
    values = [number(Fraction(value, 10**places)) for value in chosen]
    largest = rng.random() < 0.5
    order = [number(value) for value in sorted(map(Fraction, values), reverse=largest)]
    word, direction = ("largest", "falling") if largest else ("smallest", "rising")
    question = rng.choice(
        (
            f"Which is the {word} of {listed(values)}?",
            f"The offers are {listed(values)}. Which one is the {word}?",
            f"What is {'max' if largest else 'min'}({', '.join(values)})?",
        )
    )
    return question, f"In {direction} order: {', '.join(order)}.", order[0], {"values": values, "largest": largest}


def equation(rng: Random) -> tuple:
    slope = rng.choice((-1, 1)) * rng.randint(2, 15)
    root, shift = rng.randint(-20, 40), rng.choice((-1, 1)) * rng.randint(1, 90)
    right, name = slope * root + shift, rng.choice(LETTERS)
    left = f"{expression([slope], name)} {'-' if shift < 0 else '+'} {abs(shift)}"
    question = rng.choice(
        (
            f"Solve {left} = {right}.",
            f"For which {name} is {left} = {right}?",
            f"Find {name} with {left} = {right}.",
        )
    )
    steps = f"{expression([slope], name)} = {right - shift}; {name} = {right - shift} / {slope} = {root}."
    return question, steps, f"{name} = {root}", {"slope": slope, "shift": shift, "right": right}


def system(rng: Random) -> tuple:
    while True:
        a, b, c, d = (rng.choice((-1, 1, 1)) * rng.randint(1, 9) for _ in range(4))
        if a * d != b * c:
            break
    x, y = rng.randint(-5, 15), rng.randint(-5, 15)
    e, f = a * x + b * y, c * x + d * y
    rows = f"{expression([a, b])} = {e}", f"{expression([c, d])} = {f}"
    question = rng.choice(
        (
            f"Solve the two equations {rows[0]} and {rows[1]}.",
            f"Where do both hold: {rows[0]} and {rows[1]}?",
            f"Two rows are tight: {rows[0]}, {rows[1]}. What is the corner point?",
        )
    )
    below = bracketed(a * d - b * c)
    steps = (
        f"The determinant is {values_at([a, -b], [d, c])}. "
        f"x = ({e * d} - {bracketed(b * f)}) / {below} = {e * d - b * f} / {below} = {x}; "
        f"y = ({a * f} - {bracketed(e * c)}) / {below} = {a * f - e * c} / {below} = {y}."
    )
    return question, steps, f"x = {x}, y = {y}", {"rows": [[a, b, e], [c, d, f]]}


def linear(rng: Random, lowest: int = -12) -> tuple[list[int], list[int]]:
    """Coefficients, none 0, and a point of their size."""
    size = rng.randint(2, 4)
    coefficients = [rng.choice([c for c in range(lowest, 21) if c]) for _ in range(size)]
    return coefficients, [rng.randint(0, 15) for _ in range(size)]


def point_text(point: list[int]) -> str:
    return listed([f"{name} = {value}" for name, value in zip(LETTERS, point, strict=False)])


def evaluation(rng: Random) -> tuple:
    coefficients, point = linear(rng)
    question = rng.choice(
        (
            f"What is {expression(coefficients)} at {point_text(point)}?",
            f"The objective is {expression(coefficients)}. What is its value at {point_text(point)}?",
            f"Put {point_text(point)} into {expression(coefficients)}.",
        )
    )
    value = sum(map(int.__mul__, coefficients, point))
    return question, f"{values_at(coefficients, point)}.", str(value), {"coefficients": coefficients, "point": point}


def row_at_point(rng: Random, signs: tuple[str, ...]) -> tuple[list[int], list[int], str, int, int]:
    """(coefficients, point, sign, limit, value) of a row near or at its limit."""
    coefficients, point = linear(rng, lowest=-4)
    value = sum(map(int.__mul__, coefficients, point))
    return coefficients, point, rng.choice(signs), value + rng.choice((0, 0, rng.randint(-15, 15), 1, -1)), value


def satisfaction(rng: Random) -> tuple:
    coefficients, point, sign, limit, value = row_at_point(rng, ("<=", ">=", "=="))
    row = f"{expression(coefficients)} {sign} {limit}"
    question = rng.choice(
        (
            f"Does {point_text(point)} satisfy {row}?",
            f"Is the row {row} satisfied at {point_text(point)}?",
            f"Check {row} for {point_text(point)}.",
        )
    )
    holds = {"<=": value <= limit, ">=": value >= limit, "==": value == limit}[sign]
    steps = f"The left side is {values_at(coefficients, point)}, and {value} {sign} {limit} is {holds}."
    given = {"coefficients": coefficients, "point": point, "sign": sign, "limit": limit}
    return question, steps, "yes" if holds else "no", given


def slack(rng: Random) -> tuple:
    coefficients, point, sign, limit, value = row_at_point(rng, ("<=", ">="))
    row = f"{expression(coefficients)} {sign} {limit}"
    question = rng.choice(
        (
            f"What is the slack of {row} at {point_text(point)}? Negative means violated.",
            f"How much room does {row} leave at {point_text(point)}? Give a negative number if it is violated.",
            f"By how much does {point_text(point)} meet {row}? A shortfall counts as negative.",
        )
    )
    left = limit - value if sign == "<=" else value - limit
    difference_text = f"{limit} - {bracketed(value)}" if sign == "<=" else f"{value} - {bracketed(limit)}"
    steps = f"The left side is {values_at(coefficients, point)}. Slack: {difference_text} = {left}."
    return question, steps, str(left), {"coefficients": coefficients, "point": point, "sign": sign, "limit": limit}


def rounding_down(rng: Random) -> tuple:
    total, each = amount(rng) + 20, rng.randint(2, 40)
    thing = rng.choice(THINGS)
    down = total // each
    question = rng.choice(
        (
            f"A batch needs {each} hours and there are {total} hours. How many whole batches fit?",
            f"What is the largest whole number n with {each} * n <= {total}?",
            f"With {total} in the purse and {thing} at {each} apiece, how many {thing} can be bought?",
            f"Round {total} / {each} down to a whole number.",
        )
    )
    steps = f"{each} * {down} = {each * down} <= {total}, but {each} * {down + 1} = {each * (down + 1)} > {total}."
    return question, steps, str(down), {"total": total, "each": each}


def conversion(rng: Random) -> tuple:
    large, small, factor = rng.choice(UNITS)
    count = Fraction(rng.randint(5, 400), rng.choice((1, 1, 2, 4) if factor % 4 == 0 else (1,)))
    to_small = rng.random() < 0.6
    start, end = (count, count * factor) if to_small else (count * factor, count)
    here, there = (large, small) if to_small else (small, large)
    question = rng.choice(
        (
            f"How many {there} are {number(start)} {here}?",
            f"Convert {number(start)} {here} to {there}.",
            f"The data are in {there}, the text says {number(start)} {here}. Which number goes into the model?",
        )
    )
    steps = f"{number(start)} {'*' if to_small else '/'} {factor} = {number(end)}."
    return question, steps, number(end), {"start": number(start), "from": here, "to": there}


def table_cell(rng: Random) -> tuple:
    rows, columns = rng.sample(NAMES, rng.randint(2, 4)), rng.sample(("north", "south", "east", "west", "port", "mill"),
                                                                     rng.randint(2, 4))  # fmt: skip
    cells = [[amount(rng) for _ in columns] for _ in rows]
    row, column = rng.randrange(len(rows)), rng.randrange(len(columns))
    lines = [["material", *columns], ["-"] * (len(columns) + 1)]
    lines += [[name, *values] for name, values in zip(rows, cells, strict=True)]
    table = "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
    asked = rng.choice(
        (
            f"What is the entry of {rows[row]} under {columns[column]}?",
            f"Read off the number for {rows[row]} and {columns[column]}.",
            f"Which number stands in the column {columns[column]} of the row {rows[row]}?",
        )
    )
    steps = f"The row of {rows[row]} is {', '.join(map(str, cells[row]))}; {columns[column]} is column {column + 1}."
    given = {"rows": rows, "columns": columns, "cells": cells, "row": rows[row], "column": columns[column]}
    return f"{table}\n{asked}", steps, str(cells[row][column]), given


def words_to_digits(rng: Random) -> tuple:
    value = amount(rng)
    words = spelled(value)
    question = rng.choice(
        (
            f"Write {words} in digits.",
            f"A text says {words} {rng.choice(THINGS)}. Which number is that?",
            f"Which number is {words}?",
        )
    )
    return question, "", str(value), {"words": words}


def digits_to_words(rng: Random) -> tuple:
    value = amount(rng)
    question = rng.choice((f"Write {value} in words.", f"How is {value} spelled?", f"Spell out the number {value}."))
    return question, "", spelled(value), {"value": value}


def spelled(value: int) -> str:
    return num2words(value).replace(",", "").replace(" and ", " ")


def list_syntax(rng: Random) -> tuple:
    values = [rng.choice((amount, lambda rng: rng.randint(1000, 99_999)))(rng) for _ in range(rng.randint(3, 9))]
    names = rng.sample(NAMES, len(values))
    shown = [f"{value:,}" for value in values] if rng.random() < 0.3 else list(map(str, values))
    text = rng.choice(
        (
            "; ".join(shown),
            f"{'; '.join(shown[:-1])} and {shown[-1]}",
            "; ".join(f"{name} {value}" for name, value in zip(names, shown, strict=True)),
            "; ".join(f"{value} for {name}" for name, value in zip(names, shown, strict=True)),
        )
    )
    symbol = rng.choice("abcdvw")
    question = rng.choice(
        (
            f"Write as a Python list: {text}.",
            f"Assign these numbers to {symbol} in Python: {text}.",
            f"The demands are {text}. Give the line of code that holds them, with the name {symbol}.",
        )
    )
    code = str(values) if question.startswith("Write") else f"{symbol} = {values}"
    return question, "", code, {"shown": shown}


MAKERS: dict[str, Callable[[Random], tuple]] = {
    "addition": addition,
    "difference": difference,
    "product": product,
    "division": division,
    "dot_product": dot_product,
    "percentage": percentage,
    "comparison": comparison,
    "equation": equation,
    "system": system,
    "evaluation": evaluation,
    "satisfaction": satisfaction,
    "slack": slack,
    "rounding_down": rounding_down,
    "conversion": conversion,
    "table_cell": table_cell,
    "words_to_digits": words_to_digits,
    "digits_to_words": digits_to_words,
    "list_syntax": list_syntax,
}
KINDS = tuple(MAKERS)
