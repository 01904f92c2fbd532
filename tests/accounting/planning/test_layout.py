"""Layouts: what follows from the flags, and what does not fit together."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.counting.read import architecture
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.presets import PRESETS
from trex.common.errors import UserError

PRO = architecture("v4-pro")
SFT = PRESETS["trex-pro-sft"].layout


def test_presets_fit_their_models():
    for name, preset in PRESETS.items():
        assert not preset.layout.errors(architecture(preset.model)), name


def test_grids_of_the_released_pro_layout():
    assert (SFT.data, SFT.expert_data, SFT.micro_batches, SFT.sequence_shards) == (32, 1, 32, 2)
    assert PRESETS["trex-pro-cpt"].layout.micro_batches == 8


def test_operator_calls_of_the_released_pro_layout():
    """The published counts of operator calls, 224 and 96, are those of the first pipeline rank: its layers, and those
    with compressed sparse attention, times 32 micro-batches."""
    layers = [layer for chunk in SFT.layers(PRO.num_layers)[0] for layer in chunk]
    sparse = [layer for layer in layers if PRO.config.layer_kind(layer) == "csa"]
    assert (len(layers) * SFT.micro_batches, len(sparse) * SFT.micro_batches) == (224, 96)


@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 40))
def test_every_layer_has_one_place(pipeline, virtual_stages, more):
    layout = Layout(pipeline, 1, pipeline=pipeline, virtual_stages=virtual_stages)
    layers = layout.chunks + more
    chunks = [chunk for rank in layout.layers(layers) for chunk in rank]
    assert sorted(layer for chunk in chunks for layer in chunk) == list(range(layers))
    sizes = [len(chunk) for chunk in chunks]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("flags", "rank", "most"),
    [
        ({}, 0, (4,)),
        ({}, 3, (1,)),
        ({"global_batch": 2}, 0, (2,)),
        ({"virtual_stages": 2}, 0, (7, 4)),
        ({"virtual_stages": 2}, 3, (4, 1)),
    ],
)
def test_micro_batches_in_flight(flags, rank, most):
    """Interleaved: 2 (pipeline - 1 - rank) + (virtual_stages - 1) pipeline ahead, and one more."""
    layout = Layout(**{"devices": 4, "global_batch": 16, "pipeline": 4} | flags)
    assert max(layout.in_flight(rank), key=sum) == most


@given(st.integers(1, 6), st.integers(1, 3), st.integers(1, 5), st.data())
def test_in_flight_takes_each_pass_once(pipeline, virtual_stages, groups, data):
    """What is held is what went forward less what went backward, never less than nothing."""
    layout = Layout(pipeline, groups * pipeline, pipeline=pipeline, virtual_stages=virtual_stages)
    rank = data.draw(st.integers(0, pipeline - 1))
    states = list(layout.in_flight(rank))
    assert len(states) == layout.micro_batches * virtual_stages
    assert all(min(state) >= 0 for state in states)
    held = [sum(state) for state in states]
    assert held == [min(forward + 1, max(held)) for forward in range(len(held))]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"tensor": 3}, "does not divide 512 devices; make one smaller, or take 528 devices"),
        ({"expert": 128}, "expert_tensor x expert x pipeline = 1024 does not divide 512 devices"),
        ({"expert": 7, "devices": 112}, "expert 7 does not divide the 384 experts"),
        ({"sequence_length": 4095}, "sequence_length must be a multiple"),
        ({"global_batch": 1000}, "take 1024"),
        ({"global_batch": 320}, "take a global_batch that is one of 256"),
        ({"virtual_stages": 8}, "chunk_layers has 16 entries; it must have 64"),
        ({"chunk_layers": (4,) * 16}, "chunk_layers sum to 64; v4-pro has 61 layers"),
        ({"chunk_layers": (-1, 8, *(4,) * 13, 2)}, "no chunk has fewer than 0 layers"),
        ({"chunk_layers": None, "virtual_stages": 8}, "more than the 61 layers"),
        ({"distributed_optimizer": False}, "swap_optimizer needs distributed_optimizer"),
        ({"pipeline": 1, "chunk_layers": None}, "virtual_stages above 1 needs pipeline above 1"),
        ({"micro_batch": 0}, "micro_batch is 0; it must be a whole number from 1 on"),
        ({"tensor": 2.0}, "tensor is 2.0"),
        ({"recomputation": "some"}, "one of none, selective, full"),
        ({"optimizer": "sgd"}, "one of adam, muon"),
    ],
)
def test_what_does_not_fit_is_said_with_the_mend(flags, message):
    with pytest.raises(UserError, match="layout: ") as raised:
        dataclasses.replace(SFT, **flags).check(PRO)
    assert message in str(raised.value)


def test_heads_that_cannot_be_split():
    layout = Layout(7, 1, tensor=7, sequence_length=7)
    assert layout.errors(PRO) == [
        "query_up, output_down, sink of v4-pro cannot be split evenly over 7 ranks; choose another number"
    ]


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 12), st.data())
def test_states_in_flight_are_all_there_are_however_long_the_step(pipeline, virtual_stages, groups, data):
    rank = data.draw(st.integers(0, pipeline - 1))
    layout = Layout(pipeline, groups * pipeline, pipeline=pipeline, virtual_stages=virtual_stages)
    assert layout.states_in_flight(rank) == list(dict.fromkeys(layout.in_flight(rank)))
    longest = dataclasses.replace(layout, global_batch=pipeline * 10**12)
    assert set(longest.states_in_flight(rank)) >= set(layout.states_in_flight(rank))
