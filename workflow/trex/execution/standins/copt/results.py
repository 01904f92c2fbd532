"""The part of coptpy's Model that solves, and its attributes: sizes, status, objective value, ..."""

from collections.abc import Callable, Mapping

from trex.execution.dialects import Unsupported
from trex.execution.standins.attributes import lower
from trex.execution.standins.copt import names
from trex.execution.standins.copt.arrays import MVar
from trex.execution.standins.copt.expressions import CoptError, tupledict
from trex.execution.standins.copt.handles import Handle
from trex.execution.standins.copt.names import COPT
from trex.execution.standins.matrices import HandleArray

STATUS = {
    "optimal": COPT.OPTIMAL,
    "infeasible": COPT.INFEASIBLE,
    "unbounded": COPT.UNBOUNDED,
    "limit": COPT.TIMEOUT,
    "error": COPT.NUMERICAL,
}
PARAMETERS = {name.lower(): name for name in names.PARAMETERS}
DEFAULTS = {"TimeLimit": 1e20, "RelGap": 1e-4, "AbsGap": 1e-6, "Logging": 1, "LogToConsole": 1, "Threads": -1}
ATTRIBUTES = lower(names.ATTRIBUTES)


class ParamSetting:
    """A model's parameters as attributes, by any capitals."""

    def __init__(self, model: "Results"):
        object.__setattr__(self, "_model", model)

    def __getattr__(self, paramname: str):
        return self._model.getParam(paramname)

    def __setattr__(self, paramname: str, newval: object) -> None:
        self._model.setParam(paramname, newval)


class Results:
    # Solving

    def solve(self) -> None:
        self._recording.solve(float(self.getParam(COPT.Param.TimeLimit)))

    def solveLP(self) -> None:
        if is_mip(self):
            raise Unsupported("solving the relaxation")
        self.solve()

    def reset(self, clearall: int = 0) -> None:
        self._recording.outcome = None

    def computeIIS(self) -> None:
        """Everything belongs to it; see the attribute IsMinIIS."""
        self._recording.has_iis = True

    def write(self, filename: str) -> None:
        self._recording.write(filename)

    writeLp = writeMps = write

    # What has no effect here: what is said counts at once, nothing is printed and nothing needs to be freed.

    def _nothing(self, *_: object, **__: object) -> None:
        """No effect."""

    update = dispose = interrupt = tune = resetAll = setLogFile = setLogCallback = _nothing
    setMipStart = loadMipStart = setNlPrimalStart = setBasis = setSlackBasis = _nothing
    writeCbf = writeBin = writeNL = writeIIS = writeRelax = writeSol = writeJsonSol = writePoolSol = _nothing
    writeBasis = writeMst = writeOrd = writeParam = writeTuneParam = _nothing

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass

    # Parameters

    @property
    def param(self) -> ParamSetting:
        return ParamSetting(self)

    Param = param

    def setParam(self, paramname: str, newval: object) -> None:
        """Only the time limit has an effect; LazyConstraints is about constraints that are refused where they come."""
        self._recording.parameters[proper(paramname)] = newval

    def getParam(self, paramname: str) -> object:
        name = proper(paramname)
        if name in self._recording.parameters or name in DEFAULTS:
            return self._recording.parameters.get(name, DEFAULTS.get(name))
        raise Unsupported(f"the default of the parameter {name}")

    def resetParam(self) -> None:
        self._recording.parameters.clear()

    # Attributes

    def getAttr(self, attrname: str):
        key = attrname.lower()
        get = SETTABLE[key][0] if key in SETTABLE else COMPUTED.get(key)
        if get is not None:
            return get(self)
        if key in ATTRIBUTES:
            raise Unsupported(f"the attribute {attrname} of a Model")
        raise AttributeError(f"Invalid attribute name '{attrname}'")

    def _set_attribute(self, name: str, value: object) -> None:
        if name.lower() not in SETTABLE:
            raise AttributeError(f"Invalid attribute name '{name}'")
        SETTABLE[name.lower()][1](self, value)

    def getInfo(self, infoname: str, args: object):
        """One value, or as many as there are variables or constraints, in the form that they came in."""
        if isinstance(args, (Handle, MVar, HandleArray)):
            return args._get(infoname)
        if isinstance(args, Mapping):
            return tupledict((key, item._get(infoname)) for key, item in args.items())
        return [item._get(infoname) for item in args]

    def setInfo(self, infoname: str, args: object, newvals: object) -> None:
        if isinstance(args, (Handle, MVar, HandleArray)):
            args._set(infoname, newvals)
            return
        keys = list(args) if isinstance(args, Mapping) else range(len(args))
        for key in keys:
            args[key]._set(infoname, newvals[key] if isinstance(newvals, (Mapping, list, tuple)) else newvals)

    def getVarType(self, vars: object):
        return self.getInfo("VType", vars)

    def setVarType(self, vars: object, vartypes: object) -> None:
        self.setInfo("VType", vars, list(vartypes) if isinstance(vartypes, tuple) else vartypes)

    def setNames(self, args: object, names: object) -> None:
        self.setInfo("Name", args, names)

    def getValues(self) -> list[float]:
        return self.getInfo("Value", self.getVars())

    def getRedcosts(self) -> list[float]:
        return self.getInfo("RedCost", self.getVars())

    def getSlacks(self) -> list[float]:
        return self.getInfo("Slack", self.getConstrs())

    def getDuals(self) -> list[float]:
        return self.getInfo("Dual", self.getConstrs())

    def getLpSolution(self) -> tuple[list[float], ...]:
        return self.getValues(), self.getSlacks(), self.getDuals(), self.getRedcosts()

    def getPoolObjVal(self, isol: int) -> float:
        if not has_solution(self) or isol:
            raise CoptError("Fail to get the objective value of a solution in the pool")
        return self._recording.outcome.solution.objective

    def getPoolSolution(self, isol: int, vars: object):
        self.getPoolObjVal(isol)
        return self.getInfo("Value", vars)


def proper(name: str) -> str:
    if name.lower() not in PARAMETERS:
        raise AttributeError(f"Invalid parameter name '{name}'")
    return PARAMETERS[name.lower()]


def count(table: str, column: str = "") -> Callable:
    """The number of rows of a table, or of the terms in one of its columns."""

    def get(model: Results) -> int:
        found = getattr(model._recording, table)
        return sum(map(len, found.columns[column])) if column else len(found.handles)

    return get


def count_type(letter: str) -> Callable:
    return lambda model: model._recording.variables.columns["vtype"].count(letter)


def is_mip(model: Results) -> int:
    return int(any(kind != "C" for kind in model._recording.variables.columns["vtype"]))


def has_solution(model: Results) -> int:
    outcome = model._recording.outcome
    return int(outcome is not None and outcome.values is not None)


def status(model: Results) -> int:
    outcome = model._recording.outcome
    return COPT.UNSTARTED if outcome is None else STATUS[outcome.status]


def objective(model: Results) -> float:
    """0 before a solve; infinite where it found no solution."""
    outcome = model._recording.outcome
    if outcome is None:
        return 0.0
    worst = COPT.INFINITY if model._recording.sense == "min" else -COPT.INFINITY
    return outcome.solution.objective if outcome.values is not None else worst


def set_sense(model: Results, value: int) -> None:
    model.setObjSense(value)


def set_constant(model: Results, value: float) -> None:
    model.setObjConst(value)


SETTABLE: dict[str, tuple[Callable, Callable]] = {
    "objsense": (lambda model: -1 if model._recording.sense == "max" else 1, set_sense),
    "objconst": (lambda model: model._recording.constant, set_constant),
}
COMPUTED: dict[str, Callable] = {
    "name": lambda model: model._recording.name,
    "cols": count("variables"),
    "rows": count("rows"),
    "elems": count("rows", "terms"),
    "qconstrs": count("quadratic_rows"),
    "qelems": lambda model: len(model._recording.products),
    "bins": count_type("B"),
    "ints": count_type("I"),
    "ismip": is_mip,
    "hasqobj": lambda model: int(bool(model._recording.products)),
    "hasnlobj": lambda model: int(model._recording.curve is not None),
    "status": status,
    "lpstatus": lambda model: COPT.UNSTARTED if is_mip(model) else status(model),
    "mipstatus": lambda model: status(model) if is_mip(model) else COPT.UNSTARTED,
    "hassol": has_solution,
    "haslpsol": lambda model: int(has_solution(model) and not is_mip(model)),
    "hasmipsol": lambda model: int(has_solution(model) and is_mip(model)),
    "objval": objective,
    "objbound": objective,
    "lpobjval": lambda model: 0.0 if is_mip(model) else objective(model),
    "bestobj": lambda model: objective(model) if is_mip(model) else 0.0,
    "bestbnd": lambda model: objective(model) if is_mip(model) else 0.0,
    "bestgap": lambda model: 0.0,
    "poolsols": has_solution,
    "solvingtime": lambda model: 0.0,
    "nodecnt": lambda model: 0,
    "simplexiter": lambda model: 0,
    "barrieriter": lambda model: 0,
    "hasiis": lambda model: int(model._recording.has_iis),
    "isminiis": lambda model: 0,
    "multiobjs": lambda model: 0,
} | dict.fromkeys(("soss", "cones", "expcones", "affinecones", "psdcols", "psdconstrs", "lmiconstrs"), lambda model: 0)
