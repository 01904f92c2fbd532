"""How a training job is laid out over devices: the flags of a Megatron-style launch script, and what follows from them.

Two grids share the devices (Megatron-Core's parallel folding, arXiv 2504.14960):

    attention and dense parts:  tensor x context x data x pipeline
    routed experts:             expert_tensor x expert x expert_data x pipeline

Layers go to the pipeline in chunks: `virtual_stages` a rank, chunk i on rank i % pipeline. The first chunk also holds
the embedding; the last one the final norm, the head and multi-token prediction.
"""

import dataclasses
import itertools
from collections.abc import Iterator

from trex.accounting.counting.part import Architecture, Part
from trex.common.errors import UserError

RECOMPUTATIONS = ("none", "selective", "full")
OPTIMIZERS = ("adam", "muon")


@dataclasses.dataclass(frozen=True)
class Layout:
    """devices: ranks, each with its own memory (a package of two dies is two). tensor, pipeline, expert,
    expert_tensor, context: sizes of the parallel groups. virtual_stages: model chunks a rank.

    global_batch: sequences a step; micro_batch: sequences a forward pass.
    recomputation: `none`; `selective`, the norms, the gated activations of experts, the mixing of residual streams and
    attention's inputs again in the backward pass; `full`, all of a layer from its input.
    recompute_layers: layers between two kept inputs under `full`.
    distributed_optimizer: master weights and states of a parameter are split over the ranks that hold a copy of it.
    swap_optimizer: they lie in the host's memory, and visit the device in pieces while they are updated (MindSpeed's
    `--swap-optimizer`, which there is for Adam).
    *_bytes: of one value; the master weights are 0 bytes where there are none. state_bytes: of each of Adam's two
    moments, or of Muon's one.
    chunk_layers: main layers of each of the pipeline * virtual_stages chunks, in the model's order; None: as even as
    can be, the earlier chunks one more where it does not come out.
    """

    devices: int
    global_batch: int
    tensor: int = 1
    pipeline: int = 1
    virtual_stages: int = 1
    expert: int = 1
    expert_tensor: int = 1
    context: int = 1
    sequence_parallel: bool = False
    recomputation: str = "none"
    recompute_layers: int = 1
    micro_batch: int = 1
    sequence_length: int = 4096
    optimizer: str = "adam"
    distributed_optimizer: bool = False
    swap_optimizer: bool = False
    weight_bytes: int = 2
    gradient_bytes: int = 4
    master_bytes: int = 4
    state_bytes: int = 4
    chunk_layers: tuple[int, ...] | None = None

    @property
    def data(self) -> int:
        """Copies of the dense parts, over which gradients are summed and sequences are dealt out."""
        return self.devices // (self.tensor * self.context * self.pipeline)

    @property
    def expert_data(self) -> int:
        """Copies of each routed expert."""
        return self.devices // (self.expert_tensor * self.expert * self.pipeline)

    @property
    def micro_batches(self) -> int:
        """That each rank passes through the pipeline in one step."""
        return self.global_batch // (self.micro_batch * self.data)

    @property
    def chunks(self) -> int:
        return self.pipeline * self.virtual_stages

    @property
    def sequence_shards(self) -> int:
        """Ranks that share the tokens of one sequence between the tensor-parallel regions."""
        return self.context * (self.tensor if self.sequence_parallel else 1)

    def shards(self, part: Part) -> int:
        """Among how many ranks of one pipeline rank a part of a model is split."""
        if part.sharding == "expert":
            return self.expert * self.expert_tensor
        return self.tensor if part.sharding in ("tensor", "vocabulary") else 1

    def copies(self, part: Part) -> int:
        """How many ranks hold the same shard and sum its gradients: those that a distributed optimizer splits it over.

        A replicated part is, beyond that, alike on all ranks of a tensor group.
        """
        return self.expert_data if part.sharding == "expert" else self.data * self.context

    def layers(self, num_layers: int) -> list[list[range]]:
        """The main layers of each pipeline rank: one range of layer numbers for each of its chunks."""
        each, left = divmod(num_layers, self.chunks)
        sizes = self.chunk_layers or tuple(each + (chunk < left) for chunk in range(self.chunks))
        starts = [sum(sizes[:chunk]) for chunk in range(self.chunks)]
        ranges = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
        return [ranges[rank :: self.pipeline] for rank in range(self.pipeline)]

    def in_flight(self, rank: int) -> Iterator[tuple[int, ...]]:
        """Micro-batches whose activations each chunk of a pipeline rank holds, after every forward pass of a step.

        One forward, one backward (1F1B): a rank runs pipeline - 1 - rank forward passes ahead, then one more before
        its first backward. Interleaved (arXiv 2104.04473; Megatron-Core 0.12): it runs
        2 (pipeline - 1 - rank) + (virtual_stages - 1) pipeline ahead, in groups of `pipeline` micro-batches a chunk,
        backward from the last chunk on.
        """
        ahead = self.pipeline - 1 - rank
        if self.virtual_stages > 1:
            ahead = 2 * ahead + (self.virtual_stages - 1) * self.pipeline
        held = [0] * self.virtual_stages
        for forward in range(self.micro_batches * self.virtual_stages):
            if forward > ahead:
                held[-1 - self.turn(forward - ahead - 1)] -= 1
            held[self.turn(forward)] += 1
            yield tuple(held)

    def states_in_flight(self, rank: int) -> list[tuple[int, ...]]:
        """The different ones of `in_flight`, in their order. Once backward passes run too they repeat with the
        schedule, so its first rounds show all of them, however long the step."""
        rounds = 2 + 2 + 1  # forward passes alone: less than 2 a chunk and rank, and some room
        return list(dict.fromkeys(itertools.islice(self.in_flight(rank), rounds * self.chunks + 1)))

    def turn(self, step: int) -> int:
        """Which of a rank's chunks the forward pass of that number is for; counted from the last, the backward's."""
        return step // self.pipeline % self.virtual_stages

    def errors(self, model: Architecture | None = None) -> list[str]:
        """Where sizes do not fit each other or, with a model, that model; each with the mend."""
        return [*self.wrong_values(), *self.wrong_grids(), *(self.wrong_for(model) if model else [])]

    def wrong_values(self) -> list[str]:
        found = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "master_bytes" else 1
            if field.type is int and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                found.append(f"{field.name} is {value!r}; it must be a whole number from {least} on")
        if self.recomputation not in RECOMPUTATIONS:
            found.append(f"recomputation is {self.recomputation!r}; it must be one of {', '.join(RECOMPUTATIONS)}")
        if self.optimizer not in OPTIMIZERS:
            found.append(f"optimizer is {self.optimizer!r}; it must be one of {', '.join(OPTIMIZERS)}")
        return found

    def wrong_grids(self) -> list[str]:
        if self.wrong_values():
            return []
        dense = self.tensor * self.context * self.pipeline
        sparse = self.expert_tensor * self.expert * self.pipeline
        found = []
        if self.devices % dense:
            found.append(
                f"tensor x context x pipeline = {dense} does not divide {self.devices} devices; make one smaller, or "
                f"take {next_multiple(self.devices, dense)} devices"
            )
        if self.devices % sparse:
            found.append(
                f"expert_tensor x expert x pipeline = {sparse} does not divide {self.devices} devices; make one "
                f"smaller, or take {next_multiple(self.devices, sparse)} devices"
            )
        if self.sequence_length % self.sequence_shards:
            found.append(
                f"sequence_length must be a multiple of the {self.sequence_shards} ranks that share a sequence; take "
                f"{next_multiple(self.sequence_length, self.sequence_shards)}"
            )
        if self.swap_optimizer and not self.distributed_optimizer:
            found.append("swap_optimizer needs distributed_optimizer, as in MindSpeed; set both")
        if self.virtual_stages > 1 and self.pipeline == 1:
            found.append("virtual_stages above 1 needs pipeline above 1")
        return found or self.wrong_batches()

    def wrong_batches(self) -> list[str]:
        step, found = self.micro_batch * self.data, []
        if self.global_batch % step:
            found.append(
                f"global_batch {self.global_batch} is no multiple of micro_batch x data = {step}; take "
                f"{next_multiple(self.global_batch, step)}"
            )
        elif self.virtual_stages > 1 and self.micro_batches % self.pipeline:
            found.append(
                f"the interleaved schedule deals micro-batches out in groups of pipeline = {self.pipeline}, and "
                f"{self.micro_batches} a rank is no multiple; take a global_batch that is one of {step * self.pipeline}"
            )
        return found

    def wrong_for(self, model: Architecture) -> list[str]:
        if self.wrong_values():
            return []
        found = []
        if model.n_routed_experts % self.expert:
            found.append(f"expert {self.expert} does not divide the {model.n_routed_experts} experts of {model.name}")
        if self.chunk_layers is None and self.chunks > model.num_layers:
            found.append(f"pipeline x virtual_stages = {self.chunks} is more than the {model.num_layers} layers")
        if self.chunk_layers is not None and len(self.chunk_layers) != self.chunks:
            found.append(f"chunk_layers has {len(self.chunk_layers)} entries; it must have {self.chunks}, one a chunk")
        if self.chunk_layers is not None and sum(self.chunk_layers) != model.num_layers:
            found.append(f"chunk_layers sum to {sum(self.chunk_layers)}; {model.name} has {model.num_layers} layers")
        if self.chunk_layers is not None and min(self.chunk_layers, default=0) < 0:
            found.append(f"chunk_layers has {min(self.chunk_layers)}; no chunk has fewer than 0 layers")
        return found or self.wrong_splits(model)

    def wrong_splits(self, model: Architecture) -> list[str]:
        """Parts that do not come out even among their ranks."""
        uneven: dict[int, dict[str, None]] = {}
        for part in model.parts(self.sequence_length):
            if part.parameters % self.shards(part):
                uneven.setdefault(self.shards(part), {})[part.name] = None
        return [
            f"{', '.join(names)} of {model.name} cannot be split evenly over {ranks} ranks; choose another number"
            for ranks, names in uneven.items()
        ]

    def check(self, model: Architecture | None = None) -> None:
        """Raises UserError with all that is wrong."""
        if found := self.errors(model):
            raise UserError(f"layout: {'; '.join(found)}")


def next_multiple(value: int, of: int) -> int:
    return -(-value // of) * of
