"""The checks of `make lint`, and that the lists of libraries agree."""

import itertools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "snakefmt": ["snakefmt", "--check", "Snakefile", "workflow/rules"],
    "snakemake --lint": ["snakemake", "--lint"],
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS)
def test_style(command):
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def pins():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith(("#", "-e")))


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    assert {re.match(r"[\w-]+", name).group() for name in named} - pins().keys() == set()


def test_the_environment_of_the_rules_has_the_same_pins():
    environment = yaml.safe_load((ROOT / "workflow/envs/trex.yaml").read_text(encoding="utf-8"))
    listed = dict(line.split("==") for line in environment["dependencies"][-1]["pip"])
    assert listed.items() <= pins().items()
    not_for_jobs = {"snakemake", "pytest", "pytest-xdist", "hypothesis", "ruff", "snakefmt"}
    assert pins().keys() - listed.keys() == not_for_jobs
