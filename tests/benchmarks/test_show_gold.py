"""What is said of a set before it is scored, and its own code as responses."""

import json
import sys

import pytest

from trex.benchmarks import gold, registry, show
from trex.common import cli
from trex.evaluation.responses import Responses
from trex.execution import extraction


@pytest.fixture
def run(monkeypatch, capsys):
    """A function that runs a step's main: (exit code, what it said)."""

    def call(main, *arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["step", *map(str, arguments)])
        try:
            cli.run(main)
            code = 0
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def test_all_known_sets_are_listed(run):
    code, said = run(show.main, "--all")
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == sorted(registry.BENCHMARKS)


def test_a_set_is_shown_before_it_is_scored(run, write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(32), record_of(33), record_of(34, id="34"), record_of(36)])
    code, said = run(show.main, "bench4opt", "--data", tmp_path)
    benchmark = registry.BENCHMARKS["bench4opt"]
    told = [benchmark.version, benchmark.source, benchmark.licence, benchmark.label_quality, benchmark.scoring.rule]
    assert code == 0
    assert [text for text in [*told, benchmark.digest(tmp_path)] if text not in said] == []
    assert "records:           3 in 2 clusters" in said
    assert "malformed:         1; the set is refused" in said
    assert "malformed: row 2 (id 34): id is not BENCH4OPT_<number>" in said
    assert "known bad:         1" in said and "known bad: bench4opt/32: reference code" in said


@pytest.mark.parametrize("arguments", [(), ("nl4opt",), ("--data", "x"), ("nl4opt", "--data", "x", "--all")])
def test_what_to_show_must_be_said(run, arguments):
    code, said = run(show.main, *arguments)
    assert code == 2 and "--all alone" in said


def test_gold_code_can_be_scored_like_a_models_answers(run, write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(0), record_of(1, reference_code="# ünïcode\nx = 1")])
    code, said = run(gold.main, "bench4opt", "--data", tmp_path, "--out", tmp_path / "responses.jsonl")
    assert code == 0 and "2 responses" in said
    items = registry.load("bench4opt", tmp_path)
    responses = Responses(tmp_path / "responses.jsonl", items)
    assert [[extraction.code(response.text) for response in responses.of(item)] for item in items] == [
        [item.answer] for item in items
    ]
    inputs = json.loads((tmp_path / "responses.jsonl.meta.json").read_text(encoding="utf-8"))["provenance"]["inputs"]
    assert len(inputs) == 5


def test_a_set_without_reference_code_has_no_gold(run, write_index, tmp_path):
    write_index(tmp_path / "OptiBench.json", [{"en_question": "How many?", "en_answer": 1}])
    code, said = run(gold.main, "optibench", "--data", tmp_path, "--out", tmp_path / "responses.jsonl")
    assert code == 2 and "1 of 1 items have no reference code (optibench/0 first)" in said
    assert not (tmp_path / "responses.jsonl").exists()


@pytest.mark.parametrize("name", ["bench4opt", "bench4opt_feasible"])
def test_gold_code_of_the_real_sets_is_taken_out_again(shared, name):
    items = registry.load(name, shared)
    assert all(extraction.code(gold.row_of(item)["response"]) == item.answer for item in items)
