"""SciPy: what linprog and milp make of their arguments, in every form that they take."""

import math

import numpy as np
import pytest

from trex.execution import dialects
from trex.execution.dialects import Unsupported

dialect = pytest.importorskip("trex.execution.dialects.scipy_optimize")


@pytest.fixture(scope="module", autouse=True)
def recording():
    dialects.start_recording("scipy_optimize")


def last_model():
    found = dialects.recorded[-1]
    assert found.dialect is dialect
    return dialects.to_ir(found)


def summary(ir) -> tuple:
    variables = [(v.kind, v.lb, v.ub) for v in ir.variables]
    return variables, [(r.lb, r.ub, r.terms) for r in ir.rows], ir.objective.linear


FREE, POSITIVE = ("continuous", -math.inf, math.inf), ("continuous", 0.0, math.inf)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, [POSITIVE] * 3),
        ({"bounds": None}, [POSITIVE] * 3),
        ({"bounds": (None, None)}, [FREE] * 3),
        ({"bounds": [(-1, 4)]}, [("continuous", -1.0, 4.0)] * 3),
        ({"bounds": [(None, 2), (0, None), (-np.inf, np.inf)]}, [("continuous", -math.inf, 2.0), POSITIVE, FREE]),
        ({"integrality": 1, "bounds": (0, 1)}, [("binary", 0.0, 1.0)] * 3),
        ({"integrality": [0, 1, 0]}, [POSITIVE, ("integer", 0.0, math.inf), POSITIVE]),
        ({"integrality": [1, 1, 1], "method": "highs-ds"}, [POSITIVE] * 3),
    ],
    ids=range(8),
)
@pytest.mark.filterwarnings("ignore::scipy.optimize.OptimizeWarning")
def test_bounds_and_kinds_of_linprog(bounds, expected):
    from scipy.optimize import linprog

    linprog([1, 2, 0], **bounds)
    assert summary(last_model()) == (expected, [], {0: 1.0, 1: 2.0})


@pytest.mark.parametrize("method", ["highs", "highs-ipm", "simplex", "interior-point"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_rows_of_linprog(method):
    import scipy.optimize
    from scipy.sparse import coo_array

    scipy.optimize.linprog(np.array([1, -2]), [[1, 1], [0, 3]], [4, 5], [[2, 0]], [1], (0, None), method)
    rows = [(-math.inf, 4.0, {0: 1.0, 1: 1.0}), (-math.inf, 5.0, {1: 3.0}), (1.0, 1.0, {0: 2.0})]
    assert summary(last_model()) == ([POSITIVE] * 2, rows, {0: 1.0, 1: -2.0})
    if method.startswith("highs"):
        twice = coo_array(([1.0, 2.0, 3.0], ([0, 0, 0], [0, 0, 1])), shape=(1, 2))
        scipy.optimize.linprog([1, -2], A_ub=twice, b_ub=[9])
        assert last_model().rows[0].terms == {0: 3.0, 1: 3.0}


def test_the_arguments_may_change_afterwards():
    from scipy.optimize import linprog

    costs, matrix, limits = np.array([1.0, 2.0]), np.array([[1.0, 1.0]]), np.array([4.0])
    linprog(costs, A_ub=matrix, b_ub=limits)
    costs[:] = matrix[:] = limits[:] = 7
    assert summary(last_model()) == ([POSITIVE] * 2, [(-math.inf, 4.0, {0: 1.0, 1: 1.0})], {0: 1.0, 1: 2.0})


def test_milp():
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    milp([1, 2])
    assert summary(last_model()) == ([POSITIVE] * 2, [], {0: 1.0, 1: 2.0})
    rows = [LinearConstraint(csr_array([[1, 1], [0, 2]]), [0, -np.inf], [4, 5]), ([[1, -1]], 1, 1)]
    milp(c=[0, 2], integrality=[1, 0], bounds=Bounds([0, -np.inf], [1, 9]), constraints=rows)
    expected = [(0.0, 4.0, {0: 1.0, 1: 1.0}), (-math.inf, 5.0, {1: 2.0}), (1.0, 1.0, {0: 1.0, 1: -1.0})]
    assert summary(last_model()) == ([("binary", 0.0, 1.0), ("continuous", -math.inf, 9.0)], expected, {1: 2.0})


@pytest.mark.parametrize("code", [2, 3])
def test_semi_continuous_variables_are_named(code):
    from scipy.optimize import milp

    milp([1, 2], integrality=[0, code], bounds=(1, 3))
    with pytest.raises(Unsupported, match="semi-continuous"):
        last_model()


def test_the_last_call_counts(sandbox):
    code = """
from scipy.optimize import linprog as solve
def main():
    for limit in (3, 5):
        assert solve([-1], A_ub=[[1]], b_ub=[limit]).x[0] == limit
main()
"""
    execution = sandbox.run(code, {})
    assert (execution.status, execution.dialect) == ("ok", "scipy.optimize")
    assert execution.model.rows[0].ub == 5.0
