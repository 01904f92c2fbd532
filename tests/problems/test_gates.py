import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.problems import gates
from trex.problems.ir import Model
from trex.problems.solution import agree, residuals


def mix(kind: str = "continuous", *, ub: float = math.inf, share: float = 2.0) -> Model:
    """max 3 x + 5 y with x + share y <= 10 and both within [0, ub]."""
    model = Model()
    model.add_variable("x", kind, ub=ub)
    model.add_variable("y", kind, ub=ub)
    model.add_row({0: 1, 1: share}, ub=10)
    model.set_objective("max", {0: 3, 1: 5})
    return model


@pytest.mark.parametrize(
    ("objective", "point", "reason"),
    [
        (("max", {0: -1, 1: -1}), [0, 0], "zero_optimum"),
        (("min", {0: 1, 1: 1}, 7), [0, 0], "do_nothing_optimal"),
        (("max", {0: 3, 1: -1}), [4, 0], "rows_do_not_matter"),
        (("max", {0: 3, 1: 5}), [4, 3], None),
    ],
)
def test_an_optimum_that_is_right_by_accident(objective, point, reason):
    model = mix("integer", ub=4)
    model.set_objective(*objective)
    assert gates.rejection(model, model.objective.at(point), [point]) == reason


def test_only_a_linear_objective_has_a_known_optimum_without_rows():
    model = mix(ub=4)
    model.set_objective("max", {0: 3}, nonlinear=["sqrt", ["variable", 0]])
    assert gates.optimum_without_rows(model, gates.limits(model)) is None
    assert gates.step(model) is None
    model.set_objective("max", {0: 3}, 1.0)
    assert gates.optimum_without_rows(model, gates.limits(model)) == 13


CORNER, INSIDE = [10.0, 0.0], [9.0, 0.6]  # of x + 5/3 y <= 10, on which 3 x + 5 y is 30 everywhere


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([CORNER, CORNER], "all_at_bounds"),
        ([CORNER, INSIDE], None),
        ([INSIDE, CORNER], None),
        ([[10.0 - 5e-6, 5e-6], CORNER], "all_at_bounds"),
    ],
)
def test_all_at_bounds_in_each_known_optimum(points, reason):
    assert gates.rejection(mix(ub=10, share=5 / 3), 30.0, points) == reason


def test_binaries_are_at_their_bounds_anyhow():
    for kind, ub in (("binary", 1), ("integer", 1)):
        assert gates.rejection(mix(kind, ub=ub, share=10), 3.0, [[1, 0]] * 2) is None
    mixed = mix("binary", share=10)
    mixed.add_variable("z", ub=7)
    mixed.add_row({2: 1, 1: 3}, ub=8)
    mixed.set_objective("max", {0: 3, 1: 5, 2: 1})
    assert gates.rejection(mixed, 10.0, [[1, 0, 7]]) == "all_at_bounds"
    assert gates.rejection(mixed, 10.0, [[0, 1, 5]]) is None


@pytest.mark.parametrize(
    ("kind", "lb", "ub", "inside"),
    [
        ("integer", 3, 4, False),
        ("integer", 3, 5, True),
        ("integer", 2.5, 4.5, False),
        ("continuous", 3, 4, True),
        ("continuous", 3, 3, False),
        ("integer", 0, math.inf, True),
        ("continuous", -math.inf, math.inf, True),
    ],
)
def test_which_variables_can_leave_their_bounds(kind, lb, ub, inside):
    model = Model()
    model.add_variable("x", kind, lb, ub)
    assert gates.has_inside(model.variables[0], gates.limits(model)[0]) == inside


def test_a_free_variable_is_at_no_bound():
    assert not gates.is_at_end(1e9, (-math.inf, math.inf))
    assert gates.is_at_end(1e9, (-math.inf, 1e9 + 1))


def rows(*terms: dict) -> Model:
    model = Model()
    for j in range(3):
        model.add_variable(f"x{j}")
    for row in terms:
        model.add_row(row, ub=5)
    return model


@pytest.mark.parametrize(
    ("model", "ill"),
    [
        (rows({0: 1, 1: -1e6}), False),
        (rows({0: 1, 1: -1.1e6}), True),
        (rows({0: 1, 1: 2}, {0: 1e9, 2: 3e9}, {}), False),
        (rows({0: 1e-4, 1: 1e3}), True),
    ],
)
def test_ill_conditioned_is_a_row_whose_numbers_are_far_apart(model, ill):
    assert gates.is_ill_conditioned(model) == ill


@given(st.lists(st.floats(1e-3, 1e5), min_size=2, max_size=3), st.floats(-2e5, -1e-2))
def test_scaling_a_row_does_not_change_its_condition(numbers, factor):
    ratio = max(numbers) / min(numbers)
    if abs(ratio / gates.LARGEST_RANGE - 1) < 1e-9:
        return
    terms = dict(enumerate(numbers))
    scaled = rows({i: c * factor for i, c in terms.items()})
    assert gates.is_ill_conditioned(rows(terms)) == gates.is_ill_conditioned(scaled)


def linear(kind: str, *coefficients: float) -> Model:
    model = Model()
    for j in range(len(coefficients)):
        model.add_variable(f"x{j}", kind)
    model.set_objective("min", dict(enumerate(coefficients)))
    return model


@pytest.mark.parametrize(
    ("model", "step"),
    [
        (linear("integer", 6, 10, -15), 1),
        (linear("integer", 600, 1000), 200),
        (linear("integer", 2.5, 0.75), 0.25),
        (linear("integer", 1 / 3, 0.5), 1 / 6),
        (linear("integer", math.pi, 4), math.pi),  # no grid: one unit of what counts least
        (linear("continuous", 600, 1000), 600),
        (linear("continuous"), None),
    ],
)
def test_the_step_to_the_neighbour(model, step):
    assert gates.step(model) == (step and pytest.approx(step, rel=1e-12))


@pytest.mark.parametrize(
    ("model", "distinct", "indistinct"),
    [
        (linear("integer", 6, 10, -15), 499_990, 500_010),
        (linear("integer", 600, 1000), 99_990_000, 100_100_000),
        (linear("continuous", 600, 1000), -299_900_000, -300_100_000),
        (linear("continuous", 3e-7), 0.01, 1.0),
        (linear("continuous", 1e-7), None, 0.01),  # the tolerance is never less than 1e-7
    ],
)
def test_an_optimum_that_no_tolerance_tells_from_its_neighbour(model, distinct, indistinct):
    assert gates.is_indistinct(model, indistinct)
    assert distinct is None or not gates.is_indistinct(model, distinct)


def test_a_continuous_variable_in_the_objective_ends_the_grid():
    model = linear("integer", 6, 10)
    model.add_variable("c")
    assert gates.step(model) == 2
    model.set_objective("min", {0: 6, 1: 10, 2: 15})
    assert gates.step(model) == 6


UNITS = st.sampled_from([1.0, 0.01, 0.25, 1 / 3, 0.1, 7.0, 1000.0])
COEFFICIENTS = st.lists(st.integers(-30, 30).filter(bool), min_size=1, max_size=3)


@given(COEFFICIENTS, UNITS)
def test_all_are_multiples_of_the_grid_and_of_nothing_coarser(whole, unit):
    numbers = [unit * c for c in whole]
    found = gates.grid(numbers)
    multiples = [x / found for x in numbers]
    assert multiples == pytest.approx([round(x) for x in multiples], rel=1e-9)
    assert math.gcd(*map(round, multiples)) == 1


@settings(max_examples=200)
@given(COEFFICIENTS, UNITS, st.integers(-(10**6), 10**6))
def test_a_distinct_value_is_told_from_all_that_the_objective_can_take(whole, unit, constant):
    """By enumeration, also when it is known within the tolerance only: no number agrees with both values."""
    model = Model()
    for j in range(len(whole)):
        model.add_variable(f"x{j}", "integer", -1, 2)
    model.set_objective("max", {j: unit * c for j, c in enumerate(whole)}, constant * unit)
    exact = {sum(c * x for c, x in zip(whole, point, strict=True)) for point in points(model)}
    values = {k: float(Fraction(unit) * (constant + k)) for k in exact}
    for k, value in values.items():
        if not gates.is_indistinct(model, value):
            others = [other for n, other in values.items() if n != k]
            assert not any(agree((value + other) / 2, value) for other in others)


def points(model: Model) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(int(v.lb), int(v.ub) + 1) for v in model.variables)))


SMALL = st.integers(-4, 4)


@settings(max_examples=150)
@given(st.data(), st.sampled_from(["min", "max"]), st.sampled_from(["integer", "continuous"]))
def test_a_bound_written_as_a_row_changes_no_verdict(data, sense, kind):
    bounded, unbounded = Model(), Model()
    for j in range(3):
        lb = data.draw(st.integers(-1, 1))
        ub = data.draw(st.integers(lb, 3))
        factor = data.draw(st.sampled_from([1, -1, 2, -3]))
        bounded.add_variable(f"x{j}", kind, lb, ub)
        unbounded.add_variable(f"x{j}", kind, -math.inf)
        unbounded.add_row({j: factor}, *sorted((factor * lb, factor * ub)))
    terms, side = dict(enumerate(data.draw(st.tuples(SMALL, SMALL, SMALL)))), data.draw(SMALL)
    objective = dict(enumerate(data.draw(st.tuples(SMALL, SMALL, SMALL))))
    for model in (bounded, unbounded):
        model.add_row(terms, ub=side)
        model.set_objective(sense, objective, 0.5)
    feasible = [list(map(float, point)) for point in points(bounded) if residuals(bounded, point).are_small]
    if feasible:
        best = (max if sense == "max" else min)(feasible, key=bounded.objective.at)
        value = bounded.objective.at(best)
        assert gates.rejection(bounded, value, [best]) == gates.rejection(unbounded, value, [best])
