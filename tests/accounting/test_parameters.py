"""Parameter counts against the published totals, and their own consistency."""

import dataclasses

import pytest

from trex.accounting import parameters
from trex.accounting.known import FLASH, PRO

PUBLISHED = {
    "total": (284_332_230_231, 1_572_997_179_491),
    "mtp": (6_610_048_635, 25_840_145_595),
    "active": (13_799_632_471, 49_779_081_059),
    "active_without_embedding": (13_270_101_591, 48_852_402_019),
}


@pytest.mark.parametrize("figure", PUBLISHED)
def test_published_totals(figure):
    count = getattr(parameters, figure)
    assert (count(FLASH), count(PRO)) == PUBLISHED[figure]


def test_main_and_mtp_together():
    assert parameters.total(FLASH) + parameters.mtp(FLASH) == 290_942_278_866
    assert parameters.total(PRO) + parameters.mtp(PRO) == 1_598_837_325_086


def test_optimizer_groups_of_flash():
    assert parameters.adamw(FLASH) == 1_059_512_919
    assert parameters.total(FLASH) - parameters.adamw(FLASH) == 283_272_717_312


def test_hash_layers_have_no_bias_buffer_but_the_same_weights():
    no_hash = dataclasses.replace(FLASH, num_hash_layers=0)
    assert parameters.total(no_hash) == parameters.total(FLASH)
    assert parameters.router_bias(no_hash) - parameters.router_bias(FLASH) == 3 * 256


def test_number_of_streams_changes_the_hyper_connections_alone():
    two = dataclasses.replace(FLASH, hc_mult=2)
    changed = {
        name for name, count in parameters.components(two).items() if count != parameters.components(FLASH)[name]
    }
    assert changed == {"hyper_connections"}
    # fn [(2 + n) * n, n * d], bias and 3 scales, twice a layer; head fn [n, n * d], bias and scale.
    assert parameters.components(two)["hyper_connections"] == 43 * 2 * (8 * 2 * 4096 + 8 + 3) + 2 * 2 * 4096 + 3
