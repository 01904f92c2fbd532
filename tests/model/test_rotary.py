import dataclasses
import itertools
import math

import pytest
import torch

from tests.model.conftest import small_config
from trex.model.config import RopeScaling
from trex.model.rotary import frequencies, rotary_table, rotate


def test_rotation_turns_interleaved_pairs_of_the_last_channels():
    x = torch.randn(3, 5, 10)
    position = torch.tensor([0, 1, 2, 7, 30])
    turned = rotate(x, rotary_table(position, torch.tensor([1.0, 0.1])))
    assert torch.equal(turned[..., :6], x[..., :6])
    for row, p in enumerate(position.tolist()):
        for pair in range(2):
            angle = torch.tensor(p * 10.0**-pair)
            a, b = x[:, row, 6 + 2 * pair], x[:, row, 7 + 2 * pair]
            torch.testing.assert_close(turned[:, row, 6 + 2 * pair], a * angle.cos() - b * angle.sin())
            torch.testing.assert_close(turned[:, row, 7 + 2 * pair], a * angle.sin() + b * angle.cos())


def test_conjugate_table_is_the_inverse_rotation():
    x = torch.randn(2, 6, 8)
    table = rotary_table(torch.arange(6), 10.0 ** -torch.arange(4))
    torch.testing.assert_close(rotate(rotate(x, table), table.conj()), x)


def turns(frequency: float, positions: int) -> float:
    return positions * frequency / (2 * math.pi)


def test_yarn_keeps_fast_pairs_and_slows_slow_ones_by_the_factor():
    config = small_config(head_dim=64, qk_rope_head_dim=64, index_head_dim=64)
    plain = frequencies(dataclasses.replace(config, rope_scaling=None), compressed=True)
    scaled = frequencies(config, compressed=True)
    ratio = (plain / scaled).tolist()
    number = [turns(frequency, 65536) for frequency in plain.tolist()]
    # The bounds are whole numbers of pairs, so pairs beside them may lie on either side.
    step = 160000 ** (2 / 64)
    assert all(r == 1 for r, n in zip(ratio, number, strict=True) if n > 32 * step)
    assert all(r == pytest.approx(16) for r, n in zip(ratio, number, strict=True) if n < 1 / step)
    assert all(before <= after + 1e-6 for before, after in itertools.pairwise(ratio))
    assert (ratio[0], ratio[-1]) == (1, pytest.approx(16))


def test_layers_of_the_window_alone_turn_by_their_own_base_unscaled():
    config = small_config()
    expected = 10000.0 ** (-torch.arange(0, 8, 2) / 8)
    torch.testing.assert_close(frequencies(config, compressed=False), expected)
    assert not torch.allclose(frequencies(config, compressed=True), expected)


def test_both_bounds_at_one_pair_are_a_step():
    scaling = RopeScaling(factor=4.0, original_max_position_embeddings=8, beta_fast=2.0, beta_slow=1.9)
    found = frequencies(small_config(rope_scaling=scaling), compressed=True)
    plain = frequencies(small_config(rope_scaling=None), compressed=True)
    assert found.isfinite().all()
    assert set((plain / found).round(decimals=3).tolist()) <= {1.0, 4.0}
