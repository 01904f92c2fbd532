"""OR-Tools' newer linear solver interface: `from ortools.linear_solver.python import model_builder`.

Solvers that need a licence are replaced by SCIP.
"""

import functools
import sys

from ortools.linear_solver.python import model_builder

from trex.execution.dialects import hooks, pywraplp
from trex.problems.ir import Model

NAME = "model_builder"
MODEL_TYPE = model_builder.Model
SOLVER_TYPE = model_builder.Solver


def start_recording() -> None:
    hooks.record_each(MODEL_TYPE, sys.modules[__name__])
    create, solve = SOLVER_TYPE.__init__, SOLVER_TYPE.solve

    @functools.wraps(create)
    def creating(self, solver_name):
        create(self, "scip" if solver_name.upper().startswith(pywraplp.NOT_HERE) else solver_name)

    @functools.wraps(solve)
    def solving(self, model):
        self.set_time_limit_in_seconds(hooks.solving_seconds())
        return solve(self, model)

    SOLVER_TYPE.__init__, SOLVER_TYPE.solve = creating, solving


def says_something(model: MODEL_TYPE) -> bool:
    return pywraplp.proto_says_something(model.export_to_proto())


def to_ir(model: MODEL_TYPE) -> Model:
    return pywraplp.from_proto(model.export_to_proto())
