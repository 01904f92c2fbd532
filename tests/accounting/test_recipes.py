"""The rungs train the same model: same losses from the same weights, step by step."""

import numpy as np
import pytest
import torch

from trex.accounting import recipes


def losses(name, config, steps=3):
    recipe = recipes.RECIPES[name](config, 5)
    optimizer = torch.optim.AdamW(recipe.model.parameters(), lr=1e-2)
    batches = np.random.default_rng(0).integers(0, config.vocab_size, size=(steps, 2, 40))
    seconds, values = recipes.train(recipe, optimizer, batches)
    assert seconds > 0
    return values


def test_same_losses_at_every_step(tiny):
    ours = losses("ours_plain", tiny)
    assert ours == pytest.approx(losses("open_source", tiny), abs=1e-4)
    assert ours[0] == pytest.approx(np.log(tiny.vocab_size), abs=0.1)
    assert len(set(ours)) == 3  # it trains


def test_peak_memory_is_at_least_what_is_held_now():
    held = torch.zeros(2**24)  # 64 MB, touched
    peak = recipes.peak_rss_mb()
    assert peak is None or peak > held.nbytes / 2**20
