"""A run's folder as the page reads it. Names and columns are those that the steps write."""

import dataclasses
from pathlib import Path

import pandas as pd

from trex.common import files

OWN_SUITES = ("in_distribution", "heldout_family")
EXAMPLE_SUITE = OWN_SUITES[0]
TABLES = {
    "pass_at_1": "evaluation/pass_at_1.csv",
    "comparisons": "evaluation/comparisons.csv",
    "diagnostics": "evaluation/diagnostics.csv",
    "failures": "evaluation/failures.csv",
    "retention": "evaluation/retention.csv",
    "ladder": "accounting/ladder.csv",
    "models": "accounting/models.csv",
    "components": "accounting/components.csv",
    "claims": "audit/claims.csv",
}
DOCUMENTS = {
    "config": "config.json",
    "environment": "environment.json",
    "counts": "corpus/counts.json",
    "peak": "accounting/peak.json",
}


@dataclasses.dataclass(frozen=True)
class Run:
    """tables: name -> frame; documents: name -> JSON value; metrics: arm -> records; items: those of the suite that the
    example comes from; scores, responses: arm -> rows for that suite; read: names of all files read, sorted."""

    tables: dict[str, pd.DataFrame]
    documents: dict[str, dict]
    arms: list[str]
    suites: list[str]
    metrics: dict[str, list[dict]]
    scores: dict[str, list[dict]]
    responses: dict[str, list[dict]]
    items: list[dict]
    read: list[str]

    @property
    def own_suites(self) -> list[str]:
        return [suite for suite in self.suites if suite in OWN_SUITES]

    @property
    def benchmarks(self) -> list[str]:
        return [suite for suite in self.suites if suite not in OWN_SUITES]


def load(folder: str | Path) -> Run:
    """Raises UserError, with the step to run, where a file is missing or cannot be read."""
    folder = Path(folder)
    read = []

    def path(name: str) -> Path:
        read.append(name)
        return folder / name

    tables = {name: files.read_csv(path(relative)) for name, relative in TABLES.items()}
    documents = {name: files.read_json(path(relative)) for name, relative in DOCUMENTS.items()}
    arms = list(dict.fromkeys(tables["pass_at_1"]["arm"]))
    suites = list(dict.fromkeys(tables["pass_at_1"]["suite"]))
    metrics = {arm: files.read_jsonl(path(f"models/{arm}/metrics.jsonl")) for arm in arms}
    scores = {arm: files.read_parquet(path(f"evaluation/{arm}/{EXAMPLE_SUITE}/scores.parquet")) for arm in arms}
    responses = {arm: files.read_jsonl(path(f"evaluation/{arm}/{EXAMPLE_SUITE}/responses.jsonl")) for arm in arms}
    items = files.read_parquet(path(f"corpus/suites/{EXAMPLE_SUITE}.parquet"))
    return Run(tables, documents, arms, suites, metrics, scores, responses, items, sorted(read))
