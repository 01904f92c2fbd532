"""Multi-token prediction against its equations, and what it may see."""

import pytest
import torch

from tests.model.conftest import randomise, small_config, tokens_of
from tests.model.test_packing import packed
from trex.model.norm import rms_normalise
from trex.model.packing import plan
from trex.model.transformer import Transformer


@pytest.fixture(scope="module")
def model() -> Transformer:
    return randomise(Transformer(small_config()).initialise(0))


@torch.no_grad()
def ahead(model: Transformer, tokens: torch.Tensor, document: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
    """[B, S, V] of multi-token prediction."""
    packing = plan(model.config, document, position)
    return model.head(model.predict_ahead(model.run(tokens, packing), tokens, packing))


def alone(model: Transformer, tokens: torch.Tensor) -> torch.Tensor:
    return ahead(model, tokens[None], torch.ones(1, len(tokens), dtype=torch.long), torch.arange(len(tokens))[None])[0]


@torch.no_grad()
def test_its_input_is_the_next_token_and_each_stream_normalised_and_projected(model):
    tokens = tokens_of(12)[None]
    packing = plan(model.config, torch.ones_like(tokens), torch.arange(12)[None])
    streams = model.run(tokens, packing)
    mtp, eps = model.mtp, model.config.rms_norm_eps
    following = model.embedding(tokens.roll(-1, dims=1))
    token = (rms_normalise(following, eps) * mtp.token_norm.weight) @ mtp.token_projection.weight.T
    inputs = [
        token + (rms_normalise(stream, eps) * mtp.streams_norm.weight) @ mtp.streams_projection.weight.T
        for stream in streams
    ]
    through = mtp.block(tuple(inputs), tokens, lambda attention, x: attention(x, packing))
    expected = rms_normalise(mtp.streams_head(through), eps) * mtp.norm.weight
    torch.testing.assert_close(model.predict_ahead(streams, tokens, packing), expected)


def test_a_position_sees_the_next_token_and_none_after_it(model):
    tokens = tokens_of(30)
    before = alone(model, tokens)
    changed = tokens.clone()
    changed[20] = (changed[20] + 1) % model.config.vocab_size
    after = alone(model, changed)
    torch.testing.assert_close(after[:19], before[:19], atol=1e-5, rtol=1e-5)
    assert (after[19] - before[19]).abs().max() > 1e-3


def test_packed_documents_give_what_they_give_alone_where_they_have_a_target(model):
    sizes = (17, 1, 2, 30, 9)
    documents = [tokens_of(size, seed) for seed, size in enumerate(sizes)]
    document, position = packed(list(sizes), 5)
    row = torch.cat((*documents, torch.zeros(5, dtype=torch.long)))
    together, start = ahead(model, row[None], document, position)[0], 0
    for tokens in documents:
        with_target = max(0, len(tokens) - 2)
        expected = alone(model, tokens)[:with_target]
        torch.testing.assert_close(together[start : start + with_target], expected, atol=2e-4, rtol=1e-4)
        start += len(tokens)


def test_the_main_model_is_the_same_with_and_without_it(model):
    main = Transformer(small_config(num_nextn_predict_layers=0))
    assert main.mtp is None
    state = {name: tensor for name, tensor in model.state_dict().items() if not name.startswith("mtp.")}
    main.load_state_dict(state)
    tokens = tokens_of(25)[None]
    with torch.no_grad():
        found = [m(tokens, torch.ones_like(tokens), torch.arange(25)[None]) for m in (main, model)]
    assert torch.equal(*found)


def test_it_has_no_hash_routing_even_where_all_main_layers_have():
    model = Transformer(small_config(num_hash_layers=3))
    assert all(block.experts.router.is_hash for block in model.blocks)
    assert not model.mtp.block.experts.router.is_hash
    assert model.mtp.block.attention.compressor is None
