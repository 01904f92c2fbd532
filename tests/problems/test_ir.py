import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.problems.ir import Model


def two_variables() -> Model:
    model = Model()
    model.add_variable("x", ub=4)
    model.add_variable("y", "integer")
    model.add_row({0: 1, 1: -2}, ub=3, name="limit")
    model.set_objective("max", {0: 5}, 1, {(1, 0): 2})
    return model


@given(st.from_type(Model))
def test_json_is_an_inverse(model):
    assert Model.from_json(json.loads(json.dumps(model.to_json()))) == model


def test_one_form():
    model = Model()
    x = model.add_variable("x", lb=-1e30, ub=np.float64(3))
    y = model.add_variable("y", "binary", lb=-2, ub=7)
    model.add_row({y: np.int64(2), x: 0.0}, lb=1)
    model.set_objective("min", {}, quadratic={(y, x): 1, (x, y): 2, (y, y): 0})
    assert (model.variables[x].lb, model.variables[x].ub) == (-math.inf, 3.0)
    assert (model.variables[y].lb, model.variables[y].ub) == (0.0, 1.0)
    assert model.rows[0].terms == {y: 2.0}
    assert model.objective.quadratic == {(x, y): 3.0}


def test_rows_without_a_name_take_one_that_is_free():
    model = Model()
    model.add_row({}, name="r1")
    model.add_row({})
    assert [row.name for row in model.rows] == ["r1", "r1_2"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: m.add_variable("x"), "variable 'x': the name is used twice"),
        (lambda m: m.add_variable(""), "the name is not a non-empty text"),
        (lambda m: m.add_variable("z", "real"), "variable 'z': kind 'real'"),
        (lambda m: m.add_variable("z", lb=2, ub=1), "variable 'z': no value lies between"),
        (lambda m: m.add_variable("z", lb=math.inf), "variable 'z': no value lies between"),
        (lambda m: m.add_variable("z", lb=math.nan), "variable 'z': the lower bound is not a number"),
        (lambda m: m.add_variable("z", ub="3"), "variable 'z': the upper bound is not a number"),
        (lambda m: m.add_variable("z", "binary", lb=2), "binary variable 'z'"),
        (lambda m: m.add_row({}, name="limit"), "row 'limit': the name is used twice"),
        (lambda m: m.add_row({2: 1.0}, name="c"), "row 'c': no variable has index 2"),
        (lambda m: m.add_row({-1: 1.0}, name="c"), "row 'c': no variable has index -1"),
        (lambda m: m.add_row({"x": 1.0}, name="c"), "row 'c': variable index 'x' is not an integer"),
        (lambda m: m.add_row({0: math.inf}, name="c"), "row 'c': a coefficient is not finite"),
        (lambda m: m.add_row({0: 10**400}, name="c"), "row 'c': a coefficient is too large"),
        (lambda m: m.add_row({0: True}, name="c"), "row 'c': a coefficient is not a number"),
        (lambda m: m.add_row({0: 1}, 3, 2, "c"), "row 'c': no value lies between"),
        (lambda m: m.set_objective("maximise", {}), "objective: sense 'maximise'"),
        (lambda m: m.set_objective("min", {}, math.nan), "objective: the constant is not finite"),
        (lambda m: m.set_objective("min", {}, quadratic={(0, 1): 1e308, (1, 0): 1e308}), "a sum of quadratic"),
    ],
)
def test_wrong_parts_are_named_and_change_nothing(build, message):
    model = two_variables()
    with pytest.raises(ValueError, match=message):
        build(model)
    assert model == two_variables()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("rows"), "model: expected an object with the keys"),
        (lambda d: d.update(sos=[]), "model: expected an object with the keys"),
        (lambda d: d.update(variables={}), "variables: expected a list"),
        (lambda d: d["variables"].append(7), "variable 2: expected an object"),
        (lambda d: d["variables"][0].update(name=["x"]), "the name is not a non-empty text"),
        (lambda d: d["variables"][0].update(kind=[]), "variable 'x': kind"),
        (lambda d: d["rows"][0].update(name=None), "row 0: the name is missing"),
        (lambda d: d["rows"][0].update(terms=[[0]]), "row 'limit': a term"),
        (lambda d: d["rows"][0].update(terms=[[True, 1]]), "row 'limit': a term"),
        (lambda d: d["rows"][0].update(terms=[[0, 1], [0, 1]]), "row 'limit': the term 0 is given twice"),
        (lambda d: d["rows"][0].update(terms=[[0, "1"]]), "row 'limit': a coefficient is not a number"),
        (lambda d: d["objective"].update(sense={}), "objective: sense"),
        (lambda d: d["objective"].update(quadratic=[[0, 1, 2, 3]]), "objective: a term"),
    ],
)
def test_hostile_json_is_refused(change, message):
    data = two_variables().to_json()
    change(data)
    with pytest.raises(ValueError, match=message):
        Model.from_json(data)


X, Y = ("variable", 0), ("variable", 1)


def test_what_is_at_most_quadratic_leaves_an_expression():
    model = two_variables()
    model.add_row(
        {0: 1.0}, 0.0, 5.0, "a", {(1, 0): 2.0}, ("sum", ("exp", X), 3.0, ("product", X, Y), ("product", 2.0, Y))
    )
    row = model.rows[-1]
    assert (row.lb, row.ub, row.terms) == (-3.0, 2.0, {0: 1.0, 1: 2.0})
    assert (row.quadratic, row.nonlinear) == ({(0, 1): 3.0}, ("exp", X))
    model.set_objective("max", {}, 1.0, nonlinear=("sum", ("sqrt", X), 2.0, ("log", Y)))
    assert (model.objective.constant, model.objective.nonlinear) == (3.0, ("sum", ("sqrt", X), ("log", Y)))
    assert row.at([1.0, 2.0]) == pytest.approx(1 + 4 + 6 + math.e)
    assert Model.from_json(json.loads(json.dumps(model.to_json()))) == model


def test_degree():
    model = two_variables()
    model.set_objective("min", {1: 1.0})
    assert model.degree == "linear"
    model.set_objective("min", {}, quadratic={(0, 1): 1.0})
    assert model.degree == "quadratic_objective"
    model.set_objective("min", {}, nonlinear=("exp", X))
    assert model.degree == "nonlinear"
    model.set_objective("min", {})
    model.add_row({}, ub=1.0, quadratic={(0, 0): 1.0})
    assert model.degree == "nonlinear"


@pytest.mark.parametrize("part", [("hyperbolic", X), ("exp", ("variable", 7)), "x"])
def test_a_wrong_expression_names_its_row(part):
    with pytest.raises(ValueError, match="'a'"):
        two_variables().add_row({}, name="a", nonlinear=part)
    with pytest.raises(ValueError, match="objective"):
        two_variables().set_objective("min", {}, nonlinear=part)


def test_an_expression_that_would_swell_is_refused():
    model = Model()
    many = ("sum", *(("variable", model.add_variable(f"x{i}")) for i in range(2000)))
    model.add_row({}, ub=1.0, nonlinear=("product", ("variable", 0), many))
    with pytest.raises(ValueError, match=r"'r1': .* too large"):
        model.add_row({}, ub=1.0, nonlinear=("product", many, many))
    with pytest.raises(ValueError, match=r"objective: .* too large"):
        model.set_objective("min", {}, nonlinear=("power", ("sum", many, many), 2.0))
