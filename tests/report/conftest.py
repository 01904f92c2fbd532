"""A whole run folder, small and invented, with the names and columns that the steps write."""

import itertools
import random
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import yaml

from trex.accounting import cost, models, project
from trex.accounting.costs import own, prices, scenarios, sensitivity, terms
from trex.accounting.counting.conventions import CONVENTIONS, EXACT
from trex.accounting.counting.published import SHAPES
from trex.accounting.counting.read import architecture, of
from trex.accounting.planning import setting
from trex.audit import claims
from trex.benchmarks.item import COLUMNS, Item
from trex.common import files
from trex.evaluation import summarise
from trex.evaluation.floors import FLOORS, NEAREST, SHUFFLED, SLOTS
from trex.model.config import ModelConfig

ARMS = ("base", "cpt", "sft", "cpt_sft")
SUITES = {"in_distribution": 60, "heldout_family": 40}
BENCHMARKS = {"nl4opt": 30, "bench4opt": 20}
# An outside model, which has answered two of all, each item of them twice.
OUTSIDE, ANSWERED = "theirs", ("in_distribution", "nl4opt")
CATEGORIES = ("word", "mixed", "solve", "build")
DIFFICULTIES = ("easy", "medium", "hard")
SKILL = {"base": 0.0, "cpt": 0.0, "sft": 0.2, "cpt_sft": 0.35, OUTSIDE: 0.6, NEAREST: 0.05, SLOTS: 0.5, SHUFFLED: 0.25}
HOSTILE = "<script>alert('from a model')</script> & </pre>"
FAILURES = ("syntax", "no_model", "wrong_objective", "wrong_structure", "infeasible", "truncated", "unsupported")
COUNTS = {
    "instances": [
        {
            "family": family,
            "bucket": bucket,
            "instances": 100,
            "train": 85,
            "test": 15,
            "draws": {"accepted": 100, "do_nothing_optimal": 11},
            "acceptance": 0.9009,
        }
        for family, bucket in (("knapsack", "packing"), ("fixed_charge", "network"))
    ],
    "suites": [
        {"suite": suite, "items": n, "families": 4, "kinds": {"word/DP": n}, "difficulties": {"easy": n}}
        for suite, n in SUITES.items()
    ],
    "sizes": [{"family": "knapsack", "small": "100: 3.0 variables, 1.0 rows"}],
    "sft": {
        "drawn": {"accepted": 1800, "near_duplicate": 14},
        "drawn_by_family": {"knapsack": {"accepted": 1800, "near_duplicate": 14}},
        "rows": 1800,
        "instances": 60,
    },
    "sources": [{"table": "cpt", "source": "report", "items": 900, "bytes": 900_000, "tokens": 400_000}],
    "diversity": [{"problems of": "sft", "texts": 100, "distinct_1": 0.1, "self_bleu": 60.5}],
    "examples": [{"category": "word", "mode": "DP", "prompt": "How <many>?", "data_file": '{"a": 1}', "answer": "x"}],
    "limits": ["Templates are templates."],
    "sft_tokens": [
        {"category": "word", "difficulty": "easy", "samples": 1800, "median_prompt": 140, "median_answer": 120.5}
    ],
    "cpt": {"drawn": {"kept": 900}, "rows": 900, "instances": 40},
    "general": {"drawn": {"kept": 700, "near_duplicate": 2}, "bytes": {"train": 3_000_000, "validation": 90_000}},
    "packed": {
        "base": {"documents": 700, "tokens": 900_000, "tokens_learned": 899_300, "rows": 890, "dropped_too_long": 3}
    },
}
PAPER = Path(__file__).parents[2] / "config/paper.yaml"
MINIATURE = ModelConfig(
    vocab_size=2048,
    hidden_size=192,
    num_attention_heads=4,
    head_dim=64,
    qk_rope_head_dim=16,
    q_lora_rank=64,
    o_groups=2,
    o_lora_rank=64,
    sliding_window=128,
    compress_ratios=(0, 4, 128, 4),
    index_n_heads=16,
    index_head_dim=32,
    index_topk=32,
    moe_intermediate_size=192,
    n_routed_experts=8,
    num_experts_per_tok=2,
    num_hash_layers=1,
    routed_scaling_factor=1.5,
    hc_mult=2,
)


@pytest.fixture(scope="session")
def pristine_run(tmp_path_factory) -> Path:
    """Not to be changed."""
    return write_run(tmp_path_factory.mktemp("results") / "fake")


@pytest.fixture(scope="session")
def paper() -> Path:
    return PAPER


@pytest.fixture
def run_folder(pristine_run, tmp_path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(pristine_run, tmp_path / "results" / "fake"))


def write_run(folder: Path) -> Path:
    rng = random.Random(1)
    scores = {(arm, suite): answers(rng, arm, suite, n) for arm in ARMS for suite, n in (SUITES | BENCHMARKS).items()}
    for suite in ANSWERED:
        scores[OUTSIDE, suite] = answers(rng, OUTSIDE, suite, (SUITES | BENCHMARKS)[suite], attempts=2)
    for source in FLOORS:
        for suite, n in SUITES.items():
            scores[source, suite] = answers(random.Random(source), source, suite, n)
    write_evaluation(folder, scores)
    for number, arm in enumerate(ARMS):
        files.write_jsonl(folder / f"models/{arm}/metrics.jsonl", metrics(rng, number), {})
    files.write_csv(folder / "models/oracle.csv", pd.DataFrame(oracle_rows()), {})
    write_accounting(folder, rng)
    write_claims(folder)
    write_documents(folder)
    return folder


def answers(rng: random.Random, arm: str, suite: str, n: int, attempts: int = 1) -> list[dict]:
    rows = []
    for number, attempt in itertools.product(range(n), range(attempts)):
        passes = rng.random() < SKILL[arm] * (1.0 if suite == "in_distribution" else 0.3)
        public = suite in BENCHMARKS
        failure = "passed" if passes else rng.choice(FAILURES)
        rows.append(
            {
                "item_id": f"{suite}-{number}",
                "attempt": attempt,
                "category": CATEGORIES[0 if public else number % 4],
                "mode": "DP",
                "family": "knapsack",
                "difficulty": DIFFICULTIES[number % 3],
                "criterion": "structure" if suite == "bench4opt" or (number % 4 == 3 and not public) else "objective",
                "cluster": f"{suite}-{number // 2}" if suite == "bench4opt" else f"{suite}-{number}",
                "known_bad": "wrong label" if suite == "nl4opt" and number < 3 else "",
                "protocol": "temperature 0.6, seed 1, 9600 tokens" if arm == OUTSIDE else "greedy, 256 tokens",
                "shots": None if arm == OUTSIDE else 0,
                "executed": passes or rng.random() < 0.5,
                "dialect": "mathopt",
                "reading": "integer",
                "structure": None if suite == "nl4opt" else "isomorphic" if passes else "different",
                "structure_right": None if suite == "nl4opt" else passes,
                "other_reading": "integer" if failure == "wrong_objective" and public else None,
                "data_check": "held" if passes and number % 4 == 2 else None,
                "passed": passes,
                "passed_abs": passes,
                "passed_rel": passes,
                "passed_legacy": (passes and number % 5 > 0) if public else None,
                "objective_value": 12.0,
                "expected": 12.0,
                "failure_class": failure,
                "detail": "",
                "isolation": "limits",
            }
        )
    return rows


def write_evaluation(folder: Path, scores: dict) -> None:
    evaluation = folder / "evaluation"
    for (arm, suite), rows in scores.items():
        files.write_parquet(evaluation / arm / suite / "scores.parquet", pa.Table.from_pylist(rows), {})
        texts = [{"id": row["item_id"], "response": response(row)} for row in rows]
        files.write_jsonl(evaluation / arm / suite / "responses.jsonl", texts, {})
    for name, frame in summarise.tables(scores, losses()).items():
        files.write_csv(evaluation / f"{name}.csv", frame, {})


def losses() -> dict:
    return {
        (arm, suite): {
            "answer_loss": {name: {"loss": 1.5 - 0.2 * number} for name in ("all", *DIFFICULTIES)},
            "retention": {"n_tokens": 20000, "loss": 2.1 + 0.4 * number},
        }
        for number, arm in enumerate(ARMS)
        for suite in SUITES
    }


def response(row: dict) -> str:
    code = "from ortools.math_opt.python import mathopt\nmodel = mathopt.Model()\n"
    return f"{code}# {row['item_id']}: {HOSTILE}"


def metrics(rng: random.Random, number: int) -> list[dict]:
    return [
        {
            "step": step,
            "tokens": 8192 * step,
            "loss": 0.5 + (7.0 - number) / (1 + step / 20) + rng.gauss(0, 0.05),
            "seconds": 1.9 * step,
            "tokens_per_second": 4311.0,
            "max_expert_load": 1.2 + 1.5 / (1 + step / 30),
            "expert_load": [1.1, 1.2 + 1.5 / (1 + step / 30), 1.15],
        }
        for step in range(1, 251)
    ]


def oracle_rows() -> list[dict]:
    """The last one disagrees."""
    return [
        {
            "subject": subject,
            "kind": kind,
            "rope_scaling": "YaRN",
            "length": 61,
            "logits_difference": difference,
            "gradient_difference": 8 * difference,
            "parameter": "blocks.0.attention.sink",
            "tokens": 122,
            "tokens_off": int(difference > 1e-5),
            "agrees": difference <= 1e-5,
            "draws": 1,
            "logits_tolerance": 1e-5,
            "gradient_tolerance": 1e-4,
            "library": "transformers 5.24.0",
        }
        for subject, kind, difference in (("random weights", "csa", 1e-6), ("base", "all", 2e-6), ("sft", "all", 3e-5))
    ]


def write_accounting(folder: Path, rng: random.Random) -> None:
    measurements = [
        {
            "dtype": dtype,
            "shape": shape,
            "calls": 3,
            "tflops": [top, top * 0.98, top * 0.95],
            "median_tflops": top * 0.98,
        }
        for dtype, top in (("float32", 0.19), ("bfloat16", 0.42))
        for shape in ([1024, 1024, 1024], [4096, 384, 1152])
    ]
    peak = {
        "threads": 2,
        "peak_tflops": {"float32": 0.19 * 0.98, "bfloat16": 0.42 * 0.98},
        "measurements": measurements,
    }
    files.write_json(folder / "accounting/peak.json", peak, {})
    miniature = of("miniature", MINIATURE, "invented")
    per_token = float(CONVENTIONS[EXACT].per_token(miniature, 1024))
    ladder = [
        {
            "model": "miniature",
            "recipe": recipe,
            "variant": variant,
            "precision": "float32",
            "tokens_per_second": rate,
            "tokens_per_second_min": 0.93 * rate,
            "tokens_per_second_max": 1.04 * rate,
            "flops_per_token": per_token,
            "mfu": rate * per_token / 0.186e12,
            "hfu": rate * per_token / 0.186e12,
            "peak_tflops": 0.186,
            "speedup": rate / 2410,
            "peak_rss_mb": 2900.0,
            "loss": 7.6036,
            "speedup_min": 0.95 * rate / 2410,
            "speedup_max": 1.05 * rate / 2410,
            "loss_last": 5.9233,
            "repetitions": 5,
            "convention": EXACT,
        }
        for recipe, rate, variant in (
            ("open_source", 2410.0, "transformers 5.24.0; attention eager; experts grouped_mm"),
            ("ours_plain", 4650.0, "float32, no compilation"),
        )
    ]
    files.write_csv(folder / "accounting/ladder.csv", pd.DataFrame(ladder), {})
    rows = project.projection(samples=2000, seed=1)
    files.write_csv(folder / "accounting/projection.csv", pd.DataFrame(rows, columns=setting.COLUMNS), {})
    write_validation(folder, rng)
    write_cost(folder)
    totals, parts = models.tables([(miniature, 1024)] + [(architecture(name), 4096) for name in SHAPES])
    files.write_csv(folder / "accounting/models.csv", totals, {})
    files.write_csv(folder / "accounting/components.csv", parts, {})


def write_validation(folder: Path, rng: random.Random) -> None:
    """15 fitted settings, 18 tested ones that are predicted a little worse, of which 6 are larger."""
    rows = []
    for number in range(33):
        fitted, batch = number < 15, 2 ** (number % 4)
        seconds, memory = 0.07 * batch**0.9, 180.0 + 90.0 * batch
        errors = [rng.gauss(0, 0.04 if fitted else 0.1) for _ in range(2)]
        rows.append(
            {
                "set": "fitted" if fitted else "tested",
                "batch_size": batch,
                "sequence_length": 256 if number < 27 else 2048,
                "width": 0.5 if number % 5 == 0 else 1.0,
                "threads": 1 + number % 2,
                "precision": "bfloat16" if number % 3 == 0 else "float32",
                "recomputation": number % 7 == 0,
                "extrapolated": number >= 27,
                "step_seconds_predicted": seconds * (1 + errors[0]),
                "step_seconds": seconds,
                "step_seconds_median": 1.1 * seconds,
                "step_seconds_max": 1.6 * seconds,
                "timed_steps": 6,
                "idle_share": 0.2,
                "time_error": errors[0],
                "time_error_median": (1 + errors[0]) / 1.1 - 1,
                "memory_mib_predicted": memory * (1 + errors[1]),
                "memory_mib": memory,
                "memory_error": errors[1],
            }
        )
    frame = pd.DataFrame(rows)
    files.write_csv(folder / "accounting/validation.csv", frame, {})
    document = {
        "model": MINIATURE.to_dict(),
        "steps": 3,
        "peak_tflops": {"1": {"float32": 0.1}, "2": {"float32": 0.19}},
        "time_coefficients": {"products_float32": 1.6, "attention": 0.0, "layers": 1.2e-4},
        "efficiencies": {"products_float32": 0.625, "products_bfloat16": None, "attention": None},
        "memory_coefficients": {"base": 2.1e7, "growth": 1.08, "kernel": 3e4},
        "time": validation_summary(frame, "time_error", 0.15),
        "time_against_median_step": validation_summary(frame, "time_error_median", 0.15),
        "memory": validation_summary(frame, "memory_error", 0.1),
        "idle_share": 0.2,
        "parallel_layouts": "not validated",
    }
    files.write_json(folder / "accounting/validation.json", document, {})


def validation_summary(frame: pd.DataFrame, column: str, target: float) -> dict:
    tested = frame[frame["set"] == "tested"]
    errors = tested[column].abs()
    return {
        "tested": len(errors),
        "median_error": float(errors.median()),
        "worst_error": float(errors.max()),
        "worst_setting": {"batch_size": 8, "sequence_length": 2048, "recomputation": False},
        "median_error_extrapolated": float(errors[tested["extrapolated"]].median()),
        "target": target,
        "verdict": "validated within 7% (median of 18 settings), one process of this machine",
    }


def write_cost(folder: Path) -> None:
    """By the step itself, without prices; and kernels of one operator and none of a library."""
    comparison, given = scenarios.load(), prices.Prices()
    rows = own.ladder_rows(folder / "accounting/ladder.csv", 2, None, None, None) + scenarios.rows(comparison, given)
    tables = {
        "cost": pd.DataFrame(rows).reindex(columns=cost.COLUMNS),
        "cost_sensitivity": pd.DataFrame(sensitivity.rows(comparison)),
        "cost_terms": pd.DataFrame(terms.rows(comparison, given)).reindex(columns=cost.TERM_COLUMNS),
    }
    for name, frame in tables.items():
        files.write_csv(folder / f"accounting/{name}.csv", frame, {})
    operator = {"name": "aten::mm", "calls": 3, "milliseconds": 4.0, "share": 0.5}
    libraries = {"onednn_isa": "An invented instruction set", "mkl": None}
    kernels = {"threads": 2, "libraries": libraries, "operators": [operator], "kernels": []}
    files.write_json(folder / "accounting/kernels.json", kernels, {})


def write_claims(folder: Path) -> None:
    """By the audit itself, but for the weights, which the fake run has none of."""
    paper = claims.read_paper(str(PAPER))
    paper["claims"] = [claim for claim in paper["claims"] if claim["measure"]["kind"] != "weights"]
    evidence = claims.Evidence(
        record=yaml.safe_load(PAPER.read_text(encoding="utf-8"))["record"],
        pass_at_1=files.read_csv(folder / "evaluation/pass_at_1.csv"),
        comparisons=files.read_csv(folder / "evaluation/comparisons.csv"),
        ladder=files.read_csv(folder / "accounting/ladder.csv"),
        metrics=[files.read_jsonl(folder / f"models/{arm}/metrics.jsonl") for arm in ARMS],
        weights=(folder, folder),
        counts=[{"draws": {"accepted": 950, "limit": 12, "do_nothing_optimal": 88}}],
    )
    files.write_csv(folder / "audit/claims.csv", claims.audit(paper, evidence), {})


def write_documents(folder: Path) -> None:
    config = {"config": {"run": "fake", "seed": 1, "threads": 2, "problems": {"instances_per_family": 100}}}
    files.write_json(folder / "config.json", config, {})
    environment = {
        "stack": {"processor": {"brand": "An Invented CPU", "features": ["avx2", "fma"]}},
        "cores": {"logical": 2},
        "threads": 2,
    }
    files.write_json(folder / "environment.json", environment, {"versions": {"python": "3.11.7", "torch": "2.13.0"}})
    files.write_json(folder / "corpus/counts.json", COUNTS, {})
    items = [
        Item(
            item_id=f"in_distribution-{number}",
            suite="in_distribution",
            category=CATEGORIES[number % 4],
            mode="DPS",
            family="fixed_charge",
            bucket="network",
            difficulty=DIFFICULTIES[number % 3],
            prompt="A depot may open at two sites for 30 or 45; each of 5 loads costs 2 or 1.\nFind the least cost.",
            data_file='{"open": [30, 45], "ship": [2, 1]}',
            criterion="objective",
            objective_value=40.0,
            model=None,
            answer="from ortools.math_opt.python import mathopt\nm = mathopt.Model()\n",
        )
        for number in range(SUITES["in_distribution"])
    ]
    rows = [{name: getattr(item, name) for name in COLUMNS.names} for item in items]
    files.write_parquet(
        folder / "corpus/suites/in_distribution.parquet", pa.Table.from_pylist(rows, schema=COLUMNS), {}
    )
