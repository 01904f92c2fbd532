"""Reads the data back out of a problem's text, knowing what the facts are called but none of the sentences.

It finds the sentence or the table that names a fact and takes the numbers there; in a list the names of its members,
where they stand there, must be in their order.
"""

import json
import re

from trex.corpus.numerals import found


def read(statement, mode):
    """symbol -> value of every fact, from the text (and the data file) alone."""
    text, tables = split(statement.problem)
    sentences = re.split(r"(?<=[.?!]) (?=[A-Za-z])", text)
    keys = dict(re.findall(r'"(\w+)" \(([^()]*(?:\([^()]*\))?[^()]*)\)', text))
    values = {}
    for fact in sorted(statement.facts, key=lambda fact: -len(fact.label)):
        if mode == "DPS":
            values[fact.symbol] = from_file(fact, keys, json.loads(statement.data_file))
        elif mode == "DT" and fact.axes:
            values[fact.symbol] = from_tables(fact, tables)
        else:
            place = next(i for i, part in enumerate(sentences) if says(part, fact) and amounts(bare(part, fact)))
            values[fact.symbol] = from_sentence(fact, sentences.pop(place))
    return values


def split(problem):
    """(the prose, tables as lists of rows of cells)"""
    blocks = problem.split("\n\n")
    tables = [
        [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in block.strip().splitlines()]
        for block in blocks[1:]
    ]
    return blocks[0], [[rows[0], *rows[2:]] for rows in tables]


def says(sentence, fact):
    label = re.escape(fact.label)
    return re.search(rf"(?<![\w]){label}(?![\w])", sentence, re.IGNORECASE) is not None


def amounts(text):
    """The numbers as the data hold them: 35 for 35 %."""
    read = [numeral.readings[-1] for numeral in found(text)]
    return [int(value) if value.denominator == 1 else float(value) for value in read]


def from_sentence(fact, sentence):
    rest = without_label(sentence, fact)
    names = mentions(fact.axes[0].members) if fact.axes else None
    if names and names.search(rest):
        assert names.findall(rest) == list(fact.axes[0].members), (fact.label, sentence)
    if fact.ragged and "[" in rest:
        return json.loads(re.search(r"\[\[.*\]\]", rest)[0])
    if fact.ragged:
        return [amounts(group) for group in names.split(rest)[1:]]
    return shaped(fact, amounts(bare(sentence, fact)))


def bare(sentence, fact):
    """Without the label and without names, in which numbers may stand."""
    rest = without_label(sentence, fact)
    return mentions(fact.axes[0].members).sub("#", rest) if fact.axes else rest


def without_label(sentence, fact):
    return re.sub(re.escape(fact.label), "", sentence, flags=re.IGNORECASE)


def mentions(members):
    """A pattern of any of the names, of several that begin alike the longest."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(members, key=len, reverse=True)))})\b")


def shaped(fact, numbers):
    if not fact.axes:
        assert len(numbers) == 1, (fact.label, numbers)
        return numbers[0]
    if len(fact.axes) == 1:
        assert len(numbers) == len(fact.axes[0].members), (fact.label, numbers)
        return numbers
    width = len(fact.axes[1].members)
    assert len(numbers) == width * len(fact.axes[0].members), (fact.label, numbers)
    return [numbers[start : start + width] for start in range(0, len(numbers), width)]


def from_tables(fact, tables):
    if fact.ragged:
        rows = next(rows for rows in tables if rows[0] == [fact.axes[0].singular, fact.label])
        return [amounts(f"[{cells}]") for _, cells in rows[1:]]
    if len(fact.axes) == 2:
        labels = [fact.row_label.format(member) for member in fact.axes[0].members]
        cells = {row[0]: row[1:] for rows in tables if rows[0][1:] == list(fact.axes[1].members) for row in rows[1:]}
        return [[amounts(cell)[0] for cell in cells[label]] for label in labels]
    for head, *rows in tables:
        if fact.label in head[1:]:  # items as rows
            place = head.index(fact.label)
            assert [row[0] for row in rows] == list(fact.axes[0].members)
            return [amounts(row[place])[0] for row in rows]
        for row in rows:
            if row[0] == fact.label:
                assert head[1:] == list(fact.axes[0].members)
                return [amounts(cell)[0] for cell in row[1:]]
    raise AssertionError(f"no table has {fact.label}")


def from_file(fact, keys, content):
    [key] = [key for key, label in keys.items() if re.match(rf"{re.escape(fact.label)}(,| in percent|$)", label)]
    return content[key]
