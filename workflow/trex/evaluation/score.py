"""Score responses to a suite or a public benchmark by running their code in the sandbox and solving their model.

    python -m trex.evaluation.score --suite suites/in_distribution.parquet --responses responses.jsonl
        --settings config.json --out scores.parquet
    python -m trex.evaluation.score --benchmark nl4opt --data FOLDER --responses responses.jsonl
        --settings config.json --out scores.parquet

Nothing that a program prints counts: the model object that it built is taken, solved here, and compared. One row a
response, in the responses' order: item_id, category, mode, family, difficulty, criterion, executed, structure_right
(null without a reference model), passed (by the item's criterion), passed_abs and passed_rel (objective within 1e-6,
and within 1e-6 relative to the larger of 1 and the label; null without a label), objective_value, expected,
failure_class, detail, isolation (the sandbox's level). A row of responses needs item_id, sha256, response and finish.

An `objective` item passes by passed_rel, a `structure` item when its model is isomorphic to the reference. The failure
class is the first obstacle met (trex.evaluation.failure_classes). With one worker or several, results are the same.

settings: solve_s and sandbox of the config's section `evaluation`.
"""

import contextlib
import dataclasses
import queue
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.evaluation import extraction
from trex.evaluation import items as sources
from trex.evaluation.failure_classes import CLASSES, PASSED
from trex.execution.sandbox import Execution, Sandbox
from trex.problems import canonical
from trex.problems.ir import Model
from trex.problems.solve import Solution, solve

STEP = "trex.evaluation.score"
TOLERANCE = 1e-6
DATA_FILE = "data.json"
COLUMNS = pa.schema(
    [
        *((name, pa.string()) for name in ("item_id", "category", "mode", "family", "difficulty", "criterion")),
        *((name, pa.bool_()) for name in ("executed", "structure_right", PASSED, "passed_abs", "passed_rel")),
        *((name, pa.float64()) for name in ("objective_value", "expected")),
        *((name, pa.string()) for name in ("failure_class", "detail", "isolation")),
    ]
)
RESPONSE_FIELDS = ("item_id", "sha256", "response", "finish")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a response's code: how it ran, and what its model is worth where it built one."""

    execution: Execution
    degenerate: bool = False
    solution: Solution | None = None
    structure_right: bool | None = None


def main() -> None:
    parser = cli.parser(__doc__)
    sources.add_arguments(parser)
    parser.add_argument("--responses", type=Path, required=True, help="responses.jsonl")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--out", type=Path, required=True, help="scores.parquet to write")
    arguments = parser.parse_args()
    items, source = sources.read(arguments)
    pairs = paired(items, files.read_jsonl(arguments.responses), arguments.responses)
    rows = score(pairs, arguments.settings)
    inputs = {"items": source, "responses": arguments.responses}
    origin = provenance(STEP, arguments.settings, inputs)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"scores: {sum(row[PASSED] for row in rows)} of {len(rows)} passed; isolation {isolations(rows)}")


def isolations(rows: list[dict]) -> str:
    return ", ".join(sorted({row["isolation"] for row in rows})) or "none"


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


def score(pairs: list[tuple[Item, dict]], settings: dict) -> list[dict]:
    """A row for each response, by `workers` sandboxes at a time."""
    with contextlib.ExitStack() as stack:
        free: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()
        workers = settings["sandbox"]["workers"]
        for _ in range(workers):
            free.put(stack.enter_context(Sandbox(settings["sandbox"])))

        def scored(pair: tuple[Item, dict]) -> dict:
            sandbox = free.get()
            try:
                return row_of(*pair, sandbox, settings["solve_s"])
            finally:
                free.put(sandbox)

        pool = stack.enter_context(ThreadPoolExecutor(workers))
        return list(cli.track(pool.map(scored, pairs), "scoring", total=len(pairs)))


def row_of(item: Item, response: dict, sandbox: Sandbox, solve_s: float) -> dict:
    outcome = judged(item, response, sandbox, solve_s)
    solution = outcome.solution
    value = solution.objective if solution is not None else None
    near_abs, near_rel = near(value, item.objective_value, outcome.degenerate)
    failure_class, detail = failure(item, response, outcome, near_rel)
    return {
        "item_id": item.item_id,
        "category": item.category,
        "mode": item.mode,
        "family": item.family,
        "difficulty": item.difficulty,
        "criterion": item.criterion,
        "executed": outcome.execution.status == "ok",
        "structure_right": outcome.structure_right,
        PASSED: failure_class == PASSED,
        "passed_abs": near_abs,
        "passed_rel": near_rel,
        "objective_value": value,
        "expected": item.objective_value,
        "failure_class": failure_class,
        "detail": detail,
        "isolation": sandbox.isolation,
    }


def judged(item: Item, response: dict, sandbox: Sandbox, solve_s: float) -> Outcome:
    """Run the response's code, solve and compare the model that it built."""
    known = item.model is not None
    if response["finish"] == "prompt_too_long":
        return Outcome(Execution("prompt_too_long", None, ""), structure_right=False if known else None)
    attached = {} if item.data_file is None else {DATA_FILE: item.data_file}
    execution = sandbox.run(extraction.code(response["response"]), attached)
    if execution.model is None:
        return Outcome(execution, structure_right=False if known else None)
    reference = Model.from_json(item.model) if known else None
    return Outcome(
        execution,
        degenerate=degenerate(execution.model) and (reference is None or not degenerate(reference)),
        solution=solve(execution.model, "gscip", solve_s),
        structure_right=canonical.isomorphic(execution.model, reference) if known else None,
    )


def degenerate(model: Model) -> bool:
    """True when nothing ties a free variable of the objective to another one, once bare bounds are read as bounds.

    Then the objective is a constant or its variables stop at their own bounds: the optimum can have been typed in.
    """
    form = canonical.normal_form(model)
    free = {index for index, (low, high) in enumerate(zip(form.lb, form.ub, strict=True)) if low != high}
    valued = {*form.linear, *(index for pair in form.quadratic for index in pair)} & free
    ties = [*(free & set(terms) for _, terms in form.rows), *(free & set(pair) for pair in form.quadratic)]
    return not any(len(tie) >= 2 and tie & valued for tie in ties)


def near(value: float | None, expected: float | None, degenerate: bool) -> tuple[bool | None, bool | None]:
    """Whether the objective is the label, by the absolute and by the relative tolerance; None without a label."""
    if expected is None:
        return None, None
    if value is None or degenerate:
        return False, False
    distance = abs(value - expected)
    return distance <= TOLERANCE, distance <= TOLERANCE * max(1.0, abs(expected))


def failure(item: Item, response: dict, outcome: Outcome, near_rel: bool | None) -> tuple[str, str]:
    """(class, detail): the first obstacle that the response met."""
    execution, solution = outcome.execution, outcome.solution
    if execution.model is None:
        cut = response["finish"] == "length" and execution.status != "prompt_too_long"
        return ("truncated" if cut else execution.status), execution.detail
    if item.criterion == "structure":
        return (PASSED if outcome.structure_right else "wrong_structure"), ""
    if outcome.degenerate:
        return "degenerate", "no decision is left in the model"
    if solution.status != "optimal":
        known = solution.status if solution.status in CLASSES else "unsolved"
        return known, solution.detail
    return (PASSED if near_rel else "wrong_objective"), ""


if __name__ == "__main__":
    cli.run(main)
