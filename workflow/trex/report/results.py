"""Sections on what became of the answers: steps towards a pass, failure classes, guards, and retention."""

import pandas as pd
from markupsafe import Markup

from trex.evaluation.failure_classes import CLASSES, DISCRETE, NOT_ASKED, OTHER, PASSED, PROTOCOL, STRUCTURAL
from trex.evaluation.summarise import ALL, STEPS_TO_PASS
from trex.report import charts
from trex.report.arrange import ARM, ONE_SEED, SUITE, kinds, long_shares, of, ordered, shown_names
from trex.report.load import Run
from trex.report.parts import (
    NO_VALUE,
    Column,
    Figure,
    Got,
    Section,
    arm,
    integer,
    number,
    percent,
    percent_span,
    plain,
    table,
)

STEP_NAMES = dict(zip(STEPS_TO_PASS, ("executes", "structurally right", "passes"), strict=True))
FAMILIES = (STRUCTURAL, PROTOCOL, DISCRETE, OTHER)
CHECKS = {
    ("data_check", "held"): "right on other data too",
    ("data_check", "hard_coded"): "hard-coded",
    ("data_check", "partly"): "right on some other data",
    ("data_check", "not_checked"): "not checked",
    ("other_reading", "integer"): "right if all were whole",
    ("other_reading", "continuous"): "right if none were whole",
}


def diagnostics(run: Run) -> Section:
    figures = [steps(run, kind, of(run.tables["diagnostics"], suites)) for kind, suites in kinds(run).items()]
    lead = "These tell arms apart even where few answers pass."
    return Section("diagnostics", "Diagnostics", lead, figures)


def steps(run: Run, kind: str, frame: pd.DataFrame) -> Figure:
    frame = ordered(run, frame, "difficulty")
    whole = frame[frame["difficulty"] == ALL]
    shown = [
        long_shares(whole, pd.Series(name, whole.index), step, f"{step}_low", f"{step}_high")
        for step, name in STEP_NAMES.items()
    ]
    label = f"Steps towards a pass on {kind}, by suite and arm"
    chart = charts.shares(pd.concat(shown), list(STEP_NAMES.values()), shown_names(run), label)
    columns = [
        SUITE,
        Column("difficulty", lambda row: plain(row.difficulty), "text"),
        ARM,
        Column("n", lambda row: integer(row.n)),
        Column("answer loss, nats a token", lambda row: number(row.answer_loss, 3)),
        *(step_column(step, name) for step, name in STEP_NAMES.items()),
    ]
    return Figure(
        f"The steps towards a pass on {kind}",
        Got(
            "evaluation/diagnostics.csv",
            f"{len(frame)} rows of arm, suite and difficulty; the chart shows all difficulties together",
            "executes: the code built a model object; structurally right: that model equals the reference up to names, "
            "order and scaling; answer loss, where there are reference answers: mean cross-entropy of their tokens "
            "given the prompt; 95 % intervals",
            "answer loss rewards the reference's wording, of which there is one, and is no share of solved problems; "
            f"{ONE_SEED}",
        ),
        Markup(chart),
        table(frame, columns),
        folded=True,
    )


def step_column(step: str, name: str) -> Column:
    return Column(
        name,
        lambda row: percent(getattr(row, step)),
        detail=lambda row: percent_span(getattr(row, f"{step}_low"), getattr(row, f"{step}_high")),
    )


def failures(run: Run) -> Section:
    figures = [outcomes(run, kind, of(run.tables["failures"], suites)) for kind, suites in kinds(run).items()]
    lead = "Every answer is counted, whatever became of it."
    return Section("failures", "Failure classes", lead, [*figures, families(run), *guards(run)])


def outcomes(run: Run, kind: str, frame: pd.DataFrame) -> Figure:
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
    columns = [name for name in shown_names(run) if name in set(shown["column"])]
    chart = charts.bars(shown, order, columns, "% of answers", f"What became of the answers to {kind}")
    return Figure(
        f"What became of the answers to {kind}",
        Got(
            "evaluation/failures.csv",
            f"{frame['n'].sum()} answers; the number at each bar counts them",
            f"every answer has exactly one class: {PASSED}, or the first obstacle that it met; early obstacles below",
            "a class names where an answer stopped, not why; mending it may reveal the next obstacle",
        ),
        Markup(chart),
    )


def families(run: Run) -> Figure:
    """Shares of the error families, the paper's in the first row."""
    frame = run.tables["failures"]
    failed = frame[~frame["failure_class"].isin((PASSED, *NOT_ASKED))]
    counts = failed.pivot_table(index=["suite", "arm"], columns="family", values="n", aggfunc="sum", fill_value=0)
    counts = ordered(run, counts.reindex(columns=FAMILIES, fill_value=0).reset_index())
    paper = dict.fromkeys(("failed", *FAMILIES), NO_VALUE)
    paper |= {name: f"{share} %" for name, share in run.record["error_shares_percent"].items()}
    rows = [{"suite": "its benchmarks", "arm": "the paper's trained model"} | paper]
    for row in counts.to_dict("records"):
        total = sum(row[name] for name in FAMILIES)
        shares = {name: percent(row[name] / total) for name in FAMILIES}
        rows.append({"suite": plain(row["suite"]), "arm": arm(row["arm"]), "failed": integer(total)} | shares)
    columns = [
        Column("suite", lambda row: row.suite, "text"),
        Column("arm", lambda row: row.arm, "text"),
        Column("failed answers", lambda row: row.failed),
        *(Column(name, lambda row, place=place: row[place]) for place, name in enumerate(FAMILIES, start=4)),
    ]
    shown = pd.DataFrame(rows, columns=["suite", "arm", "failed", *FAMILIES])
    return Figure(
        "Error families beside the paper's",
        Got(
            "evaluation/failures.csv; config/paper.yaml",
            f"{integer(failed['n'].sum())} failed answers; without those that were not given, or lost to an endpoint",
            "each failure class belongs to one family (trex/evaluation/failure_classes.py); shares of an arm's failed "
            "answers",
            "the paper prints three shares, not of how many errors nor which classes they hold: the families are ours "
            "by name alone",
        ),
        table=table(shown, columns),
        folded=True,
    )


def guards(run: Run) -> list[Figure]:
    """What right answers do with other data, and how many wrong ones were right but for whole variables."""
    if run.checks.empty:
        return []
    named = run.checks.assign(what=[CHECKS[key] for key in zip(run.checks["check"], run.checks["value"], strict=True)])
    counts = named.pivot_table(index=["suite", "arm"], columns="what", values="n", aggfunc="sum", fill_value=0)
    counts = ordered(run, counts.reindex(columns=list(CHECKS.values()), fill_value=0).reset_index())
    columns = [
        SUITE,
        ARM,
        *(Column(name, lambda row, place=place: integer(row[place])) for place, name in enumerate(CHECKS.values(), 3)),
    ]
    return [
        Figure(
            "Right answers on other data, and labels met under another reading",
            Got(
                "evaluation/<arm>/<suite>/scores.parquet",
                f"{len(counts)} rows of arm and suite that have such answers",
                "where data come in a file, a right answer is run again on files with other numbers: right on none of "
                "five or more is hard-coded, and no pass; with fewer such files it is not checked. A wrong answer "
                "whose model meets the label as soon as all variables are whole, or none is, is counted, and no pass",
                "other numbers in the same file layout; another layout is not tried",
            ),
            table=table(counts, columns),
            folded=True,
        )
    ]


def retention(run: Run) -> Section:
    frame = run.tables["retention"]
    base = {row.text: row.loss for row in frame.itertuples() if row.arm == run.trained[0]}
    columns = [
        Column("text", lambda row: plain(row.text), "text"),
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("tokens", lambda row: integer(row.n_tokens)),
        Column("loss, nats a token", lambda row: number(row.loss, 3)),
        Column(f"change from {arm(run.trained[0])}", lambda row: f"{row.loss - base[row.text]:+.3f}"),
    ]
    figure = Figure(
        "Loss on general text after each kind of training",
        Got(
            "evaluation/retention.csv",
            f"{integer(frame['n_tokens'].max())} tokens an arm",
            "mean cross-entropy on validation text that no arm was trained on",
            "loss on one kind of text (sources and docstrings of Python packages) is no measure of ability",
        ),
        table=table(frame, columns),
    )
    lead = "How much of the general text the arms forgot while they learned operations research."
    return Section("retention", "Retention", lead, [figure])
