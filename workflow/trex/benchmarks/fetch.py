"""Obtain a public benchmark into a folder, in upstream's layout, and check what it is.

    python -m trex.benchmarks.fetch nl4opt --from https://example.org/NL4OPT/test.parquet --out sets
    python -m trex.benchmarks.fetch bench4opt_feasible --from checkout/datasets --out sets --sha256 HEX

--from: a folder that has the set; the set's file; a .zip or .tar.gz that has it; or the address of any of these (of a
folder: below which the files stand). http, https and file; a query in an address is sent, but not kept. Where a set is
an index and the files that it names, they are taken from beside it.

The files are gathered in FOLDER/.NAME.part and moved into place when all are there, can be read as that benchmark and
have the digest that is asked for; so a run that was interrupted leaves the folder as it was, and the next one goes on.
FOLDER/NAME.fetched.json says where they came from, when, and their digests. A set that differs from --sha256, from an
earlier fetch or from files that are there already is refused (exit code 2).
"""

import argparse
import contextlib
import datetime
import os
import re
import shutil
from pathlib import Path, PurePosixPath

from trex.benchmarks import origin, registry
from trex.benchmarks.definition import SHOWN, Definition, file_digest
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance

STEP = "trex.benchmarks.fetch"
SOURCE = "source"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("name", help="benchmark, or path of a YAML file that defines one")
    parser.add_argument("--from", dest="given", required=True, help="folder, file, archive or address")
    parser.add_argument("--out", type=Path, required=True, help="folder to put the set into")
    parser.add_argument("--sha256", type=sha256, help="digest that the set must have")
    arguments = parser.parse_args()
    fetch(registry.definition(arguments.name), arguments.given, arguments.out, arguments.sha256)


def sha256(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{64}", text.lower()):
        raise argparse.ArgumentTypeError(f"not 64 hexadecimal digits: {text!r}")
    return text.lower()


def fetch(benchmark: Definition, given: str, out: Path, wanted: str | None) -> None:
    source = origin.shown(given) if "://" in given else given
    record_path = out / f"{benchmark.name}.fetched.json"
    files.check_place(record_path)
    staging = out / f".{benchmark.name}.part"
    resume(staging, source)
    gather(benchmark, given, staging)
    with discarded_unless_right(staging):
        summary = check(benchmark, staging / "set")
        digest = benchmark.digest(staging / "set")
        compare(digest, wanted, record_path)
        digests = install(benchmark, staging / "set", out)
    record = {
        "benchmark": benchmark.name,
        "version": benchmark.version,
        "source": source,
        "fetched": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "sha256": digest,
        "files": digests,
    }
    files.write_json(record_path, record, provenance(STEP, {}, {}))
    shutil.rmtree(staging)
    print(f"{benchmark.name}: {summary}, {len(digests)} files in {out}, sha256 {digest}")


def resume(staging: Path, source: str) -> None:
    """Keep what an interrupted run brought from the same source, nothing else."""
    note = staging / SOURCE
    if not note.is_file() or note.read_text(encoding="utf-8") != source:
        shutil.rmtree(staging, ignore_errors=True)
        files.write_text(note, source)


def gather(benchmark: Definition, given: str, staging: Path) -> None:
    """Bring the index and all that it names into the staging folder, in upstream's layout."""
    place, candidates = origin.opened(given, benchmark.files, staging / "archive")
    index = staging / "set" / benchmark.files[0]
    base = bring_index(place, candidates, index)
    for name in cli.track(benchmark.attached(index), benchmark.name):
        if not (index.parent / name).exists():
            try:
                place.copy(str(base / name), index.parent / name)
            except origin.Missing as error:
                raise UserError(f"{error}: no such file, but the set's index names it; take a complete copy") from error


def bring_index(place: origin.Origin, candidates: origin.Candidates, target: Path) -> PurePosixPath:
    """Copy the first candidate that there is; returns the folder in which it stood."""
    tried = []
    for name in candidates:
        try:
            place.copy(name, target)
            return PurePosixPath(name).parent
        except origin.Missing as error:
            tried.append(str(error))
    raise UserError(f"no such file: {', '.join(tried)}; check --from")


@contextlib.contextmanager
def discarded_unless_right(staging: Path):
    """What is wrong must not be taken up again by the next run."""
    try:
        yield
    except UserError:
        shutil.rmtree(staging)
        raise


def check(benchmark: Definition, folder: Path) -> str:
    """How many records there are. Raises UserError where none can be read."""
    items, faults = benchmark.examine(folder)
    if not items:
        raise UserError(f"not {benchmark.name}: no record can be read ({'; '.join(faults[:SHOWN])}); check --from")
    malformed = f", {len(faults)} malformed ({'; '.join(faults[:SHOWN])})" if faults else ""
    return f"{len(items)} records{malformed}"


def compare(digest: str, wanted: str | None, record_path: Path) -> None:
    if wanted is not None and digest != wanted:
        raise UserError(f"sha256 is {digest}, --sha256 asks for {wanted}; this is another version of the set")
    if record_path.exists():
        before = files.read_json(record_path).get("sha256")
        if before != digest:
            raise UserError(
                f"sha256 is {digest}, that of the earlier fetch {before} ({record_path}); "
                "this is another version of the set: give another folder"
            )


def install(benchmark: Definition, staged: Path, out: Path) -> dict[str, str]:
    """Move the set into place, its index last: without it there is no set. Returns digests by path below `out`."""
    paths = {path.relative_to(staged): path for path in reversed(benchmark.paths(staged).values())}
    digests = {name.as_posix(): file_digest(path) for name, path in paths.items()}
    for name in paths:
        if (out / name).exists() and file_digest(out / name) != digests[name.as_posix()]:
            raise UserError(f"{out / name}: is there with other content; move it away, or give another folder")
    for name, path in paths.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, out / name)
    return dict(sorted(digests.items()))


if __name__ == "__main__":
    cli.run(main)
