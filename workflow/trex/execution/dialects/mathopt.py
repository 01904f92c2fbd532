"""OR-Tools MathOpt: which model a program meant, and that model in the IR.

After `start_recording` every MathOpt model that is created is known here, whatever its name, and also when the
function that built it has returned. It keeps them all: for the process of one program only.
"""

import functools
import math

from ortools.math_opt.python import mathopt

from trex.execution.dialects import Unsupported
from trex.problems.ir import Model

MODEL_TYPE = mathopt.Model
UNSUPPORTED_PARTS = (
    "auxiliary_objectives",
    "quadratic_constraints",
    "second_order_cone_constraints",
    "sos1_constraints",
    "sos2_constraints",
    "indicator_constraints",
)

created: list[MODEL_TYPE] = []


def start_recording() -> None:
    """From now on `created` has the models in the order of their creation."""
    create = MODEL_TYPE.__init__

    @functools.wraps(create)
    def creating(self, *arguments, **named):
        create(self, *arguments, **named)
        created.append(self)

    MODEL_TYPE.__init__ = creating


def chosen_model(names: dict) -> MODEL_TYPE | None:
    """The model that a program with these global names meant, None when it made none.

    Models that a global name holds come before those that none holds (built in a function); among several the last
    created that has an objective or a constraint.
    """
    held = {id(value) for value in names.values() if isinstance(value, MODEL_TYPE)}
    candidates = [model for model in created if id(model) in held] or created
    for model in reversed(candidates):
        if says_something(model):
            return model
    return candidates[-1] if candidates else None


def says_something(model: MODEL_TYPE) -> bool:
    exported = model.export_model()
    objective = exported.objective
    return bool(exported.linear_constraints.ids or objective.linear_coefficients.ids or objective.offset)


def to_ir(model: MODEL_TYPE) -> Model:
    """The model in the IR: variables and rows in the order of their ids.

    Raises Unsupported for what the IR does not cover, ValueError for numbers that no solver accepts.
    """
    exported = model.export_model()
    for part in UNSUPPORTED_PARTS:
        if len(getattr(exported, part)):
            raise Unsupported(part.replace("_", " "))
    result = Model()
    index = {identifier: position for position, identifier in enumerate(exported.variables.ids)}
    # The IR has no crossed bounds; the upper one as a row of its own says the same: infeasible.
    crossed = [*add_variables(result, exported.variables), *add_rows(result, exported, index)]
    for terms, upper in crossed:
        result.add_row(terms, ub=upper)
    linear = exported.objective.linear_coefficients
    quadratic = exported.objective.quadratic_coefficients
    result.set_objective(
        "max" if exported.objective.maximize else "min",
        {index[i]: value for i, value in zip(linear.ids, linear.values, strict=True)},
        exported.objective.offset,
        {
            (index[i], index[j]): value
            for i, j, value in zip(quadratic.row_ids, quadratic.column_ids, quadratic.coefficients, strict=True)
        },
    )
    return result


def add_variables(result: Model, variables) -> list[tuple[dict[int, float], float]]:
    """Adds them; (terms, upper bound) of those whose bounds cross, which are added without that bound."""
    crossed = []
    names = unique_names(variables.names, len(variables.ids), "x")
    columns = zip(names, variables.lower_bounds, variables.upper_bounds, variables.integers, strict=True)
    for name, lower, upper, integer in columns:
        kind = "continuous" if not integer else "binary" if (lower, upper) == (0.0, 1.0) else "integer"
        if lower > upper:
            crossed.append(({len(result.variables): 1.0}, upper))
            upper = math.inf
        result.add_variable(name, kind, lower, upper)
    return crossed


def add_rows(result: Model, exported, index: dict[int, int]) -> list[tuple[dict[int, float], float]]:
    """Adds the linear constraints; returns those whose bounds cross as `add_variables` does."""
    constraints, matrix = exported.linear_constraints, exported.linear_constraint_matrix
    terms: dict[int, dict[int, float]] = {identifier: {} for identifier in constraints.ids}
    for row, column, value in zip(matrix.row_ids, matrix.column_ids, matrix.coefficients, strict=True):
        terms[row][index[column]] = value
    crossed = []
    names = unique_names(constraints.names, len(constraints.ids), "r")
    rows = zip(names, constraints.ids, constraints.lower_bounds, constraints.upper_bounds, strict=True)
    for name, identifier, lower, upper in rows:
        if lower > upper:
            crossed.append((terms[identifier], upper))
            upper = math.inf
        result.add_row(terms[identifier], lower, upper, name)
    return crossed


def unique_names(names, count: int, letter: str) -> list[str]:
    """As many names as there are things: the given ones, made up where missing, numbered where used twice."""
    given = list(names) or [""] * count
    taken: set[str] = set()
    unique = []
    for position, name in enumerate(given):
        candidate = name or f"{letter}{position}"
        while candidate in taken:
            candidate = f"{candidate}_{position}"
        taken.add(candidate)
        unique.append(candidate)
    return unique
