import torch

from tests.model.conftest import randomise, small_config, tokens_of
from trex.model.experts import swiglu
from trex.model.transformer import Transformer, hash_table


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


def test_hash_table_has_different_experts_for_a_token_and_an_even_load():
    config = small_config(vocab_size=1000)
    table = hash_table(config, 5)
    assert all(len(set(row)) == 2 for row in table.tolist())
    load = torch.bincount(table.flatten().long(), minlength=5).float()
    assert (load / load.mean() - 1).abs().max() < 0.2
    assert not torch.equal(table, hash_table(config, 6))


def test_bias_changes_the_choice_but_not_the_weights():
    model = randomise(Transformer(small_config(compress_ratios=(0, 0))).initialise(0))
    router = model.blocks[1].experts.router
    x = torch.randn(30, 32)
    chosen, weight = router(x, torch.zeros(30, dtype=torch.long))
    router.bias += 7.0  # the same for all: no choice changes
    again, same_weight = router(x, torch.zeros(30, dtype=torch.long))
    assert torch.equal(chosen, again)
    torch.testing.assert_close(weight, same_weight)
    router.bias[3] += 100.0
    assert (router(x, torch.zeros(30, dtype=torch.long))[0] == 3).any(-1).all()
