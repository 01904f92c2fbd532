"""What a program gets for `import gurobipy`: the library's names (version 13), recording instead of solving.

What is real and not here raises `Unsupported`.
"""

from trex.execution.dialects import Unsupported
from trex.execution.standins.gurobi import functions as nlfunc
from trex.execution.standins.gurobi.arrays import (
    MConstr,
    MGenConstr,
    MLinExpr,
    MNLExpr,
    MQConstr,
    MQuadExpr,
    MVar,
    concatenate,
    hstack,
    vstack,
)
from trex.execution.standins.gurobi.attributes import Constr, GenConstr, QConstr, Var
from trex.execution.standins.gurobi.expressions import (
    GenExpr,
    GurobiError,
    LinExpr,
    NLExpr,
    QuadExpr,
    TempConstr,
    abs_,
    all_,
    and_,
    any_,
    max_,
    min_,
    multidict,
    norm,
    or_,
    quicksum,
    tupledict,
    tuplelist,
)
from trex.execution.standins.gurobi.model import Column, Model
from trex.execution.standins.gurobi.names import GRB
from trex.execution.standins.gurobi.parameters import DEFAULT, Env

__version__ = "13.0.3"
UNSUPPORTED = ("Batch", "SOS", "getParamInfo", "loadModel", "paramHelp", "read", "readParams", "writeParams")
__all__ = [
    "GRB",
    "Column",
    "Constr",
    "Env",
    "GenConstr",
    "GenExpr",
    "GurobiError",
    "LinExpr",
    "MConstr",
    "MGenConstr",
    "MLinExpr",
    "MNLExpr",
    "MQConstr",
    "MQuadExpr",
    "MVar",
    "Model",
    "NLExpr",
    "QConstr",
    "QuadExpr",
    "TempConstr",
    "Var",
    "abs_",
    "all_",
    "and_",
    "any_",
    "concatenate",
    "disposeDefaultEnv",
    "gurobi",
    "hstack",
    "max_",
    "min_",
    "multidict",
    "nlfunc",
    "norm",
    "or_",
    "quicksum",
    "resetParams",
    "setParam",
    "tupledict",
    "tuplelist",
    "vstack",
]


class gurobi:
    @staticmethod
    def version() -> tuple[int, int, int]:
        return GRB.VERSION_MAJOR, GRB.VERSION_MINOR, GRB.VERSION_TECHNICAL

    @staticmethod
    def platform() -> str:
        return "linux64"


def setParam(paramname: str, newval: object) -> None:
    DEFAULT.setParam(paramname, newval)


def resetParams() -> None:
    DEFAULT.resetParams()


def disposeDefaultEnv() -> None:
    """Nothing to free."""


def __getattr__(name: str):
    if name in UNSUPPORTED:
        raise Unsupported(f"gurobipy.{name}")
    raise AttributeError(f"module 'gurobipy' has no attribute '{name}'")
