"""What every family must do, tested for whatever files stand in the folder."""

import ast
import json
import random
import re

import pytest

from trex.execution.dialects import mathopt
from trex.problems import families, verify, wording
from trex.problems.comparison import canonical
from trex.problems.family import DIFFICULTIES
from trex.problems.mathopt_code import row_by_row_formulation

CASES = [(name, difficulty) for name in families.names() for difficulty in DIFFICULTIES]
DRAWS = 6
# An option of the data, and its two values: the text must tell them apart.
OPTIONS = [
    ("product_mix", "integer", (True, False)),
    ("blending", "integer", (True, False)),
    ("blending", "total_is", ("exactly", "at most")),
    ("transportation", "integer", (True, False)),
    ("transportation", "demand_is", ("exactly", "at least")),
    ("assignment", "sense", ("min", "max")),
    ("knapsack", "copies", (True, False)),
    ("facility_location", "demand_is", ("exactly", "at least")),
]


def executed(statement, folder, monkeypatch):
    """The model that the reference code builds. Our own templates wrote it, so it may run in this process."""
    if statement.data_file is not None:
        (folder / "data.json").write_text(statement.data_file, encoding="utf-8")
    monkeypatch.chdir(folder)
    names = {}
    exec(statement.code, names)
    return mathopt.to_ir(names["m"])


def numbers(text):
    return [int(digits) for digits in re.findall(r"\d+", text)]


def literals(code):
    """All numbers that the code's data lines hold, in order."""
    values = []
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.List):
            if isinstance(node.value, ast.List) and any(isinstance(part, ast.ListComp) for part in node.value.elts):
                continue
            values.extend(numbers(ast.unparse(node.value)))
    return values


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(value in rest for value in part)


@pytest.mark.parametrize(("name", "difficulty"), CASES)
@pytest.mark.parametrize("mode", wording.MODES)
def test_the_code_builds_the_model_of_the_instance(name, difficulty, mode, tmp_path, monkeypatch):
    family = families.load(name)
    for number in range(DRAWS):
        rng = random.Random(f"{name} {difficulty} {mode} {number}")
        data = family.draw(rng, difficulty)
        statement = wording.state(family, data, mode, difficulty, rng)
        assert canonical.isomorphic(executed(statement, tmp_path, monkeypatch), family.model(data)), statement.code


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_the_code_copies_the_numbers_in_the_order_of_the_text(name, difficulty):
    family = families.load(name)
    for number in range(DRAWS):
        for mode in ("DP", "DT"):
            rng = random.Random(f"{name} {difficulty} {mode} {number}")
            data = family.draw(rng, difficulty)
            statement = wording.state(family, data, mode, difficulty, rng)
            copied, told = literals(statement.code), numbers(statement.problem)
            assert copied
            assert "\n".join(statement.data_code) in statement.code
            assert is_subsequence(numbers(statement.data_text), told)
            if difficulty == "hard" and mode == "DT":  # its tables may have items as rows
                assert all(copied.count(value) <= told.count(value) for value in copied)
            else:
                assert is_subsequence(copied, numbers(statement.data_text)), statement.problem


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_a_data_file_holds_the_numbers_and_the_text_its_keys(name, difficulty):
    family = families.load(name)
    for number in range(DRAWS):
        rng = random.Random(f"{name} {difficulty} {number}")
        data = family.draw(rng, difficulty)
        statement = wording.state(family, data, "DPS", difficulty, rng)
        keys = list(json.loads(statement.data_file))
        assert re.findall(r'"(\w+)" \(', statement.problem) == keys
        assert re.findall(r'data\["(\w+)"\]', statement.code) == keys
        assert literals(statement.code) == []


@pytest.mark.parametrize("name", families.names())
def test_a_text_without_numbers_has_one_answer(name):
    """In DPS the prompt alone decides the code."""
    family, answers = families.load(name), {}
    for number in range(300):
        rng = random.Random(f"{name} {number}")
        statement = wording.state(family, family.draw(rng, "easy"), "DPS", "easy", rng)
        assert answers.setdefault(statement.problem, statement.code) == statement.code


@pytest.mark.parametrize(("name", "option", "values"), OPTIONS)
@pytest.mark.parametrize("mode", wording.MODES)
def test_the_text_tells_an_option(name, option, values, mode):
    family = families.load(name)
    drawn = (family.draw(random.Random(f"{name} {number}"), "medium") for number in range(100))
    data = next(data for data in drawn if data[option] is not None)
    problems, codes = set(), set()
    for value in values:
        statement = wording.state(family, data | {option: value}, mode, "easy", random.Random(1))
        problems.add(statement.problem)
        codes.add(statement.code)
    assert len(problems) == len(codes) == 2


@pytest.mark.parametrize("name", families.names())
def test_word_problems_build_the_same_model_row_by_row(name, tmp_path, monkeypatch):
    family = families.load(name)
    for number in range(10):
        for difficulty in DIFFICULTIES:
            rng = random.Random(f"{name} {difficulty} {number}")
            data = family.draw(rng, difficulty)
            statement = wording.state_word(family, data, difficulty, rng)
            if statement is None:
                continue
            model = family.model(data)
            assert canonical.isomorphic(executed(statement, tmp_path, monkeypatch), model), statement.code
            written = statement.code.partition("lb=0)\nm.")[2]
            assert is_subsequence(numbers(written), numbers(statement.problem)), statement.problem
            assert len(row_by_row_formulation(model)) == len(model.rows) + 2


def test_some_families_have_word_problems():
    found = [name for name in families.names() if has_word(families.load(name))]
    assert len(found) >= 3


def has_word(family):
    rng = random.Random(1)
    return wording.state_word(family, family.draw(rng, "easy"), "easy", rng) is not None


@pytest.mark.parametrize("name", families.names())
def test_difficulty_changes_the_size(name):
    family = families.load(name)
    mean = {}
    for difficulty in DIFFICULTIES:
        rng = random.Random(f"{name} {difficulty}")
        models = [family.model(family.draw(rng, difficulty)) for _ in range(40)]
        mean[difficulty] = sum(len(model.variables) for model in models) / len(models)
    assert mean["easy"] < mean["medium"] < mean["hard"]


@pytest.mark.parametrize("name", families.names())
def test_most_draws_are_accepted(name):
    family = families.load(name)
    rng = random.Random(name)
    verdicts = [verify.verify(family.model(family.draw(rng, difficulty))) for difficulty in DIFFICULTIES * 5]
    accepted = sum(verdict.reason == verify.ACCEPTED for verdict in verdicts)
    assert accepted > len(verdicts) / 2, [verdict.reason for verdict in verdicts]


def test_names_and_buckets():
    loaded = [families.load(name) for name in families.names()]
    assert [family.name for family in loaded] == list(families.names())
    assert len(loaded) >= 9
    assert len({family.bucket for family in loaded}) >= 9
