"""General text that every machine has: the sources and docstrings of Python's standard library.

    python -m trex.corpus.general --suites suites/*.parquet --settings config.json --seed 1 --out general.parquet

A file gives one document: its source, or its docstrings alone (English prose), never both. Files are taken in an order
drawn from the seed until there are `general_bytes` bytes to train on, and a tenth of that to validate on; which split a
file belongs to depends on its name alone. The text differs between Python versions: version and digest are recorded in
the provenance block. settings: the section `corpus`.
"""

import ast
import collections
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import digest_json, provenance
from trex.corpus import tables
from trex.corpus.leakage import Guard

STEP = "trex.corpus.general"
SKIPPED = ("site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3", "pydoc_data", "encodings",
           "turtledemo", "ensurepip", "__pycache__")  # fmt: skip
LONGEST = 30_000
SHORTEST = 500
VALIDATION_PERCENT = 10
COLUMNS = pa.schema([(name, pa.string()) for name in ("doc_id", "source", "split", "text")])


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--suites", nargs="+", type=Path, required=True, help="suites that may not leak")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--out", type=Path, required=True, help="the Parquet table")
    arguments = parser.parse_args()
    settings, seed = arguments.settings, arguments.seed
    guard = Guard.read(arguments.suites, settings["near_duplicate_threshold"])
    rows, counts = documents(Path(sysconfig.get_path("stdlib")), guard, settings["general_bytes"], seed)
    inputs = {path.stem: path for path in arguments.suites}
    origin = tables.with_counts(provenance(STEP, settings, inputs, seed), counts)
    origin["text_sha256"] = digest_json([row["text"] for row in rows])
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=COLUMNS), origin)
    print(f"general: {len(rows)} documents, {sum(len(row['text'].encode()) for row in rows)} bytes; {counts}")


def documents(library: Path, guard: Guard, size: int, seed: int) -> tuple[list[dict], dict[str, int]]:
    """Documents of both splits, and counts by outcome. Raises UserError where the library is too small."""
    missing = {"train": size, "validation": size // 10}
    counts: collections.Counter[str] = collections.Counter()
    rows = []
    for name, text in texts(library, seed):
        split = "validation" if seeds.derive(seed, STEP, "split", name) % 100 < VALIDATION_PERCENT else "train"
        if missing[split] <= 0:
            continue
        reason = guard.reason_of_long(text)
        counts[reason or "accepted"] += 1
        if reason is None:
            rows.append({"doc_id": f"stdlib/{name}", "source": "stdlib", "split": split, "text": text})
            missing[split] -= len(text.encode())
    if left := [split for split, count in missing.items() if count > 0]:
        raise UserError(
            f"corpus.general_bytes: the standard library in use has {missing[left[0]]} bytes too few for the split "
            f"{left[0]}; ask for fewer"
        )
    return rows, dict(sorted(counts.items()))


def texts(library: Path, seed: int) -> Iterator[tuple[str, str]]:
    """(relative name, text) of the library's files, in the seed's order."""
    names = [path.relative_to(library).as_posix() for path in library.rglob("*.py")]
    names = [name for name in names if not any(part in SKIPPED for part in name.split("/"))]
    for name in sorted(names, key=lambda name: (seeds.derive(seed, STEP, name), name)):
        try:
            source = (library / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        prose = docstrings(source) if seeds.derive(seed, STEP, "kind", name) % 2 else ""
        text = shortened(prose if len(prose) >= SHORTEST else source)
        if len(text) >= SHORTEST:
            yield name, text


def docstrings(source: str) -> str:
    """All docstrings of a source text, in its order."""
    nodes = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    nodes.sort(key=lambda node: getattr(node, "lineno", 0))
    return "\n\n".join(text for node in nodes if (text := ast.get_docstring(node)))


def shortened(text: str) -> str:
    """At most LONGEST characters, cut at a line's end."""
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition("\n")[0]


if __name__ == "__main__":
    cli.run(main)
