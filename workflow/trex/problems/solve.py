"""Solving a model by one of three solvers, each on one thread, with a fixed seed and a zero relative gap.

- `gscip`: SCIP through OR-Tools MathOpt. Linear and quadratic objectives, global also when they are not convex.
- `cp_sat`: CP-SAT through OR-Tools MathOpt, for models whose variables are all integer and bounded (it would round
  the domain of a continuous one), with a linear objective.
- `highs`: highspy, fed with the model's LP text, so that agreement with the other two also checks the LP writer.
  Quadratic objectives where HiGHS has them (convex, no integer variable).

What can be expected of a model (it is infeasible, unbounded, too hard, not for this solver) is a status, never an
exception. A solver that says "infeasible or unbounded" is asked again without the objective, which decides it.
"""

import math
import os
import tempfile
from dataclasses import dataclass
from datetime import timedelta

import highspy
import numpy as np
from ortools.math_opt.python import mathopt

from trex.problems import lp
from trex.problems.ir import Model

SOLVERS = ("gscip", "cp_sat", "highs")
SEED = 1
QUADRATIC_TOLERANCE = 1e-9
OPTIMAL, INFEASIBLE, UNBOUNDED, LIMIT, ERROR = "optimal", "infeasible", "unbounded", "limit", "error"
EITHER = "infeasible_or_unbounded"  # never leaves this module

RAY_MESSAGE = "found value: inf; invalid PrimalSolutionProto"  # how an unbounded integer model comes out of GSCIP
MATHOPT_STATUS = {
    mathopt.TerminationReason.OPTIMAL: OPTIMAL,
    mathopt.TerminationReason.INFEASIBLE: INFEASIBLE,
    mathopt.TerminationReason.UNBOUNDED: UNBOUNDED,
    mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED: EITHER,
    mathopt.TerminationReason.FEASIBLE: LIMIT,
    mathopt.TerminationReason.NO_SOLUTION_FOUND: LIMIT,
}
HIGHS_STATUS = {
    highspy.HighsModelStatus.kOptimal: OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: EITHER,
    highspy.HighsModelStatus.kTimeLimit: LIMIT,
    highspy.HighsModelStatus.kIterationLimit: LIMIT,
    highspy.HighsModelStatus.kSolutionLimit: LIMIT,
    highspy.HighsModelStatus.kMemoryLimit: LIMIT,
}


@dataclass(frozen=True, slots=True)
class Solution:
    """`objective` (constant included) and `values` (one a variable) are there when the status is optimal.

    `detail` says why the status is "error".
    """

    status: str
    objective: float | None = None
    values: list[float] | None = None
    detail: str = ""


class QuietHighs(highspy.Highs):
    """HiGHS whose making prints nothing: the callbacks, which we do not use, announce themselves on stdout."""

    def enableCallbacks(self) -> None:
        pass


def solve(model: Model, solver: str = "gscip", time_limit: float = 10.0) -> Solution:
    """Solve `model` within `time_limit` seconds. Raises ValueError for the name of no solver."""
    if solver not in SOLVERS:
        raise ValueError(f"solver {solver!r} is none of {', '.join(SOLVERS)}")
    if not model.variables:
        return solve_empty(model)
    run = solve_by_highs if solver == "highs" else solve_by_mathopt
    solution = run(model, solver, time_limit)
    if solution.status == EITHER:
        feasible = run(without_objective(model), solver, time_limit)
        return {OPTIMAL: Solution(UNBOUNDED), EITHER: Solution(INFEASIBLE)}.get(feasible.status, feasible)
    return solution


def solve_empty(model: Model) -> Solution:
    """A model without variables, which some solvers do not take."""
    if all(row.lb <= 0.0 <= row.ub for row in model.rows):
        return Solution(OPTIMAL, model.objective.constant, [])
    return Solution(INFEASIBLE)


def without_objective(model: Model) -> Model:
    copy = Model.from_json(model.to_json())
    copy.set_objective("min", {})
    return copy


def solve_by_mathopt(model: Model, solver: str, time_limit: float) -> Solution:
    if solver == "cp_sat" and (reason := why_not_cp_sat(model)):
        return Solution(ERROR, detail=reason)
    parameters = mathopt.SolveParameters(
        threads=1, random_seed=SEED, relative_gap_tolerance=0.0, time_limit=timedelta(seconds=time_limit)
    )
    kind = mathopt.SolverType.CP_SAT if solver == "cp_sat" else mathopt.SolverType.GSCIP
    if model.objective.quadratic:
        # SCIP bounds the quadratic objective by a constraint, so its feasibility tolerance is the objective's error.
        parameters.gscip.real_params["numerics/feastol"] = QUADRATIC_TOLERANCE
    try:
        target, variables = to_mathopt(model)
        result = mathopt.solve(target, kind, params=parameters)
    except (ValueError, RuntimeError, AttributeError) as error:
        # An AttributeError comes from MathOpt's own translation of errors (ortools 9.15); its context is the error.
        message = str(error.__context__ or error)
        return Solution(EITHER if RAY_MESSAGE in message else ERROR, detail=f"{solver}: {message}")
    status = MATHOPT_STATUS.get(result.termination.reason, ERROR)
    if status != OPTIMAL:
        return Solution(status, detail=f"{solver}: {result.termination.detail}" if status == ERROR else "")
    found = result.variable_values()
    return Solution(OPTIMAL, result.objective_value(), [found[variable] for variable in variables])


def why_not_cp_sat(model: Model) -> str | None:
    if model.objective.quadratic:
        return "cp_sat: the objective is quadratic"
    for variable in model.variables:
        if not variable.is_integer or math.isinf(variable.lb) or math.isinf(variable.ub):
            return f"cp_sat: variable {variable.name!r} is not a bounded integer"
    return None


def to_mathopt(model: Model) -> tuple[mathopt.Model, list[mathopt.Variable]]:
    """The model in MathOpt, without names, and its variables in the model's order."""
    target = mathopt.Model()
    variables = [target.add_variable(lb=v.lb, ub=v.ub, is_integer=v.is_integer) for v in model.variables]
    for row in model.rows:
        constraint = target.add_linear_constraint(lb=row.lb, ub=row.ub)
        for index, coefficient in row.terms.items():
            constraint.set_coefficient(variables[index], coefficient)
    objective = target.objective
    objective.is_maximize = model.objective.sense == "max"
    objective.offset = model.objective.constant
    for index, coefficient in model.objective.linear.items():
        objective.set_linear_coefficient(variables[index], coefficient)
    for (i, j), coefficient in model.objective.quadratic.items():
        objective.set_quadratic_coefficient(variables[i], variables[j], coefficient)
    return target, variables


def solve_by_highs(model: Model, solver: str, time_limit: float) -> Solution:
    if not is_convex(model):
        return Solution(ERROR, detail=f"{solver}: the objective is not convex")  # it would stop at a local optimum
    highs = QuietHighs()
    options = {"output_flag": False, "threads": 1, "random_seed": SEED, "time_limit": float(time_limit)}
    options |= {"mip_rel_gap": 0.0, "mip_abs_gap": 1e-9}
    for name, value in options.items():
        highs.setOptionValue(name, value)
    if read_into(highs, lp.write(model, portable=True)) == highspy.HighsStatus.kError:
        return Solution(ERROR, detail=f"{solver}: its reader refuses the LP text")
    if highs.run() == highspy.HighsStatus.kError:
        return Solution(ERROR, detail=f"{solver}: it refuses the model")
    status = HIGHS_STATUS.get(highs.getModelStatus(), ERROR)
    if status != OPTIMAL:
        detail = f"{solver}: {highs.modelStatusToString(highs.getModelStatus())}" if status == ERROR else ""
        return Solution(status, detail=detail)
    return Solution(OPTIMAL, highs.getInfo().objective_function_value, list(highs.getSolution().col_value))


def is_convex(model: Model) -> bool:
    """Whether the quadratic part curves the way that the sense asks for, within rounding errors."""
    products = model.objective.quadratic
    used = {index: position for position, index in enumerate(sorted({i for key in products for i in key}))}
    if not used:
        return True
    hessian = np.zeros((len(used), len(used)))
    for (i, j), coefficient in products.items():
        hessian[used[i], used[j]] += coefficient
        hessian[used[j], used[i]] += coefficient
    curvature = np.linalg.eigvalsh(hessian if model.objective.sense == "min" else -hessian)
    return bool(curvature[0] >= -1e-9 * abs(curvature).max())


def read_into(highs: highspy.Highs, text: str) -> highspy.HighsStatus:
    """HiGHS reads from a file only."""
    handle, path = tempfile.mkstemp(suffix=".lp")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(text)
        return highs.readModel(path)
    finally:
        os.unlink(path)
