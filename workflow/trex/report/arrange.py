"""Rows of the run's tables, in the order and the form that figures need."""

import pandas as pd

from trex.evaluation.floors import FLOORS
from trex.report.load import Run
from trex.report.parts import Column, arm, plain

ONE_SEED = "one training seed: the interval covers which items were drawn, not the luck of training"
OWN, PUBLIC = "own suites", "public benchmarks"
SUITE = Column("suite", lambda row: plain(row.suite), "text")
ARM = Column("arm", lambda row: arm(row.arm), "text")


def kinds(run: Run) -> dict[str, list[str]]:
    """The suites that may stand in one figure; of those that were evaluated."""
    found = {OWN: run.own_suites, PUBLIC: run.benchmarks}
    return {kind: suites for kind, suites in found.items() if suites}


def of(frame: pd.DataFrame, suites: list[str]) -> pd.DataFrame:
    return frame[frame["suite"].isin(suites)]


def ordered(run: Run, frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Rows by suite, by the named columns in the order of their first appearance, and by arm: arms side by side, what
    needs no skill last.

    What these do not tell apart keeps its order.
    """
    ranks = {
        "suite": run.suites,
        **{name: list(dict.fromkeys(frame[name])) for name in names},
        "arm": [*run.arms, *FLOORS],
    }
    keys = pd.DataFrame({name: frame[name].map(ranks[name].index) for name in ranks})
    return frame.loc[keys.sort_values(list(ranks), kind="stable").index]


def long_shares(frame: pd.DataFrame, rows: pd.Series, share: str, low: str, high: str) -> pd.DataFrame:
    """The table that charts.shares draws; the three columns named hold shares between 0 and 1."""
    return pd.DataFrame(
        {
            "panel": frame["suite"].map(plain),
            "row": rows,
            "arm": frame["arm"].map(arm),
            "share": 100 * frame[share],
            "low": 100 * frame[low],
            "high": 100 * frame[high],
        }
    ).dropna()


def shown_names(run: Run) -> list[str]:
    """Of all arms and outside models, in the run's order."""
    return list(map(arm, run.arms))
