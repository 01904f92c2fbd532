"""The common language of all architectures: the parts of a model, what they hold and what a forward pass costs them.

Formulas are integers of integers; nothing is rounded. A matrix that every token passes costs twice its parameters a
token (a multiply-add is two FLOPs). The same formulas take symbols of sympy instead of integers (see `symbolic`).
"""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

FORWARDS_PER_TRAINING_STEP = 3  # the backward pass goes towards inputs and towards weights


@dataclasses.dataclass(frozen=True)
class Part:
    """name: of the part; component: the row of a table that it belongs to; block: `embedding`, `layer`, `head` or
    `mtp` (the whole of multi-token prediction); layer: the number of a main layer.

    matrices, vectors: trainable parameters, by shape. active: those that one token meets, where it does not meet all.
    buffers: values that are kept, but not trained by gradients.
    flops: of the forward pass over one document.
    operator: what kind of work it is, for efficiencies: `matmul`, `grouped_matmul` (experts), `attention`, `indexer`,
    `mix` (of residual streams), `none`. sharding: what a layout may split it by: `tensor` (heads and inner widths),
    `expert`, `vocabulary`, or `replicated`.
    """

    name: str
    component: str
    block: str = "layer"
    layer: int | None = None
    matrices: int = 0
    vectors: int = 0
    active: int | None = None
    buffers: int = 0
    flops: int = 0
    operator: str = "none"
    sharding: str = "replicated"

    @property
    def parameters(self) -> int:
        return self.matrices + self.vectors

    @property
    def active_parameters(self) -> int:
        return self.parameters if self.active is None else self.active

    @property
    def muon_parameters(self) -> int:
        """Those that the DeepSeek-V4 report trains with Muon: matrices, but for embedding and head."""
        return 0 if self.sharding == "vocabulary" else self.matrices


@dataclasses.dataclass(frozen=True)
class Architecture:
    """A model to count and to plan with. parts(sequence_length): all its parts, with the FLOPs of one such document.

    streams: residual streams that a layer hands on; what they hold is `streams` times as wide as the hidden size.
    source: where its shape is from. config: that shape, for conventions that count by formulas of their own.
    """

    name: str
    source: str
    hidden_size: int
    num_layers: int
    vocab_size: int
    n_routed_experts: int
    num_experts_per_tok: int
    streams: int
    parts: Callable[[int], list[Part]]
    config: Any


def architecture(name: str, config: Any, source: str, parts: Callable, streams: int = 1) -> Architecture:
    """Of a config with Hugging Face's key names; parts(config, sequence_length)."""
    return Architecture(
        name=name,
        source=source,
        hidden_size=config.hidden_size,
        num_layers=config.num_hidden_layers,
        vocab_size=config.vocab_size,
        n_routed_experts=config.n_routed_experts,
        num_experts_per_tok=config.num_experts_per_tok,
        streams=streams,
        parts=lambda sequence_length: parts(config, sequence_length),
        config=config,
    )


def matrix(
    name: str, component: str, size: int, sequence_length: int, sharding: str = "replicated", vectors: int = 0
) -> Part:
    """A matrix that every token passes; vectors: norm weights and the like beside it."""
    flops = 2 * size * sequence_length
    return Part(name, component, matrices=size, vectors=vectors, flops=flops, operator="matmul", sharding=sharding)


def embedding(config: Any) -> Part:
    """Looked up, hence without FLOPs."""
    size = config.vocab_size * config.hidden_size
    return Part("embedding", "embedding", "embedding", matrices=size, sharding="vocabulary")


def lm_head(config: Any, sequence_length: int) -> Part:
    size = config.vocab_size * config.hidden_size
    return matrix("lm_head", "lm_head", size, sequence_length, "vocabulary")


def lm_head_again(config: Any, sequence_length: int) -> Part:
    """The main model's head, passed once more: work, but no parameters of its own."""
    return dataclasses.replace(lm_head(config, sequence_length), matrices=0)


def experts(config: Any, sequence_length: int, has_bias: bool) -> list[Part]:
    """Router, routed experts and, where there are some, shared experts; has_bias: whether the router keeps a
    correction bias, which is a buffer."""
    count, visited = config.n_routed_experts, config.num_experts_per_tok
    expert = 3 * config.hidden_size * config.moe_intermediate_size
    router = matrix("router", "routers", count * config.hidden_size, sequence_length)
    routed = Part(
        "routed_experts",
        "routed_experts",
        matrices=count * expert,
        active=visited * expert,
        flops=2 * visited * expert * sequence_length,
        operator="grouped_matmul",
        sharding="expert",
    )
    shared = matrix("shared_experts", "shared_experts", config.n_shared_experts * expert, sequence_length, "tensor")
    router = dataclasses.replace(router, buffers=count if has_bias else 0)
    return [router, routed, *([shared] if config.n_shared_experts else [])]


def located(part: Part, layer: int | None, block: str) -> Part:
    """The same part, where it stands."""
    return dataclasses.replace(part, layer=layer, block=block)


def smaller(one: int, other: int) -> int:
    """The minimum, of symbols too."""
    if isinstance(one, int) and isinstance(other, int):
        return min(one, other)
    import sympy

    return sympy.Min(one, other)


def half(even: int) -> int:
    """Exactly, of what is even for all values of its symbols."""
    return even // 2 if isinstance(even, int) else even / 2


def main(parts: Iterable[Part]) -> list[Part]:
    """Without multi-token prediction."""
    return [part for part in parts if part.block != "mtp"]


def mtp(parts: Iterable[Part]) -> list[Part]:
    """Of multi-token prediction alone."""
    return [part for part in parts if part.block == "mtp"]


def parameters(parts: Iterable[Part]) -> int:
    """Trainable parameters."""
    return sum(part.parameters for part in parts)


def active_parameters(parts: Iterable[Part]) -> int:
    """Parameters that one token meets, bias buffers included: what "active" means for DeepSeek-V4."""
    return sum(part.active_parameters + part.buffers for part in parts)


def muon_parameters(parts: Iterable[Part]) -> int:
    return sum(part.muon_parameters for part in parts)


def forward_flops(parts: Iterable[Part]) -> int:
    """FLOPs of the forward pass over one document."""
    return sum(part.flops for part in parts)


def training_flops(parts: Iterable[Part]) -> int:
    """FLOPs of forward and backward pass over one document, nothing recomputed."""
    return FORWARDS_PER_TRAINING_STEP * forward_flops(parts)


def by_component(parts: Iterable[Part], value: Callable[[Part], int]) -> dict[str, int]:
    """The sum of a value over the parts of each component, in order; components where it is 0 everywhere are left out.

    value: for instance `lambda part: part.flops`.
    """
    sums: dict[str, int] = {}
    for part in parts:
        if value(part):
            sums[part.component] = sums.get(part.component, 0) + value(part)
    return sums
