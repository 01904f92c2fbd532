"""The formulas of DeepSeek-V4 against the figures derived for the published models, and pairs counted one by one."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.counting import deepseek_v4, part
from trex.accounting.counting.published import FLASH, PRO

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


def main(config, length=1):
    return part.main(deepseek_v4.parts(config, length))


def flops(config, length):
    """By component of the main model, forward, over one document."""
    return part.by_component(main(config, length), lambda one: one.flops)


@pytest.mark.parametrize("component", FORWARD)
def test_components_of_the_published_models(component):
    for (config, length), expected in zip(CASES, FORWARD[component], strict=True):
        assert round(flops(config, length)[component] / length / 1e9, 4) == expected


def test_every_component_is_checked():
    assert set(flops(FLASH, 4096)) == set(FORWARD)


def test_forward_and_training_totals_of_the_published_models():
    parts = [deepseek_v4.parts(config, length) for config, length in CASES]
    lengths = [length for _, length in CASES]

    def per_token(value, selected):
        return [round(value(one) / length / 1e9, 4) for one, length in zip(selected, lengths, strict=True)]

    without = [part.main(one) for one in parts]
    assert per_token(part.forward_flops, without) == [28.5369, 28.9370, 104.1575, 106.5693]
    assert per_token(part.training_flops, without) == [85.6108, 86.8109, 312.4724, 319.7078]
    assert per_token(part.training_flops, parts) == [91.0521, 92.2526, 324.2744, 331.5106]


def test_tokens_per_second_at_full_utilisation_of_a_910c_package():
    for config, expected in ((FLASH, 8783.9), (PRO, 2406.6)):
        assert round(752e12 * 4096 / part.training_flops(main(config, 4096)), 1) == expected


@pytest.mark.parametrize(
    ("config", "total", "ahead", "active", "without_table"),
    [
        (FLASH, 284_332_230_231, 6_610_048_635, 13_799_632_471, 13_270_101_591),
        (PRO, 1_572_997_179_491, 25_840_145_595, 49_779_081_059, 48_852_402_019),
    ],
)
def test_published_parameters(config, total, ahead, active, without_table):
    parts, table = deepseek_v4.parts(config, 1), config.vocab_size * config.hidden_size
    assert part.parameters(part.main(parts)) == total
    assert part.parameters(part.mtp(parts)) == ahead
    assert part.parameters(parts) == total + ahead
    assert part.active_parameters(part.main(parts)) == active
    assert part.active_parameters(part.main(parts)) - table == without_table


def test_optimizer_groups_of_flash():
    parts = main(FLASH)
    assert part.muon_parameters(parts) == 283_272_717_312
    assert part.parameters(parts) - part.muon_parameters(parts) == 1_059_512_919


def test_hash_layers_have_no_bias_buffer_but_the_same_weights():
    no_hash = dataclasses.replace(FLASH, num_hash_layers=0)
    assert part.parameters(main(no_hash)) == part.parameters(main(FLASH))
    assert part.active_parameters(main(no_hash)) - part.active_parameters(main(FLASH)) == 3 * 256


def test_number_of_streams_changes_the_hyper_connections_alone():
    def counts(config):
        return part.by_component(main(config), lambda one: one.parameters)

    two = dataclasses.replace(FLASH, hc_mult=2)
    assert {name for name, count in counts(two).items() if count != counts(FLASH)[name]} == {"hyper_connections"}
    # fn [(2 + n) * n, n * d], bias and 3 scales, twice a layer; head fn [n, n * d], bias and scale.
    assert counts(two)["hyper_connections"] == 43 * 2 * (8 * 2 * 4096 + 8 + 3) + 2 * 2 * 4096 + 3


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
    assert deepseek_v4.window_pairs(length, window) == near
    assert deepseek_v4.compressed_pairs(length, ratio, top_k) == far
    assert deepseek_v4.compressed_pairs(length, ratio) == visible(length, window, ratio, length)[1]


@given(st.integers(1, 300))
def test_layers_add_up(length):
    """A model's FLOPs are those of its layers and its head, whatever their order and number."""

    def of_layers(ratios):
        parts = main(dataclasses.replace(FLASH, compress_ratios=ratios), length)
        return part.forward_flops(one for one in parts if one.block == "layer")

    assert of_layers((0, 4, 128, 4, 7)) == sum(of_layers((ratio,)) for ratio in (7, 4, 4, 128, 0))


def test_short_document_has_no_compressed_attention():
    assert not {"csa_attention", "hca_attention", "indexer_scores"} & set(flops(FLASH, 3))


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5))
def test_packing_never_costs_more_than_one_long_document(lengths):
    three = dataclasses.replace(FLASH, compress_ratios=(0, 4, 128))
    packed = sum(part.forward_flops(main(three, length)) for length in lengths)
    assert packed <= part.forward_flops(main(three, sum(lengths)))
