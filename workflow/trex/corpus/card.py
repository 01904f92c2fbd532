"""The data card: what the corpus holds, counted through every gate, with examples and known limits.

    python -m trex.corpus.card --instances instances/*.parquet --suites suites/*.parquet --sft sft.parquet
        --documents cpt.parquet cptx.parquet --general general.parquet --tokenizer tokenizer.json
        --packed packed/*.safetensors --settings config.json --seed 1 --counts counts.json --card card.md

counts.json holds the figures (trex.corpus.counts), card.md the same for readers. Each instances table needs its
`<family>.counts.json` beside it. --benchmarks: public sets by name and folder, whose variety stands beside ours; none
of their text is written. settings: the config's section `corpus`.
"""

import argparse
from pathlib import Path

from trex.common import cli, config, files
from trex.common.provenance import provenance
from trex.corpus import chat, counts, diversity, packages, tables

STEP = "trex.corpus.card"
LIMITS = (
    "Problems are made by templates. Their language is simpler and far more regular than people's; a model that "
    "answers them has not shown that it would answer problems that people wrote.",
    "In-distribution items share sentence templates and names with the training texts. What is kept out: the same"
    " problem text, the same model under other names or order, and near-duplicates by the threshold above.",
    "The prompt of a DPS task shows keys and shapes, the numbers are in the file alone. So the right answer does "
    "not depend on the numbers, and another task of the same family with other numbers can have the same answer. "
    "Most small data files have the family's usual keys: such a task asks for family and variant to be "
    "recognised, not for anything to be copied.",
    "A share of the DP texts gives its data as symbols and lists, which the answer repeats.",
    "Most instances are small, so that a small model can learn to write them down. Difficulty changes size, how "
    "freely a text is told, and the share of its asides; not the kind of reasoning.",
    "Held-out wordings change sentences, not what they are about: names, labels and table layouts are those of "
    "training.",
    "The optimum is verified by two solvers; it need not have only one solution. Objective values are compared, "
    "never solutions.",
    "General text is technical: it comes from the docstrings, READMEs and sources of Python packages, and "
    "describes some problems on graphs in words. It depends on the versions of these packages alone; its digests "
    "are in the provenance of general.parquet.",
)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")
    parser.add_argument("--suites", nargs="+", type=Path, required=True, help="suites")
    parser.add_argument("--sft", type=Path, required=True, help="samples")
    parser.add_argument("--documents", nargs="+", type=Path, required=True, help="tables of trex.corpus.cpt")
    parser.add_argument("--general", type=Path, required=True, help="general text")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    parser.add_argument("--packed", nargs="+", type=Path, required=True, help="packed rows of all stages")
    parser.add_argument("--benchmarks", type=cli.json_argument, default={}, help='JSON {"name": "folder"}')
    parser.add_argument("--settings", type=config.section("corpus"), required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--counts", type=Path, required=True, help="counts.json to write")
    parser.add_argument("--card", type=Path, required=True, help="card.md to write")
    arguments = parser.parse_args()
    sft = files.read_parquet(arguments.sft)
    found = counted(arguments, sft)
    inputs = {f"instances {path.stem}": path for path in arguments.instances}
    inputs |= {f"suite {path.stem}": path for path in arguments.suites}
    inputs |= {f"packed {path.stem}": path for path in arguments.packed}
    inputs |= {path.stem: path for path in [arguments.sft, *arguments.documents, arguments.general]}
    page = card(found, arguments.settings)
    files.write_json(arguments.counts, found, provenance(STEP, arguments.settings, inputs, arguments.seed))
    files.write_text(arguments.card, page)
    documents = sum(row["items"] for row in found["sources"])
    print(f"card: {len(sft)} samples, {documents} documents, {len(found['instances'])} families")


def counted(arguments: argparse.Namespace, sft: list[dict]) -> dict:
    """All figures of the card."""
    tokenizer = chat.load_tokenizer(arguments.tokenizer)
    of_family = {path: files.read_parquet(path) for path in arguments.instances}
    instances = [row for rows in of_family.values() for row in rows]
    return {
        "instances": [counts.instance_counts(path, rows) for path, rows in of_family.items()],
        "same_model_in_two_families": len(instances) - len(tables.each_model_once(instances)),
        "sizes": counts.sizes(instances),
        "suites": [counts.suite_counts(path) for path in arguments.suites],
        "sft": counts.sample_counts(arguments.sft, sft),
        "sft_tokens": counts.token_counts(sft, tokenizer),
        **{path.stem: counts.document_counts(path) for path in arguments.documents},
        "general": {"drawn": tables.read_counts(arguments.general)} | counts.general_counts(arguments.general),
        "sources": [
            row for path in [*arguments.documents, arguments.general] for row in counts.source_counts(path, tokenizer)
        ],
        "packed": dict(map(counts.packed_counts, arguments.packed)),
        "diversity": counts.diversity_counts(sft, arguments.suites, arguments.benchmarks, arguments.seed),
        "examples": counts.examples(sft),
        "limits": list(LIMITS),
    }


def card(found: dict, settings: dict) -> str:
    parts = [
        "# Data card",
        "Problems, samples, documents and drills are generated; nothing of a public benchmark is in them.",
        *of_instances(found),
        *of_samples(found, settings),
        *of_documents(found),
        *of_suites(found, settings),
        "## Examples",
        *map(example, found["examples"]),
        "## Known limits",
        "\n".join(f"- {limit}" for limit in found["limits"]),
    ]
    return "\n\n".join(parts) + "\n"


def of_instances(found: dict) -> list[str]:
    return [
        "## Instances",
        "Each was solved by two solvers that agree, and checked by our own arithmetic. Draws by what became of them:",
        table([row | {"draws": told(row["draws"])} for row in found["instances"]]),
        f"Left out beside these, as another family has the same model: {found['same_model_in_two_families']}.",
        "Number of instances and their mean size by difficulty:",
        table(found["sizes"]),
    ]


def of_samples(found: dict, settings: dict) -> list[str]:
    sft = found["sft"]
    by_family = [
        {"family": family, "acceptance": f"{drawn['accepted'] / sum(drawn.values()):.0%}", "drawn": told(drawn)}
        for family, drawn in sft["drawn_by_family"].items()
    ]
    return [
        "## Supervised samples",
        f"{sft['rows']} samples of {sft['instances']} instances. The answer of each was executed: its code builds a "
        "model with the instance's canonical form, its reasoning holds no number that does not follow, and the optimum "
        f"that it states is the solvers'. Similarity to a suite stays below {settings['near_duplicate_threshold']}, to "
        f"an earlier sample below {settings['near_duplicate_within']}. Drawn: {told(sft['drawn'])}.",
        table(by_family),
        *(f"{name}: {told(sft[name])}" for name in ("kinds", "difficulty", "answer_style", "has_reasoning", "family")),
        "Tokens:",
        table(found["sft_tokens"]),
        f"How varied the problems are, on at most {diversity.TEXTS} texts each (distinct-n: higher is more varied, "
        "self-BLEU: lower is; numbers count as words):",
        table(found["diversity"]),
    ]


def of_documents(found: dict) -> list[str]:
    of_sources = [
        {"stage": stage, "source": source} | row
        for stage, packed in sorted(found["packed"].items())
        for source, row in packed["sources"].items()
    ]
    return [
        "## Documents and general text",
        f"Documents of {found['cpt']['instances']} instances, disjoint from the samples'. Drawn: "
        f"{told(found['cpt']['drawn'])}. The table cptx is of families that nothing else is made of; no arm is "
        "trained on it.",
        f"General text: {told(found['general']['bytes'])} bytes. Drawn: {told(found['general']['drawn'])}. It is "
        f"taken of {told(packages.versions())}; their licences are in trex.corpus.packages.",
        table(found["sources"]),
        "## Packed rows",
        table([{"stage": stage} | without_sources(row) for stage, row in sorted(found["packed"].items())]),
        "Of each source; passes: how often all that there is:",
        table(of_sources),
    ]


def of_suites(found: dict, settings: dict) -> list[str]:
    rows = [row | {"kinds": told(row["kinds"]), "difficulties": told(row["difficulties"])} for row in found["suites"]]
    return [
        "## Suites",
        f"Held out of all training: the bucket {settings['heldout_bucket']}, and the phrases of heldout_wording, whose "
        "items are the first of each family in in_distribution told in other words.",
        table(rows),
    ]


def without_sources(counts: dict) -> dict:
    return {name: value for name, value in counts.items() if name != "sources"}


def told(counts: dict) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def table(rows: list[dict]) -> str:
    """A Markdown table, one line a row."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def example(sample: dict) -> str:
    attached = f"\n\ndata.json: {sample['data_file']}" if sample["data_file"] else ""
    return (
        f"### {sample['category']}, {sample['mode']}\n\n````text\n{sample['prompt']}{attached}\n````\n\n"
        f"````text\n{sample['answer']}\n````"
    )


if __name__ == "__main__":
    cli.run(main)
