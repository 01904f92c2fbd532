"""What the authors' comparator is known to get wrong, each beside our own comparison; then what it gets right."""

import os
from pathlib import Path

import pytest

from trex.evaluation import legacy_comparator
from trex.problems.comparison import canonical
from trex.problems.formats import lp
from trex.problems.ir import Model

REFERENCE_LPS = Path(os.environ.get("TREX_BENCHMARKS", "benchmarks")) / "bench4opt" / "lp_code"


def plan(objective: str = "Min\n 3 x + 5 y", rows: str = "r: x + 2 y <= 8", bounds: str = "", rest: str = "") -> Model:
    return lp.read(f"{objective}\nSubject To\n {rows}\nBounds\n {bounds}\n{rest}\nEnd\n")


def cycle(order: list[int]) -> Model:
    """The edges of a hexagon, its nodes numbered in some order."""
    model = Model()
    for node in range(6):
        model.add_variable(f"x{node}", "binary")
    for i, j in zip(order, order[1:] + order[:1], strict=True):
        model.add_row({i: 1, j: 1}, ub=1)
    model.set_objective("max", dict.fromkeys(range(6), 1))
    return model


def blocks(kinds: str) -> Model:
    """Independent parts of two kinds, A and B."""
    model = Model()
    costs = {}
    for kind in kinds:
        first, second = model.add_variable(f"x{len(costs)}"), model.add_variable(f"y{len(costs)}")
        costs |= {first: 1, second: 2} if kind == "A" else {first: 3, second: 4}
        model.add_row({first: 1, second: 1}, ub=10)
    model.set_objective("max", costs)
    return model


WRONG_ACCEPTS = {
    "min for max": (plan("Max\n 3 x + 5 y"), plan("Min\n 3 x + 5 y")),
    "dropped constant": (plan("Min\n 3 x + 5 y"), plan("Min\n 3 x + 5 y + 10")),
    "dropped products": (plan("Min\n 3 x + 5 y"), plan("Min\n 3 x + 5 y + [ 2 x ^ 2 + 4 x * y ] / 2")),
    "dropped quadratic row": (plan(), plan(rows="r: x + 2 y <= 8\n q: x + [ x * y ] <= 3")),
    "2 A + 1 B for 1 A + 2 B": (blocks("AAB"), blocks("ABB")),
    "-x >= -5 for x >= 5": (plan(rows="r: x + 2 y <= 8\n s: - x >= -5"), plan(rows="r: x + 2 y <= 8\n s: x >= 5")),
    "x >= -10 undoes x >= 0": (plan(rows="r: x + 2 y <= 8\n s: x >= -10"), plan(bounds="x >= -10")),
    "1e-7 for 4e-7": (plan(rows="r: x + 1e-7 y <= 8"), plan(rows="r: x + 4e-7 y <= 8")),
}
WRONG_REJECTS = {
    "row scaled by 2": (plan(rows="r: 2 x + 4 y <= 16"), plan()),
    "row negated": (plan(rows="r: - x - 2 y >= -8"), plan()),
    "flow balance with its sign flipped": (plan(rows="r: y - x = 0"), plan(rows="r: x - y = 0")),
    "-x >= -5 for x <= 5": (plan(rows="r: x + 2 y <= 8\n s: - x >= -5"), plan(bounds="x <= 5")),
    "binary for integer in [0, 1]": (plan(rest="Binaries\n x"), plan(bounds="0 <= x <= 1", rest="Generals\n x")),
    "hexagon": (cycle([0, 1, 2, 3, 4, 5]), cycle([0, 3, 1, 5, 2, 4])),
    "hexagon against itself": (cycle([0, 1, 2, 3, 4, 5]), cycle([0, 1, 2, 3, 4, 5])),
}
# The same optimum, but other models for our comparison, too: re-solving on other data decides these.
REJECTED_BY_BOTH = {
    "redundant row": (plan(rows="r: x + 2 y <= 8\n s: x + 2 y <= 9"), plan()),
    "auxiliary variable": (plan("Min\n t", rows="r: x + 2 y <= 8\n t: 3 x + 5 y - t = 0"), plan()),
}
RIGHT_ACCEPTS = {
    "another order and other names": (plan("Min\n 5 b + 3 a", rows="c1: 2 b + a <= 8"), plan()),
    "bound as a row": (plan(rows="s: 2 x <= 10\n r: x + 2 y <= 8"), plan(bounds="x <= 5")),
    "tightest of two such rows": (plan(rows="s: x <= 7\n t: x <= 5\n r: x + 2 y <= 8"), plan(bounds="x <= 5")),
    "equation as a fixed variable": (plan(rows="s: 2 x = 6\n r: x + 2 y <= 8"), plan(bounds="x = 3")),
    "row <= 0 turned": (plan(rows="r: 2 y - x <= 0"), plan(rows="r: x - 2 y >= 0")),
    "equation = 0 with a sum of its own sign": (plan(rows="r: x - 2 y = 0"), plan(rows="r: 2 y - x = 0")),
    "range": (plan(rows="r: 2 <= x + 2 y <= 8"), plan(rows="r: 2 <= 2 y + x <= 8")),
    "like parts that do not touch": (blocks("AAB"), blocks("ABA")),
}
RIGHT_REJECTS = {
    "cost": (plan("Min\n 3 x + 6 y"), plan()),
    "coefficient": (plan(rows="r: x + 3 y <= 8"), plan()),
    "right-hand side": (plan(rows="r: x + 2 y <= 9"), plan()),
    "relation": (plan(rows="r: x + 2 y >= 8"), plan()),
    "bound": (plan(bounds="x <= 5"), plan()),
    "kind": (plan(rest="Generals\n x"), plan()),
    "number of variables": (plan(bounds="z <= 5"), plan()),
    "number of rows": (plan(rows="r: x + 2 y <= 8\n s: x + y <= 5"), plan()),
    "width of a range": (plan(rows="r: 2 <= x + 2 y <= 9"), plan(rows="r: 2 <= x + 2 y <= 8")),
}


def cases(theirs: bool, ours: bool, pairs: dict[str, tuple[Model, Model]]) -> list:
    return [pytest.param(*pair, theirs, ours, id=name) for name, pair in pairs.items()]


@pytest.mark.parametrize(
    ("model", "reference", "theirs", "ours"),
    [
        *cases(True, False, WRONG_ACCEPTS),
        *cases(False, True, WRONG_REJECTS),
        *cases(False, False, REJECTED_BY_BOTH),
        *cases(True, True, RIGHT_ACCEPTS),
        *cases(False, False, RIGHT_REJECTS),
    ],
)
def test_their_verdict_beside_ours(model, reference, theirs, ours):
    for pair in ((model, reference), (reference, model)):
        assert legacy_comparator.equal(*pair) == theirs
        assert canonical.isomorphic(*pair) == ours


def test_a_free_row_does_not_count():
    free = plan()
    free.add_row({0: 1, 1: 1})
    assert legacy_comparator.equal(free, plan())


def test_models_without_anything():
    assert legacy_comparator.equal(Model(), Model())


@pytest.mark.skipif(not REFERENCE_LPS.is_dir(), reason="no Bench4Opt folder; name the benchmarks' in TREX_BENCHMARKS")
def test_it_accepts_each_reference_of_its_own_benchmark():
    models = [lp.read(path.read_text()) for path in sorted(REFERENCE_LPS.glob("*.lp"))]
    assert models
    assert all(legacy_comparator.equal(model, model) for model in models)
