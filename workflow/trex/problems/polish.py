"""From an optimum that is right within a solver's tolerances to the exact one beside it.

Integer variables are rounded and kept; the others are moved by sequential least squares programming (Kraft 1988, as
in scipy). The point that comes out is taken only when it is feasible and as good by our own arithmetic: the method is
not at home at the kinks of absolute values and maxima, and where rows depend on each other.
"""

import math
from collections.abc import Callable

import numpy as np

from trex.problems import expression
from trex.problems.expression import Expression
from trex.problems.ir import Model, Objective, Row
from trex.problems.solution import residuals

LARGEST = 100  # variables that move; the work grows with their cube
VIOLATION = 1e-9  # of a point that is taken, in the units of `residuals`
LOSS = 1e-5  # of the size of the objective: what a solver's point may have won by violating rows
RESTORATIONS = 5
PRECISION, ITERATIONS = 1e-14, 100  # of SLSQP, on an objective divided by its size at the start
TINY = 1e-6  # of the scale: an objective that is taken for zero


def polished(model: Model, values: list[float], scale: float) -> list[float] | None:
    """A point that is exact where `values` are so within tolerances, or else the rounded values; None where these are
    not feasible. `scale` is the size of the numbers in the objective.
    """
    rounded = [float(round(x)) if v.is_integer else x for v, x in zip(model.variables, values, strict=True)]
    movable = [i for i, v in enumerate(model.variables) if not v.is_integer and v.lb < v.ub]
    if 0 < len(movable) <= LARGEST:
        point = moved(model, rounded, movable, scale)
        found, before = residuals(model, point), model.objective.at(values)
        loss = (before - found.objective) * (1.0 if model.objective.sense == "max" else -1.0)
        if found.violation <= VIOLATION and loss <= LOSS * max(scale, abs(before)):
            return point
    return rounded if residuals(model, rounded).are_small else None


def moved(model: Model, values: list[float], movable: list[int], scale: float) -> list[float]:
    """Where SLSQP takes the movable variables; they are measured in units of their size, as it has no scaling."""
    from scipy.optimize import minimize  # a quarter of a second, and most models never come here

    unit = np.array([max(1.0, abs(values[i])) for i in movable])
    bounds = np.array([(model.variables[i].lb, model.variables[i].ub) for i in movable]) / unit[:, None]
    start = np.clip([values[i] for i in movable] / unit, bounds[:, 0], bounds[:, 1])

    def at(z: np.ndarray) -> list[float]:
        point = list(values)
        for i, x in zip(movable, z * unit, strict=True):
            point[i] = float(x)
        return point

    def function(part: Row | Objective, limit: float, factor: float) -> dict[str, Callable]:
        return {
            "fun": lambda z: factor * (part.at(at(z)) - limit),
            "jac": lambda z: factor * gradient(part, at(z))[movable] * unit,
        }

    constraints = []
    for row in model.rows:
        if row.lb == row.ub:
            constraints.append({"type": "eq", **function(row, row.lb, 1.0 / max(1.0, abs(row.lb)))})
            continue
        for limit, sign in ((row.lb, 1.0), (row.ub, -1.0)):
            if math.isfinite(limit):
                constraints.append({"type": "ineq", **function(row, limit, sign / max(1.0, abs(limit)))})
    size = max(abs(model.objective.at(values)), TINY * scale)
    goal = function(model.objective, 0.0, (1.0 if model.objective.sense == "min" else -1.0) / size)
    options = {"ftol": PRECISION, "maxiter": ITERATIONS}
    start = restored(start, constraints, bounds)
    if sum(constraint["type"] == "eq" for constraint in constraints) > len(movable):
        return at(start)  # SLSQP takes no such system, and scipy 1.17 then writes beyond its workspace
    found = minimize(x0=start, bounds=bounds, constraints=constraints, method="SLSQP", options=options, **goal)
    return at(restored(found.x, constraints, bounds))


def restored(z: np.ndarray, constraints: list[dict], bounds: np.ndarray) -> np.ndarray:
    """The feasible point beside z, by the least change. SLSQP sticks at the infeasible side of an optimum."""
    for _ in range(RESTORATIONS):
        z = np.clip(z, bounds[:, 0], bounds[:, 1])
        off = [(c, value) for c in constraints if (value := c["fun"](z)) < 0.0 or (value and c["type"] == "eq")]
        jacobian, excess = np.array([c["jac"](z) for c, _ in off]), np.array([value for _, value in off])
        if not off or not np.isfinite(jacobian).all() or not np.isfinite(excess).all():
            break
        z = z - np.linalg.lstsq(jacobian, excess)[0]
    return np.clip(z, bounds[:, 0], bounds[:, 1])


def gradient(part: Row | Objective, values: list[float]) -> np.ndarray:
    """The partial derivatives by all variables, NaN where there are none."""
    found = np.zeros(len(values))
    for i, coefficient in (part.terms if isinstance(part, Row) else part.linear).items():
        found[i] += coefficient
    for (i, j), coefficient in part.quadratic.items():
        found[i] += coefficient * values[j]
        found[j] += coefficient * values[i]
    if part.nonlinear is not None:
        try:
            for i, slope in slopes(part.nonlinear, values)[1].items():
                found[i] += slope
        except (ValueError, ZeroDivisionError, OverflowError):
            found[:] = math.nan
    return found


def slopes(node: Expression, values: list[float]) -> tuple[float, dict[int, float]]:
    """(value, {variable: partial derivative}) of an expression; of a kink, one side's."""
    if isinstance(node, float):
        return node, {}
    operator, *operands = node
    if operator == "variable":
        return values[operands[0]], {operands[0]: 1.0}
    below = [slopes(operand, values) for operand in operands]
    arguments = [value for value, _ in below]
    value = expression.value_of((operator, *arguments), ())
    found: dict[int, float] = {}
    for position, (_, inner) in enumerate(below):
        if inner:
            outer = partial(operator, arguments, position, value)
            for i, slope in inner.items():
                found[i] = found.get(i, 0.0) + outer * slope
    return value, found


def partial(operator: str, arguments: list[float], position: int, value: float) -> float:
    """The derivative of operator(arguments), whose value is given, by the argument at `position`."""
    a = arguments[position]
    match operator:
        case "sum":
            return 1.0
        case "product":
            return math.prod(arguments[:position] + arguments[position + 1 :])
        case "quotient":
            return (1.0 if position == 0 else -value) / arguments[1]
        case "power":
            base, exponent = arguments
            return exponent * math.pow(base, exponent - 1.0) if position == 0 else value * math.log(base)
        case "max" | "min":
            return float(arguments.index(value) == position)
        case "exp":
            return value
        case "log":
            return 1.0 / a
        case "sqrt":
            return 0.5 / value
        case "sin":
            return math.cos(a)
        case "cos":
            return -math.sin(a)
        case "tan":
            return 1.0 + value * value
        case _:
            return math.copysign(1.0, a)
