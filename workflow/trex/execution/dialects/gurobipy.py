"""gurobipy, by our own stand-in: no Gurobi is needed, and none is used where it is installed."""

import sys

from trex.execution.dialects.hooks import record_each
from trex.execution.standins.gurobi import functions, library
from trex.problems.ir import Model

NAME = "gurobipy"
MODEL_TYPE = library.Model


def start_recording() -> None:
    record_each(MODEL_TYPE, sys.modules[__name__])
    sys.modules["gurobipy"] = library
    sys.modules["gurobipy.nlfunc"] = functions


def says_something(model: MODEL_TYPE) -> bool:
    return model._recording.says_something()


def to_ir(model: MODEL_TYPE) -> Model:
    return model._recording.to_ir()
