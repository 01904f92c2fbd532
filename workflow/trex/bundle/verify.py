"""Verify the archive of a run: is every file there, unchanged, and nothing else?

    python verify.py FILE        (a copy lies in every archive; the standard library is all it needs)

Compares every file of the archive with its size and SHA-256 in the manifest, extracts nothing, and names each file
that is changed, missing, extra or there twice. Exit code 0: as built; 1: it is not, or it is no such archive;
2: FILE cannot be read.

The archive may come from anywhere, so it is read as hostile: by this short reader of plain USTAR members, in one
pass, with bounds on everything that is held in memory. Links, devices and extended headers are refused.

What this does not cover: whoever changes a file can change the manifest to match. Compare the archive's SHA-256, which
is printed, with the one that its author published.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

MANIFEST = "manifest.json"
CLASSES = ("exact", "numeric", "informational")
BLOCK = 512
CHUNK = 1 << 20
MANIFEST_LIMIT = 16 << 20
MEMBERS_LIMIT = 50_000
TOTAL_LIMIT = 16 << 30


class Malformed(Exception):
    """The archive is not one that trex.bundle.build makes."""


class Member:
    """One file of the archive, whose content is read in order with `chunks`."""

    def __init__(self, stream: BinaryIO, name: str, size: int):
        self.stream, self.name, self.size = stream, name, size

    def chunks(self) -> Iterator[bytes]:
        left = self.size
        while left:
            data = read_exactly(self.stream, min(left, CHUNK))
            left -= len(data)
            yield data
        read_exactly(self.stream, -self.size % BLOCK)


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise Malformed("the archive ends early")
    return data


def octal(field: bytes) -> int:
    text = field.rstrip(b"\0 ")
    if not re.fullmatch(rb"[0-7]+", text):
        raise Malformed(f"a header holds {text!r} where a number belongs")
    return int(text, 8)


def header(block: bytes) -> tuple[str, int]:
    """(name, size) of a USTAR header of a plain file (POSIX.1-1988, "ustar Interchange Format")."""
    if octal(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise Malformed("a header is damaged (its checksum does not match)")
    name, prefix = (field.split(b"\0")[0] for field in (block[:100], block[345:500]))
    try:
        path = (prefix + b"/" + name if prefix else name).decode("ascii")
    except UnicodeDecodeError as error:
        raise Malformed("a name is not plain ASCII") from error
    if block[257:263] != b"ustar\0" or block[156:157] != b"0":
        raise Malformed(f"{path!r} is no plain file (a link, folder, device or extended header)")
    if not safe(path):
        raise Malformed(f"{path!r} is no safe relative path")
    return path, octal(block[124:136])


def safe(path: str) -> bool:
    """A relative POSIX path in its shortest form, without `..`, backslashes, colons or control characters."""
    return bool(re.fullmatch(r"[A-Za-z0-9._/+ -]+", path)) and (
        str(PurePosixPath(path)) == path and not path.startswith("/") and ".." not in path.split("/")
    )


def members(stream: BinaryIO) -> Iterator[Member]:
    """The members in order; each must be read to its end before the next. Raises Malformed."""
    count = total = 0
    while any(block := read_exactly(stream, BLOCK)):
        name, size = header(block)
        count, total = count + 1, total + size
        if count > MEMBERS_LIMIT or total > TOTAL_LIMIT:
            raise Malformed(f"more than {MEMBERS_LIMIT} files or {TOTAL_LIMIT} bytes, at {name!r}")
        yield Member(stream, name, size)
    tail = stream.read(CHUNK)
    if any(tail) or len(tail) == CHUNK or len(tail) < BLOCK:
        raise Malformed("the archive does not end where its last file ends")


def parse_manifest(data: bytes) -> dict[str, dict]:
    """Path -> {size, sha256, class}. Raises Malformed."""
    try:
        entries = json.loads(data)["files"]
        found = {}
        for entry in entries:
            path, size, digest = entry["path"], entry["size"], entry["sha256"]
            well_formed = (
                isinstance(path, str)
                and safe(path)
                and type(size) is int
                and isinstance(digest, str)
                and re.fullmatch("[0-9a-f]{64}", digest)
                and entry["class"] in CLASSES
            )
            if not well_formed or path in found or path == MANIFEST:
                raise Malformed(f"{MANIFEST}: the entry of {str(path)[:200]!r} is malformed or there twice")
            found[path] = entry
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Malformed(f"{MANIFEST} is not a manifest ({type(error).__name__})") from error
    return found


def top_folder(name: str) -> tuple[str, str]:
    folder, separator, path = name.partition("/")
    if not separator:
        raise Malformed(f"{name!r} lies outside the run's folder")
    return folder, path


def read_manifest(archive: Iterator[Member]) -> tuple[str, dict[str, dict]]:
    """(the run's folder, the manifest) from the first member."""
    first = next(archive, None)
    folder, path = top_folder(first.name) if first else ("", "")
    if path != MANIFEST or first.size > MANIFEST_LIMIT:
        raise Malformed(f"the first file is not {MANIFEST}")
    return folder, parse_manifest(b"".join(first.chunks()))


def compare(archive: Iterator[Member]) -> tuple[list[str], int]:
    """(one line for every departure from the manifest, number of files in the manifest). Raises Malformed."""
    folder, manifest = read_manifest(archive)
    problems, seen = [], Counter()
    for member in archive:
        digest = hashlib.sha256()
        for chunk in member.chunks():
            digest.update(chunk)
        member_folder, path = top_folder(member.name)
        if member_folder != folder or path not in manifest:
            problems.append(f"extra: {member.name}")
            continue
        seen[path] += 1
        if (member.size, digest.hexdigest()) != (manifest[path]["size"], manifest[path]["sha256"]):
            problems.append(
                f"changed: {path} ({member.size} bytes, SHA-256 {digest.hexdigest()}; "
                f"the manifest says {manifest[path]['size']} bytes, {manifest[path]['sha256']})"
            )
    problems += [f"there {count} times: {path}" for path, count in seen.items() if count > 1]
    problems += [f"missing: {path}" for path in manifest if path not in seen]
    return problems, len(manifest)


def verify(path: str) -> tuple[list[str], int]:
    """(problems, number of files in the manifest); a malformed archive is one problem. Raises OSError."""
    with open(path, "rb") as raw, gzip.open(raw) as stream:
        try:
            return compare(members(stream))
        except Malformed as error:
            return [f"malformed: {error}"], 0
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            return [f"malformed: not a whole gzip file ({error})"], 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="the archive, results/<run>.crate.tar.gz")
    file = parser.parse_args().file
    try:
        problems, count = verify(file)
        with open(file, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        print(f"error: {file}: cannot be read ({error.strerror}); check the path", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    verdict = f"{len(problems)} problems" if problems else f"all {count} files as built"
    print(f"verify: {file}: {verdict}; SHA-256 of the archive {digest}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
