"""Does a model fit in the memory of so many devices, laid out like this, and what breaks first?

    python -m trex.accounting.fit --preset trex-pro-cpt
    python -m trex.accounting.fit --preset trex-pro-cpt --no-swap-optimizer
    python -m trex.accounting.fit --model v4-flash --device h100 --devices 256 --tensor 2 --pipeline 4 --expert 32 \
        --sequence-parallel --recomputation full --distributed-optimizer

Prints the memory of the rank with most, term by term, as bounds with what each rests on; whether it fits; what breaks
first, and at which allocation; the same without each of its savings; and, where it does not surely fit, the fewest
changes that would. Flags that are given go before the preset's. GB are 10^9 bytes.
"""

import argparse
import dataclasses
import json
from collections.abc import Iterable
from fractions import Fraction

from trex.accounting import hardware
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.read import architecture
from trex.accounting.planning import changes, memory
from trex.accounting.planning.activations.kept import Kept
from trex.accounting.planning.changes import Outcome, gigabytes
from trex.accounting.planning.layout import OPTIMIZERS, RECOMPUTATIONS, Layout
from trex.accounting.planning.memory import MOMENTS, Assumptions, RankMemory
from trex.accounting.planning.presets import PRESETS
from trex.common import cli
from trex.common.errors import UserError

SIZES = {
    "devices": "ranks, each with its own memory: of an Ascend 910C, a die",
    "global_batch": "sequences a step; without it, twice as many micro-batches as pipeline ranks",
    "micro_batch": "sequences a forward pass",
    "sequence_length": "tokens a sequence",
    "tensor": "tensor-parallel ranks (TP)",
    "pipeline": "pipeline ranks (PP)",
    "virtual_stages": "model chunks a pipeline rank (interleaving)",
    "expert": "expert-parallel ranks (EP)",
    "expert_tensor": "tensor-parallel ranks within an expert (ETP)",
    "context": "context-parallel ranks (CP)",
    "recompute_layers": "layers between two kept inputs, with recomputation full",
    "weight_bytes": "of a weight",
    "gradient_bytes": "of a gradient: 4 as Megatron-LM sums them with bf16 weights",
    "state_bytes": "of each optimizer state",
}
SWITCHES = {
    "sequence_parallel": "split what lies between tensor-parallel regions by tokens",
    "distributed_optimizer": "split master weights and states over the copies of a parameter (ZeRO 1)",
    "swap_optimizer": "keep master weights and states in the host's memory",
}


def arguments() -> argparse.Namespace:
    parser = cli.parser(__doc__)
    parser.add_argument("--preset", choices=PRESETS, help="a released layout, model and device")
    parser.add_argument("--model", help="a known model's name, or a config.json")
    parser.add_argument("--device", help="a device of config/hardware.yaml")
    parser.add_argument("--hardware", help="another hardware file")
    parser.add_argument(
        "--memory-gb", type=cli.positive_number, help="of one device in 10^9 bytes, instead of --device"
    )
    for name, meaning in SIZES.items():
        parser.add_argument(flag(name), type=cli.positive, help=meaning)
    parser.add_argument("--master-bytes", type=int, help="of a master weight; 0 for none")
    for name, meaning in SWITCHES.items():
        parser.add_argument(flag(name), action=argparse.BooleanOptionalAction, default=None, help=meaning)
    parser.add_argument("--recomputation", choices=RECOMPUTATIONS)
    parser.add_argument("--optimizer", choices=OPTIMIZERS)
    parser.add_argument("--chunk-layers", type=whole_numbers, help="layers of each chunk, e.g. 3,4,4,2")
    parser.add_argument(
        "--imbalance", type=load, default=Fraction(2), help="most loaded expert rank over the mean, at most (default 2)"
    )
    parser.add_argument(
        "--communicator-mib", type=cli.positive, default=512, help="buffers of one communicator (default 2 x 256)"
    )
    parser.add_argument("--tensors", action="store_true", help="also list what each kind of layer keeps, and why")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--out", help="also write all ranks' terms, as CSV")
    return parser.parse_args()


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def load(text: str) -> Fraction:
    value = Fraction(str(cli.positive_number(text)))
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: the most loaded rank has at least the mean, 1")
    return value


def whole_numbers(text: str) -> tuple[int, ...]:
    return tuple(cli.positive(part) for part in text.split(","))


def read_layout(given: argparse.Namespace) -> Layout:
    """The preset's, with the flags that are given. Raises UserError where the devices are missing."""
    names = [field.name for field in dataclasses.fields(Layout)]
    values = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    if given.preset:
        layout = PRESETS[given.preset].layout
        moved = {"pipeline", "virtual_stages"} & values.keys() and "chunk_layers" not in values
        return dataclasses.replace(layout, **values | ({"chunk_layers": None} if moved else {}))
    if given.devices is None:
        raise UserError("how many devices? give --devices, or --preset for a released layout")
    layout = Layout(**{"global_batch": 1} | values)
    if given.global_batch is None and not layout.wrong_values():
        enough = 2 * layout.pipeline * layout.micro_batch * max(layout.data, 1)
        layout = dataclasses.replace(layout, global_batch=enough)
    return layout


def read_model(given: argparse.Namespace) -> Architecture:
    name = given.model or (PRESETS[given.preset].model if given.preset else None)
    if name is None:
        raise UserError("which model? give --model, or --preset for a released layout")
    return architecture(name)


def read_capacity(given: argparse.Namespace) -> tuple[int, str]:
    """Bytes of a device, and where that is from."""
    if given.memory_gb is not None:
        if not (memory_bytes := round(given.memory_gb * 10**9)):
            raise UserError(f"--memory-gb {given.memory_gb:g}: that is less than a byte; give 10^9 bytes")
        return memory_bytes, "--memory-gb"
    name = given.device or (PRESETS[given.preset].device if given.preset else None)
    if name is None:
        raise UserError("how much memory? give --device, --memory-gb or --preset")
    device = hardware.device(name, given.hardware)
    if device.memory_gb is None:
        raise UserError(f"device {name}: its memory is not in the hardware file; give --memory-gb")
    return round(device.memory_gb.value * 10**9), f"{device.name}; {device.memory_gb.source}"


@dataclasses.dataclass(frozen=True)
class Answer:
    """All that is said about a layout. source: of the capacity, in bytes."""

    model: Architecture
    layout: Layout
    ranks: list[RankMemory]
    assumed: Assumptions
    capacity: int
    source: str

    @property
    def outcome(self) -> Outcome:
        return Outcome("as given", self.layout, memory.worst(self.ranks), self.capacity)


def answer(given: argparse.Namespace) -> Answer:
    model, layout = read_model(given), read_layout(given)
    layout.check(model)
    capacity, source = read_capacity(given)
    assumed = Assumptions(imbalance=(Fraction(1), given.imbalance), communicator_bytes=given.communicator_mib * 2**20)
    return Answer(model, layout, memory.ranks(model, layout, assumed), assumed, capacity, source)


# Text


def text(found: Answer) -> str:
    others = changes.without_each(found.model, found.layout, found.capacity, found.assumed)
    blocks = [
        headline(found),
        term_table(found.outcome.worst, found.capacity),
        rank_line(found),
        verdict(found, others),
        change_table(others),
        growth(found) if found.outcome.verdict == "fits" else mends(found),
        assumptions(found),
    ]
    return "\n\n".join(block for block in blocks if block)


def headline(found: Answer) -> str:
    layout = found.layout
    own = {field.name: getattr(layout, field.name) for field in dataclasses.fields(layout)}
    told = [name if value is True else f"{name} {value}" for name, value in own.items() if value not in (False, None)]
    derived = (
        f"data {layout.data}, expert_data {layout.expert_data}, {layout.micro_batches} micro-batches a rank and step"
    )
    return f"{found.model.name} on {found.source}\n{', '.join(told)}\nhence {derived}"


def term_table(worst: RankMemory, capacity: int) -> str:
    rows = [
        (term.name, gigabytes(term.bounds), "always" if term.moments == MOMENTS else " ".join(term.moments), term.why)
        for term in worst.terms
        if term.bounds.high
    ]
    rows += [(f"at {moment}", gigabytes(worst.at(moment)), "", "sum") for moment in MOMENTS]
    rows += [("peak", gigabytes(worst.peak), worst.moment, f"of {capacity / 1e9:.1f} GB")]
    return columns([("pipeline rank " + str(worst.rank), "GB", "when", "rests on"), *rows])


def columns(rows: list[tuple[str, ...]]) -> str:
    """Aligned to the left, the last column free."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [[cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)] for row in rows]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def rank_line(found: Answer) -> str:
    peaks = "; ".join(f"{each.rank}: {gigabytes(each.peak)}" for each in found.ranks)
    lines = [f"Peak by pipeline rank, GB: {peaks}"]
    if host := max(each.host for each in found.ranks):
        lines.append(f"Beside it, in the host's memory: {host / 1e9:.1f} GB a rank")
    return "\n".join(lines)


def verdict(found: Answer, others: list[Outcome]) -> str:
    outcome = found.outcome
    missing_high = (outcome.worst.peak.high - found.capacity) / 1e9
    if outcome.verdict == "fits":
        first = next((f" First to break: {each.change}." for each in others if each.verdict != "fits"), "")
        return f"FITS: {-missing_high:.1f} GB are left at the upper bound.{first}"
    at = outcome.breaks_at.name
    if outcome.verdict == "may fit":
        return f"MAY FIT: at the upper bound {at} breaks first, and {missing_high:.1f} GB are missing in all."
    missing = (outcome.worst.peak.low - found.capacity) / 1e9
    return f"DOES NOT FIT: {at} breaks first; even at the lower bound {missing:.1f} GB are missing in all."


def change_table(others: list[Outcome]) -> str:
    """others: largest memory first."""
    rows = [(each.change, gigabytes(each.worst.peak), each.verdict, where(each)) for each in others]
    title = "Each saving taken away and each load doubled, one at a time, the worst first"
    return title + "\n" + columns([("change", "peak, GB", "verdict", "breaks at"), *rows])


def where(outcome: Outcome) -> str:
    refused = "Megatron-Core refuses tensor and expert above 1 without it" if refuses(outcome.layout) else ""
    at = f"{outcome.breaks_at.name}, pipeline rank {outcome.worst.rank}" if outcome.breaks_at else ""
    return "; ".join(part for part in (at, refused) if part)


def refuses(layout: Layout) -> bool:
    return layout.tensor > 1 and layout.expert > 1 and not layout.sequence_parallel


def growth(found: Answer) -> str:
    known = (found.model, found.layout, found.capacity, found.assumed)
    busiest = changes.largest_imbalance(*known)
    lines = [f"busiest expert rank up to {float(busiest):.1f} times the mean"]
    factors = {name: changes.largest_factor(name, *known) for name in ("sequence_length", "micro_batch")}
    lines += [f"{name} times {factor}" if factor > 1 else f"{name} not doubled" for name, factor in factors.items()]
    return f"Still fits, one at a time: {'; '.join(lines)}"


def mends(found: Answer) -> str:
    options = changes.to_fit(found.model, found.layout, found.capacity, found.assumed)
    if not options:
        tried = ", ".join(name for name, _ in changes.mends())
        least = changes.least_devices(found.model, found.layout, found.capacity)
        return (
            f"No {changes.MOST_CHANGES} of these changes make it fit: {tried}.\n"
            f"Weights and gradients alone take {least} such devices."
        )
    rows = [(each.change, gigabytes(each.worst.peak), each.verdict, batch_note(each, found)) for each in options]
    title = "The fewest changes that would fit, the cheapest first"
    return title + "\n" + columns([("change", "peak, GB", "verdict", ""), *rows])


def batch_note(outcome: Outcome, found: Answer) -> str:
    new = outcome.layout.global_batch
    return "" if new == found.layout.global_batch else f"global_batch {new}"


def tensor_tables(found: Answer) -> str:
    """Every tensor that a micro-batch leaves behind on one rank, for each kind of layer once."""
    trace = memory.traced(found.model, found.layout)
    kinds: dict[tuple[Kept, ...], list[int]] = {}
    for number, layer in enumerate(trace.layers):
        kinds.setdefault((*trace.inputs, *layer), []).append(number)
    named = [(f"{len(layers)} layers like layer {layers[0]}", kept) for kept, layers in kinds.items()]
    named += [("multi-token prediction", trace.mtp), ("head and losses", [*trace.head, *trace.logits])]
    return "\n\n".join(tensor_table(name, kept, found) for name, kept in named if kept)


def tensor_table(name: str, tensors: Iterable[Kept], found: Answer) -> str:
    rows = [
        (
            tensor.name,
            tensor.component,
            f"{tensor.bytes(found.layout, found.assumed.imbalance[1]) / 1e6:.1f}",
            tensor.split,
            "" if tensor.certain else "perhaps",
            "selective drops it" if tensor.again else "",
            tensor.why,
        )
        for tensor in tensors
    ]
    return columns([(name, "component", "MB", "split by", "", "", ""), *rows])


def assumptions(found: Answer) -> str:
    loads = " to ".join(f"{float(each):g}" for each in found.assumed.imbalance)
    return "\n".join(
        [
            "Assumed:",
            f"- one device has {found.capacity:,} bytes for the job: the maker's GB as 10^9 bytes. PyTorch sees a",
            "  little more of most (61 GiB of an Ascend's 64 GB, 79 of an H100's 80), the rest being the driver's.",
            f"- the busiest expert rank gets {loads} times the mean number of tokens; no token is dropped.",
            "- attention, indexer and losses are fused as said in trex/accounting/planning/activations; documents fill",
            "  the sequence.",
            "- parameters are split evenly; padding of buffers, checkpoints in flight and evaluation are not counted.",
        ]
    )


# Records


def record(found: Answer) -> dict:
    outcome = found.outcome
    return {
        "model": found.model.name,
        "layout": dataclasses.asdict(found.layout),
        "capacity_bytes": found.capacity,
        "verdict": outcome.verdict,
        "breaks_at": outcome.breaks_at.name if outcome.breaks_at else None,
        "peak_bytes": dataclasses.asdict(outcome.worst.peak),
        "terms": rows(found),
    }


def rows(found: Answer) -> list[dict]:
    """One for each term of each pipeline rank."""
    return [
        {
            "pipeline_rank": each.rank,
            "term": term.name,
            "group": term.group,
            "bytes_at_least": term.bounds.low,
            "bytes_at_most": term.bounds.high,
            "moments": " ".join(term.moments),
            "rests_on": term.why,
        }
        for each in found.ranks
        for term in each.terms
    ]


def write(found: Answer, path: str) -> None:
    import pandas as pd

    from trex.common import files, provenance

    settings = {"model": found.model.name, "layout": dataclasses.asdict(found.layout), "capacity": found.capacity}
    origin = provenance.provenance("trex.accounting.fit", settings, {})
    files.write_csv(path, pd.DataFrame(rows(found)), origin)


def main() -> None:
    given = arguments()
    found = answer(given)
    if given.out:
        write(found, given.out)
    print(json.dumps(record(found), indent=2) if given.json else text(found))
    if given.tensors and not given.json:
        print("\n" + tensor_tables(found))


if __name__ == "__main__":
    cli.run(main)
