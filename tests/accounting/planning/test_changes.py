"""One step away from a layout: what breaks first, what would mend it, how far it can grow."""

import dataclasses
from fractions import Fraction

import pytest

from trex.accounting.counting.part import parameters
from trex.accounting.counting.read import architecture
from trex.accounting.planning import changes
from trex.accounting.planning.memory import Assumptions
from trex.accounting.planning.presets import PRESETS

PRO = architecture("v4-pro")
TREX = PRESETS["trex-pro-sft"].layout
DIE = 64 * 10**9
ASSUMED = Assumptions()


def outcome(capacity=DIE, **flags):
    return changes.outcome("", PRO, dataclasses.replace(TREX, **flags), capacity, ASSUMED)


@pytest.mark.parametrize(
    ("capacity", "flags", "verdict", "breaks_at"),
    [
        (DIE, {}, "fits", None),
        (DIE, {"swap_optimizer": False}, "does not fit", "optimizer"),
        (DIE, {"recomputation": "none"}, "does not fit", "norms"),
        (50 * 10**9, {}, "may fit", "recomputed"),
        (10**9, {}, "does not fit", "weights"),
        (20 * 10**9, {}, "does not fit", "gradients"),
    ],
)
def test_what_breaks_first(capacity, flags, verdict, breaks_at):
    found = outcome(capacity, **flags)
    assert found.verdict == verdict
    assert (found.breaks_at and found.breaks_at.name) == breaks_at


def test_terms_in_order_are_all_of_the_worst_moment():
    worst = outcome().worst
    for bound in ("low", "high"):
        assert sum(getattr(term.bounds, bound) for term in changes.in_order(worst, bound)) == getattr(worst.peak, bound)


def test_without_each_saving_the_worst_first():
    found = changes.without_each(PRO, TREX, DIE, ASSUMED)
    lows = [each.worst.peak.low for each in found]
    assert lows == sorted(lows, reverse=True)
    assert found[0].change == "recomputation none"
    assert {"no swap_optimizer", "no sequence_parallel", "tensor halved"} <= {each.change for each in found}


@pytest.mark.parametrize(
    ("flags", "cheapest"),
    [
        ({"swap_optimizer": False}, "swap_optimizer"),
        ({"recomputation": "none"}, "recomputation full"),
        ({"swap_optimizer": False, "distributed_optimizer": False}, "swap_optimizer"),
        ({"swap_optimizer": False, "recomputation": "none"}, "recomputation full and swap_optimizer"),
    ],
)
def test_the_fewest_changes_that_fit(flags, cheapest):
    found = changes.to_fit(PRO, dataclasses.replace(TREX, **flags), DIE, ASSUMED)
    assert found[0].change == cheapest
    assert all(each.verdict == "fits" and not each.layout.errors(PRO) for each in found)


def test_nothing_mends_too_few_devices():
    few = dataclasses.replace(
        TREX, devices=16, tensor=1, expert=2, sequence_parallel=False, swap_optimizer=False, global_batch=16
    )
    assert not few.errors(PRO)
    assert changes.to_fit(PRO, few, DIE, ASSUMED) == []
    least = changes.least_devices(PRO, few, DIE)
    held = 6 * parameters(PRO.parts(4096))
    assert (least - 1) * DIE < held <= least * DIE


def test_global_batch_is_rounded_up_to_what_can_be_dealt_out():
    more = changes.changed(TREX, devices=2048)
    assert more.global_batch == 1024 and not more.errors(PRO)
    assert changes.changed(dataclasses.replace(TREX, global_batch=256), devices=1024).global_batch == 512
    assert changes.changed(TREX, tensor=TREX.tensor) is None


def test_growth_up_to_what_fits():
    busiest = changes.largest_imbalance(PRO, TREX, DIE, ASSUMED)
    for load, verdict in ((busiest, "fits"), (busiest + Fraction(1, 10), "may fit")):
        loads = dataclasses.replace(ASSUMED, imbalance=(Fraction(1), load))
        assert changes.outcome("", PRO, TREX, DIE, loads).verdict == verdict
    assert changes.largest_factor("sequence_length", PRO, TREX, DIE, ASSUMED) == 1
    assert changes.largest_factor("sequence_length", PRO, TREX, 4 * DIE, ASSUMED) > 1
    assert changes.largest_factor("micro_batch", PRO, TREX, DIE // 2, ASSUMED) == 0
    assert changes.largest_imbalance(PRO, TREX, DIE // 2, ASSUMED) is None
