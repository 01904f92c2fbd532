"""Runs that others published: the figures, and that they are held out."""

import pytest

from trex.accounting.counting.conventions import EXACT
from trex.accounting.counting.read import architecture
from trex.accounting.planning import published
from trex.accounting.planning.published import RUNS, Reported, case, published_rows, verdict
from trex.accounting.planning.sampling import quantiles

ROWS = list(published_rows(samples=1000, seed=1))
V3 = RUNS[0]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_layouts_fit_their_models(run):
    model = architecture(run.model)
    assert [layout.errors(model) for layout in run.layouts] == [[]] * len(run.layouts)
    assert run.reported and run.note


def test_the_figures_of_deepseek_v3_agree_with_each_other():
    """Table 4's step, and 14.8T tokens in 2.664M GPU hours."""
    seconds, rate, mfu = V3.reported
    layout = V3.layouts[0]
    tokens = layout.global_batch * layout.sequence_length / layout.devices
    assert tokens / seconds.high == pytest.approx(rate.low, rel=2e-3)
    assert pytest.approx(rate.high, rel=1e-4) == 14.8e12 / (2.664e6 * 3600)
    per_token = case(V3, layout).flops_per_token(EXACT)
    assert per_token == pytest.approx(250e9, rel=3e-3)  # as the report's table 2 says
    assert rate.low * per_token / 989.4e12 == pytest.approx(mfu.low, rel=5e-3)


def test_dual_pipe_idles_fourteen_of_forty_five():
    forward, backward, weights = 1, 2, 1
    dual = (16 / 2 - 1) * (forward + backward + backward - 3 * weights)
    assert dual / (15 * (forward + backward)) == pytest.approx(published.DUAL_PIPE)


def test_bounds_hold_the_interval_and_every_figure_says_how_it_compares():
    for row in ROWS:
        assert row["bound_low"] <= row["low"] <= row["median"] <= row["high"] <= row["bound_high"]
        assert row["validated"].startswith("held out: ")
    assert {row["scenario"] for row in ROWS} == {run.name for run in RUNS}


def test_a_miss_is_said():
    """All-to-all half exposed makes DeepSeek-V3 slower than it was."""
    row = next(row for row in ROWS if row["scenario"] == V3.name and row["quantity"] == "step_seconds")
    assert row["validated"] == "held out: missed, reported is below the interval; bounds only"
    assert row["bound_low"] < row["reported_low"] < row["low"]


@pytest.mark.parametrize(
    ("reported", "words"),
    [
        ((4, 6), "within the interval"),
        ((1, 3), "within the interval"),
        ((1, 1.5), "below the interval; bounds only"),
        ((7.5, 7.5), "above the interval; bounds only"),
        ((9, 9), "above the interval and the bounds"),
    ],
)
def test_verdicts(reported, words):
    assert verdict((2, 7), (1, 8), Reported("mfu", *reported, "")).endswith(words)


def test_the_same_seed_gives_the_same_rows():
    assert list(published_rows(1000, 1)) == ROWS
    assert list(published_rows(1000, 2)) != ROWS


def test_quantiles_are_plain_numbers():
    assert all(type(value) is float for value in quantiles(case(V3, V3.layouts[0]).work.flops["matmul"]))
