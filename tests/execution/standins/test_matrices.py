"""Arrays of variables calculate as numpy's arrays of numbers do."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trex.execution.standins.gurobi import library
from trex.problems.ir import Model as IR

NUMBERS = st.integers(-3, 3).map(float)


def values(matrix, point: dict) -> np.ndarray:
    """The values of an array of variables or expressions at a point."""

    def value(element) -> float:
        if isinstance(element, library.Var):
            return point[element]
        linear = sum(c * point[v] for c, v in element.linTerms()) + element.constant
        products = element.quadTerms() if isinstance(element, library.QuadExpr) else ()
        return linear + sum(c * point[a] * point[b] for c, a, b in products)

    return np.array([value(element) for element in matrix.elements.flat]).reshape(matrix.shape)


def variables(shape: tuple, numbers: np.ndarray):
    found = library.Model().addMVar(shape, name="v")
    return found, dict(zip(found.elements.flat, numbers.flat, strict=True))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.matmul])
@given(st.data())
def test_arrays_of_variables_and_numbers(operation, data):
    shape, other_shape = data.draw(st.sampled_from([((3,), (3,)), ((3,), (3, 3)), ((2, 3), (3,)), ((3, 3), (3, 3))]))
    numbers, other = (data.draw(arrays(float, one, elements=NUMBERS)) for one in (shape, other_shape))
    found, point = variables(shape, numbers)
    np.testing.assert_array_equal(values(operation(found, other), point), operation(numbers, other))
    if operation is not operator.matmul or shape != (2, 3):
        np.testing.assert_array_equal(values(operation(other, found), point), operation(other, numbers))


@given(arrays(float, (3, 3), elements=NUMBERS), arrays(float, (3, 3), elements=NUMBERS))
def test_products_of_variables_are_quadratic(numbers, weights):
    found, point = variables((3, 3), numbers)
    for expression, expected in (
        (found @ found, numbers @ numbers),
        (found[0] @ weights @ found[1], numbers[0] @ weights @ numbers[1]),
        (found * found + 2 * found.T - 1, numbers * numbers + 2 * numbers.T - 1),
        (found[1] ** 2, numbers[1] ** 2),
    ):
        assert isinstance(expression, library.MQuadExpr)
        np.testing.assert_array_equal(values(expression, point), expected)


@given(arrays(float, (2, 3), elements=NUMBERS))
def test_views_and_sums(numbers):
    found, point = variables((2, 3), numbers)
    for expression, expected in (
        (found.sum(), numbers.sum()),
        (found.sum(axis=0), numbers.sum(axis=0)),
        ((2 * found).sum(axis=1), (2 * numbers).sum(axis=1)),
        (found[:, 1], numbers[:, 1]),
        (found.T[[0, 2]], numbers.T[[0, 2]]),
        (found.reshape(3, 2), numbers.reshape(3, 2)),
        (found.diagonal(), numbers.diagonal()),
        (library.hstack([found, found]), np.hstack([numbers, numbers])),
        (library.quicksum(found), numbers.sum(axis=0)),
        (found / 2 - found[0, 0], numbers / 2 - numbers[0, 0]),
    ):
        np.testing.assert_allclose(values(expression, point), expected)


def test_attributes_are_arrays(model):
    v = model.addMVar((2, 2), ub=[[1, 2], [3, 4]], vtype="I", name="v")
    v[0].LB = -1
    v.Obj = np.eye(2)
    assert v.ub.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert v.LB.tolist() == [[-1.0, -1.0], [0.0, 0.0]]
    assert [x.Obj for x in model.getVars()] == [1.0, 0.0, 0.0, 1.0]
    assert model.getAttr("VType", v).tolist() == [["I", "I"], ["I", "I"]]
    model.setObjective(v.sum(), library.GRB.MAXIMIZE)
    model.optimize()
    assert v.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert model.getObjective().getValue() == 10.0


def test_an_element_takes_part_as_a_variable(model, xyz):
    x, _, _ = xyz
    v = model.addMVar(3, vtype="B", name="v")
    model.addConstr((v[0] == 1) >> (x <= 3))
    model.addConstr(x == library.max_(v[0], v[1]))
    model.addConstr(library.quicksum(v[i] for i in range(3)) + x <= 2, name="sum")
    constraint = model.addConstr(x + v >= 1, name="c")
    ir: IR = model._recording.to_ir()
    assert [row.name for row in ir.rows[:4]] == ["sum", "c[0]", "c[1]", "c[2]"]
    assert (constraint.shape, constraint.RHS.tolist()) == ((3,), [1.0, 1.0, 1.0])


def test_sparse_matrices_of_scipy(model):
    sparse = pytest.importorskip("scipy.sparse")
    v = model.addMVar(3, name="v")
    a = sparse.csr_matrix([[1, 2, 0], [0, 0, 3]])
    model.addConstr(a @ v <= 1)
    model.addMConstr(a, v, ">", [0, 1])
    rows = model._recording.to_ir().rows
    assert [row.terms for row in rows] == [{0: 1.0, 1: 2.0}, {2: 3.0}] * 2
