import itertools
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems.comparison import exact, rewrites

from trex.problems.comparison.canonical import compare, isomorphic
from trex.problems.comparison.difference import KINDS, LOOKALIKE, SEVERAL, Difference
from trex.problems.formats import lp
from trex.problems.ir import Model

SEEDS = st.integers(0, 2**32)
REFERENCE = """Minimize
 cost: 3 a + 5 b + 7 c + [ 4 a * c ] / 2 + 10
Subject To
 cap: 2 a + 3 b <= 4
 flow: a - b + 2 c = 1
 low: a + b + 4 c >= 1
 limit: a <= 40
Bounds
 b <= 9
Generals
 b
Binaries
 c
End
"""


def changed(*replacements: tuple[str, str]) -> Difference | None:
    """What is said of the reference with parts of its text replaced."""
    text = REFERENCE
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return compare(lp.read(text), lp.read(REFERENCE))


CAP = "row 'cap': 2 a + 3 b <= 4 of the reference has no partner; the nearest of the model is "


@pytest.mark.parametrize(
    ("replacements", "kind", "text"),
    [
        ([("b <= 4", "b <= 5")], "wrong_coefficient",
         CAP + "'cap': 2 a + 3 b <= 5, which has the right-hand side 5 instead of 4"),
        ([("cap: 2 a + 3 b <= 4", "c1: 4 a + 6 b <= 10")], "wrong_coefficient",
         CAP + "'c1': 4 a + 6 b <= 10, which times 0.5 has the right-hand side 5 instead of 4"),
        ([("2 a + 3 b <= 4", "2 a + 5 b <= 4")], "wrong_coefficient",
         CAP + "'cap': 2 a + 5 b <= 4, which has the coefficient of 'b' 5 instead of 3"),
        ([("2 a + 3 b <= 4", "3 a + 2 b <= 4")], "wrong_coefficient",
         CAP + "'cap': 3 a + 2 b <= 4, which has the coefficient of 'a' 3 instead of 2, the coefficient of 'b' 2 "
         "instead of 3"),
        ([("2 a + 3 b <= 4", "2 a + 3 b + c <= 4")], "wrong_coefficient",
         CAP + "'cap': 2 a + 3 b + c <= 4, which has a term 1 'c' too many"),
        ([("b + 4 c >= 1", "b >= 1")], "wrong_coefficient",
         "row 'low': a + b + 4 c >= 1 of the reference has no partner; the nearest of the model is 'low': a + b >= 1, "
         "which has no term like 4 'c'"),
        ([("2 a + 3 b <= 4", "2 a + 3.00000001 b <= 4")], "wrong_coefficient",
         CAP + "'cap': 2 a + 3.00000001 b <= 4, which has the coefficient of 'b' 3.00000001 instead of 3"),
        ([("2 a + 3 b <= 4", "2 a + 3 b >= 4")], "wrong_sense",
         CAP + "'cap': 2 a + 3 b >= 4, which has >= instead of <="),
        ([("2 a + 3 b <= 4", "- 2 a - 3 b <= - 4")], "wrong_sense",
         CAP + "'cap': - 2 a - 3 b <= -4, which times -1 has >= instead of <="),
        ([("2 c = 1", "2 c <= 1")], "wrong_sense",
         "of row 'flow': a - b + 2 c = 1 of the reference, the model has one direction only: 'flow': a - b + 2 c <= 1"),
        ([("3 b <= 4", "3 b = 4")], "wrong_sense",
         "of row 'cap': 2 a + 3 b = 4 of the model, the reference has one direction only: 'cap': 2 a + 3 b <= 4"),
        ([(" low: a + b + 4 c >= 1\n", "")], "missing_rows",
         "row 'low': a + b + 4 c >= 1 of the reference has no partner"),
        ([(" low: a + b + 4 c >= 1\n", ""), (" cap: 2 a + 3 b <= 4\n", "")], "missing_rows",
         "row 'cap': 2 a + 3 b <= 4 of the reference has no partner; also 1 other row"),
        ([(" low:", " more: a + c <= 8\n low:")], "extra_rows",
         "row 'more': a + c <= 8 of the model has no partner"),
        ([("Generals\n b\n", "")], "discrete_semantics",
         "variable 'b' is continuous, its partner 'b' is integer"),
        ([("Binaries\n c\n", "")], "discrete_semantics",
         "variable 'c' is continuous and has no upper bound, its partner 'c' is binary and has upper bound 1"),
        ([("limit: a <= 40", "limit: 2 a <= 82")], "wrong_bound",
         "variable 'a' has upper bound 41 (row 'limit'), its partner 'a' has upper bound 40 (row 'limit')"),
        ([(" limit: a <= 40\n", "")], "wrong_bound",
         "variable 'a' has no upper bound, its partner 'a' has upper bound 40 (row 'limit')"),
        ([("5 b", "6 b")], "wrong_objective",
         "variable 'b' has objective coefficient 6, its partner 'b' has objective coefficient 5"),
        ([("5 b", "0 b"), ("7 c", "8 c")], "wrong_objective",
         "variable 'b' has no objective coefficient, its partner 'b' has objective coefficient 5; also 1 other "
         "variable"),
        ([(" + [ 4 a * c ] / 2", "")], "wrong_objective",
         "the objective has no product instead of 2 'a' * 'c'"),
        ([("[ 4 a * c ]", "[ 4 a ^ 2 ]")], "wrong_objective",
         "the objective has 2 'a' * 'a' instead of 2 'a' * 'c'"),
        ([("+ 10", "")], "wrong_objective", "the constant of the objective is 0 instead of 10"),
        ([("3 a + 5 b + 7 c + [ 4 a * c ] / 2", "0 a")], "wrong_objective",
         "the objective of the model has no terms, that of the reference has"),
        ([("Minimize", "Maximize")], "wrong_sense", "the objective is to be maximised instead of minimised"),
        ([("b <= 9", "b <= 9\n d <= 3")], "variable_count",
         "the model has 4 variables (2 integer), the reference 3 variables (2 integer); in no row and not in the "
         "objective of the model: 'd'"),
    ],
)  # fmt: skip
def test_the_difference_is_named(replacements, kind, text):
    assert changed(*replacements) == Difference(kind, text)


def test_partners_have_other_names():
    difference = changed(("2 a + 3 b <= 4", "2 a + 5 b <= 4"), (" a ", " x "), (" b", " y"), ("cap", "c1"))
    assert difference.text.endswith("'c1': 2 x + 5 y <= 4, which has the coefficient of 'y' 5 instead of 3 of 'b'")


def test_products_in_rows():
    reference = lp.read("Min\n x + 2 y\nSubject To\n area: z + [ 2 x * y + 3 x ^ 2 ] <= 4\nEnd\n")
    model = lp.read("Min\n x + 2 y\nSubject To\n area: z + [ 2 x * y + 3 y ^ 2 ] <= 4\nEnd\n")
    assert compare(model, reference).text.endswith("which has no term like 3 'x' * 'x', a term 3 'y' * 'y' too many")


def test_two_errors_of_which_none_explains_the_other():
    difference = changed(("Generals\n b\n", ""), ("2 a + 3 b <= 4", "2 a + 5 b <= 4"))
    assert difference.kind == "discrete_semantics"
    assert difference.text == "variable 'b' is continuous, its partner 'b' is integer" + SEVERAL


def assignment(n: int) -> Model:
    model = Model()
    x = {pair: model.add_variable(f"x{pair}", "binary") for pair in itertools.product(range(n), repeat=2)}
    for i in range(n):
        model.add_row({x[i, j]: 1 for j in range(n)}, 1, 1, f"out{i}")
        model.add_row({x[j, i]: 1 for j in range(n)}, 1, 1, f"in{i}")
    model.set_objective("min", dict.fromkeys(x.values(), 1))
    return model


def without(model: Model, *rows: str) -> Model:
    data = model.to_json()
    data["rows"] = [row for row in data["rows"] if row["name"] not in rows]
    return Model.from_json(data)


def test_one_of_rows_that_all_look_alike():
    """Any of them may be meant, but it is certain that one is missing and nothing else is wrong."""
    assert re.fullmatch(
        r"row '(in|out)\d': .* of the reference has no partner",
        compare(without(assignment(4), "out2"), assignment(4)).text,
    )


def test_some_of_rows_that_all_look_alike():
    difference = compare(without(assignment(4), "out2", "in1", "in3"), assignment(4))
    assert difference.kind == "missing_rows"
    assert difference.text.endswith("of the reference has no partner" + LOOKALIKE + SEVERAL)


def graph_model(pairs: list[tuple[int, int]], integer: set[int] = frozenset()) -> Model:
    """One variable a node, one row an edge."""
    model = Model()
    for node in range(6):
        model.add_variable(f"x{node}", "integer" if node in integer else "continuous")
    for pair in pairs:
        model.add_row(dict.fromkeys(pair, 1), ub=1)
    return model


HEXAGON = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
TRIANGLES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]


def test_what_colour_refinement_does_not_see():
    difference = compare(graph_model(HEXAGON), graph_model(TRIANGLES))
    assert difference.kind == "structure"
    assert "no renaming of those that look alike ('x0', 'x1', 'x2' and 3 more) fits all rows at once" in difference.text


def test_what_is_right_by_number_but_not_by_place():
    difference = compare(graph_model(HEXAGON, {0, 1}), graph_model(HEXAGON, {0, 3}))
    assert difference.kind == "discrete_semantics"
    assert "the same kinds, but those of 'x0', 'x1', 'x2' and 3 more of the reference are exchanged" in difference.text


def test_long_rows_are_cut():
    text = compare(without(assignment(30), "out7"), assignment(30)).text
    assert "+ ... (30 terms) = 1 of the reference" in text
    assert len(text) < 250


def check_rewrites(seed: int) -> None:
    draw = random.Random(seed)
    model = rewrites.random_model(draw)
    assert isomorphic(rewrites.preserving(model, draw), model)
    other, expected = rewrites.changing(model, draw)
    difference = compare(rewrites.preserving(other, draw), model)
    assert expected.met_by(difference), (expected, difference)
    assert not isomorphic(model, other)


@given(SEEDS)
def test_rewrites_that_preserve_or_change(seed):
    check_rewrites(seed)


@pytest.mark.slow
def test_ten_thousand_rewrites_that_preserve_and_as_many_that_change():
    for seed in range(10_000):
        check_rewrites(seed)


@given(st.from_type(Model), st.from_type(Model))
def test_whatever_the_models_there_is_an_answer(a, b):
    assert compare(a, a) is None
    assert (compare(a, b) is None) == (compare(b, a) is None)


def rewritten(model: Model, draw: random.Random) -> Model:
    """The same in another order, with other names and scales that change no digit."""
    data = model.to_json()
    for rewrite in (rewrites.renamed, rewrites.variables_reordered, rewrites.rows_reordered):
        rewrite(data, draw)
    for row in data["rows"]:
        rewrites.multiply(row, draw.choice([1, -1, 2, -0.5]))
    return Model.from_json(data)


@given(SEEDS)
def test_what_is_said_of_tiny_models_is_true(seed):
    """By trying all renamings: there is one under which the models differ where the text says, and nowhere else."""
    draw = random.Random(seed)
    reference = exact.tiny_model(draw)
    model = rewritten(exact.edited(reference, draw), draw)
    difference = compare(model, reference)
    assert (difference is None) == exact.isomorphic(model, reference)
    if difference is not None:
        assert difference.kind in KINDS
        assert difference.text.endswith(SEVERAL) or is_true(difference, model, reference), difference


def is_true(difference: Difference, model: Model, reference: Model) -> bool:
    text = difference.text
    names = re.findall(r"'([^']*)'", text)
    if text.startswith("the objective is to"):
        return model.objective.sense != reference.objective.sense
    if text.startswith("the objective of the"):
        return not (model.objective.linear or model.objective.quadratic) or not (
            reference.objective.linear or reference.objective.quadratic
        )
    for mine, its, order in exact.renamings(model, reference):
        extra = {row: said for row, said in mine.rows.items() if row not in its.rows}
        missing = {row: said for row, said in its.rows.items() if row not in mine.rows}
        if text.startswith(("row", "of row")):
            same_rest = (mine.variables, mine.products) == (its.variables, its.products)
            if same_rest and only_line(extra) and only_line(missing) and rows_named(difference, names, extra, missing):
                return True
        elif not extra and not missing and text.startswith("variable"):
            k = [variable.name for variable in model.variables].index(names[0])
            partner = re.search(r"its partner '([^']*)'", text)[1]
            if reference.variables[order[k]].name == partner and mine.variables[k] != its.variables[k]:
                return True
        elif not extra and not missing and (mine.variables, mine.products) != (its.variables, its.products):
            return True
    return False


def only_line(rows: dict) -> bool:
    return len({exact.line(row) if row else () for row in rows}) <= 1


def rows_named(difference: Difference, names: list[str], extra: dict, missing: dict) -> bool:
    mine, its = (set().union(*rows.values()) for rows in (extra, missing))
    if difference.kind == "missing_rows" or "of the reference, the model has" in difference.text:
        return names[0] in its
    if difference.kind == "extra_rows" or "of the model, the reference has" in difference.text:
        return names[0] in mine
    return names[0] in its and not mine.isdisjoint(names)
