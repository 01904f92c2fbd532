"""Result files: written under a temporary name, then moved into place; each with its schema version and provenance.

JSON holds the provenance under a key of its own, Parquet and safetensors in their file metadata; CSV and JSONL have
no room for it, so a sidecar `<name>.meta.json` is written before them.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from trex.common.errors import UserError

SCHEMA_VERSION = 1
METADATA_KEY = b"trex"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`; moves it into place when the block ends well, else removes it.

    Raises UserError where the file cannot be written.
    """
    path = Path(path)
    check_place(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}); choose another place or make room") from error
    finally:
        if temporary.parent.is_dir():
            temporary.unlink(missing_ok=True)


def check_place(path: str | Path) -> None:
    """Raises UserError where a file cannot be put: a long step asks before its work, not after."""
    path = Path(path)
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is a device or the like and would be replaced; name a file")
    above = next(folder for folder in path.absolute().parents if folder.exists())
    if not above.is_dir():
        raise UserError(f"{path}: {above} is a file, not a folder; choose another place")
    if not os.access(above, os.W_OK):
        raise UserError(f"{path}: the folder {above} cannot be written to; choose another place")


def write_text(path: str | Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def metadata(provenance: dict) -> dict:
    return {"schema_version": SCHEMA_VERSION, "provenance": provenance}


def write_json(path: str | Path, value: dict, provenance: dict) -> None:
    write_text(path, json.dumps(metadata(provenance) | value, indent=2, ensure_ascii=False) + "\n")


def sidecar(path: str | Path) -> Path:
    """The file that holds the provenance of a CSV or JSONL file."""
    return Path(f"{path}.meta.json")


def write_csv(path: str | Path, frame: pd.DataFrame, provenance: dict) -> None:
    check_place(path)  # before its sidecar is written
    write_json(sidecar(path), {}, provenance)
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def write_jsonl(path: str | Path, records: Iterable[dict], provenance: dict, about: dict | None = None) -> None:
    """about: what else the sidecar says."""
    check_place(path)
    write_json(sidecar(path), about or {}, provenance)
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_parquet(path: str | Path, table: pa.Table, provenance: dict) -> None:
    table = table.replace_schema_metadata({METADATA_KEY: json.dumps(metadata(provenance)).encode()})
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_parquet(path: str | Path) -> list[dict]:
    """The rows of a Parquet file as dictionaries."""
    return open_input(path, pq.read_table).to_pylist()


def read_json(path: str | Path) -> dict:
    return open_input(path, lambda source: json.loads(Path(source).read_text(encoding="utf-8")))


def read_csv(path: str | Path) -> pd.DataFrame:
    return open_input(path, pd.read_csv)


def read_jsonl(path: str | Path) -> list[dict]:
    """The records of a JSONL file. Raises UserError with the line number of the first malformed line."""
    return [record for _, record in numbered_jsonl(path)]


def numbered_jsonl(path: str | Path) -> Iterator[tuple[int, dict]]:
    """(line number, record) of a JSONL file. Raises UserError with the number of a malformed line."""
    text = open_input(path, lambda source: Path(source).read_text(encoding="utf-8"))
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, parse_line(line, f"{path}, line {number}")


def parse_line(line: str | bytes, where: str) -> object:
    """The JSON value of a line of a JSONL file. Raises UserError naming the place of one that is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: not valid JSON ({error}); mend or remove that line") from error


def open_input(path: str | Path, reader):
    """`reader(path)`, its failures turned into one clear line."""
    try:
        return reader(path)
    except FileNotFoundError as error:
        raise UserError(f"no such file: {path}; run the step that makes it, or check the path") from error
    except (OSError, ValueError, RecursionError, pa.ArrowException) as error:
        raise UserError(f"{path}: cannot be read ({str(error).splitlines()[0]}); make it again") from error
