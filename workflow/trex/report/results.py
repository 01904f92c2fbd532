"""Sections on what the arms can do: Pass@1, comparisons, diagnostics, failure classes, retention."""

import pandas as pd
from markupsafe import Markup

from trex.evaluation.failure_classes import CLASSES, PASSED
from trex.evaluation.summarise import ALL, OBJECTIVE_ABS, STEPS_TO_PASS
from trex.report import charts
from trex.report.load import Run
from trex.report.parts import (
    Column,
    Figure,
    Got,
    Section,
    arm,
    integer,
    number,
    p_value,
    percent,
    percent_span,
    plain,
    span,
    table,
)

ONE_SEED = "one training seed: the interval covers which items were drawn, not the luck of training"
STEP_NAMES = dict(zip(STEPS_TO_PASS, ("executes", "structurally right", "passes"), strict=True))


def suite_title(run: Run, suite: str) -> str:
    return f"{plain(suite)} (own suite)" if suite in run.own_suites else f"{suite} (public benchmark)"


def ordered(run: Run, frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Rows by suite, by the named columns in the order of their first appearance, and by arm: arms side by side."""
    ranks = {"suite": run.suites, **{name: list(dict.fromkeys(frame[name])) for name in names}, "arm": run.arms}
    keys = pd.DataFrame({name: frame[name].map(ranks[name].index) for name in ranks})
    return frame.loc[keys.sort_values(list(ranks)).index]


def long_shares(run: Run, frame: pd.DataFrame, rows: pd.Series, share: str, low: str, high: str) -> pd.DataFrame:
    """The table that charts.shares draws; the three columns named hold shares between 0 and 1."""
    return pd.DataFrame(
        {
            "panel": [suite_title(run, suite) for suite in frame["suite"]],
            "row": rows,
            "arm": [arm(name) for name in frame["arm"]],
            "share": 100 * frame[share],
            "low": 100 * frame[low],
            "high": 100 * frame[high],
        }
    ).dropna()


def pass_at_1(run: Run) -> Section:
    frame = ordered(run, run.tables["pass_at_1"], "category", "criterion")
    own = frame[frame["criterion"] != OBJECTIVE_ABS]
    shown = long_shares(run, own, own["category"].map(plain), "pass_at_1", "ci_low", "ci_high")
    rows = sorted(dict.fromkeys(shown["row"]), key=lambda name: name != ALL)
    arms = [arm(name) for name in run.arms]
    chart = charts.shares(shown, rows, arms, "Pass@1 with intervals, by suite, category and arm")
    columns = [
        Column("suite", lambda row: plain(row.suite), "text"),
        Column("category", lambda row: plain(row.category), "text"),
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("criterion", lambda row: plain(row.criterion), "text"),
        Column("passed", lambda row: f"{row.passed} of {row.n}"),
        Column("Pass@1", lambda row: percent(row.pass_at_1)),
        Column("95 % interval", lambda row: percent_span(row.ci_low, row.ci_high)),
    ]
    sizes = own[own["category"] == ALL].groupby("suite", sort=False)["n"].max()
    figure = Figure(
        "Pass@1 by suite, category and arm",
        Got(
            "evaluation/pass_at_1.csv",
            "; ".join(f"{plain(suite)} {n} items" for suite, n in sizes.items()) + ", one greedy answer each",
            "the answer's code is run in a sandbox, the model object that it builds is solved here, and its optimum "
            "(or structure) compared with the reference; Wilson intervals",
            f"{ONE_SEED}; items of one suite share families and wording, so they are less different than their number "
            "says; own suites and public sets are never averaged",
        ),
        Markup(chart),
        table(frame, columns),
        folded=True,
    )
    lead = "A greedy answer passes when the model that its code builds has the reference's optimum or structure."
    if not run.benchmarks:
        lead += " No public benchmark was evaluated in this run: its config names no folder with one."
    return Section("pass-at-1", "Pass@1", lead, [figure, comparisons(run)])


def comparisons(run: Run) -> Figure:
    columns = [
        Column("suite", lambda row: plain(row.suite), "text"),
        Column("arms", lambda row: f"{arm(row.arm_a)} against {arm(row.arm_b)}", "text"),
        Column("n", lambda row: integer(row.n)),
        Column("only first passes", lambda row: integer(row.only_a)),
        Column("only second passes", lambda row: integer(row.only_b)),
        Column("difference, points", lambda row: f"{100 * row.difference:+.1f}"),
        Column("95 % interval", lambda row: span(100 * row.ci_low, 100 * row.ci_high, sign=True)),
        Column("p", lambda row: p_value(row.p_value)),
        Column("p, Holm", lambda row: p_value(row.p_holm)),
    ]
    frame = run.tables["comparisons"]
    return Figure(
        "Arms compared on the same items",
        Got(
            "evaluation/comparisons.csv",
            f"{len(frame)} comparisons",
            f"paired over items; {', '.join(dict.fromkeys(frame['test']))}; p-values corrected together by Holm",
            f"{ONE_SEED}; a large p-value is no proof of equality",
        ),
        table=table(frame, columns),
    )


def diagnostics(run: Run) -> Section:
    frame = ordered(run, run.tables["diagnostics"], "difficulty")
    whole = frame[frame["difficulty"] == ALL]
    shown = [
        long_shares(run, whole, pd.Series(name, whole.index), step, f"{step}_low", f"{step}_high")
        for step, name in STEP_NAMES.items()
    ]
    arms = [arm(name) for name in run.arms]
    chart = charts.shares(pd.concat(shown), list(STEP_NAMES.values()), arms, "Steps towards a pass, by suite and arm")
    columns = [
        Column("suite", lambda row: plain(row.suite), "text"),
        Column("difficulty", lambda row: plain(row.difficulty), "text"),
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("n", lambda row: integer(row.n)),
        Column("answer loss, nats a token", lambda row: number(row.answer_loss, 3)),
        *(step_column(step, name) for step, name in STEP_NAMES.items()),
    ]
    figure = Figure(
        "The steps towards a pass, and answer loss by difficulty",
        Got(
            "evaluation/diagnostics.csv",
            f"{len(frame)} rows of arm, suite and difficulty; the chart shows all difficulties together",
            "executes: the code built a model object; structurally right: that model equals the reference up to names, "
            "order and scaling; answer loss: mean cross-entropy of the reference answer's tokens given the prompt; "
            "Wilson intervals",
            "answer loss rewards the reference's wording, of which there is one, and is no share of solved problems; "
            f"{ONE_SEED}",
        ),
        Markup(chart),
        table(frame, columns),
    )
    lead = "These tell arms apart even where few answers pass."
    return Section("diagnostics", "Diagnostics", lead, [figure])


def step_column(step: str, name: str) -> Column:
    return Column(
        name,
        lambda row: percent(getattr(row, step)),
        detail=lambda row: percent_span(getattr(row, f"{step}_low"), getattr(row, f"{step}_high")),
    )


def failures(run: Run) -> Section:
    frame = run.tables["failures"]
    answers = frame.groupby(["arm", "suite"])["n"].transform("sum")
    shown = pd.DataFrame(
        {
            "panel": frame["suite"].map(plain),
            "column": frame["arm"].map(arm),
            "row": frame["failure_class"].map(plain),
            "value": 100 * frame["n"] / answers,
            "text": frame["n"].astype(str),
        }
    )
    order = [plain(name) for name in reversed(CLASSES) if name in set(frame["failure_class"])]
    arms = [arm(name) for name in run.arms]
    chart = charts.bars(shown, order, arms, "% of answers", "What became of the answers")
    figure = Figure(
        "What became of the answers, by suite and arm",
        Got(
            "evaluation/failures.csv",
            f"{frame['n'].sum()} answers; the number at each bar counts them",
            f"every answer has exactly one class: {PASSED}, or the first obstacle that it met; early obstacles below",
            "a class names where an answer stopped, not why; mending it may reveal the next obstacle",
        ),
        Markup(chart),
    )
    lead = "Every answer is counted, whatever became of it."
    return Section("failures", "Failure classes", lead, [figure])


def retention(run: Run) -> Section:
    frame = run.tables["retention"]
    base = {row.text: row.loss for row in frame.itertuples() if row.arm == run.arms[0]}
    columns = [
        Column("text", lambda row: plain(row.text), "text"),
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("tokens", lambda row: integer(row.n_tokens)),
        Column("loss, nats a token", lambda row: number(row.loss, 3)),
        Column(f"change from {arm(run.arms[0])}", lambda row: f"{row.loss - base[row.text]:+.3f}"),
    ]
    figure = Figure(
        "Loss on general text after each kind of training",
        Got(
            "evaluation/retention.csv",
            f"{integer(frame['n_tokens'].max())} tokens an arm",
            "mean cross-entropy on validation text that no arm was trained on",
            "loss on one kind of text (the standard library's sources and docstrings) is no measure of ability",
        ),
        table=table(frame, columns),
    )
    lead = "How much of the general text the arms forgot while they learned operations research."
    return Section("retention", "Retention", lead, [figure])
