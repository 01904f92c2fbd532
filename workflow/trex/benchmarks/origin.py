"""Where the files of a benchmark come from: a folder, a web server, or an archive on either. All bytes are foreign.

`copy(name, target)` of an origin writes one file, whole or not at all, and raises Missing where there is none of that
name; all else that goes wrong is a UserError. http, https and file alone, also after redirects. No credentials stand in
an address; a query, as signed addresses have, is sent, but neither told nor kept.

An archive (.zip, .tar.gz, .tgz) with an absolute name, one with `..`, a link or a device in it is refused as a whole.
Neither a file nor an unpacked archive may exceed LIMIT bytes.
"""

import contextlib
import glob
import gzip
import http.client
import math
import shutil
import stat
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from trex.benchmarks.definition import is_safe
from trex.common import cli, files
from trex.common.errors import UserError

LIMIT = 512 * 2**20
CHUNK = 2**16
TIMEOUT_S = 30
ARCHIVES = (".zip", ".tar.gz", ".tgz")
GONE = (404, 410)
BROKEN = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError)
HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.UnknownHandler,
)


class Missing(Exception):
    """The origin holds no file of this name."""


class Folder:
    def __init__(self, path: Path):
        self.path = path

    def copy(self, name: str, target: Path) -> None:
        path = self.path / name
        if not path.is_file():
            raise Missing(path)
        write(target, [files.open_input(path, Path.read_bytes)], str(path))


class Web:
    """Files below an address."""

    def __init__(self, address: str):
        self.parts = urllib.parse.urlsplit(address)
        self.opener = urllib.request.OpenerDirector()
        for handler in HANDLERS:
            self.opener.add_handler(handler())

    def copy(self, name: str, target: Path) -> None:
        path = f"{self.parts.path.rstrip('/')}/{urllib.parse.quote(name)}"
        address = urllib.parse.urlunsplit(self.parts._replace(path=path))
        where = shown(address)
        with reached(where), self.opener.open(address, timeout=TIMEOUT_S) as response:
            length = response.headers.get("Content-Length")
            chunks = pieces(response, lambda: reached(where))
            write(target, chunks, where, int(length) if length else None)


Origin = Folder | Web
Candidates = tuple[str, ...]


def opened(given: str, candidates: Candidates, workplace: Path) -> tuple[Origin, Candidates]:
    """(origin, where the index may stand in it) for what a user gave as the source of a set.

    candidates: where the index may stand below a folder; workplace: folder for archives. Raises UserError.
    """
    parts = urllib.parse.urlsplit(given)
    if parts.scheme in ("http", "https"):
        return opened_address(given, candidates, workplace)
    if parts.scheme == "file":
        given = urllib.request.url2pathname(parts.path)
    elif "://" in given:
        raise UserError(f"{shown(given)}: {parts.scheme} is not supported; give http, https, a file or a folder")
    path = Path(given)
    if path.is_dir():
        return Folder(path), candidates
    if not path.is_file():
        raise UserError(f"{path}: no such file or folder")
    if path.name.endswith(ARCHIVES):
        return in_archive(path, str(path), candidates, workplace)
    return Folder(path.parent), (path.name,)


def opened_address(given: str, candidates: Candidates, workplace: Path) -> tuple[Origin, Candidates]:
    parts = urllib.parse.urlsplit(given)
    if "@" in parts.netloc:
        raise UserError(f"{shown(given)}: give the address without user and password")
    path = PurePosixPath(urllib.parse.unquote(parts.path))
    if not path.name.endswith((*ARCHIVES, *(PurePosixPath(name).suffix for name in candidates))):
        return Web(given), candidates
    web = Web(urllib.parse.urlunsplit(parts._replace(path=urllib.parse.quote(str(path.parent)))))
    if not path.name.endswith(ARCHIVES):
        return web, (path.name,)
    archive = workplace / path.name
    if not archive.exists():
        try:
            web.copy(path.name, archive)
        except Missing as error:
            raise UserError(f"{error}: no such file; check the address") from error
    return in_archive(archive, shown(given), candidates, workplace)


def in_archive(archive: Path, where: str, candidates: Candidates, workplace: Path) -> tuple[Origin, Candidates]:
    folder = workplace / "unpacked"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        unpack(archive, where, folder)
    except UserError:
        shutil.rmtree(workplace, ignore_errors=True)
        raise
    for name in candidates:
        found = standing_in(folder, name)
        if len(found) > 1:
            places = ", ".join(str(path.relative_to(folder)) for path in found)
            raise UserError(f"{where}: holds {name} more than once ({places}); unpack it and give the folder of one")
        if found:
            return Folder(found[0].parent), (found[0].name,)
    raise UserError(f"{where}: holds no {' or '.join(candidates)}")


def standing_in(folder: Path, name: str) -> list[Path]:
    """A file below any folder if its name has a folder itself, else at the top or in the one folder at the top.

    A bare `test.jsonl` further down can be any set's.
    """
    top = list(folder.iterdir())
    name = glob.escape(name)
    if "/" in name:
        return sorted(folder.rglob(name))
    return list(folder.glob(name)) or (list(top[0].glob(name)) if len(top) == 1 else [])


def unpack(archive: Path, where: str, folder: Path) -> None:
    members = zip_members if archive.suffix == ".zip" else tar_members
    with unbroken(where):
        for name, is_plain, stream in members(archive, where):
            if not (is_plain and is_safe(name)):
                raise UserError(f"{where}: not unpacked, {name!r} in it is a link, a device or outside its folder")
            if stream is not None:
                write(folder / name, pieces(stream, lambda: unbroken(where)), f"{where}, {name}")


Members = Iterator[tuple[str, bool, BinaryIO | None]]


def zip_members(archive: Path, where: str) -> Members:
    """(name, whether it is a file or folder, its content unless it is a folder) of each member."""
    with zipfile.ZipFile(archive) as packed:
        check_size(sum(member.file_size for member in packed.infolist()), where)
        for member in packed.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            stream = None if member.is_dir() else packed.open(member)
            yield member.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR), stream


def tar_members(archive: Path, where: str) -> Members:
    """As zip_members, in one pass."""
    with gzip.open(archive) as stream, tarfile.open(fileobj=Limited(stream, where), mode="r|") as packed:
        for member in packed:
            is_plain = member.isdir() or (member.isreg() and not member.issparse())
            yield member.name, is_plain, packed.extractfile(member) if is_plain and not member.isdir() else None


class Limited:
    """A stream that refuses to give more than LIMIT bytes."""

    def __init__(self, stream: BinaryIO, where: str):
        self.stream, self.where, self.count = stream, where, 0

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.count += len(data)
        check_size(self.count, self.where)
        return data


@contextlib.contextmanager
def unbroken(where: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        raise UserError(f"{where}: not a whole archive ({error}); get it again") from error


@contextlib.contextmanager
def reached(where: str) -> Iterator[None]:
    """Failures of the network as Missing or as one clear line."""
    try:
        yield
    except urllib.error.HTTPError as error:
        if error.code in GONE:
            raise Missing(f"{where} ({error.code} {error.reason})") from error
        raise UserError(f"{where}: the server answers {error.code} {error.reason}; check the address") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = " ".join(str(getattr(error, "reason", None) or error).split())
        raise UserError(
            f"{where}: cannot be reached ({reason}); check the address and the network, and run again to go on"
        ) from error


def check_size(size: int, where: str) -> None:
    if size > LIMIT:
        raise UserError(f"{where}: more than {LIMIT // 2**20} MiB, which no benchmark here has; check what it is")


def pieces(stream: BinaryIO, guard: Callable[[], contextlib.AbstractContextManager]) -> Iterator[bytes]:
    """The stream's bytes in chunks. The guard turns a failure to read them into one that is not of writing them."""
    while True:
        with guard():
            chunk = stream.read(CHUNK)
        if not chunk:
            return
        yield chunk


def write(target: Path, chunks: Iterable[bytes], where: str, length: int | None = None) -> None:
    """The file, whole or not at all. Raises UserError where there are other than `length` bytes, or too many."""
    check_size(length or 0, where)
    written = 0
    with files.replacing(target) as temporary, open(temporary, "wb") as sink:
        for chunk in cli.track(chunks, target.name, None if length is None else math.ceil(length / CHUNK)):
            written += len(chunk)
            check_size(written, where)
            sink.write(chunk)
        if length is not None and written != length:
            raise UserError(f"{where}: broke off after {written} of {length} bytes; run again to go on")


def shown(address: str) -> str:
    """An address as it may be told and kept: without user, password, query and fragment."""
    parts = urllib.parse.urlsplit(address)
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
