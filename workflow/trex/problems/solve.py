"""Solving a model by one of three solvers, each on one thread, with a fixed seed and a zero relative gap (1e-7 in
SCIP where the objective is quadratic).

- `gscip`: SCIP through OR-Tools MathOpt. Linear and quadratic objectives, global also when they are not convex
  (slow where variables are unbounded). A quadratic optimum is accurate to about 1e-8 of the largest curvature, so
  prefer `highs` where it is convex and no variable is integer.
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
ROUNDING = 1e-12  # of the largest eigenvalue of a Hessian
QUADRATIC_FEASIBILITY, QUADRATIC_GAP = 1e-8, 1e-7
OPTIMAL, INFEASIBLE, UNBOUNDED, LIMIT, ERROR = "optimal", "infeasible", "unbounded", "limit", "error"
EITHER = "infeasible_or_unbounded"  # never leaves this module

RAY_MESSAGE = "inf; invalid PrimalSolutionProto"  # how an unbounded integer model comes out of GSCIP
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
        # SCIP bounds the quadratic objective by a constraint, so its feasibility tolerance is the objective's error,
        # and it nears the optimum by cuts, for which a gap of exactly zero can take for ever.
        parameters.gscip.real_params["numerics/feastol"] = QUADRATIC_FEASIBILITY
        parameters.relative_gap_tolerance = QUADRATIC_GAP
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
    values = [found[variable] for variable in variables]
    objective = model.objective.at(values) if model.objective.quadratic else result.objective_value()
    return Solution(OPTIMAL, objective, values)


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
    if model.objective.quadratic:
        add_quadratic_objective(target, variables, model)
    else:
        objective.offset = model.objective.constant
        for index, coefficient in model.objective.linear.items():
            objective.set_linear_coefficient(variables[index], coefficient)
    return target, variables


def add_quadratic_objective(target: mathopt.Model, variables: list[mathopt.Variable], model: Model) -> None:
    """The objective without its constant and divided by its largest curvature, as SCIP's tolerances are absolute.

    A convex one is written as a sum of squares of new variables, one for each axis of the curvature: OR-Tools' SCIP
    has no eigenvalue routine, takes a product of two variables for not convex and branches on it.
    """
    objective = target.objective
    used, curvature, axes = principal_axes(model)
    scale = abs(curvature).max()
    for index, coefficient in model.objective.linear.items():
        objective.set_linear_coefficient(variables[index], coefficient / scale)
    if not is_convex(model):
        for (i, j), coefficient in model.objective.quadratic.items():
            objective.set_quadratic_coefficient(variables[i], variables[j], coefficient / scale)
        return
    for value, axis in zip(curvature / scale, axes.T, strict=True):
        if abs(value) > ROUNDING:
            projection = target.add_variable()
            total = sum(weight * variables[i] for i, weight in zip(used, axis, strict=True) if weight)
            target.add_linear_constraint(total == projection)
            objective.set_quadratic_coefficient(projection, projection, value / 2)


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
    _, curvature, _ = principal_axes(model)
    towards = curvature if model.objective.sense == "min" else -curvature
    return bool(np.all(towards >= -ROUNDING * abs(curvature).max(initial=0.0)))


def principal_axes(model: Model) -> tuple[list[int], np.ndarray, np.ndarray]:
    """The n variables in products, the n eigenvalues of the objective's Hessian, its unit eigenvectors [n, n]."""
    products = model.objective.quadratic
    used = sorted({i for key in products for i in key})
    position = {i: k for k, i in enumerate(used)}
    largest = max(map(abs, products.values()), default=1.0)
    hessian = np.zeros((len(used), len(used)))
    for (i, j), coefficient in products.items():
        hessian[position[i], position[j]] += coefficient / largest
        hessian[position[j], position[i]] += coefficient / largest
    curvature, axes = np.linalg.eigh(hessian)
    return used, curvature * largest, axes


def read_into(highs: highspy.Highs, text: str) -> highspy.HighsStatus:
    """HiGHS reads from a file only."""
    handle, path = tempfile.mkstemp(suffix=".lp")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(text)
        return highs.readModel(path)
    finally:
        os.unlink(path)
