"""Memory of each rank of a layout: weights, gradients, optimizer, activations, buffers. Exact bytes, as bounds.

A term is one number where the layout decides it, and two where an implementation does; what was assumed stands beside
it. A rank's peak is the largest of three moments:

- `loss`: on the last rank, the loss of a micro-batch while activations of those in flight are held;
- `backward`: the backward pass of one layer, while the same are held;
- `step`: the optimizer's.

What this does not cover: what a framework's own Python or driver allocates beyond `workspace`, checkpoints in flight,
evaluation, padding of buffers, and imbalance of experts beyond the bound given.
"""

import dataclasses
from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from trex.accounting.counting.part import Architecture, Part
from trex.accounting.planning.activations import deepseek_v4, transformer
from trex.accounting.planning.activations.kept import BF16, FP32, Bounds, Kept, Trace, sizes, total
from trex.accounting.planning.layout import Layout
from trex.model.config import ModelConfig

MOMENTS = ("loss", "backward", "step")
PASSES = ("loss", "backward")
IN_FP32 = ("compressor", "index_compressor", "hyper_connections", "collapse")


@dataclasses.dataclass(frozen=True)
class Assumptions:
    """What no flag of a layout says, for the lower and the upper bound.

    imbalance: tokens of the rank whose experts are chosen most, over the mean. communicator_bytes: buffers of one
    communicator; HCCL takes twice HCCL_BUFFSIZE, which the T-Rex script of V4-Pro sets to 256 MiB. swap_pieces: into
    how many pieces a swapped optimizer's states fall when they visit the device (MindSpeed's default). workspace: of
    operators and driver. fragmentation: share of what is allocated and freed within a step.
    """

    imbalance: tuple[Fraction, Fraction] = (Fraction(1), Fraction(2))
    communicator_bytes: int = 2 * 256 * 2**20
    swap_pieces: int = 16
    workspace: int = 10**9
    fragmentation: Fraction = Fraction(1, 10)


@dataclasses.dataclass(frozen=True)
class Term:
    """One row of a rank's table. group: `state`, `activations` or `buffers`; moments: when it is there."""

    name: str
    group: str
    bounds: Bounds
    moments: tuple[str, ...]
    why: str


@dataclasses.dataclass(frozen=True)
class RankMemory:
    """One pipeline rank (all its ranks of other groups are alike). host: bytes in the host's memory, for swapping."""

    rank: int
    terms: list[Term]
    host: int

    def at(self, moment: str) -> Bounds:
        return total(term.bounds for term in self.terms if moment in term.moments)

    @property
    def peak(self) -> Bounds:
        return Bounds(max(self.at(moment).low for moment in MOMENTS), max(self.at(moment).high for moment in MOMENTS))

    @property
    def moment(self) -> str:
        """When the upper bound is reached."""
        return max(MOMENTS, key=lambda moment: self.at(moment).high)


def ranks(model: Architecture, layout: Layout, assumed: Assumptions | None = None) -> list[RankMemory]:
    """Each pipeline rank's memory. The layout must fit the model: `layout.check(model)`."""
    assumed = assumed or Assumptions()
    placed = place(model, layout)
    trace = traced(model, layout)
    return [rank_memory(rank, placed[rank], trace, model, layout, assumed) for rank in range(layout.pipeline)]


def worst(found: Iterable[RankMemory]) -> RankMemory:
    return max(found, key=lambda memory: memory.peak.high)


def traced(model: Architecture, layout: Layout) -> Trace:
    kind = deepseek_v4 if isinstance(model.config, ModelConfig) else transformer
    return kind.trace(model.config, layout.sequence_length)


# Weights, gradients, optimizer


def place(model: Architecture, layout: Layout) -> list[list[Part]]:
    """The parts of each pipeline rank. The last one has an embedding of its own where multi-token prediction needs it
    and it is not the first (Megatron-Core keeps the two equal)."""
    parts = model.parts(layout.sequence_length)
    of_layer = {
        layer: rank
        for rank, chunks in enumerate(layout.layers(model.num_layers))
        for chunk in chunks
        for layer in chunk
    }
    last = layout.pipeline - 1
    placed: list[list[Part]] = [[] for _ in range(layout.pipeline)]
    for part in parts:
        rank = {"embedding": 0, "head": last, "mtp": last}.get(part.block, of_layer.get(part.layer))
        placed[rank].append(part)
    if last and any(part.block == "mtp" for part in parts):
        placed[last] += [part for part in parts if part.block == "embedding"]
    return placed


def local(count: int, part: Part, layout: Layout) -> int:
    return -(-count // layout.shards(part))


def weight_bytes(parts: Iterable[Part], layout: Layout) -> int:
    return layout.weight_bytes * sum(local(part.parameters, part, layout) for part in parts)


def fp32_bytes(parts: Iterable[Part], layout: Layout) -> int:
    """What weights of those parts take beyond weight_bytes that the published implementations hold in fp32."""
    beyond = max(FP32 - layout.weight_bytes, 0)
    return beyond * sum(local(part.parameters, part, layout) for part in parts if part.name in IN_FP32)


def gradient_bytes(parts: Iterable[Part], layout: Layout) -> int:
    return layout.gradient_bytes * sum(local(part.parameters, part, layout) for part in parts)


def optimizer_bytes(parts: Iterable[Part], layout: Layout) -> int:
    """Master weights and states. Muon has one state for the matrices that it trains; all else has Adam's two."""
    return sum(part_optimizer_bytes(part, layout) for part in parts)


def part_optimizer_bytes(part: Part, layout: Layout) -> int:
    by_muon = local(part.muon_parameters, part, layout) if layout.optimizer == "muon" else 0
    size = local(part.parameters, part, layout) * (layout.master_bytes + 2 * layout.state_bytes)
    size -= by_muon * layout.state_bytes
    return -(-size // layout.copies(part)) if layout.distributed_optimizer else size


def state_terms(parts: list[Part], layout: Layout, assumed: Assumptions) -> list[Term]:
    optimizer = optimizer_bytes(parts, layout)
    wide = fp32_bytes(parts, layout)
    found = [
        state("weights", weight_bytes(parts, layout), f"{layout.weight_bytes} bytes a parameter"),
        Term("fp32_weights", "state", Bounds(0, wide), MOMENTS, "compressors and hyper-connections, if held in fp32"),
        state("gradients", gradient_bytes(parts, layout), f"{layout.gradient_bytes} bytes a parameter, on all copies"),
    ]
    if layout.optimizer == "muon":
        found.append(orthogonalisation(parts, layout))
    if not layout.swap_optimizer:
        why = f"master weights and {layout.optimizer}'s states; {over_copies(layout)}"
        return [*found, state("optimizer", optimizer, why)]
    piece = Bounds(1, 2).times(-(-optimizer // assumed.swap_pieces))
    why = f"one of {assumed.swap_pieces} pieces of what lies in the host's memory; two, if one is fetched meanwhile"
    return [*found, Term("optimizer_pieces", "buffers", piece, ("step",), why)]


def state(name: str, size: int, why: str) -> Term:
    return Term(name, "state", Bounds(size, size), MOMENTS, why)


def orthogonalisation(parts: Iterable[Part], layout: Layout) -> Term:
    """Muon needs whole matrices: a rank that holds a share of one puts it together first."""
    most = max((local(part.muon_parameters, part, layout) for part in parts), default=0)
    why = "Muon's iteration on the largest part: its update and the next one in fp32; matrix by matrix it is less"
    return Term("orthogonalisation", "buffers", Bounds(0, 2 * FP32 * most), ("step",), why)


def over_copies(layout: Layout) -> str:
    if not layout.distributed_optimizer:
        return "whole on each copy"
    return f"split over the {layout.data * layout.context} copies of dense parts, {layout.expert_data} of experts"


# Activations


def rank_memory(
    rank: int, parts: list[Part], trace: Trace, model: Architecture, layout: Layout, assumed: Assumptions
) -> RankMemory:
    terms = [
        *state_terms(parts, layout, assumed),
        *held_terms(rank, trace, model, layout, assumed),
        *passing_terms(rank, trace, model, layout, assumed),
        *buffer_terms(parts, layout, assumed),
    ]
    host = optimizer_bytes(parts, layout) if layout.swap_optimizer else 0
    return RankMemory(rank, [*terms, fragmentation(terms, assumed)], host)


def is_last(rank: int, layout: Layout) -> bool:
    return rank == layout.pipeline - 1


def held_terms(rank: int, trace: Trace, model: Architecture, layout: Layout, assumed: Assumptions) -> list[Term]:
    """What the micro-batches in flight hold, by component, when it is most."""
    chunks = [
        sizes(chunk_kept(chunk, trace, layout), layout, assumed.imbalance)
        for chunk in layout.layers(model.num_layers)[rank]
    ]
    if is_last(rank, layout):
        ahead = sizes(mtp_kept(trace, layout), layout, assumed.imbalance)
        chunks[-1] = added([(1, chunks[-1]), (1, ahead)])
    weights = [total(chunk.values()).high for chunk in chunks]
    moments = layout.states_in_flight(rank)
    most = max(moments, key=lambda held: sum(n * weight for n, weight in zip(held, weights, strict=True)))
    sums = added(zip(most, chunks, strict=True))
    counts = " + ".join(map(str, most))
    why = (
        f"of {counts} micro-batches in flight, chunk by chunk"
        if layout.virtual_stages > 1
        else f"of {counts} in flight"
    )
    return [Term(name, "activations", bounds, PASSES, why) for name, bounds in sums.items()]


def added(weighted: Iterable[tuple[int, dict[str, Bounds]]]) -> dict[str, Bounds]:
    sums: dict[str, Bounds] = {}
    for count, parts in weighted:
        for name, bounds in parts.items():
            sums[name] = sums.get(name, Bounds()) + bounds.times(count)
    return sums


def chunk_kept(chunk: range, trace: Trace, layout: Layout) -> list[Kept]:
    """Of one micro-batch that has passed forward through a chunk."""
    if layout.recomputation == "full":
        return trace.inputs * ceil(Fraction(len(chunk), layout.recompute_layers))
    return [tensor for layer in chunk for tensor in [*trace.inputs, *kept(trace.layers[layer], layout)]]


def mtp_kept(trace: Trace, layout: Layout) -> list[Kept]:
    return trace.mtp_inputs if layout.recomputation == "full" else kept(trace.mtp, layout)


def kept(tensors: list[Kept], layout: Layout) -> list[Kept]:
    return [tensor for tensor in tensors if layout.recomputation == "none" or not tensor.again]


def made_again(rank: int, trace: Trace, model: Architecture, layout: Layout) -> list[list[Kept]]:
    """What the backward pass makes again at one time: groups of layers, or one layer's dropped tensors."""
    chunks = layout.layers(model.num_layers)[rank]
    ahead = [trace.mtp] if is_last(rank, layout) else []
    if layout.recomputation == "none":
        return []
    if layout.recomputation == "selective":
        layers = [trace.layers[layer] for chunk in chunks for layer in chunk]
        return [[tensor for tensor in tensors if tensor.again] for tensors in layers + ahead]
    groups = [
        chunk[start : start + layout.recompute_layers]
        for chunk in chunks
        for start in range(0, len(chunk), layout.recompute_layers)
    ]
    inside = [
        [tensor for layer in group for tensor in trace.layers[layer]] + trace.inputs * (len(group) - 1)
        for group in groups
    ]
    return inside + ahead


def largest(groups: Iterable[list[Kept]], layout: Layout, assumed: Assumptions) -> Bounds:
    found = [total(sizes(group, layout, assumed.imbalance).values()) for group in groups]
    return Bounds(max((each.low for each in found), default=0), max((each.high for each in found), default=0))


def passing_terms(rank: int, trace: Trace, model: Architecture, layout: Layout, assumed: Assumptions) -> list[Term]:
    """What is there for the time of one layer's backward pass, or of the loss."""
    again = largest(made_again(rank, trace, model, layout), layout, assumed)
    gradients = largest(trace.gradients, layout, assumed).times(1, 2)
    streams = largest([trace.inputs], layout, assumed)
    sent = Bounds(*[sent_bytes(model, layout)] * 2)
    found = [
        passing("recomputed", again, "the layers that are made again at one time, whole"),
        passing("layer_gradients", gradients, "gradients within a layer; twice as wide where kernels sum in fp32"),
        passing("all_to_all", sent.times(1, 3), "rows to send; also those received unsorted, and back"),
    ]
    if layout.pipeline > 1:
        why = "the gradient that comes in; also what goes out, and the next of each"
        found.append(passing("pipeline", streams.times(1, 4), why))
    return found + (loss_terms(trace, layout, assumed) if is_last(rank, layout) else [])


def passing(name: str, bounds: Bounds, why: str) -> Term:
    return Term(name, "buffers", bounds, ("backward",), why)


def sent_bytes(model: Architecture, layout: Layout) -> int:
    """Rows of the tokens of a rank, one for each chosen expert, in bf16."""
    if layout.expert == 1:
        return 0
    values = layout.micro_batch * layout.sequence_length * model.num_experts_per_tok * model.hidden_size
    return BF16 * -(-values // layout.sequence_shards)


def loss_terms(trace: Trace, layout: Layout, assumed: Assumptions) -> list[Term]:
    head = total(sizes(trace.head, layout, assumed.imbalance).values())
    held = total(sizes(trace.logits, layout, assumed.imbalance).values())
    one = total(sizes(trace.logits[:1], layout, assumed.imbalance).values())
    halves = Bounds(one.low // 2, held.high // 2 + one.high)
    why = "one loss's gradient in bf16; also bf16 logits that were not freed, and the gradient in fp32"
    return [
        Term("head_input", "activations", head, ("loss",), "the last streams and norm"),
        Term("logits", "activations", held, ("loss",), "fp32 probabilities of each loss, vocabulary over tensor"),
        Term("logits_gradient", "buffers", halves, ("loss",), why),
    ]


# Buffers


def buffer_terms(parts: list[Part], layout: Layout, assumed: Assumptions) -> list[Term]:
    groups = communicators(layout)
    each = f"{assumed.communicator_bytes:,} bytes of each group ({', '.join(groups)}); at most twice as many groups"
    single = max((local(part.parameters, part, layout) for part in parts), default=0) * layout.weight_bytes
    fused = "none where matrix multiplications add to the gradients in place, else that of the largest part"
    buffers = Bounds(1, 2).times(len(groups) * assumed.communicator_bytes)
    return [
        Term("weight_gradient", "buffers", Bounds(0, single), ("backward",), fused),
        Term("communicators", "buffers", buffers, MOMENTS, each),
        Term("workspace", "buffers", Bounds(0, assumed.workspace), MOMENTS, "operators and driver"),
    ]


def communicators(layout: Layout) -> list[str]:
    """Groups of more than one rank, and the one of all."""
    if layout.devices == 1:
        return []
    names = ("tensor", "context", "pipeline", "data", "expert", "expert_tensor", "expert_data")
    return [*(name for name in names if getattr(layout, name) > 1), "all"]


def fragmentation(terms: list[Term], assumed: Assumptions) -> Term:
    """A share of what comes and goes within a step, at its largest."""
    moving = [term for term in terms if term.moments != MOMENTS]
    most = max(sum(term.bounds.high for term in moving if moment in term.moments) for moment in MOMENTS)
    share = f"{float(assumed.fragmentation):.0%} of what is allocated and freed within a step; 0 at best"
    return Term("fragmentation", "buffers", Bounds(0, ceil(most * assumed.fragmentation)), MOMENTS, share)
