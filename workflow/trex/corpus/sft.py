"""Make the supervised samples from verified training instances.

    python -m trex.corpus.sft --instances instances/*.parquet --suites suites/*.parquet --settings config.json
        --seed 1 --out sft.parquet

Equally many of each family that is trained on. A sample that stands in a suite is dropped and counted by reason
(trex.corpus.leakage), and so is one whose prompt an earlier sample has (`repeated`). settings: the section `corpus`.
"""

import collections
from pathlib import Path

import pyarrow as pa

from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import samples, tables
from trex.corpus.leakage import Guard

STEP = "trex.corpus.sft"
ACCEPTED = "accepted"
REPEATED = "repeated"
PATIENCE = 10
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
        ("data_file", pa.string()),
        ("messages", pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
    ]
)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")
    parser.add_argument("--suites", nargs="+", type=Path, required=True, help="suites that may not leak")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--out", type=Path, required=True, help="the Parquet table")
    arguments = parser.parse_args()
    settings, seed = arguments.settings, arguments.seed
    guard = Guard.read(arguments.suites, settings["near_duplicate_threshold"])
    instances = tables.read_instances(arguments.instances)
    rows, counts = sft_samples(instances, guard, settings, seed)
    inputs = {path.stem: path for path in [*arguments.instances, *arguments.suites]}
    origin = tables.with_counts(provenance(STEP, settings, inputs, seed), counts)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"sft: {len(rows)} samples of {len({row['instance_id'] for row in rows})} instances; {counts}")


def sft_samples(instances: list[dict], guard: Guard, settings: dict, seed: int) -> tuple[list[dict], dict[str, int]]:
    """The samples, and how many drawn ones were accepted or dropped for which reason."""
    usable = tables.training_instances(instances, settings["heldout_bucket"], seed, "sft")
    groups = samples.by_family(usable)
    counts: collections.Counter[str] = collections.Counter()
    rows: list[dict] = []
    for family, count in samples.shares(settings["sft_samples"], list(groups)).items():
        rows.extend(family_samples(family, groups[family], count, guard, settings, seed, counts))
    return rows, dict(sorted(counts.items()))


def family_samples(
    family: str,
    instances: list[dict],
    count: int,
    guard: Guard,
    settings: dict,
    seed: int,
    counts: collections.Counter,
) -> list[dict]:
    rows: list[dict] = []
    seen: set[tuple[str, str | None]] = set()
    for drawn, task in enumerate(samples.tasks(instances, settings, seed, STEP)):
        if len(rows) == count:
            break
        if drawn == PATIENCE * count:
            raise UserError(f"corpus.sft_samples: {family} gives only {len(rows)} of {count} samples; ask for fewer")
        key = (task.prompt, task.statement.data_file)
        reason = REPEATED if key in seen else guard.reason(task.statement.problem, task.instance["certificate"])
        counts[reason or ACCEPTED] += 1
        if reason is None:
            seen.add(key)
            rows.append(row_of(task, len(rows)))
    return rows


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
        "data_file": task.statement.data_file,
        "messages": [{"role": "user", "content": task.prompt}, {"role": "assistant", "content": task.answer}],
    }


if __name__ == "__main__":
    cli.run(main)
