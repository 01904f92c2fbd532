import itertools
import math
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems.comparison import exact, rewrites

from trex.problems.comparison.canonical import NotComparable, certificate, compare, isomorphic
from trex.problems.formats import lp
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


SUM = ("max", {0: 1, 1: 1})


def curved(terms: dict, quadratic: dict, lb: float, ub: float = UP) -> Model:
    return plan([(terms, lb, ub, "curve", quadratic)])


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
        pytest.param(
            curved({0: 1}, {(0, 1): 2}, 4), curved({0: -3}, {(1, 0): -6}, -UP, -12), id="quadratic row scaled"
        ),
        pytest.param(
            curved({0: 1}, {(0, 1): 2}, 4, 5),
            plan([({0: 1}, 4, UP, "a", {(0, 1): 2}), ({0: 1}, -UP, 5, "b", {(0, 1): 2})]),
            id="quadratic range",
        ),
        pytest.param(curved({}, {(0, 0): 4}, -UP, 8), curved({}, {(0, 0): 1}, -UP, 2), id="square alone"),
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
        pytest.param(curved({0: 1}, {(0, 1): 2}, 4), curved({0: 1}, {(0, 0): 2}, 4), id="square for a product"),
        pytest.param(curved({0: 1}, {(0, 1): 2}, 4), curved({0: 1, 1: 2}, {}, 4), id="linear for a product"),
        pytest.param(curved({0: 1}, {(0, 1): 2}, 4), curved({0: 2}, {(0, 1): 1}, 4), id="numbers of a quadratic row"),
        pytest.param(curved({0: 1}, {(0, 1): 2}, 4), curved({0: 1}, {(0, 1): 2}, 4, 4), id="quadratic equation"),
        pytest.param(
            plan([({0: 1}, 4, UP, "a", {(0, 1): 2}), ({1: 1}, 4, UP, "b", {(1, 1): 2})], objective=SUM),
            plan([({0: 1}, 4, UP, "a", {(0, 1): 2}), ({1: 1}, 4, UP, "b", {(0, 0): 2})], objective=SUM),
            id="where the square stands",
        ),
        pytest.param(curved({}, {(0, 0): 1}, -UP, 4), plan([({0: 1}, -UP, 2)]), id="a square is no bound"),
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


def test_nonlinear_expressions_are_not_compared():
    in_row, in_objective = plan([]), plan([])
    in_row.add_row({0: 1}, ub=4, name="growth", nonlinear=("exp", ("variable", 1)))
    in_objective.set_objective("min", {0: 1}, nonlinear=("sin", ("variable", 1)))
    for model, where in ((in_row, "row 'growth'"), (in_objective, "the objective")):
        for ask in (compare, isomorphic):
            with pytest.raises(NotComparable, match=f"{where} has a nonlinear expression"):
                ask(plan([]), model)
        with pytest.raises(NotComparable):
            certificate(model)


def test_models_without_anything():
    assert same(Model(), Model())


def test_large_symmetric_models():
    draw = random.Random(1)
    cells = list(itertools.product(range(20), range(20)))
    rows = [({20 * i + j: 1 for j in range(20)}, 1, 1) for i in range(20)]
    rows += [({20 * i + j: 1 for i in range(20)}, 1, 1) for j in range(20)]
    assignment = model_of([("binary",)] * len(cells), rows)
    assert same(assignment, rewrites.preserving(assignment, draw))
    assert not same(assignment, model_of([("binary",)] * len(cells), rows[:-1]))


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


@given(st.integers(0, 2**32))
def test_all_renamings_of_tiny_models_say_the_same(seed):
    draw = random.Random(seed)
    a = exact.tiny_model(draw)
    b = draw.choice([exact.tiny_model(draw), exact.edited(a, draw), exact.edited(exact.edited(a, draw), draw)])
    assert same(a, rewrites.preserving(b, draw)) == exact.isomorphic(a, b)


@given(st.integers(0, 2**32))
def test_rewritten_models_have_the_same_certificate(seed):
    draw = random.Random(seed)
    model = rewrites.random_model(draw)
    assert same(model, rewrites.preserving(model, draw))


@pytest.mark.skipif(not REFERENCE_LPS.is_dir(), reason="no Bench4Opt folder; name the benchmarks' in TREX_BENCHMARKS")
def test_reference_models_match_when_rewritten():
    draw = random.Random(1)
    models = [lp.read(path.read_text()) for path in sorted(REFERENCE_LPS.glob("*.lp"))]
    assert models
    for model in models:
        assert same(model, rewrites.preserving(model, draw))
