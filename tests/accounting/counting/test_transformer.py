"""Parameters of other mixtures of experts against their published counts, and the causal pairs."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.counting import part, transformer
from trex.accounting.counting.published import DEEPSEEK_V3, SHAPES
from trex.accounting.counting.read import architecture

# From the metadata of the published safetensors; DeepSeek-V3's count holds the routers' correction biases.
PUBLISHED = {
    "deepseek-v3": 671_026_419_200,
    "qwen3-235b-a22b": 235_093_634_560,
    "qwen3-30b-a3b": 30_532_122_624,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 140_620_634_112,
}


def table(model) -> int:
    return model.vocab_size * model.hidden_size


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_totals(name):
    main = part.main(architecture(name).parts(1))
    assert part.parameters(main) + sum(one.buffers for one in main) == PUBLISHED[name]


def test_mtp_of_deepseek_v3():
    """The checkpoint holds main model and MTP block, and for that block the embedding and the head once more."""
    v3 = architecture("deepseek-v3")
    parts = v3.parts(1)
    assert part.parameters(parts) + sum(one.buffers for one in parts) + 2 * table(v3) == 684_489_845_504


@pytest.mark.parametrize(
    ("name", "total", "active"), [("pangu-ultra-moe", 718, 39), ("deepseek-v3", 670, 37), ("qwen3-30b-a3b", 30, 3)]
)
def test_billions_without_the_input_embedding(name, total, active):
    model = architecture(name)
    main = part.main(model.parts(1))
    assert round((part.parameters(main) - table(model)) / 1e9) == total
    assert round((part.active_parameters(main) - table(model)) / 1e9) == active


@given(st.integers(1, 300))
def test_causal_pairs(length):
    assert transformer.causal_pairs(length) == sum(t + 1 for t in range(length))


@pytest.mark.parametrize("name", SHAPES)
def test_matrices_cost_twice_their_active_parameters(name):
    for one in architecture(name).parts(10):
        if one.operator in ("matmul", "grouped_matmul") and one.block != "mtp" and "compressor" not in one.name:
            weights = one.matrices if one.active is None else one.active
            assert one.flops == 2 * 10 * weights


def test_dense_layers_come_first():
    parts = architecture("deepseek-v3").parts(1)
    assert {one.layer for one in parts if one.name == "dense_network"} == {0, 1, 2}
    assert {one.layer for one in parts if one.name == "router" and one.block == "layer"} == set(range(3, 61))


def test_mtp_shares_the_head():
    without = dataclasses.replace(DEEPSEEK_V3, num_nextn_predict_layers=0)
    extra = part.mtp(transformer.parts(DEEPSEEK_V3, 8))
    assert part.parameters(transformer.parts(without, 8)) + part.parameters(extra) == part.parameters(
        transformer.parts(DEEPSEEK_V3, 8)
    )
    assert [one.parameters for one in extra if one.name == "lm_head"] == [0]
