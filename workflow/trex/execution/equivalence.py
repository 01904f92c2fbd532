"""Whether the model that a program built is the reference, says the same by other means, or is another.

    isomorphic             the reference but for names, order and the form of its rows (trex.problems.comparison)
    objective_equivalent   another model (a redundant row, an auxiliary variable, a substitution) that has the
                           reference's optimum on the original data and on other data. Evidence, not proof
    different              another optimum, or none, where the reference has one; or the reverse; on any of the data
    undecided              not isomorphic and nothing shows a difference, but too few data files could be had (the
                           problem has no data file, its reference no program, few files leave it an optimum), or
                           the solver came to no end

Other data are the problem's own file with other numbers (trex.execution.resample), at most ten of them:

    held           the answer's program has the reference program's optimum on all of them
    partly         on some
    hard_coded     on none: what is right on one file alone was not computed from it
    not_checked    fewer than five such files, counting those on which the solver came to an end

Two objective values are the same within 1e-6 of the larger of 1 and the reference's.
"""

from dataclasses import dataclass
from functools import cached_property

from trex.execution import resample
from trex.execution.judge import Judge
from trex.problems.ir import Model
from trex.problems.solve import ERROR, LIMIT, OPTIMAL, Solution

ISOMORPHIC = "isomorphic"
OBJECTIVE_EQUIVALENT = "objective_equivalent"
DIFFERENT = "different"
UNDECIDED = "undecided"
OUTCOMES = (ISOMORPHIC, OBJECTIVE_EQUIVALENT, DIFFERENT, UNDECIDED)
HELD, PARTLY, HARD_CODED, NOT_CHECKED = CHECKS = ("held", "partly", "hard_coded", "not_checked")
TOLERANCE = 1e-6
OTHER_DATA_S = 2.0  # processor seconds for a model on other data: where it takes longer, there are other files


@dataclass(frozen=True)
class DataCheck:
    """outcome: one of CHECKS; right: on how many of the files; detail: what shows it."""

    outcome: str
    files: int
    right: int
    detail: str


@dataclass(frozen=True)
class Verdict:
    """outcome: one of OUTCOMES; detail: what shows it."""

    outcome: str
    detail: str


class Reference:
    """What an answer to a problem is held against. Each part is computed once, when it is first asked for.

    data: the problem's file as JSON text; program: builds the reference's model on a data file (None where it fails).
    Either is None where there is none. solve_s: processor seconds for a model on the problem's own data.
    """

    def __init__(
        self, model: Model, judge: Judge, solve_s: float, data: str | None, program: resample.Build | None, seed: int
    ):
        self.model = model
        self.judge = judge
        self.solve_s = solve_s
        self.data = data
        self.program = program
        self.seed = seed

    @cached_property
    def solution(self) -> Solution:
        return self.judge.solve(self.model, None, self.solve_s)

    @cached_property
    def other_data(self) -> list[resample.Resampled]:
        """Empty where the program does not have the reference's optimum on the problem's own data."""
        if self.data is None or self.program is None or self.solution.status != OPTIMAL:
            return []
        model = self.program(self.data)
        if model is None or not agree(self.on_other_data(model), self.solution.objective):
            return []
        return resample.resampled(self.data, self.program, self.on_other_data, self.is_new, self.seed)

    def on_other_data(self, model: Model) -> Solution:
        return self.judge.solve(model, None, min(OTHER_DATA_S, self.solve_s))

    def is_new(self, objective: float) -> bool:
        """Where the optimum stays what it was, a program that always gives the same one is right too."""
        return not same(objective, self.solution.objective)

    def check(self, build: resample.Build) -> DataCheck:
        """The answer's program on the other data."""
        right, wrong, ended = 0, [], 0
        for file in self.other_data:
            solution = self.answered(build(file.data), file)
            if solution is not None and solution.status in (LIMIT, ERROR):
                continue
            ended += 1
            if solution is not None and agree(solution, file.objective):
                right += 1
            else:
                wrong.append(f"{said(solution)}, the reference's optimum {file.objective!r}")
        if ended < resample.FEWEST:
            return DataCheck(NOT_CHECKED, ended, right, f"only {ended} other data files could be used")
        if not wrong:
            return DataCheck(HELD, ended, right, "")
        detail = f"right on {right} of {ended} other data files; on the first of the others: {wrong[0]}"
        return DataCheck(PARTLY if right else HARD_CODED, ended, right, detail)

    def answered(self, model: Model | None, file: resample.Resampled) -> Solution | None:
        """The solution of an answer's model on a file: the reference's where it is the reference's model."""
        if model is None or self.judge.compare(model, file.model, OTHER_DATA_S).isomorphic:
            return model and Solution(OPTIMAL, file.objective)
        return self.on_other_data(model)

    def verdict(self, found: Solution, check: DataCheck | None) -> Verdict:
        """On a model, by its solution, that is not isomorphic to the reference. check: None without other data."""
        for solution in (found, self.solution):
            if solution.status in (LIMIT, ERROR):
                return Verdict(UNDECIDED, solution.detail or "the solver's time limit")
        if not self.agrees(found):
            return Verdict(DIFFERENT, f"{said(found)}, the reference {said(self.solution)}")
        if check is None:
            return Verdict(UNDECIDED, "no data to resample")
        if check.outcome == NOT_CHECKED:
            return Verdict(UNDECIDED, check.detail)
        return Verdict(OBJECTIVE_EQUIVALENT if check.outcome == HELD else DIFFERENT, check.detail)

    def agrees(self, found: Solution) -> bool:
        """Whether a solution has the reference's status, and its optimum where it has one."""
        if found.status != self.solution.status:
            return False
        return found.status != OPTIMAL or same(found.objective, self.solution.objective)


def agree(solution: Solution, expected: float) -> bool:
    return solution.status == OPTIMAL and same(solution.objective, expected)


def said(solution: Solution | None) -> str:
    if solution is None:
        return "the program fails"
    return f"has the optimum {solution.objective!r}" if solution.status == OPTIMAL else f"is {solution.status}"


def same(value: float, expected: float) -> bool:
    return abs(value - expected) <= TOLERANCE * max(1.0, abs(expected))
