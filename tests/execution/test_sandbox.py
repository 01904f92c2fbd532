"""The sandbox: what programs can hand back, in which class their failures fall, and that nothing accumulates."""

import json
import math
import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from trex.common.errors import UserError
from trex.execution import sandbox
from trex.execution.sandbox import LEVELS, Sandbox

ROOT = Path(__file__).parents[2]


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


def test_the_probe_is_written_without_folders_of_this_machine(tmp_path, monkeypatch, usable):
    monkeypatch.chdir(tmp_path)
    found = {"level": "limits", "seccomp": True, "landlock": True, "refused": {"bubblewrap": f"no {tmp_path}/bwrap"}}
    monkeypatch.setattr(sandbox, "probe", lambda: found)
    monkeypatch.setattr(sys, "argv", ["sandbox", "--out", "isolation.json"])
    sandbox.main()
    written = json.loads((tmp_path / "isolation.json").read_text())
    assert {key: written[key] for key in found} == found | {"refused": {"bubblewrap": "no ./bwrap"}}


@pytest.mark.parametrize("required", LEVELS)
def test_below_the_required_isolation_nothing_is_run(usable, sandbox_settings, required):
    settings = sandbox_settings | {"require_isolation": required}
    if usable[0] in LEVELS[: LEVELS.index(required) + 1]:
        with Sandbox(settings) as started:
            assert started.isolation in LEVELS[: LEVELS.index(required) + 1]
        weaker = LEVELS[LEVELS.index(required) + 1 :]
        with pytest.raises(UserError, match=f"asks for {required}"), Sandbox(settings, weaker):
            pass
    else:
        with pytest.raises(UserError, match=f"asks for {required}.*{usable[0]}"), Sandbox(settings):
            pass


def test_a_missing_level_that_is_required_is_named_with_its_reason(monkeypatch, sandbox_settings):
    monkeypatch.setenv("PATH", "")
    settings = sandbox_settings | {"require_isolation": "bubblewrap"}
    with pytest.raises(UserError, match="bwrap is not installed"), Sandbox(settings):
        pass


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("workers", 0),
        ("cpu_s", 1.5),
        ("wall_s", 0),
        ("wall_s", math.inf),
        ("wall_s", math.nan),
        ("memory_mb", -1),
        ("memory_mb", 255),
        ("workers", 257),
        ("file_mb", "16"),
        ("processes", True),
        ("processes", None),
        ("require_isolation", "virtual machine"),
    ],
)
def test_settings_that_are_none_are_refused_by_name(sandbox_settings, key, value):
    with pytest.raises(UserError, match=key):
        Sandbox(sandbox_settings | {key: value})


def test_the_config_allows_the_levels_that_there_are():
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text(encoding="utf-8"))
    limits = schema["properties"]["evaluation"]["properties"]["sandbox"]["properties"]
    assert limits["require_isolation"]["enum"] == [None, *LEVELS]
    assert set(limits) == {*sandbox.WHOLE, "wall_s", "require_isolation"}


def test_model_comes_back(box, model_code):
    execution = box.run(model_code, {})
    assert (execution.status, execution.dialect, execution.printed) == ("ok", "mathopt", "")
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


@pytest.mark.parametrize(
    ("code", "status", "printed"),
    [
        ("print('x', 1)", "no_model", "x 1\n"),
        ("print('before', end='')\nimport os\nos._exit(0)", "protocol", "before"),
        ("print('before')\n1 / 0", "runtime", "before\n"),
        ("print('before')\nimport ctypes\nctypes.string_at(0)", "runtime", "before\n"),
        ("import sys\nprint('lost', file=sys.stderr)", "no_model", ""),
        ("import os\nos.ftruncate(1, 3)", "no_model", "\0\0\0"),
        ("import os\nos.close(1)", "no_model", ""),
        ("print('ä' * 100000)", "no_model", "\ufffd" + "ä" * ((sandbox.PRINTED_BYTES - 2) // 2) + "\n"),
    ],
    ids=range(8),
)
def test_output_is_kept_where_it_is_wanted(box, code, status, printed):
    assert box.run(code, {}).printed == ""
    execution = box.run(code, {}, output=True)
    assert (execution.status, execution.printed) == (status, printed)


def test_output_until_the_time_was_up(box, monkeypatch):
    monkeypatch.setattr(box, "wall_s", 0.3)
    execution = box.run("print('before')\nimport time\ntime.sleep(60)", {}, output=True)
    assert (execution.status, execution.printed) == ("timeout", "before\n")


def test_a_data_file_may_stand_in_a_folder(box, model_code):
    code = model_code + "assert open('data/more/costs.csv').read() == 'a,b'\n"
    for _ in range(2):
        execution = box.run(code, {"data/more/costs.csv": "a,b", "data.json": "{}"})
        assert execution.status == "ok", execution.detail


@pytest.mark.parametrize("name", ["../data.json", "/data.json", "a/../../data.json", "a//data.json", "./data.json", ""])
def test_a_file_needs_a_plain_name(box, model_code, name):
    with pytest.raises(ValueError, match="plain name"):
        box.run(model_code, {name: "{}"})


@pytest.mark.parametrize(
    ("code", "status", "detail"),
    [
        ("x = = 1", "syntax", "SyntaxError"),
        ("x = 1\0", "syntax", ""),
        ("x = '\ud800'", "syntax", "UnicodeEncodeError"),
        ("(" * 5000, "syntax", ""),
        ("x = 1\ny = 1 / 0", "runtime", "ZeroDivisionError: division by zero (line 2)"),
        ("import no_such_library", "runtime", "ModuleNotFoundError"),
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


def test_a_killed_harness_leaves_nothing(usable, sandbox_settings, model_code):
    harness = (
        "import json, os, signal, sys\nfrom trex.execution.sandbox import Sandbox\n"
        "settings, level, code = json.load(sys.stdin)\nbox = Sandbox(settings, [level]).__enter__()\n"
        "box.run(code, {})\nprint(box.worker.process.pid, box.worker.own_folder, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    for level in usable:
        question = json.dumps([sandbox_settings, level, model_code])
        ran = subprocess.run([sys.executable, "-c", harness], input=question, capture_output=True, text=True)
        worker, folder = ran.stdout.split()
        if psutil.pid_exists(int(worker)):
            psutil.wait_procs([psutil.Process(int(worker))], timeout=10)
        assert not psutil.pid_exists(int(worker))
        assert not os.path.exists(folder)


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
