from random import Random

import pytest
import scipy.stats
import torch

from tests.model.conftest import alone, randomise, small_config, tokens_of
from trex.model.generate import Sampler, generate
from trex.model.transformer import Transformer

LENGTHS = (3, 17, 40, 1, 9, 33)
NEVER = -1


def by_recomputation(model: Transformer, prompt: list[int], count: int) -> list[int]:
    written = list(prompt)
    for _ in range(count):
        written.append(int(alone(model, torch.tensor(written))[-1].argmax()))
    return written[len(prompt) :]


@pytest.mark.parametrize("topk", [2, 100])
def test_cached_decoding_gives_the_tokens_of_full_recomputation(topk):
    model = randomise(Transformer(small_config(index_topk=topk)).initialise(3), seed=4)
    prompts = [tokens_of(length, length).tolist() for length in LENGTHS]
    written = generate(model, prompts, 30, stop_id=NEVER)
    for prompt, tokens in zip(prompts, written, strict=True):
        assert tokens == by_recomputation(model, prompt, 30)


def test_stops_at_the_stop_token_and_leaves_it_out(model):
    prompt = tokens_of(12).tolist()
    free = generate(model, [prompt], 20, stop_id=NEVER)[0]
    stop = free[7]
    assert generate(model, [prompt, tokens_of(5).tolist()], 20, stop_id=stop)[0] == free[: free.index(stop)]


def test_nothing_in_nothing_out(model):
    assert generate(model, [], 5, stop_id=NEVER) == []
    with pytest.raises(ValueError, match="empty prompt"):
        generate(model, [[1], []], 5, stop_id=NEVER)


def sampler(temperature: float, top_p: float, seeds=(0,)) -> Sampler:
    return Sampler(temperature, top_p, [Random(seed) for seed in seeds])


@pytest.mark.parametrize(("temperature", "top_p"), [(0.6, 1.0), (1.0, 0.9)])
def test_a_sequences_draws_do_not_depend_on_its_batch(model, temperature, top_p):
    prompts = [tokens_of(length, length).tolist() for length in LENGTHS]
    together = generate(model, prompts, 20, NEVER, sampler(temperature, top_p, LENGTHS))
    single = [generate(model, [prompt], 20, NEVER, sampler(temperature, top_p, [len(prompt)]))[0] for prompt in prompts]
    assert together == single
    assert together != generate(model, prompts, 20, NEVER)


def test_a_sequences_draws_do_not_depend_on_when_others_stop(model):
    prompts = [tokens_of(length, length).tolist() for length in LENGTHS]
    free = generate(model, prompts, 20, NEVER, sampler(1.0, 1.0, LENGTHS))
    stop = free[2][5]
    assert generate(model, prompts, 20, stop, sampler(1.0, 1.0, LENGTHS)) == [
        written[: written.index(stop)] if stop in written else written for written in free
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
    prompts = [tokens_of(length, length).tolist() for length in LENGTHS]
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
