"""A data file with other numbers, for which a program that reads it still builds a model of the same shape.

What a program does on its one data file cannot tell a right model from a copied answer, or two ways of writing the
same model from two models that agree by chance. Other data can. Numbers are varied in groups: the numbers that stand
at one place of a structure (`costs[*]`, `edges[*][2]`, `demand.*`) mean the same thing. Which groups can be varied is
found by running the reference program: varying the group alone must leave its model's shape (kinds of variables,
which variable is in which row) as it is and change a number of it; that leaves sizes, indices and switches alone.

A number x becomes one drawn from x (1 - s) to x (1 + s), s = 0.25 first and smaller where the reference has no
optimum. In a group of whole numbers they stay whole, keep their sign and can always change by 1; decimals keep their
number of decimals, shares within [0, 1] stay there, zeros stay zero; a group with nothing but 0 and 1 is a switch.
Numbers that must agree with each other across groups (a total beside its parts) are not known to belong together.
"""

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from trex.problems.ir import Model
from trex.problems.solve import LIMIT, OPTIMAL, Solution

WANTED, FEWEST = 10, 5
SPREADS = (0.25, 0.25, 0.25, 0.25, 0.1, 0.03)
TRIES_PER_SPREAD = 6
TRIES_TO_CHANGE = 4
LONGEST_TUPLE = 8
MOST_DECIMALS = 10
MOST_GROUPS = 64
MOST_UNSOLVED = 5

Group = tuple[str, ...]
Build = Callable[[str], Model | None]


@dataclass(frozen=True)
class Resampled:
    """Another data file, as JSON text, the reference program's model on it, and its optimum."""

    data: str
    model: Model
    objective: float


def resampled(
    data: str, build: Build, solve: Callable[[Model], Solution], telling: Callable[[float], bool], seed: int
) -> list[Resampled]:
    """At most WANTED other data files on which the reference's model has an optimum; fewer where they are hard to find.

    With fewer than FEWEST nothing should be concluded from agreement. The search ends at the fifth file on which the
    solver came to no end: such models would take minutes.

    data: JSON text. build: the reference program's model on a data file (None where it fails). telling: whether a file
    with this optimum can tell programs apart.
    """
    try:
        original = json.loads(data)
    except (ValueError, RecursionError):
        return []
    reference = build(data)
    if reference is None:
        return []
    draw = random.Random(seed)
    groups = [g for g in numbers_of(original) if matters(original, g, reference, build, draw)]
    found: list[Resampled] = []
    unsolved = 0
    for spread in SPREADS if groups else ():
        for _ in range(TRIES_PER_SPREAD):
            candidate = json.dumps(varied(original, set(groups), spread, draw))
            model = build(candidate)
            if model is None or shape(model) != shape(reference):
                continue
            solution = solve(model)
            unsolved += solution.status == LIMIT
            if solution.status == OPTIMAL and telling(solution.objective):
                found.append(Resampled(candidate, model, solution.objective))
            if len(found) == WANTED or unsolved == MOST_UNSOLVED:
                return found
    return found


def matters(original: object, group: Group, reference: Model, build: Build, draw: random.Random) -> bool:
    """Whether varying this group alone changes numbers of the reference's model and nothing else."""
    for _ in range(TRIES_TO_CHANGE):
        changed = varied(original, {group}, SPREADS[0], draw)
        if changed != original:
            model = build(json.dumps(changed))
            return model is not None and shape(model) == shape(reference) and model != reference
    return False


def shape(model: Model) -> tuple:
    """What must stay as it is: kinds of variables, and which variables are in which row and in the objective."""
    objective = model.objective
    return (
        objective.sense,
        [variable.kind for variable in model.variables],
        [(set(row.terms), set(row.quadratic), row.lb == row.ub) for row in model.rows],
        set(objective.linear),
        set(objective.quadratic),
    )


def numbers_of(data: object) -> dict[Group, list[float]]:
    """The numbers of each group, the first MOST_GROUPS groups in the order of the file."""
    found: dict[Group, list[float]] = {}
    collect(data, (), found)
    return dict(list(found.items())[:MOST_GROUPS])


def collect(data: object, group: Group, found: dict[Group, list[float]]) -> None:
    if is_number(data):
        found.setdefault(group, []).append(data)
    for step, value in steps(data, group):
        collect(value, (*group, step), found)


def steps(data: object, group: Group) -> list[tuple[str, object]]:
    """The parts of a list or an object, each with its place in a group.

    The position counts in a short list inside a list (a tuple such as source, target, capacity), the key in the
    outermost object; elsewhere both are the names of things.
    """
    if isinstance(data, list):
        is_tuple = group[-1:] == ("*",) and len(data) <= LONGEST_TUPLE
        return [(str(position) if is_tuple else "*", value) for position, value in enumerate(data)]
    if isinstance(data, dict):
        return [("*" if group and is_number(value) else key, value) for key, value in data.items()]
    return []


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def varied(original: object, groups: set[Group], spread: float, draw: random.Random) -> object:
    """The data with the numbers of these groups changed, each by a draw of its own."""
    rules = {group: rule(numbers) for group, numbers in numbers_of(original).items() if group in groups}

    def copy(data: object, group: Group) -> object:
        if is_number(data):
            return rules[group](data, spread, draw.uniform(-1, 1)) if group in rules else data
        parts = [(step, copy(value, (*group, step))) for step, value in steps(data, group)]
        if isinstance(data, list):
            return [value for _, value in parts]
        return dict(zip(data, (value for _, value in parts), strict=True)) if isinstance(data, dict) else data

    return copy(original, ())


def rule(numbers: list[float]) -> Callable[[float, float, float], float]:
    """How a number of such a group changes, from (number, spread, draw from [-1, 1])."""
    if all(isinstance(number, int) for number in numbers):
        return whole if set(numbers) - {0, 1} else lambda value, spread, drawn: value
    decimals = max(map(decimals_of, numbers))
    highest = 1.0 if all(0 <= number <= 1 for number in numbers) else math.inf
    return lambda value, spread, drawn: min(round(value * (1 + spread * drawn), decimals), highest)


def whole(value: int, spread: float, drawn: float) -> int:
    """An integer of the same sign."""
    changed = value + round(drawn * max(1.0, spread * abs(value)))
    return changed if changed * value > 0 else value


def decimals_of(number: float) -> int:
    """Decimals of its shortest text."""
    _, _, fraction = repr(number).partition(".")
    return MOST_DECIMALS if "e" in fraction or len(fraction) > MOST_DECIMALS else len(fraction)
