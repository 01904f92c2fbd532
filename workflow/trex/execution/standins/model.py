"""What a program's model consists of, as it was written, and its translation to the IR.

A `Table` holds the variables, or the rows of one kind: a handle each, which is what the program holds, and one list an
attribute. So a million variables are a few lists, and an attribute is found by its name. `vtype` is C, B, I, S or N,
`sense` of a row < > or =. A row = with a `width` is a range: rhs - width <= terms <= rhs.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from trex.execution import dialects
from trex.execution.dialects import Unsupported
from trex.execution.dialects.draft import Draft
from trex.execution.standins.expressions import Linear, Nonlinear, Quadratic, Variable, variables_in
from trex.execution.standins.outcome import Outcome
from trex.execution.standins.relations import indexed, interval
from trex.problems import ir
from trex.problems.formats import lp, mps

GONE = -1
WRITERS: dict[str, Callable[[ir.Model], str]] = {".lp": lp.write, ".mps": mps.write}
SEMICONTINUOUS = ("S", "N")  # continuous, integer


class Handle:
    """What a program holds of a variable or a row: a place in a table."""

    __slots__ = ("__dict__", "_index", "_table")


set_index, set_table = Handle._index.__set__, Handle._table.__set__  # past the __setattr__ of the libraries' classes


class Table:
    """Handles in order, and for each attribute (`columns`) the list of its values; `owner` is the program's model."""

    def __init__(self, owner: object, *names: str):
        self.owner = owner
        self.handles: list[Handle] = []
        self.columns: dict[str, list] = {name: [] for name in names}

    def append(self, kind: type, *values: object) -> Handle:
        return self.extend(kind, 1, *((value,) for value in values))[0]

    def extend(self, kind: type, count: int, *columns: Sequence) -> list[Handle]:
        """Add `count` handles with the values of each column in turn."""
        start = len(self.handles)
        for column, values in zip(self.columns.values(), columns, strict=True):
            column.extend(values)
        added = []
        for index in range(start, start + count):
            handle = kind.__new__(kind)
            set_index(handle, index)
            set_table(handle, self)
            added.append(handle)
        self.handles += added
        return added

    def remove(self, gone: set[Handle]) -> None:
        kept = [index for index, handle in enumerate(self.handles) if handle not in gone]
        for handle in gone:
            set_index(handle, GONE)
        self.handles = [self.handles[index] for index in kept]
        for name, column in self.columns.items():
            self.columns[name] = [column[index] for index in kept]
        for index, handle in enumerate(self.handles):
            set_index(handle, index)

    def __contains__(self, handle: object) -> bool:
        return isinstance(handle, Handle) and handle._table is self and handle._index != GONE

    def rows(self):
        return zip(*self.columns.values(), strict=True)


class Recording:
    """A model as it was written.

    `error` is the library's exception, for variables that are not this model's; a coefficient in a row whose size is
    below `negligible` is 0 to the library.
    """

    def __init__(self, owner: object, error: Callable[[str], Exception], negligible: float):
        self.owner, self.error, self.negligible = owner, error, negligible
        self.variables = Table(owner, "lb", "ub", "obj", "vtype", "name")
        self.rows = Table(owner, "terms", "sense", "rhs", "width", "name")
        self.quadratic_rows = Table(owner, "terms", "products", "sense", "rhs", "name")
        self.relations = Table(owner, "relation", "name")
        self.sense, self.constant = "min", 0.0
        self.products: dict[tuple[Variable, Variable], float] = {}
        self.curve: object = None  # the objective's tree, where it is nonlinear
        self.outcome: Outcome | None = None
        self.has_iis = False

    def refuse(self, reason: str) -> Unsupported:
        """To be raised: what the IR does not cover makes the model unsupported for good."""
        dialects.refuse(self.owner, reason)
        return Unsupported(reason)

    def terms_of(self, expression: Linear) -> dict[Variable, float]:
        """The coefficient of each variable in the linear part."""
        terms = dict(zip(expression.variables, expression.coefficients, strict=True))
        if len(terms) != len(expression.variables):
            terms = dict.fromkeys(terms, 0.0)
            for variable, coefficient in zip(expression.variables, expression.coefficients, strict=True):
                terms[variable] += coefficient
        self.check(terms)
        return terms

    def products_of(self, expression: Quadratic) -> dict[tuple[Variable, Variable], float]:
        products: dict[tuple[Variable, Variable], float] = {}
        for weight, *pair in zip(expression.weights, expression.firsts, expression.seconds, strict=True):
            key = tuple(sorted(pair, key=id))
            products[key] = products.get(key, 0.0) + weight
        self.check({variable for pair in products for variable in pair})
        return products

    def check(self, variables) -> None:
        table = self.variables
        for variable in variables:
            if variable._table is not table or variable._index == GONE:
                raise self.error("Variable not in model")

    def add_row(self, kind: type, expression: Linear, sense: str, rhs: float, width: float, name: str) -> Handle:
        """A linear row expression <sense> rhs; the expression's constant goes to the right."""
        terms = self.terms_of(expression)
        return self.rows.append(kind, terms, sense, rhs - expression.constant, width, name)

    def add_quadratic_row(self, kind: type, expression: Quadratic, sense: str, rhs: float, name: str) -> Handle:
        products = self.products_of(expression)
        terms = self.terms_of(expression)
        return self.quadratic_rows.append(kind, terms, products, sense, rhs - expression.constant, name)

    def add_relation(self, kind: type, relation: object, name: str) -> Handle:
        self.check(relation.variables)
        return self.relations.append(kind, relation, name)

    def set_objective(self, expression: Linear | Nonlinear) -> None:
        """Replace the objective; the sense stays."""
        curve, terms, products = None, {}, {}
        if isinstance(expression, Nonlinear):
            curve = expression.tree
            self.check(variables_in(curve))
        else:
            terms = self.terms_of(expression)
            products = self.products_of(expression) if isinstance(expression, Quadratic) else {}
        costs = [0.0] * len(self.variables.handles)
        for variable, coefficient in terms.items():
            costs[variable._index] = coefficient
        self.variables.columns["obj"] = costs
        self.constant = 0.0 if curve is not None else expression.constant
        self.products, self.curve = products, curve

    def remove(self, handles: list[Handle]) -> None:
        """Take variables (with their terms) and rows out."""
        tables = (self.variables, self.rows, self.quadratic_rows, self.relations)
        gone = [{handle for handle in handles if handle in table} for table in tables]
        self.forget(gone[0])
        for table, handles_gone in zip(tables, gone, strict=True):
            if handles_gone:
                table.remove(handles_gone)

    def forget(self, variables: set[Variable]) -> None:
        if not variables:
            return
        for terms in self.rows.columns["terms"] + self.quadratic_rows.columns["terms"]:
            for variable in variables & terms.keys():
                del terms[variable]
        for products in [*self.quadratic_rows.columns["products"], self.products]:
            for pair in [pair for pair in products if not variables.isdisjoint(pair)]:
                del products[pair]
        used = {variable for relation in self.relations.columns["relation"] for variable in relation.variables}
        if self.curve is not None:
            used.update(variables_in(self.curve))
        if variables & used:
            raise self.refuse("a variable of a general constraint was removed")

    def says_something(self) -> bool:
        has_rows = self.rows.handles or self.quadratic_rows.handles or self.relations.handles
        objective = self.products or self.constant or self.curve is not None or any(self.variables.columns["obj"])
        return bool(has_rows or objective)

    def to_ir(self) -> ir.Model:
        """Linear rows before quadratic ones before general constraints, each in the order of their making."""
        draft = Draft()
        self.add_variables_to(draft)
        rows = zip(self.rows.rows(), self.names(self.rows, "R"), strict=True)
        for (terms, sense, rhs, width, *_), name in rows:
            draft.row(name, self.indexed(terms), *bounds(sense, rhs, width))
        rows = zip(self.quadratic_rows.rows(), self.names(self.quadratic_rows, "qc"), strict=True)
        for (terms, products, sense, rhs, *_), name in rows:
            draft.row(name, self.indexed(terms), *interval(sense, rhs), quadratic(products, self.negligible))
        relations = self.relations.columns["relation"]
        for relation, name in zip(relations, self.names(self.relations, "GC"), strict=True):
            relation.add_to(draft, name)
        costs = {index: cost for index, cost in enumerate(self.variables.columns["obj"]) if cost}
        curve = None if self.curve is None else indexed(self.curve)
        draft.model.set_objective(self.sense, costs, self.constant, quadratic(self.products, self.negligible), curve)
        return draft.model

    def add_variables_to(self, draft: Draft) -> None:
        binaries = {v._index for relation in self.relations.columns["relation"] for v in relation.binaries}
        columns = [self.variables.columns[name] for name in ("lb", "ub", "vtype")]
        names = self.names(self.variables, "C")
        for index, (name, lb, ub, vtype) in enumerate(zip(names, *columns, strict=True)):
            if vtype in SEMICONTINUOUS:
                raise Unsupported(f"the semi-continuous variable {name}")
            if vtype == "B" or index in binaries:
                draft.variable(name, max(lb, 0.0), min(ub, 1.0), True)
            else:
                draft.variable(name, lb, ub, vtype == "I")

    def indexed(self, terms: dict[Variable, float]) -> dict[int, float]:
        least = self.negligible
        return {variable._index: c for variable, c in terms.items() if not -least < c < least}

    def names(self, table: Table, prefix: str) -> list[str]:
        return [name or f"{prefix}{index}" for index, name in enumerate(table.columns["name"])]

    def write(self, filename: str) -> None:
        """LP or MPS text; of other files nothing is written, and no model that the format cannot hold."""
        writer = WRITERS.get(Path(filename).suffix.lower())
        if writer is not None:
            with suppress(ValueError, Unsupported):
                Path(filename).write_text(writer(self.to_ir()), encoding="utf-8")

    def solve(self, time_limit: float) -> None:
        """Keep the model as it is now, to be solved when its outcome is asked for."""
        dialects.check_covered(self.owner)
        self.has_iis = False
        self.outcome = Outcome(self.to_ir(), list(self.variables.handles), list(self.rows.handles), time_limit)

    def copy_into(self, other: "Recording", kinds: Sequence[type]) -> None:
        """Fill an empty recording with a copy that has its own handles; `kinds` are the classes of the four tables'."""
        mapping: dict[Handle, Handle] = {}
        for name, kind in zip(("variables", "rows", "quadratic_rows", "relations"), kinds, strict=True):
            source, target = getattr(self, name), getattr(other, name)
            columns = [moved(column, mapping) for column in source.columns.values()]
            mapping.update(zip(source.handles, target.extend(kind, len(source.handles), *columns), strict=True))
        other.sense, other.constant = self.sense, self.constant
        other.products, other.curve = moved(self.products, mapping), moved(self.curve, mapping)


def bounds(sense: str, rhs: float, width: float) -> tuple[float, float]:
    """(lower, upper) bound of a row; of a range, whose sense is =, one side may be given up by changing the sense."""
    lb, ub = interval(sense, rhs)
    return lb - width, ub


def sides(lb: float, ub: float) -> tuple[str, float, float]:
    """(sense, rhs, width) of a row with these bounds."""
    if math.isinf(lb) or math.isinf(ub):
        return ("<", ub, 0.0) if math.isinf(lb) else (">", lb, 0.0)
    return "=", ub, ub - lb


def moved(value: object, mapping: dict[Handle, Handle]) -> object:
    """The same with other variables."""
    if isinstance(value, Variable):
        return mapping[value]
    if isinstance(value, dict):
        return {moved(key, mapping): moved(item, mapping) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, mapping) for item in value)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value)(**{name: moved(part, mapping) for name, part in parts.items()})
    return value


def quadratic(products: dict[tuple[Variable, Variable], float], negligible: float) -> dict[tuple[int, int], float]:
    kept = {pair: weight for pair, weight in products.items() if abs(weight) >= negligible}
    return {(first._index, second._index): weight for (first, second), weight in kept.items()}
