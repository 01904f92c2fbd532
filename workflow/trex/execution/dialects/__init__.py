"""One file a modelling library: from the model objects that a program built to the IR.

A dialect is a module with

    NAME                    as results name it
    start_recording()       from now on `record` is told of each model that is made; solving that would need a licence,
                            another process or the network is replaced by our own solver. Called once a process
    says_something(model)   whether it has a row or an objective
    to_ir(model)            the model in the IR. Raises Unsupported for what the IR does not cover, ValueError for
                            numbers that no solver accepts

Models are found by type, whatever they are called, and also when the function that built them has returned: what is
recorded here is kept, for the process of one program only.
"""

import importlib
import importlib.util
from dataclasses import dataclass
from types import ModuleType

DISCOVERS = "trex.execution.dialects"
# The library that a dialect cannot be loaded without, by the dialect's file.
LIGHT = {
    "mathopt": "ortools",
    "gurobipy": "ortools",
    "coptpy": "ortools",
    "pywraplp": "ortools",
    "pulp": "pulp",
    "pyscipopt": "pyscipopt",
}
# Loaded when a program's text names the library: 0.2 to 0.7 s and 20 to 100 MB each, pandas in the first two.
HEAVY = {
    "cp_sat": "ortools.sat",
    "model_builder": "ortools.linear_solver.python",
    "scipy_optimize": "scipy",
    "cvxpy": "cvxpy",
    "pyomo": "pyomo",
}


class Unsupported(Exception):
    """The model has a part that the IR does not cover; the text names it."""


@dataclass(frozen=True)
class Recorded:
    """A model that a program made: which dialect's, and the library's own object."""

    dialect: ModuleType
    model: object


recorded: list[Recorded] = []
refusals: dict[int, tuple[object, str]] = {}  # by identity; holding the model, so that no other one gets it
started: set[str] = set()


def record(dialect: ModuleType, model: object) -> None:
    """To be called by a dialect for each model that a program makes, in the order of their making."""
    recorded.append(Recorded(dialect, model))


def refuse(model: object, reason: str) -> None:
    """This model has a part that the IR does not cover: it stays so, whatever the program does about the error."""
    refusals.setdefault(id(model), (model, reason))


def check_covered(model: object) -> None:
    """Raises Unsupported for a model that was refused."""
    if id(model) in refusals:
        raise Unsupported(refusals[id(model)][1])


def start_recording(name: str) -> None:
    """Load a dialect, where its library is installed, and have it record."""
    library = (LIGHT | HEAVY)[name]
    if name not in started and importlib.util.find_spec(library) is not None:
        started.add(name)
        importlib.import_module(f"{__name__}.{name}").start_recording()


def start_named_in(code: str) -> None:
    """Have those heavy dialects record whose library's name is in a program's text."""
    for name, library in HEAVY.items():
        if library in code:
            start_recording(name)


def chosen(names: dict) -> Recorded | None:
    """The model that a program with these global names meant, None when it made none.

    Models that a global name holds come before those that none holds (built in a function); among several the last
    made that says something.
    """
    held = {id(value) for value in names.values()}
    candidates = [found for found in recorded if id(found.model) in held] or recorded
    for found in reversed(candidates):
        if found.dialect.says_something(found.model):
            return found
    return candidates[-1] if candidates else None


def to_ir(found: Recorded):
    """The chosen model in the IR. Raises Unsupported and ValueError as the dialects do."""
    check_covered(found.model)
    return found.dialect.to_ir(found.model)
