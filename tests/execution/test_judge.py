"""The process that solves and compares: the same results as here, and an outcome when it crashes, hangs or swells."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from trex.execution import judge
from trex.execution.judge import Comparison, Judge
from trex.problems.comparison.canonical import certificate, compare
from trex.problems.ir import Model
from trex.problems.solve import solve

# A judge whose solving does what the variable's name says.
MISBEHAVING = """
import ctypes, os, sys, time
from trex.execution import judge

def misbehave(model, **options):
    name = model.variables[0].name
    if name == "crash":
        ctypes.string_at(0)
    if name == "hang":
        while True:
            pass
    if name == "swell":
        hoard = bytes(4 << 30)
    if name == "raise":
        raise ArithmeticError(name)
    if name == "print":
        os.write(1, b'{"status": "optimal", "objective": 42}\\n')
    if name == "files":
        import tempfile
        tempfile.mkstemp()
        os.abort()
    return judge.solved(model, **options)

judge.TASKS["solve"] = misbehave
judge.serve(int(sys.argv[1]))
"""


def model(name: str = "x", upper: float = 7.0) -> Model:
    built = Model()
    x = built.add_variable(name, "integer", 0, upper)
    y = built.add_variable("y")
    built.add_row({x: 2, y: 1}, ub=10, name="hours")
    built.set_objective("max", {x: 3, y: 2}, constant=5)
    return built


@pytest.fixture(scope="module")
def usual():
    with Judge() as started:
        yield started


@pytest.fixture
def misbehaving(monkeypatch):
    monkeypatch.setattr(judge, "COMMAND", [sys.executable, "-c", MISBEHAVING])
    monkeypatch.setattr(judge, "GRACE_S", 0.2)
    with Judge(memory_mb=2048) as started:
        yield started


@pytest.mark.parametrize("solver", ["gscip", "highs"])
@pytest.mark.parametrize("upper", [0, 7, 1e30])
def test_solutions_are_those_of_this_process(usual, solver, upper):
    assert usual.solve(model(upper=upper), solver, 10.0) == solve(model(upper=upper), solver, 10.0)


def test_comparisons_are_those_of_this_process(usual):
    assert usual.compare(model(), model("other")) == Comparison("isomorphic")
    difference = compare(model(), model(upper=6))
    assert usual.compare(model(), model(upper=6)) == Comparison("different", difference.kind, difference.text)


def test_what_cannot_be_compared_is_undecided(usual):
    curved = model()
    curved.set_objective("min", {}, nonlinear=("exp", ("variable", 0)))
    comparison = usual.compare(model(), curved)
    assert (comparison.outcome, comparison.isomorphic) == ("undecided", False)
    assert comparison.text


def test_what_a_task_raises_is_an_error(usual):
    solution = usual.solve(model(), "abacus", 1.0)
    assert (solution.status, solution.objective) == ("error", None)
    assert "abacus" in solution.detail


@pytest.mark.parametrize(
    ("name", "status", "detail"),
    [
        ("crash", "error", "signal 11"),
        ("hang", "limit", "no answer"),
        ("swell", "limit", "out of memory"),
        ("raise", "error", "ArithmeticError"),
    ],
)
def test_misbehaviour_is_an_outcome_and_the_next_question_is_answered(misbehaving, name, status, detail):
    solution = misbehaving.solve(model(name), "gscip", 0.1 if name == "hang" else 10.0)
    assert (solution.status, solution.objective) == (status, None)
    assert detail in solution.detail
    assert misbehaving.solve(model(), "gscip", 10.0).objective == 25


def test_what_is_printed_is_no_answer(misbehaving):
    assert misbehaving.solve(model("print"), "gscip", 10.0).objective == 25


def test_a_judge_killed_while_idle_costs_nothing(usual):
    usual.solve(model(), "gscip", 10.0)
    usual.process.kill()
    usual.process.wait()
    assert usual.solve(model(), "gscip", 10.0).objective == 25


def test_a_comparison_that_does_not_end_is_undecided(usual):
    comparison = usual.compare(model(), model(), wall_s=1e-6)
    assert (comparison.outcome, comparison.isomorphic) == ("undecided", False)


def test_several_threads_with_a_judge_each():
    def solved(upper: int) -> float:
        with Judge() as own:
            return own.solve(model(upper=upper), "gscip", 10.0).objective

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(solved, (1, 2))) == [solve(model(upper=upper)).objective for upper in (1, 2)]


def test_nothing_is_left(misbehaving, descendants):
    before, descriptors = descendants(), len(os.listdir("/proc/self/fd"))
    with Judge() as own:
        for name in ("files", "hang", "x"):
            own.solve(model(name), "gscip", 0.1)
        process, folder = psutil.Process(own.process.pid), own.folder.name
        assert os.listdir(folder)
    assert not process.is_running()
    assert not os.path.exists(folder)
    assert descendants() == before
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_it_ends_with_its_asker(tmp_path):
    asker = (
        "import os\nfrom trex.execution.judge import Judge\nfrom trex.problems.ir import Model\n"
        "judge = Judge().__enter__()\nmodel = Model()\nmodel.add_variable('x')\njudge.solve(model)\n"
        "print(judge.process.pid, flush=True)\njudge.folder.cleanup()\nos._exit(0)"
    )
    pid = int(subprocess.run([sys.executable, "-c", asker], capture_output=True, check=True).stdout)
    if psutil.pid_exists(pid):
        psutil.wait_procs([psutil.Process(pid)], timeout=10)
    assert not psutil.pid_exists(pid)


def test_a_model_is_verified_and_certified_as_here(usual):
    assert usual.verify(model()).reason == "accepted"
    assert usual.verify(model()).objective == pytest.approx(25.0)
    impossible = model()
    impossible.add_row({0: 1}, lb=8)
    assert usual.verify(impossible).reason == "infeasible"
    assert usual.certificate(model("a")) == usual.certificate(model("b")) == certificate(model())
    assert usual.certificate(model(upper=2.0)) != certificate(model())


@pytest.mark.parametrize(("name", "reason"), [("crash", "solver_error"), ("hang", "limit")])
def test_what_cannot_be_verified_is_told(monkeypatch, name, reason):
    hostile = MISBEHAVING.replace('judge.TASKS["solve"]', 'judge.TASKS["verify"] = judge.TASKS["certify"]')
    monkeypatch.setattr(judge, "COMMAND", [sys.executable, "-c", hostile])
    monkeypatch.setattr(judge, "GRACE_S", 1.0)
    with Judge() as misbehaving:
        assert misbehaving.verify(model(name), 0.01).reason == reason
        assert misbehaving.certificate(model(name), 1.0) is None
