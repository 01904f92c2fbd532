"""Decoding with caches against full recomputation; stop tokens; drawing by chance."""

import itertools
from random import Random

import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.conftest import VOCABULARY, alone, randomise, small_config, tokens_of
from trex.model.config import RopeScaling
from trex.model.generate import Decoder, Sampler, generate
from trex.model.packing import BLOCK
from trex.model.transformer import Transformer

LENGTHS = (3, 17, 40, 1, 9, 33)
NEVER = frozenset()
DEVIATION = 0.1  # of weights at which rounding grows to no more than a fifth of the tolerance
KINDS = {"window": (0,), "csa": (4,), "hca": (8,), "all": (0, 4, 8, 4)}
# Far below the published lengths, so that it turns a small model's pairs of channels unlike plain rotary embedding.
YARN = RopeScaling(factor=4.0, original_max_position_embeddings=64, beta_fast=8.0)


def decoder_of(kind: str, **changes) -> Transformer:
    config = small_config(compress_ratios=KINDS[kind], **changes)
    return randomise(Transformer(config).initialise(3), seed=4, deviation=DEVIATION)


def prompts_of(lengths) -> list[list[int]]:
    return [tokens_of(length, seed).tolist() for seed, length in enumerate(lengths)]


@torch.no_grad()
def assert_logits_of_recomputation(model: Transformer, lengths, count: int) -> None:
    """A batch of prompts of these lengths, each continued by `count` given tokens, one a step."""
    prompts, written = prompts_of(lengths), torch.stack([tokens_of(count, 1000 + row) for row in range(len(lengths))])
    decoder = Decoder(model, len(prompts), max(lengths) + count)
    logits = [decoder.prefill(prompts)]
    logits += [decoder.step(written[:, step], torch.tensor(lengths) + step) for step in range(count)]
    for prompt, answer, found in zip(prompts, written.tolist(), torch.stack(logits, dim=1), strict=True):
        expected = alone(model, torch.tensor([*prompt, *answer]))[len(prompt) - 1 :]
        assert (found - expected).abs().max() <= 1e-5 * expected.abs().max()


@pytest.mark.parametrize("yarn", [YARN, None], ids=["yarn", "plain"])
@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_those_of_recomputation_at_and_beside_every_boundary(kind, yarn):
    """Prompts that end at, one before and one after: a window of each ratio, the sliding window, the last entry that
    all queries see, a block of queries. Decoding goes on past the sliding window and past what an indexer picks."""
    model = decoder_of(kind, rope_scaling=yarn)
    config = model.config
    bounds = (4, 8, config.sliding_window, 4 * config.index_topk, 4 * (config.index_topk + 1), BLOCK)
    lengths = sorted({bound + beside for bound in bounds for beside in (-1, 0, 1)})
    assert_logits_of_recomputation(model, lengths, count=30)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 3, 30])
def test_prompts_may_be_shorter_than_every_window(kind, count):
    assert_logits_of_recomputation(decoder_of(kind), (1, 2, 3), count)


@settings(max_examples=25)
@given(
    ratios=st.lists(st.sampled_from([0, 4, 8]), min_size=1, max_size=4),
    lengths=st.lists(st.integers(1, 70), min_size=1, max_size=4),
    count=st.integers(0, 25),
    window=st.integers(1, 20),
    topk=st.sampled_from([1, 2, 5, 100]),
    yarn=st.sampled_from([YARN, RopeScaling(), None]),
    mtp=st.integers(0, 1),
)
def test_logits_are_those_of_recomputation(ratios, lengths, count, window, topk, yarn, mtp):
    config = small_config(
        compress_ratios=tuple(ratios),
        sliding_window=window,
        index_topk=topk,
        rope_scaling=yarn,
        num_nextn_predict_layers=mtp,
    )
    model = randomise(Transformer(config).initialise(len(ratios)), seed=window, deviation=DEVIATION)
    assert_logits_of_recomputation(model, lengths, count)


def by_recomputation(model: Transformer, prompt: list[int], count: int) -> list[int]:
    written = list(prompt)
    for _ in range(count):
        written.append(int(alone(model, torch.tensor(written))[-1].argmax()))
    return written[len(prompt) :]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_those_of_recomputation(kind):
    model, prompts = decoder_of(kind), prompts_of(LENGTHS)
    for prompt, tokens in zip(prompts, generate(model, prompts, 16, NEVER), strict=True):
        assert tokens == by_recomputation(model, prompt, 16)


def test_multi_token_prediction_takes_no_part():
    model, prompts = decoder_of("all"), prompts_of(LENGTHS)
    expected = generate(model, prompts, 20, NEVER)
    for parameter in model.mtp.parameters():
        parameter.data.fill_(torch.nan)
    assert generate(model, prompts, 20, NEVER) == expected
    model.mtp = None
    assert generate(model, prompts, 20, NEVER) == expected


def cut(written: list[int], stop_ids) -> list[int]:
    return list(itertools.takewhile(lambda token: token not in stop_ids, written))


@settings(max_examples=10)
@given(stop_ids=st.sets(st.integers(0, VOCABULARY - 1), max_size=8))
def test_each_sequence_ends_before_its_first_stop_token(stop_ids):
    assert generate(STOPPING, prompts_of(LENGTHS[:4]), 12, stop_ids) == [cut(written, stop_ids) for written in FREE]


def test_stop_tokens_do_stop():
    """Without this, tokens that nothing writes would do for the test before."""
    stop_ids = {FREE[0][3], FREE[1][7]}
    found = generate(STOPPING, prompts_of(LENGTHS[:4]), 12, stop_ids)
    assert found == [cut(written, stop_ids) for written in FREE]
    assert max(len(found[0]), len(found[1])) < 12


STOPPING = decoder_of("all")
FREE = generate(STOPPING, prompts_of(LENGTHS[:4]), 12, NEVER)


def test_nothing_in_nothing_out(model):
    assert generate(model, [], 5, NEVER) == []
    with pytest.raises(ValueError, match="empty prompt"):
        generate(model, [[1], []], 5, NEVER)


def sampler(temperature: float, top_p: float, seeds=(0,)) -> Sampler:
    return Sampler(temperature, top_p, [Random(seed) for seed in seeds])


@pytest.mark.parametrize(("temperature", "top_p"), [(0.6, 1.0), (1.0, 0.9)])
def test_a_sequences_draws_do_not_depend_on_its_batch(model, temperature, top_p):
    prompts = prompts_of(LENGTHS)
    together = generate(model, prompts, 10, NEVER, sampler(temperature, top_p, LENGTHS))
    single = [generate(model, [prompt], 10, NEVER, sampler(temperature, top_p, [len(prompt)]))[0] for prompt in prompts]
    assert together == single
    assert together != generate(model, prompts, 10, NEVER)


def test_a_sequences_draws_do_not_depend_on_when_others_stop(model):
    prompts = prompts_of(LENGTHS)
    free = generate(model, prompts, 10, NEVER, sampler(1.0, 1.0, LENGTHS))
    stop = free[2][5]
    assert generate(model, prompts, 10, {stop}, sampler(1.0, 1.0, LENGTHS)) == [
        cut(written, {stop}) for written in free
    ]


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.5, 1.0), (2.0, 0.8)])
def test_tokens_come_as_often_as_their_probability_says(temperature, top_p):
    logits = torch.randn(12, generator=torch.Generator().manual_seed(1))
    probability = (logits.double() / temperature).softmax(-1)
    if top_p < 1:
        order = probability.argsort(descending=True)
        kept = int((probability[order].cumsum(0) < top_p).sum()) + 1
        probability[order[kept:]] = 0
    count = 20_000
    drawn = sampler(temperature, top_p, range(count))(logits.expand(count, -1)).bincount(minlength=12)
    assert not drawn[probability == 0].any()
    expected = (probability / probability.sum())[probability > 0] * count
    assert scipy.stats.chisquare(drawn[probability > 0], expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        (1e-9, [2]),
        (0.5, [2]),
        (0.5000001, [0, 2]),
        (0.75, [0, 2]),
        (0.8, [0, 1, 2]),
        (0.9, [0, 1, 2, 3]),
        (1.0, [0, 1, 2, 3, 4]),
    ],
)
def test_top_p_keeps_the_smallest_set_that_reaches_it(top_p, kept):
    """The token that crosses is kept; of two that are equally likely the first."""
    logits = torch.tensor([[0.25, 0.125, 0.5, 0.125, 1e-30]]).log()
    assert sampler(1.0, top_p).probabilities(logits)[0].nonzero().flatten().tolist() == kept


@pytest.mark.parametrize("temperature", [1e-3, 1e-30, 5e-324])
def test_a_tiny_temperature_is_greedy(model, temperature):
    prompts = prompts_of(LENGTHS)
    assert generate(model, prompts, 10, NEVER, sampler(temperature, 1.0, LENGTHS)) == generate(
        model, prompts, 10, NEVER
    )


class Fixed:
    """A generator at the edge of its range."""

    def __init__(self, value: float):
        self.value = value

    def random(self) -> float:
        return self.value


@pytest.mark.parametrize(("value", "token"), [(0.0, 3), (1 - 2**-53, 1)])
def test_the_edges_of_the_range_draw_possible_tokens(value, token):
    logits = torch.tensor([[-torch.inf, 0.3, 0.1, 0.7, -torch.inf]])
    assert Sampler(1.0, 1.0, [Fixed(value)])(logits).tolist() == [token]
