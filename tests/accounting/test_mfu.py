"""The command: its answer, its files, its refusals; without torch and Snakemake."""

import json
import subprocess
import sys

import pytest

from trex.accounting import mfu
from trex.common import cli

PRO = ("--model", "v4-pro", "--sequence-length", "4096", "--devices", "1")
RATE = ("--tokens-per-second", "308")
PEAK = ("--peak-tflops", "376")
LINE = (
    " [2024-04-06 03:{minute:02d}:12] iteration {step:8d}/     100 | consumed samples: 9088 | elapsed time per "
    "iteration (ms): {time:.1f} | throughput per GPU (TFLOP/s/GPU): {tflops:.1f} | global batch size: {batch:5d} | "
    "lm loss: 1.8E+00 | number of skipped iterations: {skipped:3d} | number of nan iterations:   0 |"
)


def line(step, time=60_000.0, tflops=200.0, batch=128, skipped=0):
    return LINE.format(minute=step % 60, step=step, time=time, tflops=tflops, batch=batch, skipped=skipped)


@pytest.fixture
def call(monkeypatch, capsys):
    """Runs the command in this process; (exit code, what it printed, what it complained)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["mfu", *map(str, arguments)])
        code = 0
        try:
            cli.run(mfu.main)
        except SystemExit as error:
            code = error.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def mixtral(tmp_path):
    """A log of 40 steps, of which some are slow, skipped, or done again."""
    path = tmp_path / "run.log"
    steps = [line(step, time=600_000 if step == 25 else 60_000) for step in range(1, 31)]
    steps += [line(step, skipped=step == 38) for step in range(29, 41)]
    path.write_text("\n".join(["  seq_length ..... 4096", "  world_size ..... 16", *steps, line(41)[:60]]))
    return path


def test_the_answer_comes_first(call):
    code, out, _ = call(*PRO, *RATE, *PEAK)
    assert code == 0
    assert out.startswith("MFU 25.6% of 376 TFLOP/s by exact_visible_pairs (312.5 GFLOP a token)\n")
    assert "24.0% to 27.6% over 12 conventions and 1 peak" in out
    assert "HFU 25.6% if nothing is recomputed, 34.0% if all layers are" in out


def test_every_convention_and_peak_says_its_source(call):
    _, out, _ = call(*PRO, *RATE, "--device", "ascend-910c-die")
    for said in ("veomni", "megatron_mtp", "torchtitan", "6n", "[arXiv 2001.08361", "2506.12708", "of 354", "of 400"):
        assert said in out


def test_the_given_peak_is_before_the_device_s(call):
    _, out, _ = call(*PRO, *RATE, "--peak-tflops", "300", "--device", "ascend-910c-die", "--json")
    assert [peak["value"] for peak in json.loads(out)["peaks"]] == [300, 376, 354, 390, 400]


def test_step_time_and_batch(call):
    arguments = ("--model", "v4-pro", "--sequence-length", 4096, "--devices", 512, "--step-time", 26.6)
    _, out, _ = call(*arguments, "--global-batch", 1024, *PEAK, "--recompute", "full", "--json")
    found = json.loads(out)
    assert found["mfu"] == pytest.approx(0.256, abs=5e-4)
    assert found["hfu"] == found["hfu_if_full_recomputation"] == pytest.approx(0.340, abs=5e-4)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ((), "No peak: give --device"),
        (("--device", "ascend-910c-die", "--dtype", "fp8"), "No fp8 peak of ascend-910c-die is known"),
    ],
)
def test_without_a_peak_it_is_not_available_and_why(call, more, why):
    code, out, _ = call(*PRO, *RATE, *more)
    assert code == 0
    assert out.startswith("MFU N/A, for want of a peak: 96.2 TFLOP/s a device")
    assert why in out
    _, out, _ = call(*PRO, *RATE, *more, "--json")
    assert json.loads(out)["mfu"] is None


def test_an_unverified_peak_says_so(call, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("sources: {}\ndevices: {x: {name: X, peak_tflops: {bf16: {value: 500, unverified: true}}}}")
    _, out, _ = call(*PRO, *RATE, "--hardware", path, "--device", "x")
    assert "The peak of 500 TFLOP/s is unverified" in out


def test_more_than_the_peak_is_called_impossible(call):
    assert "IMPOSSIBLE" in call(*PRO, "--tokens-per-second", 3000, *PEAK)[1]


def test_a_log(call, mixtral, tmp_path):
    out = tmp_path / "out"
    code, text, _ = call("--model", "mixtral-8x7b", "--log", mixtral, "--device", "h100", "--out", out)
    assert code == 0
    rate = 128 * 4096 / 60
    assert f"{rate:,.0f} tokens/s" in text
    assert "left out of these: 19 warm-up, 1 outlier, 2 repeated, 1 skipped" in text
    assert "lost: 2 repeated, 1 skipped, 0 NaN of 42 steps" in text
    assert "2 attempts (restarts: one less), 1 lines cut off" in text
    assert {path.name for path in out.iterdir()} >= {"mfu.json", "mfu.csv", "steps.csv", "mfu.html"}
    found = json.loads((out / "mfu.json").read_text())
    assert found["log"]["attempts"] == 2
    assert found["log"]["goodput"]["tokens_per_second"] < found["tokens_per_second"]
    assert found["provenance"]["step"] == "trex.accounting.mfu"
    assert (out / "steps.svg").read_text().startswith("<svg")


def test_a_log_that_disagrees_with_itself_is_called_so(call, mixtral):
    _, out, _ = call("--model", "mixtral-8x7b", "--log", mixtral, "--device", "h100")
    assert "CHECK: the log's own TFLOP/s are" in out
    assert "no convention explains it" in out


def test_our_own_metrics_against_a_measured_peak(call, tmp_path):
    metrics, peak = tmp_path / "metrics.jsonl", tmp_path / "peak.json"
    records = [{"step": step, "tokens": 512 * step, "seconds": 2.0 * step, "loss": 3.0} for step in range(1, 31)]
    metrics.write_text("\n".join(map(json.dumps, records)))
    peak.write_text(json.dumps({"threads": 2, "peak_tflops": {"float32": 0.1}}))
    arguments = ("--model", "v4-flash", "--sequence-length", 512, "--devices", 1, "--log", metrics, "--device", peak)
    _, out, _ = call(*arguments, "--dtype", "float32", "--json")
    found = json.loads(out)
    assert found["tokens_per_second"] == pytest.approx(256)
    assert found["peaks"][0]["source"].startswith("measured, 2 threads")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*PRO, *PEAK), "one of the arguments"),
        ((*PRO, *RATE, "--step-time", "3"), "not allowed with"),
        ((*PRO, "--step-time", "3"), "--step-time needs --global-batch"),
        ((*PRO, *RATE, "--global-batch", "3"), "leave it out"),
        ((*PRO, *RATE, "--format", "megatron"), "--format belongs to --log"),
        ((*PRO, "--tokens-per-second", "0"), "no number above 0"),
        ((*PRO, "--tokens-per-second", "nan"), "no number above 0"),
        ((*PRO, *RATE, "--peak-tflops", "many"), "no number above 0"),
        ((*PRO, *RATE, "--device", "h1000"), "did you mean h100"),
        ((*PRO, *RATE, "--device", "h100", "--dtype", "bf61"), "is not known"),
        ((*PRO, *RATE, *PEAK, "--dtype", "fp8"), "--dtype belongs to --device"),
        ((*PRO, *RATE, *PEAK, "--hardware", "mine.yaml"), "--hardware belongs to --device"),
        (("--model", "v5", "--sequence-length", "8", "--devices", "1", *RATE), "known are"),
        (("--model", "v4-pro", "--devices", "1", *RATE), "--sequence-length and --devices are needed"),
        ((*PRO, "--log", "none.log"), "no such file"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(call, arguments, complaint):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err.splitlines()[-1]


def test_a_log_that_contradicts_the_flags(call, mixtral):
    log = ("--model", "mixtral-8x7b", "--log", mixtral)
    assert "the log says seq_length 4096, --sequence-length says 2048" in call(*log, "--sequence-length", 2048)[2]
    assert "the log says world_size 16, --devices says 8" in call(*log, "--devices", 8)[2]
    mixtral.write_text("  recompute_granularity ..... full\n" + mixtral.read_text())
    assert "recompute_granularity full" in call(*log, "--recompute", "none")[2]


def test_tokens_per_device_that_disagree_are_called_so(call, tmp_path):
    """Primus prints them: with 2048 tokens a sequence they are half of what 4096 would give."""
    path = tmp_path / "run.log"
    text = "iteration {}/ 99 | elapsed time per iteration (ms): 1000.0 | tokens per GPU (tokens/s/GPU): 2048.0 | "
    path.write_text("\n".join(text.format(step) + "global batch size: 16 |" for step in range(50, 56)))
    log = ("--model", "mixtral-8x7b", "--log", path, "--devices", 16)
    assert "tokens/s a device are 0.500 of ours" in call(*log, "--sequence-length", 4096)[1]
    assert "CHECK" not in call(*log, "--sequence-length", 2048)[1]


def test_several_logs(call, tmp_path):
    for name, steps in (("a.log", range(1, 30)), ("b.log", range(25, 60))):
        (tmp_path / name).write_text("\n".join(map(line, steps)))
    logs = (tmp_path / "a.log", tmp_path / "b.log")
    flags = ("--model", "mixtral-8x7b", "--sequence-length", 4096, "--devices", 16)
    code, out, _ = call(*flags, "--device", "h100", "--log", *logs, "--out", tmp_path / "out")
    assert code == 0 and "lost: 5 repeated" in out


def test_what_the_log_says_of_its_training(call, mixtral):
    mixtral.write_text("  recompute_granularity ..... full\n  mtp_num_layers ..... 1\n" + mixtral.read_text())
    _, out, _ = call("--model", "mixtral-8x7b", "--log", mixtral, "--device", "h100")
    assert "with full recomputation of the layers" in out
    assert "mtp_num_layers 1" in out
    mixtral.write_text(mixtral.read_text().replace("full", "selective"))
    assert "selective: HFU lies between" in call("--model", "mixtral-8x7b", "--log", mixtral, "--device", "h100")[1]


def test_a_log_that_says_too_little(call, tmp_path):
    path = tmp_path / "run.log"
    path.write_text(line(1))
    log = ("--model", "mixtral-8x7b", "--log", path)
    assert "--sequence-length is missing" in call(*log)[2]
    assert "--devices is missing" in call(*log, "--sequence-length", 4096)[2]


def test_nothing_is_written_when_it_fails(call, tmp_path):
    code, _, _ = call(*PRO, *RATE, "--device", "none", "--out", tmp_path / "out")
    assert code == 2 and not (tmp_path / "out").exists()


def test_neither_torch_nor_snakemake_nor_a_chart_is_imported():
    heavy = "('torch', 'snakemake', 'transformers', 'altair', 'sympy')"
    code = f"import sys; import trex.accounting.mfu; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
