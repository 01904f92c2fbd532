"""How-to and formulation notes of our own: one Markdown file each, in this folder.

A file in a sub-folder is about the structure that the folder is named after (a bucket of `trex.problems.families`), and
is left out where that bucket may not be trained on. All Python in a note runs; a comment behind a `print` is what it
prints. Notes that come with a family are made by trex.corpus.cpt.
"""

import hashlib
from collections.abc import Collection
from pathlib import Path

FOLDER = Path(__file__).parent


def paths() -> list[Path]:
    return sorted(FOLDER.rglob("*.md"))


def name(path: Path) -> str:
    """`big_m`, or `routing/one_round_trip`."""
    return path.relative_to(FOLDER).with_suffix("").as_posix()


def read(buckets: Collection[str]) -> dict[str, str]:
    """The notes about no bucket and about these ones, by name."""
    return {
        name(path): path.read_text(encoding="utf-8")
        for path in paths()
        if path.parent == FOLDER or path.parent.name in buckets
    }


def digest() -> str:
    """SHA-256 of all notes, so that the step that reads them runs again when one changes."""
    found = hashlib.sha256()
    for path in paths():
        found.update(f"{name(path)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()
