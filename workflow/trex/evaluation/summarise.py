"""The tables of the evaluation from the scores and losses of all arms.

    python -m trex.evaluation.summarise --scores evaluation/*/*/scores.parquet --losses evaluation/*/*/answer_loss.json
        --pass-at-1 pass_at_1.csv --comparisons comparisons.csv --retention retention.csv
        --diagnostics diagnostics.csv --failures failures.csv

A file's folders name what it is of: <arm>/<suite>/scores.parquet. Arms and suites keep the order in which they are
first given. Own suites and public benchmarks are never averaged together.

pass_at_1: a row an arm, suite and category (`all` first), by the items' own criterion (`objective`, `structure`, or
`by_item` where both occur; objective means within 1e-6 relative), then for `all` the same by the objective within 1e-6
absolute (`objective_abs`). labels: `own` for own suites, `as published` (not audited) for benchmarks.
comparisons: each pair of arms on the items that both answered, a the later arm; difference is a's share less b's.
diagnostics: by difficulty, the steps towards a pass, with answer loss where the suite has reference answers.
failures: how many responses met which obstacle first. All intervals are 95 %, Wilson's for shares.
"""

import itertools
from collections import Counter
from pathlib import Path

import pandas as pd

from trex.benchmarks import registry
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.common.statistics import wilson
from trex.evaluation import paired
from trex.evaluation.failure_classes import CLASSES, PASSED

STEP = "trex.evaluation.summarise"
ALL = "all"
BY_ITEM = "by_item"
OBJECTIVE_ABS = "objective_abs"
CATEGORIES = ("word", "mixed", "solve", "build")
DIFFICULTIES = ("easy", "medium", "hard")
PROTOCOL, SHOTS = "greedy", 0
RETENTION_TEXT = "general_validation"
STEPS_TO_PASS = ("executed", "structure_right", PASSED)
COLUMNS = {
    "pass_at_1": "arm suite category criterion protocol shots labels n passed pass_at_1 ci_low ci_high",
    "comparisons": "arm_a arm_b suite criterion n only_a only_b difference ci_low ci_high p_value p_holm test",
    "retention": "arm text n_tokens loss",
    "diagnostics": "arm suite difficulty n answer_loss "
    + " ".join(f"{name} {name}_low {name}_high" for name in STEPS_TO_PASS),
    "failures": "arm suite failure_class n",
}
Scores = dict[tuple[str, str], list[dict]]  # (arm, suite) -> rows of its scores
Losses = dict[tuple[str, str], dict]


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--scores", nargs="+", type=Path, required=True, help="<arm>/<suite>/scores.parquet")
    parser.add_argument("--losses", nargs="*", type=Path, default=[], help="<arm>/<suite>/answer_loss.json")
    for name in COLUMNS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, required=True, help=f"{name}.csv to write")
    arguments = parser.parse_args()
    scores = {arm_and_suite(path): files.read_parquet(path) for path in arguments.scores}
    losses = {arm_and_suite(path): files.read_json(path) for path in arguments.losses}
    if len(scores) < len(arguments.scores) or len(losses) < len(arguments.losses):
        raise UserError("two files are of the same arm and suite; give each once")
    inputs = {"/".join(path.parts[-3:]): path for path in [*arguments.scores, *arguments.losses]}
    origin = provenance(STEP, {}, inputs)
    tables = {
        "pass_at_1": pass_at_1(scores),
        "comparisons": comparisons(scores),
        "retention": retention(losses),
        "diagnostics": diagnostics(scores, losses),
        "failures": failures(scores),
    }
    for name, rows in tables.items():
        frame = pd.DataFrame(rows, columns=COLUMNS[name].split())
        files.write_csv(getattr(arguments, name), frame, origin)
    print(
        f"summary: {len(scores)} score files; {', '.join(f'{name} {len(rows)} rows' for name, rows in tables.items())}"
    )


def arm_and_suite(path: Path) -> tuple[str, str]:
    if len(path.parts) < 3:
        raise UserError(f"{path}: expected <arm>/<suite>/{path.name}; its folders name the arm and the suite")
    return path.parts[-3], path.parts[-2]


def grouped(rows: list[dict], key: str, order: tuple[str, ...]) -> dict[str, list[dict]]:
    """All rows, then those of each value of the key, in this order; `all` alone where there is one value only."""
    values = sorted({row[key] for row in rows}, key=lambda value: (value not in order, (*order, value).index(value)))
    parts = {value: [row for row in rows if row[key] == value] for value in values}
    return {ALL: rows} | (parts if len(parts) > 1 else {})


def criterion(rows: list[dict]) -> str:
    kinds = {row["criterion"] for row in rows}
    return kinds.pop() if len(kinds) == 1 else BY_ITEM


def labels(suite: str) -> str:
    return "as published" if suite in registry.BENCHMARKS else "own"


def share(rows: list[dict], field: str) -> tuple[int, int, float, float, float]:
    """(n, passed, share, low, high)"""
    n, passed = len(rows), sum(row[field] for row in rows)
    return n, passed, passed / n if n else 0.0, *wilson(passed, n)


def pass_at_1(scores: Scores) -> list[tuple]:
    by_own, by_absolute = [], []
    for (arm, suite), rows in scores.items():
        protocol = (PROTOCOL, SHOTS, labels(suite))
        for category, members in grouped(rows, "category", CATEGORIES).items():
            by_own.append((arm, suite, category, criterion(members), *protocol, *share(members, PASSED)))
        with_label = [row for row in rows if row["criterion"] == "objective"]
        if with_label:
            by_absolute.append((arm, suite, ALL, OBJECTIVE_ABS, *protocol, *share(with_label, "passed_abs")))
    return by_own + by_absolute


def comparisons(scores: Scores) -> list[tuple]:
    found = []
    for suite in dict.fromkeys(suite for _, suite in scores):
        arms = [arm for arm, other in scores if other == suite]
        for arm_b, arm_a in itertools.combinations(arms, 2):
            found.append((arm_a, arm_b, suite, *compared(scores[arm_a, suite], scores[arm_b, suite])))
    corrected = paired.holm([row[-1] for row in found])
    return [(*row, p_holm, paired.TEST) for row, p_holm in zip(found, corrected, strict=True)]


def compared(rows_a: list[dict], rows_b: list[dict]) -> tuple:
    """(criterion, n, only_a, only_b, difference, low, high, p)"""
    passed_a, passed_b = ({row["item_id"]: row[PASSED] for row in rows} for rows in (rows_a, rows_b))
    common = [item_id for item_id in passed_a if item_id in passed_b]
    only_a = sum(passed_a[item_id] and not passed_b[item_id] for item_id in common)
    only_b = sum(passed_b[item_id] and not passed_a[item_id] for item_id in common)
    difference = paired.difference(len(common), only_a, only_b)
    return criterion(rows_a), len(common), only_a, only_b, *difference, paired.p_value(only_a, only_b)


def retention(losses: Losses) -> list[tuple]:
    """One row an arm: each of its loss files measured it on the same text."""
    found = {arm: loss["retention"] for (arm, _), loss in losses.items()}
    return [(arm, RETENTION_TEXT, value["n_tokens"], value["loss"]) for arm, value in found.items()]


def diagnostics(scores: Scores, losses: Losses) -> list[tuple]:
    found = []
    for (arm, suite), rows in scores.items():
        answer_loss: dict = losses.get((arm, suite), {}).get("answer_loss", {})
        for difficulty, members in grouped(rows, "difficulty", DIFFICULTIES).items():
            loss = answer_loss.get(difficulty, {}).get("loss")
            shares = [value for field in STEPS_TO_PASS for value in share_where_known(members, field)]
            found.append((arm, suite, difficulty, len(members), loss, *shares))
    return found


def share_where_known(rows: list[dict], field: str) -> tuple[float | None, float | None, float | None]:
    """(share, low, high) among the rows where it is not null, nulls where it always is."""
    known = [row for row in rows if row[field] is not None]
    return share(known, field)[2:] if known else (None, None, None)


def failures(scores: Scores) -> list[tuple]:
    found = []
    for (arm, suite), rows in scores.items():
        counts = Counter(row["failure_class"] for row in rows)
        found += [(arm, suite, name, counts[name]) for name in CLASSES if counts[name]]
    return found


if __name__ == "__main__":
    cli.run(main)
