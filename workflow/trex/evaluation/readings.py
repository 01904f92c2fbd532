"""Whether a label that a model misses would be met if its variables were whole, or if none had to be.

Many labels of public sets hold under one of these readings of a problem only, and often the text does not say which.
The reading is the answer's to make: what another one would have given is a diagnosis, and never counts as a pass.
"""

from collections.abc import Callable

from trex.execution.equivalence import agree
from trex.problems.ir import Model
from trex.problems.solve import OPTIMAL, Solution

CONTINUOUS, INTEGER, MIXED = "continuous", "integer", "mixed"


def reading(model: Model) -> str | None:
    """The one that the model's variables make; None without variables."""
    kinds = {CONTINUOUS if variable.kind == "continuous" else INTEGER for variable in model.variables}
    return MIXED if len(kinds) == 2 else next(iter(kinds), None)


def other_reading(model: Model, solution: Solution, label: float, solve: Callable[[Model], Solution]) -> str | None:
    """The reading, other than the model's own, under which its optimum is the label; None where neither is.

    A reading whose optimum can only move away from the label is not solved.
    """
    for wanted in (INTEGER, CONTINUOUS):
        possible = reading(model) != wanted and may_meet(model, solution, label, wanted)
        if possible and agree(solve(read_as(model, wanted)), label):
            return wanted
    return None


def may_meet(model: Model, solution: Solution, label: float, wanted: str) -> bool:
    """Whole variables make an optimum worse or lose it; variables that need not be whole make it better or find one."""
    if solution.status != OPTIMAL:
        return wanted == CONTINUOUS and solution.status == "infeasible"
    better = label > solution.objective if model.objective.sense == "max" else label < solution.objective
    return better == (wanted == CONTINUOUS)


def read_as(model: Model, wanted: str) -> Model:
    whole = wanted == INTEGER
    changed = model.to_json()
    for variable in changed["variables"]:
        if (variable["kind"] == "continuous") == whole:
            variable["kind"] = "integer" if whole else "continuous"
    return Model.from_json(changed)
