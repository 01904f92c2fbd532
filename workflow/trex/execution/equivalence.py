"""Whether the model that a program built is the reference, says the same by other means, or is another.

    isomorphic             the reference but for names, order and the form of its rows (trex.problems.comparison)
    objective_equivalent   another model (a redundant row, an auxiliary variable, a substitution) that has the
                           reference's optimum on the original data and on five to ten resampled data files
                           (trex.execution.resample). Evidence, not proof
    different              another optimum, or none, where the reference has one; or the reverse
    undecided              not isomorphic and nothing shows a difference, but too few data files could be had (the
                           problem has no data file, its reference no program, few files leave it an optimum), or
                           the solver came to no end

Two objective values are the same within 1e-6 of the larger of 1 and the reference's.
"""

from collections.abc import Callable
from dataclasses import dataclass

from trex.execution import resample
from trex.problems.ir import Model
from trex.problems.solve import ERROR, LIMIT, OPTIMAL, Solution

ISOMORPHIC = "isomorphic"
OBJECTIVE_EQUIVALENT = "objective_equivalent"
DIFFERENT = "different"
UNDECIDED = "undecided"
OUTCOMES = (ISOMORPHIC, OBJECTIVE_EQUIVALENT, DIFFERENT, UNDECIDED)
TOLERANCE = 1e-6

Solve = Callable[[Model], Solution]


@dataclass(frozen=True)
class Programs:
    """Builds of a data file (JSON text): the reference's model and the answer's, None where a program fails."""

    reference: resample.Build
    answer: resample.Build


@dataclass(frozen=True)
class Verdict:
    """outcome: one of OUTCOMES; files: resampled data files compared; detail: what shows it."""

    outcome: str
    files: int
    detail: str


def of_other_models(
    found: Solution, reference: Model, solve: Solve, data: str | None, programs: Programs | None, seed: int
) -> Verdict:
    """The verdict on a model, by its solution, that is not isomorphic to the reference.

    data and programs: None where the problem has no data file, or its reference no program.
    """
    expected = solve(reference)
    for solution in (found, expected):
        if solution.status in (LIMIT, ERROR):
            return Verdict(UNDECIDED, 0, solution.detail or "the solver's time limit")
    if found.status != expected.status:
        return Verdict(DIFFERENT, 0, f"the model is {found.status}, the reference {expected.status}")
    if expected.status == OPTIMAL and not same(found.objective, expected.objective):
        return Verdict(DIFFERENT, 0, f"the optimum is {found.objective!r}, the reference's {expected.objective!r}")
    if data is None or programs is None:
        return Verdict(UNDECIDED, 0, "no data to resample")
    files = resample.resampled(data, programs.reference, solve, seed)
    for number, file in enumerate(files, start=1):
        model = programs.answer(file.data)
        if model is None:
            return Verdict(DIFFERENT, number, "on resampled data the program fails")
        solution = solve(model)
        if solution.status in (LIMIT, ERROR):
            return Verdict(UNDECIDED, number, solution.detail or "the solver's time limit")
        if solution.status != OPTIMAL or not same(solution.objective, file.objective):
            value = repr(solution.objective) if solution.status == OPTIMAL else solution.status
            return Verdict(DIFFERENT, number, f"on resampled data: {value}, the reference's optimum {file.objective!r}")
    if len(files) < resample.FEWEST:
        return Verdict(UNDECIDED, len(files), f"only {len(files)} resampled data files have an optimum")
    return Verdict(OBJECTIVE_EQUIVALENT, len(files), "")


def same(value: float, expected: float) -> bool:
    return abs(value - expected) <= TOLERANCE * max(1.0, abs(expected))
