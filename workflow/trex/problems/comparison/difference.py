"""What is wrong with a model, seen from the reference that it should be: a counter-example that a person can act on.

It is sought as one repair after which colour refinement finds no difference any more:

- taking out one row of the model, one of the reference, or one of each (which are then compared number by number);
- taking out the rows that have other numbers than those at their place in the other model;
- leaving the kinds, the bounds or the objective coefficients of all variables out of account, or several of these;
- taking out all rows that look like none of the other model.

Where no such repair is found, the first thing without a partner is named, and the text ends with SEVERAL. A row with
another relation (<= for >=, or for =) is `wrong_sense`, like an objective with another direction.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trex.problems.comparison.model_graph import Agreement, agreement
from trex.problems.comparison.normal_form import Colourings, NormalForm, Origin
from trex.problems.comparison.row_difference import (
    Classes,
    Comparison,
    Sided,
    counted,
    instead,
    number_text,
    shown,
    side_by_side,
    sided,
)
from trex.problems.comparison.suspects import ALIKE, Suspects, by_place, by_refinement, candidates, likest, trials
from trex.problems.comparison.variable_difference import complaints, looks, product_complaint

KINDS = (
    "variable_count",
    "wrong_sense",
    "discrete_semantics",
    "wrong_bound",
    "wrong_objective",
    "missing_rows",
    "extra_rows",
    "wrong_coefficient",
    "structure",
)
SEVERAL = "; there may be more differences"
LOOKALIKE = "; or another row that looks like it"
REPAIRS = (("kinds",), ("bounds",), ("kinds", "bounds"), ("costs",), ("kinds", "bounds", "costs"))
MOST_ROUNDS = 10
MOST_COMPARED = 40, 12  # rows of the model and of the reference


@dataclass(frozen=True)
class Difference:
    """kind: one of KINDS. text: what differs, by the names of the variables and rows of both models."""

    kind: str
    text: str


def at_a_glance(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference | None:
    """What needs no search: the number of variables, the direction and the constant of the objective."""
    if len(a.integer) != len(b.integer):
        return Difference("variable_count", variable_count(a, b))
    if a.sense and b.sense and a.sense != b.sense:
        return Difference("wrong_sense", f"the objective is to be {a.sense}imised instead of {b.sense}imised")
    if a.sense != b.sense:
        which, other = ("reference", "model") if a.sense else ("model", "reference")
        return Difference("wrong_objective", f"the objective of the {which} has no terms, that of the {other} has")
    if colourings.side(a.constant) != colourings.side(b.constant):
        return Difference("wrong_objective", f"the constant of the objective is {instead(a.constant, b.constant)}")
    return None


def variable_count(a: NormalForm, b: NormalForm) -> str:
    """How many variables, how many of them integer, and those of the larger model that occur nowhere."""
    counts = [f"{counted(len(form.integer), 'variable')} ({sum(form.integer)} integer)" for form in (a, b)]
    which, larger = ("model", a) if len(a.integer) > len(b.integer) else ("reference", b)
    used = {*larger.linear, *itertools.chain(*larger.quadratic)}
    for _, terms in larger.rows:
        used.update(*(term if isinstance(term, tuple) else (term,) for term in terms))
    idle = [repr(variable.name) for i, variable in enumerate(larger.model.variables) if i not in used]
    note = f"; in no row and not in the objective of the {which}: {shown(idle)}" if idle else ""
    return f"the model has {counts[0]}, the reference {counts[1]}{note}"


def explained(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference:
    """What differs between forms that colour refinement tells apart, though not `at_a_glance`."""
    searches = [one_row, numbers_of_rows, variables, several_rows]
    if own_looks(a, colourings) != own_looks(b, colourings):
        searches = [variables, one_row, several_rows]
    for search in searches:
        if (difference := search(a, b, colourings)) is not None:
            return difference
    return first_of_several(a, b, colourings)


def own_looks(form: NormalForm, colourings: Colourings) -> Counter:
    return Counter([*looks(form, colourings), *map(colourings.cost, form.quadratic.values())])


def variables(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference | None:
    """The difference when it is one of the variables or the objective only."""
    for parts in REPAIRS:
        if (found := agreement(without(a, parts), without(b, parts), colourings)) is not None:
            difference = variable_difference(a, b, found.colours, colourings)
            return difference or misplaced(b, found.colours[1], parts)
    return None


def without(form: NormalForm, parts: Sequence[str]) -> NormalForm:
    """With the same kinds, bounds or objective coefficients for all variables."""
    n = len(form.integer)
    if "kinds" in parts:
        form = replace(form, integer=[False] * n)
    if "bounds" in parts:
        form = replace(form, lb=[0.0] * n, ub=[0.0] * n)
    if "costs" in parts:
        form = replace(form, linear={}, quadratic={})
    return form


def variable_difference(a: NormalForm, b: NormalForm, classes: Classes, colourings: Colourings) -> Difference | None:
    """The gravest difference between variables of the same class, or between products of them in the objective."""
    found, count = complaints(a, b, classes, colourings)
    if not found:
        product = product_complaint(a, b, classes, colourings)
        return product and Difference(*product)
    kind, text = min(found, key=lambda complaint: KINDS.index(complaint[0]))
    return Difference(kind, text + (f"; also {counted(count - 1, 'other variable')}" if count > 1 else ""))


def misplaced(form: NormalForm, colours: Sequence[int], parts: Sequence[str]) -> Difference:
    """Classes of variables have the same kinds, bounds and costs, but not in places that fit each other."""
    kind = {"kinds": "discrete_semantics", "bounds": "wrong_bound", "costs": "wrong_objective"}[parts[0]]
    sizes = Counter(colours)
    names = shown(repr(v.name) for v, colour in zip(form.model.variables, colours, strict=False) if sizes[colour] > 1)
    what = " and ".join(parts).replace("costs", "objective coefficients")
    return Difference(kind, f"the model has the same {what}, but those of {names} of the reference are exchanged")


def one_row(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference | None:
    """The difference when it is that of one row."""
    for trial in trials(by_refinement(a, b, colourings)):
        if (rest := agreement(*trial.taken_out(a, b), colourings)) is not None:
            return row_difference(trial, rest)
    return None


def numbers_of_rows(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference | None:
    """The difference when it is one of coefficients, right-hand sides and relations only."""
    suspects = by_place(a, b, colourings)
    if suspects is None:
        return None
    for trial in [suspects] if suspects.are_certain else trials(suspects):
        if (rest := agreement(*trial.taken_out(a, b), colourings)) is not None:
            return row_difference(trial, rest)
    return None


def several_rows(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference | None:
    """The difference when it is one of rows only, each of which certainly has no partner once the others are out."""
    forms, taken = (a, b), ([], [])
    for _ in range(MOST_ROUNDS):
        suspects = by_refinement(*forms, colourings).only_certain()
        if not suspects:
            return None
        forms = suspects.taken_out(*forms)
        taken = taken[0] + suspects.of_model, taken[1] + suspects.of_reference
        if (rest := agreement(*forms, colourings)) is not None:
            return row_difference(Suspects(*taken, rest.colours), rest)
    return None


def row_difference(suspects: Suspects, rest: Agreement | None = None) -> Difference:
    """What is wrong with these rows: one of the reference is missing, one too many, half of one, or other numbers.

    rest: the models without them, if these agree.
    """
    mine, its = ([side for row in rows for side in row.sides] for rows in (suspects.of_model, suspects.of_reference))
    pairs, extra, missing = matched(mine, its, suspects.classes if rest is None else rest.colours)
    others = max(len(suspects.of_model), len(suspects.of_reference)) - 1
    note = f"; also {counted(others, 'other row')}" if others else ""
    for kind, single, which in (("missing_rows", missing, "reference"), ("extra_rows", extra, "model")):
        if whole := [side for side in single if not half(side, single)]:
            return Difference(kind, f"row {whole[0]} of the {which} has no partner{note}")
    for single, which, other, side in ((missing, "reference", "model", 1), (extra, "model", "reference", 0)):
        if single:
            twin = f": {partner}" if (partner := other_half(single[0], pairs, rest, side)) is not None else ""
            text = f"of row {single[0]} of the {which}, the {other} has one direction only{twin}{note}"
            return Difference("wrong_sense", text)
    kind, text = other_numbers(pairs)
    return Difference(kind, text + note)


def matched(mine: list[Sided], its: list[Sided], classes: Classes) -> tuple[list[Comparison], list[Sided], list[Sided]]:
    """(pairs that are alike, rows left of the model, of the reference). Of many rows only the first are compared."""
    compared = [
        side_by_side(a, b, classes) for a, b in itertools.product(mine[: MOST_COMPARED[0]], its[: MOST_COMPARED[1]])
    ]
    pairs, used = [], set()
    for pair in sorted(compared, key=lambda pair: pair.likeness, reverse=True):
        if pair.likeness > ALIKE and not {id(pair.a), id(pair.b)} & used:
            pairs.append(pair)
            used |= {id(pair.a), id(pair.b)}
    left = [side for side in mine if id(side) not in used]
    right = [side for side in its if id(side) not in used]
    unseen = min(len(left), max(0, len(its) - MOST_COMPARED[1]))
    return pairs, left[unseen:], right[: len(right) - unseen]


def half(side: Sided, single: list[Sided]) -> bool:
    """True when the model's row has another side that is not among these."""
    two_sided = -math.inf < side.row.lb and side.row.ub < math.inf
    return two_sided and sum(other.origin.row == side.origin.row for other in single) == 1


def other_half(single: Sided, pairs: list[Comparison], rest: Agreement | None, which: int) -> Sided | None:
    """The partner of the row's other side, in the other model. which: 0 when the row is the model's."""
    for pair in pairs:
        if (pair.a, pair.b)[which].origin.row == single.origin.row:
            return (pair.b, pair.a)[which]
    if rest is None:
        return None
    wanted = Origin(single.origin.row, not single.origin.upper)
    (own, other), (own_made, other_made), (own_colours, other_colours) = (
        (things[which], things[1 - which]) for things in (rest.forms, rest.graphs, rest.colours)
    )
    colours = {own_colours[v] for v, rows in own_made.rows.items() if wanted in [own.origins[row] for row in rows]}
    twins = [rows[0] for v, rows in other_made.rows.items() if other_colours[v] in colours]
    return sided(other.model, other.origins[twins[0]]) if twins else None


def other_numbers(pairs: list[Comparison]) -> tuple[str, str]:
    """Kind and text for the pair that differs most gravely."""
    pair = max(pairs, key=lambda pair: (pair.wrong_relation, not pair.same_right or bool(pair.unequal)))
    nearest = f"row {pair.b} of the reference has no partner; the nearest of the model is {pair.a}"
    complaints = pair.complaints()
    if not complaints:
        return "structure", f"{nearest}, with the same numbers, but its variables stand in other rows"
    times = "" if pair.scale == 1 else f" times {number_text(pair.scale)}"
    kind = "wrong_sense" if pair.wrong_relation else "wrong_coefficient"
    return kind, f"{nearest}, which{times} has {shown(complaints)}"


def first_of_several(a: NormalForm, b: NormalForm, colourings: Colourings) -> Difference:
    """The gravest difference of the variables without regard to the rows, or else the first of the rows."""
    anywhere = [0] * len(a.integer), [0] * len(b.integer)
    difference = variable_difference(a, b, anywhere, colourings) or first_row(by_refinement(a, b, colourings))
    return replace(difference, text=difference.text + SEVERAL)


def first_row(suspects: Suspects) -> Difference:
    """Without certain suspects one pair of rows that may be meant, or a single row."""
    if suspects.are_certain:
        return row_difference(suspects)
    model, reference = candidates(suspects.of_model), candidates(suspects.of_reference)
    pairs = [([a], [b]) for a, b in likest(model, reference, suspects.classes)]
    of_model, of_reference = pairs[0] if pairs else (model[:1], reference[:1])
    found = row_difference(replace(suspects, of_model=of_model, of_reference=of_reference))
    if found.kind == "structure":
        return Difference("structure", "the variables and rows look like those of the reference, but not all at once")
    return replace(found, text=found.text + LOOKALIKE)


def without_a_renaming(a: NormalForm, alike: Iterable[int]) -> Difference:
    """What to say where only the exact search tells the models apart. alike: variables that have a double."""
    names = shown(repr(a.model.variables[i].name) for i in alike)
    return Difference(
        "structure",
        f"each variable and row looks like one of the reference, but no renaming of those that look alike ({names}) "
        "fits all rows at once",
    )
