"""Responses that somebody else made, taken over with their items' ids and digests, and with how they were asked for."""

import json
import subprocess
import sys

import pytest

from trex.benchmarks.item import write_suite
from trex.common import files
from trex.evaluation import protocol


@pytest.fixture
def collect(items, tmp_path):
    write_suite(tmp_path / "own.parquet", items, {})
    command = [sys.executable, "-m", "trex.evaluation.collect", "--suite", tmp_path / "own.parquet"]
    command += ["--responses", tmp_path / "theirs.jsonl", "--out", tmp_path / "out/responses.jsonl"]

    def run(*rows: dict):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "theirs.jsonl").write_text(text, encoding="utf-8")
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    return run


def test_rows_get_full_ids_and_digests_in_the_items_order(collect, items, tmp_path):
    done = collect(
        {"id": "own/6", "response": "six"},
        {"id": 0, "response": "", "finish": "api", "detail": "HTTP 500", "usage": {"tokens": 3}},
        {"id": "6", "response": "six again", "sha256": items[6].sha256, "finish": "length"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("collected: 3 responses to 2 of 7 items") and done.stdout.count("\n") == 1
    assert files.read_jsonl(tmp_path / "out/responses.jsonl") == [
        {"id": "own/0", "sha256": items[0].sha256, "response": "", "finish": "api", "detail": "HTTP 500"},
        {"id": "own/6", "sha256": items[6].sha256, "response": "six", "finish": "stop"},
        {"id": "own/6", "sha256": items[6].sha256, "response": "six again", "finish": "length"},
    ]
    assert protocol.beside(tmp_path / "out/responses.jsonl") == protocol.Protocol()


def test_the_protocol_is_taken_over(collect, tmp_path):
    asked = {"model": "theirs", "samples": 1, "temperature": 0.6, "seed": 42}
    files.write_json(tmp_path / "theirs.jsonl.meta.json", {"protocol": asked}, {})
    assert collect({"id": 0, "response": "x"}).returncode == 0
    assert protocol.beside(tmp_path / "out/responses.jsonl") == protocol.Protocol(**asked)


def test_what_is_collected_is_collected_again_unchanged(collect, tmp_path):
    assert collect({"id": 3, "response": "x"}).returncode == 0
    (row,) = rows = files.read_jsonl(tmp_path / "out/responses.jsonl")
    assert collect(row).returncode == 0
    assert files.read_jsonl(tmp_path / "out/responses.jsonl") == rows


@pytest.mark.parametrize(
    "row", [{"id": "nl4opt/3", "response": "x"}, {"id": 0}, {"id": 0, "response": "", "sha256": "0"}]
)
def test_a_row_that_answers_nothing_is_one_clear_line(collect, row, tmp_path):
    done = collect({"id": 1, "response": "x"}, row)
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert "theirs.jsonl, line 2:" in done.stderr and done.stderr.count("\n") == 1
