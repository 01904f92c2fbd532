"""Which links a group of ranks talks over, and for how long."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting import hardware
from trex.accounting.planning import topology
from trex.accounting.planning.topology import Level, Topology, members_inside
from trex.common.errors import UserError

NODES = Topology("nodes of eight", (Level("inside", 8, 400e9), Level("outside", topology.WITHOUT_END, 50e9)))
sizes = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 64, 96])
strides = st.sampled_from([1, 2, 4, 8, 24, 64])


@pytest.fixture(scope="module")
def devices():
    return hardware.load()


def test_cloudmatrix_has_die_pairs_a_super_node_of_768_dies_and_rdma(devices):
    levels = topology.of(devices["ascend-910c-die"], devices=10_000).levels
    assert [level.ranks for level in levels] == [2, 768, topology.WITHOUT_END]
    assert [level.bytes_per_second for level in levels] == [270e9, 196e9, 25e9]


def test_a_job_within_one_super_node_needs_no_rdma(devices):
    levels = topology.of(devices["ascend-910c-die"], devices=512).levels
    assert [level.name for level in levels] == ["die to die", "scale-up"]


def test_links_that_are_not_in_the_hardware_file_are_asked_for(devices):
    unknown = dataclasses.replace(devices["h100"], scale_out_gb_per_s=None)
    with pytest.raises(UserError, match="scale_out_gb_per_s"):
        topology.of(unknown, devices=16)
    assert topology.of(unknown, devices=16, scale_out=25).levels[-1].bytes_per_second == 25e9


@pytest.mark.parametrize(("stride", "size", "inside"), [(1, 64, 8), (2, 8, 4), (8, 4, 1), (1, 6, 2), (4, 2, 2)])
def test_members_of_a_group_within_a_node_wherever_the_group_begins(stride, size, inside):
    assert members_inside(8, stride, size) == inside


def test_a_gather_over_two_levels_by_hand():
    """16 bytes over two nodes: 7/8 of them inside, then half of an eighth outside."""
    assert NODES.gather_seconds(16, 1, 16) == pytest.approx(16 * 7 / 8 / 400e9 + 2 * 1 / 2 / 50e9)


def test_an_exchange_over_two_levels_by_hand():
    """56 of 64 members are on other nodes."""
    assert NODES.all_to_all_seconds(64, 1, 64) == pytest.approx(56 / 50e9)
    assert NODES.all_to_all_seconds(64, 1, 8) == pytest.approx(56 / 400e9)


def test_neighbours_on_other_nodes_send_over_the_slow_link():
    assert NODES.send_seconds(50, 8, 4) == pytest.approx(1e-9)
    assert NODES.send_seconds(50, 1, 8) == pytest.approx(50 / 400e9)


@given(stride=strides)
def test_a_group_of_one_sends_nothing(stride):
    for seconds in (NODES.gather_seconds, NODES.all_to_all_seconds, NODES.send_seconds):
        assert seconds(1e9, stride, 1) == 0


@given(stride=strides, size=sizes, factor=st.floats(0.1, 10))
def test_links_that_are_so_many_times_as_fast_take_as_much_less(stride, size, factor):
    other = NODES.scaled(factor)
    for name in ("gather_seconds", "all_to_all_seconds", "send_seconds"):
        before, after = getattr(NODES, name)(1e9, stride, size), getattr(other, name)(1e9, stride, size)
        assert after == pytest.approx(before / factor)


@given(stride=strides, size=sizes)
def test_no_gather_beats_the_fastest_link(stride, size):
    assert NODES.gather_seconds(1e9, stride, size) >= 1e9 * (1 - 1 / size) / 400e9 * (1 - 1e-12)
