"""The tables of the evaluation from the scores and losses of all arms.

    python -m trex.evaluation.summarise --scores evaluation/*/*/scores.parquet --losses evaluation/*/*/answer_loss.json
        --out evaluation

A file's folders name what it is of: <arm>/<suite>/scores.parquet. Arms and suites keep the order in which they are
first given; an arm need not have answered every suite. Own suites and public benchmarks are never averaged together.
All intervals are 95 %; `interval` names the method (trex.common.statistics).

pass_at_1.csv: for each arm and suite, category `all` by each view (`labels`) and criterion of trex.evaluation.criteria,
the full view and the deciding criterion first; then the categories by their deciding criterion. passed is the sum of
the items' shares of attempts that passed, a whole number where items have one attempt.
pass_at_k.csv: pass@k (unbiased) and acc@k (the authors': any of the first k attempts) by the deciding criterion, for
k = 1, 2, 4, ... up to `attempts`, the fewest of an item that was answered.
comparisons.csv: each pair of arms on the items that both answered, a the later arm, by the deciding criterion, with the
labels as published; responses that were not given, or that an endpoint lost, are left out. Then each arm against
slot_filler, the strongest source that needs no skill (trex.evaluation.floors): whether an arm does more than fill in
templates. The other two are not compared: nearest_example does less than slot_filler, and shuffled_numbers knows the
references. difference is a's share less b's; tests and `detectable` are explained in trex.evaluation.paired. p_holm is
corrected for all pairs of arms on own suites, for all on public benchmarks, or for all against slot_filler: three
questions, each with its own family of hypotheses, so that what is found of two arms on own suites hangs neither on
which benchmarks a machine has nor on how many arms are held against a floor.
diagnostics.csv: by difficulty, the steps towards a pass, with answer loss where the suite has reference answers.
failures.csv: how many responses met which obstacle first, with the family of errors that SLAI T-Rex reports it under.
retention.csv: the loss of each arm of the run on general text.
"""

import itertools
from collections import Counter
from operator import itemgetter
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.common.statistics import Estimate
from trex.evaluation import criteria, paired
from trex.evaluation.criteria import Rows
from trex.evaluation.failure_classes import CLASSES, FAMILY, NOT_ASKED, PASSED
from trex.evaluation.floors import FLOORS, SLOTS

STEP = "trex.evaluation.summarise"
ALL = "all"
CATEGORIES = ("word", "mixed", "solve", "build")
DIFFICULTIES = ("small", "easy", "medium", "large", "hard", "industrial")  # ours, and those of public sets
RETENTION_TEXT = "general_validation"
STEPS_TO_PASS = ("executed", "structure_right", PASSED)
READ = [*criteria.COLUMNS, "category", "difficulty", "protocol", "shots", "executed"]
COLUMNS = {
    "pass_at_1": "arm suite category criterion protocol shots labels n passed pass_at_1 ci_low ci_high interval",
    "pass_at_k": "arm suite criterion k n attempts pass_at_k ci_low ci_high interval acc_at_k",
    "comparisons": "arm_a arm_b suite criterion n only_a only_b difference ci_low ci_high p_value p_holm test "
    "detectable",
    "retention": "arm text n_tokens loss",
    "diagnostics": "arm suite difficulty n answer_loss "
    + " ".join(f"{name} {name}_low {name}_high" for name in STEPS_TO_PASS),
    "failures": "arm suite failure_class family n",
}
Scores = dict[tuple[str, str], Rows]  # by arm and suite
Losses = dict[tuple[str, str], dict]


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--scores", nargs="+", type=Path, required=True, help="<arm>/<suite>/scores.parquet")
    parser.add_argument("--losses", nargs="*", type=Path, default=[], help="<arm>/<suite>/answer_loss.json")
    parser.add_argument("--out", type=Path, required=True, help="folder for the tables")
    arguments = parser.parse_args()
    places = {name: arguments.out / f"{name}.csv" for name in COLUMNS}
    for place in places.values():
        files.check_place(place)
    scores = {arm_and_suite(path): read_scores(path) for path in arguments.scores}
    losses = {arm_and_suite(path): files.read_json(path) for path in arguments.losses}
    if len(scores) < len(arguments.scores) or len(losses) < len(arguments.losses):
        raise UserError("two files are of the same arm and suite; give each once")
    check_items(scores)
    inputs = {"/".join(path.parts[-3:]): path for path in [*arguments.scores, *arguments.losses]}
    origin = provenance(STEP, {}, inputs)
    found = tables(scores, losses)
    for name, frame in found.items():
        files.write_csv(places[name], frame, origin)
    print(
        f"summary: {len(scores)} score files; {', '.join(f'{name} {len(rows)} rows' for name, rows in found.items())}"
    )


def arm_and_suite(path: Path) -> tuple[str, str]:
    if len(path.parts) < 3:
        raise UserError(f"{path}: expected <arm>/<suite>/{path.name}; its folders name the arm and the suite")
    return path.parts[-3], path.parts[-2]


def read_scores(path: Path) -> Rows:
    """The columns that count, without the long texts."""
    return files.open_input(path, lambda source: pq.read_table(source, columns=READ)).to_pylist()


def check_items(scores: Scores) -> None:
    """Raises UserError where two arms answered other items under one name: then nothing compares them."""
    asked: dict[tuple[str, str], tuple[str, str]] = {}
    for (arm, suite), rows in scores.items():
        for row in rows:
            other, sha256 = asked.setdefault((suite, row["item_id"]), (arm, row["sha256"]))
            if sha256 != row["sha256"]:
                raise UserError(
                    f"{suite}: {row['item_id']} is another problem for {arm} than for {other}; score both on the same "
                    "copy of the set, or give the sets two names"
                )


def tables(scores: Scores, losses: Losses) -> dict[str, pd.DataFrame]:
    rows = {
        "pass_at_1": pass_at_1(scores),
        "pass_at_k": pass_at_k(scores),
        "comparisons": comparisons(scores),
        "retention": retention(losses),
        "diagnostics": diagnostics(scores, losses),
        "failures": failures(scores),
    }
    # As objects, a column of whole and other numbers keeps the whole ones whole.
    return {name: pd.DataFrame(rows[name], columns=COLUMNS[name].split(), dtype=object) for name in COLUMNS}


def public_suites(scores: Scores) -> set[str]:
    return {suite for (_, suite), rows in scores.items() if criteria.is_public(rows)}


def grouped(rows: Rows, key: str, order: tuple[str, ...]) -> dict[str, Rows]:
    """The rows of each value of the key, in this order; nothing where there is one value only."""
    values = sorted({row[key] for row in rows}, key=lambda value: (value not in order, (*order, value).index(value)))
    return {value: [row for row in rows if row[key] == value] for value in values} if len(values) > 1 else {}


def pass_at_1(scores: Scores) -> list[tuple]:
    found = []
    public = public_suites(scores)
    for (arm, suite), rows in scores.items():
        parts = [
            (ALL, criterion, labels, members)
            for labels, members in criteria.views(rows, suite in public).items()
            for criterion in criteria.criteria(members)
        ]
        parts += [
            (category, criteria.criteria(members)[0], criteria.full_view(suite in public), members)
            for category, members in grouped(rows, "category", CATEGORIES).items()
        ]
        for category, criterion, labels, members in parts:
            how = (members[0]["protocol"], members[0]["shots"], labels)
            found.append((arm, suite, category, criterion, *how, *figures(criteria.estimate(members, criterion))))
    return found


def figures(estimate: Estimate) -> tuple:
    return estimate.n, estimate.passed, estimate.share, estimate.low, estimate.high, estimate.interval


def pass_at_k(scores: Scores) -> list[tuple]:
    found = []
    for (arm, suite), rows in scores.items():
        for k, attempts, estimate, acc in criteria.at_k(rows):
            n, _, *shown = figures(estimate)
            found.append((arm, suite, criteria.criteria(rows)[0], k, n, attempts, *shown, acc))
    return found


def comparisons(scores: Scores) -> list[tuple]:
    public = public_suites(scores)
    found = []
    for suite in dict.fromkeys(suite for _, suite in scores):
        answered = [arm for arm, other in scores if other == suite]
        arms = [arm for arm in answered if arm not in FLOORS]
        against = [(SLOTS, arm) for arm in arms if SLOTS in answered]
        for arm_b, arm_a in [*itertools.combinations(arms, 2), *against]:
            if pairs := both_answered(scores[arm_a, suite], scores[arm_b, suite]):
                criterion = criteria.criteria(scores[arm_a, suite])[0]
                found.append(((arm_a, arm_b, suite, criterion), paired.compare(pairs)))
    questions: dict[tuple[bool, bool], dict[tuple, float]] = {}
    for key, one in found:
        questions.setdefault((key[1] == SLOTS, key[2] in public), {})[key] = one.p_value
    p_holm = {}
    for members in questions.values():
        p_holm |= zip(members, paired.holm(list(members.values())), strict=True)
    return [(*key, *one[:7], p_holm[key], one.test, one.detectable) for key, one in found]


def both_answered(rows_a: Rows, rows_b: Rows) -> list[paired.Pair]:
    """The items that both answered, by their own criterion."""
    a, b = (
        criteria.attempts([row for row in rows if row["failure_class"] not in NOT_ASKED], itemgetter(PASSED))
        for rows in (rows_a, rows_b)
    )
    return [
        paired.Pair(
            cluster=a[item_id].cluster,
            passed_a=sum(a[item_id].passed),
            attempts_a=len(a[item_id].passed),
            passed_b=sum(b[item_id].passed),
            attempts_b=len(b[item_id].passed),
        )
        for item_id in a
        if item_id in b
    ]


def retention(losses: Losses) -> list[tuple]:
    """One row an arm: each of its loss files measured it on the same text."""
    found = {arm: loss["retention"] for (arm, _), loss in losses.items()}
    return [(arm, RETENTION_TEXT, value["n_tokens"], value["loss"]) for arm, value in found.items()]


def diagnostics(scores: Scores, losses: Losses) -> list[tuple]:
    found = []
    for (arm, suite), rows in scores.items():
        answer_loss: dict = losses.get((arm, suite), {}).get("answer_loss", {})
        for difficulty, members in ({ALL: rows} | grouped(rows, "difficulty", DIFFICULTIES)).items():
            loss = answer_loss.get(difficulty, {}).get("loss")
            n = len({row["item_id"] for row in members})
            shares = [value for field in STEPS_TO_PASS for value in share_where_known(members, field)]
            found.append((arm, suite, difficulty, n, loss, *shares))
    return found


def share_where_known(rows: Rows, field: str) -> tuple[float | None, float | None, float | None]:
    """(share, low, high) among the items where it is not null, nulls where it always is."""
    estimate = criteria.estimate_by(rows, itemgetter(field))
    return (estimate.share, estimate.low, estimate.high) if estimate.n else (None, None, None)


def failures(scores: Scores) -> list[tuple]:
    found = []
    for (arm, suite), rows in scores.items():
        counts = Counter(row["failure_class"] for row in rows)
        found += [(arm, suite, name, FAMILY.get(name), counts[name]) for name in CLASSES if counts[name]]
    return found


if __name__ == "__main__":
    cli.run(main)
