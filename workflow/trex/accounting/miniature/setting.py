"""One way to train the miniature in one process: what may change between two measurements. Free of torch."""

import dataclasses

from trex.common.errors import UserError
from trex.model.config import ModelConfig

BYTES = {"float32": 4, "bfloat16": 2}  # of a weight, a gradient, each of AdamW's two states, and most activations
WIDTHS = ("hidden_size", "num_attention_heads", "q_lora_rank", "o_lora_rank", "moe_intermediate_size")


@dataclasses.dataclass(frozen=True)
class Setting:
    """width: factor on WIDTHS. precision: of weights, gradients, optimizer states and, but for what the model computes
    in float32 anyway, activations. recomputation: whether each block keeps its input alone and is run again for its
    backward pass."""

    batch_size: int
    sequence_length: int
    width: float
    threads: int
    precision: str
    recomputation: bool

    @property
    def tokens(self) -> int:
        return self.batch_size * self.sequence_length

    @property
    def value_bytes(self) -> int:
        return BYTES[self.precision]

    def config(self, base: ModelConfig) -> ModelConfig:
        """Of this width, without MTP: as on the ladder, the next token alone is trained. Raises UserError."""
        wide = {name: getattr(base, name) * self.width for name in WIDTHS}
        if broken := [name for name, value in wide.items() if value < 1 or value != int(value)]:
            raise UserError(f"width {self.width} makes {', '.join(broken)} no whole number")
        whole = {name: int(value) for name, value in wide.items()}
        config = dataclasses.replace(base, **whole, num_nextn_predict_layers=0)
        if errors := config.errors():
            raise UserError(f"at width {self.width}, {'; '.join(errors)}")
        return config


def read(values: dict, threads: int) -> Setting:
    """A setting of the config; its `threads` says `one` or `all`: those of the run."""
    return Setting(**values | {"threads": threads if values["threads"] == "all" else 1})
