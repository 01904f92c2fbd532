"""General text, of two sources: English and Python out of the packages that a run installs anyway.

    python -m trex.corpus.general --suites suites/*.parquet --settings config.json --seed 1 --out general.parquet

What is taken of which packages, and their licences: trex.corpus.packages. The packages take turns, each with its files
in an order drawn from the seed, until there are `general_bytes` of each source to train on, and a tenth of that to
validate on; which split a file belongs to depends on its name alone. The text is the same on every Python and machine
that has the packages at the versions of requirements.txt; versions and digests are in the provenance block. Leaks are
dropped and counted as in trex.corpus.sft. settings: the section `corpus`.
"""

import collections
import hashlib
import itertools
from collections.abc import Iterator

import pyarrow as pa

from trex.common import cli, seeds
from trex.common.errors import UserError
from trex.corpus import packages, step
from trex.corpus.leakage import Guard

STEP = "trex.corpus.general"
LONGEST = 12_000
SHORTEST = 300
VALIDATION_PERCENT = 10
COLUMNS = pa.schema([(name, pa.string()) for name in ("doc_id", "source", "split", "text")])


def main() -> None:
    arguments = step.parser(__doc__).parse_args()
    sizes = arguments.settings["general_bytes"]
    rows, counts = documents(packages.NAMES, step.guard(arguments), sizes, arguments.seed)
    about = {"packages": packages.versions(), "text_sha256": digests(rows)}
    step.write(STEP, arguments, rows, COLUMNS, counts, about)
    print(f"general: {len(rows)} documents, {sum(len(row['text'].encode()) for row in rows)} bytes; {counts}")


def documents(
    names: tuple[str, ...], guard: Guard, sizes: dict[str, int], seed: int
) -> tuple[list[dict], dict[str, int]]:
    """Documents of both sources and splits, and counts by outcome. Raises UserError where there is too little text."""
    missing = {(source, "train"): size for source, size in sizes.items()}
    missing |= {(source, "validation"): size // 10 for source, size in sizes.items()}
    counts: collections.Counter[str] = collections.Counter()
    rows = []
    for name in in_turns(names, seed):
        split = "validation" if seeds.derive(seed, STEP, "split", name) % 100 < VALIDATION_PERCENT else "train"
        for source, whole in (
            packages.texts(name) if any(missing[key] > 0 for key in missing if key[1] == split) else ()
        ):
            text = shortened(whole)
            if missing[source, split] <= 0 or len(text) < SHORTEST:
                continue
            reason = guard.reason_of_long(text)
            counts[reason or "accepted"] += 1
            if reason is None:
                rows.append({"doc_id": f"{source}/{name}", "source": source, "split": split, "text": text})
                missing[source, split] -= len(text.encode())
        if max(missing.values()) <= 0:
            break
    if left := [key for key, count in missing.items() if count > 0]:
        source, split = left[0]
        raise UserError(
            f"corpus.general_bytes.{source}: the packages have {missing[left[0]]} bytes too few for the split {split}; "
            "ask for fewer"
        )
    return rows, dict(sorted(counts.items()))


def in_turns(names: tuple[str, ...], seed: int) -> Iterator[str]:
    """What packages.texts can be asked for, of one package after the other, each in the seed's order."""
    drawn = [sorted(packages.names(name), key=lambda path: (seeds.derive(seed, STEP, path), path)) for name in names]
    for turn in itertools.zip_longest(*drawn):
        yield from filter(None, turn)


def shortened(text: str) -> str:
    """At most LONGEST characters, cut at a line's end."""
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition("\n")[0] + "\n"


def digests(rows: list[dict]) -> dict[str, str]:
    """SHA-256 of the texts of each source, in their order, each with its name."""
    found = {source: hashlib.sha256() for source in packages.SOURCES}
    for row in rows:
        found[row["source"]].update(f"{row['doc_id']}\0{row['text']}\0".encode())
    return {source: digest.hexdigest() for source, digest in found.items()}


if __name__ == "__main__":
    cli.run(main)
