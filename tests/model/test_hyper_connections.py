import pytest
import torch
from torch import nn

from tests.model.conftest import small_config
from trex.model.hyper_connections import HyperConnection, HyperHead, sinkhorn


@pytest.mark.parametrize("n", [2, 4])
def test_sinkhorn_gives_doubly_stochastic_matrices(n):
    mixed = sinkhorn(torch.rand(n, n, 50) + 0.01, 20, 1e-6)
    torch.testing.assert_close(mixed.sum(0), torch.ones(n, 50), atol=1e-5, rtol=0)
    torch.testing.assert_close(mixed.sum(1), torch.ones(n, 50), atol=1e-2, rtol=0)


@pytest.mark.parametrize("n", [2, 4])
def test_read_and_write_follow_the_equations_token_by_token(n):
    """The report's equations, written out for one token at a time."""
    config = small_config(hc_mult=n)
    connection = HyperConnection(config)
    for parameter in connection.parameters():
        nn.init.normal_(parameter)
    streams = tuple(torch.randn(2, 3, config.hidden_size) for _ in range(n))
    x, post, mix = connection.read(streams)
    result = torch.randn(2, 3, config.hidden_size)
    written = connection.write(streams, result, post, mix)
    for b in range(2):
        for s in range(3):
            rows = torch.stack([stream[b, s] for stream in streams])
            flat = rows.flatten()
            m = (connection.fn @ flat) * torch.rsqrt(flat.square().mean() + 1e-6)
            pre = torch.sigmoid(m[:n] * connection.scale[0] + connection.base[:n]) + 1e-6
            to_all = 2 * torch.sigmoid(m[n : 2 * n] * connection.scale[1] + connection.base[n : 2 * n])
            c = (m[2 * n :] * connection.scale[2] + connection.base[2 * n :]).view(n, n).softmax(-1) + 1e-6
            c = c / (c.sum(0, keepdim=True) + 1e-6)
            for _ in range(19):
                c = c / (c.sum(1, keepdim=True) + 1e-6)
                c = c / (c.sum(0, keepdim=True) + 1e-6)
            torch.testing.assert_close(x[b, s], pre @ rows)
            expected = to_all[:, None] * result[b, s] + c.T @ rows
            torch.testing.assert_close(torch.stack([stream[b, s] for stream in written]), expected)


def test_head_collapses_the_streams():
    config = small_config()
    head = HyperHead(config)
    nn.init.normal_(head.fn)
    streams = tuple(torch.randn(1, 2, config.hidden_size) for _ in range(2))
    flat = torch.cat(streams, dim=-1)
    pre = torch.sigmoid(flat @ head.fn.T * torch.rsqrt(flat.square().mean(-1, keepdim=True) + 1e-6)) + 1e-6
    torch.testing.assert_close(head(streams), pre[..., :1] * streams[0] + pre[..., 1:] * streams[1])
