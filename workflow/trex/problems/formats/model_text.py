"""What LP and MPS text have in common: names that a format cannot hold, exact numbers, and errors with their line.

A name that a format cannot hold is written as a safe one, and a comment line, `variable safe is "free text"` (a JSON
string) after the format's comment mark, says what it stands for; the project's readers follow such lines, every other
reader skips them.

What is computed from the numbers of a text (a sum of terms of the same variable, the other side of a range, half of a
matrix entry) is computed in decimal, without rounding, and rounded to a float once. So it is what the text says, and
a writer may rely on it: the difference of two bounds, written in full, gives back both.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Context, Decimal

from trex.problems.ir import Model, unused_name

# The decimal sum of two floats' texts has at most some 650 digits. No traps: what leaves the range of numbers becomes
# infinite or NaN, which the model's own checks refuse.
EXACT = Context(prec=1500, traps=[])
ZERO, INFINITY = Decimal(0), Decimal("Infinity")
LONGEST_NAME = 200


class LineError(ValueError):
    """`line N: what is wrong`."""

    def __init__(self, line: int, reason: str):
        super().__init__(f"line {line}: {reason}")
        self.line = line


@contextmanager
def naming_line(line: int) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise LineError(line, str(error)) from None


def number_text(value: float | Decimal) -> str:
    """The shortest text that reads back as the same number."""
    number = float(value)
    if isinstance(value, Decimal) and exact(number) != value:
        return str(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def exact(value: float) -> Decimal:
    """The decimal number that a float's shortest text stands for."""
    return Decimal(repr(value))


def safe_names(what: str, names: list[str], is_plain: Callable[[str], bool], mark: str) -> tuple[list[str], list[str]]:
    """Names that the format can hold, one for each of `names`, and the comment lines for those that had to change."""
    taken = {name for name in names if is_plain(name)}
    safe, comments = [], []
    for name in names:
        if not is_plain(name):
            original = name
            stem = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[: LONGEST_NAME // 2]
            name = unused_name(f"_{stem}", taken)
            taken.add(name)
            comments.append(f"{mark} {what} {name} is {json.dumps(original)}")
        safe.append(name)
    return safe, comments


def renamings(text: str, mark: str) -> dict[str, dict[str, str]]:
    """From the comments of `safe_names`: {"variable": {safe: name}, "row": {safe: name}}."""
    comment = re.compile(rf'{re.escape(mark)} (variable|row) (\S+) is (".*")\s*')
    found = {"variable": {}, "row": {}}
    for line, content in enumerate(text.split("\n"), start=1):
        if match := comment.fullmatch(content):
            what, safe, name = match.groups()
            with naming_line(line):
                found[what][safe] = json.loads(name)
    return found


def refuse_nonlinear(model: Model, text_format: str) -> None:
    """Raises ValueError where the model has an expression that is neither linear nor quadratic."""
    parts = [("the objective", model.objective), *((f"row {row.name!r}", row) for row in model.rows)]
    for where, part in parts:
        if part.nonlinear is not None:
            raise ValueError(f"{where} has a nonlinear expression, which {text_format} text cannot hold")


@dataclass
class Sum:
    """constant + sum terms[x] x + sum products[x, y] x y, by name."""

    terms: dict[str, Decimal] = field(default_factory=dict)
    products: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    constant: Decimal = ZERO

    @property
    def is_constant(self) -> bool:
        return not self.terms and not self.products

    def add_term(self, name: str, coefficient: Decimal) -> None:
        self.terms[name] = self.terms.get(name, ZERO) + coefficient

    def add_product(self, a: str, b: str, coefficient: Decimal) -> None:
        key = (min(a, b), max(a, b))
        self.products[key] = self.products.get(key, ZERO) + coefficient


@dataclass
class Column:
    kind: str = "continuous"
    lb: Decimal = ZERO
    ub: Decimal = INFINITY
    line: int = 0


@dataclass
class DraftRow:
    """lb <= sum <= ub, where the sum has no constant; the name may be missing."""

    name: str | None
    sum: Sum
    lb: Decimal
    ub: Decimal
    line: int


@dataclass
class Draft:
    """What a text says, by its own names; `columns` in the model's order."""

    sense: str = "min"
    objective: Sum = field(default_factory=Sum)
    objective_line: int = 1
    rows: list[DraftRow] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)


def build(draft: Draft, names: dict[str, dict[str, str]]) -> Model:
    """The model of a draft; `names` are those of `renamings`. Raises LineError.

    A row without a name becomes r0, r1, ... by its position; the second row of a name gets a number behind it.
    """
    model = Model()
    index = {}
    for name, column in draft.columns.items():
        with naming_line(column.line):
            original = names["variable"].get(name, name)
            index[name] = model.add_variable(original, column.kind, float(column.lb), float(column.ub))
    labels = [names["row"].get(row.name, row.name) for row in draft.rows]
    given, used = {label for label in labels if label is not None}, set()
    for position, (label, row) in enumerate(zip(labels, draft.rows, strict=True)):
        label = unused_name(f"r{position}", given) if label is None else unused_name(label, used)
        given.add(label)
        used.add(label)
        with naming_line(row.line):
            terms, products = indexed(row.sum, index)
            model.add_row(terms, float(row.lb), float(row.ub), label, quadratic=products)
    with naming_line(draft.objective_line):
        terms, products = indexed(draft.objective, index)
        model.set_objective(draft.sense, terms, float(draft.objective.constant), quadratic=products)
    return model


def indexed(total: Sum, index: dict[str, int]) -> tuple[dict[int, float], dict[tuple[int, int], float]]:
    terms = {index[name]: float(coefficient) for name, coefficient in total.terms.items()}
    products = {(index[a], index[b]): float(coefficient) for (a, b), coefficient in total.products.items()}
    return terms, products
