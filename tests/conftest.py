"""What all tests share: property tests draw the same examples on every machine and have no time limit of their own; of
several processes that run the tests, one has all that share a finished run of the workflow, which takes minutes.
"""

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

SHARE_A_FINISHED_RUN = ("tests/pipeline/test_reruns.py", "tests/pipeline/test_runs.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Marks of groups would say the same, but pytest-xdist 3.8.0 does not see them with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "finished run" if nodeid.startswith(SHARE_A_FINISHED_RUN) else nodeid

    return Scheduling(config, log)
