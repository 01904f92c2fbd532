"""Which kernels the training of the miniature really takes on this machine: three training steps, looked at closely.

The first step warms up, the second is profiled by operator, in the third the libraries say themselves what they run:
oneDNN names the implementation behind each primitive, MKL each BLAS call. `libraries` is what they say of themselves
when asked for a product and a convolution, the instruction set that oneDNN dispatches to among it: it may be less than
the processor offers (a limit in the environment, another build). A list has the longest alone; `share` is of all
operators' own time, or of the step's time by the clock. Looking costs time: the times rank, they are no measure of
speed. --settings: the config's `training.common` with `training.stages.<stage>` laid over it.
"""

import ctypes
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from trex.common import cli, files, provenance, seeds
from trex.model.config import ModelConfig
from trex.model.huggingface_config import read_config
from trex.model.transformer import Transformer
from trex.training import data, loop

STEP = "trex.accounting.kernels"
TOP = 20
IN_MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
MKL_CALL = re.compile(r"^MKL_VERBOSE (\w+)\(.*\) ([\d.]+)(ns|us|ms|s) ", re.M)
MKL_VERSION = re.compile(r"^MKL_VERBOSE (.*? architecture) ", re.M)
ONEDNN_VERSION = re.compile(r"^onednn_verbose,v1,info,oneDNN (v[\d.]+)", re.M)
ONEDNN_ISA = re.compile(r"^onednn_verbose,v1,info,cpu,isa:(.*)$", re.M)
ONEDNN_RUNTIME = re.compile(r"^onednn_verbose,v1,info,cpu,runtime:(\w+)", re.M)
ONEDNN_CALL = re.compile(r"^onednn_verbose,v1,primitive,exec,cpu,(\w+),([^,]+),[^,]*,([^,]*),.*,([\d.]+)$", re.M)
DTYPE = re.compile(r"(?:src|wei|dst)\S*?:(f32|bf16|f16|f64|s8|u8|s32)")


@contextmanager
def printed() -> Iterator[Callable[[], str]]:
    """What the block prints, libraries written in C included, which know nothing of sys.stdout.

    Yields a function that gives it after the block.
    """
    text: list[str] = []
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield lambda: text[0]
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode(errors="replace"))


def first(pattern: re.Pattern, text: str) -> str | None:
    found = pattern.search(text)
    return found.group(1) if found else None


def libraries(text: str) -> dict:
    """What oneDNN and MKL say of themselves; None where torch has or uses none."""
    return {
        "onednn_version": first(ONEDNN_VERSION, text),
        "onednn_isa": first(ONEDNN_ISA, text),
        "onednn_runtime": first(ONEDNN_RUNTIME, text),
        "mkl": first(MKL_VERSION, text),
    }


def calls(text: str) -> Iterator[tuple[str, float]]:
    """(kernel, milliseconds) of each call that the libraries tell of."""
    for name, amount, unit in MKL_CALL.findall(text):
        yield f"MKL {name}", float(amount) * IN_MILLISECONDS[unit]
    for primitive, implementation, descriptors, milliseconds in ONEDNN_CALL.findall(text):
        dtypes = "/".join(dict.fromkeys(DTYPE.findall(descriptors)))
        yield " ".join(filter(None, ("oneDNN", primitive, implementation, dtypes))), float(milliseconds)


def ranked(timed: Iterator[tuple[str, float]], whole: float) -> list[dict]:
    """Names with calls, milliseconds and their share of the whole; the longest first."""
    sums: dict[str, list[float]] = {}
    for name, milliseconds in timed:
        sums.setdefault(name, []).append(milliseconds)
    rows = [
        {"name": name, "calls": len(times), "milliseconds": sum(times), "share": sum(times) / whole}
        for name, times in sums.items()
    ]
    return sorted(rows, key=lambda row: -row["milliseconds"])[:TOP]


def operators(profile: torch.profiler.profile) -> list[dict]:
    """PyTorch's operators by their own time, what they call not included."""
    averages = profile.key_averages()
    whole = sum(event.self_cpu_time_total for event in averages)
    rows = [
        {
            "name": event.key,
            "calls": event.count,
            "milliseconds": event.self_cpu_time_total / 1e3,
            "share": event.self_cpu_time_total / whole,
        }
        for event in averages
    ]
    return sorted(rows, key=lambda row: -row["milliseconds"])[:TOP]


@contextmanager
def told() -> Iterator[Callable[[], str]]:
    """As `printed`, with the libraries telling what they run."""
    with (
        printed() as text,
        torch.backends.mkldnn.verbose(torch.backends.mkldnn.VERBOSE_ON),
        torch.backends.mkl.verbose(torch.backends.mkl.VERBOSE_ON),
    ):
        yield text


def ask() -> dict:
    """Once a process: the libraries introduce themselves at their first call. They are not used for smaller sizes."""
    with told() as text:
        torch.mm(torch.ones(64, 64), torch.ones(64, 64))
        torch.nn.functional.conv2d(torch.ones(16, 1, 8, 8), torch.ones(1, 1, 5, 5))
    return libraries(text())


def look(config: ModelConfig, rows: data.Rows, settings: dict, seed: int) -> dict:
    """settings: of an arm; its budget is ignored, each look is one step."""
    model = Transformer(config).initialise(seeds.derive(seed, "kernels", "weights"))
    one_step = settings | {"tokens": settings["batch_rows"] * rows.tokens.shape[1]}

    def step() -> None:
        loop.train(model, rows, one_step, seed, lambda record: None)

    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    start = time.perf_counter()
    with told() as text:
        step()
    milliseconds = (time.perf_counter() - start) * 1e3
    return {"operators": operators(profile), "kernels": ranked(calls(text()), milliseconds)}


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model-config", required=True, help="models/<arm>/config.json: the shape to train")
    parser.add_argument("--packed", required=True, help="packed rows to train on")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="training settings of an arm, JSON")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads, the same as in training")
    parser.add_argument("--out", required=True, help="accounting/kernels.json")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(True)  # as in training: it chooses other kernels
    config, rows = read_config(arguments.model_config), data.read(arguments.packed)
    found = {"libraries": ask()} | look(config, rows, arguments.settings, arguments.seed)
    inputs = {"model_config": arguments.model_config, "packed": arguments.packed}
    block = provenance.provenance(STEP, arguments.settings, inputs, arguments.seed)
    files.write_json(arguments.out, {"threads": arguments.threads, "precision": "float32"} | found, block)
    isa = found["libraries"]["onednn_isa"] or "no oneDNN"
    print(f"kernels: {isa}; most time in {found['operators'][0]['name']} ({found['operators'][0]['share']:.0%})")


if __name__ == "__main__":
    cli.run(main)
