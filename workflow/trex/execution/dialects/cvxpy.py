"""CVXPY: `import cvxpy`.

A problem is brought to the form min x'Px/2 + q'x + d, Ax + b = 0 or >= 0 by CVXPY's own reductions, parameters at
their values. That is the problem as it stands where everything is affine, or quadratic in variables. Atoms that are
not (abs, max, norm1, square of a sum, ...) bring new variables and rows: the optimum is the same, the model is not
isomorphic to one that is written otherwise. Second-order, exponential, semidefinite and power cones, and what is not a
disciplined convex program, are Unsupported.

A solver that CVXPY cannot run here is replaced by the one that it would choose itself.
"""

import functools
import math
import sys

import cvxpy
import highspy
import numpy as np
from cvxpy.constraints import FiniteSet
from cvxpy.reductions import Chain, CvxAttr2Constr, Dcp2Cone, EvalParams, FlipObjective
from cvxpy.reductions.dcp2cone.cone_matrix_stuffing import ConeMatrixStuffing, ParamConeProg
from cvxpy.reductions.eliminate_zero_sized import EliminateZeroSized

from trex.execution.dialects import Unsupported, hooks
from trex.execution.dialects.draft import Draft
from trex.problems.ir import Model

NAME = "cvxpy"
MODEL_TYPE = cvxpy.Problem
SOLVERS = ("CLARABEL", "HIGHS", "OSQP", "SCIP", "SCIPY", "SCS")
OPTIONS = ("warm_start", "verbose", "gp", "qcp", "enforce_dpp", "ignore_dpp")  # of every solver
CONES = {
    "soc": "a second-order cone (norm2, quad_over_lin, a quadratic constraint, ...)",
    "exp": "an exponential cone (exp, log, entropy, ...)",
    "psd": "a semidefinite cone",
    "p3d": "a power cone (power, geo_mean, ...)",
    "pnd": "a power cone (power, geo_mean, ...)",
}


def start_recording() -> None:
    hooks.record_each(MODEL_TYPE, sys.modules[__name__])
    solve, compile_data, make_highs = MODEL_TYPE.solve, MODEL_TYPE.get_problem_data, highspy.Highs.__init__

    @functools.wraps(solve)
    def solving(self, solver=None, *arguments, **named):
        if isinstance(solver, str) and solver.upper() not in SOLVERS:
            solver, named = None, {name: value for name, value in named.items() if name in OPTIONS}
        with hooks.library_at_work():
            return solve(self, solver, *arguments, **named)

    @functools.wraps(compile_data)
    def compiling(self, *arguments, **named):
        with hooks.library_at_work():
            return compile_data(self, *arguments, **named)

    @functools.wraps(make_highs)
    def making_highs(self, *arguments, **named):
        make_highs(self, *arguments, **named)
        self.setOptionValue("threads", 1)
        self.setOptionValue("time_limit", hooks.solving_seconds())

    MODEL_TYPE.solve, MODEL_TYPE.get_problem_data, highspy.Highs.__init__ = solving, compiling, making_highs
    cvxpy.settings.DEFAULT_TO_COMMERCIAL_SOLVERS = False


def says_something(model: MODEL_TYPE) -> bool:
    return bool(model.constraints or model.objective.variables() or model.objective.parameters())


def to_ir(model: MODEL_TYPE) -> Model:
    """One variable an entry, columns first; equations come before inequalities, and none of them has a name."""
    with hooks.library_at_work():
        program = reduced(model)
    for cone, meaning in CONES.items():
        if getattr(program.cone_dims, cone):
            raise Unsupported(meaning)
    curvature, costs, constant, matrix, offsets = program.apply_parameters(quad_obj=True)
    draft = Draft()
    add_variables(draft, program)
    add_rows(draft, matrix.tocsr(), offsets, program.cone_dims.zero)
    sense, sign = ("max", -1.0) if isinstance(model.objective, cvxpy.Maximize) else ("min", 1.0)
    entries = curvature.tocoo()
    products: dict[tuple[int, int], float] = {}
    for i, j, value in zip(*entries.coords, entries.data, strict=True):
        products[i, j] = products.get((i, j), 0.0) + sign * value / 2
    linear = {index: sign * cost for index, cost in enumerate(costs)}
    draft.model.set_objective(sense, linear, sign * float(constant), products)
    return draft.model


def reduced(model: MODEL_TYPE) -> ParamConeProg:
    if not model.variables():
        raise Unsupported("a problem without variables")
    if any(variable.is_complex() for variable in model.variables()):
        raise Unsupported("complex variables")
    if any(isinstance(constraint, FiniteSet) for constraint in model.constraints):
        raise Unsupported("a finite set of values")
    if not model.is_dcp():
        raise Unsupported("a problem that is not a disciplined convex program")
    reductions = [Dcp2Cone(quad_obj=True), CvxAttr2Constr(), EliminateZeroSized(), ConeMatrixStuffing(quad_obj=True)]
    if isinstance(model.objective, cvxpy.Maximize):
        reductions.insert(0, FlipObjective())
    try:
        return Chain(reductions=[EvalParams(), *reductions]).apply(model)[0]
    except (cvxpy.error.ParameterError, cvxpy.error.DCPError) as error:
        raise Unsupported(str(error)) from error


def add_variables(draft: Draft, program: ParamConeProg) -> None:
    """Those of the reduced program, its bounds are None where no variable has any."""
    count = program.x.size
    lower = np.full(count, -math.inf) if program.lower_bounds is None else program.lower_bounds
    upper = np.full(count, math.inf) if program.upper_bounds is None else program.upper_bounds
    binary = {int(place[0]) for place in program.x.boolean_idx}
    integer = {int(place[0]) for place in program.x.integer_idx} | binary
    for index, name in enumerate(name for variable in program.variables for name in names_of(variable)):
        lb, ub = (max(lower[index], 0.0), min(upper[index], 1.0)) if index in binary else (lower[index], upper[index])
        draft.variable(name, lb, ub, index in integer)


def names_of(variable: cvxpy.Variable) -> list[str]:
    """Of its entries: x, or x[0], x[1], ..., or x[0,0], x[1,0], ..."""
    if not variable.shape:
        return [variable.name()]
    places = (np.unravel_index(place, variable.shape, order="F") for place in range(variable.size))
    return [f"{variable.name()}[{','.join(map(str, place))}]" for place in places]


def add_rows(draft: Draft, matrix, offsets: np.ndarray, equations: int) -> None:
    """The first rows of matrix x + offsets are 0, the others at least 0."""
    matrix.sum_duplicates()
    for row, offset in enumerate(offsets):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        terms = dict(zip(matrix.indices[entries], matrix.data[entries], strict=True))
        draft.row("", terms, -offset, -offset if row < equations else math.inf)
