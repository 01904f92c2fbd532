"""What a response is worth: its code run in the sandbox, the model that it built solved and compared.

Nothing that a program prints counts, but for the column `legacy`. Models come from hostile programs, so solving and
comparing them is done in a process that may crash or be killed (trex.execution.judge).
"""

import contextlib
import dataclasses
from collections.abc import Callable

from trex.benchmarks.item import Item
from trex.common import seeds
from trex.evaluation import extraction, legacy
from trex.evaluation.legacy import Legacy
from trex.execution import equivalence
from trex.execution.equivalence import ISOMORPHIC, Verdict
from trex.execution.judge import Judge
from trex.execution.sandbox import Execution, Sandbox
from trex.problems import expression
from trex.problems.comparison.normal_form import tightest_bounds
from trex.problems.ir import Model, Row
from trex.problems.solve import Solution

DATA_FILE = "data.json"
NEARLY = 1e-9


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a response's code: how it ran, and what its model is worth where it built one.

    verdict: against the reference model, None without one; legacy: by the authors' rules, None where not asked for.
    """

    execution: Execution
    degenerate: bool = False
    solution: Solution | None = None
    verdict: Verdict | None = None
    legacy: Legacy | None = None


class Examiner(contextlib.ExitStack):
    """A context manager with a sandbox and a judge of its own; one response at a time."""

    def __init__(self, settings: dict, by_legacy_rules: bool):
        super().__init__()
        self.settings = settings
        self.by_legacy_rules = by_legacy_rules

    def __enter__(self) -> "Examiner":
        super().__enter__()
        self.sandbox = self.enter_context(Sandbox(self.settings["sandbox"]))
        self.judge = self.enter_context(Judge())
        return self

    def examine(self, item: Item, response: dict) -> Outcome:
        """response: a row of responses.jsonl."""
        if response["finish"] == "prompt_too_long":
            unasked = Legacy(False, "prompt_too_long") if self.by_legacy_rules else None
            return Outcome(Execution("prompt_too_long", None, ""), legacy=unasked)
        outcome = self.by_model(item, extraction.code(response["response"]))
        if self.by_legacy_rules:
            found = legacy.score(item, response["response"], attached(item.data_file), self.sandbox)
            outcome = dataclasses.replace(outcome, legacy=found)
        return outcome

    def by_model(self, item: Item, code: str) -> Outcome:
        execution = self.sandbox.run(code, attached(item.data_file))
        if execution.model is None:
            return Outcome(execution)
        reference = None if item.model is None else Model.from_json(item.model)
        solution = self.solve(execution.model)
        return Outcome(
            execution,
            degenerate=degenerate(execution.model) and (reference is None or not degenerate(reference)),
            solution=solution,
            verdict=None if reference is None else self.compared(item, code, execution.model, solution, reference),
        )

    def compared(self, item: Item, code: str, answer: Model, solution: Solution, reference: Model) -> Verdict:
        comparison = self.judge.compare(answer, reference, self.settings["solve_s"])
        if comparison.isomorphic:
            return Verdict(ISOMORPHIC, 0, "")
        programs = None
        if item.answer is not None:
            programs = equivalence.Programs(self.built_by(extraction.code(item.answer)), self.built_by(code))
        seed = seeds.derive(0, item.sha256)
        verdict = equivalence.of_other_models(solution, reference, self.solve, item.data_file, programs, seed)
        return dataclasses.replace(verdict, detail="; ".join(filter(None, (comparison.text, verdict.detail))))

    def solve(self, model: Model) -> Solution:
        return self.judge.solve(model, None, self.settings["solve_s"])

    def built_by(self, code: str) -> Callable[[str], Model | None]:
        return lambda data: self.sandbox.run(code, attached(data)).model


def attached(data: str | None) -> dict[str, str]:
    return {} if data is None else {DATA_FILE: data}


def degenerate(model: Model) -> bool:
    """True when no decision and no calculation is left: the optimum can have been typed in.

    So it is when no row that its bounds do not imply ties a free variable of the objective to another one, no product
    or expression has a free variable, and the free variables of the objective only add up bounds as they were written
    (each costs 1 or -1, and no row divides by its coefficient). Bare rows of one variable are bounds, and a variable
    whose bounds nearly meet is not free. What it cannot see: an answer typed in through a row of two variables.
    """
    lb, ub = tightest_bounds(model)
    free = {i for i, (low, high) in enumerate(zip(lb, ub, strict=True)) if high - low > NEARLY * max(1.0, abs(low))}
    valued = set(model.objective.linear) & free
    ties = [free & set(row.terms) for row in model.rows if row.is_linear and not implied(row, lb, ub)]
    if in_curves(model) & free or any(len(tie) >= 2 and tie & valued for tie in ties):
        return False
    divided = {i for row in model.rows for i, c in row.terms.items() if len(row.terms) == 1 and abs(c) != 1.0}
    return not any(abs(model.objective.linear[i]) != 1.0 or i in divided for i in valued)


def implied(row: Row, lb: list[float], ub: list[float]) -> bool:
    """Whether every point within the bounds satisfies a linear row."""
    least = sum(c * (lb[i] if c > 0 else ub[i]) for i, c in row.terms.items())
    most = sum(c * (ub[i] if c > 0 else lb[i]) for i, c in row.terms.items())
    return row.lb <= least and most <= row.ub


def in_curves(model: Model) -> set[int]:
    """The variables that stand in products or in nonlinear expressions."""
    parts = [model.objective, *model.rows]
    products = {index for part in parts for pair in part.quadratic for index in pair}
    return products.union(*(expression.variables(part.nonlinear) for part in parts if part.nonlinear is not None))
