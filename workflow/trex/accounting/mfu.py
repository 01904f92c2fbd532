"""MFU and HFU of a real run, from its throughput or its log: whose FLOPs, which peak, and how far others would differ.

    python -m trex.accounting.mfu --model v4-pro --sequence-length 4096 --tokens-per-second 308 --devices 1
        --peak-tflops 376
    python -m trex.accounting.mfu --model mixtral-8x7b --sequence-length 4096 --log train.log --devices 16 --device h100

--model: a known name (v4-flash, v4-pro, deepseek-v3, mixtral-8x7b, ...; a wrong one lists them) or a config.json.
Exactly one of --tokens-per-second, --step-time (with --global-batch) and --log says how fast the run was. Tokens per
second are those of all devices together, padding included if the model computes it.

The first line answers by the exact convention (trex.accounting.counting.conventions) and the first peak; the table has
the others. Of a log, the rate is of steady steps: trex.accounting.logs.steady states the rule, and what was left out is
printed. Runs no model, needs neither torch nor Snakemake.
"""

import argparse
import dataclasses
from pathlib import Path

from trex.accounting import hardware, utilization
from trex.accounting.counting.conventions import MISTAKES
from trex.accounting.counting.read import architecture
from trex.accounting.hardware import Quantity
from trex.accounting.logs import framework, steady, summary
from trex.accounting.logs.read import Log, read
from trex.accounting.utilization import TERA, Utilization
from trex.common import cli
from trex.common.errors import UserError

GIVEN = "given by --peak-tflops"
DTYPE = "bf16"
LOW_PRECISION = ("fp8", "fp4", "int8")
RECOMPUTES = {"full": "full", "None": "none"}  # Megatron's recompute_granularity in the words of --recompute
ROUNDING = 0.01
DISAGREEMENT = 0.15  # conventions differ by less


@dataclasses.dataclass(frozen=True)
class Speed:
    """How fast the run was. tokens_per_second: of all devices; said: in words. recompute: as the user or the log says,
    None where neither does. The rest only of a log."""

    tokens_per_second: float
    said: str
    recompute: str | None = None
    log: Log | None = None
    run: steady.Run | None = None
    warnings: tuple[str, ...] = ()


def not_negative(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)


def arguments_of() -> argparse.Namespace:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", required=True, help="a known model's name, or its config.json")
    parser.add_argument("--sequence-length", type=cli.positive, help="tokens; left out where the log prints it")
    parser.add_argument("--devices", type=cli.positive, help="as --device counts; left out where the log prints it")
    speed = parser.add_mutually_exclusive_group(required=True)
    speed.add_argument("--tokens-per-second", type=cli.positive_number, help="of all devices together")
    speed.add_argument("--step-time", type=cli.positive_number, help="seconds of one optimizer step")
    speed.add_argument(
        "--log", nargs="+", help="training log, of several attempts in their order (see docs/accounting.md)"
    )
    parser.add_argument("--global-batch", type=cli.positive_number, help="sequences of one optimizer step")
    parser.add_argument("--format", help="of the log, where it is not recognised: megatron, torchtitan, metrics")
    parser.add_argument("--warmup", type=not_negative, default=steady.WARMUP, help="steps to leave out after a start")
    parser.add_argument("--device", help="of config/hardware.yaml, or a run's accounting/peak.json for its CPU")
    parser.add_argument("--dtype", help=f"of the matrix products: which peak (default {DTYPE})")
    parser.add_argument("--peak-tflops", type=cli.positive_number, help="dense, of one device; before the device's own")
    parser.add_argument("--hardware", help="another hardware file")
    parser.add_argument("--recompute", choices=("none", "full"), help="what the run recomputes: which HFU is its own")
    parser.add_argument("--out", help="folder for mfu.json, mfu.csv and, of a log, steps.csv, steps.svg, mfu.html")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser.parse_args()


def told(log: Log, name: str, option: str, given: int | None) -> int:
    """A number that the log or the user tells. Raises UserError where neither does or both differ."""
    text = log.arguments.get(name, "")
    logged = int(text) if text.isdecimal() else None
    if given and logged and given != logged:
        raise UserError(f"{log.path}: the log says {name} {logged}, {option} says {given}; mend one of them")
    if not (given or logged):
        raise UserError(f"{option} is missing, and {log.path} does not print {name}; give it")
    return given or logged


def peaks_of(
    device: str | None, dtype: str | None, given: float | None, file: str | None
) -> tuple[list[Quantity], list[str]]:
    """(peaks of one device, the first for the headline; what to say about them)."""
    peaks = [Quantity(given, GIVEN)] if given else []
    if device is None:
        for option, value in (("--dtype", dtype), ("--hardware", file)):
            if value is not None:
                raise UserError(f"{option} belongs to --device; give that too, or leave it out")
        return peaks, [] if given else ["No peak: give --device (with --dtype) or --peak-tflops"]
    found, kind = hardware.device(device, file), hardware.dtype_name(dtype or DTYPE)
    peak = found.peak(kind)
    if peak is None:
        known = ", ".join(found.peak_tflops)
        return peaks, [f"No {kind} peak of {found.key} is known ({known} are); give --peak-tflops"]
    values = {one.value for one in peaks}
    peaks += [one for one in peak.all if one.value not in values]
    notes = [f"Device: {found.name}, {kind}"]
    if kind in LOW_PRECISION:
        notes.append(f"Of the {kind} peak, though attention and other parts of a model seldom run in {kind}")
    if not peak.verified:
        notes.append(f"The peak of {peak.value:g} TFLOP/s is unverified: assumed, or not seen in its source")
    return peaks, notes


def speed_of(arguments: argparse.Namespace) -> tuple[Speed, int, int]:
    """(speed, sequence length, devices). Raises UserError for what is missing or contradicts the log."""
    if arguments.log:
        return speed_of_log(arguments)
    if arguments.format:
        raise UserError("--format belongs to --log; leave it out")
    if arguments.sequence_length is None or arguments.devices is None:
        raise UserError("--sequence-length and --devices are needed without a log")
    devices, length = arguments.devices, arguments.sequence_length
    plural = f"{devices} device{'s' if devices > 1 else ''}"
    if arguments.tokens_per_second:
        if arguments.global_batch:
            raise UserError("--global-batch belongs to --step-time or --log; leave it out")
        rate = arguments.tokens_per_second
        return Speed(rate, f"{rate:,.6g} tokens/s on {plural}", arguments.recompute), length, devices
    if not arguments.global_batch:
        raise UserError("--step-time needs --global-batch (sequences of one step)")
    rate = utilization.of_step(arguments.step_time, arguments.global_batch, length)
    said = f"{arguments.global_batch:g} sequences in {arguments.step_time:g} s: {rate:,.6g} tokens/s on {plural}"
    return Speed(rate, said, arguments.recompute), length, devices


def speed_of_log(arguments: argparse.Namespace) -> tuple[Speed, int, int]:
    log = read(arguments.log, arguments.format)
    length = told(log, "seq_length", "--sequence-length", arguments.sequence_length)
    devices = told(log, "world_size", "--devices", arguments.devices)
    run = steady.assess(log, length, devices, arguments.global_batch, arguments.warmup)
    rate = run.tokens_per_second
    said = f"{rate:,.6g} tokens/s on {devices} devices, steady ({len(run.kept)} of {len(run.rated)} lines)"
    granularity, blocks = log.arguments.get("recompute_granularity"), log.arguments.get("mtp_num_layers", "None")
    logged, stated = RECOMPUTES.get(granularity), arguments.recompute
    if logged and stated and logged != stated:
        raise UserError(
            f"{log.path}: the log says recompute_granularity {granularity}, --recompute says {stated}; mend one of them"
        )
    warnings = []
    if granularity == "selective":
        warnings.append("The log says recompute_granularity selective: HFU lies between the two")
    if blocks not in ("None", "0"):
        warnings.append(f"The log says mtp_num_layers {blocks}: with multi-token prediction counted, see rows in _mtp")
    return Speed(rate, said, stated or logged, log, run, tuple(warnings)), length, devices


def checks(found: Utilization, run: steady.Run | None, comparison: framework.Comparison | None) -> list[str]:
    """What cannot be, or should not be believed before it is looked into."""
    warnings = []
    if found.peaks and found.mfu > 1:
        warnings.append(
            "IMPOSSIBLE: more than the peak; check devices, batch, sequence length and whether a device is a die"
        )
    ratio = steady.own_rate(run, found.devices) if run else None
    if ratio and abs(ratio - 1) > ROUNDING:
        warnings.append(
            f"CHECK: the log's own tokens/s a device are {ratio:.3f} of ours; a wrong length, batch or devices"
        )
    ratio = comparison.flops_per_token / found.exact.flops_per_token if comparison else None
    if ratio and abs(ratio - 1) > DISAGREEMENT:
        warnings.append(f"CHECK: the log's own TFLOP/s are {ratio:.2f} of ours; what would explain it stands below")
    return warnings


def as_json(found: Utilization, speed: Speed, comparison: framework.Comparison | None) -> dict:
    result = {
        "model": found.architecture.name,
        "model_source": found.architecture.source,
        "sequence_length": found.sequence_length,
        "devices": found.devices,
        "tokens_per_second": found.tokens_per_second,
        "mfu": found.mfu,
        "recompute": speed.recompute,
        "hfu": found.hfu(speed.recompute) if speed.recompute else None,
        "hfu_if_full_recomputation": found.hfu("full"),
        "range": found.range,
        "peaks": [dataclasses.asdict(dataclasses.replace(peak, alternatives=())) for peak in found.peaks],
        "conventions": rows_of(found),
    }
    if speed.log:
        goodput = steady.goodput(speed.run)
        result["log"] = {
            "format": speed.log.format,
            "lines": len(speed.run.rated),
            "left_out": speed.run.left_out,
            "notes": list(speed.run.notes),
            "attempts": speed.log.attempts,
            "cut_off": speed.log.cut_off,
            "all_tokens_per_second": speed.run.all_tokens_per_second,
            "goodput": None
            if goodput is None
            else dataclasses.asdict(goodput)
            | {
                "tokens_per_second": goodput.tokens_per_second,
                "wall_tokens_per_second": goodput.wall_tokens_per_second,
            },
            "framework": None if comparison is None else framework_json(comparison),
        }
    return result


def framework_json(comparison: framework.Comparison) -> dict:
    explanations = [
        dataclasses.asdict(one) | {"device_factor": float(one.device_factor)} for one in comparison.explanations
    ]
    return dataclasses.asdict(comparison) | {"explanations": explanations}


def rows_of(found: Utilization) -> list[dict]:
    """One row a convention and peak; one without a share where there is no peak."""
    return [
        {
            "convention": row.convention.name,
            "kind": "hfu" if row.convention.hardware else "mfu",
            "known_mistake": row.convention.name in MISTAKES,
            "flops_per_token": row.flops_per_token,
            "tflops_per_device": row.device_flops / TERA,
            "peak_tflops": peak and peak.value,
            "peak_source": peak and peak.source,
            "share": share,
            "convention_source": row.convention.source,
            "counts": row.convention.counts,
        }
        for row in found.rows
        for peak, share in (zip(found.peaks, row.shares, strict=True) if found.peaks else [(None, None)])
    ]


def write(folder: str, result: dict, found: Utilization, speed: Speed, answer: str) -> None:
    import pandas as pd

    from trex.common import files, provenance

    settings = {key: result[key] for key in ("model", "sequence_length", "devices", "tokens_per_second")}
    inputs = {"log": [Path(path) for path in speed.log.paths]} if speed.log else {}
    origin = provenance.provenance("trex.accounting.mfu", settings, inputs)
    files.write_json(Path(folder) / "mfu.json", result, origin)
    files.write_csv(Path(folder) / "mfu.csv", pd.DataFrame(rows_of(found)), origin)
    if speed.log:
        from trex.accounting.logs import chart

        steps = chart.steps(speed.run, found)
        files.write_csv(Path(folder) / "steps.csv", steps, origin)
        chart.write(Path(folder), steps, found, answer)


def main() -> None:
    arguments = arguments_of()
    model = architecture(arguments.model)
    speed, length, devices = speed_of(arguments)
    peaks, notes = peaks_of(arguments.device, arguments.dtype, arguments.peak_tflops, arguments.hardware)
    found = utilization.utilization(model, length, speed.tokens_per_second, devices, tuple(peaks))
    comparison = None
    if speed.log:
        told_devices = "world_size" in speed.log.arguments
        comparison = framework.compare(model, speed.run.kept, length, devices, speed.log.format, told_devices)
    more = summary.of_log(found, speed.log, speed.run, comparison) if speed.log else []
    notes = [*checks(found, speed.run, comparison), *notes, *speed.warnings, *more]
    answer = utilization.text(found, speed.recompute, speed.said, notes)
    result = as_json(found, speed, comparison)
    if arguments.out:
        write(arguments.out, result, found, speed, answer)
    if arguments.json:
        import json

        print(json.dumps(result, indent=2))
    else:
        print(answer)


if __name__ == "__main__":
    cli.run(main)
