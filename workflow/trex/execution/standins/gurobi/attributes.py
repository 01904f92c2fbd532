"""gurobipy's Var, Constr, QConstr and GenConstr."""

from typing import ClassVar

from trex.execution.standins import attributes, expressions
from trex.execution.standins.attributes import activity, column, in_iis, lower, result_of
from trex.execution.standins.gurobi import names
from trex.execution.standins.gurobi.expressions import FAMILY, GurobiError
from trex.execution.standins.indexing import number
from trex.problems.ir import INFINITE

UNDEFINED = names.GRB.UNDEFINED


def bound(value: object) -> float:
    """A bound as the library shows it: beyond 1e20 it is infinite."""
    value = number(value)
    if value != value:
        raise GurobiError("Element 0 of a double array is Nan.")
    return value if abs(value) < INFINITE else float("inf") if value > 0 else -float("inf")


def vtype(value: str) -> str:
    """C, B, I, S or N, of any text that begins so."""
    letter = value[0].upper()
    if letter not in "CBISN":
        raise GurobiError(f"Invalid variable type '{value}'")
    return letter


def sense(value: str) -> str:
    letter = {"L": "<", "G": ">", "E": "="}.get(value[:1], value[:1])
    if letter not in ("<", ">", "="):
        raise GurobiError(f"Invalid constraint sense: '{value}'")
    return letter


def text(value: str) -> str:
    if not isinstance(value, str):
        raise AttributeError(f"{type(value).__name__!r} object has no attribute 'encode'")
    return value


class Attributed(attributes.Attributed):
    __slots__ = ()

    def getAttr(self, attrname: str):
        return self._get(attrname)

    def setAttr(self, attrname: str, newval: object) -> None:
        self._set(attrname, newval)

    @property
    def index(self) -> int:
        return self._index

    def sameAs(self, other: object) -> bool:
        return self is other

    def _unknown(self, name: str) -> Exception:
        return AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _unavailable(self, name: str) -> Exception:
        return AttributeError(f"Unable to retrieve attribute '{name}'")

    def _fixed(self, name: str) -> Exception:
        return AttributeError(f"Attribute '{name}' cannot be set")

    def _invalid(self, name: str, error: Exception) -> Exception:
        return AttributeError(f"Attribute '{name}': {error}")


class Var(Attributed, expressions.Variable):
    __slots__ = ()
    family = FAMILY
    NAMES = lower(names.VARIABLE)
    SETTABLE: ClassVar = {
        "lb": column("lb", bound),
        "ub": column("ub", bound),
        "obj": column("obj", number),
        "vtype": column("vtype", vtype),
        "varname": column("name", text, "C"),
    }
    HINTS: ClassVar = {
        "start": UNDEFINED, "pstart": UNDEFINED, "varhintval": UNDEFINED, "varhintpri": 0, "branchpriority": 0,
        "partition": 0, "poolignore": 0, "vbasis": 0, "vtag": "", "iislbforce": -1, "iisubforce": -1,
    }  # fmt: skip
    RESULTS: ClassVar = {
        "x": result_of("values"),
        "xn": result_of("values"),
        "rc": result_of("duals"),
        "iislb": in_iis,
        "iisub": in_iis,
    }

    @property
    def nl(self):
        return expressions.nonlinear(FAMILY, "sum", self)

    def __repr__(self):
        return f"<gurobi.Var {self.VarName}>"


def slack(constraint: Attributed) -> float | None:
    left = activity(constraint)
    return None if left is None else constraint._table.columns["rhs"][constraint._index] - left


class Constr(Attributed):
    __slots__ = ()
    NAMES = lower(names.LINEAR_CONSTRAINT)
    SETTABLE: ClassVar = {
        "sense": column("sense", sense),
        "rhs": column("rhs", number),
        "constrname": column("name", text, "R"),
    }
    HINTS: ClassVar = {"dstart": UNDEFINED, "cbasis": 0, "lazy": 0, "ctag": "", "iisconstrforce": -1}
    RESULTS: ClassVar = {"pi": result_of("duals"), "slack": slack, "iisconstr": in_iis}

    def __repr__(self):
        return f"<gurobi.Constr {self.ConstrName}>"


class QConstr(Attributed):
    __slots__ = ()
    NAMES = lower(names.QUADRATIC_CONSTRAINT)
    SETTABLE: ClassVar = {
        "qcsense": column("sense", sense),
        "qcrhs": column("rhs", number),
        "qcname": column("name", text, "qc"),
    }
    HINTS: ClassVar = {"qctag": "", "iisqconstrforce": -1}
    RESULTS: ClassVar = {"qcslack": slack, "iisqconstr": in_iis}

    def __repr__(self):
        return f"<gurobi.QConstr {self.QCName}>"


class GenConstr(Attributed):
    """The options of a function constraint (pieces, errors) say how the library approximates: we do not."""

    __slots__ = ()
    NAMES = lower(names.GENERAL_CONSTRAINT)
    SETTABLE: ClassVar = {"genconstrname": column("name", text, "GC")}
    HINTS: ClassVar = {
        "funcpieces": 0, "funcpieceerror": 1e-3, "funcpiecelength": 1e-2, "funcpieceratio": -1.0, "funcnonlinear": -1,
        "iisgenconstrforce": -1,
    }  # fmt: skip
    RESULTS: ClassVar = {"iisgenconstr": in_iis}

    def __repr__(self):
        return f"<gurobi.GenConstr {self.GenConstrName}>"
