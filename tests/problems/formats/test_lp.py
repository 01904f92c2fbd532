import math
import os
from pathlib import Path

import highspy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems.texts import assert_model_or_line, damaged, quadratic_models

from trex.common.errors import UserError
from trex.problems.formats import lp
from trex.problems.formats.model_file import read_file
from trex.problems.ir import Model
from trex.problems.solve import QuietHighs, read_into

REFERENCE_LPS = Path(os.environ.get("TREX_BENCHMARKS", "benchmarks")) / "bench4opt" / "lp_code"


@given(quadratic_models())
def test_read_is_the_inverse_of_write(model):
    assert lp.read(lp.write(model)) == model


@given(quadratic_models())
def test_the_portable_text_has_the_same_numbers(model):
    portable = lp.read(lp.write(model, portable=True))
    assert [(v.kind, v.lb, v.ub) for v in portable.variables] == [(v.kind, v.lb, v.ub) for v in model.variables]
    assert portable.objective == model.objective
    assert finite_sides(portable) == finite_sides(model)


def finite_sides(model: Model) -> set[tuple]:
    """Terms, products, side and limit of each row's finite bounds."""
    sides = [(row, side, limit) for row in model.rows for side, limit in (("lb", row.lb), ("ub", row.ub))]
    return {
        (tuple(row.terms.items()), tuple(row.quadratic.items()), side, limit)
        for row, side, limit in sides
        if math.isfinite(limit)
    }


def test_highs_reads_the_portable_text_as_it_is_meant():
    model = wild_model()
    highs = QuietHighs()
    assert read_into(highs, lp.write(model, portable=True)) == highspy.HighsStatus.kOk
    found = highs.getLp()
    assert list(found.col_lower_) == [v.lb for v in model.variables]
    assert list(found.col_upper_) == [v.ub for v in model.variables]
    assert list(found.col_cost_) == [model.objective.linear.get(i, 0.0) for i in range(len(model.variables))]
    assert [kind == highspy.HighsVarType.kInteger for kind in found.integrality_] == [
        v.is_integer for v in model.variables
    ]
    assert found.offset_ == model.objective.constant
    assert list(zip(found.row_lower_, found.row_upper_, strict=True)) == [(-1, math.inf), (-math.inf, 3), (0.1, 0.1)]


def wild_model() -> Model:
    model = Model()
    for name, kind, lb, ub in [
        ("x[0]", "continuous", 0, math.inf),
        ("a name", "continuous", -math.inf, math.inf),
        ("end", "integer", -3, 7),
        ("Constant", "continuous", 1, 1),
        ("é\n", "binary", 0, 1),
        ("e5", "continuous", -math.inf, -2.5),
        ("a_name", "integer", 0, 1e300),
    ]:
        model.add_variable(name, kind, lb, ub)
    model.add_row({0: 1, 1: -2.5}, -1, 3, "range")
    model.add_row({2: 1 / 3, 4: 1}, 0.1, 0.1, "equal")
    model.add_row({0: 2}, name="free")
    model.set_objective("max", {1: 3, 5: -1e-7}, -4.25, {(0, 0): -1, (0, 2): 0.1})
    return model


def wild_quadratic_model() -> Model:
    model = wild_model()
    model.add_row({1: 1}, ub=3, name="q 1", quadratic={(0, 0): -1, (0, 2): 0.1})
    model.add_row({}, -1, 1, quadratic={(4, 4): 1e308})
    model.set_objective("max", {}, quadratic={(2, 2): -1e308, (3, 5): 5e-324})
    return model


def test_the_text_of_a_wild_model():
    assert lp.write(wild_model()).splitlines() == [
        '\\ variable _a_name is "a name"',
        '\\ variable _end is "end"',
        '\\ variable _Constant is "Constant"',
        '\\ variable _ is "\\u00e9\\n"',
        '\\ variable _e5 is "e5"',
        '\\ row _free is "free"',
        "Maximize",
        " obj: 0 x[0] + 3 _a_name + 0 _end + 0 _Constant + 0 _ - 1e-07 _e5 + 0 a_name + [ - 2 x[0] ^ 2",
        "   + 0.2 x[0] * _end ] / 2 - 4.25",
        "Subject To",
        " range: -1 <= x[0] - 2.5 _a_name <= 3",
        " equal: 0.3333333333333333 _end + _ = 0.1",
        " _free: 2 x[0] >= -inf",
        "Bounds",
        " _a_name free",
        " -3 <= _end <= 7",
        " _Constant = 1",
        " -inf <= _e5 <= -2.5",
        "Binaries",
        " _",
        "Generals",
        " _end a_name",
        "End",
    ]


def test_the_text_of_products():
    lines = lp.write(wild_quadratic_model()).splitlines()
    assert "   + 1e-323 _Constant * _e5 ] / 2" in lines
    assert lines[lines.index("Maximize") + 1].endswith(" + [ - 2E+308 _end ^ 2")
    assert " _q_1: _a_name + [ - x[0] ^ 2 + 0.1 x[0] * _end ] <= 3" in lines
    assert " r4: -1 <= [ 1e+308 _ ^ 2 ] <= 1" in lines


def test_a_nonlinear_expression_cannot_be_written():
    model = Model()
    model.add_variable("x")
    model.add_row({0: 1}, ub=3, name="curve", nonlinear=("exp", ("variable", 0)))
    with pytest.raises(ValueError, match="row 'curve' has a nonlinear expression, which LP text cannot hold"):
        lp.write(model)


WILD_TEXT = """\\ Model of the wild
MINIMIZE multi: 3x[0,"a b"]+2 y - -1 z + 1.5e1
  + 10 Constant + [ 2 y^2 - 4 y*z ] / 2 + [ z ^ 2 ]
Such  That
 x[0,"a b"] + y >= 2
 - y - 3 z + 4 =< 1 \\ a comment
 two: -5 <= 2 y + z <= inf
 right: 7 >= z
 two: y - z = -.5
 empty: 0 y >= -1
bound
 y free
 -INF <= z <= 4
 2 <= w
 Constant = 1
GEN
 y
Bin
 x[0,"a b"]
End
( anything ] after the end
"""


def test_what_other_writers_produce_is_read():
    model = lp.read(WILD_TEXT)
    assert [(v.name, v.kind, v.lb, v.ub) for v in model.variables] == [
        ('x[0,"a b"]', "binary", 0, 1),
        ("y", "integer", -math.inf, math.inf),
        ("z", "continuous", -math.inf, 4),
        ("w", "continuous", 2, math.inf),
    ]
    assert [(r.name, r.terms, r.lb, r.ub) for r in model.rows] == [
        ("r0", {0: 1, 1: 1}, 2, math.inf),
        ("r1", {1: -1, 2: -3}, -math.inf, -3),
        ("two", {1: 2, 2: 1}, -5, math.inf),
        ("right", {2: 1}, -math.inf, 7),
        ("two_2", {1: 1, 2: -1}, -0.5, -0.5),
        ("empty", {}, -1, math.inf),
    ]
    assert model.objective.sense == "min"
    assert model.objective.linear == {0: 3, 1: 2, 2: 1}
    assert model.objective.quadratic == {(1, 1): 1, (1, 2): -2, (2, 2): 1}
    assert model.objective.constant == 25


GUROBI_TEXT = """\\ Model wild
\\ LP format - for model browsing. Use MPS format to capture full model detail.
Maximize
  0 x[0,a_b] + 2 Route-1 + 4.5 Constant + [ 2 x[0,a_b] * Route-1 + 6 a+b ^2 ] / 2
Subject To
 c-1: x[0,a_b] + Route-1 + 2z >= -1
 r: x[0,a_b] - 2 z(1,(2)) + Rgr = 3
 fixed: x[0,a_b] + Rgfixed = 1
 used: x[0,a_b] + Rgused = 1
 R4: x[0,a_b] - Rgused <= 8
 empty: <= 2
 2: a+b + [ x[0,a_b] * a+b - Route-1 ^2 ] <= 2
Lazy Constraints
 lazy: x[0,a_b] + Route-1 + 2z + a+b + end
   + z(1,(2)) <= 1e+30
Bounds
 Route-1 free
 -infinity <= a+b <= -2
 z(1,(2)) <= 1
 Rgr <= 4
 Rgfixed = 0
 Rgused <= 2
 Constant = 1
Binaries
 2z
Generals
 end z(1,(2))
End
"""


def test_what_gurobi_writes_is_read_by_its_rules():
    model = lp.read(GUROBI_TEXT)
    assert [(v.name, v.kind, v.lb, v.ub) for v in model.variables] == [
        ("x[0,a_b]", "continuous", 0, math.inf),
        ("Route-1", "continuous", -math.inf, math.inf),
        ("a+b", "continuous", -math.inf, -2),
        ("2z", "binary", 0, 1),
        ("z(1,(2))", "integer", 0, 1),
        ("Rgused", "continuous", 0, 2),
        ("end", "integer", 0, math.inf),
    ]
    assert [(r.name, r.terms, r.lb, r.ub) for r in model.rows] == [
        ("c-1", {0: 1, 1: 1, 3: 1}, -1, math.inf),
        ("r", {0: 1, 4: -2}, -1, 3),
        ("fixed", {0: 1}, 1, 1),
        ("used", {0: 1, 5: 1}, 1, 1),
        ("R4", {0: 1, 5: -1}, -math.inf, 8),
        ("empty", {}, -math.inf, 2),
        ("2", {2: 1}, -math.inf, 2),
        ("lazy", {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 6: 1}, -math.inf, math.inf),
    ]
    assert model.rows[6].quadratic == {(0, 2): 1, (1, 1): -1}
    assert model.objective.constant == 4.5
    assert model.objective.quadratic == {(0, 1): 1, (2, 2): 3}


def read_row(text: str) -> tuple:
    """(terms, products, lb, ub) of the one row of x (0) and y (1)."""
    row = lp.read(f"min\n x + y\nst\n {text}\nend").rows[0]
    return row.terms, row.quadratic, row.lb, row.ub


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("2x+3y>=1", ({0: 2, 1: 3}, {}, 1, math.inf)),
        ("x - y - x = 0.5", ({1: -1}, {}, 0.5, 0.5)),
        ("x + 0.1 <= 0.3", ({0: 1}, {}, -math.inf, 0.2)),
        ("0.1 x + 0.2 x >= 1", ({0: 0.3}, {}, 1, math.inf)),
        ("3 >= x", ({0: 1}, {}, -math.inf, 3)),
        ("3 = x + y", ({0: 1, 1: 1}, {}, 3, 3)),
        ("3 >= x >= 1", ({0: 1}, {}, 1, 3)),
        ("-inf <= x <= 3", ({0: 1}, {}, -math.inf, 3)),
        ("3 <= 4", ({}, {}, -math.inf, 1)),
        ("R1: 1 <= x\n + y\n <=\n 3", ({0: 1, 1: 1}, {}, 1, 3)),
        ("[ x^2 + 2 x*y ] <= 4", ({}, {(0, 0): 1, (0, 1): 2}, -math.inf, 4)),
        ("x - [ x * x ]/2 >= -4", ({0: 1}, {(0, 0): -0.5}, -4, math.inf)),
        ("[ y * x ] + [ x * y ] = 4", ({}, {(0, 1): 2}, 4, 4)),
        ("1 <= [ - y ^ 2 ] + x <= 4", ({0: 1}, {(1, 1): -1}, 1, 4)),
    ],
)
def test_forms_of_a_row(text, row):
    assert read_row(text) == row


@pytest.mark.parametrize(
    ("lines", "bounds"),
    [
        ("", (0, math.inf)),
        ("x <= 3", (0, 3)),
        ("x >= -3", (-3, math.inf)),
        ("-2 <= x <= -1", (-2, -1)),
        ("-INFINITY <= x <= 3", (-math.inf, 3)),
        ("3 >= x >= 1", (1, 3)),
        ("x = 3", (3, 3)),
        ("x FREE", (-math.inf, math.inf)),
        ("x free\n x < 4", (-math.inf, 4)),
        ("x <= 4\n x <= 5", (0, 5)),
        ("x <= 1e30", (0, math.inf)),
        ("x >= - 1\n 3 >= x", (-1, 3)),
    ],
)
def test_forms_of_a_bound(lines, bounds):
    variable = lp.read(f"min\n x\nst\nBounds\n {lines}\nend").variables[0]
    assert (variable.lb, variable.ub) == bounds


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x[0,\"a\"] + x[a b] + x['a-b',1]", ['x[0,"a"]', "x[a b]", "x['a-b',1]"]),
        ("x(1,2) + y{3} + z_.#$!&;'", ["x(1,2)", "y{3}", "z_.#$!&;'"]),
        ("3e + 2 e5x + 1e2e", ["e", "e5x"]),
        ("Info + freedom + constant", ["Info", "freedom", "constant"]),
        ("x[(0,'a'),[1]]", None),
        ("2 (x + y)", None),
        ("x(y + z)", None),
        ("x[0 + y", None),
        (".x + y", None),
    ],
)
def test_names(text, names):
    text = f"min\n {text}\nst\nend"
    if names is None:
        with pytest.raises(ValueError, match=r"line \d: "):
            lp.read(text)
    else:
        assert [v.name for v in lp.read(text).variables] == names


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("", ({}, 0)),
        ("obj:", ({}, 0)),
        ("obj: 4", ({}, 4)),
        ("4 + x - 2 + 2.5", ({0: 1}, 4.5)),
        ("x + 4.5 Constant", ({0: 1}, 4.5)),
    ],
)
def test_an_objective_may_be_empty_or_have_a_constant(objective, expected):
    model = lp.read(f"max\n {objective}\nst\n x >= 1\nbounds\n 1 <= Constant <= 1\nend")
    assert (model.objective.linear, model.objective.constant) == expected
    assert [v.name for v in model.variables] == ["x"]


def test_a_variable_that_is_only_called_constant_stays():
    model = lp.read("min\n 3 Constant\nst\n x + Constant >= 1\nbounds\n Constant = 1\nend")
    assert [v.name for v in model.variables] == ["Constant", "x"]


def test_an_unsupported_section_may_be_empty():
    assert lp.read("min\n x\nst\nsemi\nSOS\nend").variables[0].name == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected Minimize or Maximize"),
        ("hello", "line 1: expected Minimize or Maximize, found 'hello'"),
        ("min\n x\nst\n x + >= 2\nend", "line 4: expected a number or a variable, found '>='"),
        ("min\n x\nst\n x + y\nend", "line 5: expected a relation"),
        ("min\n x\nst\n x + y <=\nend", "line 5: expected a number, found 'end'"),
        ("min\n x\nst\n x >= 2 y\nend", "line 4: expected the end of the row, found 'y'"),
        ("min\n x\nst\n 2 3 x >= 2\nend", "line 4: expected a relation .*, found '3'"),
        ("min\n x\nst\n x * y >= 2\nend", "line 4: a product of variables outside"),
        ("min\n x\nst\n c: x * 2 >= 2\nend", "line 4: a product of variables outside"),
        ("min\n x\nst\n x <= y + 2\nend", "line 4: expected a number, found 'y'"),
        ("min\n x\nst\n x >= 3 + 3\nend", "line 4: expected the end of the row, found '\\+'"),
        ("min\n x\nst\n x <= 2 <= 3\nend", "line 4: expected the end of the row, found '<='"),
        ("min\n [ x ^ 3 ]\nst\nend", "line 2: unsupported power"),
        ("min\n [ x ]\nst\nend", "line 2: expected \\^ 2 or \\* and a variable, found ']'"),
        ("min\n [ x ^ 2\nst\nend", "line 3: expected a variable or \\]"),
        ("min\n [ x ^ 2 ] / 3\nst\nend", "line 2: expected / 2 after \\], found '3'"),
        ("min\n x\nst\nbounds\n x >= y\nend", "line 5: expected a number, found 'y'"),
        ("min\n x\nst\nbounds\n x <= -1\nend", "line 5: variable 'x': no value lies between"),
        ("min\n x\nst\n c: 5 <= x <= 3\nend", "line 4: row 'c': no value lies between"),
        ("min\n x\nst\nbin\n 3\nend", "line 5: expected a variable, found '3'"),
        ("min\n x\nst\nSOS\n s1: S1:: x:1\nend", "line 4: unsupported section 'SOS'"),
        ("min\n x\nst\nSemi-Continuous\n x\nend", "line 4: unsupported section 'Semi-Continuous'"),
        ("min\n x\nst\nPWLObj\n x: (0, 0) (1, 2)\nend", "line 4: unsupported section 'PWLObj'"),
        ("min\n x\nst\nGENERAL CONSTRAINTS\n g: x = MAX ( y , 2 )\nend", "line 4: unsupported section 'GENERAL CON"),
        ("min\n x\nst\nUser Cuts\n x >= 1\nend", "line 4: unsupported section 'User Cuts'"),
        ("Minimize multi-objectives\n a: Priority=1\n x\nst\nend", "line 1: unsupported section 'Minimize multi"),
        ("min\n x\nst\n i: b = 1 -> x <= 2\nend", "line 4: unsupported indicator constraint"),
        ("min\n x\nst\n i: b = 1 <-> x <= 2\nend", "line 4: unsupported indicator constraint"),
        ('min\n _x\nst\nend\n\\ variable _x is "\\q"', "line 5: Invalid"),
        ("min\n x\nst\n x >= 1", "line 4: expected a section or End, found the end of the text"),
        ("min\n x\nst\n x[0 >= 1\nend", "line 4: expected a relation .*, found '\\['"),
        ("min\n inf x\nst\nend", "line 1: objective: a coefficient is not finite"),
        ("min\n x\nst\n 1e999 x >= 2\nend", "line 4: row 'r0': a coefficient is not finite"),
        ("min\n x\nst\n inf - inf + x >= 2\nend", "line 4: row 'r0': the lower bound is not a number"),
    ],
)
def test_malformed_text_is_named_by_line(text, message):
    with pytest.raises(ValueError, match=message):
        lp.read(text)


WRITTEN = lp.write(wild_quadratic_model())


@given(damaged([WILD_TEXT, GUROBI_TEXT, WRITTEN]))
def test_a_damaged_text_gives_a_model_or_a_reason_with_its_line(text):
    assert_model_or_line(lp.read, lp.write, text)


@given(st.text(alphabet="minst bodxy0129.e+-*^<>=:[]()/\\\n\"'é"))
def test_any_text_gives_a_model_or_a_reason_with_its_line(text):
    assert_model_or_line(lp.read, lp.write, "min\n" + text)


def test_a_file_is_read_by_its_suffix_and_named_in_errors(tmp_path):
    path = tmp_path / "model.LP"
    path.write_text(lp.write(wild_model()), encoding="utf-8-sig")
    assert read_file(path) == wild_model()
    path.write_text("min\n x\nst\n x + >= 2\nend", encoding="utf-8")
    with pytest.raises(UserError, match=r"model.LP, line 4: expected a number or a variable, found '>='"):
        read_file(path)
    path.write_bytes(b"min\n \xff")
    with pytest.raises(UserError, match=r"model.LP: not a text in UTF-8"):
        read_file(path)
    with pytest.raises(UserError, match=r"other.lp: No such file"):
        read_file(tmp_path / "other.lp")
    with pytest.raises(UserError, match=r"model.txt: a model file ends in .lp or .mps"):
        read_file(tmp_path / "model.txt")


@pytest.mark.skipif(not REFERENCE_LPS.is_dir(), reason="no reference LPs under $TREX_BENCHMARKS")
def test_every_reference_lp_is_read_without_loss():
    for path in REFERENCE_LPS.glob("*.lp"):
        model = read_file(path)
        assert lp.read(lp.write(model)) == model
