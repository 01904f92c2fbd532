"""The blocked attention against the report's equations written out query by query."""

import pytest
import torch

from tests.model.conftest import randomise, small_config, tokens_of
from trex.model.indexer import divergence
from trex.model.norm import rms_normalise
from trex.model.packing import plan
from trex.model.rotary import frequencies, rotary_table, rotate
from trex.model.trace import Trace
from trex.model.transformer import Transformer

RATIOS = {"window": 0, "csa": 4, "hca": 8}


def entries_by_hand(compressor, x: torch.Tensor, frequency: torch.Tensor) -> torch.Tensor:
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
        result.append(rotate(pooled, rotary_table(torch.tensor(w * m), frequency)))
    return torch.stack(result) if result else torch.zeros(0, c)


@pytest.mark.parametrize("kind", RATIOS)
@pytest.mark.parametrize("length", [1, 3, 4, 8, 70, 133])
@torch.no_grad()
def test_attention_follows_the_equations_query_by_query(kind, length):
    ratio = RATIOS[kind]
    config = small_config(compress_ratios=(ratio,), num_hash_layers=0)
    attention = randomise(Transformer(config).initialise(1)).blocks[0].attention
    x = torch.randn(length, config.hidden_size, generator=torch.Generator().manual_seed(2))
    document, position = torch.ones(1, length, dtype=torch.long), torch.arange(length)[None]
    result = attention(x[None], plan(config, document, position))[0]

    frequency = frequencies(config, compressed=ratio > 0)
    tables = [rotary_table(torch.tensor(t), frequency) for t in range(length)]
    low_rank = attention.query_norm(attention.query_down(x))
    kv = attention.kv_norm(attention.kv(x))
    keys = torch.stack([rotate(kv[t], tables[t]) for t in range(length)])
    entries = entries_by_hand(attention.compressor, x, frequency) if ratio else torch.zeros(0, 16)
    for t in range(length):
        visible = list(range((t + 1) // ratio)) if ratio else []
        if kind == "csa" and len(visible) > config.index_topk:
            indexer = attention.indexer
            query = rotate(indexer.query(low_rank[t]).view(indexer.heads, -1), tables[t])
            index_keys = entries_by_hand(indexer.compressor, x, frequency)[visible]
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


@torch.no_grad()
def test_the_indexers_teacher_is_the_attention_with_window_and_sink():
    """By the equations, query by query; a teacher of the entries' softmax alone is another one."""
    length = 22
    config = small_config(compress_ratios=(4,), num_hash_layers=0)
    model = randomise(Transformer(config).initialise(1))
    attention, indexer = model.blocks[0].attention, model.blocks[0].attention.indexer
    tokens = tokens_of(length)
    x = model.blocks[0].attention_norm(model.blocks[0].attention_streams.read(model.streams(tokens[None]))[0])[0]
    frequency = frequencies(config, compressed=True)
    tables = torch.stack([rotary_table(torch.tensor(t), frequency) for t in range(length)])
    low_rank, query = attention.queries(x[None], tables[None])
    keys = attention.keys(x[None], tables[None])[0]
    entries, index_keys = (entries_by_hand(c, x, frequency) for c in (attention.compressor, indexer.compressor))
    expected = {"with window and sink": 0.0, "without": 0.0}
    for t in range(3, length):
        count = (t + 1) // 4
        index_query = rotate(indexer.query(low_rank[0, t]).view(indexer.heads, -1), tables[t])
        score = (indexer.weights(x[t])[:, None] * torch.relu(index_query @ index_keys[:count].T)).sum(0)
        selected = score.topk(min(count, config.index_topk)).indices
        near = keys[max(0, t - config.sliding_window + 1) : t + 1]
        on_entries = query[0, t] @ entries[selected].T
        whole = torch.cat((query[0, t] @ near.T, on_entries, attention.sink[:, None]), dim=1).softmax(-1)
        teachers = {
            "with window and sink": whole[:, len(near) : -1].sum(0),
            "without": on_entries.softmax(-1).sum(0),
        }
        for name, teacher in teachers.items():
            teacher = teacher / teacher.sum()
            expected[name] += float((teacher * (teacher.log() - score[selected].log_softmax(0))).sum())
    found = float(divergences(model, length)[0])
    assert found == pytest.approx(expected["with window and sink"], rel=1e-4)
    assert found != pytest.approx(expected["without"], rel=1e-2)
