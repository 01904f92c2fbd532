"""What a program gets for `import coptpy`: the library's names (version 8), recording instead of solving.

What is real and not here raises `Unsupported`: semidefinite, conic and callback models, and reading files.
"""

from trex.execution.dialects import Unsupported
from trex.execution.standins.copt.arrays import (
    MConstr,
    MConstrBuilder,
    MLinExpr,
    MQConstr,
    MQuadExpr,
    MVar,
    hstack,
    vstack,
)
from trex.execution.standins.copt.expressions import (
    ConstrBuilder,
    CoptError,
    LinExpr,
    NlExpr,
    QuadExpr,
    multidict,
    quicksum,
    tupledict,
    tuplelist,
)
from trex.execution.standins.copt.functions import nl
from trex.execution.standins.copt.handles import Constraint, GenConstr, HandleList, QConstraint, Var
from trex.execution.standins.copt.model import Envr, EnvrConfig, Model
from trex.execution.standins.copt.names import COPT, UNSUPPORTED_NAMES

ExprBuilder = LinExpr
NlConstraint = GenConstr
VarArray = ConstrArray = QConstrArray = GenConstrArray = HandleList
__version__ = COPT.version = COPT.Version = "8.0.7"
__all__ = [
    "COPT",
    "ConstrArray",
    "ConstrBuilder",
    "Constraint",
    "CoptError",
    "Envr",
    "EnvrConfig",
    "ExprBuilder",
    "GenConstr",
    "GenConstrArray",
    "LinExpr",
    "MConstr",
    "MConstrBuilder",
    "MLinExpr",
    "MQConstr",
    "MQuadExpr",
    "MVar",
    "Model",
    "NlConstraint",
    "NlExpr",
    "QConstrArray",
    "QConstraint",
    "QuadExpr",
    "Var",
    "VarArray",
    "hstack",
    "multidict",
    "nl",
    "quicksum",
    "tupledict",
    "tuplelist",
    "vstack",
]


def __getattr__(name: str):
    if name in UNSUPPORTED_NAMES:
        raise Unsupported(f"coptpy.{name}")
    raise AttributeError(f"module 'coptpy' has no attribute '{name}'")
