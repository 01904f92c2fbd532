"""The sandbox: what programs can hand back, in which class their failures fall, and that nothing accumulates."""

import json
import math
import os
import threading

import psutil
import pytest

from trex.common.errors import UserError
from trex.execution import sandbox
from trex.execution.sandbox import LEVELS, Sandbox


def names(execution: sandbox.Execution) -> list[str]:
    return [variable.name for variable in execution.model.variables] if execution.model else []


def kill_all_of(started: Sandbox) -> None:
    first = psutil.Process(started.worker.process.pid)
    processes = [*first.children(recursive=True), first]
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=5)


def test_probe_names_level_and_reasons(usable):
    found = sandbox.probe()
    assert found["level"] == usable[0]
    assert set(found["refused"]) == set(LEVELS[: LEVELS.index(usable[0])])


def test_a_missing_level_is_passed_over_and_said(monkeypatch, usable):
    monkeypatch.setenv("PATH", "")
    found = sandbox.probe()
    assert found["level"] == next(level for level in usable if level != "bubblewrap")
    assert "bubblewrap" in found["refused"]


def test_without_any_level_it_refuses(monkeypatch, sandbox_settings):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="bubblewrap"), Sandbox(sandbox_settings, ["bubblewrap"]):
        pass


def test_model_comes_back(box, model_code):
    execution = box.run(model_code, {})
    assert execution.status == "ok"
    x, y = execution.model.variables
    assert (x.name, x.kind, x.lb, x.ub, y.kind, y.ub) == ("x", "integer", 0.0, 7.0, "continuous", math.inf)
    assert execution.model.objective.sense == "max"
    assert execution.model.objective.constant == 5.0


def test_model_of_a_function_and_the_main_guard(box, model_code):
    lines = "".join(f"    {line}\n" for line in model_code.splitlines())
    execution = box.run(f"def main():\n{lines}\nif __name__ == '__main__':\n    main()\n", {})
    assert names(execution) == ["x", "y"]


def test_data_file_is_in_the_current_folder(box):
    code = (
        "import json\nfrom ortools.math_opt.python import mathopt\nmodel = mathopt.Model()\n"
        "for name in json.load(open('data.json'))['names']:\n    model.add_variable(name=name)\n"
    )
    assert names(box.run(code, {"data.json": json.dumps({"names": ["ä", "b"]})})) == ["ä", "b"]


def test_the_program_may_solve(box, model_code):
    code = model_code + (
        "assert mathopt.solve(mix, mathopt.SolverType.GSCIP).objective_value() == 25\n"
        "assert mathopt.solve(mix, mathopt.SolverType.HIGHS).objective_value() == 25\n"
    )
    execution = box.run(code, {})
    assert execution.status == "ok", execution.detail


def test_a_file_needs_a_plain_name(box, model_code):
    with pytest.raises(ValueError, match="plain name"):
        box.run(model_code, {"../data.json": "{}"})


@pytest.mark.parametrize(
    ("code", "status", "detail"),
    [
        ("x = = 1", "syntax", "SyntaxError"),
        ("x = 1\0", "syntax", ""),
        ("x = '\ud800'", "syntax", "UnicodeEncodeError"),
        ("(" * 5000, "syntax", ""),
        ("x = 1\ny = 1 / 0", "runtime", "ZeroDivisionError: division by zero (line 2)"),
        ("import gurobipy", "runtime", "ModuleNotFoundError"),
        ("x = 1", "no_model", ""),
        ("class Model:\n    pass\nmodel = Model()", "no_model", ""),
        ("import sys\nsys.exit(3)", "no_model", ""),
        ("def f():\n    f()\nf()", "runtime", "RecursionError"),
        ("import ctypes\nctypes.string_at(0)", "runtime", "signal 11"),
        ("import os\nos.abort()", "runtime", "signal"),
        ("import os\nos._exit(0)", "protocol", "without a result"),
        ("import os\nos._exit(7)", "runtime", "exit code 7"),
        ("class E(Exception):\n    def __str__(self):\n        raise SystemExit\nraise E", "protocol", ""),
        ("raise ValueError('\x1b[31m\\n' + 'x' * 100000)", "runtime", "ValueError"),
    ],
    ids=range(16),
)
def test_failures_have_a_class(box, code, status, detail):
    execution = box.run(code, {})
    assert (execution.status, execution.model) == (status, None)
    assert detail in execution.detail
    assert len(execution.detail) <= sandbox.DETAIL_LENGTH
    assert execution.detail.isprintable()


def test_a_killed_worker_is_replaced_at_the_same_level(usable, sandbox_settings, model_code):
    for level in usable:
        with Sandbox(sandbox_settings, [level]) as started:
            kill_all_of(started)
            assert started.run(model_code, {}).status == "ok"
            assert started.isolation == level


def test_a_worker_killed_at_work_costs_one_program(sandbox_settings, model_code):
    with Sandbox(sandbox_settings) as started:
        killer = threading.Timer(0.5, kill_all_of, [started])
        killer.start()
        assert started.run("import time\ntime.sleep(30)", {}).status == "protocol"
        killer.join()
        assert started.run(model_code, {}).status == "ok"


def test_the_cpu_limit_counts_where_the_wall_clock_does_not(sandbox_settings):
    with Sandbox(sandbox_settings | {"cpu_s": 1, "wall_s": 300}) as started:
        execution = started.run("while True:\n    pass", {})
    assert (execution.status, execution.detail) == ("timeout", "CPU limit")


def test_many_programs_leave_no_descriptor_and_no_process(box, descendants, model_code):
    box.run(model_code, {})
    descriptors, processes = len(os.listdir("/proc/self/fd")), descendants()
    statuses = {box.run(model_code if number % 5 else "x = 1", {}).status for number in range(100)}
    assert statuses == {"ok", "no_model"}
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert descendants() == processes


def test_same_hashes_in_every_process(box, sandbox_settings):
    code = (
        "from ortools.math_opt.python import mathopt\nmodel = mathopt.Model()\n"
        "for name in {'apple', 'pear', 'plum', 'fig', 'quince'}:\n    model.add_variable(name=name)\n"
    )
    with Sandbox(sandbox_settings) as other:
        assert names(box.run(code, {})) == names(other.run(code, {}))
