import json
import random
import re

import pytest

from trex.common.errors import UserError
from trex.corpus import samples
from trex.problems.family import DIFFICULTIES

DATA = {"value": [3, 4, 5], "use": [[1, 2, 3]], "limit": [4], "copies": "once", "stock": None}
INSTANCE = {
    "family": "knapsack", "instance_id": "knapsack-00000", "difficulty": "small", "data": json.dumps(DATA),
    "objective_value": 8.0,
}  # fmt: skip
SETTINGS = {
    "mixture": {"mixed": {"DP": 1, "DT": 1}, "solve": {"DPS": 1}, "build": {"DP": 1}},
    "answer_styles": {"code_only": 1, "math_model_with_code": 1, "math_model": 1},
    "reasoning": 0.5,
}


def drawn(count=60, **changed):
    return [samples.task(INSTANCE, SETTINGS | changed, random.Random(number)) for number in range(count)]


def test_an_answer_has_what_its_style_asks_for():
    for task in drawn():
        assert ("```python" in task.answer) == (task.style != samples.MODEL_ONLY)
        assert ("max sum_j v_j x_j" in task.answer.split("</think>")[-1]) == (task.style != samples.CODE_ONLY)
        assert task.answer.startswith("<think>\n") == bool(task.reasoning)
        asked = task.prompt.rpartition("\n")[2]
        assert asked.endswith(samples.INSTRUCTIONS[task.style])
        assert any(phrase in asked for phrase in samples.REASON_FIRST) == bool(task.reasoning)
        assert samples.problem_of(task.prompt) == task.statement.problem
    assert {task.style for task in drawn()} == set(samples.STYLES)
    assert {bool(task.reasoning) for task in drawn()} == {True, False}


def test_the_optimum_is_stated_where_the_prompt_shows_the_numbers():
    for task in drawn(200):
        stated = re.findall(r"[Oo]ptimal value(?: is|:) (\S+)\.", task.answer)
        expected = (task.style == samples.MODEL_ONLY) + bool(task.reasoning) if task.mode != "DPS" else 0
        assert stated == ["8"] * expected, task.answer


def test_a_build_task_fixes_the_variables():
    for task in drawn():
        assert ("Use one binary variable per item." in task.prompt) == (task.category == "build")


def test_the_same_draw_in_heldout_words_is_the_same_task():
    for number in range(40):
        usual, other = (samples.task(INSTANCE, SETTINGS, random.Random(number), heldout) for heldout in (False, True))
        assert (usual.category, usual.mode, usual.style, usual.statement.code) == (
            other.category, other.mode, other.style, other.statement.code,
        )  # fmt: skip
        assert usual.statement.problem != other.statement.problem


def test_the_mixture_is_obeyed():
    only = {"word": {"DP": 5}, "solve": {"DPS": 1}, "mixed": {"DP": 0}}
    assert {(task.category, task.mode) for task in drawn(mixture=only)} == {("solve", "DPS")}
    with pytest.raises(UserError, match=r"corpus\.mixture"):
        drawn(1, mixture={"word": {"DP": 1}})


def test_industrial_sizes_come_in_files_only():
    assert DIFFICULTIES[-1] == "industrial"
    for number in range(40):
        task = samples.task(INSTANCE | {"difficulty": "industrial"}, SETTINGS, random.Random(number))
        assert task.mode == "DPS"


def test_shares_differ_by_one_at_most():
    assert samples.shares(10, ["a", "b", "c"]) == {"a": 4, "b": 3, "c": 3}
