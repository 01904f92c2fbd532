"""The data card: what the corpus holds, counted through every gate, with examples and known limits.

    python -m trex.corpus.card --instances instances/*.parquet --suites suites/*.parquet --sft sft.parquet
        --documents cpt.parquet cptx.parquet --general general.parquet --tokenizer tokenizer.json
        --packed packed/*.safetensors --settings config.json --counts counts.json --card card.md

counts.json holds the figures, card.md the same for readers. Each instances table needs its `<family>.counts.json`
beside it. settings: the config's section `corpus`.
"""

import collections
import json
import statistics
from collections.abc import Iterable
from pathlib import Path

from safetensors import safe_open
from tokenizers import Tokenizer

from trex.benchmarks.item import read_suite
from trex.common import cli, files
from trex.common.provenance import provenance
from trex.corpus import chat, packages, tables, texts
from trex.problems import generate
from trex.problems.family import DIFFICULTIES

STEP = "trex.corpus.card"
LIMITS = """\
- Problems are made by templates. Their language is simpler and far more regular than people's; a model that answers
  them has not shown that it would answer problems that people wrote.
- In-distribution items share sentence templates and names with the training texts. What is kept out: the same problem
  text, the same model under other names or order, and near-duplicates by the threshold above.
- The prompt of a DPS task shows keys and shapes, the numbers are in the file alone. So the right answer does not depend
  on the numbers, and another task of the same family with other numbers can have the same answer. Most easy data files
  have the family's usual keys: such a task asks for family and variant to be recognised, not for anything to be copied.
- A share of the DP texts gives its data as symbols and lists, which the answer repeats.
- Instances are small, so that a small model can learn to write them down. Difficulty changes size, nothing else.
- The optimum is verified by two solvers; it need not have only one solution. Objective values are compared, never
  solutions.
- General text is technical: it comes from the docstrings, READMEs and sources of Python packages, and describes some
  problems on graphs in words. It depends on the versions of these packages alone; its digests are in the provenance of
  general.parquet."""


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")
    parser.add_argument("--suites", nargs="+", type=Path, required=True, help="suites")
    parser.add_argument("--sft", type=Path, required=True, help="samples")
    parser.add_argument("--documents", nargs="+", type=Path, required=True, help="tables of trex.corpus.cpt")
    parser.add_argument("--general", type=Path, required=True, help="general text")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    parser.add_argument("--packed", nargs="+", type=Path, required=True, help="packed rows of all stages")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--counts", type=Path, required=True, help="counts.json to write")
    parser.add_argument("--card", type=Path, required=True, help="card.md to write")
    arguments = parser.parse_args()
    sft = files.read_parquet(arguments.sft)
    tokenizer = chat.load_tokenizer(arguments.tokenizer)
    counts = {
        "instances": [instance_counts(path) for path in arguments.instances],
        "sizes": sizes(arguments.instances),
        "suites": [suite_counts(path) for path in arguments.suites],
        "sft": {"drawn": tables.read_counts(arguments.sft)} | sample_counts(sft),
        "sft_tokens": token_counts(sft, tokenizer),
        **{path.stem: document_counts(path) for path in arguments.documents},
        "general": {"drawn": tables.read_counts(arguments.general)} | general_counts(arguments.general),
        "sources": [
            row for path in [*arguments.documents, arguments.general] for row in source_counts(path, tokenizer)
        ],
        "packed": dict(map(packed_counts, arguments.packed)),
    }
    inputs = {f"instances {path.stem}": path for path in arguments.instances}
    inputs |= {f"suite {path.stem}": path for path in arguments.suites}
    inputs |= {f"packed {path.stem}": path for path in arguments.packed}
    inputs |= {path.stem: path for path in [arguments.sft, *arguments.documents, arguments.general]}
    files.write_json(arguments.counts, counts, provenance(STEP, arguments.settings, inputs))
    files.write_text(arguments.card, card(counts, sft, arguments.settings))
    documents = sum(row["items"] for row in counts["sources"])
    print(f"card: {len(sft)} samples, {documents} documents, {len(counts['instances'])} families")


def instance_counts(table: Path) -> dict:
    draws = files.read_json(generate.counts_path(table))["draws"]
    rows = files.read_parquet(table)
    return {
        "family": rows[0]["family"],
        "bucket": rows[0]["bucket"],
        "instances": len(rows),
        "train": sum(row["split"] == "train" for row in rows),
        "test": sum(row["split"] == "test" for row in rows),
        "draws": draws,
        "acceptance": round(generate.acceptance(draws), 4),
    }


def sizes(instance_tables: Iterable[Path]) -> list[dict]:
    """Mean variables and rows of each family and difficulty."""
    groups: dict[tuple[str, int], list[dict]] = {}
    for row in tables.read_instances(instance_tables):
        groups.setdefault((row["family"], DIFFICULTIES.index(row["difficulty"])), []).append(row)
    return [
        {
            "family": family,
            "difficulty": DIFFICULTIES[difficulty],
            "instances": len(rows),
            "mean_variables": round(statistics.fmean(row["num_variables"] for row in rows), 2),
            "mean_rows": round(statistics.fmean(row["num_rows"] for row in rows), 2),
        }
        for (family, difficulty), rows in sorted(groups.items())
    ]


def suite_counts(path: Path) -> dict:
    items = read_suite(path)
    kinds_of = collections.Counter(f"{item.category}/{item.mode}" for item in items)
    difficulties = collections.Counter(item.difficulty for item in items)
    return {
        "suite": path.stem,
        "items": len(items),
        "families": len({item.family for item in items}),
        "kinds": dict(sorted(kinds_of.items())),
        "difficulties": dict(sorted(difficulties.items())),
    }


def sample_counts(rows: list[dict]) -> dict:
    counts = kinds(rows, "family", "difficulty", "answer_style", "mode")
    both = collections.Counter(f"{row['category']}/{row['mode']}" for row in rows)
    return counts | {"kinds": dict(sorted(both.items()))}


def kinds(rows: list[dict], *columns: str) -> dict:
    """Rows, distinct instances, and how often each value of the columns occurs."""
    return {"rows": len(rows), "instances": len({row["instance_id"] for row in rows})} | {
        column: dict(sorted(collections.Counter(row[column] for row in rows).items())) for column in columns
    }


def document_counts(path: Path) -> dict:
    rows = files.read_parquet(path)
    return {"drawn": tables.read_counts(path)} | kinds([row for row in rows if row["family"]], "kind", "family")


def source_counts(path: Path, tokenizer: Tokenizer) -> list[dict]:
    """Items, bytes and tokens of each source of a table, training split alone."""
    kind, rows = texts.read(path)
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(texts.source(kind, row), []).extend(texts.strings(kind, row))
    return [
        {
            "table": path.stem,
            "source": source,
            "items": len(group),
            "bytes": sum(len(text.encode()) for text in group),
            "tokens": sum(len(encoding.ids) for encoding in tokenizer.encode_batch(group, add_special_tokens=False)),
        }
        for source, group in sorted(groups.items())
    ]


def general_counts(path: Path) -> dict:
    size: collections.Counter[str] = collections.Counter()
    for row in files.read_parquet(path):
        size[row["split"]] += len(row["text"].encode())
    return {"bytes": dict(sorted(size.items()))}


def token_counts(rows: list[dict], tokenizer: Tokenizer) -> list[dict]:
    """Tokens of prompts and answers by category and difficulty."""
    lengths: dict[tuple[str, int], list[list[int]]] = {}
    for row in rows:
        pair = [len(chat.encode(tokenizer, message["content"])) for message in row["messages"]]
        lengths.setdefault((row["category"], DIFFICULTIES.index(row["difficulty"])), []).append(pair)
    return [
        {
            "category": category,
            "difficulty": DIFFICULTIES[difficulty],
            "samples": len(pairs),
            "median_prompt": statistics.median(prompt for prompt, _ in pairs),
            "median_answer": statistics.median(answer for _, answer in pairs),
            "longest_prompt": max(prompt for prompt, _ in pairs),
            "longest_answer": max(answer for _, answer in pairs),
        }
        for (category, difficulty), pairs in sorted(lengths.items())
    ]


def packed_counts(path: Path) -> tuple[str, dict]:
    with safe_open(path, "numpy") as packed:
        metadata = json.loads(packed.metadata()["trex"])
    return metadata["stage"], metadata["counts"]


def card(counts: dict, sft: list[dict], settings: dict) -> str:
    return "\n\n".join(
        [
            "# Data card",
            "All texts are generated; nothing of a public benchmark is in them. Every instance was solved by two "
            "solvers that agree, and checked by our own arithmetic.",
            "## Instances",
            table([row | {"draws": told(row["draws"])} for row in counts["instances"]]),
            "Mean size by difficulty:",
            table(counts["sizes"]),
            "## Supervised samples",
            f"{counts['sft']['rows']} samples of {counts['sft']['instances']} instances. Drawn, by "
            f"family (threshold of near-duplicates: {settings['near_duplicate_threshold']}):",
            table([{"family": family, "drawn": told(drawn)} for family, drawn in counts["sft"]["drawn"].items()]),
            *(f"{name}: {told(counts['sft'][name])}" for name in ("kinds", "difficulty", "answer_style", "family")),
            "Tokens:",
            table(counts["sft_tokens"]),
            "## Documents and general text",
            f"Documents of {counts['cpt']['instances']} instances, disjoint from the samples'. Drawn: "
            f"{told(counts['cpt']['drawn'])}. The table cptx is of families that nothing else is made of; no arm is "
            "trained on it.",
            f"General text: {told(counts['general']['bytes'])} bytes. Drawn: {told(counts['general']['drawn'])}. It is "
            f"taken of {told(packages.versions())}; their licences are in trex.corpus.packages.",
            table(counts["sources"]),
            "## Packed rows",
            table([{"stage": stage} | without_sources(row) for stage, row in sorted(counts["packed"].items())]),
            "Of each source; passes: how often all that there is:",
            table([
                {"stage": stage, "source": source} | row
                for stage, counted in sorted(counts["packed"].items())
                for source, row in counted["sources"].items()
            ]),
            "## Suites",
            f"Held out of all training: the bucket {settings['heldout_bucket']}.",
            table([row | {"kinds": told(row["kinds"]), "difficulties": told(row["difficulties"])}
                   for row in counts["suites"]]),
            "## Examples",
            *examples(sft),
            "## Known limits",
            LIMITS,
        ]
    ) + "\n"  # fmt: skip


def without_sources(counts: dict) -> dict:
    return {name: value for name, value in counts.items() if name != "sources"}


def told(counts: dict) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def table(rows: list[dict]) -> str:
    """A Markdown table, one line a row."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def examples(sft: list[dict]) -> list[str]:
    """The first sample of each category and mode."""
    firsts: dict[tuple[str, str], dict] = {}
    for row in sft:
        firsts.setdefault((row["category"], row["mode"]), row)
    parts = []
    for (category, mode), row in sorted(firsts.items()):
        prompt, answer = (message["content"] for message in row["messages"])
        attached = f"\n\ndata.json: {row['data_file']}" if row["data_file"] else ""
        parts += [f"### {category}, {mode}", f"````text\n{prompt}{attached}\n````", f"````text\n{answer}\n````"]
    return parts


if __name__ == "__main__":
    cli.run(main)
