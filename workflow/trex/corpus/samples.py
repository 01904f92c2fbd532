"""An instance as a task: the prompt that asks, and the answer that is right.

category: `word` (short word problem), `mixed` (any structure), `solve` (the data stand in a file), `build` (the prompt
fixes the variables, the model is compared by structure). mode: DP (data in the text), DT (in tables), DPS (in a file).
Industrial sizes are told as DPS only: no text holds their numbers. The last line of a prompt is the instruction, all
before it is the problem.
"""

import dataclasses
import json
from collections.abc import Iterator
from random import Random

from trex.common import seeds
from trex.common.errors import UserError
from trex.corpus.reasoning import number, reasoning
from trex.problems import families
from trex.problems.voice import Voice
from trex.problems.wording import Statement, state, state_word

CATEGORIES = ("word", "mixed", "solve", "build")
CODE_ONLY = "code_only"
WITH_MODEL = "math_model_with_code"
MODEL_ONLY = "math_model"
STYLES = (CODE_ONLY, WITH_MODEL, MODEL_ONLY)
INSTRUCTIONS = {
    CODE_ONLY: ("Write MathOpt code.", "Answer with MathOpt code.", "Solve it with MathOpt."),
    WITH_MODEL: ("Write the model, then MathOpt code.", "Give the model first, then MathOpt code."),
    MODEL_ONLY: ("Write the model in mathematical notation.", "Give the mathematical model, no code."),
}
REASON_FIRST = ("Reason first.", "Think step by step first.")


@dataclasses.dataclass(frozen=True)
class Task:
    """An instance put as a task; `statement.data_file` is the attached file of a DPS task.

    reasoning: the part of the answer that comes before the model and the code, '' without one.
    """

    instance: dict
    category: str
    mode: str
    style: str
    statement: Statement
    prompt: str
    reasoning: str
    answer: str


def task(instance: dict, settings: dict, rng: Random, heldout_wording: bool = False) -> Task:
    """A task from a row of an instances table; category, mode, answer style and reasoning are drawn by their weights.

    settings: `mixture` ({category: {mode: weight}}; `word` has no say where the instance has no form as a word
    problem), `answer_styles` and `reasoning`. The same rng gives the same task in other phrases with heldout_wording.
    """
    family, data, difficulty = families.load(instance["family"]), json.loads(instance["data"]), instance["difficulty"]
    voice = Voice(rng, difficulty, heldout_wording)
    word = state_word(family, data, voice)
    modes = ("DPS",) if difficulty == "industrial" else ("DP", "DT", "DPS")
    category, mode = drawn_kind(settings["mixture"], rng, modes, has_word=word is not None)
    style = STYLES[weighted([settings["answer_styles"][name] for name in STYLES], "corpus.answer_styles", rng)]
    statement = word if category == "word" else state(family, data, mode, voice)
    reasons = rng.random() < settings["reasoning"]
    thoughts = reasoning(statement, family.model(data), instance["objective_value"], rng) if reasons else ""
    return Task(
        instance=instance,
        category=category,
        mode=mode,
        style=style,
        statement=statement,
        prompt=f"{statement.problem}\n{instruction(statement, category, style, reasons, rng)}",
        reasoning=thoughts,
        answer=answer(statement, style, thoughts, instance["objective_value"]),
    )


def drawn_kind(mixture: dict, rng: Random, modes: tuple[str, ...], has_word: bool) -> tuple[str, str]:
    kinds = [
        (category, mode)
        for category, weights in mixture.items()
        for mode in weights
        if mode in modes and (has_word or category != "word")
    ]
    weights = [mixture[category][mode] for category, mode in kinds]
    return kinds[weighted(weights, "corpus.mixture (words alone do not suit every family)", rng)]


def weighted(weights: list[float], where: str, rng: Random) -> int:
    """A position drawn by weight. Raises UserError where all weights are 0."""
    if not any(weights):
        raise UserError(f"{where}: all weights are 0; give one a weight")
    return rng.choices(range(len(weights)), weights)[0]


def instruction(statement: Statement, category: str, style: str, reasons: bool, rng: Random) -> str:
    parts = [f"Use {statement.variables}."] if category == "build" else []
    parts += [rng.choice(REASON_FIRST)] if reasons else []
    return " ".join([*parts, rng.choice(INSTRUCTIONS[style])])


def problem_of(prompt: str) -> str:
    """A prompt without its instruction."""
    return prompt.rpartition("\n")[0]


def code_block(code: str) -> str:
    return f"```python\n{code}\n```"


def answer(statement: Statement, style: str, thoughts: str, optimum: float) -> str:
    """The parts that the style asks for. A model without code ends with the optimum, unless the data are in a file."""
    parts = [f"<think>\n{thoughts}\n</think>"] if thoughts else []
    if style != CODE_ONLY:
        parts += statement.formulation
    if style == MODEL_ONLY:
        known = "" if statement.data_file else "; ".join(statement.reading)
        parts += [f"with {known}"] if known else []
        parts += [] if statement.data_file else [f"Optimal value: {number(optimum)}."]
    else:
        parts.append(code_block(statement.code))
    return "\n".join(parts)


def tasks(
    instances: list[dict], settings: dict, seed: int, stage: str, heldout_wording: bool = False
) -> Iterator[Task]:
    """Endless tasks of one family: its instances in turn, each time in other words."""
    turn = 0
    while instances:
        for instance in instances:
            rng = seeds.generator(seed, stage, instance["instance_id"], turn)
            yield task(instance, settings, rng, heldout_wording)
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
