"""What is known of a public benchmark before its files are read, and how its files are found, listed and hashed.

A benchmark has an index, the file that lists its records, and maybe files that the index names, which stand below the
index's folder. A record that cannot be an item is malformed: it is named, and the whole set is refused, because a rate
over what happened to be readable is nobody's benchmark.
"""

import dataclasses
import math
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from trex.benchmarks.item import Item
from trex.common.errors import UserError
from trex.common.provenance import digest_bytes, digest_file

CATEGORIES = ("word", "mixed", "solve", "build")
SHOWN = 5


@dataclasses.dataclass(frozen=True)
class Scoring:
    """How the authors decide: in words, and as an absolute or relative tolerance where they compare numbers."""

    rule: str
    abs: float | None = None
    rel: float | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Definition:
    """files: where the index may stand below the user's folder, upstream's place first; needed: keys of a record.

    known_bad: record id -> why its label or reference is known to be wrong, and who says so.
    """

    name: str
    version: str
    source: str
    files: tuple[str, ...]
    category: str
    criterion: str
    scoring: Scoring
    licence: str
    label_quality: str
    known_bad: Mapping[str, str]
    needed: tuple[str, ...]

    def index(self, folder: str | Path) -> Path:
        """The set's index in a folder. Raises UserError where there is none."""
        for name in self.files:
            if (Path(folder) / name).is_file():
                return Path(folder) / name
        raise UserError(f"{folder}: holds no {' or '.join(self.files)}; name the folder that has {self.name}'s files")

    def records(self, index: Path) -> list:
        """The records as the index has them. Raises UserError where it is another kind of file."""
        raise NotImplementedError

    def item(self, position: int, record: dict, index: Path) -> Item:
        """The item of the record at this position, from 0. Raises ValueError saying why it is malformed."""
        raise NotImplementedError

    def attached(self, index: Path) -> list[str]:
        """The files that the index names, relative to its folder, each once. Raises UserError."""
        return []

    def checked_records(self, index: Path) -> list:
        records = self.records(index)
        if not any(isinstance(record, dict) and set(self.needed) <= record.keys() for record in records):
            raise UserError(f"{index}: not {self.name}, it needs records with {', '.join(self.needed)}")
        return records

    def examine(self, folder: str | Path) -> tuple[list[Item], list[str]]:
        """(items in the index's order, the malformed records each with its place, id and fault)."""
        index = self.index(folder)
        items, faults, places = [], [], {}
        for position, record in enumerate(self.checked_records(index)):
            try:
                item = self.item(position, checked(record, self.needed), index)
                if item.item_id in places:
                    raise ValueError(f"the id is that of row {places[item.item_id]}")
                places[item.item_id] = position
                items.append(item)
            except ValueError as error:
                faults.append(f"row {position}{identity(record)}: {error}")
        return items, faults

    def read(self, folder: str | Path) -> list[Item]:
        """All items in the index's order. Raises UserError naming the records that are malformed."""
        items, faults = self.examine(folder)
        if faults:
            raise UserError(
                f"{self.index(folder)}: {len(faults)} malformed records ({'; '.join(faults[:SHOWN])}); "
                "mend or remove them"
            )
        return items

    def paths(self, folder: str | Path) -> dict[str, Path]:
        """The set's files by their names relative to the index's folder, the index first."""
        index = self.index(folder)
        return {index.name: index} | {name: index.parent / name for name in self.attached(index)}

    def digest(self, folder: str | Path) -> str:
        """SHA-256 of the set, wherever it stands: of its only file, or of what `sha256sum` prints for its files.

        The lines are those of `sha256sum` run in the index's folder, sorted by name.
        """
        paths = self.paths(folder)
        digests = {name: file_digest(path) for name, path in sorted(paths.items())}
        if len(digests) == 1:
            return digests.popitem()[1]
        return digest_bytes("".join(f"{sha256}  {name}\n" for name, sha256 in digests.items()).encode())


def checked(record: object, needed: tuple[str, ...]) -> dict:
    if not isinstance(record, dict):
        raise ValueError("not an object")
    if missing := [name for name in needed if name not in record]:
        raise ValueError(f"lacks {', '.join(missing)}")
    return record


def identity(record: object) -> str:
    return f" (id {record['id']})" if isinstance(record, dict) and "id" in record else ""


def text(record: dict, name: str) -> str:
    """The record's text of this name, stripped. Raises ValueError where it is none."""
    value = record[name]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} is not a text")
    return value.strip()


def number(value: object) -> float | None:
    """A finite number, given as one or as text; else None."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def is_safe(name: str) -> bool:
    """Whether a name, which may come from anywhere, is a plain relative path that stays below its folder."""
    parts = PurePosixPath(name).parts
    return bool(parts) and ".." not in parts and re.search(r"^/|[\\:\0\n]", name) is None


def file_digest(path: Path) -> str:
    try:
        return digest_file(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); the set is not complete: get all of it") from error
