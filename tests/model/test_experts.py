import pytest
import torch

from tests.model.conftest import randomise, small_config, tokens_of
from trex.model.experts import swiglu
from trex.model.transformer import Transformer


@torch.no_grad()
def test_experts_give_the_weighted_sum_token_by_token(model):
    x = torch.randn(1, 20, model.config.hidden_size, generator=torch.Generator().manual_seed(1))
    tokens = tokens_of(20)
    for block in model.blocks:
        experts, router = block.experts, block.experts.router
        result = experts(x, tokens[None])[0]
        for t in range(20):
            affinity = torch.nn.functional.softplus(router.weight @ x[0, t]).sqrt()
            chosen = router.table[tokens[t]].long() if router.is_hash else (affinity + router.bias).topk(2).indices
            weight = affinity[chosen] / affinity[chosen].sum() * 1.5
            expected = experts.shared_down(swiglu(*experts.shared_gate_up(x[0, t]).chunk(2), 10.0))
            for e, w in zip(chosen, weight, strict=True):
                expected = expected + w * (swiglu(*(x[0, t] @ experts.gate_up[e]).chunk(2), 10.0) @ experts.down[e])
            torch.testing.assert_close(result[t], expected, atol=1e-4, rtol=1e-4)


def test_clamp_comes_before_the_product():
    gate, up = torch.tensor([50.0, -50.0]), torch.tensor([-50.0, 3.0])
    expected = torch.nn.functional.silu(torch.tensor([10.0, -50.0])) * torch.tensor([-10.0, 3.0])
    torch.testing.assert_close(swiglu(gate, up, 10.0), expected)


def test_without_a_limit_nothing_is_clamped():
    gate, up = torch.tensor([50.0, -50.0]), torch.tensor([-50.0, 3.0])
    torch.testing.assert_close(swiglu(gate, up, None), torch.nn.functional.silu(gate) * up)


@pytest.mark.parametrize("clamped", [True, False])
@torch.no_grad()
def test_the_clamp_of_the_shared_expert_is_a_flag(clamped):
    model = randomise(Transformer(small_config(shared_expert_clamp=clamped, swiglu_limit=0.1)).initialise(0))
    experts = model.blocks[1].experts
    x = torch.randn(6, 32, generator=torch.Generator().manual_seed(1))
    gate, up = experts.shared_gate_up(x).chunk(2, dim=-1)
    assert gate.max() > 0.1
    if clamped:
        gate, up = gate.clamp(max=0.1), up.clamp(-0.1, 0.1)
    torch.testing.assert_close(experts.shared(x), experts.shared_down(torch.nn.functional.silu(gate) * up))
