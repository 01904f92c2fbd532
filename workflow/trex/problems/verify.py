"""Whether a model is sound: two independent solvers agree on it, and our own arithmetic agrees with them.

Two objective values agree within 1e-6 of the larger magnitude, or within 1e-7; `trex.problems.solution` has the
tolerances of feasibility.

What it does not show: that the model says what a problem's text says, or that its optimum is the only one. No second
solver of ours takes quadratic rows, nonlinear expressions or objectives that are not convex: such models are not
accepted (`solver_error`).
"""

import math
from dataclasses import dataclass, field

from trex.problems.ir import Model, Variable
from trex.problems.solution import (
    ERROR,
    FEASIBILITY_TOLERANCE,
    INFEASIBLE,
    INTEGRALITY_TOLERANCE,
    LIMIT,
    OPTIMAL,
    UNBOUNDED,
    Solution,
    residuals,
)
from trex.problems.solve import default_solver, solve

OBJECTIVE_TOLERANCE = 1e-6
OBJECTIVE_FLOOR = 1e-7

ACCEPTED = "accepted"
SOLVER_ERROR = "solver_error"
SOLVERS_DISAGREE = "solvers_disagree"
INFEASIBLE_BY_ARITHMETIC = "infeasible_by_arithmetic"
FRACTIONAL = "fractional"
OBJECTIVE_MISMATCH = "objective_mismatch"
ZERO_OPTIMUM = "zero_optimum"
DO_NOTHING_OPTIMAL = "do_nothing_optimal"
ROWS_DO_NOT_MATTER = "rows_do_not_matter"
REASONS = (
    ACCEPTED, INFEASIBLE, UNBOUNDED, LIMIT, SOLVER_ERROR, SOLVERS_DISAGREE, INFEASIBLE_BY_ARITHMETIC, FRACTIONAL,
    OBJECTIVE_MISMATCH, ZERO_OPTIMUM, DO_NOTHING_OPTIMAL, ROWS_DO_NOT_MATTER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` is one of REASONS; objective and values are the first solver's, where both solvers found an optimum."""

    reason: str
    objective: float | None = None
    values: list[float] | None = field(default=None, repr=False)
    detail: str = ""


def agree(a: float, b: float) -> bool:
    return abs(a - b) <= max(OBJECTIVE_TOLERANCE * max(abs(a), abs(b)), OBJECTIVE_FLOOR)


def verify(model: Model, time_limit: float = 10.0, solvers: tuple[str, str] | None = None) -> Verdict:
    """Accept the model, or say by the first of REASONS that applies why not.

    The solvers are by default the best one for the model and HiGHS.
    """
    solvers = solvers or (default_solver(model), "highs")
    found = []
    for solver in solvers:
        solution = solve(model, solver, time_limit)
        if solution.status in (LIMIT, ERROR):
            reason = LIMIT if solution.status == LIMIT else SOLVER_ERROR
            return Verdict(reason, detail=solution.detail or f"{solver}: time limit of {time_limit} s")
        found.append(solution)
    first, second = found
    if first.status != second.status:
        return Verdict(SOLVERS_DISAGREE, detail=f"{solvers[0]}: {first.status}; {solvers[1]}: {second.status}")
    if first.status != OPTIMAL:
        return Verdict(first.status)
    if not agree(first.objective, second.objective):
        return Verdict(SOLVERS_DISAGREE, detail=f"objectives {first.objective!r} and {second.objective!r}")
    reason = fault(model, first) or fault(model, second) or triviality(model, first.objective) or ACCEPTED
    return Verdict(reason, first.objective, first.values)


def fault(model: Model, solution: Solution) -> str | None:
    """What our own arithmetic finds wrong with a solver's solution."""
    checked = residuals(model, solution.values)
    if checked.violation > FEASIBILITY_TOLERANCE:
        return INFEASIBLE_BY_ARITHMETIC
    if checked.fractionality > INTEGRALITY_TOLERANCE:
        return FRACTIONAL
    return None if agree(checked.objective, solution.objective) else OBJECTIVE_MISMATCH


def triviality(model: Model, optimum: float) -> str | None:
    """Why the optimum could be right by accident: it is 0, doing nothing reaches it, or no row has a say in it."""
    if abs(optimum) <= OBJECTIVE_TOLERANCE:
        return ZERO_OPTIMUM
    nothing = [
        [min(max(0.0, v.lb), v.ub) for v in model.variables],
        [v.lb if v.lb > -math.inf else min(0.0, v.ub) for v in model.variables],
    ]
    if any(reaches(model, values, optimum) for values in nothing):
        return DO_NOTHING_OPTIMAL
    free = optimum_without_rows(model)
    return ROWS_DO_NOT_MATTER if free is not None and agree(free, optimum) else None


def reaches(model: Model, values: list[float], optimum: float) -> bool:
    at = residuals(model, values)
    return at.are_small and agree(at.objective, optimum)


def optimum_without_rows(model: Model) -> float | None:
    """The optimum over the bounds alone, None where it is unbounded; each variable decides for itself.

    An objective that is not linear couples variables and is left alone (None): it can be bounded without any row.
    """
    if model.objective.quadratic or model.objective.nonlinear is not None:
        return None
    direction = 1.0 if model.objective.sense == "max" else -1.0
    best = {}
    for index, coefficient in model.objective.linear.items():
        best[index] = farthest(model.variables[index], up=direction * coefficient > 0)
        if math.isinf(best[index]):
            return None
    return math.fsum([model.objective.constant, *(c * best[i] for i, c in model.objective.linear.items())])


def farthest(variable: Variable, up: bool) -> float:
    limit = variable.ub if up else variable.lb
    if not variable.is_integer or math.isinf(limit):
        return limit
    return math.floor(limit) if up else math.ceil(limit)
