"""What the sections take from a run: order of rows, the example's choice, the curves' means, the headlines."""

import dataclasses

import pandas as pd
import pytest

from trex.report import arrange, cost, example, headlines, machine, passes, results, sizes
from trex.report.load import load

ARMS = ["base", "cpt", "sft", "cpt_sft"]


@pytest.fixture(scope="module")
def run(pristine_run, paper):
    return load(pristine_run, paper)


def test_arms_stand_side_by_side(run):
    shuffled = run.tables["diagnostics"].sample(frac=1, random_state=1)
    frame = arrange.ordered(run, arrange.of(shuffled, ["in_distribution", "heldout_family"]), "difficulty")
    assert frame["suite"].tolist() == ["in_distribution"] * 20 + ["heldout_family"] * 16
    assert frame["arm"].tolist() == [*ARMS, "theirs"] * 4 + ARMS * 4


def test_example_is_the_first_that_the_last_arm_passes(run):
    passed = {score["item_id"] for score in run.scores["cpt_sft"] if score["passed"]}
    chosen = example.example(run)
    assert chosen.item["item_id"] == next(item["item_id"] for item in run.items if item["item_id"] in passed)
    assert [answer.arm for answer in chosen.answers] == ["base", "CPT", "SFT", "CPT + SFT", "theirs"]
    assert chosen.answers[3].passed and chosen.answers[3].outcome == "passed"


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
    assert f"{whole.passed:g} of {whole.n}" in pass_rate.detail
    row = run.tables["claims"].set_index("id").loc["cpt_before_sft@in_distribution"]
    assert effect.value == f"{row.our_value:+.1f} points" and row.verdict in effect.detail
    assert speed.value == "1.93 x" and "0.19 TFLOP/s" in speed.detail
    assert claims.value.endswith(f"of {len(run.tables['claims'])}")


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_own_suites_and_public_benchmarks_stand_apart(run):
    own, public = passes.sections(run)
    assert (own.id, public.id) == ("pass-at-1", "public")
    for section, suites in ((own, run.own_suites), (public, run.benchmarks)):
        shown = {text.replace(" ", "_") for figure in section.figures for text, *_ in texts(figure.table)}
        assert shown == set(suites)
    for figure in (*own.figures, *results.diagnostics(run).figures, *results.failures(run).figures[:1]):
        assert "nl4opt" not in str(figure.svg) or "public" in figure.title


def test_every_criterion_and_view_is_in_the_table_of_its_suite(run):
    frame = run.tables["pass_at_1"].query("suite == 'nl4opt' and category == 'all'")
    wide = passes.wide(frame)
    assert list(wide[wide["arm"] == "base"]["labels"])[:1] == ["as published"]
    assert len(wide) == len(frame[["arm", "labels"]].drop_duplicates())
    for row in frame.itertuples():
        found = getattr(wide[(wide["arm"] == row.arm) & (wide["labels"] == row.labels)].iloc[0], row.criterion)
        assert (found.n, found.passed) == (row.n, row.passed)


def test_the_first_row_decides(run):
    """Also where arms are put side by side, and suites have other criteria."""
    own, public = (passes.rows_of(run, suites) for suites in (run.own_suites, run.benchmarks))
    expected = {"nl4opt": ("objective_rel", "as published"), "bench4opt": ("structure", "as published")}
    for row in passes.deciding(pd.concat([own, public])).query("category == 'all'").itertuples():
        assert (row.criterion, row.labels) == expected.get(row.suite, ("by_item", "own"))
    lines = passes.by_criterion(public.query("suite == 'bench4opt'"))["line"]
    assert list(dict.fromkeys(lines)) == ["structure (decides)", "structure, or the same objective", "authors' rules"]


def test_pass_at_k_stands_where_there_are_several_attempts(run):
    (figure,) = passes.pass_at_k(run, run.benchmarks)
    assert [row[:4] for row in texts(figure.table)] == [["nl4opt", "theirs", "2", "1"], ["nl4opt", "theirs", "2", "2"]]
    assert passes.pass_at_k(run, ["bench4opt"]) == []


def test_beside_the_paper_stand_the_arms_that_were_trained_alike(run):
    (figure,) = passes.beside_the_paper(run, passes.rows_of(run, run.benchmarks))
    rows = texts(figure.table)
    assert [row[:4] for row in rows] == [
        [suite, model, f"{value:.2f} %", ours]
        for suite, values in (("nl4opt", (84.08, 86.93, 89.52)), ("bench4opt", (34.26, 48.73, 59.39)))
        for model, value, ours in zip(
            ("V4-Flash", "V4-Flash + SFT", "V4-Flash + CPT + SFT"), values, ("base", "SFT", "CPT + SFT"), strict=True
        )
    ]
    assert "5 orders of magnitude" in figure.got.limits


def test_error_families_are_shares_of_failed_answers(run):
    paper, *rows = texts(results.families(run).table)
    assert paper[2:] == ["n/a", "28.3 %", "23.9 %", "12.5 %", "n/a"]
    failures = run.tables["failures"].query("arm == 'base' and suite == 'nl4opt' and failure_class != 'passed'")
    (row,) = [row for row in rows if row[:2] == ["nl4opt", "base"]]
    assert row[2] == str(failures["n"].sum())
    structural = failures[failures["family"] == "structural"]["n"].sum() / failures["n"].sum()
    assert row[3] == f"{100 * structural:.1f} %"
    assert sum(float(text[:-2]) for text in row[3:]) == pytest.approx(100, abs=0.3)


def test_guards_count_answers_and_are_left_out_where_there_are_none(run):
    (figure,) = results.guards(run)
    held = sum(int(row[2]) for row in texts(figure.table))
    assert held == run.checks.query("value == 'held'")["n"].sum() > 0
    assert results.guards(dataclasses.replace(run, checks=run.checks[:0])) == []


def test_example_takes_the_first_of_several_attempts():
    rows = [{"id": "a", "response": "first"}, {"id": "a", "response": "second"}, {"id": "b", "response": "only"}]
    found = example.first_attempts(rows, "id")
    assert {key: row["response"] for key, row in found.items()} == {"a": "first", "b": "only"}


def test_what_needs_no_skill_stands_below_the_arms_of_its_suite_and_nowhere_else(run):
    own, public = passes.sections(run)
    pass_at_1, *_, compared = own.figures
    rows = [row for row in texts(pass_at_1.table) if row[:3] == ["in distribution", "all", "own"]]
    floors = [f"no skill: {name}" for name in ("nearest example", "slot filler", "shuffled numbers")]
    assert [row[3] for row in rows] == ["base", "CPT", "SFT", "CPT + SFT", "theirs", *floors]
    assert all(name in pass_at_1.note for name in ("Nearest example: ", "Slot filler: ", "Shuffled numbers: "))
    assert all(floor in str(pass_at_1.svg) for floor in floors)
    against = [row[1] for row in texts(compared.table) if row[0] == "heldout family"]
    assert len(against) == 6 + 4 and against[6:] == [
        f"{name} against {floors[1]}" for name in ("base", "CPT", "SFT", "CPT + SFT")
    ]
    elsewhere = [public, results.diagnostics(run), results.failures(run), results.retention(run)]
    shown = [f"{figure.svg}{figure.table}" for section in elsewhere for figure in section.figures]
    assert not any("no skill" in text or "shuffled" in text for text in shown)
    assert "no skill: slot filler: " in headlines.headlines(run)[0].detail


def test_balance_is_the_worst_layers_and_each_layers(run):
    _, figure = machine.training(run).figures
    base = texts(figure.table)[0]
    assert base[:3] == ["base", "2.65", "1.36"]
    assert base[3].split() == ["1.10", "1.36", "1.15"]
    assert "largest load" in str(figure.svg).lower()


def test_the_oracle_says_what_was_compared_with_whom_and_how_well(run):
    *_, figure = sizes.sizes(run).figures
    assert figure.title == (
        "Held against transformers 5.24.0: 2 of 3 comparisons agree; logits differ by at most 3.0e-05, gradients by "
        "2.4e-04"
    )
    assert "tolerance 1e-05" in figure.got.method and "tolerance 1e-04" in figure.got.method
    assert "third party (transformers 5.24.0)" in figure.got.method and "not DeepSeek's own code" in figure.got.limits
    assert [row[-1] for row in texts(figure.table)] == ["yes", "yes", "no"]


def test_a_figure_of_flops_says_whose(run):
    _, figure, *_ = sizes.sizes(run).figures
    rows = {(row[0].text, row[2].text): row for row in figure.table.rows}
    assert rows["v4-pro", "exact visible pairs"][3].text == "312.4724"
    assert rows["v4-pro", "exact visible pairs"][4].text == "+0.0 %"
    assert rows["v4-pro", "torchtitan mtp"][4].text == "+8.0 %"
    assert "v4-pro -6.2 to +8.0 %" in figure.title and "recomputation" not in str(figure.svg)
    assert "maxtext" in figure.got.limits


def test_mfu_by_convention_keeps_the_measured_rate(run):
    _, figure, _ = machine.speed(run).figures
    ladder, rows = run.tables["ladder"], {row[0].text: row for row in figure.table.rows}
    assert rows["exact visible pairs"][3].text == f"{100 * ladder['mfu'].iloc[-1]:.1f} %"
    assert not any(word in name for name in rows for word in ("mtp", "recomputation"))
    shares = [float(row[3].text[:-2]) for row in figure.table.rows]
    assert shares == sorted(shares)
    assert figure.title.endswith(f"{shares[0]:.1f} % to {shares[-1]:.1f} %")


def test_costs_say_what_they_rest_on(run):
    section = cost.cost(run)
    assert next(figure.title.split(":")[0] for figure in section.figures) == "Break-even price"
    rows = {row[0].text: row for row in section.figures[1].table.rows}
    own = rows["this machine, ladder: ours_plain"]
    assert "ESTIMATE" in own[0].detail and own[-1].text == "n/a" and own[-1].detail == "user-supplied: not given"
    assert rows["v4-pro on h100"][0].detail.startswith("MFU assumed")


def test_one_device_alone_has_no_break_even_price(run):
    frame = run.tables["cost"]
    alone = dataclasses.replace(run, tables=run.tables | {"cost": frame[frame["break_even_price_ratio"].isna()]})
    assert next(figure.title for figure in cost.cost(alone).figures) == "Tokens per watt and per dollar"
