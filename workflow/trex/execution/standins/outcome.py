"""The outcome of solving a program's model, for the program's own later steps: iteration, cuts, lexicographic stages.

It is solved when a program first asks, not when it says `optimize`: most programs end there, and the harness solves the
model itself. The time is what the program allows and `hooks.solving_seconds` leaves: a hard model then ends as "no
solution within the limit", and not the process.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import highspy
import numpy as np

from trex.execution.dialects import Unsupported
from trex.execution.dialects.hooks import library_at_work, solving_seconds
from trex.problems.ir import Model
from trex.problems.solve import QuietHighs, Solution, solve


class Outcome:
    """`variables` and `rows` are the handles of the model's variables and of its first rows, in its order."""

    def __init__(self, model: Model, variables: Sequence, rows: Sequence, time_limit: float):
        self.model, self.variables, self.rows = model, variables, rows
        self.time_limit = time_limit

    @cached_property
    def solution(self) -> Solution:
        with library_at_work():
            return solve(self.model, time_limit=min(self.time_limit, solving_seconds()))

    @property
    def status(self) -> str:
        """One of `problems.solve`'s: optimal, infeasible, unbounded, limit, error."""
        return self.solution.status

    @cached_property
    def values(self) -> Mapping[object, float] | None:
        """The value of each variable, None without a solution."""
        if self.solution.values is None:
            return None
        return dict(zip(self.variables, self.solution.values, strict=True))

    @cached_property
    def duals(self) -> Mapping[object, float] | None:
        """The dual value of each row and the reduced cost of each variable; None where integers leave none.

        The sign is that of the objective's change with the right side, whatever the sense, as in Gurobi and COPT.
        Raises Unsupported for what is not linear.
        """
        if self.solution.values is None or any(variable.is_integer for variable in self.model.variables):
            return None
        if self.model.degree != "linear":
            raise Unsupported("dual values of a model that is not linear")
        highs = solved_by_highs(self.model)
        if highs is None:
            return None
        found = highs.getSolution()
        rows = zip(self.rows, found.row_dual, strict=False)
        return dict(rows) | dict(zip(self.variables, found.col_dual, strict=True))


def solved_by_highs(model: Model) -> highspy.Highs | None:
    """HiGHS with the optimal basis of a linear program; None where it finds none."""
    highs = QuietHighs()
    highs.setOptionValue("time_limit", solving_seconds())
    highs.passModel(as_highs(model))
    highs.run()
    return highs if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal else None


def as_highs(model: Model) -> highspy.HighsLp:
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.variables), len(model.rows)
    objective = model.objective
    lp.sense_ = highspy.ObjSense.kMaximize if objective.sense == "max" else highspy.ObjSense.kMinimize
    lp.col_cost_ = np.array([objective.linear.get(i, 0.0) for i in range(len(model.variables))])
    lp.col_lower_ = np.array([variable.lb for variable in model.variables])
    lp.col_upper_ = np.array([variable.ub for variable in model.variables])
    lp.row_lower_ = np.array([row.lb for row in model.rows])
    lp.row_upper_ = np.array([row.ub for row in model.rows])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *(len(row.terms) for row in model.rows)])
    lp.a_matrix_.index_ = np.array([index for row in model.rows for index in row.terms], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([value for row in model.rows for value in row.terms.values()])
    return lp
