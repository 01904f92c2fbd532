"""The gate by execution: right answers pass it, and every fault that it names is found."""

import dataclasses
import json
import random

import pytest

from trex.corpus import clean, samples
from trex.problems import families
from trex.problems.comparison import canonical
from trex.problems.verify import verify

SETTINGS = {
    "mixture": {"word": {"DP": 1}, "mixed": {"DP": 1, "DT": 1}, "solve": {"DPS": 1}},
    "answer_styles": {"code_only": 1, "math_model_with_code": 1, "math_model": 1},
    "reasoning": 1,
}


def made(name, number, **changed):
    family, rng = families.load(name), random.Random(f"{name} {number}")
    data = family.draw(rng, "small")
    model = family.model(data)
    instance = {
        "family": name,
        "difficulty": "small",
        "data": json.dumps(data),
        "model": json.dumps(model.to_json()),
        "objective_value": verify(model).objective,
        "certificate": canonical.certificate(model),
    }
    return samples.task(instance, SETTINGS | changed, rng)


@pytest.mark.parametrize("name", families.names())
def test_answers_of_every_family_pass(name):
    for number in range(6):
        task = made(name, number)
        if task.instance["objective_value"] is not None:
            assert clean.fault(task) is None, (task.answer, clean.unexplained(task))


@pytest.fixture
def task():
    return made(
        "knapsack",
        1,
        mixture={"mixed": {"DP": 1}},
        answer_styles={"code_only": 0, "math_model_with_code": 0, "math_model": 1},
    )


def with_code(task, old, new):
    assert old in task.statement.code
    statement = dataclasses.replace(task.statement, code=task.statement.code.replace(old, new))
    return dataclasses.replace(task, statement=statement)


def test_code_that_does_not_run(task):
    assert clean.fault(with_code(task, "m.maximize", "m.maximise")) == clean.CODE_FAILS
    assert clean.fault(with_code(task, "m = mathopt.Model()", "m = open('/etc/passwd')")) == clean.CODE_FAILS


def test_code_of_another_model(task):
    assert clean.fault(with_code(task, "m.maximize", "m.minimize")) == clean.OTHER_MODEL
    assert clean.fault(with_code(task, "<= b", "<= b + 1")) == clean.OTHER_MODEL


def test_an_optimum_that_is_not_the_solvers(task):
    for stated in ("Optimal value: 1.", "Solved, the optimal value is 1e3."):
        wrong = dataclasses.replace(task, answer=f"{task.answer}\n{stated}")
        assert clean.fault(wrong) == clean.WRONG_OPTIMUM


def test_a_number_from_nowhere(task):
    wrong = dataclasses.replace(task, reasoning=f"{task.reasoning}\nSo we save 98765.")
    assert clean.fault(wrong) == clean.UNEXPLAINED_NUMBER
    assert list(map(int, clean.unexplained(wrong))) == [98765]
    spelled = dataclasses.replace(task, reasoning="That makes nine hundred eighty-seven.")
    assert clean.fault(spelled) == clean.UNEXPLAINED_NUMBER


def test_the_numbers_and_sizes_of_data():
    assert set(clean.numbers_of({"a": [1, 2, 4], "b": [[5, 6]], "c": None, "d": "text"})) == {1, 2, 4, 3, 5, 6}


def test_the_data_file_is_read_under_any_name():
    task = made("knapsack", 2, mixture={"solve": {"DPS": 1}})
    assert clean.fault(task) is None
    renamed = with_code(task, '"data.json"', '"elsewhere.json"')
    assert clean.fault(renamed) is None
