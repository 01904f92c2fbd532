"""The model of an MPS text; `trex.problems.formats.mps` says what is read and how."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

from trex.problems.formats.model_text import (
    EXACT,
    INFINITY,
    ZERO,
    Column,
    Draft,
    DraftRow,
    LineError,
    Sum,
    build,
    renamings,
)
from trex.problems.ir import Model

SECTIONS = (
    "NAME", "OBJSENSE", "OBJNAME", "ROWS", "LAZYCONS", "COLUMNS", "RHS", "RANGES", "BOUNDS",
    "QUADOBJ", "QMATRIX", "QSECTION", "QCMATRIX", "ENDATA",
)  # fmt: skip
UNSUPPORTED = (
    "USERCUTS", "SOS", "SOS1", "SOS2", "SETS", "INDICATORS", "GENCONS", "PWLOBJ", "PWLNAM", "PWLCON", "CSECTION",
    "SCENARIOS",
)  # fmt: skip
SENSES = {"MIN": "min", "MINIMIZE": "min", "MINIMISE": "min", "MAX": "max", "MAXIMIZE": "max", "MAXIMISE": "max"}
PULP_SENSE = re.compile(r"\*SENSE:(Minimize|Maximize)\s*")
ROW_KINDS = ("N", "L", "G", "E")
BOUND_SIDES = {
    "UP": "u", "UI": "u", "LO": "l", "LI": "l", "FX": "lu", "FR": "lu", "MI": "l", "PL": "u", "BV": "",
}  # fmt: skip
WITHOUT_VALUE = ("FR", "MI", "PL", "BV")
SEMI_CONTINUOUS = ("SC", "SI", "SN")
NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity))")
FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
BETWEEN_FIELDS = ((0, 1), (3, 4), (12, 14), (22, 24), (36, 39), (47, 49))
HALF = Decimal("0.5")


@dataclass
class Record:
    """A data line: the code in its first field, the name in its second, and pairs of a name and a value."""

    line: int
    code: str
    name: str
    pairs: list[tuple[str, str]]


@dataclass
class Limits:
    """A row and its right-hand side and range as they stand in the text."""

    kind: str
    line: int
    sum: Sum = field(default_factory=Sum)
    right: Decimal | None = None
    range: Decimal | None = None


@dataclass
class Quadratic:
    """A section of entries of Q; both triangles of it, or one."""

    line: int
    is_full: bool
    scale: int  # of x'Qx / 2
    entries: dict[tuple[str, str], Decimal] = field(default_factory=dict)


@dataclass
class Text:
    """What has been read so far."""

    sense: str | None = None
    objective: str | None = None  # OBJNAME's
    rows: dict[str, Limits] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    sides: dict[str, str] = field(default_factory=dict)  # which bounds of a column have been given
    sets: dict[str, str] = field(default_factory=dict)  # name of the set of right-hand sides, ranges, bounds
    quadratics: dict[str, Quadratic] = field(default_factory=dict)
    in_integers: bool = False

    def row(self, line: int, name: str) -> Limits:
        if name not in self.rows:
            raise LineError(line, f"no row is named {name!r}")
        return self.rows[name]

    def column(self, line: int, name: str) -> Column:
        if name not in self.columns:
            raise LineError(line, f"no column is named {name!r}")
        return self.columns[name]

    def objective_name(self) -> str | None:
        return self.objective or next((name for name, row in self.rows.items() if row.kind == "N"), None)


def read(text: str) -> Model:
    """The model of an MPS text. Raises ValueError `line N: what is wrong` for malformed or unsupported text."""
    with localcontext(EXACT):
        try:
            draft = parse(text, free_record)
        except LineError as free_error:
            try:
                draft = parse(text, fixed_record)
            except LineError as fixed_error:
                raise max(free_error, fixed_error, key=lambda error: error.line) from None
        return build(draft, renamings(text, "*"))


def parse(text: str, record: Callable[[str, int, str], Record]) -> Draft:
    """`record` makes the record of a section's data line, by its number and content."""
    found = Text()
    section, target, line = "", "", 1
    for line, content in enumerate(text.split("\n"), start=1):
        if content.startswith("*"):
            if (comment := PULP_SENSE.fullmatch(content)) and not found.sense:
                found.sense = SENSES[comment[1].upper()]
        elif content[:1].strip():
            section, target = read_section(found, content, line)
            if section == "ENDATA":
                return finished(found, line)
        elif content.strip():
            if section in UNSUPPORTED:
                raise LineError(line, f"unsupported section {section}")
            if section in ("OBJSENSE", "OBJNAME"):
                read_setting(found, section, content.strip(), line)
            elif section in READERS:
                READERS[section](found, record(section, line, content), section, target)
            else:
                raise LineError(line, f"a data line after {section or 'no section'}")
    raise LineError(line, "expected ENDATA, found the end of the text")


def read_section(found: Text, content: str, line: int) -> tuple[str, str]:
    """The section that a line begins and the name after it."""
    word, *rest = content.split(maxsplit=1)
    section, target = word.upper(), rest[0].strip() if rest else ""
    if section not in SECTIONS and section not in UNSUPPORTED:
        raise LineError(line, f"unknown section {word!r}; a data line begins with a blank")
    if section in ("OBJSENSE", "OBJNAME") and target:
        read_setting(found, section, target, line)
    if section in ("QUADOBJ", "QMATRIX"):
        target = found.objective_name() or ""
        expect(target, line, f"{section} without an objective, an N row, before it")
    if section in ("QUADOBJ", "QMATRIX", "QSECTION", "QCMATRIX"):
        found.row(line, target)
        if target in found.quadratics:
            raise LineError(line, f"a second quadratic part of row {target!r}")
        is_full = section in ("QMATRIX", "QCMATRIX")
        found.quadratics[target] = Quadratic(line, is_full, 2 if section == "QCMATRIX" else 1)
    return section, target


def read_setting(found: Text, section: str, value: str, line: int) -> None:
    if section == "OBJNAME":
        found.objective = value
    elif value.upper() in SENSES:
        found.sense = SENSES[value.upper()]
    else:
        raise LineError(line, f"expected MAX or MIN, found {value!r}")


def free_record(section: str, line: int, content: str) -> Record:
    """Fields between white space. The name of a set may be missing, which the number of words shows."""
    words = content.split()
    if section in ("ROWS", "LAZYCONS"):
        expect(words[0].upper() != "N" or len(words) != 6, line, "unsupported objective with a priority")
        expect(len(words) == 2, line, f"expected a kind and a name of a row, found {len(words)} words")
        return Record(line, words[0], words[1], [])
    code = ""
    if section == "BOUNDS":
        code, *words = words
        if code.upper() in WITHOUT_VALUE and len(words) < 3:
            words.append("")
    if section in ("RHS", "RANGES", "BOUNDS") and len(words) % 2 == 0:
        words = ["", *words]
    expect(len(words) in (3, 5), line, "expected one or two pairs of a name and a value after a name")
    return Record(line, code, words[0], list(zip(words[1::2], words[2::2], strict=True)))


def fixed_record(section: str, line: int, content: str) -> Record:
    """Fields in their columns."""
    content = content.rstrip()
    for start, end in BETWEEN_FIELDS:
        expect(not content[start:end].strip(), line, f"columns {start + 1} to {end} are not blank")
    code, *names_and_values = [content[start:end].strip() for start, end in FIELDS]
    name, *pairs = names_and_values
    pairs = [pair for pair in zip(pairs[::2], pairs[1::2], strict=True) if any(pair)]
    if section in ("ROWS", "LAZYCONS"):
        expect(code and name and not pairs, line, "expected a kind and a name of a row")
    else:
        expect(pairs, line, "expected a name in columns 15 to 22 and a value in columns 25 to 36")
    return Record(line, code, name, pairs)


def expect(condition: object, line: int, reason: str) -> None:
    if not condition:
        raise LineError(line, reason)


def read_row(found: Text, record: Record, section: str, target: str) -> None:
    kind = record.code.upper()
    expect(kind in ROW_KINDS, record.line, f"a row's kind is N, L, G or E, not {record.code!r}")
    expect(record.name not in found.rows, record.line, f"a second row {record.name!r}")
    found.rows[record.name] = Limits(kind, record.line)


def read_column(found: Text, record: Record, section: str, target: str) -> None:
    if record.pairs[0][0] == "'MARKER'":
        read_marker(found, record)
        return
    name = record.name
    if name not in found.columns:
        found.columns[name] = Column("integer" if found.in_integers else "continuous", line=record.line)
    last = next(reversed(found.columns))
    expect(name == last, record.line, f"column {name!r} comes back after column {last!r}")
    for row, value in record.pairs:
        terms = found.row(record.line, row).sum.terms
        expect(name not in terms, record.line, f"a second entry of column {name!r} in row {row!r}")
        terms[name] = finite(record.line, value)


def read_marker(found: Text, record: Record) -> None:
    """In the fixed format the word stands in the fifth field, after an empty one."""
    word = record.pairs[0][1] or record.pairs[-1][0]
    expect(word in ("'INTORG'", "'INTEND'"), record.line, f"unsupported marker {word}")
    found.in_integers = word == "'INTORG'"


def read_limit(found: Text, record: Record, section: str, target: str) -> None:
    """A data line of RHS or RANGES."""
    check_set(found, record, section)
    for name, value in record.pairs:
        row = found.row(record.line, name)
        if section == "RHS":
            expect(row.right is None, record.line, f"a second right-hand side of row {name!r}")
            row.right = number(record.line, value)
        else:
            expect(row.range is None, record.line, f"a second range of row {name!r}")
            expect(name != found.objective_name(), record.line, f"a range of the objective {name!r}")
            row.range = number(record.line, value)


def check_set(found: Text, record: Record, section: str) -> None:
    first = found.sets.setdefault(section, record.name)
    expect(first == record.name, record.line, f"unsupported second set {record.name!r} in {section}")


def read_bound(found: Text, record: Record, section: str, target: str) -> None:
    check_set(found, record, section)
    expect(len(record.pairs) == 1, record.line, "expected one column and one value")
    code, [(name, text)] = record.code.upper(), record.pairs
    expect(code not in SEMI_CONTINUOUS, record.line, f"unsupported semi-continuous column {name!r}")
    expect(code in BOUND_SIDES, record.line, f"unknown kind of bound {record.code!r}")
    column = found.column(record.line, name)
    column.line = record.line
    given = found.sides.setdefault(name, "")
    for side in BOUND_SIDES[code]:
        expect(side not in given, record.line, f"a second {'lower' if side == 'l' else 'upper'} bound of {name!r}")
    found.sides[name] = given + BOUND_SIDES[code]
    value = ZERO if code in WITHOUT_VALUE else number(record.line, text)
    set_bound(column, code, value)


def set_bound(column: Column, code: str, value: Decimal) -> None:
    if code in ("LO", "LI", "FX"):
        column.lb = value
    if code in ("UP", "UI", "FX"):
        column.ub = value
    if code in ("MI", "FR"):
        column.lb = -INFINITY
    if code in ("PL", "FR"):
        column.ub = INFINITY
    if code == "BV":
        column.kind = "binary"
    if code in ("LI", "UI") and column.kind == "continuous":
        column.kind = "integer"


def read_product(found: Text, record: Record, section: str, target: str) -> None:
    quadratic = found.quadratics[target]
    found.column(record.line, record.name)
    for other, text in record.pairs:
        found.column(record.line, other)
        keys = {(record.name, other), *(() if quadratic.is_full else [(other, record.name)])}
        expect(not keys & quadratic.entries.keys(), record.line, f"a second entry of {record.name!r} and {other!r}")
        quadratic.entries[record.name, other] = number(record.line, text)


READERS = {
    "ROWS": read_row,
    "LAZYCONS": read_row,
    "COLUMNS": read_column,
    "RHS": read_limit,
    "RANGES": read_limit,
    "BOUNDS": read_bound,
    **dict.fromkeys(("QUADOBJ", "QMATRIX", "QSECTION", "QCMATRIX"), read_product),
}


def number(line: int, text: str) -> Decimal:
    expect(NUMBER.fullmatch(text), line, f"expected a number, found {text!r}")
    return EXACT.create_decimal(text)


def finite(line: int, text: str) -> Decimal:
    value = number(line, text)
    expect(abs(float(value)) < float("inf"), line, f"expected a finite number, found {text!r}")
    return value


def finished(found: Text, line: int) -> Draft:
    """The draft of a text that ends on this line."""
    name = found.objective_name()
    if name is not None:
        expect(found.row(line, name).kind == "N", line, f"the objective {name!r} is not an N row")
    for target, quadratic in found.quadratics.items():
        add_products(found.rows[target].sum, quadratic)
    for column_name, column in found.columns.items():
        finish_bounds(column, found.sides.get(column_name))
    draft = Draft(found.sense or "min", columns=found.columns)
    for row_name, row in found.rows.items():
        if row.kind != "N":
            draft.rows.append(DraftRow(row_name, row.sum, *interval(row), row.line))
        elif row_name == name:
            row.sum.constant = -(row.right or ZERO)
            draft.objective, draft.objective_line = row.sum, row.line
    return draft


def finish_bounds(column: Column, given: str | None) -> None:
    """What holds where a bound has not been given; `given` is None where BOUNDS does not name the column."""
    if given is None and column.kind == "integer":
        column.ub = Decimal(1)
    if given is not None and "l" not in given and column.ub < 0:
        column.lb = -INFINITY


def interval(row: Limits) -> tuple[Decimal, Decimal]:
    right = row.right or ZERO
    if row.kind == "E":
        width = row.range or ZERO
        return (right, right + width) if width >= 0 else (right + width, right)
    if row.kind == "L":
        return (-INFINITY if row.range is None else right - abs(row.range), right)
    return (right, INFINITY if row.range is None else right + abs(row.range))


def add_products(total: Sum, quadratic: Quadratic) -> None:
    entries = quadratic.entries
    for (a, b), value in entries.items():
        if quadratic.is_full and entries.get((b, a)) != value:
            raise LineError(quadratic.line, f"the matrix is not symmetric in {a!r} and {b!r}")
        share = HALF if quadratic.is_full or a == b else 1
        total.add_product(a, b, value * share * quadratic.scale)
