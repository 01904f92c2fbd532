"""One problem with every arm's answer to it, of an own suite: never text of a public benchmark."""

import dataclasses

from trex.report.load import EXAMPLE_SUITE, Run
from trex.report.parts import Got, arm, plain


@dataclasses.dataclass(frozen=True)
class Answer:
    arm: str
    outcome: str
    passed: bool
    text: str


@dataclasses.dataclass(frozen=True)
class Example:
    """One item of an own suite with every arm's answer."""

    item: dict
    answers: list[Answer]
    got: Got


def example(run: Run) -> Example:
    """The first item that the last arm passes, else the first that any arm passes, else the first of all."""
    scores = {name: {score["item_id"]: score for score in run.scores[name]} for name in run.arms}
    responses = {name: {row["id"]: row["response"] for row in run.responses[name]} for name in run.arms}
    passed = {name: {item for item, score in own.items() if score["passed"]} for name, own in scores.items()}
    ids = [item["item_id"] for item in run.items if all(item["item_id"] in own for own in scores.values())]
    wanted = [*reversed(run.arms)]
    chosen = next((item for name in wanted for item in ids if item in passed[name]), ids[0])
    answers = [
        Answer(arm(name), plain(scores[name][chosen]["failure_class"]), chosen in passed[name], responses[name][chosen])
        for name in run.arms
    ]
    got = Got(
        f"corpus/suites/{EXAMPLE_SUITE}.parquet, evaluation/<arm>/{EXAMPLE_SUITE}/responses.jsonl",
        f"1 of {len(ids)} items",
        f"the first item that {arm(run.arms[-1])} passes; if none, that another arm passes; if none, the first of all",
        "chosen because an answer passes, where one does: it illustrates, the tables count",
    )
    item = next(item for item in run.items if item["item_id"] == chosen)
    return Example(item, answers, got)
