"""The row of a response in `scores.parquet`: what passes by which criterion, and the first obstacle where it does not.

Columns: item_id, attempt (which of the item's responses, from 0), the item's category, mode, family, difficulty,
criterion, cluster and known_bad (why its label or reference is known to be wrong, else empty); protocol and shots (how
it was asked, as far as that is stated); dialect (the library that built the model), reading (the model's variables are
`continuous`, `integer` or `mixed`), executed (a model was built), structure (trex.execution.equivalence.OUTCOMES; null
without a reference model), structure_right (it is isomorphic), other_reading (trex.evaluation.readings), data_check
(trex.execution.equivalence.CHECKS; null without a data file or where the answer is not right on it); passed (by the
item's criterion), passed_abs and passed_rel (objective within 1e-6, and within 1e-6 relative to the larger of 1 and the
label; null without a label), passed_legacy and legacy_detail (trex.evaluation.legacy; public benchmarks only),
objective_value, expected, holds_label (a number of the answer's model is the label: by chance, or typed in; of answers
that meet it alone), failure_class, detail, isolation (the sandbox's level), sha256 (of what the item asks).

An `objective` item passes by passed_rel, a `structure` item when its model is isomorphic to the reference. Where the
label is that there is no optimum, a model that has none is right by either tolerance. What is degenerate or hard-coded
is right by no criterion.
"""

import pyarrow as pa

from trex.benchmarks.item import OPTIMAL, Item
from trex.evaluation.degenerate import holds
from trex.evaluation.examine import Outcome
from trex.evaluation.failure_classes import CLASSES, PASSED, UNANSWERED
from trex.evaluation.legacy import Legacy
from trex.evaluation.protocol import Protocol
from trex.evaluation.readings import reading
from trex.evaluation.responses import LENGTH, Response
from trex.execution.equivalence import DIFFERENT, HARD_CODED, ISOMORPHIC, TOLERANCE, UNDECIDED, same
from trex.execution.sandbox import Execution
from trex.problems.solve import LIMIT

TEXTS = ("category", "mode", "family", "difficulty", "criterion", "cluster", "known_bad")
COLUMNS = pa.schema(
    [
        ("item_id", pa.string()),
        ("attempt", pa.int64()),
        *((name, pa.string()) for name in (*TEXTS, "protocol")),
        ("shots", pa.int64()),
        *((name, pa.string()) for name in ("dialect", "reading", "structure", "other_reading", "data_check")),
        *((name, pa.bool_()) for name in ("executed", "structure_right", PASSED)),
        *((name, pa.bool_()) for name in ("passed_abs", "passed_rel", "passed_legacy")),
        ("legacy_detail", pa.string()),
        *((name, pa.float64()) for name in ("objective_value", "expected")),
        ("holds_label", pa.bool_()),
        *((name, pa.string()) for name in ("failure_class", "detail", "isolation", "sha256")),
    ]
)
MINIMISERS = ("scipy.optimize",)  # libraries in which a maximum is asked for by turning the sign
# What trex.problems.comparison calls a difference -> failure class; others go by their own name.
STRUCTURES = {
    "variable_count": "wrong_structure",
    "structure": "wrong_structure",
    "wrong_objective": "wrong_coefficient",
}


def unanswered(by_legacy_rules: bool) -> Outcome:
    """Of an item that has no response."""
    return Outcome(Execution(UNANSWERED, None, ""), legacy=Legacy(False, UNANSWERED) if by_legacy_rules else None)


def row(item: Item, response: Response, outcome: Outcome, protocol: Protocol, isolation: str) -> dict:
    solution = outcome.solution
    near_abs, near_rel = near(item, outcome)
    failure_class, detail = failure(item, response, outcome, near_rel)
    if not detail and outcome.check is not None:
        detail = outcome.check.detail
    structure = structure_of(item, outcome)
    model = outcome.execution.model
    return {name: getattr(item, name) for name in ("item_id", *TEXTS)} | {
        "attempt": response.attempt,
        "protocol": protocol.text(),
        "shots": protocol.shots,
        "dialect": outcome.execution.dialect,
        "reading": None if model is None else reading(model),
        "executed": model is not None,
        "structure": structure,
        "structure_right": None if structure is None else structure == ISOMORPHIC,
        "other_reading": outcome.other_reading,
        "data_check": None if outcome.check is None else outcome.check.outcome,
        PASSED: failure_class == PASSED,
        "passed_abs": near_abs,
        "passed_rel": near_rel,
        "passed_legacy": None if outcome.legacy is None else outcome.legacy.passed,
        "legacy_detail": None if outcome.legacy is None else printable(outcome.legacy.detail),
        "objective_value": None if solution is None else solution.objective,
        "expected": item.objective_value,
        "holds_label": holds(model, item.objective_value) if near_rel and item.objective_value is not None else None,
        "failure_class": failure_class,
        "detail": printable(detail),
        "isolation": isolation,
        "sha256": item.sha256,
    }


def printable(text: str) -> str:
    """Without halves of characters, which no file can hold: texts of programs and of other people are in it."""
    return text.encode(errors="replace").decode()


def structure_of(item: Item, outcome: Outcome) -> str | None:
    """A response that builds no model is different from every reference."""
    if item.model is None:
        return None
    return DIFFERENT if outcome.verdict is None else outcome.verdict.outcome


def near(item: Item, outcome: Outcome) -> tuple[bool | None, bool | None]:
    """Whether the answer has the label, by the absolute and by the relative tolerance; None without a label."""
    if item.expected_status is None:
        return None, None
    solution = outcome.solution
    if solution is None or outcome.degenerate or is_hard_coded(outcome):
        return False, False
    if item.expected_status != OPTIMAL:
        right = solution.status in item.expected_status.split("_or_")
        return right, right
    if item.objective_value is None or solution.objective is None:
        return False, False
    value, label = solution.objective, item.objective_value
    return abs(value - label) <= TOLERANCE, same(value, label)


def is_hard_coded(outcome: Outcome) -> bool:
    return outcome.check is not None and outcome.check.outcome == HARD_CODED


def failure(item: Item, response: Response, outcome: Outcome, near_rel: bool | None) -> tuple[str, str]:
    """(class, detail): the first obstacle that the response met."""
    execution = outcome.execution
    if execution.model is None:
        return ("truncated" if response.finish == LENGTH else execution.status), execution.detail
    if outcome.degenerate:
        return "degenerate", "no decision is left in the model"
    if is_hard_coded(outcome):
        return HARD_CODED, outcome.check.detail
    if item.criterion == "structure":
        return by_structure(outcome)
    return (PASSED, "") if near_rel else by_objective(item, outcome)


def by_structure(outcome: Outcome) -> tuple[str, str]:
    if outcome.verdict.outcome == ISOMORPHIC:
        return PASSED, ""
    return kind_of(outcome) or "wrong_structure", outcome.verdict.detail


def by_objective(item: Item, outcome: Outcome) -> tuple[str, str]:
    """Of an answer that misses its label."""
    solution, dialect = outcome.solution, outcome.execution.dialect
    if item.objective_value is None:
        return "wrong_objective", f"the model is {solution.status}, the label says {item.expected_status}"
    if solution.status != OPTIMAL:
        known = solution.status if solution.status in CLASSES else "unsolved"
        return known, solution.detail or ("the solver's time limit" if solution.status == LIMIT else "")
    if dialect in MINIMISERS and same(-solution.objective, item.objective_value):
        return "unsupported", f"{dialect} only minimises: whether the sign was turned is not in the model"
    if kind := kind_of(outcome):
        return kind, outcome.verdict.detail
    if outcome.verdict is not None and outcome.verdict.outcome == ISOMORPHIC:
        return "wrong_objective", "it is the reference model, whose optimum is not the label: look at the label"
    if outcome.other_reading is not None:
        return "discrete_semantics", f"the label is met where variables are {outcome.other_reading}"
    return "wrong_objective", ""


def kind_of(outcome: Outcome) -> str | None:
    """The class of the first difference from the reference model, None where there is none to name."""
    if outcome.comparison is None or outcome.comparison.outcome in (ISOMORPHIC, UNDECIDED):
        return None
    return STRUCTURES.get(outcome.comparison.kind, outcome.comparison.kind)
