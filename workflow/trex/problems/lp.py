"""CPLEX LP text: writing and reading.

`read(write(model)) == model` for every model: names, order and each bit of each number (floats by repr). How:

- The objective lists every variable, with coefficient 0 where it has none, so that the order of first appearance,
  which is what numbers variables in this format, is the model's order.
- A name that the format cannot hold is written as a safe one, and a comment line `\\ variable safe is "free text"`
  (JSON string) says what it stands for; `read` follows such lines, every other reader skips them.
- A row with two different finite bounds is written `lb <= terms <= ub`, as CPLEX and SCIP read it. A row without
  any bound is written `>= -inf`.

`write(model, portable=True)` is for solvers' readers, HiGHS' among them, which refuse names like x[0] and two-sided
rows: variables are x0, x1, ..., rows r0, r1, ..., a two-sided row becomes two (r3 and r3_upper) and a row without
bounds is left out. The text has the same solutions; names and row numbers are lost.

`read` takes what other writers produce: names like x[0,"a"], rows without names, constants and variables anywhere in
a row, the aliases of section names, Gurobi's `Constant` variable (fixed to 1, which is how it writes an objective
constant). Quadratic rows, SOS, semi-continuous variables, general constraints and piecewise-linear objectives are
refused with a ValueError that says so; malformed text with one that names the line.
"""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from trex.problems.ir import Model, Row, Variable, unused_name

SECTIONS = {
    "min": ("minimize", "minimise", "minimum", "min"),
    "max": ("maximize", "maximise", "maximum", "max"),
    "rows": ("subject to", "such that", "st", "s.t.", "st."),
    "bounds": ("bounds", "bound"),
    "binary": ("binaries", "binary", "bin"),
    "integer": ("generals", "general", "gen", "integers", "integer", "int"),
    "end": ("end",),
    "unsupported": (
        "semi-continuous", "semis", "semi", "sos", "sos1", "sos2", "lazy constraints", "user cuts",
        "general constraints", "gencons", "pwlobj", "scenario",
    ),
}  # fmt: skip
SECTION_OF = {word: section for section, words in SECTIONS.items() for word in words}
SECTION_WORD = re.compile(
    r"\s*("
    + "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(SECTION_OF, key=len, reverse=True))
    + r")(?=\s|$)",
    re.IGNORECASE,
)
RESERVED = {word for words in SECTION_OF for word in words.split()} | {"free", "inf", "infinity", "constant"}
PLAIN_NAME = re.compile(r"(?![eE]\d)[A-Za-z_][\w.#$!]*(\[[\w.,#$!\"']*\])?", re.ASCII)
LONGEST_NAME = 200
LINE_LENGTH = 100

IN_NAME = r"[^\s+\-*^<>=:\[\]\\]"
NAME = re.compile(rf"(?![\d./]){IN_NAME}+(\[[^\[\]]*\]{IN_NAME}*)*", re.ASCII)
NUMBER = re.compile(rf"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(inf|infinity)(?!{IN_NAME}|\[)", re.ASCII | re.IGNORECASE)
SYMBOL = re.compile(r"<=|>=|=<|=>|==|[<>=:+\-*^/\[\]]")
TOKENS = (("symbol", SYMBOL), ("number", NUMBER), ("name", NAME))
RELATIONS = {"<": "<=", "=<": "<=", ">": ">=", "=>": ">=", "==": "=", "<=": "<=", ">=": ">=", "=": "="}
FLIPPED = {"<=": ">=", ">=": "<=", "=": "="}
RENAMING = re.compile(r"\\ (variable|row) (\S+) is (\".*\")\s*")


def write(model: Model, portable: bool = False) -> str:
    """The model as LP text; `portable` as the module says."""
    if portable:
        columns, labels, comments = [f"x{i}" for i in range(len(model.variables))], None, []
    else:
        columns, comments = safe_names("variable", [v.name for v in model.variables])
        labels, row_comments = safe_names("row", [r.name for r in model.rows])
        comments += row_comments
    lines = [*comments, "Minimize" if model.objective.sense == "min" else "Maximize"]
    lines += wrapped(["obj:", *objective_words(model, columns)])
    lines.append("Subject To")
    for index, row in enumerate(model.rows):
        words = sum_words(row.terms, columns) or [f"0 {columns[0]}" if columns else "0"]
        for label, left, right in row_sides(f"r{index}" if portable else labels[index], row, portable):
            lines += wrapped([f"{label}:", *left, *words, *right])
    lines.append("Bounds")
    lines += [line for v, name in zip(model.variables, columns, strict=True) if (line := bounds_line(v, name))]
    for title, kind in (("Binaries", "binary"), ("Generals", "integer")):
        members = [name for v, name in zip(model.variables, columns, strict=True) if v.kind == kind]
        lines += [title, *wrapped(members)] if members else []
    return "\n".join([*lines, "End", ""])


def safe_names(what: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Names that the format can hold, one for each of `names`, and the comment lines for those that had to change."""
    taken = {name for name in names if is_plain(name)}
    safe, comments = [], []
    for name in names:
        if not is_plain(name):
            original = name
            stem = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[: LONGEST_NAME // 2]
            name = unused_name(f"_{stem}", taken)
            taken.add(name)
            comments.append(f"\\ {what} {name} is {json.dumps(original)}")
        safe.append(name)
    return safe, comments


def is_plain(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.lower() not in RESERVED and PLAIN_NAME.fullmatch(name) is not None


def objective_words(model: Model, columns: list[str]) -> list[str]:
    objective = model.objective
    words = sum_words({i: objective.linear.get(i, 0.0) for i in range(len(columns))}, columns)
    if objective.quadratic:
        products = {
            (f"{columns[i]} ^ 2" if i == j else f"{columns[i]} * {columns[j]}"): 2 * coefficient
            for (i, j), coefficient in objective.quadratic.items()
        }
        words += ["+ [" if words else "[", *sum_words(products, None), "] / 2"]
    if objective.constant:
        words.append(f"{sign(objective.constant)} {text(abs(objective.constant))}")
    return words


def sum_words(terms: dict, columns: list[str] | None) -> list[str]:
    """Signed terms; a key of `terms` is an index into `columns`, or a text when there are none."""
    words = []
    for key, coefficient in terms.items():
        name = key if columns is None else columns[key]
        size = "" if abs(coefficient) == 1.0 else f"{text(abs(coefficient))} "
        words.append(f"{sign(coefficient)} {size}{name}")
    if words:
        words[0] = words[0].removeprefix("+ ")
    return words


def row_sides(label: str, row: Row, portable: bool) -> list[tuple[str, list[str], list[str]]]:
    """(label, words before the terms, words after them) for each text row that this row needs."""
    if row.lb == row.ub:
        return [(label, [], ["=", text(row.lb)])]
    if math.isinf(row.lb) and math.isinf(row.ub):
        return [] if portable else [(label, [], [">=", "-inf"])]
    if math.isinf(row.lb):
        return [(label, [], ["<=", text(row.ub)])]
    if math.isinf(row.ub):
        return [(label, [], [">=", text(row.lb)])]
    if portable:
        return [(label, [], [">=", text(row.lb)]), (f"{label}_upper", [], ["<=", text(row.ub)])]
    return [(label, [text(row.lb), "<="], ["<=", text(row.ub)])]


def bounds_line(variable: Variable, name: str) -> str | None:
    """The line of the bounds section, None where the format's default (0, infinity; binary 0, 1) holds."""
    lb, ub = variable.lb, variable.ub
    if (lb, ub) == (0.0, 1.0 if variable.kind == "binary" else math.inf):
        return None
    if lb == ub:
        return f" {name} = {text(lb)}"
    if ub == math.inf:
        return f" {name} free" if lb == -math.inf else f" {name} >= {text(lb)}"
    return f" {text(lb)} <= {name} <= {text(ub)}"


def sign(value: float) -> str:
    return "-" if value < 0 else "+"


def text(value: float) -> str:
    """The shortest text that reads back as the same float."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def wrapped(words: list[str]) -> list[str]:
    """The words on indented lines of moderate length (the format's readers stop at 510 characters)."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_LENGTH:
            lines.append(line)
            line = "  "
        line += f" {word}"
    return [*lines, line]


class Token(NamedTuple):
    kind: str  # "number", "name", "symbol", "section" or "nothing" (after the last)
    text: str
    line: int


@dataclass
class Sum:
    """A linear expression with its constant and, in an objective, its products."""

    terms: dict[str, float] = field(default_factory=dict)
    products: dict[tuple[str, str], float] = field(default_factory=dict)
    constant: float = 0.0


@dataclass
class Column:
    kind: str = "continuous"
    lb: float = 0.0
    ub: float = math.inf
    line: int = 0


@dataclass
class Draft:
    """What has been read so far; `columns` in the order of first appearance."""

    sense: str = "min"
    objective: Sum = field(default_factory=Sum)
    rows: list[tuple[str | None, dict[str, float], float, float, int]] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)

    def column(self, token: Token) -> Column:
        return self.columns.setdefault(token.text, Column(line=token.line))


class Cursor:
    """The tokens of a text, one at a time."""

    def __init__(self, text: str):
        self.tokens = list(tokenize(text))
        self.position = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    @property
    def after_next(self) -> Token:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.next
        self.position += token.kind != "nothing"
        return token

    def take_if(self, *texts: str) -> Token | None:
        """The next token when it is one of these symbols."""
        return self.take() if self.next.kind == "symbol" and self.next.text in texts else None

    def at_section(self) -> bool:
        return self.next.kind in ("section", "nothing")

    def fail(self, expected: str) -> ValueError:
        found = repr(self.next.text) if self.next.kind != "nothing" else "the end of the text"
        return ValueError(f"line {self.next.line}: expected {expected}, found {found}")


def read(text: str) -> Model:
    """The model of an LP text. Raises ValueError `line N: what is wrong` for malformed or unsupported text."""
    cursor = Cursor(text)
    draft = Draft()
    first = cursor.take()
    if first.text not in ("min", "max"):
        raise ValueError(f"line {first.line}: expected Minimize or Maximize, found {first.text!r}")
    draft.sense = first.text
    take_label(cursor)
    draft.objective = read_sum(cursor, draft, products=True)
    if not cursor.at_section():
        raise cursor.fail("a term of the objective or a section")
    readers = {"rows": read_row, "bounds": read_bound, "binary": read_binary, "integer": read_integer}
    while (section := cursor.take()).text in readers:
        while not cursor.at_section():
            readers[section.text](cursor, draft)
    if section.text != "end":
        found = section.text if section.kind == "section" else "the end of the text"
        raise ValueError(f"line {section.line}: expected a section or End, found {found}")
    return build(draft, renamings(text))


def tokenize(text: str) -> Iterator[Token]:
    line = 1
    for line, content in enumerate(text.splitlines(), start=1):
        content = content.partition("\\")[0] if "\\" in content else content
        position = 0
        if found := SECTION_WORD.match(content):
            word = " ".join(found[1].lower().split())
            if SECTION_OF[word] == "unsupported":
                raise ValueError(f"line {line}: unsupported section {found[1]!r}")
            yield Token("section", SECTION_OF[word], line)
            position = found.end()
        while position < len(content):
            if content[position].isspace():
                position += 1
                continue
            for kind, pattern in TOKENS:
                if found := pattern.match(content, position):
                    yield Token(kind, found[0], line)
                    position = found.end()
                    break
            else:
                raise ValueError(f"line {line}: unexpected {content[position : position + 20]!r}")
    yield Token("nothing", "", line)


def take_label(cursor: Cursor) -> str | None:
    """The name before a colon, where there is one."""
    if cursor.next.kind not in ("name", "number") or cursor.after_next.text != ":":
        return None
    label = cursor.take().text
    cursor.take()
    return label


def take_signs(cursor: Cursor) -> float:
    """+1 or -1, the product of the signs that come next."""
    value = 1.0
    while found := cursor.take_if("+", "-"):
        value = -value if found.text == "-" else value
    return value


def read_sum(cursor: Cursor, draft: Draft, products: bool = False) -> Sum:
    """Terms with signs up to a relation, a section or whatever cannot go on a sum; it may be empty."""
    total = Sum()
    first = True
    while first or (cursor.next.kind == "symbol" and cursor.next.text in "+-"):
        signed = cursor.next.text in ("+", "-")
        sign = take_signs(cursor)
        if cursor.take_if("["):
            if not products:
                raise ValueError(f"line {cursor.next.line}: unsupported quadratic row")
            read_products(cursor, draft, sign, total)
        elif cursor.next.kind in ("number", "name"):
            read_term(cursor, draft, sign, total)
        elif signed:
            raise cursor.fail("a number or a variable")
        first = False
    return total


def read_term(cursor: Cursor, draft: Draft, sign: float, total: Sum) -> None:
    """`3`, `x`, `3 x` or `3 * x`, added to `total`."""
    coefficient, found = read_coefficient(cursor)
    if cursor.next.kind != "name" or (found and cursor.after_next.text == ":"):
        total.constant += sign * coefficient
        return
    variable = cursor.take()
    draft.column(variable)
    total.terms[variable.text] = total.terms.get(variable.text, 0.0) + sign * coefficient
    if cursor.next.text in ("*", "^"):
        raise ValueError(f"line {cursor.next.line}: a product of variables outside [ ]")


def read_coefficient(cursor: Cursor) -> tuple[float, bool]:
    """The number that comes next and True, or 1 and False."""
    if cursor.next.kind != "number":
        return 1.0, False
    coefficient = float(cursor.take().text)
    cursor.take_if("*")
    return coefficient, True


def read_products(cursor: Cursor, draft: Draft, sign: float, total: Sum) -> None:
    """The rest of `[ 2 x ^ 2 - 3 x * y ] / 2`; without the division the products count in full."""
    found = []
    while not cursor.take_if("]"):
        coefficient = sign * take_signs(cursor) * read_coefficient(cursor)[0]
        if cursor.next.kind != "name":
            raise cursor.fail("a variable or ]")
        first = second = cursor.take()
        if cursor.take_if("^"):
            if cursor.take().text != "2":
                raise ValueError(f"line {first.line}: unsupported power of {first.text!r}; only ^ 2")
        elif cursor.take_if("*") and cursor.next.kind == "name":
            second = cursor.take()
        else:
            raise cursor.fail("^ 2 or * and a variable")
        draft.column(first), draft.column(second)
        found.append((first.text, second.text, coefficient))
    divisor = 1.0
    if cursor.take_if("/"):
        if cursor.next.text != "2":
            raise cursor.fail("/ 2 after ]")
        divisor = float(cursor.take().text)
    for first, second, coefficient in found:
        key = (min(first, second), max(first, second))
        total.products[key] = total.products.get(key, 0.0) + coefficient / divisor


def read_row(cursor: Cursor, draft: Draft) -> None:
    """`name: terms <= 3`, `name: 1 <= terms <= 3` or `3 >= terms`; the name may be missing."""
    line = cursor.next.line
    label = take_label(cursor)
    left = read_sum(cursor, draft)
    relation = take_relation(cursor)
    if left.terms:
        terms = left.terms
        lb, ub = interval(relation, read_value(cursor) - left.constant)
    else:
        right = read_sum(cursor, draft)
        terms = right.terms
        if terms or cursor.next.text in RELATIONS:
            lb, ub = interval(FLIPPED[relation], left.constant - right.constant)
        else:
            lb, ub = interval(relation, right.constant - left.constant)
        if cursor.next.text in RELATIONS:
            second = interval(take_relation(cursor), read_value(cursor) - right.constant)
            lb, ub = max(lb, second[0]), min(ub, second[1])
    last = cursor.tokens[cursor.position - 1]
    if cursor.next.line == last.line and not cursor.at_section() and cursor.after_next.text != ":":
        raise cursor.fail("the end of the row")
    draft.rows.append((label, terms, lb, ub, line))


def take_relation(cursor: Cursor) -> str:
    found = cursor.take_if(*RELATIONS)
    if not found:
        raise cursor.fail("a relation (<=, >=, =)")
    return RELATIONS[found.text]


def read_value(cursor: Cursor) -> float:
    """A number with its signs."""
    sign = take_signs(cursor)
    if cursor.next.kind != "number":
        raise cursor.fail("a number")
    return sign * float(cursor.take().text)


def interval(relation: str, value: float) -> tuple[float, float]:
    return (value if relation != "<=" else -math.inf, value if relation != ">=" else math.inf)


def read_bound(cursor: Cursor, draft: Draft) -> None:
    """`x free`, `x >= 1`, `1 <= x` or `1 <= x <= 3`."""
    if cursor.next.kind == "name":
        variable = take_variable(cursor, draft)
        if cursor.next.kind == "name" and cursor.next.text.lower() == "free":
            cursor.take()
            variable.lb, variable.ub = -math.inf, math.inf
            return
    else:
        value = read_value(cursor)
        relation = FLIPPED[take_relation(cursor)]
        variable = take_variable(cursor, draft)
        set_bound(variable, relation, value)
        if cursor.next.text not in RELATIONS:
            return
    relation = take_relation(cursor)
    set_bound(variable, relation, read_value(cursor))


def take_variable(cursor: Cursor, draft: Draft) -> Column:
    if cursor.next.kind != "name":
        raise cursor.fail("a variable")
    column = draft.column(cursor.next)
    column.line = cursor.take().line
    return column


def set_bound(column: Column, relation: str, value: float) -> None:
    lb, ub = interval(relation, value)
    column.lb = column.lb if relation == "<=" else lb
    column.ub = column.ub if relation == ">=" else ub


def read_binary(cursor: Cursor, draft: Draft) -> None:
    take_variable(cursor, draft).kind = "binary"


def read_integer(cursor: Cursor, draft: Draft) -> None:
    take_variable(cursor, draft).kind = "integer"


def renamings(text: str) -> dict[str, dict[str, str]]:
    """From the comments that `write` leaves: {"variable": {safe: name}, "row": {safe: name}}."""
    found = {"variable": {}, "row": {}}
    for match in RENAMING.finditer(text):
        what, safe, name = match.groups()
        found[what][safe] = json.loads(name)
    return found


def build(draft: Draft, names: dict[str, dict[str, str]]) -> Model:
    fold_constant(draft)
    model = Model()
    index = {}
    for name, column in draft.columns.items():
        with naming_line(column.line):
            index[name] = model.add_variable(names["variable"].get(name, name), column.kind, column.lb, column.ub)
    labels = [names["row"].get(row[0], row[0]) for row in draft.rows]
    given, used = {label for label in labels if label is not None}, set()
    for position, (label, (_, terms, lb, ub, line)) in enumerate(zip(labels, draft.rows, strict=True)):
        label = unused_name(f"r{position}", given) if label is None else unused_name(label, used)
        given.add(label)
        used.add(label)
        with naming_line(line):
            model.add_row({index[name]: coefficient for name, coefficient in terms.items()}, lb, ub, label)
    objective = draft.objective
    with naming_line(1):
        model.set_objective(
            draft.sense,
            {index[name]: coefficient for name, coefficient in objective.terms.items()},
            objective.constant,
            {(index[a], index[b]): coefficient for (a, b), coefficient in objective.products.items()},
        )
    return model


def fold_constant(draft: Draft) -> None:
    """Gurobi writes an objective's constant as a multiple of a variable `Constant` that its bounds fix to 1."""
    column = draft.columns.get("Constant")
    elsewhere = [*(terms for _, terms, *_ in draft.rows), *draft.objective.products]
    if column and (column.lb, column.ub) == (1.0, 1.0) and not any("Constant" in names for names in elsewhere):
        del draft.columns["Constant"]
        draft.objective.constant += draft.objective.terms.pop("Constant", 0.0)


@contextmanager
def naming_line(line: int) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"line {line}: {error}") from None
