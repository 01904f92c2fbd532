"""Build the archive of a run: the given files, a manifest of their digests, and the program that verifies them.

    python -m trex.bundle.build --run-dir results/mini --files results/mini/config.json ... --out mini.crate.tar.gz

The same files give the same bytes: members are sorted, without times and owners. Takes exactly the files that the
workflow names, since a run's folder may hold results of an older configuration. Refuses symbolic links, files from
outside the run's folder, and files that name a folder of this machine.
"""

import gzip
import io
import json
import os
import tarfile
from fnmatch import fnmatchcase
from pathlib import Path

from trex.bundle import verify
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import digest_file, provenance

# What a file's values promise, first match first. `exact`: bit for bit on the same machine; `informational`: it holds
# times or what follows from them. (`numeric`, equal within a tolerance, is for tables that state one.)
CLASSES = (
    ("accounting/models.csv*", "exact"),
    ("accounting/projection.csv*", "exact"),
    ("accounting/*", "informational"),
    ("audit/*", "informational"),
    ("report/*", "informational"),
    ("environment.json", "informational"),
    ("isolation.json", "informational"),
    ("models/*/metrics.jsonl*", "informational"),
    ("models/oracle.csv", "numeric"),
    ("*", "exact"),
)
TEXT = {".csv", ".html", ".json", ".jsonl", ".md"}


def value_class(path: str) -> str:
    return next(kind for pattern, kind in CLASSES if fnmatchcase(path, pattern))


def machine_folders() -> list[bytes]:
    """The working and the home folder, whose names tell about a person; not short ones such as /root."""
    folders = {Path.cwd(), Path(os.path.expanduser("~"))}
    return [str(folder).encode() for folder in sorted(folders) if len(folder.parts) > 2]


def inside(source: str, run_dir: str) -> str:
    """The path of the source below the run's folder. Raises UserError where it may not go into the archive."""
    path = Path(source)
    if path.is_absolute() or ".." in path.parts or not path.is_relative_to(run_dir):
        raise UserError(f"{source}: not a relative path below {run_dir}; give files of the run only")
    if any(part.is_symlink() for part in (path, *path.parents)):
        raise UserError(f"{source}: reached by a symbolic link; put the file itself there")
    if not path.is_file():
        raise UserError(f"no such file: {source}; run the workflow to the end first")
    name = path.relative_to(run_dir).as_posix()
    if not verify.safe(name) or name in (verify.MANIFEST, Path(verify.__file__).name):
        raise UserError(f"{source}: not a name for the archive; use letters, digits and . _ - and no reserved name")
    return name


def refuse_machine_names(source: str) -> None:
    data = Path(source).read_bytes()
    for folder in machine_folders():
        if folder in data:
            raise UserError(f"{source}: names a folder of this machine ({folder.decode()}); write relative paths only")


def describe(sources: dict[str, str]) -> bytes:
    """The manifest of the files: archive path -> source."""
    entries = [
        {"path": name, "size": os.path.getsize(source), "sha256": digest_file(source), "class": value_class(name)}
        for name, source in sources.items()
    ]
    manifest = files.metadata(provenance("trex.bundle.build", {}, {})) | {"files": entries}
    return (json.dumps(manifest, indent=1) + "\n").encode()


def write_archive(stream: io.BufferedIOBase, folder: str, manifest: bytes, sources: dict[str, str]) -> None:
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.USTAR_FORMAT) as archive,
    ):
        add(archive, f"{folder}/{verify.MANIFEST}", io.BytesIO(manifest), len(manifest))
        for name, source in sources.items():
            with open(source, "rb") as content:
                add(archive, f"{folder}/{name}", content, os.path.getsize(source))


def add(archive: tarfile.TarFile, name: str, content: io.BufferedIOBase, size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o644
    archive.addfile(member, content)


def build(run_dir: str, paths: list[str], out: str) -> int:
    """Writes the archive, returns its number of files. Raises UserError."""
    sources = {}
    for path in sorted(paths):
        name = inside(path, run_dir)
        if name in sources:
            raise UserError(f"{path}: given twice; name each file once")
        if Path(path).suffix in TEXT:
            refuse_machine_names(path)
        sources[name] = path
    sources[Path(verify.__file__).name] = verify.__file__
    sources = dict(sorted(sources.items()))
    with files.replacing(out) as temporary, open(temporary, "wb") as stream:
        write_archive(stream, Path(run_dir).name, describe(sources), sources)
    return len(sources)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--run-dir", required=True, help="the run's folder, results/<run>")
    parser.add_argument("--files", nargs="+", required=True, help="the files to archive, all below the run's folder")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    count = build(arguments.run_dir, arguments.files, arguments.out)
    size = os.path.getsize(arguments.out)
    print(f"bundle: {count} files, {size} bytes, SHA-256 {digest_file(arguments.out)}, written to {arguments.out}")


if __name__ == "__main__":
    cli.run(main)
