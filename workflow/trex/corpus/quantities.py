"""The numbers of a text that are quantities, and whether they follow from others.

Left out as labels: numbers of points (`2. Demand`), `Table 3`, `Step 1` and the like; names that are counted up (`Line
1`, `Line 2`, and `1, 2, 3` in a row); indices (`x[1, 2]`, `x_{12}`), exponents (`^2`).
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from trex.corpus import numerals
from trex.problems.expression import Expression
from trex.problems.ir import Model

TRIVIAL = (0.0, 1.0, 2.0, 100.0)
CONVERSIONS = (7.0, 12.0, 24.0, 52.0, 60.0, 365.0, 1000.0, 3600.0)  # of units, which a text need not state
LARGEST_COUNT = 20
EXACT = 1e-9  # relative
MOST = 1000  # numbers that others may follow from
MOST_SUMMED = 300  # numbers whose neighbours are summed
STEPS = (1, 2, 3)
LABELLED = "table|figure|fig|step|section|equation|eq|constraint|part|phase|case|example|stage|question|option|scenario"
POINT = re.compile(r"^[ \t*#>(_-]*[0-9]{1,3}[.):](?=\s|\*)", re.MULTILINE)
LABEL = re.compile(rf"\b(?:{LABELLED})s?\.?\s?\(?[0-9]+", re.IGNORECASE)
INDEX = re.compile(r"\w\[[^\[\]\n]{0,40}\]|[_^]\{[^{}\n]{0,40}\}|\^-?[0-9]+")
NAMED = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,30})[ _-]([0-9]{1,3})(?![\w.,]*[0-9])")
NOUN = "(?:value|objective|costs?|profit|revenue|return|makespan|expenses?|reward|utility|benefit)"
OBJECTIVE = re.compile(
    rf"""(?: \b(?:optim|minim|maxim)(?:al|um) (?:[ _][a-z]{{2,}}){{0,3}}? [ _]{NOUN}\b (?![ ]of[ ](?:[a-z]\b|\w*[_0-9]))
      | \bobjective(?:[ ]function)?(?:'s)?[ _]value\b
      | \boptimum\b )
    (?:[ ][a-z]{{2,}}){{0,5}}? (?:[ ][a-z]\*?)? [ *_$]{{0,4}} (?: = | : | \bis | \bof | \bequals | \u2248 | \\approx)
    [\s*$\\(\u20ac\u00a3]{{0,8}} (?=[0-9.\u2212-])
    | \\boxed\{{ [\s$\\]{{0,8}}""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class Quantity:
    """text: as it is written; rounding: half a unit of the last decimal that is written, 0 without decimals."""

    value: Fraction
    readings: tuple[Fraction, ...]
    text: str
    rounding: float


def found(text: str) -> list[Quantity]:
    """The quantities of a text in its order."""
    labels = label_places(text)
    numbers = [number for number in numerals.found(text) if not any(map(labels.__contains__, span(number)))]
    return [quantity(number, text) for number in without_counting(numbers, text)]


def span(number: numerals.Numeral) -> range:
    return range(number.start, number.end)


def quantity(number: numerals.Numeral, text: str) -> Quantity:
    written = text[number.start : number.end]
    decimals = re.search(r"\.([0-9]+)", written)
    rounding = 0.5 * 10.0 ** -len(decimals.group(1)) if decimals else 0.0
    return Quantity(number.value, number.readings, written, rounding)


def label_places(text: str) -> set[int]:
    """The characters that belong to a label or an index."""
    places: set[int] = set()
    for pattern in (POINT, LABEL, INDEX):
        for match in pattern.finditer(text):
            places.update(range(*match.span()))
    counted: dict[str, set[int]] = {}
    named = list(NAMED.finditer(text))
    for match in named:
        counted.setdefault(match.group(1).lower(), set()).add(int(match.group(2)))
    for match in named:
        if int(match.group(2)) <= counted_up(counted[match.group(1).lower()]):
            places.update(range(*match.span(2)))
    return places


def counted_up(values: set[int]) -> int:
    """The last of 1, 2, 3, ... (from 0, where that is there) of which none is missing; -1 for fewer than two."""
    first = 0 if 0 in values else 1
    last = first
    while last in values:
        last += 1
    return last - 1 if last - first >= 2 else -1


def without_counting(numbers: list[numerals.Numeral], text: str) -> Iterator[numerals.Numeral]:
    """Without three numbers or more that count up from 0 or 1, next to each other."""
    start = 0
    while start < len(numbers):
        end = start + 1
        while end < len(numbers) and counts_on(numbers[end - 1], numbers[end], text):
            end += 1
        if end - start < 3 or numbers[start].value not in (0, 1):
            yield from numbers[start:end]
        start = end


def counts_on(before: numerals.Numeral, after: numerals.Numeral, text: str) -> bool:
    between = text[before.end : after.start]
    return after.value == before.value + 1 and len(between) < 8 and not re.sub(r"[\s,;&|]|and|or", "", between)


def stated_objective(text: str) -> Quantity | None:
    """The last number that is said to be the objective's value."""
    starts = {match.end() for match in OBJECTIVE.finditer(text)}
    if not starts:
        return None
    stated = [number for number in numerals.found(text) if {number.start, number.start - 1} & starts]
    stated = [
        number
        for number in stated
        if not re.match(r"[\w*/^]|\s*(?:[*\u00b7\u00d7]|\\cdot|\\times)", text[number.end : number.end + 9])
    ]
    return quantity(stated[-1], text) if stated else None


def of_model(model: Model) -> list[float]:
    """All finite numbers of a model."""
    values = [model.objective.constant]
    for part in (model.objective, *model.rows):
        values += part.quadratic.values()
        values += [] if part.nonlinear is None else constants(part.nonlinear)
    values += model.objective.linear.values()
    for row in model.rows:
        values += [row.lb, row.ub, *row.terms.values()]
    for variable in model.variables:
        values += [variable.lb, variable.ub]
    return [value for value in values if math.isfinite(value)]


def constants(expression: Expression) -> list[float]:
    if isinstance(expression, float):
        return [expression]
    return [] if expression[0] == "variable" else [value for part in expression[1:] for value in constants(part)]


def unexplained(asked: Iterable[Quantity], given: list[float]) -> list[str]:
    """Those of `asked` that are not in `given`, nor follow from it or from those before them; each text once."""
    given = given[:MOST]
    known, sums = ordered([*TRIVIAL, *given]), neighbour_sums(given)
    wrong: dict[str, None] = {}
    for one in asked:
        targets = [(abs(float(reading)), one.rounding) for reading in one.readings]
        if not any(is_near(known, value, slack) for value, slack in targets):
            if not any(is_near(sums, value, slack) or follows(known, value, slack) for value, slack in targets):
                wrong[one.text] = None
                continue
            if len(known) < MOST:
                known = ordered([*known, targets[0][0]])
    return list(wrong)


def unused(asked: Iterable[Quantity], given: list[float], used: list[float], sizes: tuple[int, ...]) -> list[str]:
    """Those of `asked` that are not in `used`, alone or combined with one of `given`; each text once.

    A small number in words may count things: it then divides one of the model's sizes (`three products`, 12 variables).
    """
    used, others = ordered(used), ordered(given[:MOST])
    wrong: dict[str, None] = {}
    for one in asked:
        if one.text.isalpha() and 0 < one.value <= LARGEST_COUNT and any(size % one.value == 0 for size in sizes):
            continue
        values = [abs(float(reading)) for reading in one.readings]
        if not any(value in TRIVIAL or is_near(used, value, 0.0) or goes_into(used, value, others) for value in values):
            wrong[one.text] = None
    return list(wrong)


def ordered(values: Iterable[float]) -> np.ndarray:
    return np.unique(np.abs(np.fromiter(values, float)))


def is_near(known: np.ndarray, values: np.ndarray | float, slack: np.ndarray | float) -> bool:
    """Whether one of `values` is in `known`, within its slack or nearly."""
    if not known.size:
        return False
    values = np.atleast_1d(values)
    place = np.searchsorted(known, values)
    distance = np.minimum(
        np.abs(known[np.minimum(place, known.size - 1)] - values), np.abs(known[np.maximum(place - 1, 0)] - values)
    )
    return bool((distance <= np.maximum(slack, EXACT * np.abs(values))).any())


def follows(known: np.ndarray, value: float, slack: float) -> bool:
    """Whether two of `known`, or one and a conversion of units, give the value by + - * /."""
    nonzero = np.concatenate([known[known > 0], CONVERSIONS])
    return (
        is_near(known, np.abs(value - known), slack)
        or is_near(known, value + known, slack)
        or is_near(known, value / nonzero, slack / nonzero)
        or is_near(known, value * nonzero, slack * nonzero)
    )


def goes_into(used: np.ndarray, value: float, others: np.ndarray) -> bool:
    """Whether the value and another one, or a conversion of units, give one of `used`.

    What follows from any pair, as that their quotient is 1, does not count.
    """
    used, others = used[~np.isin(used, TRIVIAL)], others[(others > 0) & (others != value)]
    factors = np.concatenate([others, CONVERSIONS])
    results = (np.abs(value - others), value + others, value * factors, value / factors)
    return any(is_near(used, result, 0.0) for result in results) or (value > 0 and is_near(used, others / value, 0.0))


def neighbour_sums(given: list[float]) -> np.ndarray:
    """The sums of numbers that stand next to each other, or at every second or third place as in a list of pairs."""
    found = [np.empty(0)]
    for step in STEPS:
        for start in range(step):
            totals = np.concatenate([[0.0], np.cumsum(given[start:MOST_SUMMED:step])])
            first, last = np.triu_indices(len(totals), 2)
            found.append(totals[last] - totals[first])
    return ordered(np.concatenate(found))
