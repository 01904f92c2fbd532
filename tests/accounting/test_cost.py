"""The command: tables of a run, and what it says on the screen."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from trex.accounting import cost
from trex.common import files

LADDER = pd.DataFrame(
    {
        "model": ["miniature"] * 2,
        "recipe": ["open_source", "ours_plain"],
        "tokens_per_second": [1000.0, 2000.0],
        "tokens_per_second_min": [900.0, 1900.0],
        "tokens_per_second_max": [1100.0, 2100.0],
        "flops_per_token": [6e6, 6e6],
        "mfu": [0.05, 0.1],
        "peak_tflops": [0.2, 0.2],
        "convention": ["exact_visible_pairs"] * 2,
        "watts": [float("nan"), 50.0],
        "watts_min": [float("nan"), 45.0],
        "watts_max": [float("nan"), 60.0],
    }
)


@pytest.fixture
def folder(tmp_path):
    files.write_csv(tmp_path / "ladder.csv", LADDER, {})
    (tmp_path / "sft").mkdir()
    (tmp_path / "sft/metrics.jsonl").write_text('{"tokens": 100, "seconds": 1}\n{"tokens": 3000, "seconds": 2.0}\n')
    return tmp_path


def run(monkeypatch, *arguments):
    """The exit code, 0 where it ends well."""
    monkeypatch.setattr(sys, "argv", ["cost", *map(str, arguments)])
    try:
        cost.cli.run(cost.main)
    except SystemExit as end:
        return end.code
    return 0


def test_the_tables_of_a_run(folder, monkeypatch, capsys):
    paths = {name: folder / f"out/{name}.csv" for name in ("out", "sensitivity", "terms")}
    given = [word for name, path in paths.items() for word in (f"--{name}", path)]
    given += ["--ladder", folder / "ladder.csv", "--metrics", folder / "sft/metrics.jsonl", "--threads", 2]
    assert run(monkeypatch, *given) == 0
    frame = pd.read_csv(paths["out"]).set_index("scenario")
    assert list(frame.columns) == list(cost.COLUMNS[1:])
    assert (frame["price_basis"] == "user-supplied: not given").all() and frame["usd_per_billion_tokens"].isna().all()
    counted, estimated = frame.loc["this machine, ladder: ours_plain"], frame.loc["this machine, ladder: open_source"]
    assert counted["power_basis"].startswith("measured by RAPL") and counted["watts"] == 50
    assert counted["tokens_per_second_per_watt"] == 40
    assert counted["kwh_per_billion_tokens_high"] == pytest.approx(60 / 1900 * 1e9 / 3.6e6)
    assert estimated["power_basis"].startswith("ESTIMATE") and estimated["watts"] == 8
    assert estimated["watts_low"] < 8 < estimated["watts_high"]
    assert frame.loc["this machine, training: sft"]["tokens_per_second"] == 1500
    meta = json.loads((folder / "out/terms.csv.meta.json").read_text())
    assert {"ladder", "metrics", "hardware", "scenarios"} == meta["provenance"]["inputs"].keys()
    assert str(folder) not in "".join(path.read_text() for path in (folder / "out").iterdir())
    assert "ESTIMATE" in capsys.readouterr().out


def test_a_throughput_of_ones_own(monkeypatch, capsys, tmp_path):
    given = ["--tokens-per-second", 308, "--watts", 730, "--usd-per-hour", 2, "--out", tmp_path / "cost.csv"]
    assert run(monkeypatch, *given) == 0
    row = pd.read_csv(tmp_path / "cost.csv").iloc[0]
    assert row["usd_per_billion_tokens"] == pytest.approx(2 / 3600 / 308 * 1e9)
    assert row["tokens_per_second_per_watt"] == pytest.approx(308 / 730) and row["price_basis"] == "user-supplied"
    assert "user-supplied: not given" in capsys.readouterr().out  # of the other devices


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tokens-per-second", 308], "--watts"),
        (["--tokens-per-second", 0], "no number above 0"),
        (["--usd-per-hour", "nan"], "no number above 0"),
        (["--usd-per-hour", "cheap"], "no number above 0"),
        (["--ladder", "none.csv"], "no such file: none.csv"),
        (["--ladder", "sft/metrics.jsonl"], "no ladder.csv"),
        (["--metrics", "ladder.csv"], "ladder.csv"),
        (["--metrics", "empty.jsonl"], "no metrics.jsonl"),
        (["--prices", "none.yaml"], "no such file: none.yaml"),
        (["--model", "v5-pro"], "v5-pro"),
    ],
)
def test_bad_input_is_one_clear_line_and_nothing_is_written(arguments, said, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "empty.jsonl").write_text("")
    assert run(monkeypatch, *arguments, "--out", "cost.csv") == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-1] and not (folder / "cost.csv").exists()


def test_another_model(monkeypatch, tmp_path):
    for name in ("v4-flash", "deepseek-v3"):
        assert run(monkeypatch, "--model", name, "--out", tmp_path / f"{name}.csv") == 0
    flash, other = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("v4-flash", "deepseek-v3"))
    assert (flash["tokens_per_second"] > other["tokens_per_second"]).all()
    assert (flash["break_even_price_ratio"].dropna() > 0).all()
    assert flash["mfu_basis"].str.startswith("assumed").all()  # nobody published it of this model


def test_neither_torch_nor_snakemake_is_imported():
    code = "import sys, trex.accounting.cost; print(sorted({'torch', 'snakemake', 'transformers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
