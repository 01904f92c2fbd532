import json
import sys

import pyarrow.parquet as pq
import pytest

from trex.common.errors import UserError
from trex.problems import families, generate, verify
from trex.problems.comparison import canonical
from trex.problems.ir import Model

SETTINGS = {
    "instances_per_family": 12,
    "difficulty": {"easy": 0.6, "medium": 0.3, "hard": 0.1},
    "time_limit_s": 10,
}


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["generate", *map(str, arguments)])
    generate.main()


@pytest.fixture(scope="module")
def made():
    return generate.instances(families.load("set_cover"), SETTINGS, 1)


def test_rows_hold_verified_distinct_models(made):
    rows, counts = made
    assert len(rows) == counts["accepted"] == 12
    for row in rows:
        model = Model.from_json(json.loads(row["model"]))
        assert model == families.load("set_cover").model(json.loads(row["data"]))
        assert verify.verify(model).objective == pytest.approx(row["objective_value"])
        assert canonical.certificate(model) == row["certificate"]
        assert (row["num_variables"], row["num_rows"]) == (len(model.variables), len(model.rows))
    assert len({row["certificate"] for row in rows}) == 12


def test_another_count_changes_no_instance(made):
    fewer, _ = generate.instances(families.load("set_cover"), SETTINGS | {"instances_per_family": 5}, 1)
    assert fewer == made[0][:5]


def test_another_seed_makes_other_instances(made):
    other, _ = generate.instances(families.load("set_cover"), SETTINGS | {"instances_per_family": 3}, 2)
    assert [row["data"] for row in other] != [row["data"] for row in made[0][:3]]


def test_the_split_keeps_its_share():
    family = families.load("knapsack")
    test = sum(generate.split(family, index, 1) == "test" for index in range(2000))
    assert 240 < test < 360


def test_rejected_draws_are_counted_by_reason():
    class Stubborn(type(families.load("knapsack"))):
        """Every first draw is infeasible, every second one repeats the same instance."""

        drawn = 0

        def draw(self, rng, difficulty):
            self.drawn += 1
            feasible = {"value": [4, 5], "use": [[1, 1]], "limit": [1], "copies": False}
            return feasible | {"limit": [-1]} if self.drawn % 2 else feasible

    family = Stubborn()
    rows, counts = generate.instances(family, SETTINGS | {"instances_per_family": 1}, 1)
    assert len(rows) == 1
    assert counts == {"accepted": 1, "infeasible": 1}
    with pytest.raises(UserError, match="duplicate 25"):
        generate.instances(Stubborn(), SETTINGS | {"instances_per_family": 2}, 1)


def test_the_command_writes_the_same_bytes_again(tmp_path, monkeypatch, capsys):
    settings = json.dumps(SETTINGS | {"instances_per_family": 3})
    written = []
    for folder in ("a", "b"):
        out = tmp_path / folder / "knapsack.parquet"
        run(monkeypatch, "--family", "knapsack", "--settings", settings, "--seed", 1, "--out", out)
        written.append((out.read_bytes(), generate.counts_path(out).read_bytes()))
    assert written[0] == written[1]
    assert "3 instances of" in capsys.readouterr().out
    assert pq.read_table(out).schema.names == generate.COLUMNS.names


def test_an_unknown_family_is_named(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="no problem family 'bagpack'; there are assignment, "):
        run(monkeypatch, "--family", "bagpack", "--settings", "{}", "--seed", 1, "--out", tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_all_zero_are_refused():
    zero = SETTINGS | {"difficulty": dict.fromkeys(SETTINGS["difficulty"], 0)}
    with pytest.raises(UserError, match=r"problems\.difficulty"):
        generate.instances(families.load("knapsack"), zero, 1)
