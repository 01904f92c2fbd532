"""A family's story set as text, and the code that answers it.

DP: the data stand in sentences; DT: in tables; DPS: in a file `data.json`, whose keys the text lists. The data lines of
the code stand in the order of the text, whatever that order is. Small problems keep the order of the family and state
the goal last; others shuffle the facts and may state the goal first; a larger table may have its items as rows. A text
may hold an aside: a number that is true of the scene and has no part in the model.
"""

import dataclasses
import json

from trex.problems.family import MONEY, SHARE, Fact, Family, Story
from trex.problems.mathopt_code import program, row_by_row, row_by_row_formulation
from trex.problems.voice import Voice

MODES = ("DP", "DT", "DPS")
# Shares by difficulty. Of DP texts: those that give the data as symbols and lists, as concise problem statements do.
IN_SYMBOLS = {"small": 0.6, "medium": 0.45, "large": 0.3, "industrial": 0.3}
# Of data files: those whose keys are the family's usual ones, all of them; in the others each key is drawn.
USUAL_KEYS = {"small": 0.8, "medium": 0.4, "large": 0.2, "industrial": 0.2}
SHUFFLED = {"small": 0.2, "medium": 1.0, "large": 1.0, "industrial": 1.0}
GOAL_FIRST = {"small": 0.0, "medium": 0.3, "large": 0.3, "industrial": 0.3}
WITH_ASIDE = {"small": 0.1, "medium": 0.3, "large": 0.5, "industrial": 0.5}
TURNED_TABLE = {"small": 0.0, "medium": 0.25, "large": 0.5, "industrial": 0.5}

# Each bank of sentences: the usual ones, and those of the held-out wordings.
SCALAR = (
    ("{Label}: {value}.", "The {label} is {value}."),
    ("We put the {label} at {value}.", "For the {label}, count with {value}."),
)
# named: `corn 3, oats 4`; each: `3 for corn, 4 for oats`; plain: `3, 4` in the order of the introduction.
LIST = (
    ("{Label} by {singular}: {plain}.", "{Label}: {named}.", "The {label} is {each}."),
    ("By {singular}, the {label} reads {colon}.", "In the order given, the {label} by {singular} runs {plain}."),
)
MATRIX = (
    ("{Label}: {rows}.", "The {label} is as follows: {rows}."),
    ("Read the {label} row by row: {brackets}.", "We know the {label}, namely {brackets}."),
)
SYMBOL = (
    ("{Label}: {symbol} = {value}.", "Let {symbol} = {value} be the {label}."),
    ("{symbol} = {value} stands for the {label}.", "Write {symbol} = {value} for the {label}."),
)
FILE = (
    ("data.json has {keys}.", "The file data.json holds {keys}."),
    ("Read {keys} from data.json.", "All numbers stand in data.json, which lists {keys}."),
)
ASIDE = (
    (
        "The plan was last revised {n} years ago.",
        "A staff of {n} works in the planning office.",
        "The office is on floor {n}.",
        "Last year {n} visitors toured the site.",
    ),
    (
        "The archive keeps {n} older plans, of no use here.",
        "Some {n} letters about the matter came in.",
        "The planner has been in the job for {n} months.",
    ),
)
ASIDE_KEYS = (("version", "version of this file"), ("page", "page of the plan"), ("year", "age of the site in years"))
ASIDE_LARGEST = 40


@dataclasses.dataclass(frozen=True)
class Statement:
    """An instance in words and code.

    problem: the text without any instruction; data_file: the text of data.json (None without one); code: the reference
    code; formulation: the model in mathematical notation (variables, objective, rows); variables: which variables the
    model has (None where the formulation lists them); facts: in the order of the text; reading: the value of each
    symbol of the code and what it is; data_text, data_code: of text and code, the part that holds the data.
    """

    problem: str
    data_file: str | None
    code: str
    formulation: list[str]
    variables: str | None
    facts: tuple[Fact, ...]
    reading: list[str]
    data_text: str
    data_code: list[str]


def state(family: Family, data: dict, mode: str, voice: Voice) -> Statement:
    """The instance in one of the three modes."""
    story = family.tell(data, voice)
    facts = list(story.facts)
    if voice.chance("order", SHUFFLED[voice.difficulty]):
        facts = voice.order(facts)
    setting = {"DP": in_sentences, "DT": in_tables, "DPS": in_a_file}[mode](facts, voice)
    return Statement(
        problem=assembled(introduction(story, mode), setting.told, story, voice) + setting.tables,
        data_file=setting.data_file,
        code=program(setting.data_lines, family.body(data), reads_file=mode == "DPS"),
        formulation=family.formulation(data),
        variables=story.variables,
        facts=tuple(setting.facts),
        reading=[f"{line} ({fact.label})" for line, fact in zip(setting.data_lines, setting.facts, strict=True)],
        data_text=(" ".join(setting.told) + setting.tables).strip(),
        data_code=setting.data_lines,
    )


@dataclasses.dataclass(frozen=True)
class Setting:
    """The facts as a mode gives them: sentences, tables, a file; and the lines of code that hold them."""

    facts: list[Fact]
    told: list[str]
    data_lines: list[str]
    tables: str = ""
    data_file: str | None = None


def in_sentences(facts: list[Fact], voice: Voice) -> Setting:
    in_symbols = voice.chance("layout", IN_SYMBOLS[voice.difficulty])
    told = [given(fact, voice) if in_symbols else sentence(fact, voice) for fact in facts]
    return Setting(facts, told, list(map(assignment, facts)))


def in_tables(facts: list[Fact], voice: Voice) -> Setting:
    facts = by_table(facts)
    told = [sentence(fact, voice) for fact in facts if not fact.axes]
    tables = "".join(f"\n\n{table(group, voice)}" for group in grouped(facts)) + "\n"
    return Setting(facts, told, list(map(assignment, facts)), tables=tables)


def in_a_file(facts: list[Fact], voice: Voice) -> Setting:
    keys = drawn_keys(facts, voice)
    content = {key: fact.value for fact, key in zip(facts, keys, strict=True)}
    shown = [described(fact, key) for fact, key in zip(facts, keys, strict=True)]
    if voice.chance("aside", WITH_ASIDE[voice.difficulty]):
        key, label = voice.streams["aside"].choice(ASIDE_KEYS)
        if key not in content:
            content[key] = voice.streams["aside"].randint(2, ASIDE_LARGEST)
            shown.append(f'"{key}" ({label})')
    told = [voice.phrase(*FILE).format(keys=", ".join(shown))]
    lines = [f'{fact.symbol} = data["{key}"]' for fact, key in zip(facts, keys, strict=True)]
    return Setting(facts, told, lines, data_file=json.dumps(content))


def assignment(fact: Fact) -> str:
    return f"{fact.symbol} = {json.dumps(fact.value)}"


def state_word(family: Family, data: dict, voice: Voice) -> Statement | None:
    """The instance as a short word problem with one code line a row, None where the family has no such form."""
    story = family.word(data, voice)
    if story is None:
        return None
    model = family.model(data)
    objective_first = bool(story.objective) and voice.difficulty != "small" and voice.chance("order", 0.5)
    rows = [row.text for row in story.rows]
    told = [part for part in ([story.objective, *rows] if objective_first else [*rows, story.objective]) if part]
    data_text = " ".join(told)
    code = row_by_row(model, [row.code for row in story.rows], objective_first)
    return Statement(
        problem=" ".join([story.intro, *with_aside(told, voice), story.ending]),
        data_file=None,
        code=code,
        formulation=row_by_row_formulation(model),
        variables=None,
        facts=(),
        reading=[],
        data_text=data_text,
        data_code=[line for line in code.splitlines() if line.startswith("m.")],
    )


def assembled(intro: str, told: list[str], story: Story, voice: Voice) -> str:
    if "data.json" not in " ".join(told):
        told = with_aside(told, voice)
    if voice.chance("order", GOAL_FIRST[voice.difficulty]):
        return " ".join((intro, story.goal, *told, *story.rules))
    return " ".join((intro, *told, *story.rules, story.goal))


def with_aside(told: list[str], voice: Voice) -> list[str]:
    """The sentences with a number among them that does not matter, or without."""
    if not voice.chance("aside", WITH_ASIDE[voice.difficulty]):
        return told
    aside = voice.phrase(*ASIDE).format(n=voice.number(voice.streams["aside"].randint(2, ASIDE_LARGEST)))
    place = voice.streams["aside"].randint(0, len(told))
    return [*told[:place], aside, *told[place:]]


def introduction(story: Story, mode: str) -> str:
    """DP names the members, since its lists may leave them out; the tables name them; a data file has none."""
    axes = {axis.plural: axis for fact in story.facts for axis in fact.axes}
    return story.intro.format(
        **{plural: ", ".join(axis.members) if mode == "DP" else plural for plural, axis in axes.items()}
    )


def given(fact: Fact, voice: Voice) -> str:
    """With its symbol, as code has it."""
    label = by_axes(f"{fact.label} in percent" if fact.kind == SHARE else fact.label, fact)
    return voice.phrase(*SYMBOL).format(
        Label=capital(label), label=label, symbol=fact.symbol, value=json.dumps(fact.value)
    )


def by_axes(label: str, fact: Fact) -> str:
    """What a list runs over is said wherever its members are not named."""
    if fact.ragged:
        return f"{label} for each {fact.axes[0].singular}"
    return f"{label} by {' and '.join(axis.singular for axis in fact.axes)}" if fact.axes else label


def sentence(fact: Fact, voice: Voice) -> str:
    label = {"Label": capital(fact.label), "label": fact.label}
    if not fact.axes:
        return voice.phrase(*SCALAR).format(value=shown(fact, fact.value, voice, in_prose=True), **label)
    if len(fact.axes) == 2:
        rows = [(name, values(fact, row, voice)) for name, row in zip(fact.axes[0].members, fact.value, strict=True)]
        return voice.phrase(*MATRIX).format(
            rows="; ".join(f"{name} {row}" for name, row in rows),
            brackets=", ".join(f"{name} ({row})" for name, row in rows),
            **label,
        )
    pairs = [(name, shown(fact, v, voice)) for name, v in zip(fact.axes[0].members, fact.value, strict=True)]
    return voice.phrase(*LIST).format(
        singular=fact.axes[0].singular,
        plain=", ".join(value for _, value in pairs),
        named=", ".join(f"{name} {value}" for name, value in pairs),
        each=", ".join(f"{value} for {name}" for name, value in pairs),
        colon=", ".join(f"{name}: {value}" for name, value in pairs),
        **label,
    )


def capital(label: str) -> str:
    return label[0].upper() + label[1:]


def values(fact: Fact, row: list, voice: Voice) -> str:
    return ", ".join(shown(fact, value, voice) for value in row)


def shown(fact: Fact, value: float, voice: Voice, in_prose: bool = False) -> str:
    if fact.kind == MONEY:
        return voice.money(value)
    if fact.kind == SHARE:
        return voice.percent(value)
    return voice.number(value) if in_prose else voice.digits(value)


def described(fact: Fact, key: str) -> str:
    """What stands under a key of the data file: what it is and what it runs over."""
    label = f"{fact.label} in percent" if fact.kind == SHARE else fact.label
    if not fact.axes:
        return f'"{key}" ({label})'
    if fact.ragged:
        return f'"{key}" ({label}, a list per {fact.axes[0].singular})'
    return f'"{key}" ({label}, by {" and ".join(axis.singular for axis in fact.axes)})'


def drawn_keys(facts: list[Fact], voice: Voice) -> list[str]:
    """A key for each fact, all different; the usual one is its first that is free."""
    usual = voice.chance("key", USUAL_KEYS[voice.difficulty])
    keys: list[str] = []
    for fact in facts:
        free = [key for key in fact.keys if key not in keys]
        keys.append(free[0] if usual else voice.streams["key"].choice(free))
    return keys


def by_table(facts: list[Fact]) -> list[Fact]:
    """Numbers first, then the lists in groups that share a table, groups in the order of their first member."""
    return [fact for fact in facts if not fact.axes] + [fact for group in grouped(facts) for fact in group]


def grouped(facts: list[Fact]) -> list[list[Fact]]:
    """Lists that run over the same columns share a table; a ragged one has its own."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.axes:
            groups.setdefault((fact.axes[-1].plural, fact.symbol if fact.ragged else ""), []).append(fact)
    return list(groups.values())


def table(facts: list[Fact], voice: Voice) -> str:
    axis = facts[0].axes[-1]
    if facts[0].ragged:
        rows = zip(facts[0].axes[0].members, (", ".join(map(str, row)) for row in facts[0].value), strict=True)
        return lines_of([facts[0].axes[0].singular, facts[0].label], rows)
    rows = [row for fact in facts for row in table_rows(fact, voice)]
    if all(len(fact.axes) == 1 for fact in facts) and voice.chance("layout", TURNED_TABLE[voice.difficulty]):
        columns = zip(*(row[1:] for row in rows), strict=True)
        turned = [[name, *values] for name, values in zip(axis.members, columns, strict=True)]
        return lines_of([axis.singular, *(row[0] for row in rows)], turned)
    return lines_of([axis.singular, *axis.members], rows)


def table_rows(fact: Fact, voice: Voice) -> list[list[str]]:
    if len(fact.axes) == 1:
        return [[fact.label, *(shown(fact, value, voice) for value in fact.value)]]
    return [
        [fact.row_label.format(name), *(shown(fact, value, voice) for value in row)]
        for name, row in zip(fact.axes[0].members, fact.value, strict=True)
    ]


def lines_of(head: list[str], rows) -> str:
    """A Markdown table."""
    lines = [head, ["-"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
