"""A model as free MPS text; `trex.problems.formats.mps` says how."""

import math
import re
from collections.abc import Iterator
from itertools import groupby

from trex.problems.formats.model_text import EXACT, LONGEST_NAME, exact, number_text, refuse_nonlinear, safe_names
from trex.problems.formats.mps_reader import SECTIONS, UNSUPPORTED
from trex.problems.ir import Model, Row, Variable, unused_name

RESERVED = {*SECTIONS, *UNSUPPORTED, "MARKER", "MAX", "MIN"}
PLAIN_NAME = re.compile(r"[A-Za-z_][\w.,#!\"'\[\]()]*", re.ASCII)
MINUS_INFINITY = "-1e30"


def write(model: Model) -> str:
    """The model as MPS text. Raises ValueError for a nonlinear expression."""
    refuse_nonlinear(model, "MPS")
    columns, comments = safe_names("variable", [v.name for v in model.variables], is_plain, "*")
    rows, row_comments = safe_names("row", [r.name for r in model.rows], is_plain, "*")
    objective = unused_name("OBJ", set(rows))
    sense = ["OBJSENSE", "    MAX"] if model.objective.sense == "max" else []
    lines = [*comments, *row_comments, "NAME", *sense, "ROWS", f" N  {objective}"]
    lines += [f" {row_kind(row)}  {name}" for row, name in zip(model.rows, rows, strict=True)]
    lines += ["COLUMNS", *column_lines(model, columns, rows, objective)]
    lines += ["RHS", *right_hand_sides(model, rows, objective)]
    lines += ["RANGES", *ranges(model, rows)]
    lines += ["BOUNDS"]
    for variable, name in zip(model.variables, columns, strict=True):
        lines += bounds_lines(variable, name)
    lines += quadratic_lines(model, columns, rows)
    return "\n".join([*lines, "ENDATA", ""])


def is_plain(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.upper() not in RESERVED and PLAIN_NAME.fullmatch(name) is not None


def row_kind(row: Row) -> str:
    if row.lb == row.ub:
        return "E"
    return "L" if row.lb == -math.inf and row.ub < math.inf else "G"


def column_lines(model: Model, columns: list[str], rows: list[str], objective: str) -> Iterator[str]:
    entries: list[list[tuple[str, float]]] = [
        [(objective, model.objective.linear.get(i, 0.0))] for i in range(len(columns))
    ]
    for row, name in zip(model.rows, rows, strict=True):
        for i, coefficient in row.terms.items():
            entries[i].append((name, coefficient))
    members = zip(model.variables, columns, entries, strict=True)
    for are_integer, group in groupby(members, key=lambda member: member[0].is_integer):
        if are_integer:
            yield "    MARKER  'MARKER'  'INTORG'"
        for _, column, found in group:
            yield from (f"    {column}  {name}  {number_text(coefficient)}" for name, coefficient in found)
        if are_integer:
            yield "    MARKER  'MARKER'  'INTEND'"


def right_hand_sides(model: Model, rows: list[str], objective: str) -> Iterator[str]:
    if model.objective.constant:
        yield f"    RHS  {objective}  {number_text(-model.objective.constant)}"
    for row, name in zip(model.rows, rows, strict=True):
        limit = row.ub if row_kind(row) == "L" else row.lb
        if limit:
            yield f"    RHS  {name}  {number_text(limit) if math.isfinite(limit) else MINUS_INFINITY}"


def ranges(model: Model, rows: list[str]) -> Iterator[str]:
    for row, name in zip(model.rows, rows, strict=True):
        if row.lb < row.ub and math.isfinite(row.lb) and math.isfinite(row.ub):
            yield f"    RNG  {name}  {number_text(EXACT.subtract(exact(row.ub), exact(row.lb)))}"


def bounds_lines(variable: Variable, name: str) -> Iterator[str]:
    """Both bounds of an integer variable, which has other defaults; of others what is not 0 and infinity."""
    lb, ub = variable.lb, variable.ub
    if variable.kind == "binary" and (lb, ub) == (0.0, 1.0):
        pass
    elif lb == ub:
        yield f" FX BND  {name}  {number_text(lb)}"
    elif lb == -math.inf and ub == math.inf:
        yield f" FR BND  {name}"
    else:
        if lb == -math.inf:
            yield f" MI BND  {name}"
        elif lb or variable.kind == "integer":
            yield f" LO BND  {name}  {number_text(lb)}"
        if ub < math.inf:
            yield f" UP BND  {name}  {number_text(ub)}"
    if variable.kind == "binary":
        yield f" BV BND  {name}"


def quadratic_lines(model: Model, columns: list[str], rows: list[str]) -> Iterator[str]:
    """QUADOBJ has the upper triangle of Q in x'Qx / 2, QCMATRIX both triangles of Q in x'Qx."""
    if model.objective.quadratic:
        yield "QUADOBJ"
    for (i, j), coefficient in model.objective.quadratic.items():
        value = exact(coefficient) * 2 if i == j else coefficient
        yield f"    {columns[i]}  {columns[j]}  {number_text(value)}"
    for row, name in zip(model.rows, rows, strict=True):
        if row.quadratic:
            yield f"QCMATRIX  {name}"
        for (i, j), coefficient in row.quadratic.items():
            if i == j:
                yield f"    {columns[i]}  {columns[i]}  {number_text(coefficient)}"
            else:
                half = number_text(exact(coefficient) / 2)
                yield f"    {columns[i]}  {columns[j]}  {half}"
                yield f"    {columns[j]}  {columns[i]}  {half}"
