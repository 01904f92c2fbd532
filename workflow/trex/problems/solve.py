"""Solving a model by one of four solvers, each on one thread, with a fixed seed and a zero relative gap (`scip`: 1e-7).

- `gscip`: SCIP through OR-Tools MathOpt, for linear models.
- `scip`: SCIP through pyscipopt (`trex.problems.scip`), for all that the IR holds; global also when not convex, slow
  where the variables of products and functions are unbounded.
- `cp_sat`: CP-SAT through OR-Tools MathOpt, for linear models whose variables are all integer and bounded (it would
  round the domain of a continuous one).
- `highs`: highspy, fed with the model's LP text, so that agreement with the others also checks the LP writer.
  Quadratic objectives where HiGHS has them (convex, no integer variable); no quadratic rows, nothing nonlinear. Its
  feasibility jump, which looks for a first solution, takes 2.4 ms whatever the size, and is left out.

What can be expected of a model (it is infeasible, unbounded, too hard, not for this solver) is a status, never an
exception. A solver that says "infeasible or unbounded" is asked again without the objective, which decides it; so is
SCIP when it calls a model with a nonlinear objective infeasible, as it mistakes some that have no optimum for that.
"""

import math
import os
import tempfile
import time
from datetime import timedelta

import highspy
import numpy as np
from ortools.math_opt.python import mathopt

from trex.problems.formats import lp
from trex.problems.ir import Model, Row, unused_name
from trex.problems.scip import SEED, solve_by_scip
from trex.problems.solution import (
    EITHER,
    ERROR,
    INFEASIBLE,
    LIMIT,
    NODE_LIMIT,
    OPTIMAL,
    UNBOUNDED,
    Solution,
    residuals,
)

SOLVERS = ("gscip", "scip", "cp_sat", "highs")
ROUNDING = 1e-12  # of the largest eigenvalue of a Hessian

RAY_MESSAGE = "inf; invalid PrimalSolutionProto"  # how an unbounded integer model comes out of GSCIP
INVALID_MESSAGE = "MODEL_INVALID"  # what CP-SAT says of rows like 2 x + 2 y = 3 (ortools 9.15)
MATHOPT_STATUS = {
    mathopt.TerminationReason.OPTIMAL: OPTIMAL,
    mathopt.TerminationReason.INFEASIBLE: INFEASIBLE,
    mathopt.TerminationReason.UNBOUNDED: UNBOUNDED,
    mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED: EITHER,
    mathopt.TerminationReason.FEASIBLE: LIMIT,
    mathopt.TerminationReason.NO_SOLUTION_FOUND: LIMIT,
}
HIGHS_OPTIONS = {"mip_rel_gap": 0.0, "mip_abs_gap": 1e-9, "mip_heuristic_run_feasibility_jump": False}
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


class QuietHighs(highspy.Highs):
    """HiGHS as it is used throughout: seeded, on one thread (a process keeps the number of its first run), silent.

    Its making prints nothing either: the callbacks, which we do not use, announce themselves on stdout.
    """

    def __init__(self):
        super().__init__()
        for name, value in {"output_flag": False, "threads": 1, "random_seed": SEED}.items():
            self.setOptionValue(name, value)

    def enableCallbacks(self) -> None:
        pass


def solve(model: Model, solver: str | None = None, time_limit: float = 10.0, node_limit: int | None = None) -> Solution:
    """Solve `model`, by `default_solver` when no solver is named.

    time_limit: seconds of processor time (of wall time for `highs` and `cp_sat`). node_limit: nodes of the search tree,
    the same on every machine; `cp_sat` has none. Raises ValueError for the name of no solver.
    """
    solver = solver or default_solver(model)
    if solver not in SOLVERS:
        raise ValueError(f"solver {solver!r} is none of {', '.join(SOLVERS)}")
    if not model.variables:
        return solve_empty(model)
    run = {"scip": solve_by_scip, "highs": solve_by_highs}.get(solver, solve_by_mathopt)
    deadline = time.thread_time() + time_limit
    claim = run(model, solver, time_limit, node_limit)
    if claim.status == EITHER or (claim.status == INFEASIBLE and model.objective.nonlinear is not None):
        left = max(0.0, deadline - time.thread_time())
        return decided(claim, run(without_objective(model), solver, left, node_limit))
    return claim


def default_solver(model: Model) -> str:
    return "gscip" if model.degree == "linear" else "scip"


def decided(claim: Solution, feasible: Solution) -> Solution:
    """The solution of a model that is unclear by `claim`; `feasible` is that of the model without its objective."""
    if feasible.status == EITHER:
        return Solution(INFEASIBLE)
    if feasible.status != OPTIMAL:
        return feasible
    if claim.status == EITHER:
        return Solution(UNBOUNDED)
    return Solution(
        ERROR, detail="scip: it calls the model infeasible, but finds a feasible point without the objective"
    )


def solve_empty(model: Model) -> Solution:
    """A model without variables, which some solvers do not take."""
    found = residuals(model, [])
    return Solution(OPTIMAL, found.objective, []) if found.are_small else Solution(INFEASIBLE)


def without_objective(model: Model) -> Model:
    """Any feasible point is an optimum of it; where the objective is undefined is not feasible, as before."""
    copy = Model.from_json(model.to_json())
    if model.objective.nonlinear is not None:
        value = copy.add_variable(unused_name("objective", {v.name for v in model.variables}), lb=-math.inf)
        copy.add_row({value: -1.0}, 0.0, 0.0, nonlinear=model.objective.nonlinear)
    copy.set_objective("min", {})
    return copy


def solve_by_mathopt(model: Model, solver: str, time_limit: float, node_limit: int | None) -> Solution:
    reason = why_not_cp_sat(model, node_limit) if solver == "cp_sat" else why_not_linear(model)
    if reason:
        return Solution(ERROR, detail=f"{solver}: {reason}")
    parameters = mathopt.SolveParameters(
        threads=1,
        random_seed=SEED,
        relative_gap_tolerance=0.0,
        time_limit=timedelta(seconds=time_limit),
        node_limit=node_limit,
    )
    parameters.gscip.int_params["timing/clocktype"] = 1  # processor time, so that what else runs does not decide
    parameters.gscip.bool_params["timing/statistictiming"] = False  # this clock is slow, a quarter of a small solve
    kind = mathopt.SolverType.CP_SAT if solver == "cp_sat" else mathopt.SolverType.GSCIP
    try:
        target, variables = to_mathopt(model)
        result = mathopt.solve(target, kind, params=parameters)
    except (ValueError, RuntimeError, AttributeError) as error:
        # An AttributeError comes from MathOpt's own translation of errors (ortools 9.15); its context is the error.
        message = str(error.__context__ or error)
        if RAY_MESSAGE in message:
            return Solution(EITHER)
        if INVALID_MESSAGE in message and any(map(lacks_a_multiple, model.rows)):
            return Solution(INFEASIBLE)
        return Solution(ERROR, detail=f"{solver}: {message}")
    status = MATHOPT_STATUS.get(result.termination.reason, ERROR)
    if status == LIMIT:
        return Solution(LIMIT, detail=NODE_LIMIT if result.termination.limit == mathopt.Limit.NODE else "")
    if status != OPTIMAL:
        return Solution(status, detail=f"{solver}: {result.termination.detail}" if status == ERROR else "")
    found = result.variable_values()
    return Solution(OPTIMAL, result.objective_value(), [found[variable] for variable in variables])


def why_not_linear(model: Model) -> str | None:
    return None if model.degree == "linear" else "the model is not linear"


def why_not_cp_sat(model: Model, node_limit: int | None) -> str | None:
    if node_limit is not None:
        return "it counts no nodes"
    for variable in model.variables:
        if not variable.is_integer or math.isinf(variable.lb) or math.isinf(variable.ub):
            return f"variable {variable.name!r} is not a bounded integer"
    return why_not_linear(model)


def lacks_a_multiple(row: Row) -> bool:
    """Whether no multiple of what divides all its coefficients lies within its bounds."""
    coefficients = row.terms.values()
    if not coefficients or math.inf in (-row.lb, row.ub) or not all(c.is_integer() for c in coefficients):
        return False
    divisor = math.gcd(*map(int, coefficients))
    return math.ceil(row.lb / divisor) > math.floor(row.ub / divisor)


def to_mathopt(model: Model) -> tuple[mathopt.Model, list[mathopt.Variable]]:
    """A linear model in MathOpt, without names, and its variables in the model's order."""
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
    return target, variables


def solve_by_highs(model: Model, solver: str, time_limit: float, node_limit: int | None) -> Solution:
    if model.degree == "nonlinear":
        return Solution(ERROR, detail=f"{solver}: the model has quadratic rows or nonlinear parts")
    if model.objective.quadratic and not is_convex(model):
        return Solution(ERROR, detail=f"{solver}: the objective is not convex")  # it would stop at a local optimum
    highs = QuietHighs()
    options = HIGHS_OPTIONS | {"time_limit": float(time_limit)}
    if node_limit is not None:
        options["mip_max_nodes"] = node_limit
    for name, value in options.items():
        highs.setOptionValue(name, value)
    if read_into(highs, lp.write(model, portable=True)) == highspy.HighsStatus.kError:
        return Solution(ERROR, detail=f"{solver}: its reader refuses the LP text")
    if highs.run() == highspy.HighsStatus.kError:
        return Solution(ERROR, detail=f"{solver}: it refuses the model")
    status = HIGHS_STATUS.get(highs.getModelStatus(), ERROR)
    if status != OPTIMAL:
        if highs.getModelStatus() == highspy.HighsModelStatus.kSolutionLimit:  # of nodes, as there is no other
            return Solution(LIMIT, detail=NODE_LIMIT)
        detail = f"{solver}: {highs.modelStatusToString(highs.getModelStatus())}" if status == ERROR else ""
        return Solution(status, detail=detail)
    return Solution(OPTIMAL, highs.getInfo().objective_function_value, list(highs.getSolution().col_value))


def is_convex(model: Model) -> bool:
    """Whether the quadratic objective curves the way that the sense asks for, within rounding errors."""
    products = model.objective.quadratic
    position = {i: k for k, i in enumerate(sorted({i for key in products for i in key}))}
    largest = max(map(abs, products.values()), default=1.0)
    hessian = np.zeros((len(position), len(position)))
    for (i, j), coefficient in products.items():
        hessian[position[i], position[j]] += coefficient / largest
        hessian[position[j], position[i]] += coefficient / largest
    curvature = np.linalg.eigvalsh(hessian) if model.objective.sense == "min" else -np.linalg.eigvalsh(hessian)
    return bool(np.all(curvature >= -ROUNDING * abs(curvature).max(initial=0.0)))


def read_into(highs: highspy.Highs, text: str) -> highspy.HighsStatus:
    """HiGHS reads from a file only."""
    handle, path = tempfile.mkstemp(suffix=".lp")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(text)
        return highs.readModel(path)
    finally:
        os.unlink(path)
