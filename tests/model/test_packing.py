import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.conftest import alone, randomise, small_config, tokens_of
from trex.model.packing import local_mask, plan
from trex.model.transformer import Transformer

lengths = st.lists(st.integers(1, 90), min_size=1, max_size=4)


def packed(sizes: list[int], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """document and position [1, S] of documents of these sizes, padding at the end."""
    document = [number for number, size in enumerate(sizes, start=1) for _ in range(size)] + [0] * padding
    position = [place for size in sizes for place in range(size)] + [0] * padding
    return torch.tensor([document]), torch.tensor([position])


@settings(deadline=None, max_examples=25)
@given(sizes=lengths, padding=st.integers(0, 9))
def test_packed_documents_give_what_they_give_alone(sizes, padding):
    model = PACKED_MODEL
    documents = [tokens_of(size, seed) for seed, size in enumerate(sizes)]
    document, position = packed(sizes, padding)
    row = torch.cat((*documents, torch.zeros(padding, dtype=torch.long)))
    with torch.no_grad():
        together = model(row[None], document, position)[0]
    for start, tokens in zip(torch.tensor([0, *sizes]).cumsum(0).tolist(), documents, strict=False):
        torch.testing.assert_close(together[start : start + len(tokens)], alone(model, tokens), atol=2e-4, rtol=1e-4)


@settings(deadline=None)
@given(sizes=lengths, padding=st.integers(0, 9), window=st.integers(1, 20), block=st.integers(1, 20))
def test_local_mask_lets_a_query_see_its_window_alone(sizes, padding, window, block):
    document, _ = packed(sizes, padding)
    mask = local_mask(document, block, window)
    seen = {(i * block + q, i * block + k - (mask.shape[3] - block)) for _, i, q, k in mask.nonzero().tolist()}
    row = document[0].tolist()
    expected = {
        (t, s) for t in range(len(row)) for s in range(max(0, t - window + 1), t + 1) if row[t] == row[s] and row[t] > 0
    }
    assert seen == expected


@settings(deadline=None)
@given(sizes=lengths, padding=st.integers(0, 9), ratio=st.sampled_from([2, 4, 8]))
def test_a_query_sees_the_closed_windows_of_its_document(sizes, padding, ratio):
    document, position = packed(sizes, padding)
    windows = plan(small_config(compress_ratios=(ratio,), csa_ratio=4), document, position).windows[ratio]
    block = windows.visible.shape[2]
    seen = set()
    for _, i, q, r in windows.visible.nonzero().tolist():
        slots = windows.slots[0, windows.reach[0, i, r]].tolist()
        seen.add((i * block + q, *slots))
    row, place = document[0].tolist(), position[0].tolist()
    expected = set()
    for t in range(len(row)):
        if row[t] > 0:
            start = t - place[t]
            for w in range((place[t] + 1) // ratio):
                expected.add((t, *range(start + w * ratio, start + (w + 1) * ratio)))
    assert seen == expected


PACKED_MODEL = randomise(Transformer(small_config()).initialise(0))
