import math
import random

import highspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.problems.texts import assert_model_or_line, damaged, quadratic_models

from trex.common.errors import UserError
from trex.problems import families
from trex.problems.formats import mps
from trex.problems.formats.model_file import read_file
from trex.problems.ir import Model
from trex.problems.solve import QuietHighs, solve


@given(quadratic_models())
def test_read_is_the_inverse_of_write(model):
    assert mps.read(mps.write(model)) == model


def wild_model() -> Model:
    model = Model()
    for name, kind, lb, ub in [
        ("x[0]", "continuous", 0, math.inf),
        ("a name", "continuous", -math.inf, math.inf),
        ("RHS", "integer", -3, 7),
        ("é\n", "binary", 0, 1),
        ("i", "integer", 0, math.inf),
        ("u", "continuous", -math.inf, -2.5),
        ("fixed", "binary", 1, 1),
        ("half", "binary", 0.5, 1),
        ("3", "integer", -math.inf, math.inf),
    ]:
        model.add_variable(name, kind, lb, ub)
    model.add_row({0: 1, 1: -2.5}, 0.1, 1e19, "range")
    model.add_row({2: 1 / 3, 4: 1}, 0.1, 0.1, "equal")
    model.add_row({0: 2}, name="free")
    model.add_row({0: 1}, ub=-1, name="OBJ", quadratic={(0, 0): 1e308, (1, 3): 5e-324})
    model.set_objective("max", {1: 3, 5: -1e-7}, -4.25, {(0, 0): -1e308, (0, 2): 0.1})
    return model


def test_the_text_of_a_wild_model():
    assert mps.write(wild_model()).splitlines() == [
        '* variable _a_name is "a name"',
        '* variable _RHS is "RHS"',
        '* variable _ is "\\u00e9\\n"',
        '* variable _3 is "3"',
        "NAME",
        "OBJSENSE",
        "    MAX",
        "ROWS",
        " N  OBJ_2",
        " G  range",
        " E  equal",
        " G  free",
        " L  OBJ",
        "COLUMNS",
        "    x[0]  OBJ_2  0",
        "    x[0]  range  1",
        "    x[0]  free  2",
        "    x[0]  OBJ  1",
        "    _a_name  OBJ_2  3",
        "    _a_name  range  -2.5",
        "    MARKER  'MARKER'  'INTORG'",
        "    _RHS  OBJ_2  0",
        "    _RHS  equal  0.3333333333333333",
        "    _  OBJ_2  0",
        "    i  OBJ_2  0",
        "    i  equal  1",
        "    MARKER  'MARKER'  'INTEND'",
        "    u  OBJ_2  -1e-07",
        "    MARKER  'MARKER'  'INTORG'",
        "    fixed  OBJ_2  0",
        "    half  OBJ_2  0",
        "    _3  OBJ_2  0",
        "    MARKER  'MARKER'  'INTEND'",
        "RHS",
        "    RHS  OBJ_2  4.25",
        "    RHS  range  0.1",
        "    RHS  equal  0.1",
        "    RHS  free  -1e30",
        "    RHS  OBJ  -1",
        "RANGES",
        "    RNG  range  9999999999999999999.9",
        "BOUNDS",
        " FR BND  _a_name",
        " LO BND  _RHS  -3",
        " UP BND  _RHS  7",
        " BV BND  _",
        " LO BND  i  0",
        " MI BND  u",
        " UP BND  u  -2.5",
        " FX BND  fixed  1",
        " BV BND  fixed",
        " LO BND  half  0.5",
        " UP BND  half  1",
        " BV BND  half",
        " FR BND  _3",
        "QUADOBJ",
        "    x[0]  x[0]  -2E+308",
        "    x[0]  _RHS  0.1",
        "QCMATRIX  OBJ",
        "    x[0]  x[0]  1e+308",
        "    _a_name  _  2.5E-324",
        "    _  _a_name  2.5E-324",
        "ENDATA",
    ]


def test_a_nonlinear_expression_cannot_be_written():
    model = Model()
    model.add_variable("x")
    model.set_objective("min", {}, nonlinear=("sin", ("variable", 0)))
    with pytest.raises(ValueError, match="the objective has a nonlinear expression, which MPS text cannot hold"):
        mps.write(model)


def read_by_highs(text: str, folder) -> highspy.Highs:
    path = folder / "model.mps"
    path.write_text(text, encoding="ascii")
    highs = QuietHighs()
    assert highs.readModel(str(path)) != highspy.HighsStatus.kError
    return highs


MODERATE = st.one_of(st.integers(-9, 9), st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6))


@st.composite
def moderate_models(draw: st.DrawFn) -> Model:
    """Linear models without what HiGHS takes for zero or refuses."""
    model = Model()
    limits = st.tuples(st.one_of(st.none(), MODERATE), st.one_of(st.none(), MODERATE))
    for i, kind in enumerate(draw(st.lists(st.sampled_from(["continuous", "integer", "binary"]), min_size=1))):
        lb, ub = draw(limits) if kind != "binary" else (None, None)
        if lb is not None and ub is not None:
            lb, ub = min(lb, ub), max(lb, ub)
        model.add_variable(f"x[{i}]", kind, -math.inf if lb is None else lb, math.inf if ub is None else ub)
    indexes = st.integers(0, len(model.variables) - 1)
    for lb, ub in draw(st.lists(limits, max_size=4)):
        if lb is not None and ub is not None:
            lb, ub = min(lb, ub), max(lb, ub)
        terms = draw(st.dictionaries(indexes, MODERATE))
        model.add_row(terms, -math.inf if lb is None else lb, math.inf if ub is None else ub)
    model.set_objective(draw(st.sampled_from(["min", "max"])), draw(st.dictionaries(indexes, MODERATE)), draw(MODERATE))
    return model


@settings(max_examples=60)
@given(model=moderate_models())
def test_highs_reads_our_text_as_it_is_meant(model, tmp_path_factory):
    found = read_by_highs(mps.write(model), tmp_path_factory.getbasetemp()).getLp()
    assert list(found.col_names_) == [v.name for v in model.variables]
    assert list(found.col_lower_) == [v.lb for v in model.variables]
    assert list(found.col_upper_) == [v.ub for v in model.variables]
    assert [highspy.HighsVarType.kInteger == kind for kind in found.integrality_] in (
        [v.is_integer for v in model.variables],
        [],
    )
    assert list(found.col_cost_) == [model.objective.linear.get(i, 0.0) for i in range(len(model.variables))]
    assert found.offset_ == model.objective.constant
    assert (found.sense_ == highspy.ObjSense.kMaximize) == (model.objective.sense == "max")
    assert list(found.row_lower_) == pytest.approx([row.lb for row in model.rows], rel=1e-9, abs=1e-9)
    assert list(found.row_upper_) == pytest.approx([row.ub for row in model.rows], rel=1e-9, abs=1e-9)
    assert highs_terms(found) == [row.terms for row in model.rows]


def highs_terms(found: highspy.HighsLp) -> list[dict[int, float]]:
    """The rows of a matrix that is stored by columns."""
    matrix, rows = found.a_matrix_, [{} for _ in range(found.num_row_)]
    for column in range(found.num_col_):
        for k in range(matrix.start_[column], matrix.start_[column + 1]):
            rows[matrix.index_[k]][column] = matrix.value_[k]
    return rows


@settings(max_examples=40)
@given(model=moderate_models())
def test_what_highs_writes_is_read_as_it_is_meant(model, tmp_path_factory):
    """It writes 15 digits, [0, 1] integers as binary ones, rows without bounds as N rows, no kinds of empty columns."""
    model.add_row(dict.fromkeys(range(len(model.variables)), 1.0), ub=1e6)
    path = tmp_path_factory.getbasetemp() / "written.mps"
    read_by_highs(mps.write(model), tmp_path_factory.getbasetemp()).writeModel(str(path))
    found = read_file(path)
    assert [(v.name, v.is_integer) for v in found.variables] == [(v.name, v.is_integer) for v in model.variables]
    assert [limit for v in found.variables for limit in (v.lb, v.ub)] == pytest.approx(
        [limit for v in model.variables for limit in (v.lb, v.ub)]
    )
    rows = [row for row in model.rows if math.isfinite(row.lb) or math.isfinite(row.ub)]
    assert [limit for row in found.rows for limit in (row.lb, row.ub)] == pytest.approx(
        [limit for row in rows for limit in (row.lb, row.ub)], abs=1e-8
    )
    for one, other in zip(found.rows, rows, strict=True):
        assert one.terms == pytest.approx(other.terms)
    assert found.objective.sense == model.objective.sense
    assert found.objective.linear == pytest.approx(model.objective.linear)
    assert found.objective.constant == pytest.approx(model.objective.constant)


@pytest.mark.parametrize("name", families.names())
def test_both_solvers_find_the_optimum_of_our_text(name, tmp_path):
    family = families.load(name)
    model = family.model(family.draw(random.Random(7), "small"))
    highs = read_by_highs(mps.write(model), tmp_path)
    highs.run()
    expected = solve(model)
    assert expected.status == "optimal"
    assert highs.getInfo().objective_function_value == pytest.approx(expected.objective)


# As an old deck has it: fixed columns, spaces in names, a set without a name, sequence numbers from column 73 on.
FIXED_TEXT = """\
* A deck
NAME          OLD DECK
ROWS
 N  COST A
 G  NEED 1                                                              00000010
 L  CAP
 E  BAL 2
COLUMNS
    X ONE     COST A             1.5   NEED 1             1.0
    X ONE     CAP                -2.
    MARKER    'MARKER'                 'INTORG'
    N 1       COST A              2.   BAL 2               .5           00000020
    N 2       COST A             -1.   BAL 2             1E+1
    MARKER    'MARKER'                 'INTEND'
    X TWO     CAP                +1.
RHS
              NEED 1              4.   COST A            -10.
              BAL 2               3.
RANGES
    RNG       NEED 1             2.5   BAL 2              -1.
BOUNDS
 UP BND       X ONE               4.
 UP BND       N 2                 9.
 MI BND       X TWO
ENDATA
"""


def test_fixed_columns_with_spaces_in_names():
    model = mps.read(FIXED_TEXT)
    assert [(v.name, v.kind, v.lb, v.ub) for v in model.variables] == [
        ("X ONE", "continuous", 0, 4),
        ("N 1", "integer", 0, 1),
        ("N 2", "integer", 0, 9),
        ("X TWO", "continuous", -math.inf, math.inf),
    ]
    assert [(r.name, r.terms, r.lb, r.ub) for r in model.rows] == [
        ("NEED 1", {0: 1}, 4, 6.5),
        ("CAP", {0: -2, 3: 1}, -math.inf, 0),
        ("BAL 2", {1: 0.5, 2: 10}, 2, 3),
    ]
    assert model.objective.linear == {0: 1.5, 1: 2, 2: -1}
    assert model.objective.constant == 10


# As Gurobi writes it: a row without terms, an infinite right-hand side, LI, a fixed bound before BV.
GUROBI_TEXT = """\
NAME wild
OBJSENSE MAX
ROWS
 N  OBJ
 L  empty
 L  big
 L  q
LAZYCONS
 G  lazy
COLUMNS
    x[0,a]    OBJ       0
    y-1       OBJ       3
    y-1       lazy      1
    MARKER    'MARKER'                 'INTORG'
    n         big       1
    b         big       1
    b0        OBJ       0
    MARKER    'MARKER'                 'INTEND'
RHS
    RHS1      OBJ       -4.5
    RHS1      empty     2
    RHS1      big       1e+30
    RHS1      q         2
BOUNDS
 MI BND1      y-1
 UP BND1      y-1       -2
 LI BND1      n         0
 BV BND1      b
 FX BND1      b0        0
 BV BND1      b0
QUADOBJ
    x[0,a]    y-1       1
    x[0,a]    x[0,a]    6
QCMATRIX   q
    x[0,a]    y-1       0.5
    y-1       x[0,a]    0.5
    y-1       y-1       1
SOS
INDICATORS
ENDATA
anything after the end
"""


def test_what_gurobi_writes():
    model = mps.read(GUROBI_TEXT)
    assert [(v.name, v.kind, v.lb, v.ub) for v in model.variables] == [
        ("x[0,a]", "continuous", 0, math.inf),
        ("y-1", "continuous", -math.inf, -2),
        ("n", "integer", 0, math.inf),
        ("b", "binary", 0, 1),
        ("b0", "binary", 0, 0),
    ]
    assert [(r.name, r.terms, r.quadratic, r.lb, r.ub) for r in model.rows] == [
        ("empty", {}, {}, -math.inf, 2),
        ("big", {2: 1, 3: 1}, {}, -math.inf, math.inf),
        ("q", {}, {(0, 1): 1, (1, 1): 1}, -math.inf, 2),
        ("lazy", {1: 1}, {}, 0, math.inf),
    ]
    assert model.objective.sense == "max"
    assert (model.objective.linear, model.objective.constant) == ({1: 3}, 4.5)
    assert model.objective.quadratic == {(0, 1): 1, (0, 0): 3}


def small(sections: str, head: str = "", columns: str = " x c 1\n y c 1") -> str:
    """A text with an objective `cost`, a row `c` and columns x, y, or others, and what is added."""
    return f"NAME\n{head}ROWS\n N cost\n G c\nCOLUMNS\n{columns}\n{sections}\nENDATA\n"


@pytest.mark.parametrize(
    ("head", "sense"),
    [
        ("", "min"),
        ("OBJSENSE\n    MAX\n", "max"),
        ("OBJSENSE MAXIMIZE\n", "max"),
        ("objsense\n minimise\n", "min"),
        ("*SENSE:Maximize\n", "max"),
        ("*SENSE:Maximize\nOBJSENSE MIN\n", "min"),
        ("OBJSENSE MIN\n*SENSE:Maximize\n", "min"),
    ],
)
def test_the_sense(head, sense):
    assert mps.read(small("", head)).objective.sense == sense


N_ROWS = """\
ROWS
 N cost
 L c
 N other
 N spare
COLUMNS
 x cost 2 other 3
 x c 1 spare 4
RHS
 cost 1 other -5
 spare 7
RANGES
 spare 3
ENDATA
"""


def test_the_objective_is_the_first_n_row_or_the_named_one_and_the_others_are_dropped():
    for head, objective in (
        ("", ({0: 2}, -1)),
        ("OBJNAME\n    other\n", ({0: 3}, 5)),
        ("OBJNAME other\n", ({0: 3}, 5)),
    ):
        model = mps.read(head + N_ROWS)
        assert (model.objective.linear, model.objective.constant) == objective
        assert [(row.name, row.terms) for row in model.rows] == [("c", {0: 1})]
    without = mps.read("ROWS\n L c\nCOLUMNS\n x c 1\nENDATA\n")
    assert (without.objective.linear, without.rows[0].ub) == ({}, 0)


@pytest.mark.parametrize(
    ("kind", "width", "bounds"),
    [
        ("L", None, (-math.inf, 10)),
        ("G", None, (10, math.inf)),
        ("E", None, (10, 10)),
        ("L", "4", (6, 10)),
        ("L", "-4", (6, 10)),
        ("G", "4", (10, 14)),
        ("G", "-4", (10, 14)),
        ("E", "4", (10, 14)),
        ("E", "-4", (6, 10)),
        ("E", "0", (10, 10)),
        ("L", "0", (10, 10)),
        ("L", "1e30", (-math.inf, 10)),
        ("G", "0.1", (10, 10.1)),
    ],
)
def test_ranges(kind, width, bounds):
    section = "" if width is None else f"RANGES\n RNG c {width}"
    row = mps.read(small(f"RHS\n RHS c 10\n{section}").replace(" G c", f" {kind} c")).rows[0]
    assert (row.lb, row.ub) == bounds


INTEGERS = " M 'MARKER' 'INTORG'\n x c 1\n M 'MARKER' 'INTEND'\n y c 1"


@pytest.mark.parametrize(
    ("lines", "columns", "expected"),
    [
        ("", "", ("continuous", 0, math.inf)),
        ("UP B x 4", "", ("continuous", 0, 4)),
        ("UP B x 0", "", ("continuous", 0, 0)),
        ("UP B x -4", "", ("continuous", -math.inf, -4)),
        ("UP B x -4\n LO B x -8", "", ("continuous", -8, -4)),
        ("LO B x -8\n UP B x -4", "", ("continuous", -8, -4)),
        ("LO x 2", "", ("continuous", 2, math.inf)),
        ("FX B x 2", "", ("continuous", 2, 2)),
        ("FR B x", "", ("continuous", -math.inf, math.inf)),
        ("fr x", "", ("continuous", -math.inf, math.inf)),
        ("FR B x 0", "", ("continuous", -math.inf, math.inf)),
        ("MI B x", "", ("continuous", -math.inf, math.inf)),
        ("MI B x\n UP B x 4", "", ("continuous", -math.inf, 4)),
        ("PL B x", "", ("continuous", 0, math.inf)),
        ("UP B x 1e30", "", ("continuous", 0, math.inf)),
        ("UP B x Infinity\n LO B x -inf", "", ("continuous", -math.inf, math.inf)),
        ("BV B x", "", ("binary", 0, 1)),
        ("BV B x 1", "", ("binary", 0, 1)),
        ("BV B x\n FX B x 1", "", ("binary", 1, 1)),
        ("LI B x -2", "", ("integer", -2, math.inf)),
        ("UI B x 7", "", ("integer", 0, 7)),
        ("UI B x -7", "", ("integer", -math.inf, -7)),
        ("", INTEGERS, ("integer", 0, 1)),
        ("PL B x", INTEGERS, ("integer", 0, math.inf)),
        ("LO B x 0", INTEGERS, ("integer", 0, math.inf)),
        ("UP B x 7", INTEGERS, ("integer", 0, 7)),
        ("BV B x", INTEGERS, ("binary", 0, 1)),
    ],
)
def test_bounds(lines, columns, expected):
    section = f"BOUNDS\n {lines}" if lines else ""
    model = mps.read(small(section, columns=columns) if columns else small(section))
    assert [(v.kind, v.lb, v.ub) for v in model.variables] == [expected, ("continuous", 0, math.inf)]


@pytest.mark.parametrize(
    ("section", "objective", "row"),
    [
        ("QUADOBJ\n x x 2\n y x 3", {(0, 0): 1, (0, 1): 3}, {}),
        ("QMATRIX\n x x 2\n x y 3\n y x 3", {(0, 0): 1, (0, 1): 3}, {}),
        ("QSECTION cost\n x x 2 y 3", {(0, 0): 1, (0, 1): 3}, {}),
        ("QSECTION c\n x x 2\n y x 3", {}, {(0, 0): 1, (0, 1): 3}),
        ("QCMATRIX c\n x x 2\n x y 3\n y x 3", {}, {(0, 0): 2, (0, 1): 6}),
        ("QUADOBJ\n y y 2\nQCMATRIX c\n x x 2", {(1, 1): 1}, {(0, 0): 2}),
    ],
)
def test_quadratic_parts(section, objective, row):
    model = mps.read(small(section))
    assert (model.objective.quadratic, model.rows[0].quadratic) == (objective, row)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected ENDATA, found the end of the text"),
        ("NAME x\nROWS\n N c\n", "line 4: expected ENDATA"),
        (" x c 1\n", "line 1: a data line after no section"),
        ("NAME\n x c 1\n", "line 2: a data line after NAME"),
        ("NAME\nROWS\nN cost\n", "line 3: unknown section 'N'; a data line begins with a blank"),
        ("ROWS\n N c\n D d\n", "line 3: a row's kind is N, L, G or E, not 'D'"),
        ("ROWS\n N c\n L c\n", "line 3: a second row 'c'"),
        ("ROWS\n N a\n N a b c d\n", "line 3: expected a kind and a name of a row, found 5 words"),
        ("ROWS\n N a 2 1 1e-6 0\n", "line 2: unsupported objective with a priority"),
        ("OBJSENSE\n UP\n", "line 2: expected MAX or MIN, found 'UP'"),
        ("OBJNAME c\nROWS\n L c\nENDATA\n", "line 4: the objective 'c' is not an N row"),
        ("OBJNAME d\nROWS\n L c\nENDATA\n", "line 4: no row is named 'd'"),
        (small("", columns=" x d 1"), "line 6: no row is named 'd'"),
        (small("", columns=" x c 1\n x c 2"), "line 7: a second entry of column 'x' in row 'c'"),
        (small("", columns=" x c 1\n y c 1\n x cost 2"), "line 8: column 'x' comes back after column 'y'"),
        (small("", columns=" x c"), "line 6: expected one or two pairs of a name and a value after a name"),
        (small("", columns=" x c one"), "line 6: expected a number, found 'one'"),
        (small("", columns=" x c 1_0"), "line 6: expected a number, found '1_0'"),
        (small("", columns=" x c nan"), "line 6: expected a number, found 'nan'"),
        (small("", columns=" x c 1e999"), "line 6: expected a finite number, found '1e999'"),
        (small("", columns=" M 'MARKER' 'SOSORG'"), "line 6: unsupported marker 'SOSORG'"),
        (small("RHS\n R d 1"), "line 9: no row is named 'd'"),
        (small("RHS\n R c 1\n R c 2"), "line 10: a second right-hand side of row 'c'"),
        (small("RHS\n R c 1\n S c 2"), "line 10: unsupported second set 'S' in RHS"),
        (small("RHS\n R c inf"), "line 4: row 'c': no value lies between"),
        (small("RANGES\n R c 1\n R c 2"), "line 10: a second range of row 'c'"),
        (small("RANGES\n R cost 1"), "line 9: a range of the objective 'cost'"),
        (small("BOUNDS\n UP B z 1"), "line 9: no column is named 'z'"),
        (small("BOUNDS\n UP B x"), "line 9: no column is named 'B'|expected a number"),
        (small("BOUNDS\n UP B x 1\n UP B x 2"), "line 10: a second upper bound of 'x'"),
        (small("BOUNDS\n MI B x\n FX B x 2"), "line 10: a second lower bound of 'x'"),
        (small("BOUNDS\n UP B x 1\n UP C y 2"), "line 10: unsupported second set 'C' in BOUNDS"),
        (small("BOUNDS\n XX B x 1"), "line 9: unknown kind of bound 'XX'"),
        (small("BOUNDS\n SC B x 1"), "line 9: unsupported semi-continuous column 'x'"),
        (small("BOUNDS\n LO B x 2\n UP B x 1"), "line 10: variable 'x': no value lies between"),
        (small("BOUNDS\n UP B x 1 y 2"), "line 9: expected one column and one value"),
        (small("QUADOBJ\n x x 2\n x x 2"), "line 10: a second entry of 'x' and 'x'"),
        (small("QUADOBJ\n x y 2\n y x 2"), "line 10: a second entry of 'y' and 'x'"),
        (small("QUADOBJ\n x z 2"), "line 9: no column is named 'z'"),
        (small("QMATRIX\n x y 2"), "line 8: the matrix is not symmetric in 'x' and 'y'"),
        (small("QCMATRIX d\n x y 2"), "line 8: no row is named 'd'"),
        (small("QCMATRIX c\n x x 2\nQCMATRIX c"), "line 10: a second quadratic part of row 'c'"),
        ("ROWS\n L c\nQUADOBJ\n", "line 3: QUADOBJ without an objective, an N row, before it"),
        (small("SOS\n S1 s\n x 1"), "line 9: unsupported section SOS"),
        (small("INDICATORS\n IF c x 1"), "line 9: unsupported section INDICATORS"),
        (small("GENCONS\n MAX m"), "line 9: unsupported section GENCONS"),
        (small("PWLOBJ\n x 0 0"), "line 9: unsupported section PWLOBJ"),
        (small("CSECTION k 0 QUAD\n x"), "line 9: unsupported section CSECTION"),
        (small("USERCUTS\n L u"), "line 9: unsupported section USERCUTS"),
        ('* variable x is "\\q"\n' + small(""), "line 1: Invalid"),
        (FIXED_TEXT.replace("X TWO     CAP ", "X TWO     CUP "), "line 15: no row is named 'CUP'"),
        (
            FIXED_TEXT.replace("  1.5   NEED", "    1.5 NEED"),
            "line 9: columns 37 to 39 are not blank",
        ),
        (FIXED_TEXT.replace(" MI BND       X TWO", " UP BND       X TWO"), "line 24: expected a number, found ''"),
    ],
)
def test_malformed_text_is_named_by_line(text, message):
    with pytest.raises(ValueError, match=message):
        mps.read(text)


WRITTEN = mps.write(wild_model())


@given(damaged([FIXED_TEXT, GUROBI_TEXT, WRITTEN]))
def test_a_damaged_text_gives_a_model_or_a_reason_with_its_line(text):
    assert_model_or_line(mps.read, mps.write, text)


@given(st.text(alphabet="RHSCO NLGxc1e.\n\"'*é"))
def test_any_text_gives_a_model_or_a_reason_with_its_line(text):
    assert_model_or_line(mps.read, mps.write, "ROWS\n N c\n" + text)


def test_a_file_is_named_in_errors(tmp_path):
    path = tmp_path / "model.mps"
    path.write_text(small("RHS\n R d 1"), encoding="utf-8")
    with pytest.raises(UserError, match=r"model.mps, line 9: no row is named 'd'"):
        read_file(path)
