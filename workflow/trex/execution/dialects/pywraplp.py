"""OR-Tools' linear solver wrapper: `from ortools.linear_solver import pywraplp`.

Kinds are those that the program declared, also where the chosen solver (GLOP) would relax integers. A lazy constraint
is a constraint. Solvers that need a licence are replaced by SCIP.
"""

import functools
import sys

from ortools.linear_solver import linear_solver_pb2, pywraplp

from trex.execution import dialects
from trex.execution.dialects.draft import Draft
from trex.execution.dialects.hooks import solving_seconds
from trex.problems.ir import Model

NAME = "pywraplp"
MODEL_TYPE = pywraplp.Solver
NOT_HERE = ("GUROBI", "CPLEX", "XPRESS", "GLPK")


def start_recording() -> None:
    this = sys.modules[__name__]
    create, create_named, solve = MODEL_TYPE.__init__, MODEL_TYPE.CreateSolver, MODEL_TYPE.Solve

    @functools.wraps(create)
    def creating(self, name, problem_type):
        # The library would end the process.
        supported = MODEL_TYPE.SupportsProblemType(problem_type)
        create(self, name, problem_type if supported else MODEL_TYPE.SCIP_MIXED_INTEGER_PROGRAMMING)
        dialects.record(this, self)

    @functools.wraps(create_named)
    def creating_named(solver_id):
        solver = create_named("SCIP" if solver_id.upper().startswith(NOT_HERE) else solver_id)
        if solver is not None:
            dialects.record(this, solver)
        return solver

    @functools.wraps(solve)
    def solving(self, *parameters):
        self.SetNumThreads(1)
        self.SetTimeLimit(round(1000 * solving_seconds()))
        return solve(self, *parameters)

    MODEL_TYPE.__init__, MODEL_TYPE.Solve = creating, solving
    MODEL_TYPE.CreateSolver = staticmethod(creating_named)


def exported(model: MODEL_TYPE) -> linear_solver_pb2.MPModelProto:
    proto = linear_solver_pb2.MPModelProto()
    model.ExportModelToProto(proto)
    return proto


def says_something(model: MODEL_TYPE) -> bool:
    return proto_says_something(exported(model))


def to_ir(model: MODEL_TYPE) -> Model:
    return from_proto(exported(model))


def proto_says_something(proto: linear_solver_pb2.MPModelProto) -> bool:
    rows = proto.constraint or proto.general_constraint
    return bool(rows or proto.objective_offset or any(v.objective_coefficient for v in proto.variable))


def from_proto(proto: linear_solver_pb2.MPModelProto) -> Model:
    """Variables and rows in their order, indicators after the other rows."""
    draft = Draft()
    for variable in proto.variable:
        draft.variable(variable.name, variable.lower_bound, variable.upper_bound, variable.is_integer)
    for row in proto.constraint:
        draft.row(row.name, terms_of(row), row.lower_bound, row.upper_bound)
    for general in proto.general_constraint:
        indicator = general.indicator_constraint
        row = indicator.constraint
        active = bool(indicator.var_value)
        draft.indicator(general.name, indicator.var_index, active, terms_of(row), row.lower_bound, row.upper_bound)
    costs = {index: variable.objective_coefficient for index, variable in enumerate(proto.variable)}
    draft.model.set_objective("max" if proto.maximize else "min", costs, proto.objective_offset)
    return draft.model


def terms_of(row: linear_solver_pb2.MPConstraintProto) -> dict[int, float]:
    return dict(zip(row.var_index, row.coefficient, strict=True))
