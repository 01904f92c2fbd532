"""The time of a step: what follows from the flags, and what the assumptions make of it."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting import hardware
from trex.accounting.counting.conventions import CONVENTIONS
from trex.accounting.counting.read import architecture
from trex.accounting.planning import topology
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.presets import PRESETS
from trex.accounting.planning.step_time import (
    ASSUMED,
    LESS_IS_FASTER,
    LINKS,
    OPERATORS,
    Execution,
    Work,
    fastest,
    slowest,
    step_time,
    work,
)
from trex.common.errors import UserError

PEAKS = dict.fromkeys(OPERATORS, 376e12)
PRO = architecture("v4-pro")
RELEASED = PRESETS["trex-pro-sft"].layout
DIES = topology.of(hardware.load()["ascend-910c-die"], devices=512)
ONE = topology.of(hardware.load()["h100"], devices=1)
PERFECT = dict.fromkeys(OPERATORS, 1.0) | {"elementwise": 0.0, "imbalance": 1.0, "link": 1.0, "host": 0.0}
PERFECT |= {f"overlap_{name}": 1.0 for name in LINKS} | {"host_link": 60.0}


def other(**changes):
    return dataclasses.replace(RELEASED, **changes)


@pytest.fixture(scope="module")
def released():
    return work(PRO, RELEASED, DIES)


@pytest.mark.parametrize("model", ["v4-flash", "v4-pro", "deepseek-v3", "mixtral-8x7b"])
@pytest.mark.parametrize(("recomputation", "suffix"), [("none", ""), ("full", "_full_recomputation")])
def test_one_device_does_what_the_convention_for_it_counts(model, recomputation, suffix):
    shape = architecture(model)
    name = next(
        name for name in ("exact_visible_pairs_mtp", "exact_visible_pairs") if CONVENTIONS[name].applies_to(shape)
    )
    layout = Layout(devices=1, global_batch=4, micro_batch=2, recomputation=recomputation, sequence_length=4096)
    done = sum(values.sum() for values in work(shape, layout, ONE).flops.values())
    assert done == pytest.approx(2 * float(CONVENTIONS[name + suffix].total(shape, 4096)), rel=1e-12)


def test_ranks_share_the_work_without_loss(released):
    """All stages and both tensor ranks of one copy together do one micro-batch."""
    done = RELEASED.tensor * sum(values.sum() for values in released.flops.values())
    whole = CONVENTIONS["exact_visible_pairs_mtp_full_recomputation"].total(PRO, 4096)
    assert done == pytest.approx(float(whole), rel=1e-12)


def test_without_sequence_parallelism_each_tensor_rank_repeats_what_is_not_split():
    layout = Layout(devices=8, global_batch=1, tensor=8, sequence_length=4096)
    split = dataclasses.replace(layout, sequence_parallel=True)
    repeated, shared = (work(PRO, each, ONE.scaled(1)).flops for each in (layout, split))
    assert repeated["mix"] == pytest.approx(8 * shared["mix"])
    assert repeated["attention"] == pytest.approx(shared["attention"])


def test_a_perfect_machine_with_one_stage_takes_flops_over_peak():
    layout = Layout(devices=1, global_batch=8, sequence_length=4096)
    step = step_time(work(PRO, layout, ONE), PEAKS, np.inf, PERFECT, layout.micro_batches)
    whole = 8 * float(CONVENTIONS["exact_visible_pairs_mtp"].total(PRO, 4096))
    assert step.seconds == pytest.approx(whole / 376e12, rel=1e-12)


def even(stages: int, virtual_stages: int) -> Work:
    """Each stage takes one second a micro-batch on a perfect machine."""
    nothing = np.zeros(stages)
    flops = dict.fromkeys(OPERATORS, nothing) | {"matmul": np.full(stages, 376e12)}
    seconds = dict.fromkeys(("all_to_all", "tensor", "pipeline", "gradients"), nothing)
    return Work(flops, seconds, nothing, nothing, virtual_stages, bubble=1.0)


@pytest.mark.parametrize(("stages", "virtual_stages", "seconds"), [(1, 1, 8), (4, 1, 11), (4, 3, 9)])
def test_the_bubble_of_even_stages(stages, virtual_stages, seconds):
    """m + (P - 1) / V micro-batches (arXiv 2104.04473)."""
    step = step_time(even(stages, virtual_stages), PEAKS, np.inf, PERFECT, 8)
    assert step.seconds == pytest.approx(seconds)


def test_stages_exchange_every_residual_stream(released):
    single = work(dataclasses.replace(PRO, streams=1), RELEASED, DIES)
    assert PRO.streams == 4
    assert released.seconds["pipeline"] == pytest.approx(4 * single.seconds["pipeline"])
    assert released.seconds["all_to_all"] == pytest.approx(single.seconds["all_to_all"])


def test_messages_between_stages_by_hand(released):
    """2,048 tokens a rank, 4 x 7,168 values of two bytes, two chunks a rank, forwards and backwards, at 196 GB/s."""
    assert released.seconds["pipeline"] == pytest.approx(2 * 2 * 2048 * 4 * 7168 * 2 / 196e9)


def test_all_to_all_by_hand(released):
    """Dispatch and combine, forwards, backwards and once more for recomputation: six exchanges a layer, 62 of 64 of
    them between dies of other packages; the first stage has seven layers."""
    exchange = 2048 * 6 * 7168 * 2 * 62 / 64 / 196e9
    assert released.seconds["all_to_all"][0] == pytest.approx(6 * 7 * exchange)


def test_tensor_parallelism_by_hand(released):
    """Half of each sequence's hidden states from the other die, 14 times a layer."""
    assert released.seconds["tensor"][0] == pytest.approx(14 * 7 * 4096 * 7168 * 2 / 2 / 270e9)


def test_without_recomputation_communication_is_not_repeated(released):
    plain = work(PRO, other(recomputation="none"), DIES)
    assert released.seconds["all_to_all"] == pytest.approx(6 / 4 * plain.seconds["all_to_all"])
    assert released.seconds["tensor"] == pytest.approx(14 / 10 * plain.seconds["tensor"])


def test_what_a_report_says_of_the_exchange(released):
    fewer = work(PRO, RELEASED, DIES, Execution(all_to_all_bytes=1.5, copies=4))
    assert fewer.seconds["all_to_all"] == pytest.approx(1.5 / 2 * 4 / 6 * released.seconds["all_to_all"])


def test_a_distributed_optimizer_gathers_weights_instead_of_gradients(released):
    """Four bytes a gradient and two a weight, against twice four."""
    plain = work(PRO, other(distributed_optimizer=False, swap_optimizer=False), DIES)
    assert released.seconds["gradients"] == pytest.approx(6 / 8 * plain.seconds["gradients"])
    assert not plain.swapped.any()
    assert (released.swapped > 30e9).all()


def test_context_parallelism_is_refused():
    with pytest.raises(UserError, match="context"):
        work(PRO, other(context=2, global_batch=512), DIES)


def test_a_layout_that_does_not_fit_the_model_is_refused():
    with pytest.raises(UserError, match="expert"):
        work(PRO, other(expert=7), DIES)


def test_terms_add_up_and_samples_are_taken_one_by_one(released):
    both = {name: np.array([fastest(ASSUMED)[name], slowest(ASSUMED)[name]]) for name in ASSUMED}
    step = step_time(released, PEAKS, 1.6e12, both, 32)
    assert sum(step.terms.values()) == pytest.approx(step.seconds)
    for number, ends in enumerate((fastest(ASSUMED), slowest(ASSUMED))):
        assert step_time(released, PEAKS, 1.6e12, ends, 32).seconds == pytest.approx(step.seconds[number])


@given(name=st.sampled_from(sorted(ASSUMED)), start=st.floats(0, 0.9), further=st.floats(0.01, 0.1))
def test_no_assumption_that_gets_better_makes_a_step_slower(name, start, further):
    def value(share):
        span = ASSUMED[name].high - ASSUMED[name].low
        return ASSUMED[name].low + span * (1 - share if name in LESS_IS_FASTER else share)

    middle = {key: (each.low + each.high) / 2 for key, each in ASSUMED.items()}
    found = WORK.get("released") or WORK.setdefault("released", work(PRO, RELEASED, DIES))
    before, after = (
        step_time(found, PEAKS, 1.6e12, middle | {name: value(share)}, 32).seconds[0]
        for share in (start, start + further)
    )
    assert after <= before * (1 + 1e-12)


WORK: dict = {}
