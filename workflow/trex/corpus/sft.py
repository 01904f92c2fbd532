"""Make the supervised samples from verified training instances.

    python -m trex.corpus.sft --instances instances/*.parquet --suites suites/*.parquet --settings config.json
        --seed 1 --workers 2 --out sft.parquet

Equally many of each family that is trained on. Every sample passes, in this order, or is dropped and counted by reason:
`repeated` (an earlier sample has the prompt and the data file); the leakage check against the suites and public
benchmarks (trex.corpus.leakage); the execution of its answer (trex.corpus.clean); `near_duplicate_within` (its words
and data resemble an earlier sample's of the family by `near_duplicate_within` or more). The number of processes makes
no difference to the result. settings: the section `corpus`.
"""

import collections
import json
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pyarrow as pa

from trex.common import cli
from trex.common.errors import UserError
from trex.corpus import duplicates, samples, step, tables
from trex.corpus.leakage import Guard
from trex.execution import kernel

STEP = "trex.corpus.sft"
NEAR_DUPLICATE_WITHIN = "near_duplicate_within"
COLUMNS = pa.schema(
    [
        ("sample_id", pa.string()),
        ("instance_id", pa.string()),
        ("family", pa.string()),
        ("bucket", pa.string()),
        ("category", pa.string()),
        ("mode", pa.string()),
        ("difficulty", pa.string()),
        ("answer_style", pa.string()),
        ("has_reasoning", pa.bool_()),
        ("data_file", pa.string()),
        ("messages", pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
    ]
)


def main() -> None:
    parser = step.parser(__doc__)
    step.add_instances(parser)
    parser.add_argument("--workers", type=cli.positive, default=1, help="processes")
    arguments = parser.parse_args()
    instances = tables.read_instances(arguments.instances)
    guard = step.guard(arguments)
    rows, counts = sft_samples(instances, guard, arguments.settings, arguments.seed, arguments.workers)
    step.write(STEP, arguments, rows, COLUMNS, counts)
    total = sum(map(collections.Counter, counts.values()), collections.Counter())
    print(f"sft: {len(rows)} samples of {len({row['instance_id'] for row in rows})} instances; {dict(total)}")


def sft_samples(
    instances: list[dict], guard: Guard, settings: dict, seed: int, workers: int = 1
) -> tuple[list[dict], dict[str, dict[str, int]]]:
    """The samples, and of each family how many drawn ones were accepted or dropped for which reason."""
    usable = tables.training_instances(instances, settings, seed, tables.SFT)
    groups = samples.by_family(usable)
    shares = samples.shares(settings["sft_samples"], list(groups))
    jobs = [(groups[family], count, settings, seed) for family, count in shares.items()]
    if workers == 1:
        made = [family_samples(guard, *job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers, get_context("fork"), initializer=use_guard, initargs=(guard,)) as pool:
            made = list(pool.map(family_samples_here, jobs))
    rows = [row for own, _ in made for row in own]
    return rows, {family: counts for family, (_, counts) in zip(shares, made, strict=True)}


def use_guard(guard: Guard) -> None:
    """Of a worker: what all its jobs are checked against. It does not outlive who started it."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    global shared_guard
    shared_guard = guard


def family_samples_here(job: tuple) -> tuple[list[dict], dict[str, int]]:
    return family_samples(shared_guard, *job)


def family_samples(
    guard: Guard, instances: list[dict], count: int, settings: dict, seed: int
) -> tuple[list[dict], dict[str, int]]:
    """`count` samples of one family. Raises UserError where too few of those that are drawn are accepted."""
    rows: list[dict] = []
    counts: collections.Counter[str] = collections.Counter()
    seen: set[tuple[str, str | None]] = set()
    accepted = duplicates.Index(settings["near_duplicate_within"])
    for drawn, task in enumerate(samples.tasks(instances, settings, seed, STEP)):
        if len(rows) == count:
            break
        if drawn == step.PATIENCE * count:
            raise UserError(
                f"corpus.sft_samples: {task.instance['family']} gives only {len(rows)} of {count} samples "
                f"({json.dumps(counts)}); ask for fewer, or for more problems.instances_per_family"
            )
        reason = fault(task, seen, guard, accepted)
        counts[reason or step.ACCEPTED] += 1
        if reason is None:
            rows.append(row_of(task, len(rows)))
    return rows, dict(sorted(counts.items()))


def fault(task: samples.Task, seen: set, guard: Guard, accepted: duplicates.Index) -> str | None:
    """Why a sample is dropped, the cheapest reason first; one that is not joins `seen` and `accepted`."""
    key = (task.prompt, task.statement.data_file)
    if key in seen:
        return step.REPEATED
    if reason := step.fault(task, guard):
        return reason
    seen.add(key)
    text = duplicates.text(f"{task.statement.problem} {task.statement.data_file or ''}")
    if accepted.nearest(text):
        return NEAR_DUPLICATE_WITHIN
    accepted.add(str(len(seen)), text)
    return None


def row_of(task: samples.Task, number: int) -> dict:
    instance = task.instance
    return {
        "sample_id": f"{instance['family']}-{number:05d}",
        "instance_id": instance["instance_id"],
        "family": instance["family"],
        "bucket": instance["bucket"],
        "category": task.category,
        "mode": task.mode,
        "difficulty": instance["difficulty"],
        "answer_style": task.style,
        "has_reasoning": bool(task.reasoning),
        "data_file": task.statement.data_file,
        "messages": [{"role": "user", "content": task.prompt}, {"role": "assistant", "content": task.answer}],
    }


if __name__ == "__main__":
    cli.run(main)
