"""Our own models/<arm>/metrics.jsonl: one JSON object a step, `tokens` and `seconds` since the start of training.

A step's are the differences to the step before, where that one is there, and its share of what was counted so far
where it is not (an excerpt).
"""

import json

from trex.accounting.logs.line import Line, finite

NAME = "metrics"
KEYS = {"step", "tokens", "seconds"}
MOST = 1e18  # of any of them: what is more is no measurement


def recognises(text: str) -> bool:
    record = record_of(text)
    return record is not None and record.keys() >= KEYS


def record_of(text: str) -> dict | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def parse(texts: list[str]) -> tuple[list[Line], int, dict[str, str]]:
    """(lines, how many are cut off, the arguments that the log tells: none)."""
    lines, cut, before = [], 0, None
    for number, text in enumerate(texts, start=1):
        record = record_of(text)
        if record is None or not all(
            isinstance(record.get(key), int | float) and 0 < record[key] <= MOST for key in KEYS
        ):
            cut += bool(text.strip())
            continue
        step, tokens, seconds = int(record["step"]), record["tokens"], record["seconds"]
        follows = before is not None and step == before[0] + 1 and seconds > before[2] and tokens > before[1]
        loss = record.get("loss")
        good = isinstance(loss, int | float) and finite(loss) is not None
        lines.append(
            Line(
                number=number,
                step=step,
                seconds=seconds - before[2] if follows else seconds / step,
                tokens=tokens - before[1] if follows else tokens / step,
                nan=int("loss" in record and not good),
                loss=loss if good else None,
            )
        )
        before = (step, tokens, seconds)
    return lines, cut, {}
