"""The blocked attention against the report's equations, and what its indexer learns from."""

import pytest
import torch

from tests.model import equations
from tests.model.conftest import randomise, small_config, tokens_of
from trex.model.indexer import divergence
from trex.model.packing import plan
from trex.model.trace import Trace
from trex.model.transformer import Transformer

RATIOS = {"window": 0, "csa": 4, "hca": 8}


@pytest.mark.parametrize("kind", RATIOS)
@pytest.mark.parametrize("length", [1, 3, 4, 8, 70, 133])
@torch.no_grad()
def test_attention_follows_the_equations_query_by_query(kind, length):
    config = small_config(compress_ratios=(RATIOS[kind],), num_hash_layers=0)
    attention = randomise(Transformer(config).initialise(1)).blocks[0].attention
    x = torch.randn(length, config.hidden_size, generator=torch.Generator().manual_seed(2))
    packing = plan(config, torch.ones(1, length, dtype=torch.long), torch.arange(length)[None])
    trace = Trace(torch.ones(1, length, dtype=torch.bool))
    result = attention(x[None], packing, trace)[0]
    expected, divergences = equations.attention_alone(attention, x)
    torch.testing.assert_close(result, expected.float(), atol=1e-5, rtol=1e-4)
    if kind == "csa":  # the indexer's teacher includes window and sink
        assert trace.divergence[0].item() == pytest.approx(divergences, rel=1e-4)


def divergences(model: Transformer, length: int) -> list[torch.Tensor]:
    tokens = tokens_of(length)[None]
    packing = plan(model.config, torch.ones_like(tokens), torch.arange(length)[None])
    trace = Trace(real=torch.ones_like(tokens, dtype=torch.bool))
    model.run(tokens, packing, trace)
    return trace.divergence


def test_the_indexers_loss_reaches_the_indexers_alone():
    model = randomise(Transformer(small_config()).initialise(0))
    sum(divergences(model, 40)).backward()
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached == (".indexer." in name), name


def test_language_model_loss_does_not_reach_the_indexers():
    model = randomise(Transformer(small_config(num_nextn_predict_layers=0)).initialise(0))
    tokens = tokens_of(40)[None]
    model(tokens, torch.ones_like(tokens), torch.arange(40)[None]).square().mean().backward()
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached == (".indexer." not in name), name


def test_divergence_is_zero_where_the_scores_equal_the_attention():
    attention = torch.tensor([[0.2, 0.3, 0.1, 0.0]])
    selected = torch.tensor([[True, True, True, False]])
    scores = attention.clamp(min=1e-9).log() + 5.0
    assert divergence(scores, selected, attention) < 1e-6
    assert divergence(scores.flip(-1), selected, attention) > 0.1


def test_a_query_without_entries_adds_nothing_and_no_nan():
    scores = torch.randn(3, 4, requires_grad=True)
    found = divergence(scores, torch.zeros(3, 4, dtype=torch.bool), torch.rand(3, 4))
    found.backward()
    assert found == 0
    assert torch.equal(scores.grad, torch.zeros(3, 4))
