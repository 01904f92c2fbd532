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

from trex.problems.ir import Model, Row, Variable

WORDS = {
    "minimize": "min",
    "minimise": "min",
    "minimum": "min",
    "min": "min",
    "maximize": "max",
    "maximise": "max",
    "maximum": "max",
    "max": "max",
    "subject to": "rows",
    "such that": "rows",
    "st": "rows",
    "s.t.": "rows",
    "st.": "rows",
    "bounds": "bounds",
    "bound": "bounds",
    "generals": "integer",
    "general": "integer",
    "gen": "integer",
    "integers": "integer",
    "integer": "integer",
    "int": "integer",
    "binaries": "binary",
    "binary": "binary",
    "bin": "binary",
    "end": "end",
}
UNSUPPORTED_WORDS = (
    "semi-continuous", "semis", "semi", "sos", "sos1", "sos2", "lazy constraints", "user cuts", "general constraints",
    "gencons", "pwlobj", "multi-objectives", "scenario",
)  # fmt: skip
OTHER_WORDS = ("free", "inf", "infinity", "constant")
PLAIN_NAME = re.compile(r"(?![eE]\d)[A-Za-z_][\w.#$!]*(\[[\w.,#$!\"']*\])?", re.ASCII)
LONGEST_NAME = 200
LINE_LENGTH = 100


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
            stem = "_" + re.sub(r"\W+", "_", name, flags=re.ASCII)[:LONGEST_NAME].strip("_")
            candidate, number = stem, 1
            while candidate in taken or not is_plain(candidate):
                number += 1
                candidate = f"{stem}_{number}"
            taken.add(candidate)
            comments.append(f"\\ {what} {candidate} is {json.dumps(name)}")
            name = candidate
        safe.append(name)
    return safe, comments


def is_plain(name: str) -> bool:
    reserved = name.lower() in WORDS or name.lower() in UNSUPPORTED_WORDS or name.lower() in OTHER_WORDS
    return len(name) <= LONGEST_NAME + 20 and not reserved and PLAIN_NAME.fullmatch(name) is not None


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
