"""The model of an LP text; `trex.problems.formats.lp` says what is read and how."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal, localcontext
from typing import NamedTuple

from trex.problems.formats.model_text import EXACT, INFINITY, Column, Draft, DraftRow, LineError, Sum, build, renamings
from trex.problems.ir import Model

SECTIONS = {
    "min": ("minimize", "minimise", "minimum", "min"),
    "max": ("maximize", "maximise", "maximum", "max"),
    "rows": ("subject to", "such that", "st", "s.t.", "st.", "lazy constraints"),
    "bounds": ("bounds", "bound"),
    "binary": ("binaries", "binary", "bin"),
    "integer": ("generals", "general", "gen", "integers", "integer", "int"),
    "end": ("end",),
    "unsupported": (
        "minimize multi-objectives", "maximize multi-objectives", "user cuts", "semi-continuous", "semis", "semi",
        "sos", "sos1", "sos2", "pwl", "pwlobj", "general constraints", "gencons", "scenario",
    ),
}  # fmt: skip
SECTION_OF = {word: section for section, words in SECTIONS.items() for word in words}
SECTION_WORD = re.compile(
    r"\s*("
    + "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(SECTION_OF, key=len, reverse=True))
    + r")(?=\s|$)",
    re.IGNORECASE,
)
GUROBI_COMMENT = re.compile(r"^\\ LP format - for model browsing", re.MULTILINE)

IN_NAME = r"[^\s+\-*^<>=:\[\]()\\]"
NAME = rf"(?![0-9./,]){IN_NAME}+(?:(?:\[[^\[\]]*\]|\([^\s()]*\)){IN_NAME}*)*"
SIZE = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = rf"{SIZE}|(?i:inf|infinity)(?!{IN_NAME}|[\[(])"
SYMBOL = r"<->|->|<=|>=|=<|=>|==|[<>=:+\-*^/\[\]]"
TOKENS = [("symbol", re.compile(SYMBOL)), ("number", re.compile(NUMBER)), ("name", re.compile(NAME))]

WORD_END = r"(?=\s|$)"
SIGN_OF_NUMBER = rf"[+-](?=(?:{NUMBER}){WORD_END})"
GUROBI_TOKENS = [
    ("symbol", re.compile(rf"(?:{SYMBOL}){WORD_END}|\^(?=[0-9])|{SIGN_OF_NUMBER}")),
    ("number", re.compile(rf"(?:{NUMBER}){WORD_END}")),
    ("name", re.compile(rf"\S+?(?=:?{WORD_END})")),
]
RELATIONS = {"<": "<=", "=<": "<=", ">": ">=", "=>": ">=", "==": "=", "<=": "<=", ">=": ">=", "=": "="}
FLIPPED = {"<=": ">=", ">=": "<=", "=": "="}


class Token(NamedTuple):
    kind: str  # "number", "name", "symbol", "section" or "nothing" (after the last)
    text: str
    line: int


class Cursor:
    """The tokens of a text, one at a time."""

    def __init__(self, text: str, gurobi: bool):
        self.tokens = list(tokenize(text, gurobi))
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

    def fail(self, expected: str) -> LineError:
        found = repr(self.next.text) if self.next.kind != "nothing" else "the end of the text"
        return LineError(self.next.line, f"expected {expected}, found {found}")


def read(text: str) -> Model:
    """The model of an LP text. Raises ValueError `line N: what is wrong` for malformed or unsupported text."""
    gurobi = GUROBI_COMMENT.search(text) is not None
    with localcontext(EXACT):
        draft = parse(Cursor(text, gurobi))
        fold_constant(draft)
        if gurobi:
            fold_ranges(draft)
        return build(draft, renamings(text, "\\"))


def parse(cursor: Cursor) -> Draft:
    draft = Draft(objective_line=cursor.next.line)
    first = cursor.take()
    if first.text not in ("min", "max"):
        raise LineError(first.line, f"expected Minimize or Maximize, found {first.text!r}")
    draft.sense = first.text
    take_label(cursor)
    draft.objective = read_sum(cursor, draft)
    if not cursor.at_section():
        raise cursor.fail("a term of the objective or a section")
    readers = {"rows": read_row, "bounds": read_bound, "binary": read_binary, "integer": read_integer}
    while (section := cursor.take()).text in readers:
        while not cursor.at_section():
            readers[section.text](cursor, draft)
    if section.text != "end":
        found = section.text if section.kind == "section" else "the end of the text"
        raise LineError(section.line, f"expected a section or End, found {found}")
    return draft


def tokenize(text: str, gurobi: bool) -> Iterator[Token]:
    """The tokens up to End. A section that is not supported may be there, but it must be empty."""
    unsupported = None
    for line, content in enumerate(text.split("\n"), start=1):
        content = content.partition("\\")[0]
        position = 0
        found = SECTION_WORD.match(content)
        if found and not (gurobi and content[0].isspace()):
            section = SECTION_OF[" ".join(found[1].lower().split())]
            unsupported = LineError(line, f"unsupported section {found[1]!r}") if section == "unsupported" else None
            position = found.end()
            if not unsupported:
                yield Token("section", section, line)
            if section == "end":
                return
        if unsupported and content[position:].strip():
            raise unsupported
        yield from line_tokens(content, position, line, GUROBI_TOKENS if gurobi else TOKENS)
    yield Token("nothing", "", line)


def line_tokens(content: str, position: int, line: int, patterns: list[tuple[str, re.Pattern]]) -> Iterator[Token]:
    while position < len(content):
        if content[position].isspace():
            position += 1
            continue
        for kind, pattern in patterns:
            if found := pattern.match(content, position):
                yield Token(kind, found[0], line)
                position = found.end()
                break
        else:
            raise LineError(line, f"unexpected {content[position : position + 20]!r}")


def take_label(cursor: Cursor) -> str | None:
    """The name before a colon, where there is one."""
    if cursor.next.kind not in ("name", "number") or cursor.after_next.text != ":":
        return None
    label = cursor.take().text
    cursor.take()
    return label


def take_signs(cursor: Cursor) -> int:
    """+1 or -1, the product of the signs that come next."""
    value = 1
    while found := cursor.take_if("+", "-"):
        value = -value if found.text == "-" else value
    return value


def read_sum(cursor: Cursor, draft: Draft) -> Sum:
    """Terms with signs up to a relation, a section or whatever cannot go on a sum; it may be empty."""
    total = Sum()
    first = True
    while first or (cursor.next.kind == "symbol" and cursor.next.text in "+-"):
        signed = cursor.next.text in ("+", "-")
        sign = take_signs(cursor)
        if cursor.take_if("["):
            read_products(cursor, draft, sign, total)
        elif cursor.next.kind in ("number", "name"):
            read_term(cursor, draft, sign, total)
        elif signed:
            raise cursor.fail("a number or a variable")
        first = False
    return total


def read_term(cursor: Cursor, draft: Draft, sign: int, total: Sum) -> None:
    """`3`, `x`, `3 x` or `3 * x`, added to `total`."""
    coefficient, found = read_coefficient(cursor)
    if cursor.next.kind != "name" or (found and cursor.after_next.text == ":"):
        total.constant += sign * coefficient
        return
    total.add_term(take_variable(cursor, draft), sign * coefficient)
    if cursor.next.text in ("*", "^"):
        raise LineError(cursor.next.line, "a product of variables outside [ ]")


def read_coefficient(cursor: Cursor) -> tuple[Decimal, bool]:
    """The number that comes next and True, or 1 and False."""
    if cursor.next.kind != "number":
        return Decimal(1), False
    coefficient = EXACT.create_decimal(cursor.take().text)
    cursor.take_if("*")
    return coefficient, True


def read_products(cursor: Cursor, draft: Draft, sign: int, total: Sum) -> None:
    """The rest of `[ 2 x ^ 2 - 3 x * y ] / 2`; without the division the products count in full."""
    found = []
    while not cursor.take_if("]"):
        coefficient = sign * take_signs(cursor) * read_coefficient(cursor)[0]
        if cursor.next.kind != "name":
            raise cursor.fail("a variable or ]")
        first = second = take_variable(cursor, draft)
        if cursor.take_if("^"):
            if cursor.next.text != "2":
                raise LineError(cursor.next.line, f"unsupported power of {first!r}; only ^ 2")
            cursor.take()
        elif cursor.take_if("*") and cursor.next.kind == "name":
            second = take_variable(cursor, draft)
        else:
            raise cursor.fail("^ 2 or * and a variable")
        found.append((first, second, coefficient))
    share = Decimal(1)
    if cursor.take_if("/"):
        if cursor.next.text != "2":
            raise cursor.fail("/ 2 after ]")
        cursor.take()
        share = Decimal("0.5")
    for first, second, coefficient in found:
        total.add_product(first, second, coefficient * share)


def take_variable(cursor: Cursor, draft: Draft) -> str:
    """The name that comes next, which makes it a variable where it was none."""
    if cursor.next.kind != "name":
        raise cursor.fail("a variable")
    token = cursor.take()
    draft.columns.setdefault(token.text, Column(line=token.line))
    return token.text


def read_row(cursor: Cursor, draft: Draft) -> None:
    """`name: terms <= 3`, `name: 1 <= terms <= 3` or `3 >= terms`; the name may be missing."""
    line = cursor.next.line
    label = take_label(cursor)
    left = read_sum(cursor, draft)
    relation = take_relation(cursor)
    if not left.is_constant:
        total = left
        lb, ub = interval(relation, read_value(cursor) - left.constant)
    else:
        total = read_sum(cursor, draft)
        limit = left.constant - total.constant
        two_sided = cursor.next.text in RELATIONS
        is_limit_right = total.is_constant and not two_sided
        lb, ub = interval(relation, -limit) if is_limit_right else interval(FLIPPED[relation], limit)
        if two_sided:
            second = interval(take_relation(cursor), read_value(cursor) - total.constant)
            lb, ub = max(lb, second[0]), min(ub, second[1])
    if cursor.next.text in ("->", "<->"):
        raise LineError(cursor.next.line, "unsupported indicator constraint")
    last = cursor.tokens[cursor.position - 1]
    if cursor.next.line == last.line and not cursor.at_section() and cursor.after_next.text != ":":
        raise cursor.fail("the end of the row")
    draft.rows.append(DraftRow(label, total, lb, ub, line))


def take_relation(cursor: Cursor) -> str:
    found = cursor.take_if(*RELATIONS)
    if not found:
        raise cursor.fail("a relation (<=, >=, =)")
    return RELATIONS[found.text]


def read_value(cursor: Cursor) -> Decimal:
    """A number with its signs."""
    sign = take_signs(cursor)
    if cursor.next.kind != "number":
        raise cursor.fail("a number")
    return sign * EXACT.create_decimal(cursor.take().text)


def interval(relation: str, value: Decimal) -> tuple[Decimal, Decimal]:
    return (value if relation != "<=" else -INFINITY, value if relation != ">=" else INFINITY)


def read_bound(cursor: Cursor, draft: Draft) -> None:
    """`x free`, `x >= 1`, `1 <= x` or `1 <= x <= 3`."""
    if cursor.next.kind == "name":
        column = take_column(cursor, draft)
        if cursor.next.kind == "name" and cursor.next.text.lower() == "free":
            cursor.take()
            column.lb, column.ub = -INFINITY, INFINITY
            return
    else:
        value = read_value(cursor)
        relation = FLIPPED[take_relation(cursor)]
        column = take_column(cursor, draft)
        set_bound(column, relation, value)
        if cursor.next.text not in RELATIONS:
            return
    relation = take_relation(cursor)
    set_bound(column, relation, read_value(cursor))


def take_column(cursor: Cursor, draft: Draft) -> Column:
    """The column of the variable that comes next; what is wrong with it will be said of this line."""
    line = cursor.next.line
    column = draft.columns[take_variable(cursor, draft)]
    column.line = line
    return column


def set_bound(column: Column, relation: str, value: Decimal) -> None:
    lb, ub = interval(relation, value)
    column.lb = column.lb if relation == "<=" else lb
    column.ub = column.ub if relation == ">=" else ub


def read_binary(cursor: Cursor, draft: Draft) -> None:
    take_column(cursor, draft).kind = "binary"


def read_integer(cursor: Cursor, draft: Draft) -> None:
    take_column(cursor, draft).kind = "integer"


def fold_constant(draft: Draft) -> None:
    """An objective's constant that stands there as a multiple of a variable `Constant`, which is fixed to 1."""
    column = draft.columns.get("Constant")
    if not column or (column.kind, column.lb, column.ub) != ("continuous", 1, 1):
        return
    if appearances(draft)["Constant"] == ("Constant" in draft.objective.terms):
        del draft.columns["Constant"]
        draft.objective.constant += draft.objective.terms.pop("Constant", 0)


def fold_ranges(draft: Draft) -> None:
    """Gurobi's way to write a range: `r: terms + Rgr = ub` and 0 <= Rgr <= ub - lb."""
    count = appearances(draft)
    for row in draft.rows:
        slack = f"Rg{row.name}"
        column = draft.columns.get(slack)
        if not column or (column.kind, column.lb, row.sum.terms.get(slack), count[slack]) != ("continuous", 0, 1, 1):
            continue
        if row.lb == row.ub:
            row.lb -= column.ub
            del row.sum.terms[slack], draft.columns[slack]


def appearances(draft: Draft) -> Counter[str]:
    """In how many terms and products of the objective and the rows a variable is."""
    count = Counter()
    for total in (draft.objective, *(row.sum for row in draft.rows)):
        count.update(total.terms.keys())
        for product in total.products:
            count.update(product)
    return count
