"""Whether two models are the same model, exactly: a canonical form and isomorphism.

Two models are isomorphic when a renaming of variables turns one into the other after both are brought to this form:

- binary is integer with bounds in [0, 1]; bounds of integer variables are rounded inward;
- a row with a single variable is a bound (the tightest one counts), a row without any is dropped
  if it holds, and reads `0 <= -1` if not;
- every other row becomes one or two rows `sum <= b`, one for each finite side, divided by its largest |coefficient|:
  so the scale, the sign, the direction, and writing a range or an equation as one row or two make no difference;
- a row that stands twice counts once; names and order count nothing.

Sense, objective constant, linear and quadratic coefficients count as they stand: `min f` and `max -f` have the same
solutions but report different values, so they are not the same (an objective without any term has no sense).

Numbers are equal within 1e-9 of their size (bounds, right-hand sides and the constant also within 1e-12 of each
other, so that 0.3 - 0.2 - 0.1 is 0), by gaps in the sorted numbers of BOTH models, not by rounding each: there are no
cells at whose edge two equal numbers part. Numbers of one model that are that close count as the same number.

It is isomorphism, not equivalence: a redundant row, an auxiliary variable or a substitution makes another model.
The worst case of the exact search (nauty) is exponential; on the models that people write it takes milliseconds.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pynauty

from trex.problems.ir import INFINITE, Model

RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12
SIGNIFICANT_DIGITS = 9

Colouring = Callable[[float], float]


@dataclass
class NormalForm:
    """The form above, with numbers as they came out: nothing rounded, duplicate rows still there.

    lb, ub: one a variable. rows: (right-hand side, coefficients). Objective as in the model.
    """

    integer: list[bool]
    lb: list[float]
    ub: list[float]
    rows: list[tuple[float, dict[int, float]]]
    sense: str
    constant: float
    linear: dict[int, float]
    quadratic: dict[tuple[int, int], float]


@dataclass
class ColouredGraph:
    """Vertices 0..n-1 with a colour each (a tuple that sorts), adjacency both ways, and what belongs to no vertex."""

    header: tuple
    colours: list[tuple]
    neighbours: list[list[int]]


def isomorphic(a: Model, b: Model) -> bool:
    """True when a renaming of variables makes one model the other, in the sense of the module."""
    if len(a.variables) != len(b.variables):
        return False
    forms = [normal_form(a), normal_form(b)]
    colourings = [by_gaps(numbers, floor) for numbers, floor in numbers_of(forms)]
    first, second = (graph(form, *colourings) for form in forms)
    if first.header != second.header or signature(first) != signature(second):
        return False
    return canonical_adjacency(first) == canonical_adjacency(second)


def certificate(model: Model) -> str:
    """64 hexadecimal digits, the same for isomorphic models, different for others.

    Numbers are rounded to 9 significant digits, so two models whose numbers differ by less than that can get the
    same certificate, and two equal models with a number at the edge of a rounding cell different ones: it is for
    grouping many models and finding leaks; `isomorphic` decides.
    """
    form = normal_form(model)
    coloured = graph(form, *[by_rounding] * 4)
    adjacency = canonical_adjacency(coloured)
    colours = sorted(Counter(coloured.colours).items())
    return hashlib.sha256(json.dumps([coloured.header, colours, adjacency.hex()]).encode()).hexdigest()


def normal_form(model: Model) -> NormalForm:
    """The model in the module's form."""
    lb = [v.lb for v in model.variables]
    ub = [v.ub for v in model.variables]
    rows = []
    for row in model.rows:
        if len(row.terms) == 1:
            tighten(lb, ub, *next(iter(row.terms.items())), row.lb, row.ub)
        elif row.terms:
            scale = max(map(abs, row.terms.values()))
            if row.ub < math.inf:
                rows.append((row.ub / scale, {i: c / scale for i, c in row.terms.items()}))
            if row.lb > -math.inf:
                rows.append((-row.lb / scale, {i: -c / scale for i, c in row.terms.items()}))
        elif row.lb > ABSOLUTE_TOLERANCE or row.ub < -ABSOLUTE_TOLERANCE:
            rows.append((-1.0, {}))
    integer = [v.is_integer for v in model.variables]
    for i in (i for i, whole in enumerate(integer) if whole):
        lb[i], ub[i] = rounded(lb[i], math.ceil), rounded(ub[i], math.floor)
    objective = model.objective
    sense = objective.sense if objective.linear or objective.quadratic else ""
    return NormalForm(integer, lb, ub, rows, sense, objective.constant, objective.linear, objective.quadratic)


def tighten(lb: list[float], ub: list[float], index: int, coefficient: float, low: float, high: float) -> None:
    """The row low <= coefficient x <= high as bounds of variable `index`."""
    low, high = sorted((low / coefficient, high / coefficient))
    if low > -INFINITE:
        lb[index] = max(lb[index], low)
    if high < INFINITE:
        ub[index] = min(ub[index], high)


def rounded(limit: float, inward: Callable[[float], int]) -> float:
    """A bound of an integer variable, the nearest integer where it is one but for rounding errors."""
    if math.isinf(limit):
        return limit
    nearest = round(limit)
    return float(nearest if abs(limit - nearest) <= RELATIVE_TOLERANCE * max(1.0, abs(limit)) else inward(limit))


def numbers_of(forms: list[NormalForm]) -> list[tuple[Iterable[float], float]]:
    """The four families of numbers that are compared with each other, each with its absolute tolerance."""
    bounds = {limit for form in forms for limit in (*form.lb, *form.ub)}
    sides = {side for form in forms for side, _ in form.rows}
    coefficients = {c for form in forms for _, terms in form.rows for c in terms.values()}
    objective = {c for form in forms for c in (*form.linear.values(), *form.quadratic.values())}
    constants = {form.constant for form in forms}
    return [
        (bounds, ABSOLUTE_TOLERANCE),
        (sides | constants, ABSOLUTE_TOLERANCE),
        (coefficients, 0.0),
        (objective, 0.0),
    ]


def by_gaps(numbers: Iterable[float], floor: float) -> Colouring:
    """Numbers get the same colour when no gap between their neighbours in sorted order exceeds the tolerance."""
    colours: dict[float, float] = {}
    colour, last = 0, math.nan
    for value in sorted(numbers):
        tolerance = max(floor, RELATIVE_TOLERANCE * max(abs(value), abs(last)))
        if math.isinf(value) or math.isinf(last) or not value - last <= tolerance:
            colour += 1
        colours[value] = colour
        last = value
    return colours.__getitem__


def by_rounding(value: float) -> float:
    if abs(value) <= ABSOLUTE_TOLERANCE:
        return 0.0
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def graph(form: NormalForm, bound: Colouring, side: Colouring, entry: Colouring, cost: Colouring) -> ColouredGraph:
    """A graph whose colour-preserving isomorphisms are exactly the models' isomorphisms.

    Vertices: each variable (its kind, bounds, objective coefficients are its colour); each distinct row (coloured by
    its right-hand side), joined to one vertex for each different coefficient in it (coloured by the coefficient),
    which is joined to the variables that have it; each product of two variables, joined to both. A row with one
    coefficient only needs no second vertex: that coefficient is part of its colour.
    """
    colours: list[tuple] = [
        (0, whole, bound(lb), bound(ub), cost_of(form.linear, i, cost), cost_of(form.quadratic, (i, i), cost))
        for i, (whole, lb, ub) in enumerate(zip(form.integer, form.lb, form.ub, strict=True))
    ]
    neighbours: list[list[int]] = [[] for _ in colours]

    def join(colour: tuple, others: Iterable[int]) -> int:
        vertex = len(colours)
        colours.append(colour)
        neighbours.append(list(others))
        for other in neighbours[vertex]:
            neighbours[other].append(vertex)
        return vertex

    for right, terms in {(side(b), tuple((i, entry(c)) for i, c in terms.items())) for b, terms in form.rows}:
        members: dict[float, list[int]] = {}
        for index, coefficient in terms:
            members.setdefault(coefficient, []).append(index)
        if len(members) == 1:
            join((1, right, *members), *members.values())
        else:
            join((2, right), [join((3, coefficient), indexes) for coefficient, indexes in members.items()])
    for (i, j), coefficient in form.quadratic.items():
        if i != j:
            join((4, cost(coefficient)), (i, j))
    return ColouredGraph((form.sense, side(form.constant), len(form.integer)), colours, neighbours)


def cost_of(terms: dict, key: object, cost: Colouring) -> tuple:
    """A colour that sorts, also where there is no coefficient."""
    return (cost(terms[key]),) if key in terms else ()


def signature(coloured: ColouredGraph) -> Counter:
    """How many vertices have which colour and which colours around them: equal for isomorphic graphs, cheap."""
    around = [tuple(sorted(Counter(coloured.colours[v] for v in near).items())) for near in coloured.neighbours]
    return Counter(zip(coloured.colours, around, strict=True))


def canonical_adjacency(coloured: ColouredGraph) -> bytes:
    """nauty's canonical adjacency matrix, colour classes in the order of their colours."""
    if not coloured.colours:
        return b""
    classes: dict[tuple, set[int]] = {}
    for vertex, colour in enumerate(coloured.colours):
        classes.setdefault(colour, set()).add(vertex)
    return pynauty.certificate(
        pynauty.Graph(
            len(coloured.colours),
            adjacency_dict=dict(enumerate(coloured.neighbours)),
            vertex_coloring=[classes[colour] for colour in sorted(classes)],
        )
    )
