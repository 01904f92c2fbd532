"""The form to which two models are brought before they are compared, and when two numbers in it are equal.

- Binary is integer with bounds in [0, 1]; bounds of integer variables are rounded inward.
- A row with a single linear term is a bound (the tightest one counts), a row without any term is dropped if it holds,
  and reads `0 <= -1` if not.
- Every other row becomes one or two rows `sum <= b`, one for each finite side, divided by its largest |coefficient|:
  so the scale, the sign, the direction, and writing a range or an equation as one row or two make no difference.
- An objective without any term has no sense.

Numbers are equal within 1e-9 of their size (bounds, right-hand sides and the constant also within 1e-12 of each
other, so that 0.3 - 0.2 - 0.1 is 0), by gaps in the sorted numbers of BOTH models, not by rounding each: there are no
cells at whose edge two equal numbers part. Numbers of one model that are that close count as the same number.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trex.problems.ir import INFINITE, Model, Row

RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12
SIGNIFICANT_DIGITS = 9

Term = int | tuple[int, int]  # a variable, or the product of two (i <= j)
Colouring = Callable[[float], float]


class NotComparable(ValueError):
    """A model with a nonlinear expression: it has no normal form. The text says where."""


class Origin(NamedTuple):
    """Where a row of the form comes from: the model's row of this index, its upper or its lower side."""

    row: int
    upper: bool


@dataclass
class NormalForm:
    """The form above, with numbers as they came out: nothing rounded, duplicate rows still there.

    lb, ub: one a variable. rows: (right-hand side, coefficients); origins: one a row. Objective as in the model.
    model: what it is the form of, for the names.
    """

    model: Model
    integer: list[bool]
    lb: list[float]
    ub: list[float]
    rows: list[tuple[float, dict[Term, float]]]
    origins: list[Origin]
    sense: str
    constant: float
    linear: dict[int, float]
    quadratic: dict[tuple[int, int], float]


class Colourings(NamedTuple):
    """How the four families of numbers that are compared with each other are coloured: equal numbers, equal colours.

    The colour of -x is minus that of x, and that of 0 is 0.
    """

    bound: Colouring
    side: Colouring
    coefficient: Colouring
    cost: Colouring


def normal_form(model: Model) -> NormalForm:
    """The model in the module's form. Raises NotComparable where it has none."""
    lb, ub = tightest_bounds(model)
    rows, origins = [], []
    for index, row in enumerate(model.rows):
        if row.nonlinear is not None:
            raise NotComparable(f"row {row.name!r} has a nonlinear expression; it cannot be compared")
        for upper, right, terms in one_sided(row):
            rows.append((right, terms))
            origins.append(Origin(index, upper))
    objective = model.objective
    if objective.nonlinear is not None:
        raise NotComparable("the objective has a nonlinear expression; it cannot be compared")
    sense = objective.sense if objective.linear or objective.quadratic else ""
    integer = [v.is_integer for v in model.variables]
    return NormalForm(
        model, integer, lb, ub, rows, origins, sense, objective.constant, objective.linear, objective.quadratic
    )


def one_sided(row: Row) -> Iterator[tuple[bool, float, dict[Term, float]]]:
    """(upper side?, right-hand side, coefficients) of the rows `sum <= right-hand side` that the row stands for."""
    terms = {**row.terms, **row.quadratic}
    if not terms:
        if row.lb > ABSOLUTE_TOLERANCE or row.ub < -ABSOLUTE_TOLERANCE:
            yield row.ub < 0, -1.0, {}
    elif not is_bound(row):
        scale = max(map(abs, terms.values()))
        if row.ub < math.inf:
            yield True, row.ub / scale, {term: c / scale for term, c in terms.items()}
        if row.lb > -math.inf:
            yield False, -row.lb / scale, {term: -c / scale for term, c in terms.items()}


def is_bound(row: Row) -> bool:
    return len(row.terms) == 1 and row.is_linear


def tightest_bounds(model: Model) -> tuple[list[float], list[float]]:
    """Lower and upper bounds of the variables, rows that are bounds included. Nonlinear rows are no obstacle."""
    lb = [v.lb for v in model.variables]
    ub = [v.ub for v in model.variables]
    for row in filter(is_bound, model.rows):
        ((index, coefficient),) = row.terms.items()
        low, high = sorted((row.lb / coefficient, row.ub / coefficient))
        if low > -INFINITE:
            lb[index] = max(lb[index], low)
        if high < INFINITE:
            ub[index] = min(ub[index], high)
    for i in (i for i, v in enumerate(model.variables) if v.is_integer):
        lb[i], ub[i] = rounded(lb[i], math.ceil), rounded(ub[i], math.floor)
    return lb, ub


def rounded(limit: float, inward: Callable[[float], int]) -> float:
    """A bound of an integer variable, the nearest integer where it is one but for rounding errors."""
    if math.isinf(limit):
        return limit
    nearest = round(limit)
    return float(nearest if abs(limit - nearest) <= RELATIVE_TOLERANCE * max(1.0, abs(limit)) else inward(limit))


def colourings(forms: Sequence[NormalForm]) -> Colourings:
    """The colours of the numbers of all these forms, so that the forms can be compared."""
    bounds = {limit for form in forms for limit in (*form.lb, *form.ub)}
    sides = {side for form in forms for side, _ in form.rows} | {form.constant for form in forms}
    coefficients = {c for form in forms for _, terms in form.rows for c in terms.values()}
    costs = {c for form in forms for c in (*form.linear.values(), *form.quadratic.values())}
    return Colourings(
        by_gaps(bounds, ABSOLUTE_TOLERANCE),
        by_gaps(sides, ABSOLUTE_TOLERANCE),
        by_gaps(coefficients, 0.0),
        by_gaps(costs, 0.0),
    )


def by_gaps(numbers: Iterable[float], floor: float) -> Colouring:
    """Numbers get the same colour when no gap between their neighbours in sorted order exceeds the tolerance."""
    ranks = {0.0: 0}
    rank, last = 0, 0.0
    for size in sorted(set(map(abs, numbers))):
        if math.isinf(size) or size - last > max(floor, RELATIVE_TOLERANCE * size):
            rank += 1
        ranks[size] = rank
        last = size
    return lambda value: math.copysign(ranks[abs(value)], value)


def by_rounding(value: float) -> float:
    """The colour of a number by itself; equal numbers at the edge of a rounding cell get different ones."""
    if abs(value) <= ABSOLUTE_TOLERANCE:
        return 0.0
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
