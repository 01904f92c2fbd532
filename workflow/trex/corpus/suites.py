"""Make the evaluation suites from verified instances.

    python -m trex.corpus.suites --instances instances/*.parquet --settings config.json --seed 1
        --in-distribution suites/in_distribution.parquet --heldout-family suites/heldout_family.parquet
        --heldout-wording suites/heldout_wording.parquet

`in_distribution` takes the test split of the families that are trained on. `heldout_wording` takes its first items of
each family in other phrases, of which no training text has any; instance, task, names and numbers stay, so that the
two are paired. `heldout_family` takes any instances of the bucket that is held out whole. A `build` task is scored by
structure, the others by the optimum. Every item asks for code. Two items of one suite never have the same prompt and
data file. settings: the config's section `corpus`.
"""

import collections
import itertools
import json
from pathlib import Path

from trex.benchmarks.item import Item, write_suite
from trex.common import cli, config
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import samples, tables

STEP = "trex.corpus.suites"
IN_DISTRIBUTION = "in_distribution"
HELDOUT_FAMILY = "heldout_family"
HELDOUT_WORDING = "heldout_wording"
SUITES = (IN_DISTRIBUTION, HELDOUT_FAMILY, HELDOUT_WORDING)
TURNS = 4


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")
    parser.add_argument("--settings", type=config.section("corpus"), required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    for suite in SUITES:
        parser.add_argument(f"--{suite.replace('_', '-')}", type=Path, required=True, help="suite to write")
    arguments = parser.parse_args()
    settings, seed = arguments.settings, arguments.seed
    rows = tables.read_instances(arguments.instances)
    tables.check_buckets({row["bucket"] for row in rows}, settings)
    inputs = {path.stem: path for path in arguments.instances}
    made = {suite: items(suite, rows, settings, seed) for suite in SUITES}
    for suite, found in made.items():
        counts = dict(sorted(collections.Counter(f"{item.category}/{item.mode}" for item in found).items()))
        origin = tables.with_counts(provenance(STEP, settings, inputs, seed), counts)
        write_suite(getattr(arguments, suite), found, origin)
        print(f"{suite}: {len(found)} items")


def items(suite: str, rows: list[dict], settings: dict, seed: int) -> list[Item]:
    """The suite's items, equally many of each family."""
    wanted = settings["suite_items"]
    if suite == HELDOUT_WORDING and wanted[suite] > wanted[IN_DISTRIBUTION]:
        raise UserError(f"corpus.suite_items: {HELDOUT_WORDING} cannot have more items than {IN_DISTRIBUTION}")
    groups = samples.by_family(instances_of(suite, rows, settings))
    coded = settings | {"answer_styles": settings["answer_styles"] | {samples.MODEL_ONLY: 0}}
    made = []
    for family, count in samples.shares(wanted[suite], list(groups)).items():
        made.extend(family_items(suite, groups[family], count, coded, seed))
    return made


def instances_of(suite: str, rows: list[dict], settings: dict) -> list[dict]:
    if suite == HELDOUT_FAMILY:
        return [row for row in rows if row["bucket"] == settings["heldout_bucket"]]
    buckets = tables.trained_buckets(rows, settings)
    return [row for row in rows if row["bucket"] in buckets and row["split"] == "test"]


def family_items(suite: str, instances: list[dict], count: int, settings: dict, seed: int) -> list[Item]:
    found: dict[str, Item] = {}
    stage = f"{STEP} {IN_DISTRIBUTION if suite == HELDOUT_WORDING else suite}"
    drawn = samples.tasks(instances, settings, seed, stage, heldout_wording=suite == HELDOUT_WORDING)
    for task in itertools.islice(drawn, TURNS * len(instances)):
        if len(found) == count:
            break
        item = item_of(task, suite, len(found))
        found.setdefault(item.sha256, item)
    if len(found) < count:
        family = instances[0]["family"] if instances else "a family"
        raise UserError(
            f"corpus.suite_items.{suite}: {count} items of {family} are needed, its {len(instances)} "
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
