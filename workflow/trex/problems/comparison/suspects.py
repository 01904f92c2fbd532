"""The rows of two models that look as if they had no partner in the other one: whom to blame for a difference."""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from trex.problems.comparison.model_graph import ColouredGraph, agreement, graph, refinements
from trex.problems.comparison.normal_form import Colourings, NormalForm
from trex.problems.comparison.row_difference import Classes, Sided, side_by_side, sided, term_class

MOST_TRIALS = 20
MOST_CANDIDATES = 12  # of one model
MOST_TERMS = 10_000  # in them
ALIKE = 0.5  # rows must be more alike than that to be partners


@dataclass(frozen=True)
class Suspect:
    """A row without a partner, or the sides of it that have none.

    sides: as the model has them, in one row or more. positions: all rows of the form that say so. colours: of these.
    certain: nothing in the other model looks like one of the sides; else there is something, only not as often.
    """

    sides: list[Sided]
    positions: list[int]
    colours: tuple[int, ...]
    certain: bool


@dataclass(frozen=True)
class Suspects:
    """Rows of the model and of the reference. classes: of the variables. fewest: how many sides must be to blame."""

    of_model: list[Suspect]
    of_reference: list[Suspect]
    classes: Classes
    fewest: int = 0

    def __bool__(self) -> bool:
        return bool(self.of_model or self.of_reference)

    @property
    def are_certain(self) -> bool:
        return all(suspect.certain for suspect in (*self.of_model, *self.of_reference))

    def only_certain(self) -> "Suspects":
        model, reference = ([one for one in side if one.certain] for side in (self.of_model, self.of_reference))
        return Suspects(model, reference, self.classes)

    def taken_out(self, a: NormalForm, b: NormalForm) -> tuple[NormalForm, NormalForm]:
        """The forms without these rows."""
        return without_rows(a, self.of_model), without_rows(b, self.of_reference)


def without_rows(form: NormalForm, suspects: Iterable[Suspect]) -> NormalForm:
    gone = {position for suspect in suspects for position in suspect.positions}
    kept = [i for i in range(len(form.rows)) if i not in gone]
    return replace(form, rows=[form.rows[i] for i in kept], origins=[form.origins[i] for i in kept])


def by_refinement(a: NormalForm, b: NormalForm, colourings: Colourings) -> Suspects:
    """The rows that colour refinement misses first: later it blames all that share a variable with them."""
    graphs = graph(a, colourings), graph(b, colourings)
    first, blamed, missed, fewest = None, ({}, {}), 0, 0
    for turn, colours in enumerate(refinements(*graphs)):
        first = first or colours
        more, count = surplus(*({v: own[v] for v in made.rows} for made, own in zip(graphs, colours, strict=True)))
        if missed in (0, count):
            blamed, missed = more, count
        if turn <= 1:
            fewest = count  # so far a row's colour is its own and that of its variables: no other row is to blame
    found = [
        by_line(form, [Side(made.rows[v], own[v], certain) for v, certain in vertices.items()], colourings)
        for form, made, vertices, own in zip((a, b), graphs, blamed, colours, strict=True)
    ]
    return Suspects(*found, first, fewest)


def by_place(a: NormalForm, b: NormalForm, colourings: Colourings) -> Suspects | None:
    """The rows with other numbers than those at the same place, where places alone make the models agree."""
    rest = agreement(without_numbers(a), without_numbers(b), colourings)
    if rest is None:
        return None
    sides = [by_look(*parts, colourings) for parts in zip((a, b), rest.graphs, rest.colours, strict=True)]
    blamed, _ = surplus(*({key: key[1:] for key in own} for own in sides))
    found = [
        by_line(form, [Side(own[key], key[1], certain) for key, certain in keys.items()], colourings)
        for form, own, keys in zip((a, b), sides, blamed, strict=True)
    ]
    return Suspects(*found, rest.colours)


def without_numbers(form: NormalForm) -> NormalForm:
    """No row has a coefficient, a right-hand side or a relation of its own."""
    return replace(form, rows=[(0.0, dict.fromkeys(terms, 1.0)) for _, terms in form.rows])


def by_look(
    form: NormalForm, made: ColouredGraph, colours: Sequence[int], colourings: Colourings
) -> dict[tuple, list[int]]:
    """The form's rows by vertex, its colour, and what they are up to an exchange of variables of the same class."""
    found: dict[tuple, list[int]] = {}
    for vertex, rows in made.rows.items():
        for row in rows:
            right, terms = form.rows[row]
            look = sorted((term_class(term, colours), colourings.coefficient(c)) for term, c in terms.items())
            found.setdefault((vertex, colours[vertex], colourings.side(right), *look), []).append(row)
    return found


def surplus(
    a: dict[Hashable, Hashable], b: dict[Hashable, Hashable]
) -> tuple[tuple[dict[Hashable, bool], dict[Hashable, bool]], int]:
    """The keys of either model with a look that more have there than in the other one, and how many more have it.

    True for those whose look none has in the other model.
    """
    counts = Counter(a.values()), Counter(b.values())
    more = [
        {key: not other[look] for key, look in looks.items() if own[look] > other[look]}
        for looks, own, other in ((a, *counts), (b, *counts[::-1]))
    ]
    return (more[0], more[1]), ((counts[0] - counts[1]) + (counts[1] - counts[0])).total()


class Side(NamedTuple):
    """Rows of the form that say the same, their colour, and whether the other model certainly has none like them."""

    rows: list[int]
    colour: int
    certain: bool


def by_line(form: NormalForm, sides: list[Side], colourings: Colourings) -> list[Suspect]:
    """One suspect for those sides whose rows differ in the right-hand side and the sign only."""
    lines: dict[tuple, list[Side]] = {}
    for side in sides:
        terms = [(term, colourings.coefficient(c)) for term, c in form.rows[side.rows[0]][1].items()]
        sign = -1 if terms and terms[0][1] < 0 else 1
        lines.setdefault(tuple((term, sign * colour) for term, colour in terms), []).append(side)
    return [
        Suspect(
            [sided(form.model, form.origins[side.rows[0]]) for side in line],
            [row for side in line for row in side.rows],
            tuple(sorted(side.colour for side in line)),
            any(side.certain for side in line),
        )
        for line in lines.values()
    ]


def trials(suspects: Suspects) -> Iterator[Suspects]:
    """Each time one row: one of each model where both have suspects, the likest first, or one of one model."""
    model, reference = candidates(suspects.of_model), candidates(suspects.of_reference)
    if model and reference:
        pairs = [([a], [b]) for a, b in likest(model, reference, suspects.classes)]
    else:
        pairs = [*(([a], []) for a in model), *(([], [b]) for b in reference)]
    for of_model, of_reference in pairs[:MOST_TRIALS]:
        if sum(len(suspect.sides) for suspect in (*of_model, *of_reference)) >= suspects.fewest:
            yield replace(suspects, of_model=of_model, of_reference=of_reference)


def candidates(suspects: list[Suspect]) -> list[Suspect]:
    """Certain ones if there are, and of all as different ones as can be: one of each look before a second of any."""
    groups: dict[tuple, list[Suspect]] = {}
    for suspect in [one for one in suspects if one.certain] or suspects:
        groups.setdefault(suspect.colours, []).append(suspect)
    in_turn = [one for one in itertools.chain.from_iterable(itertools.zip_longest(*groups.values())) if one]
    longest = max((len(one.sides[0].terms) for one in in_turn), default=0)
    return in_turn[: max(1, min(MOST_CANDIDATES, MOST_TERMS // max(1, longest)))]


def likest(model: list[Suspect], reference: list[Suspect], classes: Classes) -> list[tuple[Suspect, Suspect]]:
    """Pairs that may be partners, the likest first."""
    pairs = []
    for a, b in itertools.product(model, reference):
        likeness = max(side_by_side(*sides, classes).likeness for sides in itertools.product(a.sides, b.sides))
        if likeness > ALIKE:
            pairs.append((likeness, a, b))
    return [(a, b) for _, a, b in sorted(pairs, key=lambda pair: pair[0], reverse=True)]
