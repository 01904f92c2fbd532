"""SciPy: `scipy.optimize.linprog` and `scipy.optimize.milp`. Each call is a model, without names.

What is recorded is what SciPy itself makes of the arguments, by functions of its own that it calls first. Both
minimize: a program that maximizes hands over negated costs, and its model is that minimization. Semi-continuous and
semi-integer variables are Unsupported.
"""

import functools
import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.optimize import _linprog, _linprog_highs, _milp
from scipy.sparse import csc_array, csr_array, vstack

from trex.execution import dialects
from trex.execution.dialects import Unsupported
from trex.execution.dialects.draft import Draft
from trex.execution.dialects.hooks import solving_seconds
from trex.problems.ir import Model

NAME = "scipy.optimize"
CONTINUOUS, INTEGER = 0, 1  # of the codes of `integrality`


@dataclass(frozen=True, eq=False)
class Call:
    """min costs x, row_lb <= matrix x <= row_ub, lb <= x <= ub."""

    costs: np.ndarray
    integrality: np.ndarray
    lb: np.ndarray
    ub: np.ndarray
    matrix: csr_array
    row_lb: np.ndarray
    row_ub: np.ndarray


def start_recording() -> None:
    parse, check, solve = _linprog._parse_linprog, _milp._milp_iv, _milp._highs_wrapper
    this = sys.modules[__name__]

    @functools.wraps(parse)
    def parsing(*arguments):
        problem, options = parse(*arguments)
        dialects.record(this, of_linprog(problem))
        return problem, options

    @functools.wraps(check)
    def checking(*arguments):
        checked = check(*arguments)
        dialects.record(this, of_milp(*checked[:-1]))
        return checked

    @functools.wraps(solve)
    def solving(*arguments):
        return solve(*arguments[:-1], arguments[-1] | {"threads": 1, "time_limit": solving_seconds()})

    _linprog._parse_linprog, _milp._milp_iv = parsing, checking
    _milp._highs_wrapper = _linprog_highs._highs_wrapper = solving


def of_linprog(problem) -> Call:
    """The rows of A_ub, then those of A_eq."""
    costs, _, b_ub, _, b_eq, bounds, _, integrality = problem
    matrix = summed(vstack([csr_array(problem.A_ub), csr_array(problem.A_eq)]))
    codes = np.zeros(len(costs)) if integrality is None else np.array(integrality)
    row_lb, row_ub = np.concatenate([np.full(len(b_ub), -math.inf), b_eq]), np.concatenate([b_ub, b_eq])
    return Call(costs.copy(), codes, bounds[:, 0].copy(), bounds[:, 1].copy(), matrix, row_lb, row_ub)


def of_milp(costs, integrality, lb, ub, indptr, indices, data, row_lb, row_ub) -> Call:
    shape = (len(row_lb), len(costs))
    matrix = summed(csc_array((data.copy(), indices.copy(), indptr.copy()), shape=shape))
    copies = (values.copy() for values in (costs, integrality, lb, ub))
    return Call(*copies, matrix, row_lb.copy(), row_ub.copy())


def summed(matrix) -> csr_array:
    """By rows, each entry once."""
    rows = csr_array(matrix)
    rows.sum_duplicates()
    return rows


def says_something(model: Call) -> bool:
    return True


def to_ir(model: Call) -> Model:
    if not np.isin(model.integrality, (CONTINUOUS, INTEGER)).all():
        raise Unsupported("semi-continuous or semi-integer variables")
    draft = Draft()
    for lb, ub, code in zip(model.lb, model.ub, model.integrality, strict=True):
        draft.variable("", lb, ub, bool(code == INTEGER))
    for position, (lb, ub) in enumerate(zip(model.row_lb, model.row_ub, strict=True)):
        entries = slice(*model.matrix.indptr[position : position + 2])
        terms = dict(zip(model.matrix.indices[entries], model.matrix.data[entries], strict=True))
        draft.row("", terms, lb, ub)
    draft.model.set_objective("min", dict(enumerate(model.costs)))
    return draft.model
