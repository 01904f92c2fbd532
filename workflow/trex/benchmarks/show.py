"""Say what a public benchmark is and what is in a folder's copy of it, before anything is scored with it.

    python -m trex.benchmarks.show --all
    python -m trex.benchmarks.show nl4opt --data sets

sha256 is that of the set as trex.benchmarks.fetch records it.
"""

from pathlib import Path

from trex.benchmarks import registry
from trex.benchmarks.definition import SHOWN, Definition
from trex.common import cli
from trex.common.errors import UserError


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("name", nargs="?", help="benchmark, or path of a YAML file that defines one")
    parser.add_argument("--data", type=Path, help="folder that holds it")
    parser.add_argument("--all", action="store_true", help="list the benchmarks known, instead of one")
    arguments = parser.parse_args()
    if arguments.all == (arguments.name is not None) or arguments.all == (arguments.data is not None):
        raise UserError("give a benchmark and --data, the folder that holds it, or --all alone")
    lines = known() if arguments.all else of_one(registry.definition(arguments.name), arguments.data)
    print("\n".join(lines))


def known() -> list[str]:
    width = max(map(len, registry.BENCHMARKS))
    return [
        f"{name:{width}}  {benchmark.criterion:9}  {benchmark.category:5}  {benchmark.version}"
        for name, benchmark in sorted(registry.BENCHMARKS.items())
    ]


def of_one(benchmark: Definition, folder: Path) -> list[str]:
    items, faults = benchmark.examine(folder)
    bad = [item for item in items if item.known_bad]
    clusters = {item.cluster for item in items}
    facts = {
        "file": benchmark.index(folder),
        "version": benchmark.version,
        "source": benchmark.source,
        "licence": benchmark.licence,
        "sha256": benchmark.digest(folder),
        "records": f"{len(items)} in {len(clusters)} clusters" if len(clusters) < len(items) else len(items),
        "malformed": f"{len(faults)}; the set is refused until they are mended or removed" if faults else 0,
        "decided by": benchmark.criterion,
        "the authors' rule": benchmark.scoring.rule,
        "labels": benchmark.label_quality,
        "known bad": len(bad),
    }
    width = max(map(len, facts)) + 1
    return [
        benchmark.name,
        *(f"  {name + ':':{width}} {value}" for name, value in facts.items()),
        *(f"  malformed: {fault}" for fault in faults[:SHOWN]),
        *(f"  known bad: {item.item_id}: {item.known_bad}" for item in bad),
    ]


if __name__ == "__main__":
    cli.run(main)
