import itertools
import math
import os
import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.problems import lp
from trex.problems.canonical import certificate, isomorphic
from trex.problems.ir import Model

REFERENCE_LPS = Path(os.environ.get("TREX_BENCHMARKS", "benchmarks")) / "bench4opt" / "lp_code"


def same(a: Model, b: Model) -> bool:
    """Isomorphic, and the certificate says the same."""
    found = isomorphic(a, b)
    assert isomorphic(b, a) == found
    assert (certificate(a) == certificate(b)) == found
    return found


def model_of(variables: list[tuple], rows: list[tuple], objective: tuple = ("min", {})) -> Model:
    """variables: (kind, lb, ub); rows: (terms, lb, ub); objective: the arguments of set_objective."""
    model = Model()
    for i, variable in enumerate(variables):
        model.add_variable(f"x{i}", *variable)
    for row in rows:
        model.add_row(*row)
    model.set_objective(*objective)
    return model


FREE = ("continuous", -math.inf, math.inf)
POSITIVE = ("continuous", 0, math.inf)
UP = math.inf


def plan(
    rows: list[tuple], x: tuple = POSITIVE, y: tuple = POSITIVE, objective: tuple = ("max", {0: 3, 1: 5})
) -> Model:
    return model_of([x, y], rows, objective)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(plan([({0: 1, 1: 2}, 4)]), plan([({0: 3, 1: 6}, 12)]), id="row scaled"),
        pytest.param(plan([({0: 1, 1: 2}, 4)]), plan([({0: -1, 1: -2}, -UP, -4)]), id="row negated"),
        pytest.param(plan([({0: 1, 1: -1}, 0, 0)]), plan([({0: -2, 1: 2}, 0, 0)]), id="balance negated"),
        pytest.param(plan([({0: 1, 1: -2}, 3, 3)]), plan([({0: -1, 1: 2}, -3, -3)]), id="equation negated"),
        pytest.param(plan([({0: -1}, -5)]), plan([({0: 1}, -UP, 5)]), id="-x >= -5 is x <= 5"),
        pytest.param(plan([({0: 2}, 3, 9)]), plan([], x=("continuous", 1.5, 4.5)), id="row or bound"),
        pytest.param(plan([({0: 1}, -10)]), plan([]), id="x >= -10 does not undo x >= 0"),
        pytest.param(plan([], x=("binary", 0, 1)), plan([], x=("integer", 0, 1)), id="binary or integer"),
        pytest.param(plan([], x=("integer", -0.5, 1.9)), plan([], x=("binary", 0, 1)), id="integer bounds inward"),
        pytest.param(
            plan([({0: 3}, 0, 2.9999999999)], x=("integer", -3, 9)), plan([], x=("integer", 0, 1)), id="3x <= 3"
        ),
        pytest.param(plan([({0: 1, 1: 2}, 1, 4)]), plan([({0: 1, 1: 2}, 1), ({0: 1, 1: 2}, -UP, 4)]), id="range"),
        pytest.param(plan([({0: 1, 1: 2}, 4)] * 3), plan([({0: 1, 1: 2}, 4)]), id="duplicate rows"),
        pytest.param(plan([({0: 1, 1: 2}, 4), ({0: 2, 1: 4}, 8)]), plan([({0: 1, 1: 2}, 4)]), id="scaled duplicate"),
        pytest.param(plan([({}, -1, 0), ({0: 1, 1: 1},)]), plan([]), id="rows without a say"),
        pytest.param(plan([({0: 0.1, 1: 0.3}, 0.1 + 0.2)]), plan([({0: 1, 1: 3}, 3)]), id="rounding errors"),
        pytest.param(plan([({0: 1, 1: -1}, 0.3 - 0.2 - 0.1)]), plan([({0: 1, 1: -1}, 0)]), id="rounded to nearly 0"),
        pytest.param(plan([], objective=("min", {})), plan([], objective=("max", {})), id="no objective, no sense"),
        pytest.param(
            plan([], objective=("min", {}, 0, {(0, 1): 2, (0, 0): 1})),
            plan([], objective=("min", {}, 0, {(1, 0): 2, (1, 1): 1})),
            id="products",
        ),
    ],
)
def test_the_same_model(a, b):
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param(plan([]), plan([], objective=("min", {0: 3, 1: 5})), id="sense"),
        pytest.param(plan([]), plan([], objective=("min", {0: -3, 1: -5})), id="max f is not min -f"),
        pytest.param(plan([]), plan([], objective=("max", {0: 3, 1: 5}, 1)), id="constant"),
        pytest.param(plan([]), plan([], objective=("max", {0: 6, 1: 10})), id="scaled objective"),
        pytest.param(plan([]), plan([], objective=("max", {0: 3, 1: 5}, 0, {(0, 0): 1})), id="square"),
        pytest.param(plan([]), plan([], objective=("max", {0: 3, 1: 5}, 0, {(0, 1): 1})), id="product"),
        pytest.param(plan([({0: 1, 1: 2}, 4)]), plan([({0: 2, 1: 1}, 4)]), id="2A + 1B or 1A + 2B"),
        pytest.param(plan([({0: -1}, -5)]), plan([({0: 1}, 5)]), id="-x >= -5 is not x >= 5"),
        pytest.param(plan([({0: 1, 1: 1}, 4)]), plan([({0: 1, 1: 1}, -UP, 4)]), id="direction"),
        pytest.param(plan([({0: 1, 1: 1}, 4)]), plan([({0: 1, 1: -1}, 4)]), id="sign of a coefficient"),
        pytest.param(plan([({0: 1, 1: 1}, 4)]), plan([({0: 1, 1: 1}, 4, 4)]), id="equation"),
        pytest.param(plan([({0: 1, 1: 1e-7}, 4)]), plan([({0: 1, 1: 4e-7}, 4)]), id="small coefficients"),
        pytest.param(plan([({0: 1, 1: 1}, 1e-7)]), plan([({0: 1, 1: 1}, 4e-7)]), id="small sides"),
        pytest.param(plan([({0: 1, 1: 1}, 1e9)]), plan([({0: 1, 1: 1}, 1e9 + 10)]), id="a hundred millionth"),
        pytest.param(plan([({0: 1}, -10)], x=FREE), plan([], x=FREE), id="bound of a free variable"),
        pytest.param(plan([], x=("continuous", 0, 1)), plan([], x=("binary", 0, 1)), id="kind"),
        pytest.param(plan([], x=("integer", 0, 2)), plan([], x=("binary", 0, 1)), id="integer bound"),
        pytest.param(plan([({}, 1)]), plan([]), id="a row that cannot hold"),
        pytest.param(plan([({0: 1, 1: 1}, 4), ({0: 1, 1: 1}, 3)]), plan([({0: 1, 1: 1}, 4)]), id="redundant row"),
        pytest.param(model_of([POSITIVE], []), model_of([POSITIVE] * 2, []), id="number of variables"),
    ],
)
def test_another_model(a, b):
    assert not same(a, b)


def edges(pairs: list[tuple[int, int]], n: int, by_products: bool = False) -> Model:
    if by_products:
        return model_of([POSITIVE] * n, [], ("min", {}, 0, dict.fromkeys(pairs, 1)))
    return model_of([("binary",)] * n, [({i: 1, j: 1}, -UP, 1) for i, j in pairs], ("max", dict.fromkeys(range(n), 1)))


def test_colour_refinement_does_not_suffice():
    hexagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
    renamed = [(0, 3), (3, 1), (1, 5), (5, 2), (2, 4), (4, 0)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    for by_products in (False, True):
        assert same(edges(hexagon, 6, by_products), edges(renamed, 6, by_products))
        assert not same(edges(hexagon, 6, by_products), edges(triangles, 6, by_products))


def test_strongly_regular_graphs_are_told_apart():
    nodes = list(itertools.product(range(4), range(4)))
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    rook, shrikhande = [], []
    for (a, (i, j)), (b, (k, m)) in itertools.combinations(enumerate(nodes), 2):
        if (i == k) != (j == m):
            rook.append((a, b))
        if ((k - i) % 4, (m - j) % 4) in steps:
            shrikhande.append((a, b))
    assert len(rook) == len(shrikhande) == 48
    assert not same(edges(rook, 16), edges(shrikhande, 16))


def test_no_rounding_cells():
    """Wherever a number lies on a rounding grid, one that is 1e-12 larger is the same and one 1e-6 larger is not."""
    draw = random.Random(1)
    for _ in range(200):
        value = float(f"{draw.uniform(0.1, 1):.{draw.randrange(1, 12)}f}") * 10.0 ** draw.randrange(-9, 9)
        at = [
            plan([({0: 1e9, 1: v}, 4)], objective=("max", {0: v}))
            for v in (value, value * (1 + 1e-12), value * 1.000001)
        ]
        assert isomorphic(at[0], at[1])
        assert not isomorphic(at[0], at[2])


def random_model(draw: random.Random) -> Model:
    """Distinct data throughout; each row has two variables or more; no row or bound can be redundant by accident."""
    model = Model()
    for i in range(draw.randint(3, 8)):
        kind = draw.choice(["continuous", "integer", "binary"])
        lb, ub = draw.choice(
            [(0, UP), (-UP, UP), (-draw.randint(2, 9), draw.randint(2, 90)), (-UP, draw.randint(2, 9))]
        )
        model.add_variable(f"x{i}", kind, lb, ub)
    indexes = range(len(model.variables))
    for _ in range(draw.randint(1, 6)):
        terms = {i: number(draw) for i in draw.sample(indexes, draw.randint(2, len(indexes)))}
        side = number(draw)
        model.add_row(terms, *draw.choice([(side, UP), (-UP, side), (side, side), (side, side + abs(number(draw)))]))
    products = {tuple(draw.choices(indexes, k=2)): number(draw) for _ in range(draw.randint(0, 2))}
    linear = {i: number(draw) for i in draw.sample(indexes, draw.randint(1, len(indexes)))}
    model.set_objective(draw.choice(["min", "max"]), linear, number(draw), products)
    return model


def number(draw: random.Random) -> float:
    return draw.choice([-1, 1]) * draw.uniform(1, 100)


def preserving(model: Model, draw: random.Random) -> Model:
    """The same model, written another way in each respect that should not count."""
    order = draw.sample(range(len(model.variables)), len(model.variables))
    place = {old: new for new, old in enumerate(order)}
    rows = []
    other = Model()
    for old in order:
        v = model.variables[old]
        kind, lb, ub = "integer" if v.is_integer and draw.random() < 0.5 else v.kind, v.lb, v.ub
        if draw.random() < 0.3:
            factor = number(draw)
            rows.append(({old: factor}, *sorted((lb * factor, ub * factor))))
            lb, ub = -UP, UP
        other.add_variable(f"y{old}", kind, lb, ub)
    for row in model.rows:
        for side in draw.choice([[(row.lb, row.ub)], [(row.lb, UP), (-UP, row.ub)], [(row.lb, row.ub), (row.lb, UP)]]):
            factor = number(draw)
            lb, ub = sorted((side[0] * factor, side[1] * factor))
            rows.append(({i: c * factor for i, c in row.terms.items()}, lb, ub))
    rows += [({}, -1, 1)] * draw.randint(0, 1)
    for terms, lb, ub in draw.sample(rows, len(rows)):
        other.add_row({place[i]: c for i, c in terms.items()}, lb, ub)
    objective = model.objective
    products = {(place[j], place[i]): c for (i, j), c in objective.quadratic.items()}
    linear = {place[i]: c for i, c in objective.linear.items()}
    other.set_objective(objective.sense, linear, objective.constant, products)
    return other


def changing(model: Model, draw: random.Random) -> Model:
    """Another model: one number, kind, direction or part of it is changed."""
    data = model.to_json()
    row, variable, objective = draw.choice(data["rows"]), draw.choice(data["variables"]), data["objective"]
    change = draw.randrange(9)
    if change == 0:
        draw.choice(row["terms"])[-1] *= 1 + draw.choice([1e-6, -1e-3, 1])
    elif change == 1:
        draw.choice(objective["linear"] + objective["quadratic"])[-1] *= 1 + draw.choice([1e-6, -1e-3, 1])
    elif change == 2:
        side = "lb" if row["lb"] is not None else "ub"
        row[side] -= abs(row[side]) * draw.choice([1e-6, 1e-3]) * (1 if side == "lb" else -1)
    elif change == 3:
        objective["sense"] = "min" if objective["sense"] == "max" else "max"
    elif change == 4:
        objective["constant"] += 1e-6
    elif change == 5:
        data["rows"].remove(row)
    elif change == 6:
        variable["kind"] = "integer" if variable["kind"] == "continuous" else "continuous"
    elif change == 7:
        variable["lb"] = 1 if variable["kind"] == "binary" and variable["lb"] == 0 else (variable["lb"] or 0) - 3
        if variable["kind"] == "binary" and variable["lb"] < 0:
            variable["kind"] = "continuous"
    else:
        row["terms"].remove(draw.choice(row["terms"]))
    return Model.from_json(data)


@given(st.integers(0, 2**32))
def test_rewrites_that_preserve_or_change(seed):
    draw = random.Random(seed)
    model = random_model(draw)
    assert isomorphic(model, preserving(model, draw))
    assert not isomorphic(model, preserving(changing(model, draw), draw))


def exact_form(model: Model, order: tuple[int, ...]) -> tuple:
    """What `model` says when variable order[k] is the k-th: in fractions, and otherwise got than the module does it.

    Numbers of tiny models are small, so 1000 stands for infinity.
    """
    place = {old: new for new, old in enumerate(order)}
    rows = set()
    limits = [[max(Fraction(-1000), model.variables[i].lb), min(Fraction(1000), model.variables[i].ub)] for i in order]
    for row in model.rows:
        for side, direction in ((row.ub, 1), (-row.lb, -1)):
            if side == UP:
                continue
            terms = {place[i]: Fraction(c) * direction for i, c in row.terms.items()}
            if len(terms) == 1:
                ((k, c),) = terms.items()
                limits[k][c > 0] = (min if c > 0 else max)(limits[k][c > 0], Fraction(side) / c)
            elif terms:
                scale = sum(map(abs, terms.values()))
                rows.add((Fraction(side) / scale, tuple(sorted((k, c / scale) for k, c in terms.items()))))
            elif side < 0:
                rows.add("never")
    for i, v in enumerate(model.variables):
        if v.is_integer:
            limits[place[i]] = [math.ceil(limits[place[i]][0]), math.floor(limits[place[i]][1])]
    objective = model.objective
    return (
        [(model.variables[old].is_integer, *limits[place[old]]) for old in order],
        rows,
        objective.sense if objective.linear or objective.quadratic else "",
        objective.constant,
        {place[i]: c for i, c in objective.linear.items()},
        {tuple(sorted((place[i], place[j]))): c for (i, j), c in objective.quadratic.items()},
    )


def tiny_model(draw: random.Random) -> Model:
    """Few different numbers, so that unlike models are often isomorphic and look-alikes are often not."""
    n = draw.randint(1, 4)
    model = Model()
    for i in range(n):
        model.add_variable(
            f"x{i}", draw.choice(["continuous", "integer", "binary"]), draw.choice([0, -1]), draw.choice([1, UP])
        )
    for _ in range(draw.randint(0, 3)):
        terms = {i: draw.choice([-2, -1, 1, 2]) for i in range(n) if draw.random() < 0.7}
        model.add_row(terms, *draw.choice([(0, UP), (-UP, 0), (0, 0), (-1, 1), (1, UP), (-UP, 1), (1, 2)]))
    products = {tuple(draw.choices(range(n), k=2)): 1 for _ in range(draw.randint(0, 2))}
    model.set_objective(draw.choice(["min", "max"]), {i: draw.choice([0, 1]) for i in range(n)}, quadratic=products)
    return model


@given(st.integers(0, 2**32))
def test_all_permutations_of_tiny_models_say_the_same(seed):
    draw = random.Random(seed)
    a = tiny_model(draw)
    b = draw.choice([tiny_model, lambda draw: touched(a, draw), lambda draw: touched(touched(a, draw), draw)])(draw)
    n = len(a.variables)
    reference = exact_form(a, tuple(range(n)))
    possible = n == len(b.variables) and any(exact_form(b, p) == reference for p in itertools.permutations(range(n)))
    assert same(a, b) == possible


def touched(model: Model, draw: random.Random) -> Model:
    """The model with its variables in another order and perhaps one number moved."""
    order = draw.sample(range(len(model.variables)), len(model.variables))
    other = Model()
    for i in order:
        v = model.variables[i]
        other.add_variable(v.name, v.kind, v.lb, v.ub)
    for row in model.rows:
        terms = {order.index(i): c * draw.choice([1, 1, 1, 1, -1, 2]) for i, c in row.terms.items()}
        other.add_row(terms, row.lb, row.ub)
    linear = {order.index(i): c for i, c in model.objective.linear.items()}
    products = {(order.index(i), order.index(j)): c for (i, j), c in model.objective.quadratic.items()}
    other.set_objective(model.objective.sense, linear, model.objective.constant, products)
    return other


@pytest.mark.skipif(not REFERENCE_LPS.is_dir(), reason="no Bench4Opt folder; name the benchmarks' in TREX_BENCHMARKS")
def test_reference_models_match_when_rewritten():
    draw = random.Random(1)
    models = []
    for path in sorted(REFERENCE_LPS.glob("*.lp")):
        try:
            models.append(lp.read(path.read_text()))
        except ValueError as error:
            assert "unsupported quadratic row" in str(error)
    assert models
    for model in models:
        assert same(model, preserving(model, draw))
