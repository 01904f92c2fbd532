"""Our own notes: their code runs and prints what they say."""

import ast
import contextlib
import io
import re
import tomllib
from pathlib import Path

import pytest
from ortools.math_opt.python import mathopt

from trex.corpus import notes

NOTES = {notes.name(path): path for path in notes.paths()}
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def text(name):
    return NOTES[name].read_text(encoding="utf-8")


def said(code):
    """The comments behind calls of `print`, in their order."""
    return re.findall(r"^ *print\(.*\)  # (.*)$", code, re.MULTILINE)


def test_there_are_enough():
    assert len(NOTES) >= 24
    assert len({text(name).split("\n")[0] for name in NOTES}) == len(NOTES)


@pytest.mark.parametrize("name", NOTES)
def test_it_has_a_title_prose_and_code(name):
    note = text(name)
    assert re.match(r"# [A-Z].*[^.]\n\n", note)
    assert 120 <= len(note.split()) <= 350
    assert len(BLOCK.findall(note)) >= 1
    assert len(BLOCK.sub("", note).split()) >= 80


@pytest.mark.parametrize("name", NOTES)
def test_its_code_runs_and_prints_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(text(name))
    names = {}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)
        assert printed.getvalue().splitlines() == said(block)
    calls = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    assert sum(getattr(call.func, "id", "") == "print" for call in calls) == sum(len(said(block)) for block in blocks)
    models = [value for value in names.values() if isinstance(value, mathopt.Model)]
    results = [value for value in names.values() if isinstance(value, mathopt.SolveResult)]
    assert models or "value" in names
    for model in models:
        assert model.get_num_variables() > 0
    for result in results:
        assert result.termination.reason == mathopt.TerminationReason.OPTIMAL


def test_a_bucket_brings_its_notes():
    general = notes.read([])
    assert "big_m" in general and not any("/" in name for name in general)
    assert set(notes.read(["routing"])) - set(general) == {"routing/one_round_trip"}


def test_they_are_package_data():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["trex.corpus.notes"]
    assert {path for pattern in patterns for path in notes.FOLDER.glob(pattern)} == set(notes.paths())
