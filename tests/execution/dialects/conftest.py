"""The sandbox in which programs of all dialects are run: the strongest that works here, with the pipeline's limits."""

import pytest

from trex.execution.sandbox import Sandbox

SETTINGS = {"cpu_s": 5, "wall_s": 120.0, "memory_mb": 1024, "file_mb": 16, "processes": 32}


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox(SETTINGS) as started:
        yield started
