"""Logs of all formats, and what goes wrong with logs: cut off, restarted, printed by several ranks, coloured."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.logs.read import read
from trex.common.errors import UserError

# A public line in today's format and one as older versions print it.
NEW = (
    " [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         9088 | elapsed time per iteration "
    "(ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | learning rate: 1.420000E-05 | global batch size:   128 | "
    "lm loss: 1.818812E+00 | loss scale: 1.0 | number of skipped iterations:   0 | number of nan iterations:   0 |"
)
OLD = (
    "iteration      200/    1000 | consumed samples:          800 | elapsed time per iteration (ms): 430.0 | learning "
    "rate: 1.342E-04 | global batch size:     4 | lm loss: 7.399415E+00 | loss scale: 16384.0 | grad norm: 2.918 | "
    "number of skipped iterations:   0 | number of nan iterations:   0 |"
)
TITAN = (
    "[titan] 2025-01-01 10:00:00,123 - root - INFO - {red}step: {step:2}  {green}loss: {loss}  {orange}"
    "grad_norm:  1.3  {blue}memory: 36.36GiB(56.82%)  tps: {tps:,}  tflops: {tflops:,.2f}  {reset}mfu: 15.58%{reset}"
)
COLOURS = {"red": "\x1b[31m", "green": "\x1b[32m", "orange": "\x1b[38;5;180m", "blue": "\x1b[34m", "reset": "\x1b[39m"}


def megatron(step, milliseconds=1000.0, batch=8, skipped=0, nan=0, loss="2.5E+00"):
    return (
        f" iteration {step:8d}/{1000:8d} | consumed samples: {step * batch:12d} | elapsed time per iteration (ms): "
        f"{milliseconds:.1f} | global batch size: {batch:5d} | lm loss: {loss} | "
        f"number of skipped iterations: {skipped:3d} | number of nan iterations: {nan:3d} |"
    )


def titan(step, tps, loss=" 7.1234", tflops=46.45, colours=COLOURS):
    return TITAN.format(step=step, tps=tps, loss=loss, tflops=tflops, **colours)


@pytest.fixture
def log(tmp_path):
    def write(*lines):
        path = tmp_path / "run.log"
        path.write_text("\n".join(lines), encoding="utf-8")
        return read([path])

    return write


def test_a_line_of_megatron(log):
    found = log("starting", NEW)
    (line,) = found.lines
    assert (line.step, line.seconds, line.samples, line.tflops) == (71, 5.3616, 128, 243.6)
    assert (line.loss, line.skipped, line.nan, line.steps) == (1.818812, 0, 0, 1)
    assert found.format == "megatron"


def test_a_line_of_an_older_megatron(log):
    (line,) = log(OLD).lines
    assert (line.step, line.seconds, line.samples, line.tflops, line.time) == (200, 0.43, 4, None, None)


def test_a_line_without_colons(log):
    (line,) = log(
        " iteration  100/ 1000 | elapsed time per iteration (ms): 52.5 | learning rate 1.5E-04 | lm loss 7.3E+00 |"
    ).lines
    assert (line.seconds, line.loss, line.samples) == (0.0525, 7.3, None)


def test_now_and_mean_of_primus(log):
    text = (
        "[20251202 09:12:08][rank-7/8][INFO ] iteration 126/ 5000 | elapsed time per iteration (ms): 13372.8/13364.7 | "
    )
    text += "throughput per GPU (TFLOP/s/GPU): 567.6/568.0 | tokens per GPU (tokens/s/GPU): 9801.4/9807.3 | "
    (line,) = log(text + "global batch size: 128 | lm loss: 6.5E-03 |").lines
    assert (line.seconds, line.tflops, line.device_tokens_per_second) == (13.3728, 567.6, 9801.4)


def test_seconds_instead_of_milliseconds(log):
    (line,) = log("iteration 5/ 10 | elapsed time per iteration (s): 2.5 | global batch size: 4 |").lines
    assert line.seconds == 2.5


def test_what_megatron_prints_of_its_arguments(log):
    found = log("  seq_length ...................................... 2048", "  world_size ..... 16", NEW)
    assert found.arguments == {"seq_length": "2048", "world_size": "16"}


def test_lines_of_torchtitan_coloured_or_not(log):
    plain = dict.fromkeys(COLOURS, "")
    first, second = log(
        titan(1, 149), titan(10, 4152, colours=plain), "validate step: 10  loss: 7.0  tps: 9,999 "
    ).lines
    assert (first.device_tokens_per_second, second.device_tokens_per_second) == (149, 4152)
    assert (second.step, second.steps, second.tflops, second.loss) == (10, 9, 46.45, 7.1234)
    assert second.time == first.time is not None


def test_a_nan_loss_of_torchtitan(log):
    assert [line.nan for line in log(titan(1, 100), titan(2, 100, loss="    nan")).lines] == [0, 1]


def test_our_metrics_are_differences(log):
    records = [{"step": step, "tokens": 512 * step, "seconds": 2.0 * step + 1, "loss": 3.0} for step in (1, 2, 3)]
    found = log(*map(json.dumps, records), '{"step": 4, "tok')
    assert [(line.tokens, line.seconds) for line in found.lines] == [(512, 3.0), (512, 2.0), (512, 2.0)]
    assert (found.format, found.cut_off) == ("metrics", 1)


@pytest.mark.parametrize("length", range(0, len(NEW), 7))
def test_a_line_that_is_cut_off_never_gives_a_wrong_figure(log, length):
    """It is whole in what it says, or counted as cut off."""
    whole = megatron(70)
    found = log(whole, NEW[:length])
    assert found.lines[0].step == 70
    for line in found.lines[1:]:
        assert (line.step, line.seconds) == (71, 5.3616)
        assert line.samples in (128, None) and line.tflops in (243.6, None) and line.loss in (1.818812, None)


@pytest.mark.parametrize("length", range(0, 130, 5))
def test_a_line_of_torchtitan_that_is_cut_off(log, length):
    plain = dict.fromkeys(COLOURS, "")
    found = log(titan(1, 4152, colours=plain), titan(2, 4152, colours=plain)[:length])
    assert {line.device_tokens_per_second for line in found.lines} == {4152}


def test_two_writers_in_one_line(log):
    assert [line.step for line in log(megatron(1)[:-20] + megatron(2)).lines] == [1, 2]


def test_a_restart_repeats_steps(log):
    found = log(*(megatron(step) for step in (10, 20, 30, 20, 30, 40)))
    assert [line.attempt for line in found.lines] == [1, 1, 1, 2, 2, 2]
    assert [line.repeated for line in found.lines] == [False, True, True, False, False, False]
    assert {line.steps for line in found.lines} == {10}


def test_a_log_interval_that_begins_at_step_1(log):
    assert [line.steps for line in log(*(megatron(step) for step in (1, 10, 20, 30))).lines] == [1, 9, 10, 10]


def test_lines_that_are_missing_are_a_gap(log):
    found = log(*(megatron(step) for step in (1, 2, 3, 9, 10)))
    assert found.gaps == 5
    assert {line.steps for line in found.lines} == {1}


def test_the_same_line_twice_is_one(log):
    assert len(log(megatron(1), megatron(1), megatron(2)).lines) == 2


@pytest.mark.parametrize("prefix", ["[rank{}]: ", "[default{}]:  ", "{}: ", "[{}] "])
def test_output_of_several_ranks_is_that_of_one(log, prefix):
    texts = [prefix.format(rank) + titan(step, 100 + rank) for step in (1, 2, 3) for rank in (3, 1)]
    found = log(*texts)
    assert [line.device_tokens_per_second for line in found.lines] == [101, 101, 101]
    assert found.other_ranks == 3


@pytest.mark.parametrize("content", ["", "hello\nworld", '{"step": 1}', "iteration 5 | done", "step: 3 loss: 2.0"])
def test_an_unknown_format_says_what_is_known(log, content):
    with pytest.raises(UserError, match=r"no line of a known format.*Megatron-LM"):
        log(content)


def test_a_format_that_does_not_fit(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(NEW)
    with pytest.raises(UserError, match="no step of a torchtitan log"):
        read([path], "torchtitan")
    with pytest.raises(UserError, match="give one of megatron"):
        read([path], "nemo")
    assert read([path], "MindSpeed").lines[0].step == 71


def test_no_file(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read([tmp_path / "none.log"])


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "run.log"
    path.write_bytes(b"\xff\xfe\x00" + NEW.encode())
    assert read([path]).lines[0].step == 71


@given(
    times=st.lists(st.floats(0.1, 1e6), min_size=1, max_size=20),
    batch=st.integers(1, 10**5),
    interval=st.integers(1, 100),
)
def test_what_was_written_is_read(tmp_path_factory, times, batch, interval):
    path = tmp_path_factory.mktemp("log") / "run.log"
    path.write_text("\n".join(megatron(interval * place, time, batch) for place, time in enumerate(times, start=1)))
    found = read([path])
    assert [line.seconds for line in found.lines] == [float(f"{time:.1f}") / 1000 for time in times]
    assert {line.samples for line in found.lines} == {batch}
    assert [line.step for line in found.lines] == [interval * place for place in range(1, len(times) + 1)]
    assert not any(line.repeated for line in found.lines)
    assert found.attempts == 1 and found.gaps == 0 and found.cut_off == 0


def test_several_files_are_attempts_of_one_run(tmp_path):
    """The second goes on where the first ended, the third does a step again."""
    for name, steps in (("a", (1, 2, 3)), ("b", (4, 5)), ("c", (5, 6))):
        (tmp_path / name).write_text("\n".join(map(megatron, steps)))
    found = read([tmp_path / name for name in "abc"])
    assert [line.attempt for line in found.lines] == [1, 1, 1, 2, 2, 3, 3]
    assert [line.repeated for line in found.lines] == [False] * 4 + [True, False, False]
    assert found.gaps == 0


def test_a_log_of_many_lines_takes_no_time(tmp_path):
    path = tmp_path / "run.log"
    path.write_text("\n".join(megatron(step) for step in range(1, 5_001)))
    start = time.perf_counter()
    assert len(read([path]).lines) == 5_000
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"\xff\xfei\0", b"\xfe\xff\0i"])
def test_what_is_no_text_is_named_with_the_mend(tmp_path, start):
    path = tmp_path / "run.log"
    path.write_bytes(start + bytes(range(256)))
    with pytest.raises(UserError, match=r"run\.log: is .*, not a log in UTF-8; (unpack|convert) it"):
        read([path])


@pytest.mark.parametrize("batch", [-4, 0])
def test_a_batch_that_cannot_be_is_none(log, batch):
    assert [line.samples for line in log(*(megatron(step, batch=batch) for step in (1, 2))).lines] == [None, None]


def test_a_time_that_is_no_measurement_is_cut_off(log):
    with pytest.raises(UserError, match="2 lines are cut off"):
        log(*(megatron(step).replace("1000.0", "1e-320") for step in (1, 2)))


def test_thousands_of_restarts_are_read_in_proportion(log):
    started = time.perf_counter()
    found = log(*(megatron(step) for _ in range(5000) for step in (1, 2, 3)))
    assert time.perf_counter() - started < 20
    assert found.attempts == 5000
    assert [line.repeated for line in found.lines[-6:]] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("value", ["Infinity", "NaN", "1e999", "-1", "0", "null", '"a"', "[]", "1" + "0" * 400])
@pytest.mark.parametrize("key", ["step", "tokens", "seconds"])
def test_metrics_that_are_no_measurement_are_cut_off(log, key, value):
    good = '{"step": 1, "tokens": 100, "seconds": 1.5}'
    odd = "{" + ", ".join(f'"{name}": {value if name == key else 2}' for name in ("step", "tokens", "seconds")) + "}"
    found = log(good, odd)
    assert len(found.lines) == 1 and found.cut_off == 1
