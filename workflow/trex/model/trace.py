"""What a forward pass in training leaves behind beside its features."""

import dataclasses

import torch


@dataclasses.dataclass
class Routing:
    """Of one layer's router. load: [E] real tokens that each expert got; balance: the sequence-wise balance loss, the
    sum over rows and without its weight, None where the routing is fixed or nobody wants it."""

    load: torch.Tensor
    is_hash: bool
    balance: torch.Tensor | None


@dataclasses.dataclass
class Trace:
    """Layers add what they see to it, in their order, the MTP block last.

    real: [B, S], positions that are no padding; routing: one entry a layer; divergence: one entry a CSA layer, the sum
    over queries of the indexer's KL divergence. Neither loss is computed where it is not wanted.
    """

    real: torch.Tensor
    wants_balance: bool = True
    wants_divergence: bool = True
    routing: list[Routing] = dataclasses.field(default_factory=list)
    divergence: list[torch.Tensor] = dataclasses.field(default_factory=list)
