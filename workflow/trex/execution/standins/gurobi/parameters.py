"""gurobipy's parameters and environments. Of the parameters only the time limit has an effect.

One changes what the model means: with `LazyConstraints` its rows are not all there before the solve.
"""

from collections.abc import Callable, Mapping

from trex.execution.dialects import Unsupported
from trex.execution.standins.expressions import is_number
from trex.execution.standins.gurobi.expressions import GurobiError
from trex.execution.standins.gurobi.names import PARAMETERS

NAMES = {name.lower(): name for name in PARAMETERS}
DEFAULTS = {
    "TimeLimit": float("inf"), "MIPGap": 1e-4, "MIPGapAbs": 1e-10, "FeasibilityTol": 1e-6, "IntFeasTol": 1e-5,
    "OptimalityTol": 1e-6, "OutputFlag": 1, "LogToConsole": 1, "LogFile": "", "ResultFile": "", "Threads": 0, "Seed": 0,
    "NonConvex": -1, "Method": -1, "Presolve": -1, "LazyConstraints": 0, "Heuristics": 0.05, "MIPFocus": 0,
    "PoolSolutions": 10, "PoolSearchMode": 0, "SolutionNumber": 0, "NumericFocus": 0, "InfUnbdInfo": 0, "Cuts": -1,
    "DualReductions": 1, "QCPDual": 0,
}  # fmt: skip


class Parameters:
    """By any capitals, as attributes; `changed` is told of each change."""

    def __init__(
        self, values: Mapping[str, object] | None = None, changed: Callable[[str, object], None] | None = None
    ):
        self.__dict__["_values"] = dict(values or {})
        self.__dict__["_changed"] = changed

    def __getattr__(self, name: str):
        proper = NAMES.get(name.lower())
        if proper is None:
            raise AttributeError(f"No parameter named '{name}'")
        if proper in self._values:
            return self._values[proper]
        if proper not in DEFAULTS:
            raise Unsupported(f"the default of the parameter {proper}")
        return DEFAULTS[proper]

    def __setattr__(self, name: str, value: object) -> None:
        proper = NAMES.get(name.lower())
        if proper is None:
            raise GurobiError(f"Unknown parameter '{name}'")
        if isinstance(DEFAULTS.get(proper), (int, float)):
            if not is_number(value):
                raise TypeError(f"must be real number, not {type(value).__name__}")
            value = type(DEFAULTS[proper])(value)
        if self._changed is not None:
            self._changed(proper, value)
        self._values[proper] = value

    def reset(self) -> None:
        self._values.clear()


class Env:
    """An environment: parameters that its models start with."""

    def __init__(self, logfilename: str = "", empty: bool = False, params: Mapping[str, object] | None = None):
        self._parameters = Parameters({})
        for name, value in (params or {}).items():
            self.setParam(name, value)

    def setParam(self, paramname: str, newval: object) -> None:
        setattr(self._parameters, paramname, newval)

    def getParam(self, paramname: str) -> object:
        return getattr(self._parameters, paramname)

    def resetParams(self) -> None:
        self._parameters.reset()

    def start(self) -> "Env":
        return self

    def writeParams(self, filename: str) -> None:
        """Nothing is written."""

    def close(self) -> None:
        """Nothing to free."""

    dispose = close

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass


DEFAULT = Env()  # what gurobipy.setParam changes
