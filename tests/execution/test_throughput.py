"""The benchmark of small programs: it measures every level and library, checks optima, and sees what accumulates."""

import json
import sys

import pytest

from trex.common.errors import UserError
from trex.execution import throughput


def test_a_level_is_measured_and_nothing_accumulates(tmp_path, monkeypatch, usable, capsys):
    out = tmp_path / "throughput.json"
    monkeypatch.setattr(throughput, "REPETITIONS", 2)
    monkeypatch.setattr(throughput, "WARM_UP", 5)
    monkeypatch.setattr(sys, "argv", ["throughput", "--programs", "60", "--levels", usable[0], "--out", str(out)])
    throughput.main()
    found = json.loads(out.read_text())
    names = throughput.loaded()
    assert "mathopt" in names
    assert set(found["rates"]) == {usable[0], "fresh_process"}
    for by_name in found["rates"].values():
        assert set(by_name) == {*names, "all"}
        for rates in by_name.values():
            for spread in rates.values():
                assert 0 < spread["smallest"] <= spread["median"] <= spread["largest"]
    for states in found["states"].values():
        assert states["start"]["processes"] == states["end"]["processes"]
        assert states["start"]["descriptors"] == states["end"]["descriptors"]
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_costs_add_up_and_rates_follow():
    costs = [throughput.Cost(4, 2.0, 1.0), throughput.Cost(4, 1.0, 8.0)]
    assert costs[0] + costs[1] == throughput.Cost(8, 3.0, 9.0)
    assert throughput.rates(costs) == {
        "per_cpu_s": {"median": 3.0, "smallest": 2.0, "largest": 4.0},
        "per_wall_s": {"median": 2.25, "smallest": 0.5, "largest": 4.0},
    }


def test_a_wrong_optimum_is_no_throughput():
    with pytest.raises(UserError, match=r"mathopt: optimum 7.0 instead of 20"):
        throughput.cost(lambda dialect, code: 7.0, "mathopt", range(3))


@pytest.mark.parametrize("name", throughput.loaded())
def test_fresh_processes_find_the_optimum(name):
    assert throughput.cost(throughput.fresh, name, range(3, 4)).programs == 1
