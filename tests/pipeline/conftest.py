"""Copies of this repository in which tests run the real `snakemake`."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml
from snakemake.utils import update_config

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests/pipeline/tiny.yaml"
# Words that no own text holds, to find out where a benchmark's text goes.
BENCHMARK_TEXT = "Quuxfeld Zinnobermill"
CODE = """```python
from ortools.math_opt.python import mathopt
model = mathopt.Model()
x = model.add_integer_variable(lb=0, name="x")
model.add_linear_constraint(2 * x <= 15)
model.maximize(x)
```"""
OWN_ANSWERS = (("knapsack-0000", CODE), ("assignment-0000", "No idea."), ("assignment-0000", CODE))
OWN_RESPONSES = [{"id": name, "response": text} for name, text in OWN_ANSWERS]
PUBLIC_RESPONSES = [{"id": 0, "response": CODE}]  # right: 7
NOT_COPIED = shutil.ignore_patterns(".*", "results", "__pycache__", "*.egg-info", "build", "dist")
SNAKEMAKE = Path(sys.executable).parent / "snakemake"


class Checkout:
    """A copy of the repository whose default config is the tiny one, and the commands run in it.

    Only the system's programs are on the path: the interpreter that runs Snakemake must find the rest by itself.
    """

    def __init__(self, source: Path, folder: Path):
        self.folder = folder
        shutil.copytree(source, folder)
        values = yaml.safe_load((folder / "config/config.yaml").read_text(encoding="utf-8"))
        update_config(values, yaml.safe_load(TINY.read_text(encoding="utf-8")))
        # By its absolute path, which must not reach the archive.
        values["evaluation"]["benchmarks"] = {"nl4opt": str(folder / "benchmark")}
        # An outside model that has answered two items of an own suite, one of them twice, and one of the benchmark's.
        responses = {"in_distribution": OWN_RESPONSES, "nl4opt": PUBLIC_RESPONSES}
        values["evaluation"]["models"] = {"theirs": {"responses": {}}}
        for suite, rows in responses.items():
            path = folder / f"theirs {suite}.jsonl"
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
            values["evaluation"]["models"]["theirs"]["responses"][suite] = str(path)
        (folder / "config/config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
        (folder / "benchmark").mkdir()
        items = {
            "en_question": [f"{BENCHMARK_TEXT} makes {n} units. How many?" for n in (7, 8)],
            "en_answer": ["7", "8"],
        }
        pd.DataFrame(items).to_parquet(folder / "benchmark/test.parquet")

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return kept | {"PATH": os.defpath, "HOME": str(self.folder / ".home"), "LC_ALL": "C"}

    def start(self, *arguments: str) -> subprocess.Popen:
        """`snakemake ARGUMENTS`, in a session of its own so that it can be killed with all that it started."""
        return subprocess.Popen(
            [SNAKEMAKE, *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def snakemake(self, *arguments: str, code: int = 0) -> str:
        """What it printed. Fails where the exit code is another one."""
        process = self.start(*arguments)
        text, _ = process.communicate()
        assert process.returncode == code, text
        return text

    def kill_when(self, appears: str, *arguments: str) -> None:
        """Start a run; once the file appears, end everything at once with SIGKILL, as a machine that goes down."""
        process = self.start(*arguments)
        deadline = time.monotonic() + 300
        while not (self.folder / appears).exists():
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < deadline, f"{appears} never appeared"
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def would_run(self) -> set[str]:
        """The rules that another `snakemake` would run, without the target."""
        return set(re.findall(r"^(?:local)?rule (\w+):", self.snakemake("--dry-run"), re.M)) - {"all"}

    def write(self, path: str, text: str) -> None:
        (self.folder / path).write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    """The repository as it was when the tests began, so that all copies are of the same code."""
    folder = tmp_path_factory.mktemp("source") / "trex"
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    (folder / "results").mkdir()
    shutil.copy(ROOT / "results/README.md", folder / "results")
    return folder


@pytest.fixture(scope="session")
def finished(source, tmp_path_factory) -> Checkout:
    """A copy in which plain `snakemake` has run to the end."""
    copy = Checkout(source, tmp_path_factory.mktemp("with a space and ümlaut") / "T-Rex mini")
    copy.snakemake()
    return copy


@pytest.fixture(scope="session")
def unused(source, tmp_path_factory) -> Checkout:
    """A copy in which nothing has run, for tests that leave it so."""
    return Checkout(source, tmp_path_factory.mktemp("unused") / "copy")


@pytest.fixture
def fresh(source, tmp_path) -> Checkout:
    """A copy in which nothing has run, for one test."""
    return Checkout(source, tmp_path / "copy")
