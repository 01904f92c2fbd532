"""Tables, rows and copies of a recorded model."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.execution.standins.gurobi import library
from trex.execution.standins.model import bounds, sides
from trex.problems.comparison.canonical import isomorphic

FINITE = st.floats(-100, 100)


@given(FINITE | st.just(-math.inf), FINITE | st.just(math.inf))
def test_bounds_of_rows_there_and_back(lb, ub):
    found = bounds(*sides(lb, ub))
    assert found == pytest.approx((lb, ub))


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_removed_parts_leave_the_others_in_their_places(variables, rows):
    model = library.Model()
    x = model.addVars(10, name="x")
    c = model.addConstrs((x[i] + x[(i + 1) % 10] <= i for i in range(10)), name="c")
    x[3].Start = 7
    model.remove([x[i] for i in variables])
    model.remove([c[i] for i in rows])
    ir = model._recording.to_ir()
    assert [v.name for v in ir.variables] == [f"x[{i}]" for i in range(10) if i not in variables]
    assert [(row.name, row.ub) for row in ir.rows] == [(f"c[{i}]", i) for i in range(10) if i not in rows]
    for row in ir.rows:
        i = int(row.ub)
        names = {ir.variables[index].name for index in row.terms}
        assert names == {f"x[{k}]" for k in (i, (i + 1) % 10) if k not in variables}
    assert 3 in variables or x[3].start == 7


def test_the_same_variable_twice_in_a_row_is_added_up(model, xyz):
    x, y, _ = xyz
    model.addConstr(x + y + x - 3 * y <= 2 + x)
    model.addConstr(x * y + y * x + 2 * x <= 1)
    linear, quadratic = model._recording.to_ir().rows
    assert (linear.terms, linear.ub) == ({0: 1.0, 1: -2.0}, 2.0)
    assert (quadratic.terms, quadratic.quadratic) == ({0: 2.0}, {(0, 1): 2.0})


def test_a_copy_is_the_same_model_and_lives_alone(model, xyz):
    x, y, z = xyz
    b = model.addVar(vtype="B", name="b")
    model.addConstr(x + y <= 3)
    model.addRange(x - z, 1, 2)
    model.addConstr(x * y >= 1)
    model.addConstr((b == 1) >> (x <= 2))
    model.addConstr(z == library.nlfunc.exp(x) + y)
    model.setObjective(x * x + y - 4, library.GRB.MAXIMIZE)
    before = model._recording.to_ir()
    copy = model.copy()
    assert copy._recording.to_ir() == before
    copy.addConstr(copy.getVarByName("x") <= 1)
    copy.getVarByName("y").UB = 5
    assert model._recording.to_ir() == before
    with pytest.raises(library.GurobiError, match="not in model"):
        copy.addConstr(x <= 1)


def test_a_relaxation_has_no_integers(model):
    x = model.addVars(2, vtype="B", name="x")
    model.addConstr(x.sum() <= 1)
    continuous = library.Model()
    y = continuous.addVars(2, ub=1)
    continuous.addConstr(y.sum() <= 1)
    assert isomorphic(model.relax()._recording.to_ir(), continuous._recording.to_ir())


def test_a_variable_of_a_general_constraint_stays(model, xyz):
    x, y, _ = xyz
    model.addConstr(y == library.abs_(x))
    with pytest.raises(Exception, match="general constraint"):
        model.remove(x)


def test_names_that_are_missing_or_used_twice(model):
    model.addVar(name="a")
    model.addVar(name="a")
    model.addVar()
    model.addConstr(model.getVars()[0] <= 1, "r")
    model.addConstr(model.getVars()[1] <= 1, "r")
    ir = model._recording.to_ir()
    assert [v.name for v in ir.variables] == ["a", "a_2", "C2"]
    assert [row.name for row in ir.rows] == ["r", "r_2"]


def test_crossed_bounds_are_kept_as_an_infeasible_model(model):
    model.addVar(lb=5, ub=1, name="x")
    model.optimize()
    assert model.Status == library.GRB.INFEASIBLE
