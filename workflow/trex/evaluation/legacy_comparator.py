"""The structure comparator of the benchmark's authors, with its errors: for a column beside our own comparison.

The rules are theirs, re-written here; no line of theirs is used, and `trex.problems.comparison` is what this project
scores by. In order:

1. Only what Gurobi lists as linear rows and linear costs is seen: the direction and the constant of the objective,
   products, quadratic and nonlinear rows are not.
2. A row with a single variable becomes a bound, rhs / coefficient, on the side that its relation names even where the
   coefficient is negative; it replaces the variable's own bound on that side, tighter or not.
3. A row `<= 0` is negated.
4. The numbers of variables and of rows must be equal.
5. Colour refinement, each model for itself: a variable starts as cost, kind (binary is not integer) and bounds, a row
   as right-hand side and relation, numbers as float32 with 6 decimals. The SETS of colours must be equal; how often a
   colour occurs does not matter.

The record that this project started from (design and known errors of their scorer) leaves these open; they follow
what their public checker does (ORGEval, arXiv 2510.27610), which explains the known errors:

- of several rows that bound a variable on a side the tightest counts; an equation bounds it on both;
- a row `= 0` is negated when its coefficients sum to less than 0 (so a flow balance is not);
- refinement ends when a round brings no further colour, and the colours of that round are compared;
- 6.: without the nodes whose colour is theirs alone, no connected part of either model may hold a colour twice
  ("symmetric decomposable"); where one does, the models count as different. So a hexagon differs from itself.

Open there, too, and chosen here: a row with two different bounds is what Gurobi makes of it (an equation with one more
variable, from 0 to the width); a row without bounds is not there; models without any node are equal.
"""

import hashlib
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from trex.problems.ir import Model

KINDS = {"continuous": 0.0, "binary": 1.0, "integer": 2.0}
RELATIONS = {"=": 0.0, "<=": -1.0, ">=": 1.0}
ZERO_SIDE = 1e-9
ZERO_SUM = 1e-12
DECIMALS = 6


@dataclass
class Row:
    terms: dict[int, float]
    relation: str
    right: float


@dataclass
class Listing:
    """A model as the rules see it. variables: [cost, kind, lower bound, upper bound]."""

    variables: list[list[float]]
    rows: list[Row]


def equal(model: Model, reference: Model) -> bool:
    """Whether the authors' comparator takes the model for the reference."""
    listings = [prepared(listed(each)) for each in (model, reference)]
    first, second = listings
    if len(first.variables) != len(second.variables) or len(first.rows) != len(second.rows):
        return False
    graphs = [graph(listing) for listing in listings]
    colours = [refined(*each) for each in graphs]
    if set(colours[0]) != set(colours[1]):
        return False
    return all(decomposable(edges, own) for (_, edges), own in zip(graphs, colours, strict=True))


def listed(model: Model) -> Listing:
    """Rule 1."""
    costs = model.objective.linear
    variables = [[costs.get(i, 0.0), KINDS[v.kind], v.lb, v.ub] for i, v in enumerate(model.variables)]
    rows = []
    for row in model.rows:
        terms = dict(row.terms)
        if not row.is_linear or (math.isinf(row.lb) and math.isinf(row.ub)):
            continue
        if math.isinf(row.lb):
            rows.append(Row(terms, "<=", row.ub))
        elif math.isinf(row.ub):
            rows.append(Row(terms, ">=", row.lb))
        else:
            if row.lb < row.ub:
                terms[len(variables)] = -1.0
                variables.append([0.0, KINDS["continuous"], 0.0, row.ub - row.lb])
            rows.append(Row(terms, "=", row.lb))
    return Listing(variables, rows)


def prepared(listing: Listing) -> Listing:
    """Rules 2 and 3."""
    variables, rows = [list(variable) for variable in listing.variables], []
    limits: dict[int, tuple[list[float], list[float]]] = {}
    for row in listing.rows:
        if len(row.terms) == 1:
            ((index, coefficient),) = row.terms.items()
            lower, upper = limits.setdefault(index, ([], []))
            if row.relation != "<=":
                lower.append(row.right / coefficient)
            if row.relation != ">=":
                upper.append(row.right / coefficient)
        else:
            rows.append(sign_chosen(row))
    for index, (lower, upper) in limits.items():
        if lower:
            variables[index][2] = max(lower)
        if upper:
            variables[index][3] = min(upper)
    return Listing(variables, rows)


def sign_chosen(row: Row) -> Row:
    """Rule 3."""
    if abs(row.right) >= ZERO_SIDE:
        return row
    negated = {index: -coefficient for index, coefficient in row.terms.items()}
    if row.relation == "<=":
        return Row(negated, ">=", 0.0)
    if row.relation == "=" and sum(row.terms.values()) <= -ZERO_SUM:
        return Row(negated, "=", 0.0)
    return row


def graph(listing: Listing) -> tuple[list[str], list[list[tuple[int, str]]]]:
    """The starting colours of variables and rows, and for each its neighbours with the coefficient between them."""
    rows = [[row.right, RELATIONS[row.relation]] for row in listing.rows]
    starts = [rounded(*numbers) for numbers in (*listing.variables, *rows)]
    edges: list[list[tuple[int, str]]] = [[] for _ in starts]
    for node, row in enumerate(listing.rows, start=len(listing.variables)):
        for index, coefficient in row.terms.items():
            edges[node].append((index, rounded(coefficient)))
            edges[index].append((node, rounded(coefficient)))
    return starts, edges


def rounded(*numbers: float) -> str:
    with np.errstate(over="ignore"):
        return ",".join(f"{np.float32(number):.{DECIMALS}f}" for number in numbers)


def refined(colours: list[str], edges: list[list[tuple[int, str]]]) -> list[str]:
    """Rule 5."""
    classes = 0
    for _ in colours:
        seen = [
            f"{colour} {sorted((colours[neighbour], between) for neighbour, between in near)}"
            for colour, near in zip(colours, edges, strict=True)
        ]
        colours = [hashlib.sha256(view.encode()).hexdigest() for view in seen]
        if len(set(colours)) == classes:
            break
        classes = len(set(colours))
    return colours


def decomposable(edges: list[list[tuple[int, str]]], colours: list[str]) -> bool:
    """Rule 6."""
    counts = Counter(colours)
    left = {node for node, colour in enumerate(colours) if counts[colour] > 1}
    while left:
        part, waiting = set(), [left.pop()]
        while waiting:
            node = waiting.pop()
            if colours[node] in part:
                return False
            part.add(colours[node])
            near = {neighbour for neighbour, _ in edges[node]} & left
            left -= near
            waiting += near
    return True
