"""The most bytes of tensors that live at one moment of a training step, from `kept`. Free of torch.

Weights and AdamW's two states are there always; gradients from the backward pass to the optimizer. Looked at are the
moments that can be the fullest:

- `loss`: everything is kept, and the gradients of log-softmax and of its input are there;
- `forward`, in each layer: what the earlier ones keep, and what its attention or its indexer needs for a while;
- `backward`, in each layer: at its start, all that it keeps and the gradients of the streams; then the gradients of
  its attention weights, its experts being done;
- `optimizer`: weights, gradients, states.

With recomputation a layer keeps its input, and runs forward again at the start of its backward pass.
"""

from trex.accounting.counting import deepseek_v4
from trex.accounting.counting.part import parameters
from trex.accounting.miniature import kept
from trex.accounting.miniature.kept import Sizes, sizes_of
from trex.accounting.miniature.setting import Setting
from trex.model.config import ModelConfig

ATTENTION_COPIES = 3  # of all scores: the parts, joined, after softmax; in the backward pass their gradients likewise
INDEXER_COPIES = 3  # of the scores of all index heads: products, after ReLU, weighted
ADAMW_STATES = 2


def weights(config: ModelConfig, b: int) -> int:
    """Bytes of all trainable weights, one by one as counted."""
    return b * parameters(deepseek_v4.parts(config, 1))


def always(config: ModelConfig, b: int) -> int:
    """Weights and optimizer states."""
    return (1 + ADAMW_STATES) * weights(config, b)


def biggest_matrix(config: ModelConfig, b: int) -> int:
    """AdamW's temporary tensor is as large as the tensor that it updates."""
    return b * max(
        config.vocab_size * config.hidden_size,
        2 * config.n_routed_experts * config.hidden_size * config.moe_intermediate_size,
    )


def indexer_scores(s: Sizes, ratio: int) -> int:
    """Of all index heads; 0 where a layer has no indexer."""
    is_csa = s.config.kind_of(ratio) == "csa"
    return s.queries * s.config.index_n_heads * s.entries(ratio) * s.b if is_csa else 0


def within_forward(s: Sizes, ratio: int, part: dict[str, int]) -> int:
    """The most in one layer's forward pass, its input not included, until attention is through."""
    softmax = s.softmax(ratio) * s.b
    before = (part["hyper_connections"] + part["norms"]) // 2 + part["compressors"] + part["attention"] - softmax
    scores = indexer_scores(s, ratio)
    return before + max(INDEXER_COPIES * scores, scores + ATTENTION_COPIES * softmax)


def within_backward(s: Sizes, part: dict[str, int], softmax: int) -> int:
    """The most in one layer's backward pass beside the earlier ones': what it keeps, and gradients."""
    everything = sum(part.values())
    gradients = (2 * s.config.hc_mult + 1) * s.tokens * s.config.hidden_size * kept.FLOAT32
    later = part["experts"] + (part["streams"] + part["hyper_connections"] + part["norms"]) // 2
    return gradients + max(everything, everything - later + ATTENTION_COPIES * softmax)


def moments(base: ModelConfig, setting: Setting) -> dict[str, int]:
    """Bytes at each of the moments, the fullest layer's for those of a layer."""
    s = sizes_of(base, setting)
    b, config = s.b, s.config
    layers, ratios, count = kept.layers(s), config.compress_ratios, config.num_hidden_layers
    inputs = [s.tokens * config.hidden_size * b * (config.hc_mult if index else 1) for index in range(count)]
    left = inputs if setting.recomputation else [sum(part.values()) for part in layers]
    start = always(config, b) + kept.total([kept.shared(s)])
    head = kept.total([kept.head(s)])
    before = [start + sum(left[:index]) for index in range(count + 1)]
    gradient = weights(config, b)  # the last to be computed are those of the first layers
    forward = [
        before[i] + inputs[i] + within_forward(s, ratio, part)
        for i, (ratio, part) in enumerate(zip(ratios, layers, strict=True))
    ]
    if setting.recomputation:
        layers = [part | {"indexer": kept.indexer(s, ratio)} for ratio, part in zip(ratios, layers, strict=True)]
    backward = [
        before[i] + gradient * (count - i) // (count + 1) + within_backward(s, part, s.softmax(ratio) * b)
        for i, (ratio, part) in enumerate(zip(ratios, layers, strict=True))
    ]
    return {
        "loss": before[-1] + head + 2 * kept.logits(s),
        "forward": max(forward),
        "backward": max(backward),
        "optimizer": start + gradient + biggest_matrix(config, b),
    }


def live(base: ModelConfig, setting: Setting) -> int:
    """Bytes of tensors at the fullest moment."""
    return max(moments(base, setting).values())
