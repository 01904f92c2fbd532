"""What stands for a run: warm-up, outliers, what was lost, rates as all tokens by all seconds."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.logs import steady
from trex.accounting.logs.line import Line
from trex.accounting.logs.read import Log, with_attempts
from trex.common.errors import UserError

LENGTH = 100


def lines_of(seconds, samples=8, first=1, interval=1, **more):
    return [
        Line(number=place, step=first + place * interval, seconds=time, samples=samples, **more)
        for place, time in enumerate(seconds)
    ]


def assess(lines, devices=4, global_batch=None, warmup=steady.WARMUP):
    found, gaps = with_attempts(lines)
    return steady.assess(
        Log(("run.log",), "megatron", tuple(found), 0, 0, gaps, {}), LENGTH, devices, global_batch, warmup
    )


def test_tokens_by_seconds():
    run = assess(lines_of([2.0] * 20))
    assert run.tokens_per_second == pytest.approx(8 * LENGTH / 2)
    assert run.left_out == {"warm-up": 10}


def test_a_rate_is_no_mean_of_rates():
    run = assess(lines_of([1.0, 3.0], first=100))
    assert run.tokens_per_second == pytest.approx(2 * 8 * LENGTH / 4)


def test_a_log_interval_weighs_as_many_steps():
    run = assess(lines_of([9.0, 1.0, 3.0], interval=10), warmup=10)
    assert [one.reason for one in run.rated] == ["warm-up", "warm-up", ""]
    run = assess(lines_of([1.0, 3.0], first=1, interval=9), warmup=0)
    assert run.tokens_per_second == pytest.approx(10 * 8 * LENGTH / (1 * 1 + 9 * 3))


def test_each_start_has_a_warm_up():
    run = assess(lines_of([1.0] * 30) + lines_of([1.0] * 30, first=21))
    assert [one.line.step for one in run.rated if one.reason == "warm-up"] == [*range(1, 11), *range(21, 31)]
    assert run.left_out["repeated"] == 10


def test_an_excerpt_has_no_warm_up_and_says_so():
    run = assess(lines_of([1.0] * 3, first=71))
    assert run.left_out == {}
    assert any("begins after step 70" in note for note in run.notes)


def test_a_rule_that_would_leave_nothing_is_not_applied_and_says_so():
    run = assess(lines_of([1.0] * 5))
    assert len(run.kept) == 5
    assert run.notes == ("the rule 'warm-up' would leave no line and was not applied",)


def test_slow_and_fast_outliers_go():
    times = [1.0, 1.02, 0.98, 1.01, 5.0, 1.0, 0.1, 0.99]
    run = assess(lines_of(times, first=100))
    assert [one.seconds for one in run.rated if one.reason == "outlier"] == [5.0, 0.1]
    assert run.all_tokens_per_second == pytest.approx(8 * LENGTH * len(times) / sum(times))


def test_small_differences_are_no_outliers_however_regular_the_rest():
    assert assess(lines_of([1.0] * 20 + [1.09], first=100)).left_out == {}


def test_few_lines_have_no_outliers():
    assert assess(lines_of([1.0, 1.0, 9.0], first=100)).left_out == {}


def test_batches_are_compared_with_their_own():
    run = assess(lines_of([1.0] * 6, first=100) + lines_of([0.5] * 6, samples=2, first=106))
    assert run.left_out == {}
    assert run.batches == [800, 200]
    assert run.tokens_per_second == pytest.approx(6 * 1000 / (6 * 1.5))


def test_lost_steps_are_apart():
    lines = lines_of([1.0] * 40)
    lines[20] = dataclasses.replace(lines[20], skipped=1)
    lines[21] = dataclasses.replace(lines[21], nan=1, skipped=1)
    run = assess(lines + lines_of([1.0] * 10, first=36))
    good = steady.goodput(run)
    assert (good.steps, good.repeated, good.skipped, good.nan) == (50, 5, 2, 1)
    assert good.useful_tokens == (50 - 5 - 2) * 8 * LENGTH
    assert good.tokens_per_second == pytest.approx(43 / 50 * 8 * LENGTH)
    assert {"skipped": 2, "repeated": 5}.items() <= run.left_out.items()


def test_the_clock_counts_what_is_in_no_step():
    lines = [dataclasses.replace(line, time=100.0 + 2 * place) for place, line in enumerate(lines_of([1.0] * 20))]
    good = steady.goodput(assess(lines))
    assert (good.seconds, good.wall_seconds) == (20, 39)
    assert good.wall_tokens_per_second == pytest.approx(20 * 8 * LENGTH / 39)


def test_a_rate_alone_is_enough_but_not_for_goodput():
    lines = [Line(number=step, step=step, device_tokens_per_second=50.0) for step in range(100, 110)]
    run = assess(lines, devices=4)
    assert run.tokens_per_second == pytest.approx(200)
    assert steady.goodput(run) is None
    good = steady.goodput(assess(lines, devices=4, global_batch=8))
    assert good.seconds == pytest.approx(10 * 8 * LENGTH / 200)


@pytest.mark.parametrize(("printed", "ratio"), [(100.0, 1.0), (50.0, 0.5)])
def test_a_rate_that_the_log_prints_is_held_against_ours(printed, ratio):
    run = assess(lines_of([2.0] * 3, first=100, device_tokens_per_second=printed), devices=4)
    assert steady.own_rate(run, 4) == pytest.approx(ratio)
    assert steady.own_rate(assess(lines_of([2.0] * 3)), 4) is None


def test_without_any_size():
    with pytest.raises(UserError, match="give --global-batch"):
        assess(lines_of([1.0], samples=None))


def test_lines_without_a_size_are_left_out():
    lines = lines_of([1.0] * 4, first=100)
    lines[1] = dataclasses.replace(lines[1], samples=None)
    assert assess(lines).left_out == {"no size": 1}


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=40), st.integers(1, 64), st.integers(0, 20))
def test_the_rate_lies_between_those_of_the_lines(times, samples, warmup):
    run = assess(lines_of(times, samples=samples), warmup=warmup)
    rates = [one.tokens_per_second for one in run.kept]
    assert min(rates) * (1 - 1e-9) <= run.tokens_per_second <= max(rates) * (1 + 1e-9)
    assert len(run.kept) + sum(run.left_out.values()) == len(times)


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=30), st.floats(0.01, 100))
def test_a_slower_clock_changes_the_rate_and_nothing_else(times, factor):
    one, other = assess(lines_of(times)), assess(lines_of([time * factor for time in times]))
    assert other.tokens_per_second * factor == pytest.approx(one.tokens_per_second, rel=1e-6) or (
        one.left_out != other.left_out  # a time on the limit of an outlier
    )
