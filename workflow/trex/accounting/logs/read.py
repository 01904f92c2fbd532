"""A training log as a table, its format recognised: `read(["run.log"])`. Free of torch.

What the formats have in common is done here:

- Output of several ranks in one file: the rank with most lines is kept, the lowest of those.
- The same step twice in a row, alike in every figure, is the same line printed twice and kept once.
- A step number that does not grow is a restart from a checkpoint, and so is another file: a new attempt begins, and
  lines of earlier attempts whose steps it does again are marked `repeated`.
- A line covers the steps since the line before. The first of an attempt, and one after a gap (more than the usual
  interval), covers the usual interval, or fewer if there were not that many steps yet.

What this does not cover: the time between attempts, of evaluation and of checkpoints, unless lines have a clock.
"""

import dataclasses
import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from trex.accounting.logs import megatron, metrics, torchtitan
from trex.accounting.logs.line import Line, clean
from trex.common import files
from trex.common.errors import UserError

FORMATS = {module.NAME: module for module in (megatron, torchtitan, metrics)}
# How a file starts that is something else than text in UTF-8: what it is, and the mend.
UTF16 = ("text in UTF-16", "convert it (iconv -f UTF-16 -t UTF-8)")
NO_TEXT = {
    b"\x1f\x8b": ("compressed by gzip", "unpack it first (gunzip)"),
    b"\x28\xb5\x2f\xfd": ("compressed by zstd", "unpack it first (unzstd)"),
    b"\xfd7zXZ": ("compressed by xz", "unpack it first (unxz)"),
    b"\xff\xfe": UTF16,
    b"\xfe\xff": UTF16,
}
SAME_FORMAT = {"mindspeed": "megatron", "megatron-lm": "megatron", "primus": "megatron", "trex": "metrics"}


@dataclasses.dataclass(frozen=True)
class Log:
    """lines: in the files' order. cut_off: lines that ended before their figures did. arguments: of the run, where the
    log prints them. other_ranks: lines of other ranks, left out. gaps: steps of which no line tells."""

    paths: tuple[str, ...]
    format: str
    lines: tuple[Line, ...]
    cut_off: int
    other_ranks: int
    gaps: int
    arguments: dict[str, str]

    @property
    def path(self) -> str:
        """As a message names it."""
        return ", ".join(self.paths)

    @property
    def attempts(self) -> int:
        return self.lines[-1].attempt


def read(paths: Sequence[str | Path], format_name: str | None = None) -> Log:
    """The files of one run, in the order in which they were written.

    Raises UserError where they hold no step of a known format, or of the given one.
    """
    contents = [files.open_input(path, read_lines) for path in paths]
    named = ", ".join(map(str, paths))
    module = format_of(named, itertools.chain.from_iterable(contents), format_name)
    lines, cut_off, arguments = [], 0, {}
    for place, texts in enumerate(contents, start=1):
        found, cut, told = module.parse(texts)
        lines += [dataclasses.replace(line, file=place) for line in found]
        cut_off, arguments = cut_off + cut, arguments | told
    if not lines:
        raise UserError(f"{named}: no step of a {module.NAME} log in it; {cut_off} lines are cut off. {expected()}")
    kept = one_rank(lines)
    steps, gaps = with_attempts(without_doubles(kept))
    return Log(tuple(map(str, paths)), module.NAME, tuple(steps), cut_off, len(lines) - len(kept), gaps, arguments)


def read_lines(path: str | Path) -> list[str]:
    """Raises UserError for a file without a known line that is no text in UTF-8."""
    texts = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    with Path(path).open("rb") as stream:
        head = stream.read(max(map(len, NO_TEXT)))
    for start, (kind, mend) in NO_TEXT.items():
        if head.startswith(start) and not recognised(texts):
            raise UserError(f"{path}: is {kind}, not a log in UTF-8; {mend}")
    return texts


def format_of(named: str, texts: Iterable[str], name: str | None):
    if name is not None:
        known = SAME_FORMAT.get(name.lower(), name.lower())
        if known not in FORMATS:
            raise UserError(f"--format {name}: not known; give one of {', '.join((*FORMATS, *SAME_FORMAT))}")
        return FORMATS[known]
    if module := recognised(texts):
        return module
    raise UserError(f"{named}: no line of a known format. {expected()}")


def recognised(texts: Iterable[str]):
    """The module of the first line of a known format; None where there is none."""
    lines = (text for _, _, text in clean(texts))
    return next((module for text in lines for module in FORMATS.values() if module.recognises(text)), None)


def expected() -> str:
    return (
        'Known are Megatron-LM and MindSpeed ("iteration 71/ 100 | ... elapsed time per iteration (ms): 5361.6 |"), '
        'torchtitan ("step: 10  loss: 7.1  ... tps: 4,152") and metrics.jsonl of this project; or give '
        "--step-time and --global-batch"
    )


def one_rank(lines: list[Line]) -> list[Line]:
    counts = Counter(line.rank for line in lines)
    if len(counts) < 2:
        return lines
    most = max(counts.values())
    chosen = min((rank for rank, count in counts.items() if count == most), key=lambda rank: (rank is not None, rank))
    return [line for line in lines if line.rank == chosen]


def without_doubles(lines: list[Line]) -> list[Line]:
    kept: list[Line] = []
    for line in lines:
        if not kept or dataclasses.replace(line, number=0, time=None) != dataclasses.replace(
            kept[-1], number=0, time=None
        ):
            kept.append(line)
    return kept


def with_attempts(lines: list[Line]) -> tuple[list[Line], int]:
    """(lines with attempt, steps covered and repetition filled in; steps that no line tells of)."""
    steps = [line.step for line in lines]
    differences = [later - earlier for earlier, later in itertools.pairwise(steps) if later > earlier]
    usual = round(statistics.median_low(differences)) if differences else 1
    found, gaps, attempt = [], 0, 1
    for place, line in enumerate(lines):
        since = line.step - steps[place - 1] if place else 0
        attempt += place > 0 and (since <= 0 or line.file != lines[place - 1].file)
        covered = min(usual, max(1, line.step)) if since <= 0 or since > usual else since
        gaps += max(0, since - covered)
        found.append(dataclasses.replace(line, steps=covered, attempt=attempt))
    return mark_repeated(found), gaps


def mark_repeated(lines: list[Line]) -> list[Line]:
    """A line is repeated when a later attempt starts at or before its last step."""
    marked, earliest, start = [], math.inf, math.inf  # of all later attempts; of this one
    for line, following in zip(reversed(lines), [None, *reversed(lines)], strict=False):
        if following and following.attempt != line.attempt:
            earliest = min(earliest, start)
        start = line.step - line.steps + 1
        marked.append(dataclasses.replace(line, repeated=earliest <= line.step))
    return marked[::-1]
