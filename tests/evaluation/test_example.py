"""The worked example of docs/scoring.md says what the command says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/scoring.md").read_text(encoding="utf-8")


def test_the_page_shows_what_comes_out(tmp_path):
    command = re.search(r"```\n(python -m trex\.evaluation\.score .*?)```", PAGE, re.DOTALL)[1].replace("\\\n", "")
    words = [sys.executable, *shlex.split(command)[1:]]
    words[words.index("bakery-scores")] = str(tmp_path / "out")
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    shown = re.search(r"```\n(bakery: .*?)```", PAGE, re.DOTALL)[1].splitlines()
    assert [line for line in ran.stdout.splitlines() if not line.startswith(("isolation", "written"))] == shown
    rows = pd.read_parquet(tmp_path / "out" / "scores.parquet")
    told = re.findall(r"^\| (\w+) \| (\d) \| (\w+) \|", PAGE, re.MULTILINE)
    found = zip(rows["item_id"], rows["attempt"], rows["failure_class"], strict=True)
    assert told == [(item.removeprefix("bakery/"), str(attempt), name) for item, attempt, name in found]
