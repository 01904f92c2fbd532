"""Make the documents for continued pre-training from verified training instances.

    python -m trex.corpus.cpt --instances instances/*.parquet --suites suites/*.parquet --settings config.json
        --seed 1 --out cpt.parquet

Three kinds, by the weights `cpt_kinds`: final-model reports (problem, model, code, verified optimum) and modelling
rationales (problem, what each piece of data is, how it enters the model, code), after the two document kinds of SLAI
T-Rex; and data sheets (the data as text or tables, then as code), because copying numbers is what a small model learns
last. Instances are disjoint from those of the supervised samples. Leaks are dropped and counted as in trex.corpus.sft.
settings: the section `corpus`.
"""

import collections
from pathlib import Path
from random import Random

import pyarrow as pa

from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import samples, tables
from trex.corpus.leakage import Guard

STEP = "trex.corpus.cpt"
ACCEPTED = "accepted"
REPEATED = "repeated"
PATIENCE = 10
COLUMNS = pa.schema([(name, pa.string()) for name in ("doc_id", "kind", "instance_id", "family", "text")])


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
    rows, counts = documents(instances, guard, settings, seed)
    inputs = {path.stem: path for path in [*arguments.instances, *arguments.suites]}
    origin = tables.with_counts(provenance(STEP, settings, inputs, seed), counts)
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"cpt: {len(rows)} documents of {len({row['instance_id'] for row in rows})} instances; {counts}")


def documents(instances: list[dict], guard: Guard, settings: dict, seed: int) -> tuple[list[dict], dict[str, int]]:
    """The documents, and how many drawn ones were accepted or dropped for which reason."""
    groups = samples.by_family(tables.training_instances(instances, settings["heldout_bucket"], seed, "cpt"))
    counts: collections.Counter[str] = collections.Counter()
    rows: list[dict] = []
    for family, count in samples.shares(settings["cpt_documents"], list(groups)).items():
        rows.extend(family_documents(family, groups[family], count, guard, settings, seed, counts))
    return rows, dict(sorted(counts.items()))


def family_documents(
    family: str,
    instances: list[dict],
    count: int,
    guard: Guard,
    settings: dict,
    seed: int,
    counts: collections.Counter,
) -> list[dict]:
    weights = settings["cpt_kinds"]
    rows: list[dict] = []
    seen: set[str] = set()
    for drawn, task in enumerate(samples.tasks(instances, settings, seed, STEP)):
        if len(rows) == count:
            break
        if drawn == PATIENCE * count:
            raise UserError(
                f"corpus.cpt_documents: {family} gives only {len(rows)} of {count} documents; ask for fewer"
            )
        rng = seeds.generator(seed, STEP, "document", family, drawn)
        kind = list(WRITERS)[samples.weighted([weights[name] for name in WRITERS], "corpus.cpt_kinds", rng)]
        text = WRITERS[kind](task, rng)
        reason = REPEATED if text in seen else guard.reason(task.statement.problem, task.instance["certificate"])
        counts[reason or ACCEPTED] += 1
        if reason is None:
            seen.add(text)
            doc_id = f"{family}-{len(rows):05d}"
            rows.append(
                {
                    "doc_id": doc_id,
                    "kind": kind,
                    "instance_id": task.instance["instance_id"],
                    "family": family,
                    "text": text,
                }
            )
    return rows


def report(task: samples.Task, rng: Random) -> str:
    parts = [
        rng.choice(("Report.", "Final model.", "Case.")),
        problem_with_file(task),
        "Model:",
        *task.statement.formulation,
        samples.code_block(task.statement.code),
        f"{rng.choice(('Optimal value', 'Verified optimum', 'Optimum'))}: {task.instance['objective_value']:.6g}.",
    ]
    return "\n".join(parts)


def rationale(task: samples.Task, rng: Random) -> str:
    decision, objective, *rows = task.statement.formulation
    parts = [problem_with_file(task)]
    if task.statement.reading:
        parts.append(f"The data: {'; '.join(task.statement.reading)}.")
    parts += [
        f"We decide {decision}.",
        f"The goal is {objective}.",
        f"The rows are {'; '.join(rows)}.",
        rng.choice(("So the code is:", "In code:", "This gives:")),
        samples.code_block(task.statement.code),
    ]
    return "\n".join(parts)


def data_sheet(task: samples.Task, rng: Random) -> str:
    head = rng.choice(("Data sheet.", "The data.", "From text to code."))
    return "\n".join([head, task.statement.data_text, samples.code_block("\n".join(task.statement.data_code))])


WRITERS = {"report": report, "rationale": rationale, "data_sheet": data_sheet}


def problem_with_file(task: samples.Task) -> str:
    if task.statement.data_file is None:
        return task.statement.problem
    return f"{task.statement.problem}\ndata.json: {task.statement.data_file}"


if __name__ == "__main__":
    cli.run(main)
