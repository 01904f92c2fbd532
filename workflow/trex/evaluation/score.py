"""Score responses to a public benchmark or a suite by running their code in the sandbox and solving their model.

    python -m trex.evaluation.score --benchmark nl4opt --data FOLDER --responses responses.jsonl --out DIR
    python -m trex.evaluation.score --suite suites/in_distribution.parquet --responses responses.jsonl --out DIR

FOLDER holds the benchmark in its upstream layout. A response is a line of JSON with the item's `id` and the `response`,
the text that a model wrote (trex.evaluation.responses); several lines of one id are several attempts. Nothing that a
program prints counts: the model object that it built is taken, solved here, and compared.

DIR gets summary.json (n, passed and the interval of each criterion, in every view of the set: trex.evaluation.summary),
items.csv (a row an item) and scores.parquet (a row a response, in the items' order: trex.evaluation.grade). An item
without a response is scored as `unanswered`: it counts in the full set and is left out in the view `answered`.

With one worker or several, results are the same. What was scored when the command was interrupted is not scored again.
"""

import contextlib
import dataclasses
import functools
import queue
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from trex.benchmarks.item import Item
from trex.common import cli, files, parallel
from trex.common.errors import UserError
from trex.common.provenance import code_digest, digest_json, library_versions, provenance
from trex.evaluation import grade, protocol, summary
from trex.evaluation import items as item_sources
from trex.evaluation.examine import Examiner
from trex.evaluation.journal import Journal
from trex.evaluation.protocol import Protocol
from trex.evaluation.responses import Response, Responses
from trex.evaluation.settings import checked, deciding

STEP = "trex.evaluation.score"
AHEAD = 4  # items that wait for each worker


def main() -> None:
    parser = cli.parser(__doc__)
    item_sources.add_arguments(parser)
    parser.add_argument("--responses", type=Path, required=True, help="JSONL of responses")
    parser.add_argument("--out", type=Path, required=True, help="folder for summary.json, items.csv and scores.parquet")
    parser.add_argument(
        "--settings",
        type=cli.json_argument,
        default={},
        help="JSON text or file: solve_s and sandbox as in the config's section evaluation; what it leaves out has "
        "the default there",
    )
    arguments = parser.parse_args()
    settings = checked(arguments.settings)
    places = {name: arguments.out / name for name in ("summary.json", "items.csv", "scores.parquet")}
    for place in places.values():
        files.check_place(place)
    items, sources = item_sources.read(arguments)
    responses = Responses(arguments.responses, items)
    if not len(responses):
        raise UserError(f"{arguments.responses}: holds no response; nothing to score")
    asked = protocol.beside(arguments.responses)
    rows = score(items, responses, settings, asked, arguments.benchmark is not None, arguments.out)
    origin = provenance(STEP, settings, {"items": sources, "responses": arguments.responses})
    about = item_sources.about(arguments) | {"protocol": dataclasses.asdict(asked), "settings": deciding(settings)}
    found = about | summary.summarised(rows, public=arguments.benchmark is not None)
    files.write_parquet(places["scores.parquet"], pa.Table.from_pylist(rows, schema=grade.COLUMNS), origin)
    files.write_csv(places["items.csv"], summary.by_item(rows), origin)
    files.write_json(places["summary.json"], found, origin)
    journal_of(arguments.out).unlink(missing_ok=True)
    print("\n".join([*summary.lines(found), f"written: {', '.join(places)} in {arguments.out}"]))


def journal_of(folder: Path) -> Path:
    return folder / "scores.journal.jsonl"


def score(
    items: list[Item], responses: Responses, settings: dict, asked: Protocol, public: bool, folder: Path
) -> list[dict]:
    """The rows of all items, by `workers` examiners at a time. public: score by the authors' rules too.

    folder: where the rows of finished items wait until all are there.
    """
    conditions = [code_digest(STEP), library_versions(STEP), deciding(settings)]
    conditions += [public, dataclasses.astuple(asked)]
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(Journal(journal_of(folder)))
        workers = settings["sandbox"]["workers"]
        examiners = [stack.enter_context(Examiner(settings, public)) for _ in range(workers)]
        free: queue.SimpleQueue[Examiner] = queue.SimpleQueue()
        for examiner in examiners:
            free.put(examiner)

        def scored(item: Item) -> list[dict]:
            given = responses.of(item)
            key = digest_json([conditions, item.item_id, item.sha256, list(map(dataclasses.astuple, given))])
            if (known := journal.get(key)) is not None:
                return known
            examiner = free.get()
            try:
                rows = rows_of(item, given, examiner, asked)
            finally:
                free.put(examiner)
            journal.add(key, rows)
            return rows

        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)
        stack.callback(stop, examiners)
        found = parallel.in_order(functools.partial(pool.submit, scored), items, AHEAD * workers)
        with cli.track(None, "scoring", total=sum(max(1, len(responses.places[i.item_id])) for i in items)) as bar:
            rows = []
            for of_item in found:
                rows += of_item
                bar.update(len(of_item))
        return rows


def stop(examiners: list[Examiner]) -> None:
    """When all is done, or somebody interrupts: then no item is finished that has programs left to run."""
    for examiner in examiners:
        examiner.stopped = True


def rows_of(item: Item, responses: list[Response], examiner: Examiner, asked: Protocol) -> list[dict]:
    isolation = examiner.sandbox.isolation
    if not responses:
        return [grade.row(item, Response(""), grade.unanswered(examiner.by_legacy_rules), asked, isolation)]
    outcomes = examiner.examine(item, responses)
    return [
        grade.row(item, response, outcome, asked, isolation)
        for response, outcome in zip(responses, outcomes, strict=True)
    ]


if __name__ == "__main__":
    cli.run(main)
