"""A run's folder as the page reads it. Names and columns are those that the steps write."""

import dataclasses
from collections import Counter
from pathlib import Path

import pandas as pd

from trex.audit import claims
from trex.common import files
from trex.evaluation.floors import FLOORS

OWN_SUITES = ("in_distribution", "heldout_family", "heldout_wording")
EXAMPLE_SUITE = OWN_SUITES[0]
TABLES = {
    "pass_at_1": "evaluation/pass_at_1.csv",
    "pass_at_k": "evaluation/pass_at_k.csv",
    "comparisons": "evaluation/comparisons.csv",
    "diagnostics": "evaluation/diagnostics.csv",
    "failures": "evaluation/failures.csv",
    "retention": "evaluation/retention.csv",
    "oracle": "models/oracle.csv",
    "ladder": "accounting/ladder.csv",
    "models": "accounting/models.csv",
    "components": "accounting/components.csv",
    "validation": "accounting/validation.csv",
    "projection": "accounting/projection.csv",
    "cost": "accounting/cost.csv",
    "cost_terms": "accounting/cost_terms.csv",
    "cost_sensitivity": "accounting/cost_sensitivity.csv",
    "claims": "audit/claims.csv",
}
DOCUMENTS = {
    "config": "config.json",
    "environment": "environment.json",
    "counts": "corpus/counts.json",
    "peak": "accounting/peak.json",
    "kernels": "accounting/kernels.json",
    "validation": "accounting/validation.json",
}


# What the scores say beside a pass: whether a right answer reads its data file, and which wrong ones were right but for
# whole variables.
CHECKED = ("data_check", "other_reading")


@dataclasses.dataclass(frozen=True)
class Run:
    """tables: name -> frame, of arms alone but for comparisons; floors: the rows of pass_at_1.csv of what needs no
    skill; documents: name -> JSON value; arms: the run's own, then outside models; trained: the run's own; checks:
    columns arm, suite, check (of CHECKED), value, n (answers); metrics: arm -> records; items: those of the suite that
    the example comes from; scores, responses: arm -> rows for that suite; record: the paper's public numbers; read:
    names of all files read, sorted."""

    tables: dict[str, pd.DataFrame]
    floors: pd.DataFrame
    documents: dict[str, dict]
    arms: list[str]
    trained: list[str]
    suites: list[str]
    checks: pd.DataFrame
    metrics: dict[str, list[dict]]
    scores: dict[str, list[dict]]
    responses: dict[str, list[dict]]
    items: list[dict]
    record: dict
    read: list[str]

    @property
    def own_suites(self) -> list[str]:
        return [suite for suite in self.suites if suite in OWN_SUITES]

    def parameters(self, model: str) -> int:
        """Of the main model, without a block that predicts a second token: a model's first row."""
        models = self.tables["models"]
        return int(models[models["model"] == model]["parameters"].iloc[0])

    @property
    def benchmarks(self) -> list[str]:
        return [suite for suite in self.suites if suite not in OWN_SUITES]


def load(folder: str | Path, paper: str | Path) -> Run:
    """Raises UserError, with the step to run, where a file is missing or cannot be read.

    paper: config/paper.yaml, the one file that is not the run's.
    """
    folder = Path(folder)
    read = []

    def path(name: str) -> Path:
        read.append(name)
        return folder / name

    tables = {name: files.read_csv(path(relative)) for name, relative in TABLES.items()}
    floors = tables["pass_at_1"][tables["pass_at_1"]["arm"].isin(FLOORS)]
    tables = {name: without_floors(frame) for name, frame in tables.items()}
    documents = {name: files.read_json(path(relative)) for name, relative in DOCUMENTS.items()}
    pairs = list(dict.fromkeys(tables["pass_at_1"][["arm", "suite"]].itertuples(index=False, name=None)))
    scores = {pair: files.read_parquet(path(f"evaluation/{'/'.join(pair)}/scores.parquet")) for pair in pairs}
    shown = [arm for arm, suite in pairs if suite == EXAMPLE_SUITE]
    trained = list(dict.fromkeys(tables["retention"]["arm"]))
    return Run(
        tables=tables,
        floors=floors,
        documents=documents,
        arms=list(dict.fromkeys(arm for arm, _ in pairs)),
        trained=trained,
        suites=list(dict.fromkeys(suite for _, suite in pairs)),
        checks=checks(scores),
        metrics={arm: files.read_jsonl(path(f"models/{arm}/metrics.jsonl")) for arm in trained},
        scores={arm: scores[arm, EXAMPLE_SUITE] for arm in shown},
        responses={arm: files.read_jsonl(path(f"evaluation/{arm}/{EXAMPLE_SUITE}/responses.jsonl")) for arm in shown},
        items=files.read_parquet(path(f"corpus/suites/{EXAMPLE_SUITE}.parquet")),
        record=claims.read_paper(str(paper))["record"],
        read=sorted(read),
    )


def without_floors(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[~frame["arm"].isin(FLOORS)] if "arm" in frame else frame


def checks(scores: dict[tuple[str, str], list[dict]]) -> pd.DataFrame:
    """How often each value of the checks stands in the scores."""
    rows = []
    for (arm, suite), answers in scores.items():
        for check in CHECKED:
            counts = Counter(answer[check] for answer in answers if answer[check] is not None)
            rows += [(arm, suite, check, value, n) for value, n in counts.items()]
    return pd.DataFrame(rows, columns=["arm", "suite", "check", "value", "n"])
