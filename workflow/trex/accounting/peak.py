"""Measure the matrix-product peak of this machine: the denominator of every measured MFU.

A fixed list of shapes, each in float32 and bfloat16, with the threads that training uses. Every repetition is kept;
the shapes take turns, so that a slow spell of a shared machine hits all of them. A dtype's peak is the best median
over its shapes: what a large plain product reaches in practice, not what the data sheet says.
"""

import statistics
import time

import torch

from trex.common import cli, files, provenance

SHAPES = (  # (rows, inner, columns)
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 384, 1152),
    (4096, 1152, 384),
    (8192, 256, 1024),
)
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
MEASURED_SECONDS = 0.1  # at least this long a repetition: the clock's resolution is then no issue


def seconds(left: torch.Tensor, right: torch.Tensor, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        torch.mm(left, right)
    return time.perf_counter() - start


def calls_needed(left: torch.Tensor, right: torch.Tensor) -> int:
    """Warms up (kernels are generated at the first call) and says how many calls fill one repetition."""
    seconds(left, right, 3)
    return max(1, round(3 * MEASURED_SECONDS / seconds(left, right, 3)))


def measure(repetitions: int) -> list[dict]:
    """One record a dtype and shape: shape, TFLOP/s of each repetition in order, their median."""
    cases = []
    for dtype, torch_dtype in DTYPES.items():
        for rows, inner, columns in SHAPES:
            left = torch.randn(rows, inner).to(torch_dtype)
            right = torch.randn(inner, columns).to(torch_dtype)
            cases.append((dtype, (rows, inner, columns), left, right, calls_needed(left, right), []))
    for _ in cli.track(range(repetitions), "peak"):
        for _, (rows, inner, columns), left, right, calls, rates in cases:
            rates.append(2 * rows * inner * columns * calls / seconds(left, right, calls) / 1e12)
    return [
        {
            "dtype": dtype,
            "shape": list(shape),
            "calls": calls,
            "tflops": rates,
            "median_tflops": statistics.median(rates),
        }
        for dtype, shape, _, _, calls, rates in cases
    ]


def peaks(records: list[dict]) -> dict[str, float]:
    """The best median of each dtype, TFLOP/s."""
    return {
        dtype: max(record["median_tflops"] for record in records if record["dtype"] == dtype)
        for dtype in dict.fromkeys(record["dtype"] for record in records)
    }


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument(
        "--settings", type=cli.json_argument, required=True, help="the config's accounting.peak section"
    )
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads, the same as in training")
    parser.add_argument("--out", required=True, help="accounting/peak.json")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)  # values do not change the speed; fixed so that nothing is left to chance
    records = measure(arguments.settings["repetitions"])
    best = peaks(records)
    result = {
        "threads": arguments.threads,
        "definition": "best median over shapes, per dtype",
        "peak_tflops": best,
        "measurements": records,
    }
    files.write_json(arguments.out, result, provenance.provenance("trex.accounting.peak", arguments.settings, {}))
    print("peak: " + ", ".join(f"{dtype} {value:.3f} TFLOP/s" for dtype, value in best.items()))


if __name__ == "__main__":
    cli.run(main)
