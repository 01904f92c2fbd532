"""The reasoning part of an answer: what is known, what is decided, what is optimised, what must hold.

Where the data stand in the prompt it counts and looks at them, and ends with the optimum; where they stand in a file
only structure is told, since the prompt does not show the numbers. Every number in it can be checked: `clean` does.
"""

from random import Random

from trex.problems.family import PLACE, SHARE, Fact
from trex.problems.ir import Model
from trex.problems.wording import Statement


def reasoning(statement: Statement, model: Model, optimum: float, rng: Random) -> str:
    """Lines of prose. optimum: the objective value that the solvers agree on."""
    decision, objective, *rows = statement.formulation
    lines = [*known(statement.facts), f"We decide {decision}."]
    if statement.data_file is None:
        lines[:0] = sizes(statement.facts)
        lines += [*ranges(statement.facts, rng), counted(model)]
    lines += [f"The objective is {objective}.", f"What must hold: {'; '.join(rows)}."]
    if statement.data_file is None:
        lines.append(f"Solved, the optimal value is {number(optimum)}.")
    return "\n".join(lines)


def known(facts: tuple[Fact, ...]) -> list[str]:
    if not facts:
        return []
    return [f"We know {', '.join(f'the {fact.label} ({fact.symbol})' for fact in facts)}."]


def sizes(facts: tuple[Fact, ...]) -> list[str]:
    axes = {axis.plural: len(axis.members) for fact in facts for axis in fact.axes}
    return [f"There are {' and '.join(f'{count} {plural}' for plural, count in axes.items())}."] if axes else []


def ranges(facts: tuple[Fact, ...], rng: Random) -> list[str]:
    """Between what the values of one of the lists lie."""
    lists = [fact for fact in facts if len(fact.axes) == 1 and fact.kind != PLACE]
    if not lists:
        return []
    fact = rng.choice(lists)
    unit = " percent" if fact.kind == SHARE else ""
    return [f"The {fact.label} lies between {number(min(fact.value))} and {number(max(fact.value))}{unit}."]


def counted(model: Model) -> str:
    whole = sum(variable.is_integer for variable in model.variables)
    return f"That makes {len(model.variables)} variables, {whole} of them integer."


def number(value: float) -> str:
    """Ten significant digits: more than the tolerance of scoring needs."""
    return f"{value:.10g}"
