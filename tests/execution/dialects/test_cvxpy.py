"""CVXPY: affine problems as they stand, others by CVXPY's own reductions, cones named."""

import math

import numpy as np
import pytest

from trex.execution.dialects import Unsupported
from trex.problems.solve import solve

dialect = pytest.importorskip("trex.execution.dialects.cvxpy")
cp = dialect.cvxpy


def test_every_part_of_an_affine_problem_is_translated():
    x = cp.Variable((2, 2), name="x", integer=True)
    y = cp.Variable(2, name="y", nonneg=True)
    b, z = cp.Variable(name="b", boolean=True), cp.Variable(name="z", bounds=[-1, 4])
    p = cp.Parameter(2, value=[3, 5])
    rows = [cp.sum(x) == 3, y <= 4, x[0, 1] + p @ y >= 2 * b - 1 + z]
    problem = cp.Problem(cp.Maximize(3 * x[0, 1] - p[1] * y[0] + 7 + b), rows)
    assert dialect.says_something(problem)
    ir = dialect.to_ir(problem)
    assert {v.name: (v.kind, v.lb, v.ub) for v in ir.variables} == {
        **{f"x[{i},{j}]": ("integer", -math.inf, math.inf) for i in (0, 1) for j in (0, 1)},
        **{f"y[{i}]": ("continuous", 0.0, math.inf) for i in (0, 1)},
        "b": ("binary", 0.0, 1.0),
        "z": ("continuous", -1.0, 4.0),
    }
    names = [v.name for v in ir.variables]
    assert [(r.lb, r.ub, {names[i]: value for i, value in r.terms.items()}) for r in ir.rows] == [
        (3.0, 3.0, {"x[0,0]": 1.0, "x[1,0]": 1.0, "x[0,1]": 1.0, "x[1,1]": 1.0}),
        (-4.0, math.inf, {"y[0]": -1.0}),
        (-4.0, math.inf, {"y[1]": -1.0}),
        (-1.0, math.inf, {"x[0,1]": 1.0, "y[0]": 3.0, "y[1]": 5.0, "b": -2.0, "z": -1.0}),
    ]
    objective = ir.objective
    assert (objective.sense, objective.constant) == ("max", 7.0)
    assert {names[i]: value for i, value in objective.linear.items()} == {"x[0,1]": 3.0, "y[0]": -5.0, "b": 1.0}


def test_some_entries_are_integer():
    x = cp.Variable(3, name="x", boolean=[(1,)], integer=[(2,)], nonneg=True)
    ir = dialect.to_ir(cp.Problem(cp.Minimize(cp.sum(x)), [x >= 0.5]))
    assert [v.kind for v in ir.variables] == ["continuous", "binary", "integer"]


def test_quadratic_objectives():
    x = cp.Variable(2, name="x")
    objective = cp.quad_form(x, np.array([[2.0, 1.0], [1.0, 3.0]])) + cp.sum_squares(x) - 4 * x[1] + 2
    for sense, sign in ((cp.Minimize, 1.0), (cp.Maximize, -1.0)):
        found = dialect.to_ir(cp.Problem(sense(sign * objective), [x >= 0])).objective
        assert found.quadratic == {(0, 0): 3.0 * sign, (0, 1): 2.0 * sign, (1, 1): 4.0 * sign}
        assert (found.linear, found.constant) == ({1: -4.0 * sign}, 2.0 * sign)


ATOMS = {
    "abs": (lambda x: cp.sum(cp.abs(x - 1)), 1.5),
    "norm1": (lambda x: cp.norm1(x - 1), 1.5),
    "norm_inf": (lambda x: cp.norm(x - 1, "inf"), 0.5),
    "max": (lambda x: cp.max(x) + 1, 1.5),
    "maximum": (lambda x: cp.maximum(x[0], x[1], 0.75) - x[2], -1.25),
    "pos": (lambda x: cp.sum(cp.pos(x)) - 2 * x[2], -2.0),
    "sum_largest": (lambda x: cp.sum_largest(x, 2), 1.0),
    "square": (lambda x: cp.sum_squares(x - 1), 0.75),
    "symmetric": (lambda x: cp.sum(cp.Variable((2, 2), symmetric=True, bounds=[1, 2])) + x[0], 3.5),
}


@pytest.mark.parametrize("name", ATOMS)
def test_piecewise_linear_and_quadratic_atoms_keep_the_optimum(name):
    """x is in [-0.5, 2], its sum 1.5; the optimum by hand."""
    write, expected = ATOMS[name]
    x = cp.Variable(3)
    problem = cp.Problem(cp.Minimize(write(x)), [cp.sum(x) == 1.5, x >= -0.5, x <= 2])
    assert solve(dialect.to_ir(problem)).objective == pytest.approx(problem.solve(solver="CLARABEL"), abs=1e-6)
    assert problem.value == pytest.approx(expected, abs=1e-6)


UNSUPPORTED = {
    "second-order cone": lambda x: cp.Problem(cp.Minimize(cp.norm(x))),
    "second-order cone (": lambda x: cp.Problem(cp.Minimize(x[0]), [cp.sum_squares(x) <= 1]),
    "exponential cone": lambda x: cp.Problem(cp.Minimize(cp.sum(cp.exp(x)))),
    "semidefinite cone": lambda x: cp.Problem(cp.Minimize(cp.trace(cp.Variable((2, 2), PSD=True)))),
    "not a disciplined convex program": lambda x: cp.Problem(cp.Minimize(x[0] * x[1])),
    "unspecified parameters": lambda x: cp.Problem(cp.Minimize(x[0] + cp.Parameter())),
    "without variables": lambda x: cp.Problem(cp.Minimize(0), [cp.Constant(1) >= 0]),
    "complex": lambda x: cp.Problem(cp.Minimize(cp.abs(cp.Variable(complex=True)))),
    "finite set": lambda x: cp.Problem(cp.Minimize(x[0]), [cp.FiniteSet(x[0], [1, 3])]),
}


@pytest.mark.parametrize("named", UNSUPPORTED)
def test_what_the_ir_lacks_is_named(named):
    with pytest.raises(Unsupported, match=named.replace("(", r"\(")):
        dialect.to_ir(UNSUPPORTED[named](cp.Variable(2)))


QUADRATIC = """
import cvxpy as cp
def main():
    x = cp.Variable(3, name="x"{attribute})
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - 0.25) + 2 * x[0]), [cp.sum(x) == 1, x >= 0])
    problem.solve({arguments})
    assert problem.status == "optimal" and x.value is not None
main()
"""


@pytest.mark.parametrize(
    ("attribute", "arguments"),
    [
        ("", ""),
        ("", "solver='OSQP', verbose=True"),
        ("", "cp.SCS"),
        ("", "solver=cp.MOSEK, mosek_params={'MSK_IPAR_NUM_THREADS': 4}"),
        (", integer=True", ""),
        (", integer=True", "solver='GUROBI'"),
    ],
    ids=range(6),
)
def test_programs_solve_in_the_sandbox(sandbox, attribute, arguments):
    execution = sandbox.run(QUADRATIC.format(attribute=attribute, arguments=arguments), {})
    assert (execution.status, execution.dialect, execution.detail) == ("ok", "cvxpy", "")
    names = {v.name for v in execution.model.variables}
    assert {"x[0]", "x[1]", "x[2]"} <= names


def test_the_problems_of_a_reduction_do_not_count(sandbox):
    code = """
import cvxpy as cp
def main():
    x = cp.Variable(2, boolean=True)
    first = cp.Problem(cp.Minimize(cp.norm1(x - 0.25)), [cp.sum(x) <= 3])
    second = cp.Problem(cp.Maximize(cp.sum(x)), [cp.sum(x) <= 1])
    second.solve()
    first.solve()
main()
"""
    execution = sandbox.run(code, {})
    assert (execution.status, execution.model.objective.sense, len(execution.model.rows)) == ("ok", "max", 1)
