"""Reference code in OR-Tools MathOpt: a family's generic body behind data lines, or one line a row.

Both are written from a family's own templates, so they may run in-process; the IR model of the same instance is built
independently, and the tests compare the two.
"""

import math
from collections.abc import Sequence

from trex.problems.ir import Model, Row

IMPORT = "from ortools.math_opt.python import mathopt"
DATA_FILE = "data.json"
NAMES = ("x", "y", "z", "u", "v")


def program(data_lines: Sequence[str], body: Sequence[str], reads_file: bool) -> str:
    """Import, data, model, body."""
    head = ["import json", IMPORT, f'data = json.load(open("{DATA_FILE}"))'] if reads_file else [IMPORT]
    return "\n".join([*head, *data_lines, "m = mathopt.Model()", *body])


def row_by_row(model: Model, written: Sequence[str | None], objective_first: bool) -> str:
    """The model of at most five variables with lower bound 0, one line a row, in the order of its rows.

    written: each row as code, None where its terms one by one will do.
    """
    lines = [IMPORT, "m = mathopt.Model()"]
    for variable, name in zip(model.variables, NAMES, strict=False):
        call = "add_integer_variable" if variable.is_integer else "add_variable"
        lines.append(f"{name} = m.{call}(lb=0)")
    rows = [
        f"m.add_linear_constraint({code or relation(row, '==')})" for row, code in zip(model.rows, written, strict=True)
    ]
    objective = [f"m.{model.objective.sense}imize({expression(model.objective.linear)})"]
    return "\n".join([*lines, *(objective + rows if objective_first else rows + objective)])


def row_by_row_formulation(model: Model) -> list[str]:
    """The same model in mathematical notation."""
    kind = "integer" if model.variables[0].is_integer else "continuous"
    lines = [f"{', '.join(NAMES[: len(model.variables)])} >= 0, {kind}"]
    lines.append(f"{model.objective.sense} {expression(model.objective.linear)}")
    return [*lines, *(relation(row, "=") for row in model.rows)]


def relation(row: Row, equal: str) -> str:
    """A row with one bound, or two that are equal."""
    sign, limit = (equal, row.lb) if row.lb == row.ub else ("<=", row.ub) if row.ub < math.inf else (">=", row.lb)
    return f"{expression(row.terms)} {sign} {number(limit)}"


def expression(terms: dict[int, float]) -> str:
    parts = []
    for index, coefficient in terms.items():
        sign = "-" if coefficient < 0 else "+" if parts else ""
        size = "" if abs(coefficient) == 1 else f"{number(abs(coefficient))} * "
        parts.append(f"{sign} {size}{NAMES[index]}" if parts else f"{sign}{size}{NAMES[index]}")
    return " ".join(parts)


def number(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)
