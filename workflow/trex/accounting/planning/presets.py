"""Published layouts, as their launch scripts give them."""

import dataclasses

from trex.accounting.planning.layout import Layout

SCRIPTS = "github.com/SLAI-AITP/SLAI-T-Rex, training/"


@dataclasses.dataclass(frozen=True)
class Preset:
    """model: as `trex.accounting.counting.read` knows it; device: as config/hardware.yaml does; source: the script."""

    model: str
    device: str
    layout: Layout
    source: str


def trex_pro(global_batch: int) -> Layout:
    """512 ranks. Of 64 layers in 16 chunks of four, layers 3, 62 and 63 are empty (`--noop-layers`)."""
    return Layout(
        devices=512,
        global_batch=global_batch,
        tensor=2,
        pipeline=8,
        virtual_stages=2,
        expert=64,
        sequence_parallel=True,
        recomputation="full",
        sequence_length=4096,
        distributed_optimizer=True,
        swap_optimizer=True,
        chunk_layers=(3, *[4] * 14, 2),
    )


def trex_flash(sequence_length: int) -> Layout:
    """128 ranks. Of 44 layers in four chunks, the last is empty; sequence parallelism is asked for, but tensor is 1."""
    return Layout(
        devices=128,
        global_batch=128,
        pipeline=4,
        expert=32,
        recomputation="full",
        sequence_length=sequence_length,
        distributed_optimizer=True,
        swap_optimizer=True,
        chunk_layers=(11, 11, 11, 10),
    )


PRESETS = {
    "trex-pro-cpt": Preset("v4-pro", "ascend-910c-die", trex_pro(256), SCRIPTS + "cpt/train_cpt_deepseek4_pro_4k.sh"),
    "trex-pro-sft": Preset("v4-pro", "ascend-910c-die", trex_pro(1024), SCRIPTS + "sft/train_sft_deepseek4_pro_4k.sh"),
    "trex-flash-cpt": Preset(
        "v4-flash", "ascend-910c-die", trex_flash(4096), SCRIPTS + "cpt/train_cpt_deepseek4_flash_4k.sh"
    ),
    "trex-flash-sft": Preset(
        "v4-flash", "ascend-910c-die", trex_flash(8192), SCRIPTS + "sft/train_sft_deepseek4_flash_8k.sh"
    ),
}
