"""Step time and memory of one process of this machine, from few coefficients that are fitted to some settings.

    seconds = sum over terms of coefficient * term
    memory = states + base + (growth + growth_recomputed, if so) * other tensors + kernel * loads

Terms of the time are what a setting asks for: seconds of matrix products at the machine's measured peak of the same
dtype and thread count (1 / coefficient is then the efficiency), bytes that elementwise work moves, layers that are
run, values that the optimizer updates, kernels that are made. No coefficient is negative; they are fitted to relative
errors, by least squares.

- `products_<precision>`: of all layers and the head, forward and backward.
- `attention`: products of queries, keys and index heads, all that is computed, seen or not.
- `traffic`: what autograd keeps, taken as a measure of all elementwise work, shared out over the threads;
  `traffic_serial`: the same, where more threads do not help.
- `layers`: passes of a layer, forward and backward counted as 3, for what each costs however small it is.
- `optimizer`: bytes of weights, gradients and states.
- `new_kernels`: in bfloat16 a product of a new shape takes a new kernel of oneDNN. Experts get another number of tokens
  at nearly each step, so there are new shapes at each step, and the kernels stay in memory: `loads` are the different
  numbers of tokens that experts have had.

Weights and optimizer states are there from the start and exact. `growth` is what the allocator takes, with the holes
that it leaves, per byte of the other tensors that live at the fullest moment (`memory.live`); `growth_recomputed` how
much more where layers are run again, which leaves holes between the inputs that are kept. Free of torch.
"""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from trex.accounting.counting import executed
from trex.accounting.counting.part import FORWARDS_PER_TRAINING_STEP, Part
from trex.accounting.miniature import kept, memory
from trex.accounting.miniature.setting import Setting
from trex.model.config import ModelConfig

PRODUCTS, ATTENTION = ("matmul", "grouped_matmul", "mix"), ("attention", "indexer")  # operators of counting.Part
TIME_TERMS = (
    "products_float32",
    "products_bfloat16",
    "attention",
    "traffic",
    "traffic_serial",
    "layers",
    "optimizer",
    "new_kernels",
)
MEMORY_TERMS = ("base", "growth", "growth_recomputed", "kernel")
Peaks = Mapping[int, Mapping[str, float]]  # threads -> precision -> TFLOP/s


def passes(part: Part, setting: Setting) -> int:
    """How often a part's forward FLOPs are done in a step."""
    recomputed = int(setting.recomputation and part.block == "layer")
    if part.component.startswith("indexer"):  # the next-token loss does not reach it
        return 1 + recomputed
    return FORWARDS_PER_TRAINING_STEP + recomputed


def flops(config: ModelConfig, setting: Setting, operators: tuple[str, ...]) -> int:
    """Executed in a step by the parts of these operators."""
    parts = executed.parts(config, setting.sequence_length)
    return setting.batch_size * sum(part.flops * passes(part, setting) for part in parts if part.operator in operators)


def traffic(s: kept.Sizes, setting: Setting) -> float:
    """Bytes: of a layer, a third more where it is run forward twice."""
    layers = kept.total(kept.layers(s)) + sum(kept.indexer(s, ratio) for ratio in s.config.compress_ratios)
    again = layers / FORWARDS_PER_TRAINING_STEP if setting.recomputation else 0
    return layers + again + kept.total([kept.head(s)])


def different_loads(config: ModelConfig, setting: Setting, steps: int) -> float:
    """Expected number of different loads of experts after so many steps, were loads spread evenly from none to twice
    the mean: so uneven is the routing of a model that has hardly been trained."""
    draws = steps * config.num_hidden_layers * config.n_routed_experts
    values = 2 * setting.tokens * config.num_experts_per_tok / config.n_routed_experts
    return values * (1 - (1 - 1 / values) ** draws)


def time_terms(base: ModelConfig, setting: Setting, peaks: Peaks) -> dict[str, float]:
    """TIME_TERMS of a setting."""
    s = kept.sizes_of(base, setting)
    config, peak = s.config, peaks[setting.threads][setting.precision] * 1e12
    moved = traffic(s, setting)
    products = flops(config, setting, PRODUCTS) / peak
    layers = config.num_hidden_layers * (FORWARDS_PER_TRAINING_STEP + setting.recomputation)
    in_bfloat16 = setting.precision == "bfloat16"
    return {
        "products_float32": 0.0 if in_bfloat16 else products,
        "products_bfloat16": products if in_bfloat16 else 0.0,
        "attention": flops(config, setting, ATTENTION) / peak,
        "traffic": moved / setting.threads,
        "traffic_serial": moved,
        "layers": layers,
        "optimizer": (2 + memory.ADAMW_STATES) * memory.weights(config, s.b),
        "new_kernels": different_loads(config, setting, 1) if in_bfloat16 else 0.0,
    }


def states(base: ModelConfig, setting: Setting) -> int:
    """Bytes of weights and optimizer states."""
    return memory.always(setting.config(base), setting.value_bytes)


def memory_terms(base: ModelConfig, setting: Setting, steps: int) -> dict[str, float]:
    """MEMORY_TERMS of a setting after so many steps, without `states`."""
    loads = different_loads(setting.config(base), setting, steps) if setting.precision == "bfloat16" else 0.0
    others = memory.live(base, setting) - states(base, setting)
    return {
        "base": 1.0,
        "growth": others,
        "growth_recomputed": others if setting.recomputation else 0.0,
        "kernel": loads,
    }


def fit(terms: Sequence[dict[str, float]], measured: Sequence[float], known: Sequence[float] | None = None) -> dict:
    """Coefficients from 0 on that make the squares of the relative errors least; known: what comes on top of them."""
    from scipy.optimize import nnls

    names, target = list(terms[0]), np.array(measured, dtype=float)
    table = np.array([[row[name] for name in names] for row in terms]) / target[:, None]
    scale = np.abs(table).max(axis=0)
    scale[scale == 0] = 1.0
    rest = target - (0 if known is None else np.array(known, dtype=float))
    found, _ = nnls(table / scale, rest / target)
    return dict(zip(names, (found / scale).tolist(), strict=True))


def value(coefficients: dict[str, float], terms: dict[str, float]) -> float:
    return sum(coefficients[name] * term for name, term in terms.items())


@dataclasses.dataclass(frozen=True)
class Predictor:
    """For any setting of the base model on the machine that the coefficients are from; memory: None where it could not
    be measured."""

    base: ModelConfig
    peaks: Peaks
    time: dict[str, float]
    memory: dict[str, float] | None

    def seconds(self, setting: Setting) -> float:
        """Of one training step."""
        return value(self.time, time_terms(self.base, setting, self.peaks))

    def terms(self, setting: Setting) -> dict[str, float]:
        """Seconds of one training step by term; they add up to `seconds`."""
        return {name: self.time[name] * term for name, term in time_terms(self.base, setting, self.peaks).items()}

    def bytes(self, setting: Setting, steps: int) -> float | None:
        """The most resident memory above the process's baseline within so many steps."""
        if self.memory is None:
            return None
        return states(self.base, setting) + value(self.memory, memory_terms(self.base, setting, steps))
