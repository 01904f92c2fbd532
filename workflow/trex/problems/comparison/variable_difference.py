"""Variables of two models side by side: which have no equal, and what differs between two of them.

Which variables may belong together is given by classes: one class a variable, the same number meaning the same in
both models. Within a class variables are interchangeable.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from trex.problems.comparison.model_graph import cost_of
from trex.problems.comparison.normal_form import Colourings, NormalForm, is_bound
from trex.problems.comparison.row_difference import Classes, number_text, term_text

MOST_PAIRED = 30

Complaint = tuple[str, str]  # kind of difference, text


class Look(NamedTuple):
    """All that a variable is by itself, numbers as colours."""

    integer: bool
    lb: float
    ub: float
    cost: tuple


def looks(form: NormalForm, colourings: Colourings) -> list[Look]:
    bound, _, _, cost = colourings
    return [
        Look(whole, bound(lb), bound(ub), cost_of(form.linear, i, cost))
        for i, (whole, lb, ub) in enumerate(zip(form.integer, form.lb, form.ub, strict=True))
    ]


def complaints(a: NormalForm, b: NormalForm, classes: Classes, colourings: Colourings) -> tuple[list[Complaint], int]:
    """Pairs of variables that differ, and how many have no equal in their class.

    Of a class in which many differ, the first ones only are paired.
    """
    looks_a, looks_b = looks(a, colourings), looks(b, colourings)
    found, count = [], 0
    for mine, its in members(classes, len(looks_a)):
        more = Counter(looks_a[i] for i in mine)
        more.subtract(looks_b[j] for j in its)
        count += sum(number for number in more.values() if number > 0)
        left = [i for i in mine if more[looks_a[i]] > 0][:MOST_PAIRED]
        right = [j for j in its if more[looks_b[j]] < 0][:MOST_PAIRED]
        pairs = paired([(a, i, looks_a[i]) for i in left], [(b, j, looks_b[j]) for j in right])
        found += [complaint(*mine, *its) for mine, its in pairs]
    return found, count


def members(classes: Classes, n: int) -> list[tuple[list[int], list[int]]]:
    """For each class of variables, those of the first and those of the second model."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for side, colours in enumerate(classes):
        for i in range(n):
            found.setdefault(colours[i], ([], []))[side].append(i)
    return list(found.values())


def paired(left: list[tuple], right: list[tuple]) -> list[tuple[tuple, tuple]]:
    """Each (form, variable, look) of the shorter list with one of the other: the likest first, then namesakes."""

    def likeness(pair: tuple[tuple, tuple]) -> tuple[int, bool]:
        (a, i, mine), (b, j, its) = pair
        same_name = a.model.variables[i].name == b.model.variables[j].name
        return sum(x == y for x, y in zip(mine, its, strict=True)), same_name

    pairs, taken = [], (set(), set())
    for pair in sorted(itertools.product(left, right), key=likeness, reverse=True):
        if not any(which[1] in used for which, used in zip(pair, taken, strict=True)):
            pairs.append(pair)
            for which, used in zip(pair, taken, strict=True):
                used.add(which[1])
    return pairs


def complaint(a: NormalForm, i: int, mine: Look, b: NormalForm, j: int, its: Look) -> Complaint:
    """What differs between variable i of one model and j of the other; the kind is that of the gravest."""
    kinds, said = [], ([], [])
    for differs, kind, texts in (
        (mine.integer != its.integer, "discrete_semantics", (kind_text(a, i), kind_text(b, j))),
        (mine.lb != its.lb, "wrong_bound", (bound_text(a, i, "lower"), bound_text(b, j, "lower"))),
        (mine.ub != its.ub, "wrong_bound", (bound_text(a, i, "upper"), bound_text(b, j, "upper"))),
        (mine.cost != its.cost, "wrong_objective", (cost_text(a, i, b, j), cost_text(b, j, a, i))),
    ):
        if differs:
            kinds.append(kind)
            said[0].append(texts[0]), said[1].append(texts[1])
    names = term_text(a.model, i), term_text(b.model, j)
    return kinds[0], f"variable {names[0]} {' and '.join(said[0])}, its partner {names[1]} {' and '.join(said[1])}"


def kind_text(form: NormalForm, i: int) -> str:
    if not form.integer[i]:
        return "is continuous"
    return "is binary" if form.lb[i] >= 0 and form.ub[i] <= 1 else "is integer"


def bound_text(form: NormalForm, i: int, side: str) -> str:
    """The bound, and the rows on that variable alone where it is not the variable's own."""
    variable = form.model.variables[i]
    limit, own = (form.lb[i], variable.lb) if side == "lower" else (form.ub[i], variable.ub)
    if math.isinf(limit):
        return f"has no {side} bound"
    rows = [row.name for row in form.model.rows if is_bound(row) and i in row.terms]
    source = f" (row {', '.join(map(repr, rows))})" if rows and limit != own else ""
    return f"has {side} bound {number_text(limit)}{source}"


def cost_text(form: NormalForm, i: int, other: NormalForm, j: int) -> str:
    if i not in form.linear:
        return "has no objective coefficient"
    return f"has objective coefficient {number_text(form.linear[i], other.linear.get(j, math.nan))}"


def product_complaint(a: NormalForm, b: NormalForm, classes: Classes, colourings: Colourings) -> Complaint | None:
    """A product in the objective of one model that the other has not, or not with that coefficient."""
    seen = [products(form, colours, colourings) for form, colours in zip((a, b), classes, strict=True)]
    more = Counter(look for look, _ in seen[0])
    more.subtract(look for look, _ in seen[1])
    if not any(more.values()):
        return None
    texts = []
    for form, sign, found in zip((a, b), (1, -1), seen, strict=True):
        first = next((pair for look, pair in found if sign * more[look] > 0), None)
        texts.append(f"{number_text(form.quadratic[first])} {term_text(form.model, first)}" if first else "no product")
    return "wrong_objective", f"the objective has {texts[0]} instead of {texts[1]}"


def products(form: NormalForm, colours: Sequence[int], colourings: Colourings) -> list[tuple[tuple, tuple[int, int]]]:
    """(classes of the factors and colour of the coefficient, the product) for each product in the objective."""
    return [((*sorted(colours[i] for i in pair), colourings.cost(c)), pair) for pair, c in form.quadratic.items()]
