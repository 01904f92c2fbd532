"""Running small programs with a stand-in, and with the real library where there is one.

The real libraries are an optional oracle: they are looked for in this Python, or in the one that the environment
variable TREX_GUROBIPY_PYTHON or TREX_COPTPY_PYTHON names. All programs go to one process of it.
"""

import contextlib
import functools
import io
import json
import os
import subprocess
import sys

from trex.execution.standins.copt import library as copt
from trex.execution.standins.gurobi import functions
from trex.execution.standins.gurobi import library as gurobi

SUFFIX = {"gurobipy": "lp", "coptpy": "mps"}  # COPT's LP text is not read by others where it has a constant
MODULES = {"gurobipy": {"gurobipy": gurobi, "gurobipy.nlfunc": functions}, "coptpy": {"coptpy": copt}}

# Reads {name: program} and writes {name: {"error": type or "", "printed": text, "model": text of the model m}}.
RUNNER = """
import contextlib, io, json, os, sys, tempfile
os.chdir(tempfile.mkdtemp())
results = {}
for name, program in json.load(sys.stdin).items():
    names, printed, error, text = {"__name__": "__main__"}, io.StringIO(), "", ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, name, "exec"), names)
        except Exception as raised:
            error = type(raised).__name__
        model = names.get("m")
        if model is not None and not error:
            model.update()
            with contextlib.suppress(Exception):  # what its LP text cannot hold
                model.write("model." + sys.argv[1])
                text = open("model." + sys.argv[1]).read()
    results[name] = {"error": error, "printed": printed.getvalue(), "model": text}
sys.__stdout__.write("\\n@@" + json.dumps(results))
"""


def run(library: str, program: str) -> tuple[dict, str, str]:
    """(names, printed, type of the error or "") of a program that got the stand-in for the library."""
    names: dict = {"__name__": "__main__"}
    printed, error = io.StringIO(), ""
    replaced = {name: sys.modules.get(name) for name in MODULES[library]}
    sys.modules.update(MODULES[library])
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "<program>", "exec"), names)
    except Exception as raised:
        error = type(raised).__name__
    finally:
        for name, module in replaced.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return names, printed.getvalue(), error


def python_with(library: str) -> str:
    return os.environ.get(f"TREX_{library.upper()}_PYTHON", sys.executable)


@functools.cache
def is_there(library: str) -> bool:
    command = [python_with(library), "-c", f"import {library}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run_all(library: str, programs: dict[str, str]) -> dict[str, dict]:
    """What the real library makes of each program."""
    done = subprocess.run(
        [python_with(library), "-W", "ignore", "-c", RUNNER, SUFFIX[library]],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.rpartition("@@")[2])
