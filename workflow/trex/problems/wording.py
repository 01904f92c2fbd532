"""A family's story set as text, and the code that answers it.

DP: the data stand in sentences; DT: in tables; DPS: in a file `data.json`, whose keys the text lists. The data lines of
the code stand in the order of the text, whatever that order is. Easy problems keep the order of the family and state
the goal last; others shuffle the facts and may state the goal first; a hard table may have its items as rows.
"""

import dataclasses
import json
from random import Random

from trex.problems.family import Fact, Family, Story, chance
from trex.problems.mathopt_code import program, row_by_row, row_by_row_formulation

MODES = ("DP", "DT", "DPS")
# Share of DP texts that give the data as symbols and lists, as concise problem statements do; the others are prose.
IN_SYMBOLS = {"easy": 0.6, "medium": 0.45, "hard": 0.3}
# Share of data files whose keys are the family's usual ones, all of them; in the others each key is drawn.
USUAL_KEYS = {"easy": 0.8, "medium": 0.4, "hard": 0.2}


@dataclasses.dataclass(frozen=True)
class Statement:
    """An instance in words and code.

    problem: the text without any instruction; data_file: the text of data.json (None without one); code: the reference
    code; formulation: the model in mathematical notation; variables: which variables the model has (None where the
    formulation lists them); reading: the value of each symbol of the code and what it is; data_text, data_code: of text
    and code, the part that holds the data.
    """

    problem: str
    data_file: str | None
    code: str
    formulation: list[str]
    variables: str | None
    reading: list[str]
    data_text: str
    data_code: list[str]


def state(family: Family, data: dict, mode: str, difficulty: str, rng: Random) -> Statement:
    """The instance in one of the three modes."""
    story = family.tell(data, rng)
    facts = list(story.facts)
    if difficulty != "easy":
        rng.shuffle(facts)
    data_file, tables = None, ""
    if mode == "DT":
        facts = by_table(facts)
        told = [sentence(fact, rng, difficulty) for fact in facts if not fact.axes]
        tables = "".join(f"\n\n{table(group, difficulty, rng)}" for group in grouped(facts)) + "\n"
        data_lines = [f"{fact.symbol} = {json.dumps(fact.value)}" for fact in facts]
    elif mode == "DPS":
        keys = drawn_keys(facts, rng, usual=chance(rng, USUAL_KEYS[difficulty]))
        told = [f"data.json has {', '.join(described(fact, key) for fact, key in zip(facts, keys, strict=True))}."]
        data_file = json.dumps({key: fact.value for fact, key in zip(facts, keys, strict=True)})
        data_lines = [f'{fact.symbol} = data["{key}"]' for fact, key in zip(facts, keys, strict=True)]
    else:
        in_symbols = chance(rng, IN_SYMBOLS[difficulty])
        told = [given(fact) if in_symbols else sentence(fact, rng, difficulty) for fact in facts]
        data_lines = [f"{fact.symbol} = {json.dumps(fact.value)}" for fact in facts]
    return Statement(
        problem=assembled(introduction(story, mode), told, story, difficulty, rng) + tables,
        data_file=data_file,
        code=program(data_lines, family.body(data), reads_file=mode == "DPS"),
        formulation=family.formulation(data),
        variables=story.variables,
        reading=[f"{line} ({fact.label})" for line, fact in zip(data_lines, facts, strict=True)],
        data_text=(" ".join(told) + tables).strip(),
        data_code=data_lines,
    )


def state_word(family: Family, data: dict, difficulty: str, rng: Random) -> Statement | None:
    """The instance as a short word problem with one code line a row, None where the family has no such form."""
    story = family.word(data, rng)
    if story is None:
        return None
    model = family.model(data)
    objective_first = bool(story.objective) and difficulty != "easy" and chance(rng, 0.5)
    told = [story.objective, *story.rows] if objective_first else [*story.rows, story.objective]
    data_text = " ".join(part for part in told if part)
    code = row_by_row(model, objective_first)
    return Statement(
        problem=f"{story.intro} {data_text} {story.ending}",
        data_file=None,
        code=code,
        formulation=row_by_row_formulation(model),
        variables=None,
        reading=[],
        data_text=data_text,
        data_code=[line for line in code.splitlines() if line.startswith("m.")],
    )


def assembled(intro: str, told: list[str], story: Story, difficulty: str, rng: Random) -> str:
    if difficulty != "easy" and chance(rng, 0.3):
        return " ".join((intro, story.goal, *told, *story.rules))
    return " ".join((intro, *told, *story.rules, story.goal))


def introduction(story: Story, mode: str) -> str:
    """DP names the members, since its lists may leave them out; the tables name them; a data file has none."""
    axes = {axis.plural: axis for fact in story.facts for axis in fact.axes}
    return story.intro.format(
        **{plural: ", ".join(axis.members) if mode == "DP" else plural for plural, axis in axes.items()}
    )


def given(fact: Fact) -> str:
    return f"{fact.label[0].upper()}{fact.label[1:]}: {fact.symbol} = {json.dumps(fact.value)}."


def sentence(fact: Fact, rng: Random, difficulty: str) -> str:
    label = fact.label[0].upper() + fact.label[1:]
    named = chance(rng, 0.25 if difficulty == "easy" else 0.5)
    if not fact.axes:
        return f"{label}: {fact.value}."
    if len(fact.axes) == 2:
        rows = zip(fact.axes[0].members, fact.value, strict=True)
        return f"{label}: {'; '.join(f'{name} {comma(row)}' for name, row in rows)}."
    if named:
        return f"{label}: {', '.join(f'{n} {v}' for n, v in zip(fact.axes[0].members, fact.value, strict=True))}."
    return f"{label}: {comma(fact.value)}."


def comma(values: list) -> str:
    return ", ".join(map(str, values))


def described(fact: Fact, key: str) -> str:
    """What stands under a key of the data file: what it is and what it runs over."""
    if not fact.axes:
        return f'"{key}" ({fact.label})'
    if fact.ragged:
        return f'"{key}" ({fact.label}, a list per {fact.axes[0].singular})'
    return f'"{key}" ({fact.label}, by {" and ".join(axis.singular for axis in fact.axes)})'


def drawn_keys(facts: list[Fact], rng: Random, usual: bool) -> list[str]:
    """A key for each fact, all different; the usual one is its first that is free."""
    keys: list[str] = []
    for fact in facts:
        free = [key for key in fact.keys if key not in keys]
        keys.append(free[0] if usual else rng.choice(free))
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


def table(facts: list[Fact], difficulty: str, rng: Random) -> str:
    axis = facts[0].axes[-1]
    if facts[0].ragged:
        rows = zip(facts[0].axes[0].members, map(comma, facts[0].value), strict=True)
        return lines_of([facts[0].axes[0].singular, facts[0].label], rows)
    rows = [row for fact in facts for row in table_rows(fact)]
    if difficulty == "hard" and all(len(fact.axes) == 1 for fact in facts) and chance(rng, 0.5):
        columns = zip(*(row[1:] for row in rows), strict=True)
        turned = [[name, *values] for name, values in zip(axis.members, columns, strict=True)]
        return lines_of([axis.singular, *(row[0] for row in rows)], turned)
    return lines_of([axis.singular, *axis.members], rows)


def table_rows(fact: Fact) -> list[list]:
    if len(fact.axes) == 1:
        return [[fact.label, *fact.value]]
    return [[fact.row_label.format(name), *row] for name, row in zip(fact.axes[0].members, fact.value, strict=True)]


def lines_of(head: list[str], rows) -> str:
    """A Markdown table."""
    lines = [head, ["-"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
