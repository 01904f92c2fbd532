"""What stands in the tables of a corpus, counted."""

import collections
import json
import statistics
from pathlib import Path

from safetensors import safe_open
from tokenizers import Tokenizer

from trex.benchmarks import registry
from trex.benchmarks.item import read_suite
from trex.common import files
from trex.corpus import chat, diversity, tables, texts
from trex.corpus.samples import problem_of
from trex.problems import generate
from trex.problems.family import DIFFICULTIES


def instance_counts(table: Path, rows: list[dict]) -> dict:
    draws = files.read_json(generate.counts_path(table))["draws"]
    return {
        "family": rows[0]["family"],
        "bucket": rows[0]["bucket"],
        "instances": len(rows),
        "train": sum(row["split"] == "train" for row in rows),
        "test": sum(row["split"] == "test" for row in rows),
        "draws": draws,
        "acceptance": round(generate.acceptance(draws), 4),
    }


def sizes(rows: list[dict]) -> list[dict]:
    """Of each family, the instances of each difficulty and their mean number of variables and rows."""
    groups: dict[str, dict[str, list[dict]]] = {}
    for row in rows:
        groups.setdefault(row["family"], {}).setdefault(row["difficulty"], []).append(row)
    present = [name for name in DIFFICULTIES if any(name in found for found in groups.values())]
    return [
        {"family": family} | {name: size_in_words(found.get(name, [])) for name in present}
        for family, found in sorted(groups.items())
    ]


def size_in_words(rows: list[dict]) -> str:
    if not rows:
        return "none"
    variables, constraints = (statistics.fmean(row[name] for row in rows) for name in ("num_variables", "num_rows"))
    return f"{len(rows)}: {variables:.1f} variables, {constraints:.1f} rows"


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


def sample_counts(path: Path, rows: list[dict]) -> dict:
    drawn = tables.read_counts(path)
    counts = kinds(rows, "family", "difficulty", "answer_style", "mode", "has_reasoning")
    both = collections.Counter(f"{row['category']}/{row['mode']}" for row in rows)
    total = sum(map(collections.Counter, drawn.values()), collections.Counter())
    return (
        {"drawn": dict(sorted(total.items())), "drawn_by_family": drawn}
        | counts
        | {"kinds": dict(sorted(both.items()))}
    )


def kinds(rows: list[dict], *columns: str) -> dict:
    """Rows, distinct instances, and how often each value of the columns occurs."""
    return {"rows": len(rows), "instances": len({row["instance_id"] for row in rows})} | {
        column: dict(sorted(collections.Counter(str(row[column]) for row in rows).items())) for column in columns
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


def diversity_counts(sft: list[dict], suites: list[Path], benchmarks: dict[str, str], seed: int) -> list[dict]:
    """How varied the problems of the samples, of each suite and of the public benchmarks are."""
    prompts = {"sft": [row["messages"][0]["content"] for row in sft]}
    prompts |= {path.stem: [item.prompt for item in read_suite(path)] for path in suites}
    prompts |= {name: [item.prompt for item in registry.load(name, folder)] for name, folder in benchmarks.items()}
    return [
        {"problems of": name, **diversity.measured(map(problem_of, texts_of), seed, name)}
        for name, texts_of in prompts.items()
    ]


def examples(sft: list[dict]) -> list[dict]:
    """The first small sample of each category and mode, the first of any size where none is small."""
    firsts: dict[tuple[str, str], dict] = {}
    for row in sorted(sft, key=lambda row: row["difficulty"] != "small"):
        firsts.setdefault((row["category"], row["mode"]), row)
    return [
        {
            "category": category,
            "mode": mode,
            "prompt": row["messages"][0]["content"],
            "data_file": row["data_file"],
            "answer": row["messages"][1]["content"],
        }
        for (category, mode), row in sorted(firsts.items())
    ]
