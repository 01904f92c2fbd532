"""Logs of torchtitan.

    [titan] 2025-01-01 10:00:00,123 - root - INFO - step: 10  loss:  7.1234  grad_norm:  1.2345
    memory: 36.36GiB(56.82%)  tps: 4,152  tflops: 46.45  mfu: 15.58%

`tps` is tokens per second and device over the log interval, divided by all degrees of parallelism that do not split the
data (torchtitan/components/metrics.py, commit 00fbaaf); the time of validation is left out. A line says nothing about
the batch, so seconds of a step follow only where the batch is given. Lines of validation are no steps.
"""

import re

from trex.accounting.logs.line import Line, clean, finite, number_of, timestamp

NAME = "torchtitan"
STEP = re.compile(r"(?<!validate )\bstep:\s*(\d+)\s+loss:\s*(\S+)(.*)")
TPS = re.compile(r"\btps:\s*([\d,]+(?:\.\d+)?)(?=\s)")
TFLOPS = re.compile(r"\btflops:\s*([\d,]+(?:\.\d+)?)(?=\s)")


def recognises(text: str) -> bool:
    return STEP.search(text) is not None and "tps:" in text


def parse(texts: list[str]) -> tuple[list[Line], int, dict[str, str]]:
    """(lines, how many are cut off, the arguments that the log tells: none)."""
    lines, cut = [], 0
    for number, rank, text in clean(texts):
        if not (match := STEP.search(text)):
            continue
        rate = TPS.search(match[3])  # followed by a blank: at the end of what was cut off it may have lost digits
        speed = number_of(rate[1]) if rate else None
        if not speed:
            cut += 1
            continue
        loss, tflops = number_of(match[2]), TFLOPS.search(match[3])
        lines.append(
            Line(
                number=number,
                step=int(match[1]),
                device_tokens_per_second=speed,
                tflops=number_of(tflops[1]) if tflops else None,
                nan=int(loss is None or finite(loss) is None),
                loss=finite(loss),
                time=timestamp(text[: match.start()]),
                rank=rank,
            )
        )
    return lines, cut, {}
