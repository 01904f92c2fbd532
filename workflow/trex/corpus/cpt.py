"""Make the documents for continued pre-training.

    python -m trex.corpus.cpt --use cpt --instances instances/*.parquet --suites suites/*.parquet
        --settings config.json --seed 1 --out cpt.parquet

Five of the sources that `cpt_mix` weighs; trex.corpus.pack mixes them, with general text, by tokens. From verified
instances, after the two document kinds of SLAI T-Rex: final-model reports (problem, model, code, optimum) and modelling
rationales (problem, what each piece of data is, how it enters the model, code); and data sheets (the data as text or
tables, then as code), because copying numbers is what a small model learns last. Beside them notes (trex.corpus.notes,
and the families' own with their formulations) and drills (trex.corpus.drills).

`cpt_documents` of instances, equally many of each family, disjoint from those of the supervised samples. --use cptx
makes them of the families in `cptx_buckets` instead, which no sample or suite has. Of each kind as many bytes as its
weight says. Each is checked for leaks as in trex.corpus.sft, those of instances by execution too (trex.corpus.clean);
what is dropped is counted. settings: the section `corpus`.
"""

import collections
import itertools
import json
from collections.abc import Callable, Iterator
from random import Random

import pyarrow as pa

from trex.common import cli, seeds
from trex.common.errors import UserError
from trex.corpus import drills, notes, samples, step, tables
from trex.corpus.leakage import Guard
from trex.corpus.reasoning import number
from trex.problems import families

STEP = "trex.corpus.cpt"
NOTE = "note"
DRILL = "drill"
# Characters of a data file that a document shows; a longer one is left out, as in the prompts.
LONGEST_FILE = 500
# A family note comes with as many different formulations, of so many instances at most.
FORMULATIONS = 3
LOOKED_AT = 60
COLUMNS = pa.schema([(name, pa.string()) for name in ("doc_id", "kind", "instance_id", "family", "text")])


def main() -> None:
    parser = step.parser(__doc__)
    step.add_instances(parser)
    parser.add_argument("--use", choices=(tables.CPT, tables.CPTX), default=tables.CPT, help="which families")
    arguments = parser.parse_args()
    settings, seed, use = arguments.settings, arguments.seed, arguments.use
    instances = tables.training_instances(tables.read_instances(arguments.instances), settings, seed, use)
    rows, counts = documents(instances, step.guard(arguments), settings, seed, use)
    step.write(STEP, arguments, rows, COLUMNS, counts, {"notes": notes.digest()})
    print(f"{use}: {len(rows)} documents, {dict(collections.Counter(row['kind'] for row in rows))}; {counts}")


def documents(
    instances: list[dict], guard: Guard, settings: dict, seed: int, use: str
) -> tuple[list[dict], dict[str, int]]:
    """The documents, and how many drawn ones were accepted or dropped for which reason."""
    groups = samples.by_family(instances)
    weights = {kind: settings["cpt_mix"][kind] for kind in (*WRITERS, NOTE, DRILL)}
    of_instances = {kind: weight for kind, weight in weights.items() if kind in WRITERS and weight}
    if not of_instances:
        raise UserError(f"corpus.cpt_mix: give {', '.join(WRITERS)} a weight; the size of the mix follows from them")
    if not groups:
        raise UserError(f"no instance is there to make {use} documents of; ask for more problems.instances_per_family")
    counts: collections.Counter[str] = collections.Counter()
    rows: list[dict] = []
    for family, count in samples.shares(settings["cpt_documents"], list(groups)).items():
        rows += family_documents(groups[family], count, of_instances, guard, settings, seed, counts)
    size = sum(len(row["text"].encode()) for row in rows) / sum(of_instances.values())
    if weights[NOTE]:
        drawn = itertools.chain(own_notes(instances), family_notes(groups, seed))
        rows += checked(NOTE, drawn, guard, counts)
    if weights[DRILL]:
        rows += up_to(size * weights[DRILL], checked(DRILL, worksheets(seed), guard, counts))
    return rows, dict(sorted(counts.items()))


def family_documents(
    instances: list[dict],
    count: int,
    weights: dict[str, float],
    guard: Guard,
    settings: dict,
    seed: int,
    counts: collections.Counter,
) -> list[dict]:
    """`count` documents of one family, each of the kind that is furthest behind its weight."""
    family = instances[0]["family"]
    rows: list[dict] = []
    size = dict.fromkeys(weights, 0)
    seen: set[str] = set()
    for drawn, task in enumerate(samples.tasks(instances, settings, seed, STEP)):
        if len(rows) == count:
            break
        if drawn == step.PATIENCE * count:
            raise UserError(
                f"corpus.cpt_documents: {family} gives only {len(rows)} of {count} documents; ask for fewer"
            )
        kind = min(weights, key=lambda kind: size[kind] / weights[kind])
        text = WRITERS[kind](task, seeds.generator(seed, STEP, "document", family, drawn))
        reason = step.REPEATED if text in seen else step.fault(task, guard)
        counts[reason or step.ACCEPTED] += 1
        if reason is None:
            seen.add(text)
            size[kind] += len(text.encode())
            rows.append(row(f"{family}-{len(rows):05d}", kind, text, task.instance["instance_id"], family))
    return rows


def row(doc_id: str, kind: str, text: str, instance_id: str | None = None, family: str | None = None) -> dict:
    return {"doc_id": doc_id, "kind": kind, "instance_id": instance_id, "family": family, "text": text}


def own_notes(instances: list[dict]) -> Iterator[dict]:
    """Those about no structure, and about those that the instances have."""
    for name, text in notes.read({instance["bucket"] for instance in instances}).items():
        yield row(f"note/{name}", NOTE, text.strip())


def family_notes(groups: dict[str, list[dict]], seed: int) -> Iterator[dict]:
    """What each family says about modelling it, with the formulations of its variants."""
    for name, instances in groups.items():
        family = families.load(name)
        found: dict[str, str] = {}
        for instance in instances[:LOOKED_AT]:
            found.setdefault("\n".join(family.formulation(json.loads(instance["data"]))), instance["instance_id"])
        for number_of, (formulation, instance_id) in enumerate(itertools.islice(found.items(), FORMULATIONS)):
            rng = seeds.generator(seed, STEP, NOTE, name, number_of)
            title = rng.choice(("How to model: {}", "Formulation note: {}", "On modelling {}", "{}, as a model"))
            between = rng.choice(("The formulation:", "In symbols:", "Written down:", "As a model:"))
            text = "\n".join(
                (title.format(name.replace("_", " ")), " ".join(family.note.split()), between, formulation)
            )
            yield row(f"note/{name}-{number_of}", NOTE, text, instance_id, name)


def worksheets(seed: int) -> Iterator[dict]:
    """Drills without end."""
    for drawn in itertools.count():
        yield row(f"drill-{drawn:05d}", DRILL, drills.worksheet(seeds.generator(seed, STEP, DRILL, drawn)))


def checked(kind: str, drawn: Iterator[dict], guard: Guard, counts: collections.Counter) -> Iterator[dict]:
    seen: set[str] = set()
    for made in drawn:
        reason = step.REPEATED if made["text"] in seen else guard.reason_of_long(made["text"])
        counts[reason or step.ACCEPTED] += 1
        if reason is None:
            seen.add(made["text"])
            yield made


def up_to(size: float, rows: Iterator[dict]) -> Iterator[dict]:
    """The first rows that have `size` bytes of text together."""
    held = 0
    while held < size:
        made = next(rows)
        held += len(made["text"].encode())
        yield made


def report(task: samples.Task, rng: Random) -> str:
    parts = [
        rng.choice(("Report.", "Final model.", "Case.")),
        problem_with_file(task),
        "Model:",
        *task.statement.formulation,
        samples.code_block(task.statement.code),
        f"{rng.choice(('Optimal value', 'Verified optimum', 'Optimum'))}: {number(task.instance['objective_value'])}.",
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


WRITERS: dict[str, Callable[[samples.Task, Random], str]] = {
    "report": report,
    "rationale": rationale,
    "data_sheet": data_sheet,
}


def problem_with_file(task: samples.Task) -> str:
    content = task.statement.data_file
    if content is None or len(content) > LONGEST_FILE:
        return task.statement.problem
    return f"{task.statement.problem}\ndata.json: {content}"


if __name__ == "__main__":
    cli.run(main)
