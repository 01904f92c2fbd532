import math

import highspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.problems import lp
from trex.problems.ir import Model
from trex.problems.solve import QuietHighs, read_into


@given(st.from_type(Model))
def test_read_is_the_inverse_of_write(model):
    assert lp.read(lp.write(model)) == model


@given(st.from_type(Model))
def test_the_portable_text_has_the_same_numbers(model):
    portable = lp.read(lp.write(model, portable=True))
    assert [(v.kind, v.lb, v.ub) for v in portable.variables] == [(v.kind, v.lb, v.ub) for v in model.variables]
    assert portable.objective == model.objective
    sides = {(tuple(r.terms.items()), side, limit) for r in model.rows for side, limit in (("lb", r.lb), ("ub", r.ub))}
    read = {
        (tuple(r.terms.items()), side, limit) for r in portable.rows for side, limit in (("lb", r.lb), ("ub", r.ub))
    }
    assert {s for s in sides if math.isfinite(s[2])} == {s for s in read if math.isfinite(s[2])}


def test_highs_reads_the_portable_text_as_it_is_meant():
    model = wild_model()
    highs = QuietHighs()
    highs.setOptionValue("output_flag", False)
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
anything after the end
"""


def test_what_other_writers_produce_is_read():
    text, _, _ = WILD_TEXT.partition("anything")
    model = lp.read(text)
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
        ("min\n x\nst\n [ x ^ 2 ] >= 2\nend", "line 4: unsupported quadratic row"),
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
        ("min\n x\nst\n x >= 1", "line 4: expected a section or End, found the end of the text"),
        ("min\n x\nst\n x[0 >= 1\nend", "line 4: "),
        ("min\n inf x\nst\nend", "a coefficient is not finite"),
    ],
)
def test_malformed_text_is_named_by_line(text, message):
    with pytest.raises(ValueError, match=message):
        lp.read(text)


@given(st.text(alphabet="minst bodxy0129.e+-*^<>=:[]/\\\n\"'é"))
def test_any_text_gives_a_model_or_a_reason(text):
    try:
        lp.read("min\n" + text)
    except ValueError as error:
        assert str(error)
