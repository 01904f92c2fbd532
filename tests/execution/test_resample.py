"""Data files with other numbers: what varies, what stays, and that the reference still has an optimum on them."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.execution import resample
from trex.problems.ir import Model
from trex.problems.solve import solve

FLOW = {
    "nodes": [0, 1, 2],
    "edges": [[0, 1, 8, 1.5], [1, 2, 6, 2.25], [0, 2, 5, 4.75]],
    "demand": {"2": 7},
    "open": [1, 0, 1],
    "unused": [3.5, 4.5],
    "name": "net",
}


def flow(text: str) -> Model | None:
    """A minimum-cost flow from node 0 to node 2; None, as a failed program, for an edge that ends nowhere."""
    data = json.loads(text)
    model = Model()
    for position, (source, target, capacity, _) in enumerate(data["edges"]):
        if {source, target} - set(data["nodes"]):
            return None
        model.add_variable(f"f{position}", ub=capacity)
    for node in data["nodes"][1:]:
        terms = {i: 1.0 if edge[1] == node else -1.0 for i, edge in enumerate(data["edges"]) if node in edge[:2]}
        need = data["demand"].get(str(node), 0)
        model.add_row(terms, need, need)
    model.set_objective("min", {i: edge[3] for i, edge in enumerate(data["edges"])})
    return model


def draw(text: str = json.dumps(FLOW), seed: int = 1, telling=lambda objective: True) -> list[resample.Resampled]:
    return resample.resampled(text, flow, solve, telling, seed)


def test_only_what_the_model_takes_as_numbers_varies():
    for found in draw():
        data = json.loads(found.data)
        assert data["edges"] != FLOW["edges"]
        assert [edge[:2] for edge in data["edges"]] == [edge[:2] for edge in FLOW["edges"]]
        assert all(data[key] == FLOW[key] for key in ("nodes", "open", "unused", "name"))


def test_the_wanted_number_of_files_with_their_optimum():
    found = draw()
    assert len(found) == resample.WANTED == len({file.data for file in found})
    for file in found:
        assert file.objective == pytest.approx(solve(flow(file.data)).objective)


def test_files_that_tell_nothing_are_not_taken():
    costs = [file.objective for file in draw(telling=lambda objective: objective > 30)]
    assert costs and min(costs) > 30 > min(file.objective for file in draw())


def test_the_same_seed_gives_the_same_files():
    assert draw(seed=3) == draw(seed=3) != draw(seed=4)


def test_numbers_keep_their_form():
    for file in draw():
        for *_, capacity, cost in json.loads(file.data)["edges"]:
            assert isinstance(capacity, int) and capacity > 0
            assert cost == round(cost, 2)


@pytest.mark.parametrize(
    "text", ["", "[1, 2", "[" * 100_000, '{"nodes": [0], "edges": [[0, 7, 1, 1]], "demand": {}}'], ids=range(4)
)
def test_data_that_cannot_be_used_give_nothing(text):
    assert draw(text) == []


def test_a_reference_without_an_optimum_gives_nothing():
    infeasible = FLOW | {"demand": {"2": 700}}
    assert draw(json.dumps(infeasible)) == []


VALUES = st.recursive(
    st.integers(-50, 50) | st.floats(-50, 50).map(lambda value: round(value, 3)) | st.text(max_size=2) | st.booleans(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=2), parts, max_size=4),
    max_leaves=15,
)


@given(VALUES, st.integers(0, 9))
def test_structure_signs_and_zeros_stay(data, seed):
    changed = resample.varied(data, set(resample.numbers_of(data)), 0.25, random.Random(seed))
    compare(data, changed)


def compare(before: object, after: object) -> None:
    assert type(before) is type(after) or resample.is_number(before)
    if resample.is_number(before):
        assert before * after > 0 or after == 0
        assert (before == 0) <= (after == 0)
        assert abs(after - before) <= max(1.0, 0.25 * abs(before) + 0.5)
    elif isinstance(before, list):
        assert len(before) == len(after)
        for pair in zip(before, after, strict=True):
            compare(*pair)
    elif isinstance(before, dict):
        assert list(before) == list(after)
        for key in before:
            compare(before[key], after[key])
    else:
        assert before == after
