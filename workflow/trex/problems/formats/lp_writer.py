"""A model as LP text; `trex.problems.formats.lp` says how."""

import math
import re
from decimal import Decimal

from trex.problems.formats.lp_reader import SECTIONS
from trex.problems.formats.model_text import LONGEST_NAME, exact, number_text, refuse_nonlinear, safe_names
from trex.problems.ir import Model, Row, Variable

RESERVED = {word for words in SECTIONS.values() for several in words for word in several.split()}
RESERVED |= {"free", "inf", "infinity", "constant"}
# CPLEX reserves names of e alone and of e before a digit or another e: they look like exponents.
PLAIN_NAME = re.compile(r"(?![eE](?![A-DF-Za-df-z_]))[A-Za-z_][\w.#$!]*(\[[\w.,#$!\"']*\])?", re.ASCII)
LINE_LENGTH = 100


def write(model: Model, portable: bool = False) -> str:
    """The model as LP text; `portable` as the module `lp` says. Raises ValueError for a nonlinear expression."""
    refuse_nonlinear(model, "LP")
    if portable:
        columns, labels, comments = [f"x{i}" for i in range(len(model.variables))], None, []
    else:
        columns, comments = safe_names("variable", [v.name for v in model.variables], is_plain, "\\")
        labels, row_comments = safe_names("row", [r.name for r in model.rows], is_plain, "\\")
        comments += row_comments
    lines = [*comments, "Minimize" if model.objective.sense == "min" else "Maximize"]
    lines += wrapped(["obj:", *objective_words(model, columns)])
    lines.append("Subject To")
    for index, row in enumerate(model.rows):
        words = [*sum_words(row.terms, columns), *product_words(row.quadratic, columns, 1)]
        words = without_plus(words) or [f"0 {columns[0]}" if columns else "0"]
        for label, left, right in row_sides(f"r{index}" if portable else labels[index], row, portable):
            lines += wrapped([f"{label}:", *left, *words, *right])
    lines.append("Bounds")
    lines += [line for v, name in zip(model.variables, columns, strict=True) if (line := bounds_line(v, name))]
    for title, kind in (("Binaries", "binary"), ("Generals", "integer")):
        members = [name for v, name in zip(model.variables, columns, strict=True) if v.kind == kind]
        lines += [title, *wrapped(members)] if members else []
    return "\n".join([*lines, "End", ""])


def is_plain(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.lower() not in RESERVED and PLAIN_NAME.fullmatch(name) is not None


def objective_words(model: Model, columns: list[str]) -> list[str]:
    objective = model.objective
    words = sum_words({i: objective.linear.get(i, 0.0) for i in range(len(columns))}, columns)
    words += product_words(objective.quadratic, columns, 2)
    if objective.constant:
        words.append(f"{sign(objective.constant)} {number_text(abs(objective.constant))}")
    return without_plus(words)


def sum_words(terms: dict[int, float], columns: list[str]) -> list[str]:
    return [term(coefficient, columns[index]) for index, coefficient in terms.items()]


def product_words(products: dict[tuple[int, int], float], columns: list[str], divisor: int) -> list[str]:
    """`+ [ ... ] / divisor`, or nothing where there are no products."""
    words = [
        term(exact(coefficient) * divisor, f"{columns[i]} ^ 2" if i == j else f"{columns[i]} * {columns[j]}")
        for (i, j), coefficient in products.items()
    ]
    end = "]" if divisor == 1 else f"] / {divisor}"
    return ["+ [", *without_plus(words), end] if words else []


def term(coefficient: float | Decimal, name: str) -> str:
    size = abs(coefficient)
    return f"{sign(coefficient)} {name}" if size == 1 else f"{sign(coefficient)} {number_text(size)} {name}"


def without_plus(words: list[str]) -> list[str]:
    return [words[0].removeprefix("+ "), *words[1:]] if words else []


def row_sides(label: str, row: Row, portable: bool) -> list[tuple[str, list[str], list[str]]]:
    """(label, words before the terms, words after them) for each text row that this row needs."""
    if row.lb == row.ub:
        return [(label, [], ["=", number_text(row.lb)])]
    if math.isinf(row.lb) and math.isinf(row.ub):
        return [] if portable else [(label, [], [">=", "-inf"])]
    if math.isinf(row.lb):
        return [(label, [], ["<=", number_text(row.ub)])]
    if math.isinf(row.ub):
        return [(label, [], [">=", number_text(row.lb)])]
    if portable:
        return [(label, [], [">=", number_text(row.lb)]), (f"{label}_upper", [], ["<=", number_text(row.ub)])]
    return [(label, [number_text(row.lb), "<="], ["<=", number_text(row.ub)])]


def bounds_line(variable: Variable, name: str) -> str | None:
    """The line of the bounds section, None where the format's default (0, infinity; binary 0, 1) holds."""
    lb, ub = variable.lb, variable.ub
    if (lb, ub) == (0.0, 1.0 if variable.kind == "binary" else math.inf):
        return None
    if lb == ub:
        return f" {name} = {number_text(lb)}"
    if ub == math.inf:
        return f" {name} free" if lb == -math.inf else f" {name} >= {number_text(lb)}"
    return f" {number_text(lb)} <= {name} <= {number_text(ub)}"


def sign(value: float | Decimal) -> str:
    return "-" if value < 0 else "+"


def wrapped(words: list[str]) -> list[str]:
    """The words on indented lines of moderate length (the format's readers stop at 510 characters)."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_LENGTH:
            lines.append(line)
            line = "  "
        line += f" {word}"
    return [*lines, line]
