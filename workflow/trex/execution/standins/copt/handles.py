"""coptpy's Var and constraints, with what the library calls information: LB, UB, Obj, Value, Slack, Dual, RedCost."""

import math
from collections.abc import Callable
from typing import ClassVar

from trex.execution.standins import attributes, expressions
from trex.execution.standins.attributes import activity, column, in_iis, lower, result_of
from trex.execution.standins.copt import names
from trex.execution.standins.copt.expressions import FAMILY, CoptError
from trex.execution.standins.model import bounds, sides
from trex.problems.ir import INFINITE

INFINITY = names.COPT.INFINITY


def infinite(value: float) -> float:
    """A bound as the model keeps it."""
    value = float(value)
    return value if abs(value) < INFINITE else math.copysign(math.inf, value)


def shown(value: float) -> float:
    """A bound as the library shows it."""
    return value if math.isfinite(value) else math.copysign(INFINITY, value)


def vtype(value: str) -> str:
    if value not in ("C", "B", "I"):
        raise CoptError("Invalid variable type")
    return value


def text(value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a name is a text, not {type(value).__name__!r}")
    return value


def bound_column(name: str) -> tuple[Callable, Callable]:
    get, put = column(name, infinite)
    return lambda handle: shown(get(handle)), put


class Handle(attributes.Attributed):
    __slots__ = ()
    NAMES = lower(names.INFORMATION)
    HINTS: ClassVar = {}

    def getInfo(self, infoname: str) -> float:
        return self._get(infoname)

    def setInfo(self, infoname: str, newval: float) -> None:
        self._set(infoname, newval)

    def getName(self) -> str:
        return self.name

    def setName(self, newname: str) -> None:
        self.name = newname

    def getIdx(self) -> int:
        return self._index

    @property
    def index(self) -> int:
        return self._index

    def remove(self) -> None:
        self._table.owner.remove(self)

    def _unknown(self, name: str) -> Exception:
        return CoptError("Fail to get variable information")

    _unavailable = _unknown

    def _fixed(self, name: str) -> Exception:
        return CoptError("Unknown variable information")

    def _invalid(self, name: str, error: Exception) -> Exception:
        return error

    def __repr__(self):
        return f"<coptpy.{type(self).__name__}: {self.name}>"


class Var(Handle, expressions.Variable):
    __slots__ = ()
    family = FAMILY
    SETTABLE: ClassVar = {
        "lb": bound_column("lb"),
        "ub": bound_column("ub"),
        "obj": column("obj", float),
        "vtype": column("vtype", vtype),
        "name": column("name", text),
    }
    RESULTS: ClassVar = {
        "x": result_of("values"),
        "value": result_of("values"),
        "rc": result_of("duals"),
        "redcost": result_of("duals"),
        "iislb": in_iis,
        "iisub": in_iis,
    }

    def getType(self) -> str:
        return self.vtype

    def setType(self, newtype: str) -> None:
        self.vtype = newtype


def row_bound(upper: bool) -> tuple[Callable, Callable]:
    """(get, set) of a bound of a linear row."""

    def sided(constraint: Handle) -> list[float]:
        columns = constraint._table.columns
        return list(bounds(*(columns[name][constraint._index] for name in ("sense", "rhs", "width"))))

    def put(constraint: Handle, value: float) -> None:
        limits = sided(constraint)
        limits[upper] = infinite(value)
        for name, part in zip(("sense", "rhs", "width"), sides(*limits), strict=True):
            constraint._table.columns[name][constraint._index] = part

    return lambda constraint: shown(sided(constraint)[upper]), put


class Constraint(Handle):
    __slots__ = ()
    SETTABLE: ClassVar = {"lb": row_bound(False), "ub": row_bound(True), "name": column("name", text)}
    RESULTS: ClassVar = {
        "slack": activity,  # as the library has it
        "dual": result_of("duals"),
        "pi": result_of("duals"),
        "iislb": in_iis,
        "iisub": in_iis,
    }


class QConstraint(Handle):
    __slots__ = ()
    SETTABLE: ClassVar = {"name": column("name", text)}
    RESULTS: ClassVar = {"slack": activity}


class GenConstr(Handle):
    """Also the library's NlConstraint: what is neither a linear nor a quadratic row."""

    __slots__ = ()
    SETTABLE: ClassVar = {"name": column("name", text)}
    RESULTS: ClassVar = {}


class HandleList(list):
    """The library's VarArray, ConstrArray, ...: what a model has of a kind, in order."""

    @property
    def size(self) -> int:
        return len(self)

    def getSize(self) -> int:
        return len(self)

    def getAll(self) -> list:
        return list(self)

    def pushBack(self, items: object) -> None:
        self.extend([items] if isinstance(items, Handle) else items)

    def getVar(self, idx: int) -> Handle:
        return self[idx]

    getConstr = getVar
