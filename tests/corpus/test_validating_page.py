"""docs/validating.md says what the command says, and names every gate."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from trex.corpus import validate

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/validating.md").read_text(encoding="utf-8")


def test_the_page_shows_what_comes_out(tmp_path):
    command = re.search(r"```\n(python -m trex\.corpus\.validate .*?)\n```", PAGE)[1]
    words = [sys.executable, *shlex.split(command)[1:]]
    words[words.index("validated")] = str(tmp_path / "out")
    ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    shown = re.search(r"```\n(line 2 .*?)```", PAGE, re.DOTALL)[1].splitlines()
    cut = shown.index("...")
    said = ran.stdout.splitlines()
    assert said[:cut] == shown[:cut] and said[-1] == shown[-1]


def test_the_page_names_every_gate_by_its_severity():
    failing, warning = re.split(r"a warning is given where", PAGE)
    named = [set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)) for part in (failing, warning)]
    for severity, names in zip((validate.FAILURE, validate.WARNING), named, strict=True):
        assert names == {gate for gate, kind in validate.SEVERITIES.items() if kind == severity}
