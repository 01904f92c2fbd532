"""The command that counts one model."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

PAGE = Path(__file__).parents[2] / "docs/accounting.md"


def count(*arguments):
    command = [sys.executable, "-m", "trex.accounting.count", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_table(tmp_path):
    done = count("--model", "v4-pro", "--sequence-length", "4096", "--out", str(tmp_path / "counts.csv"))
    assert done.returncode == 0, done.stderr
    assert "312.4724" in done.stdout and "1,547,396,186,112" in done.stdout and "not derived: maxtext" in done.stdout
    frame = pd.read_csv(tmp_path / "counts.csv")
    parts, totals = frame[frame.component.notna()], frame[frame.convention.notna()].set_index("convention")
    assert parts.parameters.sum() == totals.loc["exact_visible_pairs_mtp"].parameters == 1_598_837_325_086
    main = parts[parts.component != "mtp"]
    assert 3 * main.forward_flops_per_token.sum() == totals.loc["exact_visible_pairs"].train_flops_per_token
    assert round(totals.loc["megatron"].train_flops_per_token / 1e9, 3) == 311.704


def test_the_page_quotes_what_is_printed():
    command, quoted = (
        PAGE.read_text(encoding="utf-8").split("```\npython -m trex.accounting.count ")[1].split("```")[:3:2]
    )
    printed = count(*command.split()).stdout.splitlines()
    assert [line for line in quoted.strip().splitlines() if line not in (*printed, "...")] == []


def test_formulas_of_a_config(tmp_path, tiny):
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    done = count("--model", str(tmp_path / "config.json"), "--sequence-length", "40", "--symbolic")
    assert done.returncode == 0, done.stderr
    assert "embedding = V*d = 976" in done.stdout
    assert "hidden_size" in done.stdout


def test_executed(tmp_path, tiny):
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    done = count("--model", str(tmp_path / "config.json"), "--sequence-length", "40", "--executed")
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
    assert float(rows["window_attention"][3]) > 1 > float(rows["hyper_connections"][3])
    assert rows["lm_head"][3] == "1.000"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "v5"], "known are v4-flash, v4-pro"),
        (["--model", "mixtral-8x7b", "--executed"], "mixtral-8x7b is no DeepSeek-V4"),
        (["--model", "v4-pro", "--symbolic", "--executed"], "not allowed with"),
        (["--model", "v4-pro", "--sequence-length", "0"], "no whole number from 1 on"),
    ],
)
def test_wrong_arguments(arguments, said):
    done = count(*arguments)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_without_torch_or_snakemake():
    code = (
        "import sys, trex.accounting.count, trex.accounting.counting.symbolic;"
        "sys.exit(bool({'torch', 'snakemake'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
