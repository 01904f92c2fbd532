"""OR-Tools MathOpt: linear and quadratic rows and objectives, indicators."""

import functools
import sys

from ortools.math_opt.python import mathopt

from trex.execution import dialects
from trex.execution.dialects import Unsupported
from trex.execution.dialects.draft import Draft
from trex.problems.ir import Model

NAME = "mathopt"
MODEL_TYPE = mathopt.Model
UNSUPPORTED_PARTS = (
    "auxiliary_objectives",
    "second_order_cone_constraints",
    "sos1_constraints",
    "sos2_constraints",
)


def start_recording() -> None:
    create = MODEL_TYPE.__init__

    @functools.wraps(create)
    def creating(self, *arguments, **named):
        create(self, *arguments, **named)
        dialects.record(sys.modules[__name__], self)

    MODEL_TYPE.__init__ = creating


def says_something(model: MODEL_TYPE) -> bool:
    exported = model.export_model()
    objective = exported.objective
    rows = exported.linear_constraints.ids or exported.quadratic_constraints or exported.indicator_constraints
    return bool(
        rows or objective.linear_coefficients.ids or objective.quadratic_coefficients.row_ids or objective.offset
    )


def to_ir(model: MODEL_TYPE) -> Model:
    """Variables and rows in the order of their ids, linear rows before quadratic ones before indicators."""
    exported = model.export_model()
    for part in UNSUPPORTED_PARTS:
        if len(getattr(exported, part)):
            raise Unsupported(part.replace("_", " "))
    draft = Draft()
    index = add_variables(draft, exported.variables)
    add_rows(draft, exported, index)
    for constraint in exported.quadratic_constraints.values():
        terms = linear(constraint.linear_terms, index)
        products = quadratic(constraint.quadratic_terms, index)
        draft.row(constraint.name, terms, constraint.lower_bound, constraint.upper_bound, products)
    for constraint in exported.indicator_constraints.values():
        if constraint.HasField("indicator_id"):
            terms = linear(constraint.expression, index)
            binary = index[constraint.indicator_id]
            active = not constraint.activate_on_zero
            draft.indicator(constraint.name, binary, active, terms, constraint.lower_bound, constraint.upper_bound)
    objective = exported.objective
    draft.model.set_objective(
        "max" if objective.maximize else "min",
        linear(objective.linear_coefficients, index),
        objective.offset,
        quadratic(objective.quadratic_coefficients, index),
    )
    return draft.model


def add_variables(draft: Draft, variables) -> dict[int, int]:
    """Adds them; returns a variable's position by its id."""
    names = list(variables.names) or [""] * len(variables.ids)
    columns = zip(variables.ids, names, variables.lower_bounds, variables.upper_bounds, variables.integers, strict=True)
    return {identifier: draft.variable(name, lb, ub, integer) for identifier, name, lb, ub, integer in columns}


def add_rows(draft: Draft, exported, index: dict[int, int]) -> None:
    constraints, matrix = exported.linear_constraints, exported.linear_constraint_matrix
    terms: dict[int, dict[int, float]] = {identifier: {} for identifier in constraints.ids}
    for row, column, value in zip(matrix.row_ids, matrix.column_ids, matrix.coefficients, strict=True):
        terms[row][index[column]] = value
    names = list(constraints.names) or [""] * len(constraints.ids)
    rows = zip(names, constraints.ids, constraints.lower_bounds, constraints.upper_bounds, strict=True)
    for name, identifier, lb, ub in rows:
        draft.row(name, terms[identifier], lb, ub)


def linear(terms, index: dict[int, int]) -> dict[int, float]:
    return {index[i]: value for i, value in zip(terms.ids, terms.values, strict=True)}


def quadratic(terms, index: dict[int, int]) -> dict[tuple[int, int], float]:
    entries = zip(terms.row_ids, terms.column_ids, terms.coefficients, strict=True)
    return {(index[i], index[j]): value for i, j, value in entries}
