"""One tensor that a layer keeps for its backward pass, and how a layout splits it.

What is kept follows from calculus: a matrix multiplication needs its input, a product both factors, a norm its input, a
softmax its output; a sum and a move of data need nothing. Where implementations differ, the tensor is not `certain`:
the lower bound leaves it out, the upper bound has it.
"""

import dataclasses
from collections.abc import Iterable
from fractions import Fraction

from trex.accounting.planning.layout import Layout

BF16, FP32, INT32 = 2, 4, 4


@dataclasses.dataclass(frozen=True)
class Kept:
    """values: of one sequence, in all; size: bytes of a value.

    split, over which ranks its values are shared out:
    - `sequence`: by tokens, over context and, with sequence parallelism, tensor;
    - `tensor`: by tokens over context, by heads, inner channels or vocabulary over tensor;
    - `context`: by tokens over context alone, whole on each rank of a tensor group;
    - `whole`: not at all;
    - `expert`: follows the tokens to the ranks of the experts that they chose;
    - `expert_inner`: the same, and by inner channels over expert_tensor.
    again: whether selective recomputation drops it and makes it again. why: what needs it, or what one assumes.
    """

    name: str
    component: str
    values: int
    size: int = BF16
    split: str = "sequence"
    again: bool = False
    certain: bool = True
    why: str = ""

    def bytes(self, layout: Layout, imbalance: Fraction = Fraction(1)) -> int:
        """On one rank, of one micro-batch. imbalance: tokens of the rank with most over the mean, for experts."""
        into, times = divisor(self.split, layout), 1
        if self.split.startswith("expert"):
            into, times = into * imbalance.denominator, gathered(layout) * imbalance.numerator
        return self.size * -(-self.values * layout.micro_batch * times // into)


def divisor(split: str, layout: Layout) -> int:
    """Into how many parts the values of one sequence fall."""
    return {
        "sequence": layout.sequence_shards,
        "tensor": layout.context * layout.tensor,
        "context": layout.context,
        "whole": 1,
        "expert": layout.sequence_shards,
        "expert_inner": layout.sequence_shards * layout.expert_tensor,
    }[split]


def gathered(layout: Layout) -> int:
    """Of how many ranks a rank's experts see the tokens: those of an expert-tensor group put theirs together, unless
    they hold the same tokens anyway."""
    return layout.expert_tensor if layout.sequence_parallel or layout.tensor == 1 else 1


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Bytes: at least and at most."""

    low: int = 0
    high: int = 0

    def __add__(self, other: "Bounds") -> "Bounds":
        return Bounds(self.low + other.low, self.high + other.high)

    def times(self, low: int, high: int | None = None) -> "Bounds":
        return Bounds(self.low * low, self.high * (low if high is None else high))


def sizes(tensors: Iterable[Kept], layout: Layout, imbalance: tuple[Fraction, Fraction]) -> dict[str, Bounds]:
    """Bytes on one rank of one micro-batch by component. imbalance: for the lower and the upper bound."""
    sums: dict[str, Bounds] = {}
    for tensor in tensors:
        low = tensor.bytes(layout, imbalance[0]) if tensor.certain else 0
        own = Bounds(low, tensor.bytes(layout, imbalance[1]))
        sums[tensor.component] = sums.get(tensor.component, Bounds()) + own
    return sums


def total(sums: Iterable[Bounds]) -> Bounds:
    return sum(sums, Bounds())


@dataclasses.dataclass(frozen=True)
class Trace:
    """What one sequence leaves behind, by place.

    inputs: what stands at the start of a layer and is all that full recomputation keeps of it. layers: the rest, by
    main layer; mtp: of multi-token prediction with its last norms, without logits; mtp_inputs: what full recomputation
    keeps of it (its streams are the head's); head: before the logits; logits: as the losses keep them.
    gradients: groups of gradients that stand at one time within a layer.
    """

    inputs: list[Kept]
    layers: list[list[Kept]]
    mtp: list[Kept]
    mtp_inputs: list[Kept]
    head: list[Kept]
    logits: list[Kept]
    gradients: list[list[Kept]]
