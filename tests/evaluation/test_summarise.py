"""The tables, from scores made up so that every figure can be worked out by hand."""

import json
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

from trex.common import files
from trex.common.statistics import wilson
from trex.evaluation import summarise
from trex.evaluation.score import COLUMNS


def row(number: int, passed: bool, **changes) -> dict:
    values = {
        "item_id": f"item-{number}",
        "category": "word",
        "mode": "DP",
        "family": "mix",
        "difficulty": "easy",
        "criterion": "objective",
        "executed": True,
        "structure_right": passed,
        "passed": passed,
        "passed_abs": passed,
        "passed_rel": passed,
        "objective_value": 1.0,
        "expected": 1.0,
        "failure_class": "passed" if passed else "wrong_objective",
        "detail": "",
        "isolation": "namespaces",
    }
    return values | changes


def own_scores(passing: set[int]) -> list[dict]:
    """Ten items: 0-5 word (easy, of which 5 passes relatively only), 6-9 build (hard, by structure)."""
    words = [row(n, n in passing, passed_abs=n in passing and n != 5) for n in range(6)]
    build = {"category": "build", "difficulty": "hard", "criterion": "structure"}
    return words + [
        row(n, n in passing, **build, executed=n != 9, failure_class="passed" if n in passing else "wrong_structure")
        for n in range(6, 10)
    ]


SCORES = {
    ("sft", "own"): own_scores({0, 1, 5, 6}),
    ("cpt_sft", "own"): own_scores({0, 1, 2, 3, 4, 5, 6, 7}),
    ("sft", "nl4opt"): [row(n, n == 0, structure_right=None, difficulty="unlabelled") for n in range(3)],
    ("cpt_sft", "nl4opt"): [row(n, n == 1, structure_right=None, difficulty="unlabelled") for n in range(3)],
}


def loss(value: float, easy: float, retention: float) -> dict:
    groups = {"all": value, "easy": easy}
    answers = {name: {"loss": number, "n": 10, "n_tokens": 100} for name, number in groups.items()}
    return {"answer_loss": answers | {"too_long": 0}, "retention": {"loss": retention, "n": 5, "n_tokens": 500}}


LOSSES = {("sft", "own"): loss(1.5, 1.25, 3.5), ("cpt_sft", "own"): loss(0.5, 0.25, 3.75)}


def table(name: str, rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=summarise.COLUMNS[name].split())


def test_pass_at_1():
    frame = table("pass_at_1", summarise.pass_at_1(SCORES))
    own = frame[(frame.arm == "sft") & (frame.suite == "own")]
    assert own[["category", "criterion", "n", "passed"]].values.tolist() == [
        ["all", "by_item", 10, 4],
        ["word", "objective", 6, 3],
        ["build", "structure", 4, 1],
        ["all", "objective_abs", 6, 2],
    ]
    assert own.iloc[0][["pass_at_1", "ci_low", "ci_high"]].tolist() == [0.4, *wilson(4, 10)]
    public = frame[(frame.arm == "sft") & (frame.suite == "nl4opt")]
    assert public[["category", "criterion", "labels", "n"]].values.tolist() == [
        ["all", "objective", "as published", 3],
        ["all", "objective_abs", "as published", 3],
    ]
    assert set(own["labels"]) == {"own"}
    assert set(frame["protocol"]) == {"greedy"} and set(frame["shots"]) == {0}


def test_comparisons_are_paired_and_corrected_together():
    frame = table("comparisons", summarise.comparisons(SCORES))
    assert frame[["arm_a", "arm_b", "suite", "criterion", "n", "only_a", "only_b"]].values.tolist() == [
        ["cpt_sft", "sft", "own", "by_item", 10, 4, 0],
        ["cpt_sft", "sft", "nl4opt", "objective", 3, 1, 1],
    ]
    assert frame["difference"].tolist() == [0.4, 0.0]
    assert frame["p_value"].tolist() == pytest.approx([2 * 0.5**4, 1.0])
    assert frame["p_holm"].tolist() == pytest.approx([2 * 2 * 0.5**4, 1.0])
    assert (frame["ci_low"] <= frame["difference"]).all() and (frame["difference"] <= frame["ci_high"]).all()


def test_only_common_items_are_compared():
    scores = {("a", "own"): [row(0, True), row(1, True)], ("b", "own"): [row(1, False), row(2, True)]}
    (found,) = summarise.comparisons(scores)
    assert found[:7] == ("b", "a", "own", "objective", 1, 0, 1)


def test_diagnostics():
    frame = table("diagnostics", summarise.diagnostics(SCORES, LOSSES))
    own = frame[(frame.arm == "sft") & (frame.suite == "own")].reset_index()
    assert own["difficulty"].tolist() == ["all", "easy", "hard"]
    assert own["n"].tolist() == [10, 6, 4]
    assert own["executed"].tolist() == [0.9, 1.0, 0.75]
    assert own["answer_loss"].tolist()[:2] == [1.5, 1.25] and pd.isna(own["answer_loss"][2])
    assert own.iloc[0][["passed_low", "passed_high"]].tolist() == list(wilson(4, 10))
    public = frame[frame.suite == "nl4opt"]
    assert public["difficulty"].tolist() == ["all", "all"]
    assert public[["structure_right", "answer_loss"]].isna().all(axis=None)


def test_retention_has_a_row_an_arm():
    frame = table("retention", summarise.retention(LOSSES))
    assert frame.values.tolist() == [
        ["sft", "general_validation", 500, 3.5],
        ["cpt_sft", "general_validation", 500, 3.75],
    ]


def test_failures_add_up():
    frame = table("failures", summarise.failures(SCORES))
    assert frame.groupby(["arm", "suite"])["n"].sum().tolist() == [3, 10, 3, 10]
    own = frame[(frame.arm == "sft") & (frame.suite == "own")]
    assert dict(zip(own["failure_class"], own["n"], strict=True)) == {
        "wrong_objective": 3,
        "wrong_structure": 3,
        "passed": 4,
    }


def test_command(tmp_path):
    command = [sys.executable, "-m", "trex.evaluation.summarise"]
    for option, name, known in (("--scores", "scores.parquet", SCORES), ("--losses", "answer_loss.json", LOSSES)):
        command.append(option)
        for (arm, suite), value in known.items():
            path = tmp_path / "evaluation" / arm / suite / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if option == "--scores":
                files.write_parquet(path, pa.Table.from_pylist(value, schema=COLUMNS), {})
            else:
                path.write_text(json.dumps(value))
            command.append(str(path))
    for name in summarise.COLUMNS:
        command += [f"--{name.replace('_', '-')}", str(tmp_path / f"{name}.csv")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("summary: 4 score files") and ran.stdout.count("\n") == 1
    for name, columns in summarise.COLUMNS.items():
        assert files.read_csv(tmp_path / f"{name}.csv").columns.tolist() == columns.split()
        assert (tmp_path / f"{name}.csv.meta.json").exists()
    expected = table("pass_at_1", summarise.pass_at_1(SCORES))
    pd.testing.assert_frame_equal(files.read_csv(tmp_path / "pass_at_1.csv"), expected, check_dtype=False)


def test_the_same_arm_and_suite_twice_is_refused(tmp_path):
    path = tmp_path / "sft" / "own" / "scores.parquet"
    path.parent.mkdir(parents=True)
    files.write_parquet(path, pa.Table.from_pylist(SCORES["sft", "own"], schema=COLUMNS), {})
    command = [sys.executable, "-m", "trex.evaluation.summarise", "--scores", str(path), str(path)]
    for name in summarise.COLUMNS:
        command += [f"--{name.replace('_', '-')}", str(tmp_path / f"{name}.csv")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, "same arm and suite" in ran.stderr) == (2, True)
