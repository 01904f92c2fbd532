"""The two readings of a label, against brute force over the integer points."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.evaluation.readings import other_reading, reading
from trex.problems.ir import Model
from trex.problems.solve import solve


def boxed(kind: str, sense: str, costs: list[int], hours: list[int], limit: int) -> Model:
    model = Model()
    for index, _ in enumerate(costs):
        model.add_variable(f"x{index}", kind, 0, 3)
    model.add_row(dict(enumerate(hours)), **({"ub": limit} if sense == "max" else {"lb": limit}))
    model.set_objective(sense, dict(enumerate(costs)))
    return model


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["max", "min"]),
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
    st.integers(1, 6),
)
def test_the_integer_reading_is_found_where_it_is_the_label(sense, costs, hours, limit):
    model = boxed("continuous", sense, costs, hours[: len(costs)], limit)
    solution = solve(model)
    values = [
        sum(c * x for c, x in zip(costs, point, strict=True))
        for point in itertools.product(range(4), repeat=len(costs))
        if (sum(h * x for h, x in zip(hours, point, strict=False)) <= limit) == (sense == "max")
        or sum(h * x for h, x in zip(hours, point, strict=False)) == limit
    ]
    best = float(max(values) if sense == "max" else min(values))
    found = other_reading(model, solution, best, solve)
    differs = abs(solution.objective - best) > 1e-6 * max(1, abs(best))
    assert found == ("integer" if differs else None) or not differs
    whole = boxed("integer", sense, costs, hours[: len(costs)], limit)
    if differs:
        assert other_reading(whole, solve(whole), solution.objective, solve) == "continuous"


def test_an_infeasible_model_may_have_a_continuous_reading():
    model = Model()
    x, y = model.add_variable("x", "integer", 0, 5), model.add_variable("y", "binary")
    model.add_row({x: 2, y: 2}, 3, 3)
    model.set_objective("min", {x: 2, y: 2})
    assert other_reading(model, solve(model), 3.0, solve) == "continuous"
    assert other_reading(model, solve(model), 4.0, solve) is None


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((), None),
        (("binary", "integer"), "integer"),
        (("continuous",), "continuous"),
        (("continuous", "binary"), "mixed"),
    ],
)
def test_reading(kinds, expected):
    model = Model()
    for index, kind in enumerate(kinds):
        model.add_variable(f"x{index}", kind, 0, 1)
    assert reading(model) == expected
