"""What a response is worth: its code run in the sandbox, the model that it built solved and compared.

Nothing that a program prints counts, but for the column `legacy`. Models come from hostile programs, so solving and
comparing them is done in a process that may crash or be killed (trex.execution.judge).
"""

import contextlib
import dataclasses
from collections.abc import Callable

from trex.benchmarks.item import Item
from trex.common import seeds
from trex.evaluation import legacy
from trex.evaluation.degenerate import degenerate
from trex.evaluation.legacy import Legacy
from trex.evaluation.readings import other_reading
from trex.evaluation.responses import API, PROMPT_TOO_LONG, Response
from trex.execution import extraction
from trex.execution.equivalence import DIFFERENT, HARD_CODED, ISOMORPHIC, DataCheck, Reference, Verdict, agree
from trex.execution.judge import Comparison, Judge
from trex.execution.sandbox import Execution, Sandbox
from trex.problems.ir import Model
from trex.problems.solve import Solution

DATA_FILE = "data.json"
UNASKED = (PROMPT_TOO_LONG, API)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a response's code: how it ran, and what its model is worth where it built one.

    comparison and verdict: against the reference model, None without one. check: its program on other data, None
    without a data file or where it is not right on the problem's own. other_reading: see trex.evaluation.readings.
    legacy: by the authors' rules, None where not asked for.
    """

    execution: Execution
    degenerate: bool = False
    solution: Solution | None = None
    comparison: Comparison | None = None
    verdict: Verdict | None = None
    check: DataCheck | None = None
    other_reading: str | None = None
    legacy: Legacy | None = None


class Stopped(Exception):
    """What is being examined is not wanted any more."""


class Examiner(contextlib.ExitStack):
    """A context manager with a sandbox and a judge of its own; one item at a time."""

    def __init__(self, settings: dict, by_legacy_rules: bool):
        super().__init__()
        self.settings = settings
        self.by_legacy_rules = by_legacy_rules
        self.stopped = False  # by another thread: an item with many data files takes long

    def __enter__(self) -> "Examiner":
        super().__enter__()
        self.sandbox = self.enter_context(Sandbox(self.settings["sandbox"]))
        self.judge = self.enter_context(Judge())
        return self

    def examine(self, item: Item, responses: list[Response]) -> list[Outcome]:
        """Of each response to the item. What belongs to the item alone, such as other data files, is computed once."""
        reference = self.reference(item)
        return [self.outcome(item, response, reference) for response in responses]

    def reference(self, item: Item) -> Reference | None:
        if item.model is None:
            return None
        program = None if item.answer is None else self.built_by(extraction.code(item.answer))
        seed = seeds.derive(0, item.sha256)
        model, solve_s = Model.from_json(item.model), self.settings["solve_s"]
        return Reference(model, self.judge, solve_s, item.data_file, program, seed)

    def outcome(self, item: Item, response: Response, reference: Reference | None) -> Outcome:
        if response.finish in UNASKED:
            unasked = Legacy(False, response.finish) if self.by_legacy_rules else None
            return Outcome(Execution(response.finish, None, response.detail), legacy=unasked)
        outcome = self.by_model(item, extraction.code(response.text), reference)
        if self.by_legacy_rules:
            found = legacy.score(item, response.text, attached(item.data_file), self.sandbox)
            outcome = dataclasses.replace(outcome, legacy=found)
        return outcome

    def by_model(self, item: Item, code: str, reference: Reference | None) -> Outcome:
        execution = self.sandbox.run(code, attached(item.data_file))
        model = execution.model
        if model is None:
            return Outcome(execution)
        outcome = Outcome(
            execution,
            degenerate=degenerate(model) and (reference is None or not degenerate(reference.model)),
            solution=self.solve(model),
        )
        if reference is not None:
            outcome = dataclasses.replace(outcome, **self.compared(code, outcome, reference))
        label = item.objective_value
        if label is None or outcome.degenerate or agree(outcome.solution, label):
            return outcome
        return dataclasses.replace(outcome, other_reading=other_reading(model, outcome.solution, label, self.solve))

    def compared(self, code: str, outcome: Outcome, reference: Reference) -> dict:
        """comparison, verdict and check of an outcome"""
        comparison = self.judge.compare(outcome.execution.model, reference.model, self.settings["solve_s"])
        if outcome.degenerate:
            return {"comparison": comparison, "verdict": Verdict(DIFFERENT, comparison.text)}
        right = comparison.isomorphic or reference.agrees(outcome.solution)
        check = reference.check(self.built_by(code)) if right and reference.data is not None else None
        verdict = Verdict(ISOMORPHIC, "")
        if not comparison.isomorphic:
            verdict = reference.verdict(outcome.solution, check)
            verdict = Verdict(verdict.outcome, "; ".join(filter(None, (comparison.text, verdict.detail))))
        elif check is not None and check.outcome == HARD_CODED:
            verdict = Verdict(DIFFERENT, check.detail)
        return {"comparison": comparison, "verdict": verdict, "check": check}

    def solve(self, model: Model) -> Solution:
        return self.judge.solve(model, None, self.settings["solve_s"])

    def built_by(self, code: str) -> Callable[[str], Model | None]:
        def build(data: str) -> Model | None:
            if self.stopped:
                raise Stopped
            return self.sandbox.run(code, attached(data)).model

        return build


def attached(data: str | None) -> dict[str, str]:
    return {} if data is None else {DATA_FILE: data}
