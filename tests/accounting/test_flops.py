"""FLOPs against the figures derived for the published models, and against counting pairs one by one."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting import flops, parameters
from trex.accounting.known import FLASH, PRO

# Forward GFLOP a token: Flash 4K, Flash 8K, Pro 4K, Pro 8K.
FORWARD = {
    "projections": (9.1981, 9.1981, 36.5869, 36.5869),
    "compressors": (0.5201, 0.5201, 1.3359, 1.3359),
    "indexer_projections": (0.4514, 0.4514, 1.0027, 1.0027),
    "indexer_scores": (0.1761, 0.3522, 0.2515, 0.5032),
    "window_attention": (0.7102, 0.7158, 2.0151, 2.0310),
    "hca_attention": (0.0407, 0.0826, 0.1260, 0.2560),
    "csa_attention": (1.0566, 1.2330, 4.0246, 6.0388),
    "routers": (0.0902, 0.0902, 0.3358, 0.3358),
    "routed_experts": (12.9856, 12.9856, 48.3561, 48.3561),
    "shared_experts": (2.1643, 2.1643, 8.0594, 8.0594),
    "hyper_connections": (0.0847, 0.0847, 0.2101, 0.2101),
    "lm_head": (1.0591, 1.0591, 1.8534, 1.8534),
}
CASES = ((FLASH, 4096), (FLASH, 8192), (PRO, 4096), (PRO, 8192))


@pytest.mark.parametrize("component", FORWARD)
def test_components_of_the_published_models(component):
    for (config, length), expected in zip(CASES, FORWARD[component], strict=True):
        assert round(flops.forward(config, length)[component] / length / 1e9, 4) == expected


def test_every_component_is_checked():
    assert set(flops.forward(FLASH, 4096)) == set(FORWARD)


@pytest.mark.parametrize(
    ("mtp_blocks", "expected"),
    [(0, (85.6108, 86.8109, 312.4724, 319.7078)), (1, (91.0521, 92.2526, 324.2744, 331.5106))],
)
def test_training_totals_of_the_published_models(mtp_blocks, expected):
    totals = [round(flops.training_per_token(config, length, mtp_blocks) / 1e9, 4) for config, length in CASES]
    assert totals == list(expected)


def test_tokens_per_second_at_full_utilisation_of_a_910c_package():
    for config, expected in ((FLASH, 8783.9), (PRO, 2406.6)):
        assert round(752e12 / flops.training_per_token(config, 4096), 1) == expected


def visible(length, window, ratio, top_k):
    """(window pairs, compressed pairs) counted query by query and key by key."""
    near = sum(1 for t in range(length) for s in range(length) if t - window < s <= t)
    far = 0
    for t in range(length):
        far += min(top_k, sum(1 for entry in range(length // ratio) if entry * ratio + ratio - 1 <= t))
    return near, far


@given(st.integers(1, 60), st.integers(1, 70), st.integers(1, 20), st.integers(1, 20))
def test_pairs_equal_brute_force(length, window, ratio, top_k):
    near, far = visible(length, window, ratio, top_k)
    assert flops.window_pairs(length, window) == near
    assert flops.compressed_pairs(length, ratio, top_k) == far
    assert flops.compressed_pairs(length, ratio) == visible(length, window, ratio, length)[1]


@given(st.integers(1, 300))
def test_layers_add_up(length):
    """A model's FLOPs are those of its layers, head and collapse, whatever their order and number."""

    def without_layers(ratios):
        config = dataclasses.replace(FLASH, compress_ratios=ratios)
        ends = 2 * config.vocab_size * config.hidden_size + 2 * parameters.hyper_head_projection(config)
        return sum(flops.forward(config, length).values()) - ends * length

    assert without_layers((0, 4, 128, 4, 7)) == sum(without_layers((ratio,)) for ratio in (7, 4, 4, 128, 0))


def test_short_document_has_no_compressed_attention():
    parts = flops.forward(FLASH, 3)
    assert parts["csa_attention"] == parts["hca_attention"] == parts["indexer_scores"] == 0


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5))
def test_packing_never_costs_more_than_one_long_document(lengths):
    assert flops.packed_training(FLASH, lengths) <= flops.training(FLASH, sum(lengths))
