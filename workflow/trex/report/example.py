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
    scores = {name: first_attempts(rows, "item_id") for name, rows in run.scores.items()}
    responses = {name: first_attempts(rows, "id") for name, rows in run.responses.items()}
    ids = [item["item_id"] for item in run.items if all(item["item_id"] in own for own in scores.values())]
    wanted = [*reversed(run.trained), *(name for name in scores if name not in run.trained)]
    chosen = next((item for name in wanted for item in ids if scores[name][item]["passed"]), ids[0])
    answers = [
        Answer(
            arm(name),
            plain(scores[name][chosen]["failure_class"]),
            bool(scores[name][chosen]["passed"]),
            responses[name].get(chosen, {"response": ""})["response"],
        )
        for name in scores
    ]
    got = Got(
        f"corpus/suites/{EXAMPLE_SUITE}.parquet, evaluation/<arm>/{EXAMPLE_SUITE}/responses.jsonl",
        f"1 of {len(ids)} items",
        f"the first item that {arm(run.trained[-1])} passes; if none, that another arm passes; if none, the first of "
        "all; of several attempts the first",
        "chosen because an answer passes, where one does: it illustrates, the tables count",
    )
    item = next(item for item in run.items if item["item_id"] == chosen)
    return Example(item, answers, got)


def first_attempts(rows: list[dict], key: str) -> dict[str, dict]:
    """Item id -> its first row."""
    return {row[key]: row for row in reversed(rows)}
