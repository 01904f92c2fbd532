import torch

from trex.model.norm import RMSNorm


def test_norm_gives_unit_mean_square_times_weight():
    norm = RMSNorm(7, 0.0)
    torch.nn.init.constant_(norm.weight, 3.0)
    result = norm(torch.randn(4, 7))
    torch.testing.assert_close(result.square().mean(-1), torch.full((4,), 9.0))
