"""What docs/accounting.md says of the MFU command: its examples run, and print the lines quoted after them."""

import itertools
import re
import shlex
import sys
from pathlib import Path

import pytest

from trex.accounting import mfu

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/accounting.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMAND = "python -m trex.accounting.mfu "
EXAMPLES = [
    (command.replace("\\\n", " "), quoted)
    for command, quoted in itertools.pairwise(BLOCKS)
    if command.startswith(COMMAND)
]


def test_there_are_examples():
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize(("command", "quoted"), EXAMPLES, ids=[command[:90] for command, _ in EXAMPLES])
def test_an_example_prints_what_the_page_quotes(command, quoted, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", shlex.split(command)[2:])
    mfu.main()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == quoted.splitlines()[0]
    assert [line for line in quoted.splitlines() if line not in (*printed, "...")] == []
