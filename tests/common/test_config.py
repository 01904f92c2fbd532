"""The check of the configuration; tests/pipeline asks for the same through the real command."""

import argparse
import json

import pytest

from trex.common import config

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "run": {"type": "string", "pattern": "^[a-z]+$", "default": "mini"},
        "threads": {"type": "integer", "minimum": 1, "default": 2},
        "training": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {
                "learning_rate": {"type": "number", "default": 1e-3},
                "optimizer": {"enum": ["adamw", "muon"], "default": "adamw"},
                "data": {"type": ["string", "null"], "default": None},
                "ratios": {"type": "array", "items": {"type": "integer"}, "default": [0, 4]},
            },
        },
        "models": {
            "type": "object",
            "propertyNames": {"pattern": "^[a-z]+$"},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["address"],
                "properties": {"address": {"type": "string"}, "tries": {"type": "integer", "default": 3}},
            },
            "default": {},
        },
    },
}


@pytest.fixture
def resolve(tmp_path, monkeypatch, capsys):
    """Resolve YAML texts laid over each other; returns the config, or the lines of its errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))

    def call(*texts, options=None):
        merged, sources = {}, []
        for number, text in enumerate(texts):
            sources.append(tmp_path / f"{number}.yaml")
            sources[-1].write_text(text, encoding="utf-8")
            if not config.read(sources[-1])[1]:
                merged |= config.yaml.safe_load(text)
        merged |= options or {}
        try:
            return config.resolve_or_exit(merged, sources, options or {}, "schema.json")
        except SystemExit as stop:
            assert stop.code == 2
            header, *lines, footer = capsys.readouterr().err.splitlines()
            assert f"{len(lines)} error" in header and "config/README.md" in footer
            return [line.strip() for line in lines]

    return call


def test_defaults_fill_what_is_left_out(resolve):
    assert resolve("training: {learning_rate: 5}") == {
        "run": "mini",
        "threads": 2,
        "training": {"learning_rate": 5, "optimizer": "adamw", "data": None, "ratios": [0, 4]},
        "models": {},
    }
    assert resolve("{}") == resolve("training: {}")


def test_filled_defaults_are_not_shared(resolve):
    resolve("{}")["training"]["ratios"].append(1)
    assert resolve("{}")["training"]["ratios"] == [0, 4]


def test_names_that_the_user_chooses(resolve):
    assert resolve("models: {mine: {address: a}}")["models"] == {"mine": {"address": "a", "tries": 3}}
    assert resolve("models:\n  mine: {tries: x}\n  Mine: {address: a, trys: 1}\n") == [
        'models (0.yaml, line 1): "Mine" is not allowed; allowed: text that matches ^[a-z]+$',
        "models.Mine.trys (0.yaml, line 3): unknown key (its value: 1); allowed: address, tries; did you mean tries?",
        "models.mine (0.yaml, line 2): 'address' is a required property; add it",
        'models.mine.tries (0.yaml, line 2): "x" is text; allowed: an integer',
    ]
    (line,) = resolve("tries: 3")
    assert line.endswith("it belongs at models.NAME.tries")


def test_all_errors_come_at_once_each_with_place_value_and_what_is_allowed(resolve):
    text = "run: Mini\nthreads: 0\ntraining:\n  optimiser: adamw\n  optimizer: adam\n  ratios: [1, x]\n"
    assert resolve(text) == [
        'run (0.yaml, line 1): "Mini" is not allowed; allowed: text that matches ^[a-z]+$',
        "threads (0.yaml, line 2): 0 is not allowed: 0 is less than the minimum of 1",
        'training.optimiser (0.yaml, line 4): unknown key (its value: "adamw"); allowed: learning_rate, optimizer, '
        "data, ratios; did you mean optimizer?",
        'training.optimizer (0.yaml, line 5): "adam" is not allowed; allowed: adamw, muon; did you mean adamw?',
        'training.ratios.1 (0.yaml, line 6): "x" is text; allowed: an integer',
    ]


def test_a_key_in_the_wrong_section_is_told_its_place(resolve):
    (line,) = resolve("learning_rate: 1.0e-3")
    assert line.endswith("it belongs at training.learning_rate")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("training: {learning_rate: 1e-3}", "YAML reads 1e-3 as text: write 1.0e-03"),
        ('training: {learning_rate: "0.5"}', "write 0.5 unquoted"),
        ("training: {learning_rate: .nan}", "NaN is not a finite number; allowed: a number"),
        ("training: {learning_rate: true}", "true is true or false; allowed: a number"),
        ("threads: 2.0", "write 2"),
        ("threads: yes", "YAML reads yes as true"),
        ("run: no", "YAML reads no as false: put it in quotes"),
        ("run: 3.10", 'YAML reads 3.10 as the number 3.1: put it in quotes ("3.10")'),
        ("run: 2026-11-30", "is no plain value; allowed: text"),
        ("training:", "null is null; allowed: a section"),
        ("training: {data: 3}", "3 is an integer; allowed: text or null"),
        ("1: x", "1 (0.yaml, line 1): unknown key"),
    ],
)
def test_what_yaml_makes_of_a_value_is_explained(resolve, text, hint):
    (line,) = resolve(text)
    assert hint in line


def test_a_key_given_twice_is_an_error_in_any_file_and_section(resolve):
    lines = resolve("threads: 1\n", "training:\n  data: a\n  data: b\nthreads: 3\n")
    assert lines == ["training.data (1.yaml, line 3): given twice (1.yaml, line 2); remove one"]


def test_values_of_the_command_line_are_named_as_such(resolve):
    lines = resolve("threads: 3", options={"threads": -1, "training": {"data": 3}})
    assert [line.split(":")[0] for line in lines] == ["threads (--config)", "training.data (--config)"]


@pytest.mark.parametrize("text", ["", "a: [", "a: b: c", "- a", "plain", "\tb: 1", "? [a]\n: b"])
def test_what_is_no_yaml_section_is_one_error(resolve, text):
    (line,) = resolve(text)
    assert line.startswith("0.yaml: ")


def test_an_unreadable_file_is_an_error(tmp_path):
    assert "cannot be read" in config.read(tmp_path / "absent.yaml")[1][0]
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff")
    assert "cannot be read" in config.read(tmp_path / "latin.yaml")[1][0]


def test_the_written_config_names_no_folder_of_this_machine():
    given = {"run": "mini", "benchmarks": {"a": "/home/somebody/sets/A", "b": "sets/B", "c": None}, "sizes": [1, "/x"]}
    assert config.portable(given) == {
        "run": "mini",
        "benchmarks": {"a": "A", "b": "sets/B", "c": None},
        "sizes": [1, "x"],
    }


def test_settings_of_a_step_are_checked_by_the_schema():
    settings = config.section("corpus")
    assert settings('{"sft_samples": 5}') == {"sft_samples": 5}
    assert settings('{"config": {"run": "a", "corpus": {"sft_samples": 5}}}') == {"sft_samples": 5}
    for wrong in ('{"sft_samples": -5}', '{"sft_samples": "x"}', '{"cpt_mix": {"report": -1}}', '{"samples": 1}'):
        with pytest.raises(argparse.ArgumentTypeError, match=r"^corpus\."):
            settings(wrong)
