"""What the sections take from a run: order of rows, the example's choice, the curves' means, the headlines."""

import dataclasses

import pytest

from trex.report import example, headlines, machine, results
from trex.report.load import load


@pytest.fixture(scope="module")
def run(pristine_run):
    return load(pristine_run)


def test_arms_stand_side_by_side(run):
    frame = results.ordered(run, run.tables["diagnostics"].sample(frac=1, random_state=1), "difficulty")
    assert frame["suite"].tolist() == ["in_distribution"] * 16 + ["heldout_family"] * 16
    assert frame["arm"].tolist() == ["base", "cpt", "sft", "cpt_sft"] * 8


def test_example_is_the_first_that_the_last_arm_passes(run):
    passed = {score["item_id"] for score in run.scores["cpt_sft"] if score["passed"]}
    chosen = example.example(run)
    assert chosen.item["item_id"] == next(item["item_id"] for item in run.items if item["item_id"] in passed)
    assert [answer.arm for answer in chosen.answers] == ["base", "CPT", "SFT", "CPT + SFT"]
    assert chosen.answers[-1].passed and chosen.answers[-1].outcome == "passed"


def test_example_where_nothing_passes_is_the_first_item(run):
    failed = {
        arm: [score | {"passed": False, "failure_class": "no_model"} for score in scores]
        for arm, scores in run.scores.items()
    }
    chosen = example.example(dataclasses.replace(run, scores=failed))
    assert chosen.item["item_id"] == run.items[0]["item_id"]
    assert {answer.outcome for answer in chosen.answers} == {"no model"}


@pytest.mark.parametrize(("steps", "points"), [(3, 3), (100, 100), (250, 84), (1001, 91)])
def test_curves_are_means_of_equal_stretches(steps, points):
    records = [{"tokens": 1e6 * step, "loss": float(step)} for step in range(steps)]
    curve = machine.binned(records)
    assert len(curve) == points <= machine.CURVE_POINTS
    assert curve["loss"].iloc[0] == curve["tokens"].iloc[0] == pytest.approx((-(-steps // 100) - 1) / 2)


def test_headlines(run):
    pass_rate, effect, speed, claims = headlines.headlines(run)
    whole = (
        run.tables["pass_at_1"].query("arm == 'cpt_sft' and suite == 'in_distribution' and category == 'all'").iloc[0]
    )
    assert pass_rate.value == f"{100 * whole.pass_at_1:.1f} %"
    assert f"{whole.passed} of {whole.n}" in pass_rate.detail
    row = run.tables["claims"].set_index("id").loc["cpt_before_sft@in_distribution"]
    assert effect.value == f"{row.our_value:+.1f} points" and row.verdict in effect.detail
    assert speed.value == "1.93 x" and "0.19 TFLOP/s" in speed.detail
    assert claims.value.endswith(f"of {len(run.tables['claims'])}")
