"""Draw and verify the instances of one problem family.

    python -m trex.problems.generate --family knapsack --settings config.json --seed 1 --out instances/knapsack.parquet

Writes a Parquet table with one row an accepted instance, and `<family>.counts.json` beside it: how many draws were
rejected, by reason. settings: the config's section `problems`. An instance's draws, difficulty and split depend on the
seed, the family and the instance's index alone, so another count changes no instance, it only adds or leaves out last
ones. An instance whose model equals, up to names and order, one of a lower index is a rejected draw (`duplicate`).

What it does not do: word a problem (trex.corpus does).
"""

import collections
import json
from pathlib import Path
from random import Random

import pyarrow as pa

from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.problems import families, verify
from trex.problems.comparison import canonical
from trex.problems.family import DIFFICULTIES, Family

STEP = "trex.problems.generate"
DRAWS = 50
TEST_PERCENT = 15
DUPLICATE = "duplicate"
COLUMNS = pa.schema(
    [
        ("instance_id", pa.string()),
        ("family", pa.string()),
        ("bucket", pa.string()),
        ("difficulty", pa.string()),
        ("split", pa.string()),
        ("data", pa.string()),
        ("model", pa.string()),
        ("objective_value", pa.float64()),
        ("num_variables", pa.int64()),
        ("num_rows", pa.int64()),
        ("certificate", pa.string()),
    ]
)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--family", required=True, help="name of a file in trex.problems.families")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--out", type=Path, required=True, help="the Parquet table")
    arguments = parser.parse_args()
    family = families.load(arguments.family)
    rows, counts = instances(family, arguments.settings, arguments.seed)
    origin = provenance(STEP, arguments.settings, {}, arguments.seed)
    files.write_json(counts_path(arguments.out), {"family": family.name, "draws": counts}, origin)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"{family.name}: {len(rows)} instances of {sum(counts.values())} draws, {acceptance(counts):.0%} accepted")


def counts_path(table: Path) -> Path:
    return table.with_name(f"{table.stem}.counts.json")


def acceptance(counts: dict[str, int]) -> float:
    return counts[verify.ACCEPTED] / sum(counts.values())


def instances(family: Family, settings: dict, seed: int) -> tuple[list[dict], dict[str, int]]:
    """The family's verified instances, and how many draws ended for which reason.

    Raises UserError when an instance is not accepted after many draws: the family does not suit the settings.
    """
    rows: list[dict] = []
    counts: collections.Counter[str] = collections.Counter({verify.ACCEPTED: 0})
    known: set[str] = set()
    for index in cli.track(range(settings["instances_per_family"]), family.name):
        row = instance(family, index, settings, seed, known, counts)
        known.add(row["certificate"])
        rows.append(row)
    return rows, dict(sorted(counts.items()))


def instance(
    family: Family, index: int, settings: dict, seed: int, known: set[str], counts: collections.Counter
) -> dict:
    rng = seeds.generator(seed, STEP, family.name, index)
    difficulty = drawn_difficulty(rng, settings["difficulty"])
    for _ in range(DRAWS):
        data = family.draw(rng, difficulty)
        model = family.model(data)
        certificate = canonical.certificate(model)
        verdict = None if certificate in known else verify.verify(model, settings["time_limit_s"])
        reason = DUPLICATE if verdict is None else verdict.reason
        counts[reason] += 1
        if reason == verify.ACCEPTED:
            return {
                "instance_id": f"{family.name}-{index:05d}",
                "family": family.name,
                "bucket": family.bucket,
                "difficulty": difficulty,
                "split": split(family, index, seed),
                "data": json.dumps(data),
                "model": json.dumps(model.to_json()),
                "objective_value": verdict.objective,
                "num_variables": len(model.variables),
                "num_rows": len(model.rows),
                "certificate": certificate,
            }
    raise UserError(
        f"family {family.name}: {DRAWS} draws of {difficulty} instance {index} were all rejected "
        f"({', '.join(f'{reason} {count}' for reason, count in sorted(counts.items()))}); "
        "ask for fewer instances (problems.instances_per_family) or mend the family's draw"
    )


def drawn_difficulty(rng: Random, weights: dict[str, float]) -> str:
    if not any(weights.values()):
        raise UserError("problems.difficulty: all weights are 0; give one a weight")
    return rng.choices(DIFFICULTIES, [weights[name] for name in DIFFICULTIES])[0]


def split(family: Family, index: int, seed: int) -> str:
    """`test` for a fixed share of indices, whatever the count."""
    return "test" if seeds.derive(seed, "split", family.name, index) % 100 < TEST_PERCENT else "train"


if __name__ == "__main__":
    cli.run(main)
