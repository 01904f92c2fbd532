import torch

from trex.model.layers import RMSNorm, rotary_table, rotate


def test_rotation_turns_interleaved_pairs_of_the_last_channels():
    x = torch.randn(3, 5, 10)
    position = torch.tensor([0, 1, 2, 7, 30])
    turned = rotate(x, rotary_table(position, 4, 100.0))
    assert torch.equal(turned[..., :6], x[..., :6])
    for row, p in enumerate(position.tolist()):
        for pair in range(2):
            angle = torch.tensor(p * 100.0 ** (-2 * pair / 4))
            a, b = x[:, row, 6 + 2 * pair], x[:, row, 7 + 2 * pair]
            torch.testing.assert_close(turned[:, row, 6 + 2 * pair], a * angle.cos() - b * angle.sin())
            torch.testing.assert_close(turned[:, row, 7 + 2 * pair], a * angle.sin() + b * angle.cos())


def test_conjugate_table_is_the_inverse_rotation():
    x = torch.randn(2, 6, 8)
    table = rotary_table(torch.arange(6), 8, 10000.0)
    torch.testing.assert_close(rotate(rotate(x, table), table.conj()), x)


def test_norm_gives_unit_mean_square_times_weight():
    norm = RMSNorm(7, 0.0)
    torch.nn.init.constant_(norm.weight, 3.0)
    result = norm(torch.randn(4, 7))
    torch.testing.assert_close(result.square().mean(-1), torch.full((4,), 9.0))
