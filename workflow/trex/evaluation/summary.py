"""What a scored set comes to: for `summary.json`, for the table of items, and for a person.

summary.json: set, sha256 (of this copy of it), protocol (how it was asked, as far as that is stated), settings (the
limits on programs and solver), items, responses, attempts (the fewest and most of an item); views: of each view of the
set (trex.evaluation.criteria; the full one first) and each criterion (the deciding one first) n items, passed, share,
ci_low and ci_high (95 %) and interval, the method; pass_at_k: by the deciding criterion, for k up to the fewest
attempts, the same and acc_at_k (the authors': any of the first k attempts); failures: responses by class;
error_families: of those that were given and failed, by the families in which SLAI T-Rex reports errors; structure,
data_check, holds_label, other_reading, reading and isolation: responses by these columns.
"""

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from trex.common.statistics import Estimate
from trex.evaluation import criteria
from trex.evaluation.criteria import Rows
from trex.evaluation.failure_classes import CLASSES, FAMILY, NOT_ASKED, PASSED, UNANSWERED

COUNTED = ("structure", "data_check", "holds_label", "other_reading", "reading", "isolation")
SUMMED = (PASSED, "passed_abs", "passed_rel", "structure_right", "passed_legacy")
ITEM_COLUMNS = (
    *("item_id", "cluster", "criterion", "attempts", *SUMMED, "failure_class", "objective_value", "expected"),
    *("structure", "data_check", "reading", "other_reading", "known_bad", "detail"),
)


def summarised(rows: Rows, public: bool) -> dict:
    """rows: of one set. public: a public benchmark, whose labels are others'."""
    attempts = Counter(row["item_id"] for row in rows)
    classes = Counter(row["failure_class"] for row in rows)
    families = Counter()
    for name, count in classes.items():
        if name != PASSED and name not in NOT_ASKED:
            families[FAMILY[name]] += count
    return {
        "items": len(attempts),
        "responses": len(rows) - classes[UNANSWERED],
        "attempts": {"fewest": min(attempts.values()), "most": max(attempts.values())},
        "views": {
            name: {criterion: shown(criteria.estimate(members, criterion)) for criterion in criteria.criteria(members)}
            for name, members in criteria.views(rows, public).items()
        },
        "pass_at_k": [{"k": at.k, "acc_at_k": at.acc} | shown(at.estimate) for at in criteria.at_k(rows)],
        "failures": {name: classes[name] for name in CLASSES if classes[name]},
        "error_families": dict(families.most_common()),
        **{name: counted(row[name] for row in rows) for name in COUNTED},
    }


def counted(values: Iterable[object]) -> dict[str, int]:
    """How often each value occurs, by its text."""
    words = {True: "yes", False: "no"}
    counts = Counter(words.get(value, value) for value in values if value is not None)
    return dict(sorted(counts.items()))


def shown(estimate: Estimate) -> dict:
    return {
        "n": estimate.n,
        "passed": estimate.passed,
        "share": estimate.share,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "interval": estimate.interval,
    }


def by_item(rows: Rows) -> pd.DataFrame:
    """A row an item: how many of its attempts pass by each criterion, and the rest of its best attempt."""
    of_item: dict[str, Rows] = {}
    for row in rows:
        of_item.setdefault(row["item_id"], []).append(row)
    found = []
    for members in of_item.values():
        best = max(members, key=lambda row: CLASSES.index(row["failure_class"]))
        found.append(best | {"attempts": len(members)} | {name: total(members, name) for name in SUMMED})
    frame = pd.DataFrame(found, columns=ITEM_COLUMNS)
    return frame.astype(dict.fromkeys(SUMMED, "Int64"))


def total(members: Rows, name: str) -> int | None:
    known = [row[name] for row in members if row[name] is not None]
    return sum(known) if known else None


def lines(found: dict) -> list[str]:
    """For a person, the full set first."""
    fewest, most = found["attempts"].values()
    number = most if fewest == most else f"{fewest} to {most}"
    several = f", {number} attempts an item" if most > 1 else ""
    if unanswered := found["failures"].get(UNANSWERED):
        several += f", {unanswered} items without one"
    text = [
        f"{found['set']}: {found['items']} items, {found['responses']} responses{several}; sha256 {found['sha256']}"
    ]
    for name, by_criterion in found["views"].items():
        text += [f"{name}:", *(f"  {criterion:24} {share(value)}" for criterion, value in by_criterion.items())]
    if most > 1:
        text += [f"pass@{at['k']} {share(at)}; acc@{at['k']} {at['acc_at_k']:.2%}" for at in found["pass_at_k"]]
    for name in ("failures", "error_families", *COUNTED):
        if counts := found[name]:
            text.append(f"{name.replace('_', ' ')}: " + ", ".join(f"{key} {value}" for key, value in counts.items()))
    return text


def share(value: dict) -> str:
    passed = f"{value['passed']:.2f}".removesuffix(".00")
    low, high = value["ci_low"], value["ci_high"]
    return f"{passed} of {value['n']} = {value['share']:.2%} (95 % {low:.2%} to {high:.2%}, {value['interval']})"
