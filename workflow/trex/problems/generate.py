"""Draw and verify the instances of one problem family.

    python -m trex.problems.generate --family knapsack --settings config.json --seed 1 --out instances/knapsack.parquet

Writes a Parquet table with one row an accepted instance, and `<family>.counts.json` beside it: how many draws ended
for which reason (`trex.problems.verify.REASONS`), in all and by difficulty. settings: the config's section `problems`.
An instance's draws, difficulty and split depend on the seed, the family and the instance's index alone, so another
count changes no instance, it only adds or leaves out last ones, and other families change nothing. An instance whose
model equals, up to names and order, one of a lower index is a rejected draw (`duplicate`).

The column `solvers` says, as JSON, what each solver ended with. A draw that met the limit of nodes is rejected on every
machine; one that met the time limit (`limit`) need not be, so a run with such draws may differ on a faster machine.

What it does not do: word a problem (trex.corpus does).
"""

import collections
import json
from pathlib import Path
from random import Random

import pyarrow as pa

from trex.common import cli, config, files, seeds
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
        ("num_integer", pa.int64()),
        ("num_rows", pa.int64()),
        ("solvers", pa.string()),
        ("certificate", pa.string()),
    ]
)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--family", required=True, help="name of a file in trex.problems.families")
    parser.add_argument("--settings", type=config.section("problems"), required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--out", type=Path, required=True, help="the Parquet table")
    arguments = parser.parse_args()
    family = families.load(arguments.family)
    rows, counts = instances(family, arguments.settings, arguments.seed)
    origin = provenance(STEP, arguments.settings, {}, arguments.seed)
    draws = in_all(counts)
    result = {"family": family.name, "draws": draws, "draws_by_difficulty": counts}
    files.write_json(counts_path(arguments.out), result, origin)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"{family.name}: {len(rows)} instances of {sum(draws.values())} draws, {acceptance(draws):.0%} accepted")


def counts_path(table: Path) -> Path:
    return table.with_name(f"{table.stem}.counts.json")


def acceptance(draws: dict[str, int]) -> float:
    return draws[verify.ACCEPTED] / sum(draws.values())


def in_all(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    """The counts by reason of all difficulties."""
    total = collections.Counter({verify.ACCEPTED: 0})
    for of_difficulty in counts.values():
        total.update(of_difficulty)
    return dict(sorted(total.items()))


def instances(family: Family, settings: dict, seed: int) -> tuple[list[dict], dict[str, dict[str, int]]]:
    """The family's verified instances, and of each difficulty drawn how many draws ended for which reason.

    Raises UserError when an instance is not accepted after many draws: the family does not suit the settings.
    """
    rows: list[dict] = []
    counts: dict[str, collections.Counter[str]] = {}
    known: set[str] = set()
    for index in cli.track(range(settings["instances_per_family"]), family.name):
        row = instance(family, index, settings, seed, known, counts)
        known.add(row["certificate"])
        rows.append(row)
    return rows, {name: dict(sorted(counts[name].items())) for name in DIFFICULTIES if name in counts}


def instance(
    family: Family, index: int, settings: dict, seed: int, known: set[str], counts: dict[str, collections.Counter]
) -> dict:
    """The instance of this index. The certificates of those before are `known`; its draws are added to `counts`."""
    rng = seeds.generator(seed, STEP, family.name, index)
    difficulty = drawn_difficulty(rng, settings["difficulty"])
    ended = counts.setdefault(difficulty, collections.Counter({verify.ACCEPTED: 0}))
    for _ in range(DRAWS):
        data = family.draw(rng, difficulty)
        model = family.model(data)
        certificate = canonical.certificate(model)
        if certificate in known:
            ended[DUPLICATE] += 1
            continue
        verdict = verify.verify(model, settings["time_limit_s"], node_limit=settings["node_limit"])
        ended[verdict.reason] += 1
        if verdict.reason == verify.ACCEPTED:
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
                "num_integer": sum(variable.is_integer for variable in model.variables),
                "num_rows": len(model.rows),
                "solvers": json.dumps(verdict.statuses),
                "certificate": certificate,
            }
    raise UserError(
        f"family {family.name}: {DRAWS} draws of {difficulty} instance {index} were all rejected "
        f"({', '.join(f'{reason} {count}' for reason, count in sorted(ended.items()))}); "
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
