"""The command line: one's own layout, or the table of a run."""

import subprocess
import sys

import pandas as pd
import pytest

from trex.accounting import project
from trex.accounting.planning.setting import COLUMNS
from trex.common import files
from trex.common.errors import UserError


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["project", *arguments])
    project.main()


def test_the_table_of_a_run(monkeypatch, tmp_path, capsys):
    out = tmp_path / "projection.csv"
    call(monkeypatch, "--settings", '{"samples": 2000}', "--seed", "3", "--out", str(out))
    assert capsys.readouterr().out.startswith("projection: ")
    frame = pd.read_csv(out)
    assert list(frame.columns) == list(COLUMNS)
    assert set(frame["group"]) == {"published_run", "trex_ladder", "what_if"}
    assert frame[["scenario", "quantity", "unit", "basis", "validated"]].notna().all(axis=None)
    assert not frame.duplicated(["scenario", "quantity"]).any()
    said = frame.dropna(subset="median")
    assert ((said["low"] <= said["median"]) & (said["median"] <= said["high"])).all()
    assert files.read_json(files.sidecar(out))["provenance"]["seed"] == 3


def test_a_layout_of_ones_own(monkeypatch, capsys):
    call(monkeypatch, "--preset", "trex-pro-sft", "--tokens-per-second", "308", "--what-if", "links=0.5")
    printed = capsys.readouterr().out
    assert "Not validated" in printed
    own = next(line for line in printed.splitlines() if line.startswith("as given"))
    assert "25.6%" in own
    assert "x1.00 x1.00 x1.00" in own
    assert "links=0.5" in printed


def test_a_layout_without_a_measurement(monkeypatch, capsys):
    layout = "devices=64,pipeline=4,expert=16,global_batch=64,recomputation=full,distributed_optimizer=true"
    call(monkeypatch, "--model", "v4-flash", "--device", "h100", "--layout", layout)
    assert "Nothing was measured" in capsys.readouterr().out


WRONG = {
    "": "give --preset",
    "--model v4-pro": "--device",
    "--preset trex-pro-sft --layout tensr=4": "did you mean",
    "--preset trex-pro-sft --layout tensor": "name=value",
    "--preset trex-pro-sft --layout tensor=x": "a whole number",
    "--preset trex-pro-sft --layout swap_optimizer=maybe": "true or false",
    "--preset trex-pro-sft --layout chunk_layers=a:b": "colons",
    "--preset trex-pro-sft --what-if expert=7": "expert",
    "--preset trex-pro-sft --what-if links=0": "above 0",
    "--preset trex-pro-sft --what-if links=nan": "above 0",
    "--preset trex-pro-sft --what-if devices=20480": "at most 10,000",
    "--preset trex-pro-sft --what-if context=2": "context",
    "--preset trex-pro-sft --tokens-per-second 9000": "only 0 samples",
    "--preset trex-pro-sft --out x.csv": "leave one out",
    "--model v4-pro --device h100 --layout tensor=2": "lacks devices, global_batch",
    "--model v5 --device h100 --layout devices=8,global_batch=8": "known",
    "--model v4-pro --device h1000 --layout devices=8,global_batch=8": "h100",
    '--preset trex-pro-sft --settings {"samples":10}': "1,000",
    "--preset trex-pro-sft --settings {}": "samples",
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.items(), ids=WRONG)
def test_what_is_wrong_is_one_clear_line(monkeypatch, arguments, message):
    with pytest.raises(UserError, match=message) as error:
        call(monkeypatch, *arguments.split())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["0", "-3", "nan", "many"])
def test_a_rate_that_is_none(monkeypatch, capsys, value):
    with pytest.raises(SystemExit) as error:
        call(monkeypatch, "--preset", "trex-pro-sft", f"--tokens-per-second={value}")
    assert error.value.code == 2
    assert "--tokens-per-second" in capsys.readouterr().err


def test_neither_torch_nor_snakemake_is_imported():
    code = "import sys, trex.accounting.project; sys.exit(bool({'torch', 'snakemake'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
