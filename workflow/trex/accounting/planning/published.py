"""Training runs that others published, held against the step-time model. No assumption was fitted to them.

Of every quantity there is an interval, over samples of all that the reports do not say, and bounds, with every
assumption at its slow and at its fast end. Layouts that a report leaves open are alternatives, and all of them count.
A run that is published is a run that went well: where the model misses one, it is slower than what was reported.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np

from trex.accounting.counting.conventions import EXACT
from trex.accounting.planning import topology
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.sampling import latin_hypercube, quantiles
from trex.accounting.planning.setting import Setting, device, row, setting
from trex.accounting.planning.step_time import ASSUMED, Execution, fastest, slowest
from trex.common import seeds

DEEPSEEK_V3 = "DeepSeek-V3 Technical Report (arXiv 2412.19437); Insights into DeepSeek-V3 (arXiv 2505.09343), table 4"
PANGU = "Pangu Ultra MoE (arXiv 2505.04519), abstract"
BRIDGE = "Megatron-Bridge 26.08, performance summary"
BRIDGE_RECIPE = "NVIDIA-NeMo/Megatron-Bridge, perf_recipes/deepseek/gb200/deepseek_v4.py"


@dataclasses.dataclass(frozen=True)
class Reported:
    """What a report says of a quantity: from low to high where others' conventions leave it open."""

    quantity: str
    low: float
    high: float
    source: str


@dataclasses.dataclass(frozen=True)
class Run:
    """stated: assumptions that the report itself settles. matmul_dtype: of the products of matrices; the rest is in
    bf16, of whose peak MFU is a share.

    links: (scale-up, scale-out) in 10^9 bytes/s where the hardware file has none. note: what was not in the report.
    """

    name: str
    model: str
    device: str
    layouts: tuple[Layout, ...]
    execution: Execution
    reported: tuple[Reported, ...]
    note: str
    stated: dict[str, float] = dataclasses.field(default_factory=dict)
    matmul_dtype: str = "bf16"
    links: tuple[float | None, float | None] = (None, None)


def pangu(tensor: int, expert: int, micro_batches: int) -> Layout:
    """6,144 devices ("6K"), of which the abstract says no more."""
    data = 6144 // (tensor * 16)
    return Layout(
        devices=6144,
        global_batch=micro_batches * data,
        tensor=tensor,
        pipeline=16,
        virtual_stages=2,
        expert=expert,
        sequence_parallel=tensor > 1,
        recomputation="selective",
        sequence_length=8192,
        distributed_optimizer=True,
    )


def bridge(expert: int, micro_batch: int) -> Layout:
    return Layout(
        devices=128,
        global_batch=2048,
        expert=expert,
        micro_batch=micro_batch,
        recomputation="selective",
        sequence_length=4096,
        distributed_optimizer=True,
    )


# DualPipe idles (P/2 - 1)(F&B + B - 3W) where 1F1B idles (P - 1)(F + B) (2412.19437, table 2); with B = 2F, W = F and
# F&B = F + B that is 14 F of 45 F at P = 16. B there has the weights' gradient W in it.
DUAL_PIPE = 14 / 45


def deepseek_v3(name: str, note: str, stated: dict[str, float]) -> Run:
    """A token goes to four nodes at most; it is dispatched in FP8 and combined in BF16."""
    rate = f"{DEEPSEEK_V3}; 14.8T tokens in 2.664M GPU hours"
    return Run(
        name=name,
        model="deepseek-v3",
        device="h800",
        layouts=(
            Layout(
                devices=2048,
                global_batch=15360,
                pipeline=16,
                expert=64,
                recomputation="selective",
                sequence_length=4096,
                distributed_optimizer=True,
            ),
        ),
        execution=Execution(all_to_all_bytes=1.5, copies=4, bubble=DUAL_PIPE),
        reported=(
            Reported("step_seconds", 19.926, 19.946, DEEPSEEK_V3),
            Reported("tokens_per_second_per_device", 1541.6, 1543.2, rate),
            Reported("mfu", 0.3890, 0.3894, f"{DEEPSEEK_V3}; by causal attention"),
        ),
        note=note,
        stated=stated,
        matmul_dtype="fp8",
    )


def megatron_bridge(chip: str, teraflops: int, note: str) -> Run:
    """Megatron counts 85.654 GFLOP a token of 4,096 without MTP and 90.782 with it; the summary does not say which."""
    source = f"{BRIDGE}: {teraflops} TFLOP/s by Megatron's count; {BRIDGE_RECIPE}"
    return Run(
        name=f"Megatron-Bridge, V4-Flash on 128 {chip}",
        model="v4-flash",
        device="gb200",
        layouts=(bridge(64, 1), bridge(32, 2)),
        execution=Execution(),
        reported=(Reported("tokens_per_second_per_device", teraflops / 90.782e-3, teraflops / 85.654e-3, source),),
        note=note,
        matmul_dtype="fp8",
    )


RUNS = (
    deepseek_v3("DeepSeek-V3 on 2,048 H800", "layers per stage taken as even", {}),
    deepseek_v3(
        "DeepSeek-V3 on 2,048 H800, communication hidden as its report says",
        "layers per stage taken as even; the report has all-to-all and pipeline messages fully hidden by DualPipe",
        {"overlap_all_to_all": 1.0, "overlap_pipeline": 1.0},
    ),
    Run(
        name="Pangu Ultra MoE on 6K Ascend NPUs",
        model="pangu-ultra-moe",
        device="ascend-910b",
        layouts=tuple(pangu(*sizes) for sizes in ((1, 32, 32), (4, 8, 32), (8, 4, 64), (8, 32, 64))),
        execution=Execution(),
        reported=(
            Reported("mfu", 0.300, 0.300, f"{PANGU}; neither peak nor count is said"),
            Reported("tokens_per_second_per_device", 237.6, 243.3, "press on the same report: 1.46M tokens/s"),
        ),
        note="layout, batch and kind of 910B are not in the abstract: four layouts of 16 stages with 32 or 64 "
        "micro-batches; links of a node of eight assumed",
        links=(196.0, 25.0),
    ),
    megatron_bridge("GB200", 706, "two versions of the recipe: experts over 64 ranks, or 32 with micro-batches of two"),
    megatron_bridge("GB300", 748, "as GB200's, whose dense peaks and links the GB300 shares"),
)


def published_rows(samples: int, seed: int) -> Iterator[dict]:
    """Rows of accounting/projection.csv."""
    for run in RUNS:
        assumed = latin_hypercube(ASSUMED, samples, seeds.array_generator(seed, "projection", run.name))
        cases = [case(run, layout) for layout in run.layouts]
        found = predicted(cases, assumed | run.stated)
        ends = predicted(cases, slowest(ASSUMED) | run.stated), predicted(cases, fastest(ASSUMED) | run.stated)
        for reported in run.reported:
            interval = quantiles(found[reported.quantity])
            both = np.concatenate([end[reported.quantity] for end in ends])
            bounds = float(both.min()), float(both.max())
            yield row(
                "published_run",
                run.name,
                reported.quantity,
                interval,
                bound_low=bounds[0],
                bound_high=bounds[1],
                reported_low=reported.low,
                reported_high=reported.high,
                validated=verdict((interval[0], interval[2]), bounds, reported),
                source=reported.source,
                note=run.note,
            )


def case(run: Run, layout: Layout) -> Setting:
    links = topology.of(device(run.device), layout.devices, *run.links)
    return setting(run.model, run.device, layout, run.execution, run.matmul_dtype, links)


def predicted(cases: list[Setting], assumed: dict[str, float | np.ndarray]) -> dict[str, np.ndarray]:
    """Quantity -> values, [N * cases]."""
    steps = [case.step(assumed) for case in cases]
    rates = [case.rate(step) for case, step in zip(cases, steps, strict=True)]
    shares = [rate * case.flops_per_token(EXACT) / case.peak for case, rate in zip(cases, rates, strict=True)]
    return {
        "step_seconds": np.concatenate([step.seconds for step in steps]),
        "tokens_per_second_per_device": np.concatenate(rates),
        "mfu": np.concatenate(shares),
    }


def verdict(interval: tuple[float, float], bounds: tuple[float, float], reported: Reported) -> str:
    """Where the reported figure is."""

    def meets(low: float, high: float) -> bool:
        return reported.low <= high and reported.high >= low

    if meets(*interval):
        return "held out: within the interval"
    side = "below" if reported.high < interval[0] else "above"
    if meets(*bounds):
        return f"held out: missed, reported is {side} the interval; bounds only"
    return f"held out: missed, reported is {side} the interval and the bounds"
