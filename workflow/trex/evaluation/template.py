"""A sample's answer as a template: its numbers and keys replaced by those of another prompt.

Numbers. A prompt's numbers stand in groups: a sentence, a part of it between semicolons or brackets, a row of a table
(without its name). Each group of the sample is paired with the group of the item whose sentence (row and head of the
table) has most words in common with its own, SAME_KIND added where both are one number, or both several; what has less
than that is not paired. Of equals, the one at a like position in the text. Pairs are chosen together so that the sum is
largest. A group of the item that is left over joins, in its own sentence or table, the nearest one whose partner gave
rows of a list of lists, or numbers of a column.
- A number takes the one at the same place of the partner.
- A list takes the partner's numbers from as far behind the first to as far before the last as its own, so it becomes as
  long as the partner is.
- A list of lists takes a row, and a column a number, from each partner of its groups, in the item's order; the number
  of a table's column from the one whose head has most words in common.
- What has no such place keeps the sample's numbers, and counts as a misfit.
A number that is written out as a percentage stays 35, or becomes 0.35, as it did in the sample.

Keys of a data file, quoted in the prompt, are paired by the words of the key and of what is said of it, and by
position.
"""

import dataclasses
import itertools
import re
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.optimize import linear_sum_assignment

from trex.corpus.numerals import Numeral
from trex.evaluation.origins import FixedNumbers, Piece, Prompt, Slot, pieces

SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
PART_END = re.compile(r"[;)\]]")
WORD = re.compile(r"[^\W\d_]+")
LABEL = re.compile(r"\s*\|[^|\n]*\|")  # the first cell of a row
KEY = re.compile(r'"([^"\n]+)"')
SAME_KIND, POSITION = 0.3, 0.01  # beside the share of common words, which is at most 1


@dataclasses.dataclass(frozen=True)
class Group:
    """first and size: which numbers of the prompt; words: of its sentence; block: which sentence or table.

    columns: in a table, the words at the head of each number's column.
    """

    first: int
    size: int
    words: frozenset[str]
    block: int
    columns: tuple[frozenset[str], ...] = ()


class Layout:
    """A prompt as groups of numbers, and keys with the words that describe them."""

    def __init__(self, text: str):
        self.prompt = Prompt(text)
        self.text = text

    @cached_property
    def groups(self) -> list[Group]:
        made, block, head, columns = [], 0, frozenset(), ()
        was_table = False
        for start, end in spans(self.text, SENTENCE_END, 0, len(self.text)):
            words, label = self.words(start, end), LABEL.match(self.text, start, end)
            if label and was_table:
                words, start = words | head, label.end()
            else:
                block, head = block + 1, words
                columns = self.columns(start, end) if label else ()
                start = end if label else start
            was_table = bool(label)
            for begin, finish in spans(self.text, PART_END, start, end):
                inside = [n for n, one in enumerate(self.prompt.numerals) if begin <= one.start < finish]
                if inside:
                    heads = columns if len(columns) == len(inside) else ()
                    made.append(Group(inside[0], len(inside), words, block, heads))
        return made

    @cached_property
    def sentences(self) -> list[frozenset[str]]:
        """The words of each, tables left out."""
        found = spans(self.text, SENTENCE_END, 0, len(self.text))
        said = (self.words(*span) for span in found if not LABEL.match(self.text, *span))
        return [words for words in said if words]

    @cached_property
    def group_of(self) -> dict[int, int]:
        """Of each number the group that it is in; those in the names of rows and columns are in none."""
        return {
            at: place for place, group in enumerate(self.groups) for at in range(group.first, group.first + group.size)
        }

    @cached_property
    def keys(self) -> dict[str, frozenset[str]]:
        matches = list(KEY.finditer(self.text))
        ends = [*(match.start() for match in matches[1:]), len(self.text)]
        found = {}
        for match, end in zip(matches, ends, strict=False):
            about = SENTENCE_END.split(self.text[match.start() : end])[0]
            found.setdefault(match[1], frozenset(WORD.findall(about.lower())))
        return found

    def columns(self, start: int, end: int) -> tuple[frozenset[str], ...]:
        """The words at the heads of a table's columns but the first."""
        return tuple(frozenset(WORD.findall(cell)) for cell in self.text[start:end].lower().split("|")[2:-1])

    def words(self, start: int, end: int) -> frozenset[str]:
        """Without those that are numbers."""
        kept, place = [], start
        for one in self.prompt.numerals:
            if start <= one.start < end:
                kept.append(self.text[place : one.start])
                place = one.end
        return frozenset(WORD.findall(" ".join([*kept, self.text[place:end]]).lower()))


def spans(text: str, border: re.Pattern, start: int, end: int) -> list[tuple[int, int]]:
    """What lies between the borders, each with the border that ends it."""
    ends = [match.end() for match in border.finditer(text, start, end)] + [end]
    return [span for span in zip([start, *ends], ends, strict=False) if span[0] < span[1]]


class Template:
    """A sample's answer, and where its numbers come from."""

    def __init__(self, prompt: str, answer: str, fixed: FixedNumbers):
        self.layout, self.answer = Layout(prompt), answer
        self.pieces = [self.without_names(piece) for piece in pieces(answer, self.layout.prompt, fixed)]

    def without_names(self, piece: Piece) -> Piece:
        """Without the slots that stand in the name of a row or a column."""
        known = self.layout.group_of
        rows = (tuple(slot if slot and slot.at in known else None for slot in row) for row in piece.rows)
        return dataclasses.replace(piece, rows=tuple(rows))

    def likeness(self, item: Layout) -> float:
        """How much the sentences say the same: each one's share of common words with the most like, both ways."""
        shares = common(self.layout.sentences, item.sentences)
        return float(shares.max(0).mean() + shares.max(1).mean()) / 2 if shares.size else 0.0

    def filled(self, item: Layout) -> tuple[str, int]:
        """The answer with the item's numbers and keys, and its misfits: slots that were not filled, groups and keys of
        the item without a partner, numbers taken from a group of another size.
        """
        filling = Filling(self, item)
        changes = [(piece.start, piece.end, filling.text(piece)) for piece in self.pieces]
        own = self.layout.keys
        partners = pairs(common(list(own.values()), list(item.keys.values())))
        names = list(item.keys)
        keys = {key: names[partners[place]] for place, key in enumerate(own) if place in partners}
        changes += [(m.start(1), m.end(1), keys.get(m[1])) for m in KEY.finditer(self.answer) if m[1] in own]
        lost = sum(new is None for _, _, new in changes)
        return replaced(self.answer, changes), lost + filling.misfits + max(0, len(names) - len(own))


def replaced(text: str, changes: list[tuple[int, int, str | None]]) -> str:
    """With new text in some places, none where it is None."""
    parts, place = [], 0
    for start, end, new in sorted(change for change in changes if change[2] is not None):
        parts += [text[place:start], new]
        place = end
    return "".join([*parts, text[place:]])


class Filling:
    """A template's numbers beside an item's."""

    def __init__(self, template: Template, item: Layout):
        self.own, self.item = template.layout, item
        growing = {place for piece in template.pieces for place in growing_groups(piece, self.own)}
        likeness = common([group.words for group in self.own.groups], [group.words for group in item.groups])
        kinds = [[group.size == 1 for group in layout.groups] for layout in (self.own, item)]
        first = pairs(likeness + SAME_KIND * np.equal.outer(*kinds), SAME_KIND)
        self.partners: dict[int, list[int]] = {own: [partner] for own, partner in first.items()}
        self.misfits = 0
        owner = {partner: own for own, partner in first.items()}
        for left in [place for place in range(len(item.groups)) if place not in owner]:
            near = [
                place
                for place in owner
                if item.groups[place].block == item.groups[left].block and owner[place] in growing
            ]
            if near:
                nearest = min(near, key=lambda place: (abs(place - left), place))
                self.partners[owner[nearest]].append(left)
            else:
                self.misfits += 1

    def text(self, piece: Piece) -> str | None:
        """What stands in its place; None where it keeps its own."""
        if piece.depth == 0:
            value = self.single(piece.rows[0][0])
            return None if value is None else written(value)
        rows = [self.row(piece.rows[0])] if piece.depth == 1 else self.rows(piece)
        if None in rows:
            return None
        lists = [f"[{', '.join(map(written, row))}]" for row in rows]
        return lists[0] if piece.depth == 1 else f"[{', '.join(lists)}]"

    def single(self, slot: Slot | None) -> Fraction | None:
        if slot is None:
            return None
        place = self.own.group_of[slot.at]
        offset = slot.at - self.own.groups[place].first
        partners = self.partners.get(place)
        if not partners:
            return None
        partner = self.item.groups[partners[0]]
        self.misfits += partner.size != self.own.groups[place].size
        return self.taken(slot, partner.first + offset) if offset < partner.size else None

    def row(self, slots: tuple[Slot | None, ...]) -> list[Fraction] | None:
        """A flat list."""
        if None in slots:
            return None
        if is_column(slots, self.own):
            column = [self.at(partner, slots[0]) for partner in self.joined(slots)]
            return None if None in column or not column else column
        if len({self.own.group_of[slot.at] for slot in slots}) == 1 and step_of(slots):
            partners = self.partners.get(self.own.group_of[slots[0].at])
            return self.part(slots, partners[0]) if partners else None
        values = [self.single(slot) for slot in slots]
        return None if None in values else values

    def rows(self, piece: Piece) -> list[list[Fraction] | None]:
        """A list of lists: as many rows as the item has where each row is a group or the same part of one."""
        if is_by_group(piece, self.own):
            return [self.part(piece.rows[0], partner) for partner in self.joined([row[0] for row in piece.rows])]
        return [self.row(row) for row in piece.rows]

    def part(self, slots: tuple[Slot, ...], partner: int) -> list[Fraction] | None:
        """The numbers of a group of the item from as far behind its start to as far before its end as the slots."""
        own, other = self.own.groups[self.own.group_of[slots[0].at]], self.item.groups[partner]
        before, behind = slots[0].at - own.first, own.first + own.size - 1 - slots[-1].at
        places = range(other.first + before, other.first + other.size - behind, step_of(slots))
        return [self.taken(slots[0], at) for at in places] or None

    def at(self, partner: int, slot: Slot) -> Fraction | None:
        """The number of a group of the item in the slot's column: most alike in its head, else in place."""
        own, other = self.own.groups[self.own.group_of[slot.at]], self.item.groups[partner]
        offset = slot.at - own.first
        if own.columns and other.columns:
            likeness = common([own.columns[offset]], list(other.columns))[0].tolist()
            offset = max(range(other.size), key=lambda place: (likeness[place], place == offset))
        return self.taken(slot, other.first + offset) if offset < other.size else None

    def joined(self, slots: tuple[Slot, ...] | list[Slot]) -> list[int]:
        """The partners of the slots' groups, in the item's order."""
        groups = {self.own.group_of[slot.at] for slot in slots}
        return sorted(partner for group in groups for partner in self.partners.get(group, ()))

    def taken(self, slot: Slot, at: int) -> Fraction:
        return read_as(self.own.prompt.numerals[slot.at], slot.reading, self.item.prompt.numerals[at])


def read_as(own: Numeral, reading: int, other: Numeral) -> Fraction:
    """Another numeral as the answer reads its own; a percentage in the place of a plain number as it is written."""
    return other.readings[min(reading, len(other.readings) - 1) if own.percent else -1]


def common(own: list[frozenset], others: list[frozenset]) -> np.ndarray:
    """The share of words that each has in common with each other."""
    shares = [[len(a & b) / max(1, len(a | b)) for b in others] for a in own]
    return np.array(shares).reshape(len(own), len(others))


def pairs(likeness: np.ndarray, least: float = 0.0) -> dict[int, int]:
    """Rows and columns paired so that the sum is largest, those apart that are less alike."""
    own, others = (np.arange(count) / max(1, count) for count in likeness.shape)
    apart = np.abs(np.subtract.outer(own, others))
    found = zip(*linear_sum_assignment(likeness - POSITION * apart, maximize=True), strict=True)
    return {int(row): int(column) for row, column in found if likeness[row, column] >= least}


def growing_groups(piece: Piece, layout: Layout) -> list[int]:
    """The groups of which an item may have more, and the piece grows with them."""
    first = [row[0] for row in piece.rows if row[0] is not None]
    if piece.depth == 2 and is_by_group(piece, layout):
        return [layout.group_of[slot.at] for slot in first]
    if piece.depth == 1 and None not in piece.rows[0] and is_column(piece.rows[0], layout):
        return [layout.group_of[slot.at] for slot in piece.rows[0]]
    return []


def is_by_group(piece: Piece, layout: Layout) -> bool:
    """Whether each row is the same part of a group of its own."""
    if any(None in row for row in piece.rows):
        return False
    groups = [{layout.group_of[slot.at] for slot in row} for row in piece.rows]
    if any(len(own) > 1 for own in groups) or len(set.union(*groups)) < len(groups):
        return False
    shapes = set()
    for row in piece.rows:
        group = layout.groups[layout.group_of[row[0].at]]
        shapes.add((row[0].at - group.first, group.first + group.size - row[-1].at, step_of(row)))
    return len(shapes) == 1


def is_column(slots: tuple[Slot, ...], layout: Layout) -> bool:
    """Whether the numbers stand at one place of several groups."""
    groups = [layout.group_of[slot.at] for slot in slots]
    offsets = {slot.at - layout.groups[group].first for slot, group in zip(slots, groups, strict=True)}
    return len(slots) > 1 and len(set(groups)) == len(slots) and len(offsets) == 1


def step_of(slots: tuple[Slot, ...]) -> int:
    """The distance of the slots, 0 where it is not one or does not go ahead."""
    steps = {later.at - slot.at for slot, later in itertools.pairwise(slots)} or {1}
    return max(steps) if len(steps) == 1 and min(steps) > 0 else 0


def written(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
