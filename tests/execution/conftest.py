"""Sandboxes at every isolation level that works here, and what the tests of this room share."""

import psutil
import pytest

from trex.execution import throughput
from trex.execution.sandbox import LEVELS, Sandbox

SETTINGS = {"cpu_s": 5, "wall_s": 120.0, "memory_mb": 1024, "file_mb": 16, "processes": 32}
MODEL = """
from ortools.math_opt.python import mathopt
mix = mathopt.Model(name="mix")
x = mix.add_integer_variable(lb=0, ub=7, name="x")
y = mix.add_variable(lb=0, name="y")
mix.add_linear_constraint(2 * x + y <= 10, name="hours")
mix.maximize(3 * x + 2 * y + 5)
"""


USABLE = throughput.usable(LEVELS)


@pytest.fixture(scope="session")
def usable() -> list[str]:
    return USABLE


@pytest.fixture
def sandbox_settings() -> dict:
    return dict(SETTINGS)


@pytest.fixture(scope="session")
def model_code() -> str:
    """A program that builds a model whose optimum is 25."""
    return MODEL


@pytest.fixture(scope="session", params=USABLE)
def box(request):
    """A running sandbox, at each usable level in turn."""
    with Sandbox(SETTINGS, [request.param]) as started:
        yield started


@pytest.fixture(scope="session", params=[level for level in USABLE if level != "limits"])
def isolated_box(request):
    """The same, at the levels with a file system of their own."""
    with Sandbox(SETTINGS, [request.param]) as started:
        yield started


@pytest.fixture
def descendants():
    """A function that gives the process ids of everything that this process started and that still runs."""
    return lambda: {process.pid for process in psutil.Process().children(recursive=True)}
