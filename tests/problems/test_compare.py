"""The command that compares two model files."""

import subprocess
import sys

import pytest

from trex.problems.formats import lp, mps
from trex.problems.ir import Model


def model(need: float = 7) -> Model:
    made = Model()
    x, y = made.add_variable("x"), made.add_variable("y", "integer")
    made.add_row({x: 1, y: 2}, lb=need, name="need")
    made.set_objective("min", {x: 3, y: 2})
    return made


@pytest.fixture
def run(tmp_path):
    (tmp_path / "a.lp").write_text(lp.write(model()), encoding="utf-8")
    (tmp_path / "b.mps").write_text(mps.write(model()), encoding="utf-8")
    (tmp_path / "other.lp").write_text(lp.write(model(need=8)), encoding="utf-8")
    (tmp_path / "broken.lp").write_text("Minimize\n x +\nEnd\n", encoding="utf-8")

    def compared(a: str, b: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "trex.problems.compare", a, b]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return compared


def test_the_same_in_another_format(run):
    found = run("a.lp", "b.mps")
    assert (found.returncode, found.stdout) == (0, "isomorphic\n")


def test_what_differs_is_said(run):
    found = run("other.lp", "a.lp")
    assert found.returncode == 1
    assert found.stdout.startswith("wrong_coefficient: ") and "need" in found.stdout


@pytest.mark.parametrize(("file", "reason"), [("broken.lp", "line "), ("none.lp", "none.lp"), ("a.txt", ".lp or .mps")])
def test_what_cannot_be_read(run, file, reason):
    found = run("a.lp", file)
    assert (found.returncode, found.stdout) == (2, "")
    assert file in found.stderr and reason in found.stderr and "Traceback" not in found.stderr
