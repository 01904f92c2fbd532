"""By what the rows of scores.parquet count as passed, which rows count, and the estimates of both.

Criteria, the deciding one first:

    by_item                  each item by its own criterion, where a set has items of both kinds
    objective_rel            the optimum is within 1e-6 relative: decides `objective` items
    objective_abs            within 1e-6 absolute, as the paper has it
    structure                the model is isomorphic to the reference: decides `structure` items
    structure_or_equivalent  or has the reference's optimum on the original and on other data
    legacy                   by the rules of SLAI T-Rex's authors, public benchmarks only

Views, the full set first; the others only where they leave something out:

    own, or as published     all items of an own suite, or of a public benchmark
    answered                 without responses that were not given, or lost to an endpoint's failure
    without known-bad        without items whose label or reference is known to be wrong
    without unsupported      without responses that build a model which we cannot represent
    without known-bad and unsupported

An item's value is pass@k of its attempts, at k = 1 their mean; an attempt that was not made counts as failed.
"""

from collections.abc import Callable
from typing import NamedTuple

from trex.common import statistics
from trex.common.statistics import Estimate
from trex.evaluation.failure_classes import NOT_ASKED, PASSED, UNANSWERED, UNSUPPORTED
from trex.execution.equivalence import HARD_CODED, ISOMORPHIC, OBJECTIVE_EQUIVALENT

OBJECTIVE_REL, OBJECTIVE_ABS, LEGACY = "objective_rel", "objective_abs", "legacy"
STRUCTURE, STRUCTURE_OR_EQUIVALENT, BY_ITEM = "structure", "structure_or_equivalent", "by_item"
OWN, PUBLIC, ANSWERED = "own", "as published", "answered"
SOUND, SUPPORTED, SOUND_AND_SUPPORTED = (
    f"without {name}" for name in ("known-bad", "unsupported", "known-bad and unsupported")
)
TYPED_IN = ("degenerate", HARD_CODED)
COLUMNS = (
    *("item_id", "sha256", "attempt", "cluster", "criterion", "known_bad", "failure_class"),
    *("structure", "structure_right", PASSED, "passed_abs", "passed_legacy"),
)

Rows = list[dict]
Verdict = Callable[[dict], bool | None]  # of a row; None where it says nothing


class Attempts(NamedTuple):
    """An item's cluster, and whether each of its attempts passed, in their order."""

    cluster: str
    passed: list[bool]


class AtK(NamedTuple):
    """attempts: the fewest of an item that was answered; acc: acc@k, as the authors count."""

    k: int
    attempts: int
    estimate: Estimate
    acc: float


def by_objective(row: dict) -> bool | None:
    return row[PASSED] if row["criterion"] == "objective" else None


def by_absolute_objective(row: dict) -> bool | None:
    return row["passed_abs"] if row["criterion"] == "objective" else None


def by_structure(row: dict) -> bool | None:
    return row[PASSED] if row["criterion"] == "structure" else row["structure_right"]


def by_structure_or_equivalent(row: dict) -> bool | None:
    if row["structure"] is None:
        return None
    return row["structure"] in (ISOMORPHIC, OBJECTIVE_EQUIVALENT) and row["failure_class"] not in TYPED_IN


def by_legacy_rules(row: dict) -> bool | None:
    return row["passed_legacy"]


VERDICTS: dict[str, Verdict] = {
    BY_ITEM: lambda row: row[PASSED],
    OBJECTIVE_REL: by_objective,
    OBJECTIVE_ABS: by_absolute_objective,
    STRUCTURE: by_structure,
    STRUCTURE_OR_EQUIVALENT: by_structure_or_equivalent,
    LEGACY: by_legacy_rules,
}


def criteria(rows: Rows) -> list[str]:
    """Those that say something of some row, the deciding one first; none of no rows."""
    alike = len({row["criterion"] for row in rows}) < 2
    return [
        name
        for name, verdict in VERDICTS.items()
        if not (name == BY_ITEM and alike) and any(verdict(row) is not None for row in rows)
    ]


def views(rows: Rows, public: bool) -> dict[str, Rows]:
    """The rows of each view by its name."""
    sound = [row for row in rows if not row["known_bad"]]
    others = {
        ANSWERED: [row for row in rows if row["failure_class"] not in NOT_ASKED],
        SOUND: sound,
        SUPPORTED: supported(rows),
        SOUND_AND_SUPPORTED: supported(sound),
    }
    fewest = min(len(others[SOUND]), len(others[SUPPORTED]))
    if len(others[SOUND_AND_SUPPORTED]) == fewest:  # nothing but what one of them shows already
        del others[SOUND_AND_SUPPORTED]
    return {full_view(public): rows} | {name: found for name, found in others.items() if 0 < len(found) < len(rows)}


def full_view(public: bool) -> str:
    return PUBLIC if public else OWN


def supported(rows: Rows) -> Rows:
    return [row for row in rows if row["failure_class"] != UNSUPPORTED]


def is_public(rows: Rows) -> bool:
    """Whether they are of a public benchmark, one of the user's own YAML file too: only those are scored as legacy."""
    return any(row["passed_legacy"] is not None for row in rows)


def attempts(rows: Rows, verdict: Verdict) -> dict[str, Attempts]:
    """By item, of the rows of which the verdict says something."""
    found: dict[str, Attempts] = {}
    for row in sorted(rows, key=lambda row: row["attempt"]):
        if (passed := verdict(row)) is not None:
            found.setdefault(row["item_id"], Attempts(row["cluster"], [])).passed.append(passed)
    return found


def estimate(rows: Rows, criterion: str, k: int = 1) -> Estimate:
    return estimate_by(rows, VERDICTS[criterion], k)


def estimate_by(rows: Rows, verdict: Verdict, k: int = 1) -> Estimate:
    items = attempts(rows, verdict).values()
    values = [statistics.pass_at_k(max(len(item.passed), k), sum(item.passed), k) for item in items]
    return statistics.estimate(values, [item.cluster for item in items])


def at_k(rows: Rows) -> list[AtK]:
    """pass@k and acc@k by the deciding criterion at k = 1, 2, 4, ... up to the fewest attempts of an answered item."""
    if not rows:
        return []
    criterion = criteria(rows)[0]
    answered = attempts([row for row in rows if row["failure_class"] != UNANSWERED], VERDICTS[criterion]).values()
    fewest = min((len(item.passed) for item in answered), default=1)
    items = attempts(rows, VERDICTS[criterion]).values()
    found = []
    for k in (2**power for power in range(fewest.bit_length())):
        acc = sum(statistics.acc_at_k(item.passed, k) for item in items) / len(items)
        found.append(AtK(k, fewest, estimate(rows, criterion, k), acc))
    return found
