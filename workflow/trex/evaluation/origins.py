"""Where the numbers of an answer stand in its prompt.

An answer's numbers are read in pieces: a number, a list of numbers, a list of such lists. A list that is no index comes
from numbers of the prompt that are equally far apart, so that rows and columns of a table are found as wholes; where
there is no such place, each of its numbers is looked for alone. Where numbers occur several times, the places are
chosen together: going on where the last one ended costs nothing, a gap 1, going back 2, a column 1 more than a row. A
percentage of the prompt may stand in the answer as 35 or as 0.35. The code is read apart from what is before it.

A number that belongs to the code and not to the data (`lb=0`, `x[j - 1]`) may occur in the prompt by chance. It is
known by its line: where lines that are the same but for their numbers stand in the answers to at least FEWEST problems
and always have the same number in that place, it is fixed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from trex.corpus.numerals import Numeral, found

NUMBER = r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w|\.\d)"
FLAT = rf"\[\s*-?{NUMBER}(?:\s*,\s*-?{NUMBER})*\s*\]"
PIECE = re.compile(rf"(?<![\w\])])\[\s*{FLAT}(?:\s*,\s*{FLAT})*\s*\]|(?<![\w\])]){FLAT}|{NUMBER}")
ROW = re.compile(FLAT)
IN_LIST = re.compile(rf"-?{NUMBER}")
CODE = "```"
FEWEST = 5
GAP, BACK, COLUMN = 1, 2, 1


@dataclass(frozen=True)
class Slot:
    """at: which number of the prompt, from 0; reading: as which of that numeral's readings it stands in the answer."""

    at: int
    reading: int


@dataclass(frozen=True)
class Piece:
    """start, end: its place in the answer; rows: a slot for each of its numbers, None where it has none.

    depth: 0 for a number, 1 for a list, 2 for a list of lists.
    """

    start: int
    end: int
    depth: int
    rows: tuple[tuple[Slot | None, ...], ...]

    def numbers(self, answer: str) -> list[tuple[int, int]]:
        """The places of its numbers in the answer."""
        return [match.span() for match in IN_LIST.finditer(answer, self.start, self.end)]


class Prompt:
    """A prompt and its numerals."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def numerals(self) -> list[Numeral]:
        return found(self.text)

    @cached_property
    def places(self) -> dict[Fraction, list[Slot]]:
        """Where each number stands, in order."""
        listed: dict[Fraction, list[Slot]] = {}
        for at, numeral in enumerate(self.numerals):
            for reading, value in enumerate(numeral.readings):
                listed.setdefault(value, []).append(Slot(at, reading))
        return listed


class FixedNumbers:
    """What the lines of many answers have in common."""

    def __init__(self, answers: Iterable[tuple[str, str]]):
        """(problem, answer); several answers to one problem count once."""
        self.problems: dict[str, set[str]] = {}
        self.seen: dict[str, list[set[str]]] = {}
        for problem, answer in answers:
            for line in answer.splitlines():
                skeleton, numbers = blanked(line)
                if numbers:
                    self.problems.setdefault(skeleton, set()).add(problem)
                    for values, number in zip(
                        self.seen.setdefault(skeleton, [set() for _ in numbers]), numbers, strict=True
                    ):
                        values.add(number)

    def of(self, line: str) -> list[bool]:
        """Of each number of the line that stands alone, whether it is fixed."""
        skeleton, numbers = blanked(line)
        if len(self.problems.get(skeleton, ())) < FEWEST:
            return [False] * len(numbers)
        return [values == {number} for values, number in zip(self.seen[skeleton], numbers, strict=True)]


def blanked(line: str) -> tuple[str, list[str]]:
    """A line with # for its numbers and [#] for its lists of numbers, and the numbers."""
    numbers = []

    def blank(match: re.Match) -> str:
        if match.group().startswith("["):
            return "[#]"
        numbers.append(match.group())
        return "#"

    return PIECE.sub(blank, line), numbers


def pieces(answer: str, prompt: Prompt, fixed: FixedNumbers) -> list[Piece]:
    """The answer's pieces in its order, each number with its place in the prompt."""
    border = max(answer.find(CODE), 0)
    matches = [match for match in PIECE.finditer(answer) if not is_fixed(match, answer, fixed)]
    parts = [[m for m in matches if m.start() < border], [m for m in matches if m.start() >= border]]
    return [piece for part in parts for piece in placed(part, prompt)]


def is_fixed(match: re.Match, answer: str, fixed: FixedNumbers) -> bool:
    if match.group().startswith("["):
        return False
    start = answer.rfind("\n", 0, match.start()) + 1
    end = answer.find("\n", start)
    line = answer[start : end if end >= 0 else len(answer)]
    before = blanked(line[: match.start() - start])[1]
    flags = fixed.of(line)
    return flags[len(before)] if len(before) < len(flags) else False


def placed(matches: list[re.Match], prompt: Prompt) -> list[Piece]:
    """The pieces of one part of an answer."""
    pieces_by_runs = [[runs_of(row, prompt) for row in values_of(match.group())] for match in matches]
    runs = [run for rows in pieces_by_runs for row in rows for run in row]
    slots = iter(cheapest([places for _, places in runs]))
    made = []
    for match, rows in zip(matches, pieces_by_runs, strict=True):
        filled = tuple(tuple(slot for count, _ in row for slot in next(slots) or (None,) * count) for row in rows)
        depth = 0 if not match.group().startswith("[") else 2 if "[" in match.group()[1:] else 1
        made.append(Piece(match.start(), match.end(), depth, filled))
    return made


def values_of(text: str) -> list[list[Fraction]]:
    """The numbers of a piece by rows."""
    if not text.startswith("["):
        return [[Fraction(text)]]
    return [[Fraction(number) for number in IN_LIST.findall(row)] for row in ROW.findall(text)]


def runs_of(row: list[Fraction], prompt: Prompt) -> list[tuple[int, list[tuple[Slot, ...]]]]:
    """(how many numbers, their places): the row as one where it has a place as a whole, else number by number."""
    if places := places_of(row, prompt):
        return [(len(row), places)]
    return [(1, places_of([value], prompt)) for value in row]


def places_of(values: list[Fraction], prompt: Prompt) -> list[tuple[Slot, ...]]:
    """All slots at equal distances that hold these numbers."""
    firsts = prompt.places.get(values[0], [])
    if len(values) == 1:
        return [(first,) for first in firsts]
    seconds = prompt.places.get(values[1], [])
    tried = ((first, second.at - first.at) for first in firsts for second in seconds if second.at > first.at)
    listed = (spaced(values, first, step, prompt) for first, step in tried)
    return [slots for slots in listed if slots is not None]


def spaced(values: list[Fraction], first: Slot, step: int, prompt: Prompt) -> tuple[Slot, ...] | None:
    """The slots of the numbers at this distance, None where one of them holds another."""
    slots = []
    for number, value in enumerate(values):
        at = first.at + step * number
        if at >= len(prompt.numerals) or value not in prompt.numerals[at].readings:
            return None
        slots.append(Slot(at, prompt.numerals[at].readings.index(value)))
    return tuple(slots)


def cheapest(choices: list[list[tuple[Slot, ...]]]) -> list[tuple[Slot, ...] | None]:
    """One place of each, so that the answer follows the prompt as far as it can; None where there is no choice."""
    paths: list[tuple[int, int, tuple | None]] = [(0, -2, None)]  # cost, last position, (place, path before it)
    for places in choices:
        if places:
            paths = [extended(paths, place) for place in places]
    _, _, path = min(paths, key=lambda one: one[0])
    chosen = []
    while path is not None:
        place, path = path
        chosen.append(place)
    return [chosen.pop() if places else None for places in choices]


def extended(paths: list[tuple], place: tuple[Slot, ...]) -> tuple[int, int, tuple]:
    """The cheapest path that ends in a place; of equals the nearest before it."""
    own = COLUMN if len(place) > 1 and place[1].at > place[0].at + 1 else 0
    start = place[0].at

    def cost(path: tuple) -> tuple[int, int]:
        step = 0 if path[1] == start - 1 else GAP if path[1] < start else BACK
        return path[0] + step, abs(start - path[1])

    before = min(paths, key=cost)
    return cost(before)[0] + own, place[-1].at, (place, before[2])
