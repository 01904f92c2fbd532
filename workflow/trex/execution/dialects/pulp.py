"""PuLP: `import pulp`.

Every solver is replaced by PuLP's own in-process HiGHS. An elastic subproblem is no model of its own; what
`prob.extend(subproblem)` puts into a problem is a part of that. Special ordered sets are Unsupported.
"""

import ctypes
import functools
import importlib
import math
import sys
from collections.abc import Iterator
from types import ModuleType

from trex.execution import dialects
from trex.execution.dialects import Unsupported
from trex.execution.dialects.draft import Draft
from trex.execution.dialects.hooks import solving_seconds
from trex.problems.ir import Model


def library() -> ModuleType:
    """PuLP, kept from showing highspy's symbols to all that is loaded later: OSQP crashes on them."""
    visible = ctypes.RTLD_GLOBAL
    ctypes.RTLD_GLOBAL = ctypes.RTLD_LOCAL
    try:
        return importlib.import_module("pulp")
    finally:
        ctypes.RTLD_GLOBAL = visible


NAME = "pulp"
pulp = library()
MODEL_TYPE = pulp.LpProblem


def start_recording() -> None:
    this, create, solve = sys.modules[__name__], MODEL_TYPE.__init__, pulp.HiGHS.actualSolve

    @functools.wraps(create)
    def creating(self, *arguments, **named):
        create(self, *arguments, **named)
        if not isinstance(self, pulp.FixedElasticSubProblem):
            dialects.record(this, self)

    def solve_in_process(self, lp, **_):
        return solve(pulp.HiGHS(mip=self.mip, msg=False, threads=1, timeLimit=solving_seconds()), lp)

    MODEL_TYPE.__init__ = creating
    for solver in derived_from(pulp.LpSolver):
        solver.actualSolve = solve_in_process
    pulp.pulp.LpSolverDefault = pulp.HiGHS(msg=False)


def derived_from(kind: type) -> Iterator[type]:
    for derived in kind.__subclasses__():
        yield derived
        yield from derived_from(derived)


def says_something(model: MODEL_TYPE) -> bool:
    return bool(len(model.constraints) or model.objective)


def to_ir(model: MODEL_TYPE) -> Model:
    """Variables in the order of their names, as PuLP has them: those that the rows and the objective mention."""
    if model.sos1 or model.sos2:
        raise Unsupported("special ordered sets")
    draft = Draft()
    index: dict[int, int] = {}
    for variable in model.variables():
        if variable is not model.dummyVar:  # which solving leaves behind
            lb = -math.inf if variable.lowBound is None else variable.lowBound
            ub = math.inf if variable.upBound is None else variable.upBound
            index[id(variable)] = draft.variable(variable.name, lb, ub, variable.cat == pulp.LpInteger)
    for name, constraint in model.constraints.items():
        lb, ub = constraint.getLb(), constraint.getUb()
        terms = terms_of(constraint, index)
        draft.row(name, terms, -math.inf if lb is None else lb, math.inf if ub is None else ub)
    objective = pulp.LpAffineExpression(model.objective)
    sense = "max" if model.sense == pulp.LpMaximize else "min"
    draft.model.set_objective(sense, terms_of(objective, index), objective.constant)
    return draft.model


def terms_of(expression, index: dict[int, int]) -> dict[int, float]:
    """Without those of the dummy variable."""
    return {index[id(variable)]: value for variable, value in expression.items() if id(variable) in index}
