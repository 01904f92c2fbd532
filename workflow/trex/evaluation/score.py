"""Score responses to a suite or a public benchmark by running their code in the sandbox and solving their model.

    python -m trex.evaluation.score --suite suites/in_distribution.parquet --responses responses.jsonl
        --settings config.json --out scores.parquet
    python -m trex.evaluation.score --benchmark nl4opt --data FOLDER --responses responses.jsonl
        --settings config.json --out scores.parquet

Nothing that a program prints counts: the model object that it built is taken, solved here, and compared. One row a
response, in the responses' order: item_id, category, mode, family, difficulty, criterion, known_bad (why the label or
the reference is known to be wrong, else empty), executed, dialect (the library that built the model), structure (of
trex.execution.equivalence.OUTCOMES; null without a reference model), structure_right (it is isomorphic; so too),
passed (by the item's criterion), passed_abs and passed_rel (objective within 1e-6, and within 1e-6 relative to the
larger of 1 and the label; null without a label), passed_legacy (by the rules of SLAI T-Rex's authors, public
benchmarks only: trex.evaluation.legacy), objective_value, expected, failure_class, detail, isolation (the sandbox's
level). A row of responses needs item_id, sha256, response and finish.

An `objective` item passes by passed_rel, or by having no optimum where that is its label; a `structure` item when its
model is isomorphic to the reference. The failure class is the first obstacle met (trex.evaluation.failure_classes).
With one worker or several, results are the same. The summary gives the full set first, then that without items known
to be bad.

settings: solve_s and sandbox of the config's section `evaluation`.
"""

import contextlib
import queue
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.common.statistics import wilson
from trex.evaluation import items as item_sources
from trex.evaluation.examine import Examiner, Outcome
from trex.evaluation.failure_classes import CLASSES, PASSED
from trex.execution import sandbox
from trex.execution.equivalence import DIFFERENT, ISOMORPHIC, OUTCOMES, TOLERANCE, same
from trex.problems.solve import LIMIT, OPTIMAL

STEP = "trex.evaluation.score"
LONGEST_S = 86400
COLUMNS = pa.schema(
    [
        *((name, pa.string()) for name in ("item_id", "category", "mode", "family", "difficulty", "criterion")),
        *((name, pa.string()) for name in ("known_bad", "dialect", "structure")),
        *((name, pa.bool_()) for name in ("executed", "structure_right", PASSED)),
        *((name, pa.bool_()) for name in ("passed_abs", "passed_rel", "passed_legacy")),
        *((name, pa.float64()) for name in ("objective_value", "expected")),
        *((name, pa.string()) for name in ("failure_class", "detail", "isolation")),
    ]
)
RESPONSE_FIELDS = ("item_id", "sha256", "response", "finish")
FINISHES = ("stop", "length", "prompt_too_long")
MINIMISERS = ("scipy.optimize",)  # libraries in which a maximum is asked for by turning the sign


def main() -> None:
    parser = cli.parser(__doc__)
    item_sources.add_arguments(parser)
    parser.add_argument("--responses", type=Path, required=True, help="responses.jsonl")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--out", type=Path, required=True, help="scores.parquet to write")
    arguments = parser.parse_args()
    files.check_place(arguments.out)
    items, sources = item_sources.read(arguments)
    pairs = paired(items, files.read_jsonl(arguments.responses), arguments.responses)
    rows = score(pairs, arguments.settings, by_legacy_rules=arguments.benchmark is not None)
    inputs = {"items": sources, "responses": arguments.responses}
    origin = provenance(STEP, arguments.settings, inputs)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print("\n".join(summary(rows)))


def summary(rows: list[dict]) -> list[str]:
    """Lines for a person: the full set first."""
    lines = [f"scores: {shares(rows)}"]
    if sound := [row for row in rows if not row["known_bad"]]:
        excluded = len(rows) - len(sound)
        lines += [f"without {excluded} items known to be bad: {shares(sound)}"] if excluded else []
    if legacy := [row["passed_legacy"] for row in rows if row["passed_legacy"] is not None]:
        lines.append(f"by the rules of the paper's authors (legacy): {sum(legacy)} of {len(legacy)}")
    if structures := Counter(row["structure"] for row in rows if row["structure"] is not None):
        lines.append("structure: " + ", ".join(f"{name} {structures[name]}" for name in OUTCOMES if structures[name]))
    return [*lines, f"isolation: {', '.join(sorted({row['isolation'] for row in rows})) or 'none'}"]


def shares(rows: list[dict]) -> str:
    n, passed = len(rows), sum(row[PASSED] for row in rows)
    if not n:
        return "no responses"
    low, high = wilson(passed, n)
    return f"{passed} of {n} passed ({passed / n:.2%}, 95 % {low:.2%} to {high:.2%})"


def paired(items: list[Item], responses: list[dict], path: Path) -> list[tuple[Item, dict]]:
    """Each response with its item.

    Raises UserError for one that is malformed, answers something else or answers twice, and for items left out: a rate
    over the items that somebody chose to answer is no Pass@1.
    """
    by_id = {item.item_id: item for item in items}
    pairs, answered = [], {}
    for number, response in enumerate(responses, start=1):
        where = f"{path}, row {number}"
        if not isinstance(response, dict) or any(not isinstance(response.get(key), str) for key in RESPONSE_FIELDS):
            raise UserError(f"{where}: needs the texts {', '.join(RESPONSE_FIELDS)}")
        item = by_id.get(response["item_id"])
        if item is None:
            raise UserError(f"{where}: no item is called {response['item_id']!r}; give the suite that was answered")
        if response["finish"] not in FINISHES:
            raise UserError(f"{where}: finish {response['finish']!r} is none of {', '.join(FINISHES)}")
        if item.sha256 != response["sha256"]:
            raise UserError(f"{where}: {item.item_id} was asked in other words (its sha256 differs); answer it again")
        if item.item_id in answered:
            raise UserError(f"{where}: answers {item.item_id} again, after row {answered[item.item_id]}; keep one")
        answered[item.item_id] = number
        pairs.append((item, response))
    if missing := [item_id for item_id in by_id if item_id not in answered]:
        raise UserError(
            f"{path}: {len(missing)} of {len(items)} items have no response, {missing[0]!r} first; "
            "give each a row, with an empty response where there is none"
        )
    return pairs


def score(pairs: list[tuple[Item, dict]], settings: dict, by_legacy_rules: bool = False) -> list[dict]:
    """A row for each response, by `workers` examiners at a time."""
    check(settings)
    with contextlib.ExitStack() as stack:
        free: queue.SimpleQueue[Examiner] = queue.SimpleQueue()
        workers = settings["sandbox"]["workers"]
        for _ in range(workers):
            free.put(stack.enter_context(Examiner(settings, by_legacy_rules)))

        def scored(pair: tuple[Item, dict]) -> dict:
            examiner = free.get()
            try:
                return row_of(*pair, examiner)
            finally:
                free.put(examiner)

        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)
        return list(cli.track(pool.map(scored, pairs), "scoring", total=len(pairs)))


def check(settings: dict) -> None:
    """Raises UserError naming the setting that is wrong."""
    sandbox.check(settings["sandbox"])
    seconds = settings["solve_s"]
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= LONGEST_S:
        raise UserError(f"solve_s must be a positive number of seconds, at most {LONGEST_S}, not {seconds!r}")


def row_of(item: Item, response: dict, examiner: Examiner) -> dict:
    outcome = examiner.examine(item, response)
    solution = outcome.solution
    value = solution.objective if solution is not None else None
    near_abs, near_rel = near(value, item.objective_value, outcome.degenerate)
    structure = structure_of(item, outcome)
    failure_class, detail = failure(item, response, outcome, near_rel)
    return {
        "item_id": item.item_id,
        "category": item.category,
        "mode": item.mode,
        "family": item.family,
        "difficulty": item.difficulty,
        "criterion": item.criterion,
        "known_bad": item.known_bad,
        "executed": outcome.execution.status == "ok",
        "dialect": outcome.execution.dialect,
        "structure": structure,
        "structure_right": None if structure is None else structure == ISOMORPHIC,
        PASSED: failure_class == PASSED,
        "passed_abs": near_abs,
        "passed_rel": near_rel,
        "passed_legacy": None if outcome.legacy is None else outcome.legacy.passed,
        "objective_value": value,
        "expected": item.objective_value,
        "failure_class": failure_class,
        "detail": detail,
        "isolation": examiner.sandbox.isolation,
    }


def structure_of(item: Item, outcome: Outcome) -> str | None:
    """A response that builds no model is different from every reference."""
    if item.model is None:
        return None
    return DIFFERENT if outcome.verdict is None else outcome.verdict.outcome


def near(value: float | None, expected: float | None, degenerate: bool) -> tuple[bool | None, bool | None]:
    """Whether the objective is the label, by the absolute and by the relative tolerance; None without a label."""
    if expected is None:
        return None, None
    if value is None or degenerate:
        return False, False
    return abs(value - expected) <= TOLERANCE, same(value, expected)


def failure(item: Item, response: dict, outcome: Outcome, near_rel: bool | None) -> tuple[str, str]:
    """(class, detail): the first obstacle that the response met."""
    execution, solution = outcome.execution, outcome.solution
    if execution.model is None:
        cut = response["finish"] == "length" and execution.status != "prompt_too_long"
        return ("truncated" if cut else execution.status), execution.detail
    if item.criterion == "structure":
        right = outcome.verdict.outcome == ISOMORPHIC
        return (PASSED if right else "wrong_structure"), outcome.verdict.detail
    if item.objective_value is None and item.expected_status is not None:
        right = solution.status in item.expected_status.split("_or_")
        return (PASSED if right else "wrong_objective"), f"the model is {solution.status}"
    if outcome.degenerate:
        return "degenerate", "no decision is left in the model"
    if solution.status != OPTIMAL:
        known = solution.status if solution.status in CLASSES else "unsolved"
        return known, solution.detail or ("the solver's time limit" if solution.status == LIMIT else "")
    if execution.dialect in MINIMISERS and near(-solution.objective, item.objective_value, False)[1] and not near_rel:
        return "unsupported", f"{execution.dialect} only minimises: whether the sign was turned is not in the model"
    return (PASSED if near_rel else "wrong_objective"), ""


if __name__ == "__main__":
    cli.run(main)
