"""Each kind of measure on small evidence, the shipped claims, and the step as a whole."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.numpy import save_file

from trex.audit import claims
from trex.common.errors import UserError

PAPER = Path(__file__).parents[2] / "config/paper.yaml"


def pass_at_1(**passed_by_arm):
    """20 items an arm in each category, and all 40 together."""
    rows = []
    for arm, (word, solve) in passed_by_arm.items():
        for category, passed, n in (("word", word, 20), ("solve", solve, 20), ("all", word + solve, 40)):
            rows.append(
                {
                    "arm": arm,
                    "suite": "in_distribution",
                    "category": category,
                    "criterion": "objective",
                    "n": n,
                    "passed": passed,
                    "pass_at_1": passed / n,
                    "ci_low": 0.0,
                    "ci_high": 1.0,
                    "interval": "Wilson",
                }
            )
    return pd.DataFrame(rows)


def comparison(arm_a, arm_b, difference, low, high, p_holm=0.01):
    return {
        "arm_a": arm_a,
        "arm_b": arm_b,
        "suite": "in_distribution",
        "n": 40,
        "difference": difference,
        "ci_low": low,
        "ci_high": high,
        "p_value": p_holm / 2,
        "p_holm": p_holm,
        "test": "McNemar exact",
    }


def ladder(*speedups):
    rows = []
    for name, (speedup, low, high) in zip(("open_source", "ours_plain", "parallelism"), speedups, strict=False):
        rows.append(
            {
                "recipe": name,
                "precision": "float32",
                "tokens_per_second": 100.0 * speedup,
                "tokens_per_second_min": 90.0 * speedup,
                "tokens_per_second_max": 110.0 * speedup,
                "mfu": 0.1 * speedup,
                "convention": "exact_visible_pairs",
                "peak_tflops": 0.19,
                "speedup": speedup,
                "speedup_min": low,
                "speedup_max": high,
                "repetitions": 5,
            }
        )
    return pd.DataFrame(rows)


@pytest.fixture
def evidence(tmp_path):
    before, after = tmp_path / "base", tmp_path / "cpt_sft"
    tensors = {"head.weight": np.zeros((2, 2), np.float32), "blocks.0.experts.router.table": np.ones(3, np.int32)}
    for folder, change in ((before, 0.0), (after, 1.0)):
        folder.mkdir()
        save_file(tensors | {"head.weight": tensors["head.weight"] + change}, folder / "model.safetensors")
    return claims.Evidence(
        record=yaml.safe_load(PAPER.read_text(encoding="utf-8"))["record"],
        pass_at_1=pass_at_1(base=(0, 0), sft=(2, 2), cpt_sft=(18, 3)),
        comparisons=pd.DataFrame([comparison("sft", "cpt_sft", -0.4, -0.6, -0.2)]),
        ladder=ladder((1.0, 1.0, 1.0), (2.0, 1.5, 2.5)),
        metrics=[[{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}]],
        weights=(before / "model.safetensors", after / "model.safetensors"),
        counts=[{"draws": {"accepted": 3, "limit": 1}}],
    )


def found(kind, evidence, **measure):
    return claims.MEASURES[kind]({"measure": {"kind": kind} | measure}, evidence)[0]


def test_arms_stand_in_either_order(evidence):
    finding = found("arms", evidence, better="cpt_sft", worse="sft", suites=["in_distribution"])
    assert finding.verdict == "same direction"
    assert (finding.our_value, finding.ci_low, finding.ci_high) == (40.0, 20.0, 60.0)
    assert "n = 40" in finding.method and "McNemar" in finding.method
    assert "one seed" in finding.caveat
    mirrored = found("arms", evidence, better="sft", worse="cpt_sft", suites=["in_distribution"])
    assert (mirrored.verdict, mirrored.our_value) == ("opposite direction", -40.0)


def test_arms_in_one_category_by_newcombe(evidence):
    measure = {"better": "cpt_sft", "worse": "sft", "suites": ["in_distribution"]}
    word = found("arms", evidence, category="word", **measure)
    assert word.our_value == pytest.approx(80.0)
    # Newcombe (1998), method 10: .8 -+ the roots of squared distances to the Wilson limits, (.6990, .9721) of 18/20 and
    # (.0279, .3010) of 2/20.
    assert word.ci_low == pytest.approx(100 * (0.8 - math.hypot(0.9 - 0.6990, 0.3010 - 0.1)), abs=0.02)
    assert word.ci_high == pytest.approx(100 * (0.8 + math.hypot(0.9721 - 0.9, 0.1 - 0.0279)), abs=0.02)
    assert word.verdict == "same direction"
    assert found("arms", evidence, category="solve", **measure).verdict == "inconclusive"


def test_the_full_set_by_the_deciding_criterion_counts(evidence):
    """Whatever other criteria and views follow it."""
    whole = evidence.pass_at_1.query("category == 'all'")
    others = [whole.assign(criterion="objective_abs", passed=40), whole.assign(labels="without unsupported", n=1)]
    many = claims.dataclasses.replace(evidence, pass_at_1=pd.concat([evidence.pass_at_1, *others]))
    measure = {"arm": "cpt_sft", "suites": ["in_distribution"]}
    finding = found("pass_rate", many, **measure)
    assert finding == found("pass_rate", evidence, **measure)
    assert finding.our_value == pytest.approx(100 * 21 / 40)
    assert "n = 40, 95 % interval (Wilson)" in finding.method


def test_own_suites_and_public_benchmarks_are_never_averaged(evidence):
    rows = [comparison("cpt_sft", "sft", 0.1, 0.0, 0.2) | {"suite": suite} for suite in ("nl4opt", "in_distribution")]
    both = claims.dataclasses.replace(evidence, comparisons=pd.DataFrame(rows))
    measure = {"kind": "arms", "better": "cpt_sft", "worse": "sft", "suites": ["nl4opt", "in_distribution"]}
    assert [one.suite for one in claims.arms({"measure": measure}, both)] == ["nl4opt", "in_distribution"]


def test_public_benchmark_is_one_category_as_a_whole(evidence):
    row = comparison("cpt_sft", "sft", 0.1, -0.1, 0.3, 0.4) | {"suite": "nl4opt"}
    evidence = claims.dataclasses.replace(evidence, comparisons=pd.DataFrame([row]))
    finding = found("arms", evidence, better="cpt_sft", worse="sft", suites=["nl4opt"], category="word")
    assert (finding.verdict, finding.our_value) == ("inconclusive", 10.0)


def test_missing_suite_is_not_measured(evidence):
    finding = found("arms", evidence, better="cpt_sft", worse="sft", suites=["nl4opt"])
    assert finding.verdict == "not measured"
    assert math.isnan(finding.our_value)


def test_speedup(evidence):
    assert found("speedup", evidence, recipe="last", over="open_source").verdict == "same direction"
    assert found("speedup", evidence, recipe="kernels", over="host").verdict == "not measured"
    crossing = claims.dataclasses.replace(evidence, ladder=ladder((1.0, 1.0, 1.0), (1.2, 0.9, 1.4)))
    assert found("speedup", crossing, recipe="last", over="open_source").verdict == "inconclusive"
    slower = claims.dataclasses.replace(evidence, ladder=ladder((1.0, 1.0, 1.0), (0.5, 0.4, 0.6)))
    assert found("speedup", slower, recipe="last", over="open_source").verdict == "opposite direction"


def test_speedup_over_another_rung_takes_the_widest_range(evidence):
    three = claims.dataclasses.replace(evidence, ladder=ladder((1.0, 1.0, 1.0), (2.0, 1.5, 2.5), (3.0, 2.0, 4.0)))
    finding = found("speedup", three, recipe="parallelism", over="ours_plain")
    assert (finding.our_value, finding.ci_low, finding.ci_high) == (1.5, 0.8, pytest.approx(4 / 1.5))


def test_mfu_is_never_comparable(evidence):
    finding = found("mfu", evidence, recipe="last")
    assert finding.verdict == "not comparable" and "exact_visible_pairs" in finding.method
    assert (finding.our_value, finding.ci_low, finding.ci_high) == (20.0, 18.0, pytest.approx(22.0))


def test_weights_ignore_buffers_and_see_frozen_tensors(evidence, tmp_path):
    assert found("weights", evidence).verdict == "consistent"
    frozen = claims.dataclasses.replace(evidence, weights=(evidence.weights[0], evidence.weights[0]))
    assert (found("weights", frozen).our_value, found("weights", frozen).verdict) == (0.0, "inconclusive")
    missing = claims.dataclasses.replace(evidence, weights=(evidence.weights[0], tmp_path / "none.safetensors"))
    with pytest.raises(UserError, match=r"none\.safetensors"):
        found("weights", missing)


def test_steps_and_draws(evidence):
    assert (found("steps", evidence).our_value, found("steps", evidence).verdict) == (100.0, "consistent")
    broken = claims.dataclasses.replace(evidence, metrics=[[{"loss": 1.0}, {"loss": math.nan}]])
    assert (found("steps", broken).our_value, found("steps", broken).verdict) == (50.0, "inconclusive")
    assert (found("draws", evidence).our_value, found("draws", evidence).verdict) == (75.0, "not comparable")


def test_shipped_claims(evidence):
    frame = claims.audit(claims.read_paper(PAPER), evidence).set_index("id")
    assert frame.columns.tolist() == [name for name in claims.COLUMNS if name != "id"]
    assert frame.index.is_unique
    assert frame.notna().all()[["claim", "source", "paper_value", "method", "verdict", "caveat", "url"]].all()
    assert frame.loc["gain_over_gpt_5_4_mini"].verdict == "not measured"
    assert frame.loc["step_seconds"].verdict == "consistent under assumptions"
    assert frame.loc["mfu_without_recomputation"].verdict == "depends on assumptions"
    assert frame.loc["mfu_with_recomputation"].verdict == "consistent under assumptions"
    consistent = ["average_of_four", "gains_from_averages", "gain_over_gpt_from_averages", "speedup_from_mfu"]
    assert (frame.loc[[*consistent, "communication_parts"]].verdict == "consistent").all()
    assert not frame.verdict.str.contains("reproduced|refuted").any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "blog"}, "source 'blog' is not known; allowed: abstract"),
        ({"measure": {"kind": "guess"}}, "measure.kind 'guess'"),
        ({"measure": {"kind": "arithmetic", "derivation": "none"}}, "measure.derivation 'none'"),
        ({"unit": None}, "add unit"),
        ({"id": "full_parameter"}, "stands twice"),
    ],
)
def test_wrong_claim_is_one_clear_error(tmp_path, change, message):
    paper = yaml.safe_load(PAPER.read_text(encoding="utf-8"))
    paper["claims"][1] = {key: value for key, value in (paper["claims"][1] | change).items() if value is not None}
    path = tmp_path / "paper.yaml"
    path.write_text(yaml.safe_dump(paper), encoding="utf-8")
    with pytest.raises(UserError, match="claim 2") as error:
        claims.read_paper(path)
    assert message in str(error.value)


def test_step(evidence, tmp_path):
    evidence.pass_at_1.to_csv(tmp_path / "pass_at_1.csv", index=False)
    evidence.comparisons.to_csv(tmp_path / "comparisons.csv", index=False)
    evidence.ladder.to_csv(tmp_path / "ladder.csv", index=False)
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in evidence.metrics[0]))
    (tmp_path / "knapsack.counts.json").write_text(json.dumps(evidence.counts[0]))
    command = [sys.executable, "-m", "trex.audit.claims", "--paper", str(PAPER), "--out", str(tmp_path / "claims.csv")]
    for option, name in (
        ("pass-at-1", "pass_at_1.csv"),
        ("comparisons", "comparisons.csv"),
        ("ladder", "ladder.csv"),
        ("metrics", "metrics.jsonl"),
        ("counts", "knapsack.counts.json"),
        ("weights-before", "base/model.safetensors"),
        ("weights-after", "cpt_sft/model.safetensors"),
    ):
        command += [f"--{option}", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("claims: ") and done.stdout.count("\n") == 1
    assert pd.read_csv(tmp_path / "claims.csv").columns.tolist() == list(claims.COLUMNS)
    assert (tmp_path / "claims.csv.meta.json").exists()


def test_loads_without_torch():
    code = "import sys, trex.audit.claims; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
