"""Logs of Megatron-LM and what is built on it (MindSpeed-LLM, Megatron-Bridge, Primus).

    [2024-04-06 03:02:12] iteration  71/ 100 | consumed samples: 9088 | elapsed time per iteration (ms): 5361.6 |
    throughput per GPU (TFLOP/s/GPU): 243.6 | ... | number of skipped iterations: 0 | number of nan iterations: 0 |

Each figure ends with a bar, so one without is cut off and not taken. Elapsed time is the mean over the log interval,
without evaluation and the saving of checkpoints (megatron/training/training.py stops its timer for these); skipped and
NaN iterations are counted since the last line. Field names changed over the years; older lines have no colons. Primus
writes "now/mean" pairs. What the log prints of its arguments ("seq_length .... 4096") is kept too.
"""

import itertools
import re

from trex.accounting.logs.line import Line, clean, finite, number_of, timestamp

NAME = "megatron"
ITERATION = re.compile(r"\biteration\s+(\d+)\s*/\s*\d+\s*\|")
NUMBER = r"[-+]?[\d.,]+(?:e[-+]?\d+)?(?:/[\d.]+)?|nan|[-+]?inf"
FIELD = re.compile(rf"^\s*(?P<name>.+?)(?::\s*|\s+)(?P<value>{NUMBER})\s*$", re.I)
ARGUMENT = re.compile(r"^\s*([a-z][a-z0-9_]*) \.{3,} (.+?)\s*$")
ARGUMENTS = ("seq_length", "world_size", "recompute_granularity", "mtp_num_layers")

MILLISECONDS, SECONDS = "elapsed time per iteration (ms)", "elapsed time per iteration (s)"
TFLOPS = ("throughput per gpu (tflop/s/gpu)", "throughput per gpu (tflop/s)", "tflops", "tflop/s/gpu")
DEVICE_TOKENS = (
    "tokens per gpu (tokens/s/gpu)",
    "tokens per second per device",
    "throughput (token/sec/gpu)",
    "tokens/s/device",
)
SHORTEST = 1e-9  # seconds of a step: what is shorter is no measurement
LOSS = ("lm loss", "loss", "reduced_train_loss")


def recognises(text: str) -> bool:
    return ITERATION.search(text) is not None and "elapsed time per iteration" in text


def parse(texts: list[str]) -> tuple[list[Line], int, dict[str, str]]:
    """(lines, how many are cut off, the arguments that the log tells)."""
    lines, cut, arguments = [], 0, {}
    for number, rank, text in clean(texts):
        if (told := ARGUMENT.match(text)) and told[1] in ARGUMENTS:
            arguments[told[1]] = told[2]
        # Two writers may share a line of the file: each iteration up to the next.
        starts = [*ITERATION.finditer(text)]
        for start, following in itertools.zip_longest(starts, starts[1:]):
            own = text[start.end() : following.start() if following else None]
            line = parse_one(own, int(start[1]), number, rank, timestamp(text[: start.start()]))
            if line is None:
                cut += 1
            else:
                lines.append(line)
    return lines, cut, arguments


def parse_one(text: str, step: int, number: int, rank: int | None, time: float | None) -> Line | None:
    """text: the line after its iteration. None where it was cut off before the time of an iteration."""
    *closed, _ = text.split("|")
    fields = {}
    for part in closed:
        if match := FIELD.match(part):
            fields[match["name"].strip().lower()] = number_of(match["value"])

    def first(names: tuple[str, ...]) -> float | None:
        return finite(next((fields[name] for name in names if name in fields), None))

    seconds = first((SECONDS,))
    if (milliseconds := first((MILLISECONDS,))) is not None:
        seconds = milliseconds / 1000
    if not seconds or seconds < SHORTEST:
        return None
    samples = first(("global batch size",))
    return Line(
        number=number,
        step=step,
        seconds=seconds,
        samples=samples if samples and samples > 0 else None,
        device_tokens_per_second=first(DEVICE_TOKENS),
        tflops=first(TFLOPS),
        skipped=int(first(("number of skipped iterations",)) or 0),
        nan=int(first(("number of nan iterations",)) or 0),
        loss=first(LOSS),
        time=time,
        rank=rank,
    )
