"""A log in words: what of it stands for the run, what was left out and lost, and what the framework itself says."""

from trex.accounting.logs.framework import Comparison, Explanation
from trex.accounting.logs.read import Log
from trex.accounting.logs.steady import Goodput, Run, goodput
from trex.accounting.utilization import Utilization

AS_STATED = " as stated"


def of_log(found: Utilization, log: Log, run: Run, comparison: Comparison | None) -> list[str]:
    """What of the log stands for the run, what was left out and lost, and what the framework itself says."""
    lines = [
        "",
        f"Log: {log.format}, {len(run.rated)} lines, steps {run.rated[0].line.step} to {run.rated[-1].line.step}",
    ]
    rates = [one.tokens_per_second for one in run.kept]
    lines.append(
        f"  steady lines: {min(rates):,.0f} to {max(rates):,.0f} tokens/s{share_of(found, min(rates), max(rates))}"
    )
    left = ", ".join(f"{count} {reason}" for reason, count in run.left_out.items()) or "nothing"
    every = run.all_tokens_per_second
    lines.append(f"  left out of these: {left}; with all of it {every:,.0f} tokens/s{share_of(found, every)}")
    lines += [f"  {note}" for note in run.notes]
    counts = {
        "attempts (restarts: one less)": log.attempts if log.attempts > 1 else 0,
        "lines cut off": log.cut_off,
        "lines of other ranks": log.other_ranks,
        "steps without a line": log.gaps,
    }
    if told_counts := [f"{count} {name}" for name, count in counts.items() if count]:
        lines.append(f"  {', '.join(told_counts)}")
    if len(run.batches) > 1:
        sizes = " -> ".join(f"{size:,.0f}" for size in run.batches)
        lines.append(f"  the batch changes: {sizes} tokens a step")
    lines += goodput_summary(found, goodput(run))
    return lines + framework_summary(found, comparison)


def share_of(found: Utilization, *rates: float) -> str:
    """`, MFU 20.1% to 24.0%` of rates, by the exact convention and first peak; empty without a peak."""
    if not found.peaks:
        return ""
    shares = [found.mfu * rate / found.tokens_per_second for rate in rates]
    return f", MFU {' to '.join(f'{share:.1%}' for share in shares)}"


def goodput_summary(found: Utilization, good: Goodput | None) -> list[str]:
    if good is None:
        return ["  goodput N/A: lines do not know their batch; give --global-batch"]
    lost = f"{good.repeated} repeated, {good.skipped} skipped, {good.nan} NaN of {good.steps} steps"
    rate = good.tokens_per_second
    lines = [f"  goodput: {rate:,.0f} tokens/s of logged time{share_of(found, rate)}; lost: {lost}"]
    if (wall := good.wall_tokens_per_second) is not None:
        between = max(0.0, good.wall_seconds - good.seconds)
        lines.append(
            f"    by the log's clock (whole seconds) {wall:,.0f} tokens/s{share_of(found, wall)}: {between:,.0f} s of "
            f"{good.wall_seconds:,.0f} s were in no step, such as evaluation, checkpoints, restarts"
        )
    return lines


def framework_summary(found: Utilization, comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return []
    ours = found.exact.flops_per_token
    ratio = comparison.flops_per_token / ours
    name, nearest = comparison.nearest
    lines = [
        f"The log's own figure: {comparison.tflops:.1f} TFLOP/s a device, {ratio:.4f} of ours by the exact convention",
        f"  it counted {comparison.flops_per_token / 1e9:.3f} GFLOP a token at the stated length, batch and devices; "
        f"nearest is {name} ({nearest:.4f} of it)",
    ]
    for one in comparison.explanations:
        lines.append(f"  agrees to {one.error:+.3%}: {one.convention} ({one.counts}){departure(found, one)}")
    if any(departure(found, one) != AS_STATED for one in comparison.explanations):
        lines.append(
            "  so the stated length, batch or devices may be wrong, and with them every figure here: check them"
        )
    if not comparison.explanations:
        lines.append("  no convention explains it, also not at other lengths and numbers of devices by powers of two")
    return lines


def departure(found: Utilization, one: Explanation) -> str:
    parts = []
    if one.sequence_length != found.sequence_length:
        actual = found.tokens_per_second * one.sequence_length / found.sequence_length
        parts.append(f"sequences of {one.sequence_length} tokens, not {found.sequence_length}: {actual:,.0f} tokens/s")
    if one.device_factor != 1:
        parts.append(f"{float(found.devices * one.device_factor):g} devices, not {found.devices}")
    return f" if {' and '.join(parts)}" if parts else AS_STATED
