"""Two rows of different models side by side: how alike they are, and what differs, in the scale of the second.

Which variables of the models belong together is given by classes: one class a variable, the same number meaning the
same in both models. Within a class variables are interchangeable.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trex.problems.comparison.normal_form import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, Origin, Term, by_rounding
from trex.problems.ir import Model, Row

FLIPPED = {"<=": ">=", ">=": "<="}
MOST_SCALES = 5
MOST_VALUES = 20  # of a class
SHOWN_TERMS = 6
SHOWN_COMPLAINTS = 3

Classes = tuple[Sequence[int], Sequence[int]]
Grouped = dict[tuple, list[tuple[float, Term]]]


@dataclass(frozen=True)
class Sided:
    """One side of a model's row as it is written there: terms <= right or terms >= right."""

    model: Model
    origin: Origin
    relation: str
    right: float
    terms: dict[Term, float]

    @property
    def row(self) -> Row:
        return self.model.rows[self.origin.row]

    def __str__(self) -> str:
        return f"{self.row.name!r}: {row_text(self.model, self.row)}"


@dataclass(frozen=True)
class Comparison:
    """Of `scale` times a row with another.

    likeness: the share of what could agree that does. unequal: per class the (coefficient, term) of both rows that are
    left when equal coefficients are paired off.
    """

    a: Sided
    b: Sided
    scale: float
    likeness: float
    same_right: bool
    unequal: list[tuple[list, list]]

    @property
    def relation(self) -> str:
        return self.a.relation if self.scale > 0 else FLIPPED[self.a.relation]

    @property
    def wrong_relation(self) -> bool:
        return self.relation != self.b.relation

    def complaints(self) -> list[str]:
        found = [f"{self.relation} instead of {self.b.relation}"] if self.wrong_relation else []
        if not self.same_right:
            found.append(f"the right-hand side {instead(self.a.right * self.scale, self.b.right)}")
        for left, right in self.unequal:
            found += term_complaints(self.a.model, self.b.model, left, right)
        return found


def sided(model: Model, origin: Origin) -> Sided:
    row = model.rows[origin.row]
    relation, right = ("<=", row.ub) if origin.upper else (">=", row.lb)
    return Sided(model, origin, relation, right, {**row.terms, **row.quadratic})


def side_by_side(a: Sided, b: Sided, classes: Classes) -> Comparison:
    """The comparison under the scale of `a` that makes most agree."""
    grouped = grouped_terms(a.terms, classes[0]), grouped_terms(b.terms, classes[1])
    compared = [under(scale, a, b, *grouped) for scale in scales(a, b, *grouped)]
    return max(compared, key=lambda c: (c.likeness, c.scale == 1, c.scale > 0, -abs(math.log(abs(c.scale)))))


def grouped_terms(terms: dict[Term, float], classes: Sequence[int]) -> Grouped:
    """(coefficient, term) by class."""
    grouped: Grouped = {}
    for term, coefficient in terms.items():
        grouped.setdefault(term_class(term, classes), []).append((coefficient, term))
    return grouped


def term_class(term: Term, classes: Sequence[int]) -> tuple[int, ...]:
    """The class of a variable, or those of the two that are multiplied."""
    return (classes[term],) if isinstance(term, int) else tuple(sorted(classes[i] for i in term))


def scales(a: Sided, b: Sided, terms_a: Grouped, terms_b: Grouped) -> list[float]:
    """1, -1, and the commonest quotients of numbers that may belong together."""
    quotients = [b.right / a.right, -b.right / a.right] if a.right else []
    for key in terms_a.keys() & terms_b.keys():
        values, others = (list({value: None for value, _ in grouped[key]}) for grouped in (terms_a, terms_b))
        quotients += [other / value for value in values[:MOST_VALUES] for other in others[:MOST_VALUES]]
    quotients = [q for q in quotients if q and math.isfinite(q)]
    exact = {by_rounding(q): q for q in quotients}
    likely = Counter(map(by_rounding, quotients)).most_common(MOST_SCALES)
    return [1.0, -1.0, *(exact[q] for q, _ in likely)]


def under(scale: float, a: Sided, b: Sided, terms_a: Grouped, terms_b: Grouped) -> Comparison:
    """The comparison of `scale` times the first row with the second."""
    tolerance = ABSOLUTE_TOLERANCE * max(map(abs, b.terms.values()), default=1.0)
    same_right = close(a.right * scale, b.right, tolerance)
    same_relation = (a.relation if scale > 0 else FLIPPED[a.relation]) == b.relation
    agreeing, unequal = same_right + same_relation, []
    for key in dict.fromkeys([*terms_b, *terms_a]):
        mine, its = [(value * scale, term) for value, term in terms_a.get(key, [])], terms_b.get(key, [])
        left, right = without_common(mine, its)
        agreeing += len(mine) - len(left) + min(len(mine), len(its))
        if left or right:
            unequal.append((left, right))
    possible = 2 + 2 * max(len(a.terms), len(b.terms))
    return Comparison(a, b, scale, agreeing / possible, same_right, unequal)


def without_common(left: list[tuple[float, Term]], right: list[tuple[float, Term]]) -> tuple[list, list]:
    """What is left of both lists when equal values are paired off."""
    left, right = (sorted(side, key=lambda member: member[0], reverse=True) for side in (left, right))
    only_left, only_right = [], []
    while left and right:
        if close(left[-1][0], right[-1][0]):
            left.pop(), right.pop()
        elif left[-1][0] < right[-1][0]:
            only_left.append(left.pop())
        else:
            only_right.append(right.pop())
    return only_left + left[::-1], only_right + right[::-1]


def term_complaints(a: Model, b: Model, left: list[tuple[float, Term]], right: list[tuple[float, Term]]) -> list[str]:
    """What differs between terms whose variables belong together."""
    found = []
    for (value, mine), (other, its) in zip(left, right, strict=False):
        names = term_text(a, mine), term_text(b, its)
        of = "" if names[0] == names[1] else f" of {names[1]}"
        found.append(f"the coefficient of {names[0]} {instead(value, other)}{of}")
    found += [f"a term {number_text(value)} {term_text(a, mine)} too many" for value, mine in left[len(right) :]]
    found += [f"no term like {number_text(other)} {term_text(b, its)}" for other, its in right[len(left) :]]
    return found


def close(x: float, y: float, tolerance: float = 0.0) -> bool:
    """Equal as the normal form has it, with some room for the scaling."""
    return math.isclose(x, y, rel_tol=3 * RELATIVE_TOLERANCE, abs_tol=tolerance)


def instead(value: float, other: float) -> str:
    return f"{number_text(value, other)} instead of {number_text(other, value)}"


def number_text(value: float, beside: float = math.nan) -> str:
    """Ten digits; all of them where another number would read the same."""
    short = f"{value:.10g}"
    return short if short != f"{beside:.10g}" else repr(value)


def term_text(model: Model, term: Term) -> str:
    names = [model.variables[i].name for i in ((term,) if isinstance(term, int) else term)]
    return " * ".join(map(repr, names))


def row_text(model: Model, row: Row) -> str:
    """`2 x + 3 y <= 4`; long rows are cut."""
    body = sum_text(model, {**row.terms, **row.quadratic})
    if row.lb == row.ub:
        return f"{body} = {number_text(row.ub)}"
    if math.isinf(row.lb) or math.isinf(row.ub):
        relation, right = ("<=", row.ub) if row.ub < math.inf else (">=", row.lb)
        return f"{body} {relation} {number_text(right)}"
    return f"{number_text(row.lb)} <= {body} <= {number_text(row.ub)}"


def sum_text(model: Model, terms: dict[Term, float]) -> str:
    parts = []
    for term, coefficient in list(terms.items())[:SHOWN_TERMS]:
        names = [model.variables[i].name for i in ((term,) if isinstance(term, int) else term)]
        size = "" if abs(coefficient) == 1 else f"{number_text(abs(coefficient))} "
        parts.append(f"{'-' if coefficient < 0 else '+'} {size}{' * '.join(names)}")
    if len(terms) > SHOWN_TERMS:
        parts.append(f"+ ... ({len(terms)} terms)")
    return " ".join(parts).removeprefix("+ ") or "0"


def counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def shown(complaints: Iterable[str]) -> str:
    """The first few, and how many more there are."""
    complaints = list(complaints)
    more = len(complaints) - SHOWN_COMPLAINTS
    return ", ".join(complaints[:SHOWN_COMPLAINTS]) + (f" and {more} more" if more > 0 else "")
