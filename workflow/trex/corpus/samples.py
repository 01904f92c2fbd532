"""An instance as a task: the prompt that asks, and the answer that is right.

category: `word` (short word problem), `mixed` (any structure), `solve` (the data stand in a file), `build` (the prompt
fixes the variables, the model is compared by structure). mode: DP (data in the text), DT (in tables), DPS (in a file).
The last line of a prompt is the instruction, all before it is the problem.
"""

import dataclasses
import json
from collections.abc import Iterator
from random import Random

from trex.common import seeds
from trex.common.errors import UserError
from trex.problems import families
from trex.problems.wording import Statement, state, state_word

CATEGORIES = ("word", "mixed", "solve", "build")
CODE_ONLY = "code_only"
WITH_MODEL = "math_model_with_code"
STYLES = (CODE_ONLY, WITH_MODEL)
INSTRUCTIONS = {
    CODE_ONLY: ("Write MathOpt code.", "Answer with MathOpt code.", "Solve it with MathOpt."),
    WITH_MODEL: ("Write the model, then MathOpt code.", "Give the model first, then MathOpt code."),
}


@dataclasses.dataclass(frozen=True)
class Task:
    """An instance put as a task; `statement.data_file` is the attached file of a DPS task."""

    instance: dict
    category: str
    mode: str
    style: str
    statement: Statement
    prompt: str
    answer: str


def task(instance: dict, mixture: dict, styles: dict, rng: Random) -> Task:
    """A task from a row of an instances table, its category, mode and answer style drawn by their weights.

    mixture: {category: {mode: weight}}; `word` has no say where the instance has no form as a word problem.
    """
    family, data, difficulty = families.load(instance["family"]), json.loads(instance["data"]), instance["difficulty"]
    word = state_word(family, data, difficulty, rng)
    category, mode = drawn_kind(mixture, rng, has_word=word is not None)
    style = STYLES[weighted([styles[name] for name in STYLES], "corpus.answer_styles", rng)]
    statement = word if category == "word" else state(family, data, mode, difficulty, rng)
    return Task(
        instance=instance,
        category=category,
        mode=mode,
        style=style,
        statement=statement,
        prompt=f"{statement.problem}\n{instruction(statement, category, style, rng)}",
        answer=answer(statement, style),
    )


def drawn_kind(mixture: dict, rng: Random, has_word: bool) -> tuple[str, str]:
    kinds = [
        (category, mode) for category, modes in mixture.items() for mode in modes if has_word or category != "word"
    ]
    weights = [mixture[category][mode] for category, mode in kinds]
    return kinds[weighted(weights, "corpus.mixture (words alone do not suit every family)", rng)]


def weighted(weights: list[float], where: str, rng: Random) -> int:
    """A position drawn by weight. Raises UserError where all weights are 0."""
    if not any(weights):
        raise UserError(f"{where}: all weights are 0; give one a weight")
    return rng.choices(range(len(weights)), weights)[0]


def instruction(statement: Statement, category: str, style: str, rng: Random) -> str:
    asked = rng.choice(INSTRUCTIONS[style])
    return f"Use {statement.variables}. {asked}" if category == "build" else asked


def problem_of(prompt: str) -> str:
    """A prompt without its instruction."""
    return prompt.rpartition("\n")[0]


def code_block(code: str) -> str:
    return f"```python\n{code}\n```"


def answer(statement: Statement, style: str) -> str:
    if style == CODE_ONLY:
        return code_block(statement.code)
    return "\n".join([*statement.formulation, code_block(statement.code)])


def tasks(instances: list[dict], settings: dict, seed: int, stage: str) -> Iterator[Task]:
    """Endless tasks of one family: its instances in turn, each time in other words."""
    turn = 0
    while instances:
        for instance in instances:
            rng = seeds.generator(seed, stage, instance["instance_id"], turn)
            yield task(instance, settings["mixture"], settings["answer_styles"], rng)
        turn += 1


def by_family(instances: list[dict]) -> dict[str, list[dict]]:
    """Instances of each family in the order of their ids, families by name."""
    groups: dict[str, list[dict]] = {}
    for instance in sorted(instances, key=lambda row: row["instance_id"]):
        groups.setdefault(instance["family"], []).append(instance)
    return groups


def shares(total: int, names: list[str]) -> dict[str, int]:
    """`total` divided equally, the first names get one more."""
    return {name: total // len(names) + (position < total % len(names)) for position, name in enumerate(names)}
