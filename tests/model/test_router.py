import pytest
import torch

from tests.model.conftest import small_config
from trex.model.router import Router, hash_table, sequence_balance
from trex.model.trace import Trace

NOBODY = torch.zeros(30, dtype=torch.long)


@pytest.fixture
def router() -> Router:
    router = Router(small_config(), is_hash=False)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        router.weight.normal_(0, 0.3, generator=generator)
        router.bias.normal_(0, 0.2, generator=generator)
    return router


def inputs(count: int = 30) -> torch.Tensor:
    return torch.randn(count, 32, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def test_bias_changes_the_choice_but_not_the_weights(router):
    affinity = router.affinity(inputs())
    chosen = router.choose(affinity, NOBODY)
    weight = router.weigh(affinity, chosen)
    assert torch.allclose(weight.sum(-1), torch.tensor(router.config.routed_scaling_factor))
    router.bias += 7.0  # the same for all: no choice changes
    assert torch.equal(router.choose(affinity, NOBODY), chosen)
    router.bias[3] += 100.0
    assert (router.choose(affinity, NOBODY) == 3).any(-1).all()
    torch.testing.assert_close(router.weigh(affinity, chosen), weight)


def test_hash_table_has_different_experts_for_a_token_and_an_even_load():
    config = small_config(vocab_size=1000)
    table = hash_table(config, 5)
    assert all(len(set(row)) == 2 for row in table.tolist())
    load = torch.bincount(table.flatten().long(), minlength=5).float()
    assert (load / load.mean() - 1).abs().max() < 0.2
    assert not torch.equal(table, hash_table(config, 6))


@torch.no_grad()
def test_observation_counts_real_tokens_alone(router):
    affinity = router.affinity(inputs()).view(2, 15, -1)
    chosen = router.choose(affinity.flatten(0, 1), NOBODY).view(2, 15, -1)
    real = torch.arange(15).expand(2, -1) < torch.tensor([[15], [4]])
    seen = router.observe(affinity, chosen, Trace(real))
    expected = [sum(e in row for b in range(2) for row in chosen[b][real[b]].tolist()) for e in range(5)]
    assert seen.load.tolist() == expected
    assert seen.load.sum() == 19 * 2
    without_padding = sequence_balance(affinity[1:, :4], chosen[1:, :4], real[1:, :4])
    torch.testing.assert_close(sequence_balance(affinity[1:], chosen[1:], real[1:]), without_padding)


def test_sequence_balance_is_the_sum_of_its_equations(router):
    affinity = router.affinity(inputs()).detach().view(2, 15, -1)
    chosen = router.choose(affinity.flatten(0, 1), NOBODY).view(2, 15, -1)
    expected = 0.0
    for row in range(2):
        for expert in range(5):
            frequency = 5 / (2 * 15) * sum(expert in picks for picks in chosen[row].tolist())
            probability = sum(float(a[expert] / a.sum()) for a in affinity[row]) / 15
            expected += frequency * probability
    found = sequence_balance(affinity, chosen, torch.ones(2, 15, dtype=torch.bool))
    assert float(found) == pytest.approx(expected, rel=1e-5)


def test_sequence_balance_is_least_where_the_load_is_even():
    """One where all experts are used alike, E/k where the same k are chosen always and alone have affinity."""
    real = torch.ones(1, 4, dtype=torch.bool)
    even = torch.tensor([[[0, 1], [2, 3], [0, 1], [2, 3]]])
    assert sequence_balance(torch.ones(1, 4, 4), even, real) == pytest.approx(1.0)
    lopsided = torch.tensor([1.0, 1.0, 1e-9, 1e-9]).expand(1, 4, 4)
    assert sequence_balance(lopsided, torch.tensor([0, 1]).expand(1, 4, 2), real) == pytest.approx(2.0)


def test_a_step_down_its_gradient_moves_affinity_from_the_crowded_expert(router):
    crowded = torch.tensor([0, 1]).expand(1, 30, 2)
    real = torch.ones(1, 30, dtype=torch.bool)

    def share() -> torch.Tensor:
        affinity = router.affinity(inputs())
        return (affinity / affinity.sum(-1, keepdim=True)).mean(0)

    before = share()
    sequence_balance(router.affinity(inputs())[None], crowded, real).backward()
    with torch.no_grad():
        router.weight -= 0.1 * router.weight.grad
    assert (share()[:2] < before[:2]).all()
