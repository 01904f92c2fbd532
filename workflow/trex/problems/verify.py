"""Whether a model is sound and worth asking: two independent solvers agree on it, our own arithmetic agrees with them,
and it passes the gates of `trex.problems.gates`.

Values are compared, never points: optima can be many. `trex.problems.solution` has the tolerances.

Limits. The node limit counts the nodes of each solver's search tree: a model meets it on every machine or on none. The
time limit is a safety net, far above what the node limit lets a solver take; a model that meets it may pass on a faster
machine. So they are two reasons.

What it does not show: that the model says what a problem's text says, or that its optimum is the only one. No second
solver of ours takes quadratic rows, nonlinear expressions or objectives that are not convex: such models are not
accepted (`solver_error`). A linear model without integers has no nodes, only the time limit.
"""

from dataclasses import dataclass, field

from trex.problems import gates
from trex.problems.ir import Model
from trex.problems.solution import (
    ERROR,
    FEASIBILITY_TOLERANCE,
    INFEASIBLE,
    INTEGRALITY_TOLERANCE,
    LIMIT,
    NODE_LIMIT,
    OPTIMAL,
    UNBOUNDED,
    Solution,
    agree,
    residuals,
)
from trex.problems.solve import default_solver, solve

ACCEPTED = "accepted"
SEARCH_TOO_LONG = "node_limit"
SOLVER_ERROR = "solver_error"
SOLVERS_DISAGREE = "solvers_disagree"
INFEASIBLE_BY_ARITHMETIC = "infeasible_by_arithmetic"
FRACTIONAL = "fractional"
OBJECTIVE_MISMATCH = "objective_mismatch"
# In the order of the checks: of the model alone, of what the solvers say, of their points, of the optimum.
REASONS = (
    ACCEPTED,
    gates.ILL_CONDITIONED,
    LIMIT, SEARCH_TOO_LONG, SOLVER_ERROR, SOLVERS_DISAGREE, INFEASIBLE, UNBOUNDED,
    INFEASIBLE_BY_ARITHMETIC, FRACTIONAL, OBJECTIVE_MISMATCH,
    gates.ZERO_OPTIMUM, gates.DO_NOTHING_OPTIMAL, gates.ROWS_DO_NOT_MATTER, gates.ALL_AT_BOUNDS, gates.INDISTINCT,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` is one of REASONS; objective and values are the first solver's, where both solvers found an optimum.

    statuses: what each solver that was asked ended with, by its name.
    """

    reason: str
    objective: float | None = None
    values: list[float] | None = field(default=None, repr=False)
    detail: str = ""
    statuses: dict[str, str] = field(default_factory=dict)


def verify(
    model: Model,
    time_limit: float = 10.0,
    solvers: tuple[str, str] | None = None,
    node_limit: int | None = None,
) -> Verdict:
    """Accept the model, or say by the first of REASONS that applies why not.

    The solvers are by default the best one for the model and HiGHS; the limits are those of each of them.
    """
    if gates.is_ill_conditioned(model):
        return Verdict(gates.ILL_CONDITIONED)
    found: dict[str, Solution] = {}
    for solver in solvers or (default_solver(model), "highs"):
        found[solver] = solve(model, solver, time_limit, node_limit)
        if found[solver].status in (LIMIT, ERROR):
            break
    statuses = {solver: solution.status for solver, solution in found.items()}
    reason, detail = difference(found)
    if reason is None:
        first, second = found.values()
        points = first.values, second.values
        reason = fault(model, first) or fault(model, second) or gates.rejection(model, first.objective, points)
        return Verdict(reason or ACCEPTED, first.objective, first.values, statuses=statuses)
    return Verdict(reason, detail=detail, statuses=statuses)


def difference(found: dict[str, Solution]) -> tuple[str | None, str]:
    """Why there is no optimum on which the solvers agree, and details; the reason is None where there is one."""
    for solver, solution in found.items():
        if solution.status == ERROR:
            return SOLVER_ERROR, solution.detail
        if solution.status == LIMIT:
            reason = SEARCH_TOO_LONG if solution.detail == NODE_LIMIT else LIMIT
            return reason, f"{solver}: {solution.detail or 'time limit'}"
    first, second = found.values()
    if first.status != second.status:
        return SOLVERS_DISAGREE, ", ".join(f"{solver}: {solution.status}" for solver, solution in found.items())
    if first.status != OPTIMAL:
        return first.status, ""
    if not agree(first.objective, second.objective):
        return SOLVERS_DISAGREE, f"objectives {first.objective!r} and {second.objective!r}"
    return None, ""


def fault(model: Model, solution: Solution) -> str | None:
    """What our own arithmetic finds wrong with a solver's solution."""
    checked = residuals(model, solution.values)
    if checked.violation > FEASIBILITY_TOLERANCE:
        return INFEASIBLE_BY_ARITHMETIC
    if checked.fractionality > INTEGRALITY_TOLERANCE:
        return FRACTIONAL
    return None if agree(checked.objective, solution.objective) else OBJECTIVE_MISMATCH
