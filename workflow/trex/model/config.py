"""The shape of a DeepSeek-V4-style model, with Hugging Face's key names. Free of torch, so that formulas can use it."""

import dataclasses
import math

from trex.common.errors import UserError

LEAST = {"num_hash_layers": 0, "num_nextn_predict_layers": 0, "csa_ratio": 2, "qk_rope_head_dim": 2}


@dataclasses.dataclass(frozen=True)
class RopeScaling:
    """YaRN (arXiv 2309.00071) of the compressed layers' rotary embedding, with DeepSeek-V4's published values.

    factor: context / original_max_position_embeddings; a pair of channels that turns more than beta_fast times within
    the original positions keeps its frequency, one that turns less than beta_slow times is slowed down by the factor.
    """

    factor: float = 16.0
    original_max_position_embeddings: int = 65536
    beta_fast: float = 32.0
    beta_slow: float = 1.0


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """Names and defaults follow DeepSeek-V4's config.json (arXiv 2606.19348); defaults are those that all sizes share.

    compress_ratios has one entry a main layer: 0 is sliding-window attention alone, 4 compressed sparse attention
    (CSA), 128 heavily compressed attention (HCA); in a miniature `csa_ratio` means CSA, and one other ratio HCA.
    num_nextn_predict_layers is 1 with the block of multi-token prediction (MTP) and 0 without. rope_scaling holds for
    the CSA and HCA layers; None is none. shared_expert_clamp: whether swiglu_limit holds for the shared expert too, as
    in the official code of today, or not, as in its first release.
    """

    vocab_size: int
    hidden_size: int
    num_attention_heads: int
    head_dim: int
    qk_rope_head_dim: int
    q_lora_rank: int
    o_groups: int
    o_lora_rank: int
    sliding_window: int
    compress_ratios: tuple[int, ...]
    index_n_heads: int
    index_head_dim: int
    index_topk: int
    moe_intermediate_size: int
    n_routed_experts: int
    num_experts_per_tok: int
    num_hash_layers: int
    routed_scaling_factor: float
    hc_mult: int
    csa_ratio: int = 4
    n_shared_experts: int = 1
    hc_sinkhorn_iters: int = 20
    hc_eps: float = 1e-6
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    compress_rope_theta: float = 160000.0
    rope_scaling: RopeScaling | None = RopeScaling()
    swiglu_limit: float = 10.0
    shared_expert_clamp: bool = True
    num_nextn_predict_layers: int = 1
    initializer_range: float = 0.02

    @property
    def num_hidden_layers(self) -> int:
        return len(self.compress_ratios)

    def layer_kind(self, layer: int) -> str:
        """`window`, `csa` or `hca`."""
        return self.kind_of(self.compress_ratios[layer])

    def kind_of(self, ratio: int) -> str:
        """What a layer of that compression ratio is."""
        return "window" if ratio == 0 else "csa" if ratio == self.csa_ratio else "hca"

    def is_hash_layer(self, layer: int) -> bool:
        """The first layers route by a fixed table from token id to experts."""
        return layer < self.num_hash_layers

    def to_dict(self) -> dict:
        return dataclasses.asdict(self) | {"compress_ratios": list(self.compress_ratios)}

    @classmethod
    def from_dict(cls, values: dict) -> "ModelConfig":
        """Raises UserError that names a missing or unknown key."""
        names = {field.name for field in dataclasses.fields(cls)}
        needed = {field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING}
        if unknown := sorted(set(values) - names):
            raise UserError(f"model config: unknown keys {', '.join(unknown)}; allowed: {', '.join(sorted(names))}")
        if missing := sorted(needed - set(values)):
            raise UserError(f"model config: missing keys {', '.join(missing)}")
        try:
            scaling = values.get("rope_scaling", dataclasses.asdict(RopeScaling()))
            nested = {"rope_scaling": None if scaling is None else RopeScaling(**scaling)}
            config = cls(**values | nested | {"compress_ratios": tuple(values["compress_ratios"])})
            errors = config.errors()
        except TypeError as error:
            raise UserError(f"model config: a value of the wrong type ({error})") from error
        if errors:
            raise UserError(f"model config: {'; '.join(errors)}")
        return config

    def errors(self) -> list[str]:
        """What each value, and then what two of them together must satisfy, each violation with the mend."""
        scaling = [] if self.rope_scaling is None else wrong_values(self.rope_scaling, "rope_scaling.")
        if found := wrong_values(self) + scaling:
            return found  # what follows computes with them
        rope = self.qk_rope_head_dim
        if self.num_attention_heads * self.head_dim % self.o_groups:
            found.append("o_groups must divide num_attention_heads * head_dim")
        if rope % 2 or rope > min(self.head_dim, self.index_head_dim):
            found.append("qk_rope_head_dim must be even and at most head_dim and index_head_dim")
        if self.num_experts_per_tok > self.n_routed_experts:
            found.append("num_experts_per_tok must be at most n_routed_experts")
        if not self.compress_ratios or not all(type(ratio) is int and ratio >= 0 for ratio in self.compress_ratios):
            return [*found, "compress_ratios must be whole numbers from 0 on, one a layer"]
        if len({ratio for ratio in self.compress_ratios if ratio} - {self.csa_ratio}) > 1:
            found.append("compress_ratios may have one ratio beside 0 and csa_ratio")
        if self.num_nextn_predict_layers not in (0, 1):
            found.append("num_nextn_predict_layers must be 0 or 1; DeepSeek-V4 predicts one token further")
        if not (self.rope_theta > 1 and self.compress_rope_theta > 1):
            found.append("rope_theta and compress_rope_theta must be above 1")
        if self.rope_scaling and not self.rope_scaling.beta_fast > self.rope_scaling.beta_slow > 0:
            found.append("rope_scaling.beta_fast must be above beta_slow, and that above 0")
        return found


def wrong_values(section: ModelConfig | RopeScaling, prefix: str = "") -> list[str]:
    """Which numbers and flags of it are of another type than their field, or out of any model's range."""
    found = []
    for field in dataclasses.fields(section):
        value, least = getattr(section, field.name), LEAST.get(field.name, 1)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if field.type is bool and not isinstance(value, bool):
            found.append(f"{prefix}{field.name} is {value!r}; it must be true or false")
        if field.type is int and not (type(value) is int and value >= least):
            found.append(f"{prefix}{field.name} is {value!r}; it must be a whole number from {least} on")
        if field.type is float and not (is_number and 0 < value < math.inf):
            found.append(f"{prefix}{field.name} is {value!r}; it must be a number above 0")
    return found
