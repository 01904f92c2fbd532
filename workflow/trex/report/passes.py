"""Sections on Pass@1 and pass@k: own suites and public benchmarks apart, compared pair by pair, beside the paper's."""

import math
from collections.abc import Iterator

import pandas as pd
from markupsafe import Markup

from trex.evaluation.floors import FLOORS, SLOTS
from trex.evaluation.summarise import ALL
from trex.report import charts
from trex.report.arrange import ARM, ONE_SEED, OWN, PUBLIC, SUITE, kinds, long_shares, of, ordered, shown_names
from trex.report.load import Run
from trex.report.parts import (
    Column,
    Figure,
    Got,
    Section,
    arm,
    integer,
    is_missing,
    p_value,
    percent,
    percent_span,
    plain,
    points,
    span,
    table,
)

# The criteria of summarise, in the words of the page.
CRITERIA = {
    "by_item": "item by item",
    "objective_rel": "objective, 1e-6 relative",
    "objective_abs": "objective, 1e-6 absolute",
    "structure": "structure",
    "structure_or_equivalent": "structure, or the same objective",
    "legacy": "authors' rules",
}
LEGACY = "legacy"
ONE_CATEGORY = ["arm", "suite", "category"]
LEGACY_METHOD = "; authors' rules: their extraction, runner and comparison, faults included, on our solver"
OPEN_ROWS = 20  # a longer table is shown on demand


def sections(run: Run) -> Iterator[Section]:
    for kind, suites in kinds(run).items():
        frame = rows_of(run, suites)
        figures = [pass_at_1(run, kind, frame, of(run.floors, suites))]
        if kind == PUBLIC:
            figures += beside_the_paper(run, frame)
        figures += [*pass_at_k(run, suites), comparisons(run, suites)]
        yield Section(SECTION_IDS[kind], f"Pass@1 on {kind}", lead(run, kind), figures)


def rows_of(run: Run, suites: list[str]) -> pd.DataFrame:
    """Rows of pass_at_1.csv; an arm's criteria stay in the file's order, where the deciding one stands first."""
    return ordered(run, of(run.tables["pass_at_1"], suites), "category", "labels")


SECTION_IDS = {OWN: "pass-at-1", PUBLIC: "public"}


def lead(run: Run, kind: str) -> str:
    if kind == PUBLIC:
        return (
            "Problems that nobody here wrote, as their authors publish them, some with labels known to be wrong. Never "
            "averaged with the own suites, nor with each other."
        )
    text = "An answer passes when the model that its code builds has the reference's optimum or structure."
    if not run.benchmarks:
        text += " No public benchmark was evaluated in this run: its config names no folder with one."
    return text


def deciding(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows by the deciding criterion on the full set: they stand first."""
    return frame.drop_duplicates(ONE_CATEGORY)


def full_set(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of every criterion on the full set, all categories together."""
    return frame[frame["category"] == ALL].drop_duplicates([*ONE_CATEGORY, "criterion"])


def pass_at_1(run: Run, kind: str, frame: pd.DataFrame, floors: pd.DataFrame) -> Figure:
    by, what = (by_category, "category") if kind == OWN else (by_criterion, "criterion")
    shown, below = by(frame), by(floors)
    drawn = [
        long_shares(shown, shown["line"], "pass_at_1", "ci_low", "ci_high"),
        long_shares(below, below["line"], "pass_at_1", "pass_at_1", "pass_at_1"),
    ]
    lines = list(dict.fromkeys(drawn[0]["row"]))
    named = [arm(name) for name in FLOORS if name in set(floors["arm"])]
    label = f"Pass@1 on {kind}, by suite, {what} and arm"
    chart = charts.shares(pd.concat(drawn), lines, shown_names(run), label, named)
    beside = ordered(run, pd.concat([frame, floors]), "category", "labels")
    sizes = full_set(frame).groupby("suite", sort=False)["n"].max()
    return Figure(
        f"Pass@1 by suite, {what} and arm",
        Got(
            "evaluation/pass_at_1.csv",
            "; ".join(f"{plain(suite)} {n} items" for suite, n in sizes.items()) + f". Asked: {protocols(frame)}",
            "the answer's code is run in a sandbox, the model object that it builds is solved here, and its optimum "
            "(or structure) compared with the reference"
            + (LEGACY_METHOD if LEGACY in set(frame["criterion"]) else "")
            + f"; 95 % intervals: {', '.join(dict.fromkeys(frame['interval']))}",
            f"{ONE_SEED}; items of one suite are alike, so they say less than their number",
        ),
        Markup(chart),
        table(wide(beside), wide_columns(beside)),
        note=about_floors(named),
        folded=True,
    )


def about_floors(named: list[str]) -> str:
    if not named:
        return ""
    sentences = " ".join(f"{plain(name).capitalize()}: {text}." for name, text in FLOORS.items() if arm(name) in named)
    return (
        "No-skill floors, what is got right without understanding: grey in the chart, where they have no interval, and "
        f"last of each group in the table. {sentences}"
    )


def by_category(frame: pd.DataFrame) -> pd.DataFrame:
    """All categories by the deciding criterion, all together by the authors' rules too; `line`: the chart's."""
    own = deciding(frame)
    legacy = full_set(frame)
    legacy = legacy[legacy["criterion"] == LEGACY]
    whole, parts = own[own["category"] == ALL], own[own["category"] != ALL]
    return pd.concat(
        [
            whole.assign(line=ALL),
            legacy.assign(line=f"{ALL}, {CRITERIA[LEGACY]}"),
            parts.assign(line=parts["category"].map(plain)),
        ]
    )


def by_criterion(frame: pd.DataFrame) -> pd.DataFrame:
    """All categories together by every criterion; `line`: the chart's."""
    shown = full_set(frame).sort_values("criterion", key=lambda names: names.map(list(CRITERIA).index), kind="stable")
    decides = shown.index.isin(deciding(frame).index)
    lines = [
        CRITERIA[name] + (" (decides)" if first else "")
        for name, first in zip(shown["criterion"], decides, strict=True)
    ]
    return shown.assign(line=lines)


def protocols(frame: pd.DataFrame) -> str:
    """How the arms were asked; those that were asked alike together."""
    asked = {}
    for row in frame.drop_duplicates(["arm", "suite"]).itertuples():
        shots = "" if is_missing(row.shots) else f"{integer(row.shots)}-shot" if row.shots else "zero-shot"
        asked.setdefault(", ".join(filter(None, (row.protocol, shots))), {})[arm(row.arm)] = None
    return "; ".join(f"{', '.join(arms)}: {how}" for how, arms in asked.items())


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """A row an arm, suite, category and set of items, with a column a criterion: the row of the long table."""
    rows = []
    for key, group in frame.groupby(["suite", "category", "labels", "arm"], sort=False):
        found = {row.criterion: row for row in group.itertuples()}
        methods = {"interval": "; ".join(dict.fromkeys(group["interval"]))}
        rows.append(dict(zip(("suite", "category", "labels", "arm"), key, strict=True)) | found | methods)
    return pd.DataFrame(rows)


def wide_columns(frame: pd.DataFrame) -> list[Column]:
    present = [name for name in CRITERIA if name in set(frame["criterion"])]
    return [
        SUITE,
        *([Column("category", lambda row: plain(row.category), "text")] if set(frame["category"]) != {ALL} else []),
        Column("items", lambda row: row.labels, "text"),
        ARM,
        *map(criterion_column, present),
        Column("interval", lambda row: row.interval, "text"),
    ]


def criterion_column(name: str) -> Column:
    def found(row):
        return getattr(row, name)

    return Column(
        CRITERIA[name],
        lambda row: "" if is_missing(found(row)) else percent(found(row).pass_at_1),
        detail=lambda row: "" if is_missing(found(row)) else counted(found(row)),
    )


def counted(row) -> str:
    return f"{row.passed:.4g} of {row.n}; {percent_span(row.ci_low, row.ci_high)}"


def beside_the_paper(run: Run, frame: pd.DataFrame) -> list[Figure]:
    """The paper's table where it has the benchmark, each of its models beside the arm that was trained alike."""
    best, legacy = (rows.set_index(["arm", "suite"]) for rows in (deciding(frame), full_set(frame)))
    legacy = legacy[legacy["criterion"] == LEGACY]
    record, rows = run.record, []
    for column, suite in enumerate(record["benchmarks"]):
        for name, model in record["models"].items():
            if (name, suite) in best.index:
                paper = record["pass_at_1_percent"][name][column]
                ours = best.loc[(name, suite)]
                by_their_rules = legacy.loc[(name, suite)] if (name, suite) in legacy.index else None
                rows.append((suite, model, name, paper, record["items"][column], ours, by_their_rules))
    if not rows:
        return []
    columns = ["suite", "model", "arm", "paper", "items", "ours", "legacy"]
    return [
        Figure(
            "Beside the paper's table",
            Got(
                "evaluation/pass_at_1.csv; config/paper.yaml",
                "items as published, and as found in the folder: where those are fewer, it holds a part of the set",
                "the paper's values as printed (temperature 0.6, 9600 tokens, its own scoring); ours by the deciding "
                "criterion, and by the authors' rules",
                f"{size_gap(run)}; equal or different numbers say nothing of the paper's",
            ),
            table=table(pd.DataFrame(rows, columns=columns), PAPER_COLUMNS),
        )
    ]


PAPER_COLUMNS = (
    SUITE,
    Column("paper's model", lambda row: row.model, "text"),
    Column("paper", lambda row: f"{row.paper:.2f} %", detail=lambda row: f"{row.items} items published"),
    Column("our arm", lambda row: arm(row.arm), "text"),
    Column("ours", lambda row: percent(row.ours.pass_at_1), detail=lambda row: counted(row.ours)),
    Column(
        "ours, authors' rules",
        lambda row: "" if row.legacy is None else percent(row.legacy.pass_at_1),
        detail=lambda row: "" if row.legacy is None else counted(row.legacy),
    ),
)


def size_gap(run: Run) -> str:
    orders = math.log10(run.parameters("v4-flash") / run.parameters("miniature"))
    return f"the miniature is {orders:.0f} orders of magnitude smaller than V4-Flash and saw nothing but our templates"


def pass_at_k(run: Run, suites: list[str]) -> list[Figure]:
    """Where items have several attempts."""
    frame = of(run.tables["pass_at_k"], suites)
    frame = ordered(run, frame[frame.groupby(["arm", "suite"])["k"].transform("max") > 1], "k")
    if frame.empty:
        return []
    columns = [
        SUITE,
        ARM,
        Column("attempts", lambda row: integer(row.attempts)),
        Column("k", lambda row: integer(row.k)),
        Column("pass@k", lambda row: percent(row.pass_at_k), detail=lambda row: percent_span(row.ci_low, row.ci_high)),
        Column("acc@k", lambda row: percent(row.acc_at_k)),
    ]
    return [
        Figure(
            "pass@k where items have several attempts",
            Got(
                "evaluation/pass_at_k.csv",
                f"{frame['n'].max()} items, {frame['attempts'].max()} attempts each at most",
                "pass@k: the unbiased estimate of Chen et al. (2021) by the deciding criterion; acc@k, the authors': "
                f"one of the first k attempts passes; 95 % intervals: {', '.join(dict.fromkeys(frame['interval']))}",
                "one who cannot tell right answers from wrong ones has no use of the best of k",
            ),
            table=table(frame, columns),
            folded=len(frame) > OPEN_ROWS,
        )
    ]


def comparisons(run: Run, suites: list[str]) -> Figure:
    columns = [
        SUITE,
        Column("arms", lambda row: f"{arm(row.arm_a)} against {arm(row.arm_b)}", "text"),
        Column("n", lambda row: integer(row.n)),
        Column("only first, only second", lambda row: f"{row.only_a:.4g}, {row.only_b:.4g}"),
        Column(
            "difference, points",
            lambda row: points(row.difference),
            detail=lambda row: span(100 * row.ci_low, 100 * row.ci_high, sign=True),
        ),
        Column("detectable, points", lambda row: points(row.detectable).lstrip("+")),
        Column("p", lambda row: p_value(row.p_value)),
        Column("p, Holm", lambda row: p_value(row.p_holm)),
    ]
    frame = of(run.tables["comparisons"], suites)
    apart = ", those against the slot filler by themselves" if SLOTS in set(frame["arm_b"]) else ""
    return Figure(
        "Arms compared on the same items",
        Got(
            "evaluation/comparisons.csv",
            f"{len(frame)} comparisons",
            "paired over items, by the deciding criterion; only first, only second: items that one of the two passes; "
            f"{', '.join(dict.fromkeys(frame['test']))}; p-values corrected together by Holm{apart}; "
            "detectable: the smallest true difference that so many items could have shown "
            "(5 % two-sided, power 80 %, at the observed share of items on which the arms differ)",
            f"{ONE_SEED}; a large p-value is no proof of equality, least where the detectable difference is large",
        ),
        table=table(frame, columns),
        folded=len(frame) > OPEN_ROWS,
    )
