import json
import random
import sys

import pyarrow.parquet as pq
import pytest

from trex.common.errors import UserError
from trex.problems import families, generate, verify
from trex.problems.comparison import canonical
from trex.problems.family import Family, chance, numbers, size
from trex.problems.ir import Model

SETTINGS = {
    "instances_per_family": 12,
    "difficulty": {"small": 0.6, "medium": 0.3, "large": 0.1, "industrial": 0},
    "time_limit_s": 60,
    "node_limit": 5000,
}


class Toy(Family):
    """A mix of products under one limit, whole or not; it tells nothing."""

    name = "toy"
    bucket = "toys"
    note = ""

    def draw(self, rng, difficulty):
        products = size(difficulty, 2, 4, 6, 8)
        return {"gain": numbers(rng, products, 3, 60), "use": numbers(rng, products, 1, 9), "whole": chance(rng, 0.5)}

    def model(self, data):
        model = Model()
        kind = "integer" if data["whole"] else "continuous"
        x = [model.add_variable(f"x{j}", kind, ub=3.5) for j in range(len(data["gain"]))]
        model.add_row(dict(zip(x, data["use"], strict=True)), ub=2.2 * sum(data["use"]))
        model.set_objective("max", dict(zip(x, data["gain"], strict=True)))
        return model

    def tell(self, data, voice):
        raise NotImplementedError

    def body(self, data):
        raise NotImplementedError

    def formulation(self, data):
        raise NotImplementedError


TOY = Toy()


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["generate", *map(str, arguments)])
    generate.main()


@pytest.fixture(scope="module")
def made():
    return generate.instances(TOY, SETTINGS, 1)


def test_rows_hold_verified_distinct_models(made):
    rows, counts = made
    assert len(rows) == generate.in_all(counts)["accepted"] == 12
    for row in rows:
        model = Model.from_json(json.loads(row["model"]))
        assert model == TOY.model(json.loads(row["data"]))
        assert verify.verify(model).objective == pytest.approx(row["objective_value"])
        assert canonical.certificate(model) == row["certificate"]
        assert (row["num_variables"], row["num_rows"]) == (len(model.variables), len(model.rows))
        assert row["num_integer"] == (row["num_variables"] if json.loads(row["data"])["whole"] else 0)
        assert json.loads(row["solvers"]) == {"gscip": "optimal", "highs": "optimal"}
    assert len({row["certificate"] for row in rows}) == 12


def test_draws_are_counted_by_difficulty(made):
    rows, counts = made
    assert list(counts) == [name for name in ("small", "medium", "large") if name in counts]
    for difficulty, ended in counts.items():
        assert set(ended) <= {*verify.REASONS, "duplicate"}
        assert ended["accepted"] == sum(row["difficulty"] == difficulty for row in rows)


def test_another_count_changes_no_instance(made):
    fewer, _ = generate.instances(TOY, SETTINGS | {"instances_per_family": 5}, 1)
    assert fewer == made[0][:5]


def test_another_seed_makes_other_instances(made):
    other, _ = generate.instances(TOY, SETTINGS | {"instances_per_family": 3}, 2)
    assert [row["data"] for row in other] != [row["data"] for row in made[0][:3]]


def test_limits_that_are_not_met_change_nothing(made):
    """The time limit is a safety net: what is accepted does not depend on how fast the machine is."""
    patient, _ = generate.instances(TOY, SETTINGS | {"time_limit_s": 6000, "node_limit": 10**6}, 1)
    assert patient == made[0]


def test_the_split_keeps_its_share():
    test = sum(generate.split(TOY, index, 1) == "test" for index in range(2000))
    assert 240 < test < 360


class Stubborn(Toy):
    """Every first draw is infeasible, every second one repeats the same instance."""

    drawn = 0

    def draw(self, rng, difficulty):
        self.drawn += 1
        return {"gain": [5, 4], "use": [2, 3], "whole": self.drawn % 2 == 0}

    def model(self, data):
        model = super().model(data)
        if not data["whole"]:
            model.add_row({0: 1}, lb=4)
        return model


def test_rejected_draws_are_counted_by_reason():
    easy = SETTINGS | {"difficulty": {"small": 1, "medium": 0, "large": 0, "industrial": 0}}
    rows, counts = generate.instances(Stubborn(), easy | {"instances_per_family": 1}, 1)
    assert len(rows) == 1
    assert counts == {"small": {"accepted": 1, "infeasible": 1}}
    with pytest.raises(UserError, match=r"of small instance 1 were all rejected .*duplicate 25"):
        generate.instances(Stubborn(), easy | {"instances_per_family": 2}, 1)


class Hard(Toy):
    """Which of 40 items of even weight fill a bag of odd size best: a long search. Every second draw is an easy one."""

    drawn = 0

    def draw(self, rng, difficulty):
        self.drawn += 1
        return {"seed": rng.random(), "items": 40 if self.drawn % 2 else 4, "whole": True}

    def model(self, data):
        rng = random.Random(data["seed"])
        model = Model()
        x = [model.add_variable(f"x{j}", "binary") for j in range(data["items"])]
        for _ in range(4 if data["items"] == 40 else 1):
            weights = dict(zip(x, numbers(rng, len(x), 10, 99), strict=True))
            middle = sum(weights.values()) // 2
            model.add_row(weights, middle - (0 if data["items"] == 40 else 60), middle)
        model.set_objective("max", dict(zip(x, numbers(rng, len(x), 10, 99), strict=True)))
        return model


def test_a_draw_that_takes_too_many_nodes_is_counted():
    _, counts = generate.instances(Hard(), SETTINGS | {"instances_per_family": 1, "node_limit": 2}, 1)
    assert generate.in_all(counts)["node_limit"] == 1
    assert generate.in_all(counts)["accepted"] == 1


def test_the_command_writes_the_same_bytes_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(families, "load", lambda name: TOY)
    settings = json.dumps(SETTINGS | {"instances_per_family": 3})
    written = []
    for folder in ("a", "b"):
        out = tmp_path / folder / "toy.parquet"
        run(monkeypatch, "--family", "toy", "--settings", settings, "--seed", 1, "--out", out)
        written.append((out.read_bytes(), generate.counts_path(out).read_bytes()))
    assert written[0] == written[1]
    assert "3 instances of" in capsys.readouterr().out
    assert pq.read_table(out).schema.names == generate.COLUMNS.names
    counts = json.loads(generate.counts_path(out).read_text())
    assert counts["draws"] == generate.in_all(counts["draws_by_difficulty"])
    assert counts["draws"]["accepted"] == 3


def test_an_unknown_family_is_named(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="no problem family 'bagpack'; there are assignment, "):
        run(monkeypatch, "--family", "bagpack", "--settings", "{}", "--seed", 1, "--out", tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_all_zero_are_refused():
    zero = SETTINGS | {"difficulty": dict.fromkeys(SETTINGS["difficulty"], 0)}
    with pytest.raises(UserError, match=r"problems\.difficulty"):
        generate.instances(TOY, zero, 1)
