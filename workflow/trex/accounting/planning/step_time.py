"""The time of a training step from a model, a layout and a topology: an analytic estimate with its assumptions apart.

    step = micro_batches * slowest stage + bubble + gradients and parameters + optimizer, and what the host delays
    stage = sum of FLOPs / (peak * efficiency) by operator class + elementwise work + exposed communication

`Work` is what follows from the flags: FLOPs by class and bytes over links, of the rank of each pipeline stage. What the
flags do not say (`ASSUMED`) is given apart, as numbers or as arrays of samples [N], and goes through numpy at once.

- The forward pass of a micro-batch is done once, the backward pass costs twice as much, and what is recomputed costs
  another forward pass, its communication included.
- Routed experts: dispatch and combine each send tokens x copies x hidden size; the hidden size, for the residual
  streams are collapsed before. The slowest rank has `imbalance` times the mean load.
- Between stages, all `streams` residual streams are sent: streams x hidden size values a token.
- Tensor parallelism: two gathers and two scatters of the hidden states a layer, again in the backward pass, which
  gathers the inputs of the weight gradients once more.
- Gradients are reduced, and updated parameters gathered, once a step.
- Bubble: (pipeline - 1) / virtual_stages micro-batches, each as long as the stages take on average (arXiv 2104.04473).

Not covered: latency of messages, the head's and embedding's tensor-parallel collectives, Muon's orthogonalisation, data
loading, checkpoints, ranks that wait for slower ones, context parallelism (refused). Whether a layout fits in memory is
asked of `trex.accounting.fit`.
"""

import dataclasses

import numpy as np

from trex.accounting.counting.part import Architecture, Part
from trex.accounting.planning import memory
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.topology import Topology
from trex.common.errors import UserError

OPERATORS = ("matmul", "grouped_matmul", "attention", "indexer", "mix")
LINKS = ("all_to_all", "tensor", "pipeline", "gradients", "swap")
BYTES = 2  # of an activation
GATHERS_AND_SCATTERS = {"forward": 4, "backward": 6}  # of the hidden states, in a layer
KEPT = {"lm_head", "collapse", "mtp_projection", "token_projection", "streams_projection"}  # of MTP; not recomputed
SELECTIVE = {"query_up", "key_value_up"}  # attention's inputs, made again under selective recomputation


@dataclasses.dataclass(frozen=True)
class Range:
    """What a quantity may be; meaning: in words, with its unit."""

    low: float
    high: float
    meaning: str


# Wide on purpose, and set before any published run was looked at with them: nothing here is calibrated.
ASSUMED = {
    "matmul": Range(0.35, 0.85, "share of the peak that matrix products reach"),
    "grouped_matmul": Range(0.20, 0.75, "share of the peak that grouped products of experts reach"),
    "attention": Range(0.10, 0.60, "share of the peak that attention reaches"),
    "indexer": Range(0.05, 0.50, "share of the peak that the indexer's scores reach"),
    "mix": Range(0.02, 0.30, "share of the peak that the mixing of residual streams reaches"),
    "elementwise": Range(0.05, 0.50, "share of the compute time in operators without counted FLOPs: norms, casts, ..."),
    "imbalance": Range(1.0, 1.5, "load of the fullest rank of experts / mean load"),
    "link": Range(0.40, 0.95, "share of the links' bandwidth that is reached"),
    **{f"overlap_{name}": Range(0.0, 1.0, f"share of the time of {name} that compute hides") for name in LINKS},
    "host": Range(0.0, 0.25, "share of the step in which the device waits for its host"),
    "host_link": Range(10, 60, "10^9 bytes/s between host and device, one direction"),
}


LESS_IS_FASTER = {"elementwise", "imbalance", "host"}


def fastest(of: dict[str, Range]) -> dict[str, float]:
    """The end of each range at which a step takes least; the step's time is monotone in each."""
    return {name: each.low if name in LESS_IS_FASTER else each.high for name, each in of.items()}


def slowest(of: dict[str, Range]) -> dict[str, float]:
    return {name: each.high if name in LESS_IS_FASTER else each.low for name, each in of.items()}


@dataclasses.dataclass(frozen=True)
class Execution:
    """What a run's report may say beyond the layout.

    all_to_all_bytes: of one value, on average over dispatch and combine. copies: of a token that are sent; None: one
    for each of its experts. bubble: as a share of that of the interleaved schedule.
    """

    all_to_all_bytes: float = BYTES
    copies: float | None = None
    bubble: float = 1.0


@dataclasses.dataclass(frozen=True)
class Work:
    """Of the rank of each pipeline stage, arrays [P].

    flops: of one micro-batch, by operator. seconds: at the links' full speed, of one micro-batch (all_to_all, tensor,
    pipeline) or of one step (gradients). swapped: bytes of optimizer states each way a step. touched: bytes that the
    optimizer reads and writes a step.
    """

    flops: dict[str, np.ndarray]
    seconds: dict[str, np.ndarray]
    swapped: np.ndarray
    touched: np.ndarray
    virtual_stages: int
    bubble: float


@dataclasses.dataclass(frozen=True)
class Step:
    """seconds [N]: of a step. terms: which of them are what, on the slowest stage; they add up to seconds."""

    seconds: np.ndarray
    terms: dict[str, np.ndarray]

    @property
    def exposed(self) -> np.ndarray:
        """Seconds of communication that nothing hides."""
        return sum(self.terms[name] for name in LINKS)

    @property
    def compute(self) -> np.ndarray:
        return sum(self.terms[name] for name in (*OPERATORS, "elementwise"))


def work(model: Architecture, layout: Layout, topology: Topology, execution: Execution | None = None) -> Work:
    """Raises UserError where the layout does not fit the model, or has context parallelism."""
    layout.check(model)
    if layout.context > 1:
        raise UserError("layout: the step time of context parallelism is not modelled; take context 1")
    execution = execution or Execution()
    stages = memory.place(model, layout)
    copies = model.num_experts_per_tok if execution.copies is None else execution.copies
    tokens = layout.micro_batch * layout.sequence_length / layout.sequence_shards
    hidden = BYTES * layout.micro_batch * layout.sequence_length * model.hidden_size
    sent = {
        "all_to_all": topology.all_to_all_seconds(
            tokens * copies * model.hidden_size * execution.all_to_all_bytes, layout.expert_tensor, layout.expert
        ),
        "tensor": topology.gather_seconds(hidden, 1, layout.tensor),
        "pipeline": topology.send_seconds(
            BYTES * tokens * model.streams * model.hidden_size, layout.devices // layout.pipeline, layout.pipeline
        ),
    }
    states = np.array([float(memory.optimizer_bytes(parts, layout)) for parts in stages])
    exchanges = passes(layout, forward=2, backward=2)
    collectives = passes(layout, **GATHERS_AND_SCATTERS)
    return Work(
        flops={name: np.array([flops(parts, layout, name) for parts in stages]) for name in OPERATORS},
        seconds={
            "all_to_all": np.array([exchanges * sent["all_to_all"] * routed_layers(parts) for parts in stages]),
            "tensor": np.array([collectives * sent["tensor"] * layers(parts) for parts in stages]),
            "pipeline": np.full(layout.pipeline, 2 * layout.virtual_stages * sent["pipeline"]),
            "gradients": np.array([gradient_seconds(parts, layout, topology) for parts in stages]),
        },
        swapped=states if layout.swap_optimizer else np.zeros(layout.pipeline),
        touched=2 * states,
        virtual_stages=layout.virtual_stages,
        bubble=execution.bubble,
    )


def passes(layout: Layout, forward: int, backward: int) -> int:
    """How often something is done that the forward and the backward pass of a layer do so often."""
    return forward + backward + (forward if layout.recomputation == "full" else 0)


def shards(part: Part, layout: Layout) -> int:
    """Ranks that share a part's work on one sequence.

    Experts' tokens come from all of a group, so that each rank has as much as its own tokens make. What tensor
    parallelism does not split, each rank does for its piece of the sequence or, without sequence parallelism, whole.
    """
    return layout.sequence_shards if part.sharding == "replicated" else layout.tensor


def recomputed(part: Part, layout: Layout) -> bool:
    if part.name in KEPT or part.block in ("embedding", "head"):
        return False
    if layout.recomputation == "selective":
        return part.operator == "mix" or part.name in SELECTIVE
    return layout.recomputation == "full"


def flops(parts: list[Part], layout: Layout, operator: str) -> float:
    """Of one micro-batch on one rank, forward, backward and recomputation."""
    return layout.micro_batch * sum(
        (4 if recomputed(part, layout) else 3) * part.flops / shards(part, layout)
        for part in parts
        if part.operator == operator
    )


def routed_layers(parts: list[Part]) -> int:
    return sum(part.operator == "grouped_matmul" for part in parts)


def layers(parts: list[Part]) -> int:
    return len({(part.block, part.layer) for part in parts if part.block in ("layer", "mtp")})


def gradient_seconds(parts: list[Part], layout: Layout, topology: Topology) -> float:
    """Reduce-scatter of gradients and all-gather of weights; without a distributed optimizer, of gradients too."""
    gathered = layout.weight_bytes if layout.distributed_optimizer else layout.gradient_bytes
    total = 0.0
    for routed in (False, True):
        count = sum(
            memory.local(part.parameters, part, layout) for part in parts if (part.sharding == "expert") == routed
        )
        stride = layout.expert * layout.expert_tensor if routed else layout.tensor
        size = layout.expert_data if routed else layout.data
        total += topology.gather_seconds(count * (layout.gradient_bytes + gathered), stride, size)
    return total


def step_time(
    work: Work, peaks: dict[str, float], memory_bandwidth: float, assumed: dict[str, np.ndarray], micro_batches: int
) -> Step:
    """peaks: FLOP/s by operator; memory_bandwidth: bytes/s; assumed: a number or an array [N] for each of ASSUMED."""
    stage = stage_terms(work, peaks, assumed)  # each [N, P]
    total = sum(stage.values())
    last = total.argmax(axis=-1)
    terms = {name: micro_batches * at(value, last) for name, value in stage.items()}
    terms["bubble"] = work.bubble * (total.sum(axis=-1) - at(total, last)) / work.virtual_stages
    terms["gradients"] = exposed(assumed, "gradients") * work.seconds["gradients"].max() / np.asarray(assumed["link"])
    terms["swap"] = exposed(assumed, "swap") * work.swapped.max() / (1e9 * np.asarray(assumed["host_link"]))
    terms["optimizer"] = np.broadcast_to(work.touched.max() / memory_bandwidth, last.shape)
    device = sum(terms.values())
    terms["host"] = device * assumed["host"] / (1 - np.asarray(assumed["host"]))
    return Step(device + terms["host"], terms)


def stage_terms(work: Work, peaks: dict[str, float], assumed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Seconds of one micro-batch by term, each [N, P]."""
    found = {name: work.flops[name] / (peaks[name] * column(assumed[name])) for name in OPERATORS}
    found["grouped_matmul"] = found["grouped_matmul"] * column(assumed["imbalance"])
    elementwise = column(assumed["elementwise"])
    found["elementwise"] = sum(found.values()) * elementwise / (1 - elementwise)
    for name in ("all_to_all", "tensor", "pipeline"):
        found[name] = column(exposed(assumed, name)) * work.seconds[name] / column(assumed["link"])
    found["all_to_all"] = found["all_to_all"] * column(assumed["imbalance"])
    return found


def exposed(assumed: dict[str, np.ndarray], name: str) -> np.ndarray:
    return 1 - np.asarray(assumed[f"overlap_{name}"])


def column(value: float | np.ndarray) -> np.ndarray:
    """[N] -> [N, 1], to go with the stages."""
    return np.asarray(value, dtype=float).reshape(-1, 1)


def at(values: np.ndarray, stage: np.ndarray) -> np.ndarray:
    """The value of the given stage in each row of [N, P]."""
    return np.take_along_axis(values, stage[:, None], axis=-1)[:, 0]
