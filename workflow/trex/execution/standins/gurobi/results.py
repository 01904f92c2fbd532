"""The part of gurobipy's Model that solves, and its own attributes: sizes, status, objective value, ..."""

from collections.abc import Callable, Mapping

import numpy as np

from trex.execution.dialects import Unsupported
from trex.execution.standins.attributes import lower
from trex.execution.standins.gurobi import names
from trex.execution.standins.gurobi.arrays import MVar
from trex.execution.standins.gurobi.attributes import text
from trex.execution.standins.gurobi.expressions import GurobiError, tupledict
from trex.execution.standins.gurobi.names import GRB
from trex.execution.standins.indexing import number

STATUS = {
    "optimal": GRB.OPTIMAL,
    "infeasible": GRB.INFEASIBLE,
    "unbounded": GRB.UNBOUNDED,
    "limit": GRB.TIME_LIMIT,
    "error": GRB.NUMERIC,
}
NAMES = lower(names.MODEL)


class Results:
    # Solving

    def optimize(self, callback: object = None, wheres: object = None) -> None:
        """A callback is not called: without `LazyConstraints` it says nothing about the model."""
        self._recording.solve(float(self.Params.TimeLimit))

    def reset(self, clearall: int = 0) -> None:
        self._recording.outcome = None

    def computeIIS(self, callback: object = None) -> None:
        """Everything belongs to it; see the attribute IISMinimal."""
        if self.Status == GRB.LOADED:
            self.optimize()
        if self.Status == GRB.OPTIMAL:
            raise GurobiError("Cannot compute IIS on a feasible model")
        self._recording.has_iis = True

    def write(self, filename: str) -> None:
        self._recording.write(filename)

    # What has no effect here: what is said counts at once, nothing is printed and nothing needs to be freed.

    def update(self) -> None:
        """Changes count at once."""

    def _nothing(self, *_: object, **__: object) -> None:
        """No effect."""

    terminate = tune = dispose = close = message = _nothing
    printAttr = printStats = printQuality = display = _nothing
    discardConcurrentEnvs = discardMultiobjEnvs = prefetchAttr = writeTuneResult = _nothing

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass

    # Parameters

    @property
    def Params(self):
        return self._recording.parameters

    params = Params

    def setParam(self, paramname: str, newval: object) -> None:
        setattr(self.Params, paramname, newval)

    def resetParams(self) -> None:
        self.Params.reset()

    def getParamInfo(self, paramname: str) -> tuple:
        raise Unsupported("Model.getParamInfo")

    # Attributes

    def getAttr(self, attrname: str, objs: object = None):
        if objs is not None:
            return attributes_of(attrname, objs)
        key = attrname.lower()
        get = SETTABLE[key][0] if key in SETTABLE else COMPUTED.get(key)
        if get is None:
            raise self._missing(attrname)
        value = get(self)
        if value is None:
            raise AttributeError(f"Unable to retrieve attribute '{attrname}'")
        return value

    def setAttr(self, attrname: str, arg1: object, arg2: object = None) -> None:
        if arg2 is not None:
            set_attributes(attrname, arg1, arg2)
            return
        key = attrname.lower()
        if key in SETTABLE:
            try:
                SETTABLE[key][1](self, arg1)
            except (TypeError, ValueError) as error:
                raise AttributeError(f"Attribute '{attrname}': {error}") from None
        elif key in COMPUTED and key != "numobj":
            raise AttributeError(f"Attribute '{attrname}' cannot be set")
        else:
            error = self._missing(attrname)
            raise self._recording.refuse(str(error)) if isinstance(error, Unsupported) else error

    def _missing(self, name: str) -> Exception:
        if name.lower() in NAMES:
            return Unsupported(f"the attribute {name} of a Model")
        return AttributeError(f"'Model' object has no attribute '{name}'")


def attributes_of(name: str, objects: object):
    """The attribute of each object, in the form that the objects came in."""
    if isinstance(objects, MVar):
        return objects.getAttr(name)
    try:
        if isinstance(objects, Mapping):
            return tupledict((key, item.getAttr(name)) for key, item in objects.items())
        return [item.getAttr(name) for item in objects]
    except AttributeError as error:
        raise GurobiError(str(error)) from None


def set_attributes(name: str, objects: object, values: object) -> None:
    if isinstance(objects, MVar):
        objects.setAttr(name, values)
        return
    if isinstance(objects, Mapping):
        for key, item in objects.items():
            item.setAttr(name, values[key] if isinstance(values, Mapping) else values)
        return
    objects = list(objects) if np.iterable(objects) else [objects]
    values = values if isinstance(values, (list, tuple, np.ndarray)) else [values] * len(objects)
    for item, value in zip(objects, values, strict=True):
        item.setAttr(name, value)


def count(table: str, column: str = "") -> Callable:
    """The number of rows of a table, or of the terms in one of its columns."""

    def get(model: Results) -> int:
        found = getattr(model._recording, table)
        return sum(map(len, found.columns[column])) if column else len(found.handles)

    return get


def count_types(types: str) -> Callable:
    return lambda model: sum(kind in types for kind in model._recording.variables.columns["vtype"])


def solved(get: Callable) -> Callable:
    """A value of the last outcome; None where there is no solution."""

    def value(model: Results) -> object:
        outcome = model._recording.outcome
        return None if outcome is None or outcome.values is None else get(model, outcome)

    return value


def status(model: Results) -> int:
    outcome = model._recording.outcome
    return GRB.LOADED if outcome is None else STATUS[outcome.status]


def is_mip(model: Results) -> int:
    recording = model._recording
    return int(bool(recording.relations.handles) or any(kind != "C" for kind in recording.variables.columns["vtype"]))


def set_name(model: Results, value: str) -> None:
    model._recording.name = text(value)


def set_constant(model: Results, value: float) -> None:
    model._recording.constant = number(value)


SETTABLE: dict[str, tuple[Callable, Callable]] = {
    "modelname": (lambda model: model._recording.name, set_name),
    "modelsense": (lambda model: -1 if model._recording.sense == "max" else 1, lambda m, value: m._set_sense(value)),
    "objcon": (lambda model: model._recording.constant, set_constant),
}
objective = solved(lambda model, outcome: outcome.solution.objective)
COMPUTED: dict[str, Callable] = {
    "numvars": count("variables"),
    "numconstrs": count("rows"),
    "numqconstrs": count("quadratic_rows"),
    "numgenconstrs": count("relations"),
    "numsos": lambda model: 0,
    "numnzs": count("rows", "terms"),
    "dnumnzs": lambda model: float(count("rows", "terms")(model)),
    "numqnzs": lambda model: len(model._recording.products),
    "numqcnzs": count("quadratic_rows", "products"),
    "numintvars": count_types("BIN"),
    "numbinvars": count_types("B"),
    "numobj": lambda model: 1,
    "ismultiobj": lambda model: 0,
    "ismip": is_mip,
    "isqp": lambda model: int(bool(model._recording.products) and not model._recording.quadratic_rows.handles),
    "isqcp": lambda model: int(bool(model._recording.quadratic_rows.handles)),
    "status": status,
    "objval": objective,
    "objbound": objective,
    "objboundc": objective,
    "poolobjval": objective,
    "poolnobjval": objective,
    "poolobjbound": objective,
    "mipgap": solved(lambda model, outcome: 0.0 if is_mip(model) else None),
    "solcount": lambda model: 0 if solved(lambda *_: True)(model) is None else 1,
    "runtime": lambda model: 0.0,
    "work": lambda model: 0.0,
    "nodecount": lambda model: 0.0,
    "opennodecount": lambda model: 0.0,
    "itercount": lambda model: 0.0,
    "baritercount": lambda model: 0,
    "numstart": lambda model: 0,
    "iisminimal": lambda model: 0 if model._recording.has_iis else None,
}
