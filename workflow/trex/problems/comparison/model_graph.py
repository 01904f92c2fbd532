"""A normal form as a vertex-coloured graph, colour refinement of two such graphs, and nauty's canonical one.

Vertices: each variable (its kind, bounds and objective coefficient are its colour); each product of two variables
(coloured by its objective coefficient), joined to both; each distinct row (coloured by its right-hand side), joined to
one vertex for each different coefficient in it (coloured by the coefficient), which is joined to the variables and
products that have it. A row with one coefficient only needs no second vertex: that coefficient is part of its colour.
The isomorphisms of the graphs that keep colours are exactly the isomorphisms of the forms.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pynauty

from trex.problems.comparison.normal_form import Colouring, Colourings, NormalForm, Term

VARIABLE, PRODUCT, ROW_OF_ONE_COEFFICIENT, ROW, ENTRY = range(5)


@dataclass
class ColouredGraph:
    """Vertices 0..n-1 (the variables first) with a colour each (a tuple that sorts) and adjacency both ways.

    rows: which rows of the form a row's vertex stands for; several when they are duplicates.
    """

    colours: list[tuple]
    neighbours: list[list[int]]
    rows: dict[int, list[int]]

    def join(self, colour: tuple, others: Iterable[int]) -> int:
        """A new vertex that is joined to others."""
        vertex = len(self.colours)
        self.colours.append(colour)
        self.neighbours.append(list(others))
        for other in self.neighbours[vertex]:
            self.neighbours[other].append(vertex)
        return vertex


def graph(form: NormalForm, colourings: Colourings) -> ColouredGraph:
    """The graph of the module."""
    bound, side, coefficient, cost = colourings
    colours = [
        (VARIABLE, whole, bound(lb), bound(ub), cost_of(form.linear, i, cost))
        for i, (whole, lb, ub) in enumerate(zip(form.integer, form.lb, form.ub, strict=True))
    ]
    made = ColouredGraph(colours, [[] for _ in colours], {})
    distinct: dict[tuple, list[int]] = {}
    for position, (right, terms) in enumerate(form.rows):
        key = side(right), tuple((term, coefficient(c)) for term, c in terms.items())
        distinct.setdefault(key, []).append(position)
    used = [term for _, terms in distinct for term, _ in terms if isinstance(term, tuple)]
    products = {
        pair: made.join((PRODUCT, cost_of(form.quadratic, pair, cost)), set(pair))
        for pair in dict.fromkeys([*form.quadratic, *used])
    }
    for (right, terms), positions in distinct.items():
        members: dict[float, list[int]] = {}
        for term, colour in terms:
            members.setdefault(colour, []).append(products.get(term, term))
        made.rows[row_vertex(made, right, members)] = positions
    return made


def row_vertex(made: ColouredGraph, right: float, members: dict[float, list[int]]) -> int:
    """A vertex for the row with these vertices under these coefficients' colours."""
    if len(members) == 1:
        return made.join((ROW_OF_ONE_COEFFICIENT, right, *members), *members.values())
    return made.join((ROW, right), [made.join((ENTRY, colour), vertices) for colour, vertices in members.items()])


def cost_of(costs: dict, term: Term, cost: Colouring) -> tuple:
    """A colour that sorts, also where there is no coefficient."""
    return (cost(costs[term]),) if term in costs else ()


class Refinement:
    """Colour refinement of the disjoint union of two graphs: a colour means the same in both.

    In each round vertices of one colour part when the colours around them differ.
    """

    def __init__(self, a: ColouredGraph, b: ColouredGraph):
        self.size = len(a.colours)
        self.neighbours = [*a.neighbours, *([vertex + self.size for vertex in near] for near in b.neighbours)]
        number: dict[tuple, int] = {}
        self.colours = [number.setdefault(colour, len(number)) for colour in (*a.colours, *b.colours)]
        self.members: list[set[int]] = [set() for _ in number]
        for vertex, colour in enumerate(self.colours):
            self.members[colour].add(vertex)
        self.changed = list(range(len(self.colours)))

    def by_graph(self) -> tuple[list[int], list[int]]:
        """The colours of the vertices of either graph."""
        return self.colours[: self.size], self.colours[self.size :]

    def recolour(self, vertices: Iterable[int]) -> None:
        """A colour of their own for these vertices, which had the same one."""
        new = len(self.members)
        self.members.append(set(vertices))
        for vertex in vertices:
            self.members[self.colours[vertex]].discard(vertex)
            self.colours[vertex] = new
        self.changed += vertices

    def advance(self) -> bool:
        """One round; False when nothing changed.

        Only vertices whose neighbours changed need a look: what they see has a new colour in it, so they differ from
        those of their colour that do not.
        """
        touched = {near for vertex in self.changed for near in self.neighbours[vertex]}
        views: dict[tuple, list[int]] = {}
        for vertex in touched:
            around = sorted([self.colours[near] for near in self.neighbours[vertex]])
            views.setdefault((self.colours[vertex], *around), []).append(vertex)
        parts: dict[int, list[list[int]]] = {}
        for (colour, *_), vertices in views.items():
            parts.setdefault(colour, []).append(vertices)
        self.changed = []
        for colour, groups in parts.items():
            if sum(map(len, groups)) == len(self.members[colour]):
                groups.remove(max(groups, key=len))  # keeps the colour
            for group in groups:
                self.recolour(group)
        return bool(self.changed)

    def is_balanced(self) -> bool:
        """True when, of each colour that changed last, both graphs have as many vertices; all, if it was so before."""
        surplus = Counter()
        for vertex in self.changed:
            surplus[self.colours[vertex]] += 1 if vertex < self.size else -1
        return not any(surplus.values())


def refinements(a: ColouredGraph, b: ColouredGraph) -> Iterator[tuple[list[int], list[int]]]:
    """Round by round the colours of both graphs' vertices, until they are stable."""
    refinement = Refinement(a, b)
    yield refinement.by_graph()
    while refinement.advance():
        yield refinement.by_graph()


def pairs_by_choice(refinement: Refinement) -> bool:
    """True when taking any vertex of the same colour for a vertex's partner, again and again, gives a renaming.

    The refinement must be stable and balanced, and is used up. True proves that the graphs are isomorphic: at the end
    each vertex has one partner, whose neighbours are the partners of its neighbours. False says nothing.
    """
    for vertex in range(refinement.size):
        alike = refinement.members[refinement.colours[vertex]]
        if len(alike) > 2:
            refinement.recolour([vertex, max(alike)])
            while refinement.advance():
                if not refinement.is_balanced():
                    return False
    return True


@dataclass(frozen=True)
class Agreement:
    """Two forms that colour refinement does not tell apart, with their graphs and the stable colours."""

    forms: tuple[NormalForm, NormalForm]
    graphs: tuple[ColouredGraph, ColouredGraph]
    colours: tuple[list[int], list[int]]
    refinement: Refinement


def agreement(a: NormalForm, b: NormalForm, colourings: Colourings) -> Agreement | None:
    """None when colour refinement tells the forms apart: then they are not isomorphic."""
    graphs = graph(a, colourings), graph(b, colourings)
    refinement = Refinement(*graphs)
    while refinement.is_balanced():
        if not refinement.advance():
            return Agreement((a, b), graphs, refinement.by_graph(), refinement)
    return None


def canonical_adjacency(made: ColouredGraph, colours: Sequence) -> bytes:
    """nauty's canonical adjacency matrix, colour classes in the order of these colours."""
    if not colours:
        return b""
    classes: dict[Hashable, set[int]] = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(colour, set()).add(vertex)
    return pynauty.certificate(
        pynauty.Graph(
            len(colours),
            adjacency_dict=dict(enumerate(made.neighbours)),
            vertex_coloring=[classes[colour] for colour in sorted(classes)],
        )
    )
