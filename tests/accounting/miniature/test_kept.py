"""What is said to be kept is what torch keeps, byte for byte, and so is the fullest moment, where nothing is run again.

Tensors are counted through the hooks by which autograd saves them, those still alive at the end of the forward pass.
"""

import dataclasses
import weakref

import numpy as np
import pytest
import torch

from trex.accounting import recipes
from trex.accounting.counting import executed
from trex.accounting.miniature import kept, measure, memory
from trex.accounting.miniature.setting import Setting
from trex.model import packing


class Saved:
    """In place of a tensor that autograd saves. A weak set of them tells which are alive."""

    def __init__(self, tensor: torch.Tensor):
        self.tensor = tensor.detach()  # the tensor itself would hold the graph that holds it


def really_kept(config, setting) -> int:
    """Bytes of the different storages that are saved, weights and buffers not counted."""
    recipe = recipes.ours_plain(config, 1)
    recipe.model.to(getattr(torch, setting.precision))
    own = {tensor.untyped_storage().data_ptr() for tensor in recipe.model.state_dict().values()}
    alive = weakref.WeakSet()

    def save(tensor: torch.Tensor) -> Saved:
        saved = Saved(tensor)
        alive.add(saved)
        return saved

    tokens = torch.randint(0, config.vocab_size, (setting.batch_size, setting.sequence_length))
    with torch.autograd.graph.saved_tensors_hooks(save, lambda saved: saved.tensor):
        loss = recipe.loss(tokens)
    assert loss.requires_grad
    storages = {saved.tensor.untyped_storage().data_ptr(): saved.tensor.untyped_storage().nbytes() for saved in alive}
    return sum(size for place, size in storages.items() if place not in own)


OTHER = {"hc_mult": 3, "n_shared_experts": 2, "shared_expert_clamp": False, "sliding_window": 70}


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("rows, length", [(2, 80), (1, 128), (3, 40)])
@pytest.mark.parametrize("ratios", [(0,), (0, 4, 16), (16, 0, 16), (4,)])
@pytest.mark.parametrize("other", [{}, OTHER], ids=["", "other"])
def test_what_autograd_keeps(tiny, ratios, rows, length, precision, other):
    config = dataclasses.replace(tiny, compress_ratios=ratios, num_nextn_predict_layers=0, **other)
    setting = Setting(rows, length, 1, 1, precision, recomputation=False)
    sizes = kept.sizes_of(config, setting)
    said = kept.total([*kept.layers(sizes), kept.head(sizes), kept.shared(sizes)])
    assert said == really_kept(config, setting)


def test_blocks_of_queries_are_the_models():
    assert executed.BLOCK == packing.BLOCK


def fullest(config, setting) -> int:
    """The most bytes of tensors within a second step, as the profiler counts allocations."""
    recipe = recipes.ours_plain(config, 1)
    optimizer = measure.prepare(recipe, setting)
    batch = np.random.default_rng(1).integers(config.vocab_size, size=(1, setting.batch_size, setting.sequence_length))
    recipes.train(recipe, optimizer, batch)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        recipes.train(recipe, optimizer, batch)
    events = [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]
    sizes = [event.nbytes() for event in sorted(events, key=lambda event: event.start_ns())]
    always = (1 + memory.ADAMW_STATES) * sum(one.nbytes for one in recipe.model.parameters())
    return always + int(np.cumsum(sizes).max())


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("recomputation, tolerance", [(False, 0.01), (True, 0.15)])
def test_the_fullest_moment(tiny, precision, recomputation, tolerance):
    """With recomputation it is within a layer, where the moment itself is an estimate."""
    config = dataclasses.replace(tiny, vocab_size=512, hidden_size=64, num_nextn_predict_layers=0)
    setting = Setting(2, 256, 1, 1, precision, recomputation)
    assert memory.live(config, setting) == pytest.approx(fullest(config, setting), rel=tolerance)
