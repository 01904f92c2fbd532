"""How many small programs a second and core are executed, recorded and solved, and that nothing accumulates.

    python -m trex.execution.throughput --programs 2000 --out throughput.json

At each level, for each library that the sandbox has loaded: every program goes through one sandbox, its model through
one judge, and the optimum must be the right one, which differs from program to program. Beside it, in the same run, a
fresh Python process a program that does all three without any isolation, for one program in FRESH_SHARE. Everything
takes turns, so that a slow spell of the machine hits all.

`per_cpu_s` is programs by the CPU time of all processes taken together, so by core; `per_wall_s` programs by the clock,
with one sandbox at work. Median, smallest and largest of the repetitions. `start` and `end` are, before the first
measured program and after the last one, the resident memory of all processes (shared pages once for each), their
number and the open descriptors of this one.

What it does not show: long programs, whose own time counts, and the first program after a start, which takes a second.
"""

import contextlib
import functools
import importlib.util
import itertools
import math
import operator
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.execution import dialects, examples, sandbox
from trex.execution.judge import Judge
from trex.execution.sandbox import LEVELS, Sandbox

REPETITIONS = 5
FRESH_SHARE = 50
WARM_UP = 20
FRESH_PROCESS = "fresh_process"
TICK = 1 / os.sysconf("SC_CLK_TCK")  # the kernel's unit of CPU time
SETTINGS = {"cpu_s": 10, "wall_s": 30.0, "memory_mb": 2048, "file_mb": 16, "processes": 64}
# What a fresh process does with the program on its standard input.
FRESH = """
import sys
from trex.execution import dialects, program
from trex.problems.ir import Model
from trex.problems.solve import solve
dialects.start_recording(sys.argv[1])
print(solve(Model.from_json(program.outcome(sys.stdin.read())["model"])).objective)
"""

Way = Callable[[str, str], float]


class Sandboxed(contextlib.ExitStack):
    """A way to the optimum of a program's model: a sandbox at one level, and a judge."""

    def __init__(self, level: str):
        super().__init__()
        self.sandbox = self.enter_context(Sandbox(SETTINGS, [level]))
        self.judge = self.enter_context(Judge())

    def __call__(self, dialect: str, code: str) -> float:
        execution = self.sandbox.run(code, {})
        if execution.model is None:
            raise UserError(f"{dialect}: the program gives {execution.status} {execution.detail}")
        return self.judge.solve(execution.model).objective

    def processes(self) -> list[psutil.Process]:
        first = [psutil.Process(self.sandbox.worker.process.pid), psutil.Process(self.judge.process.pid)]
        return [process for one in first for process in (one, *one.children(recursive=True))]

    def state(self) -> dict[str, int]:
        processes = [psutil.Process(), *self.processes()]
        return {
            "rss_mb": sum(process.memory_info().rss for process in processes) >> 20,
            "processes": len(processes),
            "descriptors": psutil.Process().num_fds(),
        }


def fresh(dialect: str, code: str) -> float:
    """The same way without isolation, in a new process."""
    command = [sys.executable, "-c", FRESH, dialect]
    ran = subprocess.run(command, input=code, capture_output=True, text=True, check=True, env=sandbox.ENVIRONMENT)
    return float(ran.stdout)


def cpu_s() -> float:
    """CPU seconds of this process and of all that it started, whether they run or have ended."""
    total = sum(os.times()[:4])
    for process in psutil.Process().children(recursive=True):
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


@dataclass(frozen=True)
class Cost:
    """Of a number of programs: CPU seconds of all processes, and seconds by the clock."""

    programs: int
    cpu_s: float
    wall_s: float

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.programs + other.programs, self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)


def cost(way: Way, dialect: str, numbers: range) -> Cost:
    """Of the programs with these numbers. Raises UserError where an optimum is wrong."""
    clock, cpu = time.monotonic(), cpu_s()
    for number in numbers:
        value = way(dialect, examples.PROGRAMS[dialect].replace("NUMBER", str(number)))
        if value is None or not math.isclose(value, examples.BEST + number, rel_tol=1e-6):
            raise UserError(f"{dialect}: optimum {value!r} instead of {examples.BEST + number}")
    return Cost(len(numbers), max(cpu_s() - cpu, TICK), time.monotonic() - clock)


def rates(costs: list[Cost]) -> dict[str, dict[str, float]]:
    """From one cost a repetition."""
    return {
        "per_cpu_s": spread([one.programs / one.cpu_s for one in costs]),
        "per_wall_s": spread([one.programs / one.wall_s for one in costs]),
    }


def spread(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 2),
        "smallest": round(min(values), 2),
        "largest": round(max(values), 2),
    }


def loaded() -> list[str]:
    """The dialects that are measured: those that the sandbox has loaded, where their library is here."""
    known = [name for name in examples.PROGRAMS if name in dialects.LIGHT]
    return [name for name in known if importlib.util.find_spec(dialects.LIGHT[name]) is not None]


def measure(programs: int, levels: Sequence[str]) -> dict:
    """The results: `rates` by level (and FRESH_PROCESS), then by dialect and for `all` of them, and `states`."""
    names = loaded()
    share = max(programs // (REPETITIONS * len(names)), 1)
    with contextlib.ExitStack() as stack:
        ways: dict[str, Way] = {level: stack.enter_context(Sandboxed(level)) for level in levels}
        for level, name in itertools.product(levels, names):
            cost(ways[level], name, range(WARM_UP))
        start = {level: ways[level].state() for level in levels}
        costs: dict[str, dict[str, list[Cost]]] = {
            way: {name: [] for name in names} for way in (*levels, FRESH_PROCESS)
        }
        turns = itertools.product(range(REPETITIONS), costs, names)
        for turn, way, name in cli.track(turns, "measuring", REPETITIONS * len(costs) * len(names)):
            first = turn * share
            count = max(share // FRESH_SHARE, 1) if way == FRESH_PROCESS else share
            costs[way][name].append(cost(ways.get(way, fresh), name, range(first, first + count)))
        end = {level: ways[level].state() for level in levels}
    for by_name in costs.values():
        repetitions = zip(*by_name.values(), strict=True)
        by_name["all"] = [functools.reduce(operator.add, repetition) for repetition in repetitions]
    return {
        "programs": share * len(names) * REPETITIONS,
        "repetitions": REPETITIONS,
        "rates": {way: {name: rates(each) for name, each in by_name.items()} for way, by_name in costs.items()},
        "states": {level: {"start": start[level], "end": end[level]} for level in levels},
    }


def usable(levels: Sequence[str]) -> list[str]:
    found = []
    for level in levels:
        with contextlib.suppress(UserError):
            sandbox.probe([level])
            found.append(level)
    return found


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--programs", type=int, default=2000, help="at each level (default: %(default)s)")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, help="default: all that are usable here")
    parser.add_argument("--out", type=Path, required=True, help="throughput.json to write")
    arguments = parser.parse_args()
    files.check_place(arguments.out)
    results = measure(arguments.programs, arguments.levels or usable(LEVELS))
    files.write_json(arguments.out, results, provenance("trex.execution.throughput", SETTINGS, {}))
    for way, by_name in results["rates"].items():
        rate = by_name["all"]["per_cpu_s"]
        print(f"{way}: {rate['median']} programs a CPU second ({rate['smallest']} to {rate['largest']})")
    for level, states in results["states"].items():
        print(f"{level}: {states['start']} before, {states['end']} after {results['programs']} programs")


if __name__ == "__main__":
    cli.run(main)
