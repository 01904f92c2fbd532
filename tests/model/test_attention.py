"""The blocked attention against the report's equations written out query by query."""

import pytest
import torch

from tests.model.conftest import randomise, small_config, tokens_of
from trex.model.indexer import indexer_loss
from trex.model.layers import rms_normalise, rotary_table, rotate
from trex.model.packing import plan
from trex.model.transformer import Transformer

KINDS = {"window": (0, 10000.0), "csa": (4, 160000.0), "hca": (8, 160000.0)}


def entries_by_hand(compressor, x: torch.Tensor, rope_dim: int) -> torch.Tensor:
    """x [S, d] -> [S // m, c], one window at a time."""
    m, c = compressor.ratio, compressor.head_dim
    kv, gate = compressor.kv(x), compressor.gate(x)
    result = []
    for w in range(len(x) // m):
        current = slice(w * m, (w + 1) * m)
        if not compressor.overlap:
            values, weights = kv[current], gate[current] + compressor.ape
        else:
            values, weights = kv[current, c:], gate[current, c:] + compressor.ape[:, c:]
            if w > 0:
                before = slice((w - 1) * m, w * m)
                values = torch.cat((kv[before, :c], values))
                weights = torch.cat((gate[before, :c] + compressor.ape[:, :c], weights))
        pooled = compressor.norm((weights.softmax(0) * values).sum(0))
        result.append(rotate(pooled, rotary_table(torch.tensor(w * m), rope_dim, 160000.0)))
    return torch.stack(result) if result else torch.zeros(0, c)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [1, 3, 4, 8, 70, 133])
@torch.no_grad()
def test_attention_follows_the_equations_query_by_query(kind, length):
    ratio, theta = KINDS[kind]
    config = small_config(compress_ratios=(ratio,), num_hash_layers=0)
    attention = randomise(Transformer(config).initialise(1)).blocks[0].attention
    x = torch.randn(length, config.hidden_size, generator=torch.Generator().manual_seed(2))
    document, position = torch.ones(1, length, dtype=torch.long), torch.arange(length)[None]
    result = attention(x[None], plan(config, document, position))[0]

    tables = [rotary_table(torch.tensor(t), config.qk_rope_head_dim, theta) for t in range(length)]
    low_rank = attention.query_norm(attention.query_down(x))
    kv = attention.kv_norm(attention.kv(x))
    keys = torch.stack([rotate(kv[t], tables[t]) for t in range(length)])
    entries = entries_by_hand(attention.compressor, x, config.qk_rope_head_dim) if ratio else torch.zeros(0, 16)
    for t in range(length):
        visible = list(range((t + 1) // ratio)) if ratio else []
        if kind == "csa" and len(visible) > config.index_topk:
            indexer = attention.indexer
            query = rotate(indexer.query(low_rank[t]).view(indexer.heads, -1), tables[t])
            index_keys = entries_by_hand(indexer.compressor, x, config.qk_rope_head_dim)[visible]
            score = torch.relu(query @ index_keys.T * indexer.head_dim**-0.5)
            score = (indexer.weight(x[t])[:, None] * indexer.heads**-0.5 * score).sum(0)
            visible = score.topk(config.index_topk).indices.tolist()
        seen = torch.cat((keys[max(0, t - config.sliding_window + 1) : t + 1], entries[visible]))
        query = rms_normalise(attention.query_up(low_rank[t]).view(config.num_attention_heads, -1), 1e-6)
        scores = rotate(query, tables[t]) @ seen.T * config.head_dim**-0.5
        weights = torch.cat((scores, attention.sink[:, None]), dim=1).softmax(-1)[:, :-1]
        heads = rotate(weights @ seen, tables[t].conj())
        down = torch.cat([part @ w for part, w in zip(heads.flatten().chunk(2), attention.output_down, strict=True)])
        torch.testing.assert_close(result[t], attention.output_up(down), atol=1e-5, rtol=1e-4)


def test_indexer_loss_reaches_the_indexers_alone():
    model = randomise(Transformer(small_config()).initialise(0))
    tokens = tokens_of(40)[None]
    model(tokens, torch.ones_like(tokens), torch.arange(40)[None])
    sum(model.indexer_losses()).backward()
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached == (".indexer." in name), name


def test_language_model_loss_does_not_reach_the_indexers():
    model = randomise(Transformer(small_config()).initialise(0))
    tokens = tokens_of(40)[None]
    model(tokens, torch.ones_like(tokens), torch.arange(40)[None]).square().mean().backward()
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached == (".indexer." not in name), name


def test_indexer_loss_is_zero_where_the_scores_equal_the_attention():
    attention = torch.tensor([[0.2, 0.3, 0.1, 0.0]])
    selected = torch.tensor([[True, True, True, False]])
    scores = attention.clamp(min=1e-9).log() + 5.0
    assert indexer_loss(scores, selected, attention) < 1e-6
    assert indexer_loss(scores.flip(-1), selected, attention) > 0.1
