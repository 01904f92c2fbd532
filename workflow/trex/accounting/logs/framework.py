"""Why a log's own TFLOP/s differ from ours: which formula, at which sequence length, gives what it prints.

A log that prints its TFLOP/s says by that what the framework counted: TFLOP/s x devices x seconds are the FLOPs of one
step. They are held against every convention at the stated sequence length, and, where none agrees, at other powers of
two and at other numbers of devices, since these are the usual slips. Agreement means within what the log rounded away.
An explanation that agrees is a candidate, not a proof.
"""

import dataclasses
import statistics
from collections.abc import Iterable
from fractions import Fraction

from trex.accounting.counting.conventions import TRAINING, Convention, Terms, applicable
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.transformer import GroupedQueryAttention, TransformerConfig
from trex.accounting.logs.steady import Rated

AGREEMENT = 1e-3  # TFLOP/s come with one decimal, times with tenths of milliseconds
FACTORS = (Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 4), Fraction(4), Fraction(1, 8), Fraction(8))


def megatron_2024(architecture: Architecture, sequence_length: int) -> Terms:
    """Full attention counts all pairs, visible or not; the rest as Megatron-LM counts today."""
    config: TransformerConfig = architecture.config
    attention, d, layers = config.attention, config.hidden_size, config.num_hidden_layers
    width = attention.num_attention_heads * attention.head_dim
    projections = d * (2 * width + 2 * attention.num_key_value_heads * attention.head_dim)
    expert = 3 * d * config.moe_intermediate_size
    per_token = {
        "projections": layers * projections,
        "attention": layers * 2 * width * sequence_length,
        "routed_experts": layers * config.num_experts_per_tok * expert,
        "lm_head": d * config.vocab_size,
    }
    return {name: TRAINING * sequence_length * value for name, value in per_token.items()}


@dataclasses.dataclass(frozen=True)
class OldMegatron(Convention):
    """Only grouped-query attention and experts in every layer: what that version had a formula for."""

    def applies_to(self, architecture: Architecture) -> bool:
        config = architecture.config
        return (
            isinstance(config, TransformerConfig)
            and isinstance(config.attention, GroupedQueryAttention)
            and not config.num_dense_layers
            and not config.n_shared_experts
        )


MEGATRON_2024 = OldMegatron(
    "megatron_2024",
    "as megatron, but all pairs of query and key in full attention",
    "NVIDIA/Megatron-LM, num_floating_point_operations of spring 2024 (after arXiv 2104.04473, appendix), from public "
    "copies of that version",
    megatron_2024,
)


@dataclasses.dataclass(frozen=True)
class Explanation:
    """convention: that agrees. sequence_length, device_factor: where it agrees, the factor being the true number of
    devices by the stated one. error: relative, signed."""

    convention: str
    counts: str
    sequence_length: int
    device_factor: Fraction
    error: float


@dataclasses.dataclass(frozen=True)
class Comparison:
    """tflops: of the framework and one device, mean over the lines by time. flops_per_token: what it thereby counted.
    explanations: the simplest that agree, none where nothing does. nearest: (convention, ratio to it)."""

    tflops: float
    flops_per_token: float
    explanations: tuple[Explanation, ...]
    nearest: tuple[str, float]


def compare(
    architecture: Architecture,
    rated: Iterable[Rated],
    sequence_length: int,
    devices: int,
    family: str,
    devices_told: bool = False,
) -> Comparison | None:
    """family: of the log, whose own conventions come first where several agree. devices_told: the log itself tells how
    many. None where lines do not print TFLOP/s."""
    told = [one for one in rated if one.line.tflops and one.tokens_per_second]
    if not told:
        return None
    per_token = statistics.median(1e12 * one.line.tflops * devices / one.tokens_per_second for one in told)
    weights = [one.line.steps * (one.tokens or 1.0) / one.tokens_per_second for one in told]
    tflops = sum(one.line.tflops * weight for one, weight in zip(told, weights, strict=True)) / sum(weights)
    candidates = candidates_for(architecture)
    counted = {one.name: float(one.per_token(architecture, sequence_length)) for one in candidates}
    name = min(counted, key=lambda key: abs(per_token / counted[key] - 1))
    fixed_tokens = any(one.line.tokens or one.line.device_tokens_per_second for one in told)
    own_first = sorted(candidates, key=lambda one: not one.name.startswith(family))
    explained = explain(architecture, own_first, per_token, sequence_length, not fixed_tokens, not devices_told)
    return Comparison(tflops, per_token, tuple(explained), (name, per_token / counted[name]))


def candidates_for(architecture: Architecture) -> list[Convention]:
    found = applicable(architecture)
    return [*found, MEGATRON_2024] if MEGATRON_2024.applies_to(architecture) else found


def explain(
    architecture: Architecture,
    candidates: list[Convention],
    per_token: float,
    sequence_length: int,
    lengths_too: bool = True,
    devices_too: bool = True,
) -> list[Explanation]:
    """per_token: by the stated length and devices. Those with the fewest departures from what was stated, the first
    of the candidates that agrees for each.

    lengths_too: whether the tokens of a step were had from the stated length; where the log itself counts tokens a
    wrong length changes nothing but attention. devices_too: whether the stated number of devices may be wrong.
    """
    found = []
    for length_factor in FACTORS if lengths_too else FACTORS[:1]:
        length = int(sequence_length * length_factor)
        if length < 1:
            continue
        for convention in candidates:
            counted = float(convention.per_token(architecture, length) * length_factor)
            for device_factor in FACTORS if devices_too else FACTORS[:1]:
                error = per_token * float(device_factor) / counted - 1
                if abs(error) < AGREEMENT:
                    departures = (length_factor != 1) + (device_factor != 1)
                    one = Explanation(convention.name, convention.counts, length, device_factor, error)
                    found.append((departures, one))
    fewest = min((departures for departures, _ in found), default=0)
    best: dict[tuple, Explanation] = {}
    for departures, one in found:
        if departures == fewest:
            best.setdefault((one.sequence_length, one.device_factor), one)
    return list(best.values())
