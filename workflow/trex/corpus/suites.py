"""Make the evaluation suites from verified instances.

    python -m trex.corpus.suites --instances instances/*.parquet --settings config.json --seed 1
        --in-distribution suites/in_distribution.parquet --heldout-family suites/heldout_family.parquet

`in_distribution` takes the test split of the families that are trained on, `heldout_family` any instances of the
bucket that is held out whole: nothing of it is trained on. A `build` task is scored by structure, the others by the
optimum. Two items of one suite never have the same prompt and data file. settings: the config's section `corpus`.
"""

import collections
import itertools
import json
from pathlib import Path

from trex.benchmarks.item import Item, write_suite
from trex.common import cli
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import samples, tables

STEP = "trex.corpus.suites"
IN_DISTRIBUTION = "in_distribution"
HELDOUT_FAMILY = "heldout_family"
TURNS = 4


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--in-distribution", type=Path, required=True, help="suite to write")
    parser.add_argument("--heldout-family", type=Path, required=True, help="suite to write")
    arguments = parser.parse_args()
    settings, seed = arguments.settings, arguments.seed
    rows = tables.read_instances(arguments.instances)
    heldout = settings["heldout_bucket"]
    buckets = {row["bucket"] for row in rows}
    if heldout not in buckets or len(buckets) == 1:
        raise UserError(
            f"corpus.heldout_bucket: {heldout!r} must be one of several buckets, the instances have "
            f"{', '.join(sorted(buckets))}"
        )
    sources = {
        IN_DISTRIBUTION: [row for row in rows if row["bucket"] != heldout and row["split"] == "test"],
        HELDOUT_FAMILY: [row for row in rows if row["bucket"] == heldout],
    }
    inputs = {path.stem: path for path in arguments.instances}
    for suite, path in ((IN_DISTRIBUTION, arguments.in_distribution), (HELDOUT_FAMILY, arguments.heldout_family)):
        made = items(suite, sources[suite], settings, seed)
        counts = dict(sorted(collections.Counter(f"{item.category}/{item.mode}" for item in made).items()))
        write_suite(path, made, tables.with_counts(provenance(STEP, settings, inputs, seed), counts))
        print(f"{suite}: {len(made)} items")


def items(suite: str, instances: list[dict], settings: dict, seed: int) -> list[Item]:
    """`suite_items` items, equally many of each family."""
    groups = samples.by_family(instances)
    made = []
    for family, count in samples.shares(settings["suite_items"], list(groups)).items():
        made.extend(family_items(suite, groups[family], count, settings, seed))
    return made


def family_items(suite: str, instances: list[dict], count: int, settings: dict, seed: int) -> list[Item]:
    found: dict[str, Item] = {}
    drawn = samples.tasks(instances, settings, seed, f"{STEP} {suite}")
    for task in itertools.islice(drawn, TURNS * len(instances)):
        if len(found) == count:
            break
        item = item_of(task, suite, len(found))
        found.setdefault(item.sha256, item)
    if len(found) < count:
        raise UserError(
            f"corpus.suite_items: suite {suite} needs {count} items of {instances[0]['family']}, its {len(instances)} "
            "instances give fewer; ask for fewer items or for more problems.instances_per_family"
        )
    return list(found.values())


def item_of(task: samples.Task, suite: str, number: int) -> Item:
    instance = task.instance
    return Item(
        item_id=f"{suite}/{instance['family']}-{number:04d}",
        suite=suite,
        category=task.category,
        mode=task.mode,
        family=instance["family"],
        bucket=instance["bucket"],
        difficulty=instance["difficulty"],
        prompt=task.prompt,
        data_file=task.statement.data_file,
        criterion="structure" if task.category == "build" else "objective",
        objective_value=instance["objective_value"],
        model=json.loads(instance["model"]),
        answer=task.answer,
        cluster=instance["instance_id"],
    )


if __name__ == "__main__":
    cli.run(main)
