"""The command that says whether a layout fits."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from trex.accounting import fit
from trex.accounting.counting.read import architecture
from trex.accounting.planning import memory
from trex.accounting.planning.presets import PRESETS
from trex.common.errors import UserError

PAGE = Path(__file__).parents[2] / "docs/accounting.md"


def answer(monkeypatch, capsys, *flags):
    """What the command prints, within this process."""
    monkeypatch.setattr(sys, "argv", ["fit", *flags])
    fit.main()
    return capsys.readouterr().out


def test_released_layout(monkeypatch, capsys, tmp_path):
    path = tmp_path / "fit.csv"
    text = answer(monkeypatch, capsys, "--preset", "trex-pro-cpt", "--out", str(path))
    assert "FITS" in text and "First to break: recomputation none" in text
    assert "Beside it, in the host's memory: 38.7 GB a rank" in text
    table = pd.read_csv(path)
    assert set(table.pipeline_rank) == set(range(8))
    assert (table.bytes_at_least <= table.bytes_at_most).all()
    assert json.loads((tmp_path / "fit.csv.meta.json").read_text())["provenance"]


def test_flags_go_before_the_preset(monkeypatch, capsys):
    text = answer(monkeypatch, capsys, "--preset", "trex-pro-cpt", "--no-swap-optimizer")
    assert "DOES NOT FIT: optimizer breaks first" in text
    assert text[text.index("The fewest changes") :].splitlines()[2].startswith("swap_optimizer ")


def test_tensors_of_each_kind_of_layer(monkeypatch, capsys):
    text = answer(monkeypatch, capsys, "--preset", "trex-flash-cpt", "--tensors")
    for title in (
        "2 layers like layer 0",
        "21 layers like layer 2",
        "20 layers like layer 3",
        "multi-token prediction",
    ):
        assert title in text
    streams = next(line for line in text.splitlines() if line.startswith("layer_streams"))
    assert streams.split()[2:4] == [f"{4 * 4096 * 4096 * 2 / 1e6:.1f}", "sequence"]


def test_between_the_bounds(monkeypatch, capsys):
    text = answer(monkeypatch, capsys, "--preset", "trex-pro-cpt", "--no-sequence-parallel")
    assert "MAY FIT" in text and "gradients" in text


def test_a_model_on_devices_of_a_given_memory(monkeypatch, capsys):
    flags = ["--model", "mixtral-8x7b", "--memory-gb", "80", "--devices", "16", "--expert", "8", "--json"]
    found = json.loads(answer(monkeypatch, capsys, *flags, "--distributed-optimizer", "--optimizer", "muon"))
    assert found["model"] == "mixtral-8x7b" and found["capacity_bytes"] == 80 * 10**9
    assert found["layout"]["global_batch"] == 2 * 16
    assert found["verdict"] in ("fits", "may fit", "does not fit")


def test_far_too_few_devices(monkeypatch, capsys):
    text = answer(monkeypatch, capsys, "--model", "v4-pro", "--device", "h100", "--devices", "8", "--expert", "8")
    assert "DOES NOT FIT: weights breaks first" in text
    assert "Weights and gradients alone take 120 such devices" in text


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "which model?"),
        (["--model", "v4-pro"], "how many devices?"),
        (["--model", "v4-pro", "--devices", "8"], "how much memory?"),
        (["--model", "v5", "--devices", "8", "--device", "h100"], "known are v4-flash"),
        (["--model", "v4-pro", "--devices", "8", "--device", "h10"], "is not in hardware.yaml"),
        (["--preset", "trex-pro-cpt", "--tensor", "3"], "does not divide 512 devices"),
        (["--preset", "trex-pro-cpt", "--chunk-layers", "3,4"], "chunk_layers has 2 entries"),
        (["--preset", "trex-pro-cpt", "--master-bytes", "-1"], "master_bytes is -1"),
        (["--preset", "trex-pro-cpt", "--hardware", "nowhere.yaml"], "no such file"),
    ],
)
def test_bad_input_is_one_clear_line(monkeypatch, capsys, flags, message):
    monkeypatch.setattr(sys, "argv", ["fit", *flags])
    with pytest.raises(SystemExit) as stopped:
        fit.cli.run(fit.main)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "flags",
    [
        ["--preset", "trex-huge"],
        ["--devices", "0"],
        ["--imbalance", "0.5"],
        ["--imbalance", "much"],
        ["--memory-gb", "inf"],
        ["--chunk-layers", "3,x"],
    ],
)
def test_bad_values_are_refused(monkeypatch, capsys, flags):
    monkeypatch.setattr(sys, "argv", ["fit", *flags])
    with pytest.raises(SystemExit) as stopped:
        fit.main()
    assert stopped.value.code == 2


def test_loads_without_torch_or_snakemake():
    code = "import sys, trex.accounting.fit; sys.exit(bool({'torch', 'snakemake', 'altair'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_runs_by_hand():
    command = [sys.executable, "-m", "trex.accounting.fit", "--preset", "trex-flash-sft", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "fits"


@pytest.mark.parametrize(
    ("preset", "flags", "told"),
    [
        ("trex-pro-cpt", {}, "{} GB on the worst rank for pre-training"),
        ("trex-pro-sft", {}, "{} for fine-tuning"),
        ("trex-pro-cpt", {"recomputation": "none"}, "| full recomputation | {} "),
        ("trex-pro-cpt", {"recomputation": "selective"}, "(selective: {})"),
        ("trex-pro-cpt", {"distributed_optimizer": False, "swap_optimizer": False}, "with it swapping | {} |"),
        ("trex-pro-cpt", {"swap_optimizer": False}, "| swapped optimizer | {} |"),
        ("trex-pro-cpt", {"sequence_parallel": False}, "| sequence parallelism | {} |"),
    ],
)
def test_figures_of_the_page(preset, flags, told):
    layout = dataclasses.replace(PRESETS[preset].layout, **flags)
    peak = memory.worst(memory.ranks(architecture(PRESETS[preset].model), layout)).peak
    assert told.format(f"{peak.low / 1e9:.0f} to {peak.high / 1e9:.0f}") in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "flags",
    [
        ("--memory-gb", "1e300"),
        ("--memory-gb", "1e-12"),
        ("--memory-gb", "nan"),
        ("--memory-gb", "80", "--imbalance", "1e300"),
        ("--memory-gb", "80", "--imbalance", "0.5"),
        ("--memory-gb", "80", "--devices", "9" * 400),
    ],
)
def test_extreme_numbers_are_refused(monkeypatch, capsys, flags):
    with pytest.raises((SystemExit, UserError)):
        answer(monkeypatch, capsys, "--model", "v4-flash", "--devices", "8", *flags)
