"""An append-only file of what is known already, so that an interrupted step goes on where it stopped.

One line of JSON a record, {"key": ..., "value": ...}; of several records with one key the last counts. Memory holds the
keys and where their records are; a value is read when it is asked for.
"""

import contextlib
import fcntl
import json
import os
import threading
from pathlib import Path

from trex.common import files
from trex.common.errors import UserError

START = b'{"key": "'  # of each record, and so of the file


class Journal:
    """Use as a context manager; safe for several threads, and for one process at a time.

    A kill loses at most the record being written: what follows the last whole record is cut off on opening, and a
    damaged record before it is passed over. Raises UserError where the file is no journal or cannot be written.
    """

    def __init__(self, path: Path):
        files.check_place(path)
        self.path = path
        self.places: dict[str, tuple[int, int]] = {}  # key -> where its record starts, and its length
        self.end = 0
        self.appending = threading.Lock()
        with self.mending():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.stream = open(path, "a+b", buffering=0)  # noqa: SIM115 - closed by __exit__
        with contextlib.ExitStack() as undo:
            undo.callback(self.stream.close)
            self.lock()
            self.index()
            undo.pop_all()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_) -> None:
        self.stream.close()

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __len__(self) -> int:
        return len(self.places)

    def get(self, key: str):
        """The value of a key; None where there is none."""
        if key not in self.places:
            return None
        start, length = self.places[key]
        with self.mending():
            return json.loads(os.pread(self.stream.fileno(), length, start))["value"]

    def add(self, key: str, value) -> None:
        """value: anything that JSON can hold."""
        line = json.dumps({"key": key, "value": value}).encode() + b"\n"
        with self.appending, self.mending():
            if (written := self.stream.write(line)) < len(line):  # the disk is full: the rest says so
                self.stream.truncate(self.end)
                raise OSError(0, f"only {written} of {len(line)} bytes fitted")
            self.places[key] = self.end, len(line)
            self.end += len(line)

    def lock(self) -> None:
        """The system gives the lock back when the process ends, however it ends."""
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"{self.path}: another process writes there; wait for it, or name another file") from error

    def index(self) -> None:
        with open(self.path, "rb") as stream, self.mending():
            if not START.startswith(stream.read(len(START))):
                raise UserError(f"{self.path}: is no journal of this step and is left alone; name another file")
            stream.seek(0)
            start = 0
            for line in stream:
                if (key := key_of(line)) is not None:
                    self.places[key] = start, len(line)
                    self.end = start + len(line)
                start += len(line)
            self.stream.truncate(self.end)

    @contextlib.contextmanager
    def mending(self):
        """What the system refuses is the user's to mend."""
        try:
            yield
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}; make room or name another file") from error


def key_of(line: bytes) -> str | None:
    """The key of a whole record; None of anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(record, dict) and record.keys() == {"key", "value"} and isinstance(record["key"], str)
    return record["key"] if whole else None
