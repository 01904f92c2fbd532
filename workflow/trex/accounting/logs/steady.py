"""Which lines of a log stand for the run, at what rate it went, and how much of the work was for good.

A line is left out of the steady rate, for the first of these reasons that holds:

- `no size`: the batch or the time of it is not known;
- `repeated`: a later attempt did its steps again after a restart;
- `skipped`, `nan`: the update of one of its steps was skipped, or a loss was not a number;
- `warm-up`: it covers one of the first WARMUP steps after a start. A log that begins in mid-run (its first line covers
  neither step 1 nor anything before WARMUP) is an excerpt, and its first attempt has no warm-up;
- `outlier`: its time per token is further from the median of lines with the same batch than OUTLIER_MADS scaled median
  absolute deviations and than OUTLIER_SHARE of the median; only where there are at least OUTLIER_LINES such lines.

A rule that would leave no line is not applied, and the result says so. The rate is all tokens by all seconds of what is
left, not a mean of rates. Repeated, skipped and NaN steps are counted apart, as goodput.
"""

import dataclasses
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable

from trex.accounting.logs.line import Line
from trex.accounting.logs.read import Log
from trex.common.errors import UserError

WARMUP = 10
OUTLIER_MADS, OUTLIER_SHARE, OUTLIER_LINES = 3.0, 0.10, 5
CLOCK_SECONDS = 2  # what two times in whole seconds may be wrong by
MAD_TO_DEVIATION = 1.4826  # of a normal distribution


@dataclasses.dataclass(frozen=True)
class Rated:
    """A line with its rate. tokens: of one step, None where only the rate is known. tokens_per_second: of all devices,
    None without a size. reason: why it is left out, empty where it is not."""

    line: Line
    tokens: float | None
    seconds: float | None
    tokens_per_second: float | None
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Goodput:
    """steps: logged; lost: repeated, skipped or NaN. seconds: of all logged steps. useful_tokens: of steps not lost.

    tokens_per_second: useful tokens by these seconds. wall_seconds: from the first line's start to the last line, by
    the log's clock; None without one, or where it contradicts the times of steps.
    """

    steps: int
    repeated: int
    skipped: int
    nan: int
    seconds: float
    useful_tokens: float
    wall_seconds: float | None

    @property
    def tokens_per_second(self) -> float:
        return self.useful_tokens / self.seconds

    @property
    def wall_tokens_per_second(self) -> float | None:
        return self.useful_tokens / self.wall_seconds if self.wall_seconds else None


@dataclasses.dataclass(frozen=True)
class Run:
    """rated: every line, in order. notes: rules that were not applied, and why."""

    rated: tuple[Rated, ...]
    notes: tuple[str, ...]

    @property
    def kept(self) -> list[Rated]:
        return [one for one in self.rated if not one.reason]

    @property
    def tokens_per_second(self) -> float:
        return rate(self.kept)

    @property
    def all_tokens_per_second(self) -> float:
        """Of all lines with a size, warm-up, outliers and lost work too."""
        return rate([one for one in self.rated if one.tokens_per_second])

    @property
    def left_out(self) -> dict[str, int]:
        """Reason -> lines."""
        return dict(Counter(one.reason for one in self.rated if one.reason))

    @property
    def batches(self) -> list[float]:
        """The sizes of a step in tokens, in the order of their first line."""
        return [*dict.fromkeys(one.tokens for one in self.rated if one.tokens)]


def rate(rated: list[Rated]) -> float:
    """Tokens per second over several lines. Where no line knows its batch, each step counts as equally large."""
    sizes = [one.line.steps * (one.tokens or 1.0) for one in rated]
    return sum(sizes) / sum(size / one.tokens_per_second for size, one in zip(sizes, rated, strict=True))


def assess(log: Log, sequence_length: int, devices: int, global_batch: float | None, warmup: int = WARMUP) -> Run:
    """global_batch: sequences of a step where lines do not say it. Raises UserError where no line has a size."""
    rated = [size(line, sequence_length, devices, global_batch) for line in log.lines]
    rated = [replace_reason(one, "" if one.tokens_per_second else "no size") for one in rated]
    if all(one.reason for one in rated):
        raise UserError(f"{log.path}: no line says how large a step is; give --global-batch (sequences of one step)")
    notes: list[str] = []
    for name, test in (
        ("repeated", lambda one: one.line.repeated),
        ("skipped", lambda one: one.line.skipped > 0),
        ("nan", lambda one: one.line.nan > 0),
        ("warm-up", warm_up(log, warmup)),
        ("outlier", None),
    ):
        test = test or outlier([one for one in rated if not one.reason])
        rated = leave_out(rated, name, test, notes)
    if is_excerpt(log, warmup):
        before = log.lines[0].step - log.lines[0].steps
        notes.append(f"the log begins after step {before}: taken as an excerpt, whose first attempt has no warm-up")
    return Run(tuple(rated), tuple(notes))


def size(line: Line, sequence_length: int, devices: int, global_batch: float | None) -> Rated:
    """The line with the tokens and the rate that follow from it."""
    samples = line.samples or global_batch
    tokens = line.tokens or (samples * sequence_length if samples else None)
    seconds, total = line.seconds, None
    if tokens and seconds:
        total = tokens / seconds
    elif line.device_tokens_per_second:
        total = line.device_tokens_per_second * devices
        seconds = tokens / total if tokens else None
    return Rated(line, tokens, seconds, total)


def replace_reason(one: Rated, reason: str) -> Rated:
    return dataclasses.replace(one, reason=reason)


def leave_out(rated: list[Rated], name: str, test: Callable[[Rated], bool], notes: list[str]) -> list[Rated]:
    """Marks the lines that the test holds for, unless it holds for all that are left."""
    left = [one for one in rated if not one.reason]
    if all(test(one) for one in left):
        notes.append(f"the rule '{name}' would leave no line and was not applied")
        return rated
    return [replace_reason(one, name) if not one.reason and test(one) else one for one in rated]


def is_excerpt(log: Log, warmup: int) -> bool:
    return log.lines[0].step - log.lines[0].steps >= max(1, warmup)


def warm_up(log: Log, warmup: int) -> Callable[[Rated], bool]:
    first = {}
    for line in log.lines:
        first.setdefault(line.attempt, line.step - line.steps)
    excerpt = is_excerpt(log, warmup)

    def test(one: Rated) -> bool:
        started = first[one.line.attempt]
        done_before = one.line.step - one.line.steps - started
        return done_before < warmup and not (one.line.attempt == 1 and excerpt)

    return test


def outlier(rated: list[Rated]) -> Callable[[Rated], bool]:
    times = defaultdict(list)
    for one in rated:
        times[one.tokens].append(1 / one.tokens_per_second)
    limits = {}
    for tokens, values in times.items():
        middle = statistics.median(values)
        spread = MAD_TO_DEVIATION * statistics.median(abs(value - middle) for value in values)
        limits[tokens] = (middle, max(OUTLIER_MADS * spread, OUTLIER_SHARE * middle), len(values))

    def test(one: Rated) -> bool:
        middle, limit, count = limits[one.tokens]
        return count >= OUTLIER_LINES and abs(1 / one.tokens_per_second - middle) > limit

    return test


def own_rate(run: Run, devices: int) -> float | None:
    """Tokens per second and device as lines print them by those from batch, length and devices; None without both."""
    ratios = [
        one.line.device_tokens_per_second * devices / one.tokens_per_second
        for one in run.kept
        if one.line.device_tokens_per_second and one.line.seconds and one.tokens
    ]
    return statistics.median(ratios) if ratios else None


def goodput(run: Run) -> Goodput | None:
    """None where lines do not know their batch or time. A step that was both skipped and NaN is lost once."""
    known = [one for one in run.rated if one.tokens and one.seconds]
    if not known:
        return None

    def lost(line: Line) -> int:
        return line.steps if line.repeated else min(line.steps, max(line.skipped, line.nan))

    seconds = sum(one.line.steps * one.seconds for one in known)
    clocked = [one for one in known if one.line.time is not None]
    wall = None
    if len(clocked) > 1:
        start = clocked[0].line.time - clocked[0].line.steps * clocked[0].seconds
        wall = clocked[-1].line.time - start
    return Goodput(
        steps=sum(one.line.steps for one in known),
        repeated=sum(one.line.steps for one in known if one.line.repeated),
        skipped=sum(min(one.line.steps, one.line.skipped) for one in known if not one.line.repeated),
        nan=sum(min(one.line.steps, one.line.nan) for one in known if not one.line.repeated),
        seconds=seconds,
        useful_tokens=sum((one.line.steps - lost(one.line)) * one.tokens for one in known),
        wall_seconds=wall if wall and wall >= seconds - CLOCK_SECONDS else None,
    )
