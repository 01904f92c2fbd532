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
from trex.problems.comparison import canonical
from trex.problems.ir import Model
from trex.problems.solve import Solution

DATA_FILE = "data.json"


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
            return Outcome(Execution("prompt_too_long", None, ""))
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
        return Outcome(
            execution,
            degenerate=degenerate(execution.model) and (reference is None or not degenerate(reference)),
            solution=self.solve(execution.model),
            verdict=None if reference is None else self.compared(item, code, execution.model, reference),
        )

    def compared(self, item: Item, code: str, answer: Model, reference: Model) -> Verdict:
        comparison = self.judge.compare(answer, reference, self.settings["solve_s"])
        if comparison.isomorphic:
            return Verdict(ISOMORPHIC, 0, "")
        programs = None
        if item.answer is not None:
            programs = equivalence.Programs(self.built_by(extraction.code(item.answer)), self.built_by(code))
        seed = seeds.derive(0, item.sha256)
        verdict = equivalence.of_other_models(answer, reference, self.solve, item.data_file, programs, seed)
        return dataclasses.replace(verdict, detail="; ".join(filter(None, (comparison.text, verdict.detail))))

    def solve(self, model: Model) -> Solution:
        return self.judge.solve(model, None, self.settings["solve_s"])

    def built_by(self, code: str) -> Callable[[str], Model | None]:
        return lambda data: self.sandbox.run(code, attached(data)).model


def attached(data: str | None) -> dict[str, str]:
    return {} if data is None else {DATA_FILE: data}


def degenerate(model: Model) -> bool:
    """True when no decision is left: nothing ties a free variable of the objective to another one, and none is curved.

    Then the objective is a constant or its variables stop at their own bounds: the optimum can have been typed in.
    Bare bounds are read as bounds; a product or an expression with a free variable in it is a decision.
    """
    if model.degree == "nonlinear":
        return not any(model.variables[index].lb != model.variables[index].ub for index in in_curves(model))
    form = canonical.normal_form(model)
    free = {index for index, (low, high) in enumerate(zip(form.lb, form.ub, strict=True)) if low != high}
    ties = [free & set(terms) for _, terms in form.rows]
    return not in_curves(model) & free and not any(len(tie) >= 2 and tie & set(form.linear) for tie in ties)


def in_curves(model: Model) -> set[int]:
    """The variables that stand in products or in nonlinear expressions."""
    parts = [model.objective, *model.rows]
    products = {index for part in parts for pair in part.quadratic for index in pair}
    return products.union(*(expression.variables(part.nonlinear) for part in parts if part.nonlinear is not None))
