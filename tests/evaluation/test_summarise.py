"""The tables, from scores made up so that every figure can be worked out by hand."""

import json
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest
from tests.evaluation.score_rows import public_row, row

from trex.common import files
from trex.common.errors import UserError
from trex.common.statistics import wilson
from trex.evaluation import paired, summarise
from trex.evaluation.floors import FLOORS


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
    ("sft", "nl4opt"): [public_row(n, n == 0) for n in range(3)],
    ("cpt_sft", "nl4opt"): [public_row(n, n == 1) for n in range(3)],
}


def loss(value: float, easy: float, retention: float) -> dict:
    groups = {"all": value, "easy": easy}
    answers = {name: {"loss": number, "n": 10, "n_tokens": 100} for name, number in groups.items()}
    return {"answer_loss": answers | {"too_long": 0}, "retention": {"loss": retention, "n": 5, "n_tokens": 500}}


LOSSES = {("sft", "own"): loss(1.5, 1.25, 3.5), ("cpt_sft", "own"): loss(0.5, 0.25, 3.75)}


def table(name: str, rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=summarise.COLUMNS[name].split(), dtype=object)


def test_pass_at_1():
    frame = table("pass_at_1", summarise.pass_at_1(SCORES))
    own = frame[(frame.arm == "sft") & (frame.suite == "own")]
    assert own[["category", "criterion", "n", "passed"]].values.tolist() == [
        ["all", "by_item", 10, 4],
        ["all", "objective_rel", 6, 3],
        ["all", "objective_abs", 6, 2],
        ["all", "structure", 10, 4],
        ["all", "structure_or_equivalent", 10, 4],
        ["word", "objective_rel", 6, 3],
        ["build", "structure", 4, 1],
    ]
    assert own.iloc[0][["pass_at_1", "ci_low", "ci_high", "interval"]].tolist() == [0.4, *wilson(4, 10), "Wilson"]
    public = frame[(frame.arm == "sft") & (frame.suite == "nl4opt")]
    assert public[["category", "criterion", "labels", "n"]].values.tolist() == [
        ["all", "objective_rel", "as published", 3],
        ["all", "objective_abs", "as published", 3],
        ["all", "legacy", "as published", 3],
    ]
    assert set(own["labels"]) == {"own"}
    assert set(frame["protocol"]) == {"greedy, 512 tokens"} and set(frame["shots"]) == {0}


def test_a_public_set_of_any_name_is_public_for_all_arms():
    """One of the user's own YAML file; and where one arm's scores do not show it, another's do."""
    scores = {("a", "sets/mine.yaml"): [public_row(1, True)], ("b", "sets/mine.yaml"): [row(1, True)]}
    assert {found[6] for found in summarise.pass_at_1(scores)} == {"as published"}


def test_views_stand_beside_the_full_set():
    rows = [public_row(1, True), public_row(2, False, known_bad="label"), public_row(3, False, failure_class="api")]
    frame = table("pass_at_1", summarise.pass_at_1({("a", "nl4opt"): rows}))
    deciding = frame[frame["criterion"] == "objective_rel"]
    assert deciding[["category", "labels", "n", "passed"]].values.tolist() == [
        ["all", "as published", 3, 1],
        ["all", "answered", 2, 1],
        ["all", "without known-bad", 2, 1],
    ]


def test_pass_at_k():
    attempts = [row(n, attempt >= n, attempt) for n in range(1, 3) for attempt in range(3)]
    frame = table("pass_at_k", summarise.pass_at_k({("a", "own"): attempts}))
    assert frame[["arm", "suite", "criterion", "k", "n", "attempts", "acc_at_k"]].values.tolist() == [
        ["a", "own", "objective_rel", 1, 2, 3, 0.0],
        ["a", "own", "objective_rel", 2, 2, 3, 0.5],
    ]
    assert frame["pass_at_k"].tolist() == pytest.approx([1 / 2, (1 + 2 / 3) / 2])


def test_comparisons_are_paired_and_each_kind_of_suite_is_corrected_together():
    scores = SCORES | {(arm, "other"): rows for (arm, suite), rows in SCORES.items() if suite == "own"}
    frame = table("comparisons", summarise.comparisons(scores))
    assert frame[["arm_a", "arm_b", "suite", "criterion", "n", "only_a", "only_b"]].values.tolist() == [
        ["cpt_sft", "sft", "own", "by_item", 10, 4, 0],
        ["cpt_sft", "sft", "nl4opt", "objective_rel", 3, 1, 1],
        ["cpt_sft", "sft", "other", "by_item", 10, 4, 0],
    ]
    assert frame["difference"].tolist() == [0.4, 0.0, 0.4]
    assert frame["p_value"].tolist() == pytest.approx([2 * 0.5**4, 1.0, 2 * 0.5**4])
    assert frame["p_holm"].tolist() == pytest.approx([2 * 2 * 0.5**4, 1.0, 2 * 2 * 0.5**4])
    assert set(frame["test"]) == {"exact McNemar"}
    assert (frame["ci_low"] <= frame["difference"]).all() and (frame["difference"] <= frame["ci_high"]).all()
    assert 0.4 < frame["detectable"][0] < 1 and pd.isna(frame["detectable"][1])


def test_arms_are_compared_with_the_slot_filler_and_corrected_apart():
    own = {(arm, suite): rows for (arm, suite), rows in SCORES.items() if suite == "own"}
    floors = {(name, "own"): [row(n, n < 3) for n in range(10)] for name in FLOORS}
    frame = table("comparisons", summarise.comparisons(own | floors))
    assert frame[["arm_a", "arm_b"]].values.tolist() == [
        ["cpt_sft", "sft"],
        ["sft", "slot_filler"],
        ["cpt_sft", "slot_filler"],
    ]
    (alone,) = summarise.comparisons(own)
    assert frame["p_holm"][0] == frame["p_value"][0] == alone[list(frame).index("p_holm")]
    assert frame["p_holm"][1:].tolist() == pytest.approx(paired.holm(frame["p_value"][1:].tolist()))


def test_only_items_that_both_answered_are_compared():
    lost = {"failure_class": "api"}
    scores = {
        ("a", "own"): [row(0, True), row(1, True), row(3, False, failure_class="unanswered"), row(4, True)],
        ("b", "own"): [row(1, False), row(2, True), row(3, True), row(4, False, **lost), row(4, True, 1)],
        ("c", "own"): [row(1, False, **lost)],
        ("d", "another"): [row(1, True)],
    }
    (found,) = summarise.comparisons(scores)
    assert found[:7] == ("b", "a", "own", "objective_rel", 2, 0, 1)


def test_pairs_are_compared_by_clusters():
    scores = {
        (arm, "bench4opt"): [public_row(n, n < passing, cluster=str(n // 2)) for n in range(20)]
        for arm, passing in (("a", 4), ("b", 16))
    }
    (found,) = summarise.comparisons(scores)
    assert found[4:7] == (20, 12, 0)
    assert found[10] == pytest.approx(2 * 0.5**6) and found[12] == "exact sign-flip over clusters"


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
    assert own[["failure_class", "family", "n"]].values.tolist() == [
        ["wrong_structure", "structural", 3],
        ["wrong_objective", "other", 3],
        ["passed", None, 4],
    ]


def run(tmp_path, *paths) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "trex.evaluation.summarise", "--out", tmp_path / "tables", *paths]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def write_scores(tmp_path, arm: str, suite: str, rows: list[dict]):
    path = tmp_path / "evaluation" / arm / suite / "scores.parquet"
    files.write_parquet(path, pa.Table.from_pylist(rows), {})
    return path


def test_command(tmp_path):
    scores = SCORES | {
        ("outside", "nl4opt"): [public_row(n, attempt == n, attempt) for n in range(3) for attempt in (0, 1)]
    }
    paths = ["--scores", *(write_scores(tmp_path, *name, rows) for name, rows in scores.items()), "--losses"]
    for (arm, suite), value in LOSSES.items():
        paths.append(tmp_path / "evaluation" / arm / suite / "answer_loss.json")
        paths[-1].write_text(json.dumps(value))
    ran = run(tmp_path, *paths)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("summary: 5 score files") and ran.stdout.count("\n") == 1
    for name, frame in summarise.tables(scores, LOSSES).items():
        path = tmp_path / "tables" / f"{name}.csv"
        assert path.read_text() == frame.to_csv(index=False) and len(frame)
        assert path.with_name(f"{name}.csv.meta.json").exists()
    assert 'by_item,"greedy, 512 tokens",0,own,10,4,0.4,' in (tmp_path / "tables/pass_at_1.csv").read_text()


def test_the_same_arm_and_suite_twice_is_refused(tmp_path):
    path = write_scores(tmp_path, "sft", "own", SCORES["sft", "own"])
    ran = run(tmp_path, "--scores", path, path)
    assert (ran.returncode, "same arm and suite" in ran.stderr) == (2, True)


def test_scores_of_another_form_are_refused_in_one_line(tmp_path):
    path = write_scores(tmp_path, "sft", "own", [{"item_id": "item-1", "passed": True}])
    ran = run(tmp_path, "--scores", path)
    assert (ran.returncode, ran.stderr.count("\n"), str(path) in ran.stderr) == (2, 1, True)
    assert "make it again" in ran.stderr and not (tmp_path / "tables").exists()


def test_other_problems_under_one_name_are_not_compared():
    scores = {("a", "mine"): [row(0, True)], ("b", "mine"): [row(0, True) | {"sha256": "of another"}]}
    with pytest.raises(UserError, match="mine: item-0 is another problem for b than for a"):
        summarise.check_items(scores)
