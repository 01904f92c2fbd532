import pytest
import torch

from tests.model.conftest import alone, randomise, small_config, tokens_of
from trex.model.generate import generate
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
