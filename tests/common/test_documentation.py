"""What the documents name exists: files, commands, targets."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "config/README.md", ROOT / "results/README.md"]
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in DOCUMENTS}
ALL = "\n".join(TEXTS.values())
STEPS = sorted(set(re.findall(r"python -m (trex\.[a-z_.]+[a-z_])", ALL)) - {"trex.room.step"})


@pytest.mark.parametrize("document", TEXTS)
def test_linked_files_exist(document):
    links = re.findall(r"\]\(([^)#]+)\)", TEXTS[document])
    folder = (ROOT / document).parent
    missing = [link for link in links if not link.startswith("https://") and not (folder / link).exists()]
    assert missing == []


def test_named_paths_exist():
    named = re.findall(r"`((?:workflow|config|docs|tests|profiles)/[\w./-]+)`", ALL)
    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("step", STEPS)
def test_named_commands_have_help(step):
    done = subprocess.run([sys.executable, "-m", step, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "usage:" in done.stdout


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z]+)`", ALL):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_snakemake_targets_exist():
    snakefile = (ROOT / "Snakefile").read_text(encoding="utf-8")
    named = re.search(r"snakemake data +# or: ([\w, ]+)", TEXTS["README.md"]).group(1).split(", ")
    assert all(f"rule {target}:" in snakefile for target in ["all", "data", *named])
