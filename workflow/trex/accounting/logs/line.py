"""One line of a training log, whatever framework wrote it, and what all formats need cleaned away first."""

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What launchers put before a rank's output: torchrun "[rank0]:" and "[default0]:", srun --label "0: ".
RANK = re.compile(r"^\s*(?:\[(?:rank|default)?(\d+)\]:?|(\d+):)\s")
TIME = re.compile(r"\b(\d{4})-?(\d\d)-?(\d\d)[ T](\d\d):(\d\d):(\d\d)")


@dataclasses.dataclass(frozen=True)
class Line:
    """What one line says. None where it does not say it.

    number: of the line in its file; file: which of several files, from 1. step: the last step that it covers; steps:
    how many it covers (a log interval), its times and sizes being means of these. seconds: of one step. samples:
    sequences of one step. tokens: of one step. device_tokens_per_second: as the framework divided it. tflops: the
    framework's own, of one device, 10^12 FLOP/s. skipped, nan: steps among them whose update was skipped, whose loss
    was not a number. time: when it was written, in seconds, of an unknown time zone: only differences mean something.
    attempt: of the run, from 1, one more after each restart. repeated: a later attempt did these steps again.
    """

    number: int
    step: int
    steps: int = 1
    seconds: float | None = None
    samples: float | None = None
    tokens: float | None = None
    device_tokens_per_second: float | None = None
    tflops: float | None = None
    skipped: int = 0
    nan: int = 0
    loss: float | None = None
    time: float | None = None
    rank: int | None = None
    file: int = 1
    attempt: int = 1
    repeated: bool = False


def clean(texts: Iterable[str]) -> Iterator[tuple[int, int | None, str]]:
    """(line number, rank or None, text) without colours and launcher's prefixes; \\r of progress bars ends a line."""
    for number, text in enumerate(texts, start=1):
        for piece in ANSI.sub("", text).split("\r"):
            prefix = RANK.match(piece)
            rank = int(prefix[1] or prefix[2]) if prefix else None
            yield number, rank, piece[prefix.end() :] if prefix else piece


def timestamp(text: str) -> float | None:
    """The last date and time in the text as seconds, None where it has none; only differences mean something."""
    found = TIME.findall(text)
    if not found:
        return None
    try:
        return datetime(*map(int, found[-1]), tzinfo=UTC).timestamp()
    except ValueError:
        return None


def number_of(text: str) -> float | None:
    """`1,234.5` or `12.1/12.3` (now and mean so far: the first is taken); None for what is no number."""
    try:
        return float(text.split("/")[0].replace(",", ""))
    except ValueError:
        return None


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
