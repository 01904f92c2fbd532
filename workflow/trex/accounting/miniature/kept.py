"""What autograd keeps of a forward pass of `ours_plain` for its backward pass, byte by byte. Free of torch.

Derived from the source of `trex.model`, part by part, and from what each operation needs for its gradient: a product
both factors, a matrix product both operands, a division numerator and denominator, softmax and sigmoid their result, a
gather its indices; a sum and a view nothing. A tensor that several operations keep counts once. Weights are not among
them. A test holds each sum to what torch really keeps.

One document a row, as on the ladder. N tokens, d hidden size, n streams, H heads of c channels, E experts of width f, k
of them a token, K keys of a block's window, R compressed entries that a block computes with (all of the row's).
What the indexer computes is dropped at the end of its layer: the next-token loss does not reach it.
"""

import dataclasses
from collections.abc import Iterable

from trex.accounting.counting import executed
from trex.accounting.miniature.setting import Setting
from trex.model.config import ModelConfig

FLOAT32, INT64, COMPLEX64, BOOL = 4, 8, 8, 1


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Numbers that follow from a setting. rows: batch; b: bytes of a value."""

    config: ModelConfig
    rows: int
    length: int
    b: int

    @property
    def tokens(self) -> int:
        return self.rows * self.length

    @property
    def block(self) -> int:
        return min(executed.BLOCK, self.length)

    @property
    def blocks(self) -> int:
        """Of queries, in all rows."""
        return self.rows * -(-self.length // self.block)

    @property
    def queries(self) -> int:
        """With those that fill the last block."""
        return self.blocks * self.block

    @property
    def keys(self) -> int:
        """Of a block's window: its own and those of the blocks before that it reaches into."""
        return (1 + -(-(self.config.sliding_window - 1) // self.block)) * self.block

    def entries(self, ratio: int) -> int:
        """Compressed ones of a row."""
        return self.length // ratio if ratio else 0

    def softmax(self, ratio: int) -> int:
        """Values of the attention weights of a layer: window, entries and sink."""
        return self.queries * self.config.num_attention_heads * (self.keys + self.entries(ratio) + 1)


def sizes_of(base: ModelConfig, setting: Setting) -> Sizes:
    return Sizes(setting.config(base), setting.batch_size, setting.sequence_length, setting.value_bytes)


def norm(values: int, width: int, b: int) -> int:
    """Input, normalised input and the inverse root of each mean square; not the output."""
    return (2 * values + values // width) * b


def streams(s: Sizes, count: int) -> int:
    """The streams that a hyper-connection reads, `count` different tensors; and their float32 copies, which are new for
    each of the n even where the streams are equal."""
    copies = 0 if s.b == FLOAT32 else s.config.hc_mult * s.tokens * s.config.hidden_size * FLOAT32
    return count * s.tokens * s.config.hidden_size * s.b + copies


def mixing(s: Sizes, outputs: int) -> int:
    """The projection of the streams before and after its norm, the norm's inverse root, and fn's float32 copy."""
    copy = 0 if s.b == FLOAT32 else outputs * s.config.hc_mult * s.config.hidden_size * FLOAT32
    return (2 * outputs + 1) * s.tokens * FLOAT32 + copy


def hyper_connection(s: Sizes) -> int:
    """Beside the streams: coefficients before and after their activation, each division of Sinkhorn's iteration, the
    weights of each stream's sum, and the block's result, which they weigh."""
    n = s.config.hc_mult
    outputs = (2 + n) * n
    divisions = 2 * s.config.hc_sinkhorn_iters - 1
    coefficients = n * n + 3 * n  # softmax of mix; sigmoids of pre and post; pre with its eps
    scale = outputs * (s.b + INT64)  # repeated, and by which indices
    values = coefficients + divisions * (n * n + n) + n * (1 + n)
    return mixing(s, outputs) + scale + values * s.tokens * FLOAT32 + s.tokens * s.config.hidden_size * s.b


def attention(s: Sizes, ratio: int) -> int:
    """Input, queries and keys with their norms, masks, softmax, and the output on its way through two projections."""
    c, tokens = s.config, s.tokens
    heads, far = c.num_attention_heads * c.head_dim, s.entries(ratio)
    values = (
        tokens * c.hidden_size
        + tokens * c.q_lora_rank  # after its norm
        + tokens * (heads + c.num_attention_heads)  # norm without weight
        + s.queries * heads  # rotated, in blocks
        + s.blocks * (s.keys + far) * c.head_dim
        + s.softmax(ratio)
        + tokens * (heads + c.o_groups * c.o_lora_rank)
    )
    norms = norm(tokens * c.q_lora_rank, c.q_lora_rank, s.b) + norm(tokens * c.head_dim, c.head_dim, s.b)
    masks = s.queries * (s.keys + far) * BOOL
    return values * s.b + norms + masks + s.blocks * far * INT64


def compressor(s: Sizes, ratio: int, width: int) -> int:
    """Slots and their softmax, in float32; indices of the slots, twice; the norm of the entries."""
    if ratio == 0:
        return 0
    overlap = s.config.kind_of(ratio) == "csa"
    entries = s.rows * s.entries(ratio)
    slots = entries * ratio * (2 if overlap else 1)
    absent = slots * BOOL if overlap else 0
    return 2 * slots * width * FLOAT32 + 2 * slots * INT64 + absent + norm(entries * width, width, FLOAT32)


def indexer(s: Sizes, ratio: int) -> int:
    """What is dropped at the end of a CSA layer, but for recomputation, which holds all that it computes again:
    queries, entries, scores of all heads and their weights."""
    if s.config.kind_of(ratio) != "csa":
        return 0
    c, far = s.config, s.entries(ratio)
    queries = s.queries * c.index_n_heads * (c.index_head_dim + 1)
    keys = s.blocks * far * c.index_head_dim
    scores = s.queries * c.index_n_heads * far
    return (queries + keys + scores) * s.b + s.blocks * far * INT64 + compressor(s, ratio, c.index_head_dim)


def network(tokens: int, f: int, clamped: bool, b: int) -> int:
    """Gate and up in one tensor; where they are clamped, both once more; the gate's activation; their product."""
    return tokens * f * (6 if clamped else 4) * b


def experts(s: Sizes) -> int:
    c, tokens = s.config, s.tokens
    copies, shared = tokens * c.num_experts_per_tok, c.n_shared_experts * c.moe_intermediate_size
    router_copies = 0 if s.b == FLOAT32 else (tokens + c.n_routed_experts) * c.hidden_size * FLOAT32
    router = (2 * tokens * c.n_routed_experts + copies + tokens) * FLOAT32 + copies * s.b + router_copies
    indices = 3 * copies * INT64  # which experts; which copy by expert; and back
    return (
        router
        + indices
        + (tokens + 2 * copies) * c.hidden_size * s.b  # input; copies before and behind the experts
        + network(copies, c.moe_intermediate_size, True, s.b)
        + network(tokens, shared, c.shared_expert_clamp, s.b)
    )


def layer(s: Sizes, ratio: int, first: bool = False) -> dict[str, int]:
    """Bytes by part. first: the streams at the start of the first layer are one tensor, the embedding."""
    n, d = s.config.hc_mult, s.config.hidden_size
    return {
        "streams": streams(s, 1 if first else n) + streams(s, n),
        "hyper_connections": 2 * hyper_connection(s),
        "norms": 2 * norm(s.tokens * d, d, s.b),
        "attention": attention(s, ratio),
        "compressors": compressor(s, ratio, s.config.head_dim),
        "experts": experts(s),
    }


def logits(s: Sizes) -> int:
    """Of all positions but each row's last."""
    return s.rows * (s.length - 1) * s.config.vocab_size * s.b


def head(s: Sizes) -> dict[str, int]:
    """The last streams, their collapse and norm, the features that have a target, log-softmax, targets."""
    n, d, chosen = s.config.hc_mult, s.config.hidden_size, s.rows * (s.length - 1)
    return {
        "streams": streams(s, n),
        "hyper_connections": mixing(s, n) + 2 * n * s.tokens * FLOAT32,
        "norms": norm(s.tokens * d, d, s.b),
        "head": chosen * (d * s.b + INT64 + BOOL) + s.b,
        "logits": logits(s),
    }


def shared(s: Sizes) -> dict[str, int]:
    """What all layers use: token ids, rotary tables of tokens and of compressed entries."""
    ratios = {ratio for ratio in s.config.compress_ratios if ratio}
    kinds = len({bool(ratio) for ratio in s.config.compress_ratios})
    places = kinds * s.tokens + sum(s.rows * s.entries(ratio) for ratio in ratios)
    return {"tokens": s.tokens * INT64, "rotary": places * s.config.qk_rope_head_dim // 2 * COMPLEX64}


def layers(s: Sizes) -> list[dict[str, int]]:
    return [layer(s, ratio, index == 0) for index, ratio in enumerate(s.config.compress_ratios)]


def total(parts: Iterable[dict[str, int]]) -> int:
    return sum(sum(part.values()) for part in parts)
