"""PuLP: every part is translated, solvers of any name work in the sandbox."""

import math

import pytest

from trex.execution.dialects import Unsupported
from trex.problems.solve import solve

dialect = pytest.importorskip("trex.execution.dialects.pulp")
pulp = dialect.pulp
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Overwriting:UserWarning")


def test_every_part_is_translated():
    problem = pulp.LpProblem("mix", pulp.LpMaximize)
    assert not dialect.says_something(problem)
    a = pulp.LpVariable("a", 0, 7, pulp.LpInteger)
    b = pulp.LpVariable.dicts("b", ["one", "two"], cat=pulp.LpBinary)
    c = pulp.LpVariable("c", upBound=4)
    problem += 3 * a - 2 * c + 5 + b["one"]
    problem += 2 * a + c + 1 <= 10 + b["two"], "hours"
    problem += a - c >= 3
    problem += a + b["two"] == 4.5
    assert dialect.says_something(problem)
    ir = dialect.to_ir(problem)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [
        ("a", "integer", 0.0, 7.0),
        ("b_one", "binary", 0.0, 1.0),
        ("b_two", "binary", 0.0, 1.0),
        ("c", "continuous", -math.inf, 4.0),
    ]
    assert [(r.name, r.lb, r.ub, r.terms) for r in ir.rows] == [
        ("hours", -math.inf, 9.0, {0: 2.0, 2: -1.0, 3: 1.0}),
        ("_C1", 3.0, math.inf, {0: 1.0, 3: -1.0}),
        ("_C2", 4.5, 4.5, {0: 1.0, 2: 1.0}),
    ]
    objective = ir.objective
    assert (objective.sense, objective.constant) == ("max", 5.0)
    assert objective.linear == {0: 3.0, 1: 1.0, 3: -2.0}


@pytest.mark.parametrize(
    ("objective", "constant", "linear"), [(None, 0.0, {}), (4, 4.0, {}), ("variable", 0.0, {0: 1.0})]
)
def test_objectives_that_are_no_expressions(objective, constant, linear):
    problem = pulp.LpProblem()
    x = pulp.LpVariable("x", 0, 1)
    problem += x <= 1
    if objective is not None:
        problem += x if objective == "variable" else objective
    problem.solve(pulp.HiGHS(msg=False, threads=1))  # leaves a dummy variable behind
    ir = dialect.to_ir(problem)
    assert [v.name for v in ir.variables] == ["x"]
    assert (ir.objective.constant, ir.objective.linear) == (constant, linear)


def test_the_state_at_the_end_counts():
    problem = pulp.LpProblem()
    x, y = pulp.LpVariable("x", 0, 9), pulp.LpVariable("y", 0, 9)
    problem += x + y
    problem += x + y >= 2, "gone"
    problem += x - y <= 3, "kept"
    del problem.constraints["gone"]
    problem.constraints["kept"].changeRHS(5)
    x.upBound = 4
    y.setInitialValue(3)
    y.fixValue()
    problem.sense = pulp.LpMaximize
    problem.setObjective(2 * x)
    ir = dialect.to_ir(problem)
    assert [(v.lb, v.ub) for v in ir.variables] == [(0.0, 4.0), (3.0, 3.0)]
    assert [(r.name, r.ub) for r in ir.rows] == [("kept", 5.0)]
    assert (ir.objective.sense, ir.objective.linear) == ("max", {0: 2.0})


def test_two_variables_of_the_same_name():
    problem = pulp.LpProblem()
    x, other = pulp.LpVariable("x", 0, 1), pulp.LpVariable("x", 0, 2)
    problem += x - 3 * other
    ir = dialect.to_ir(problem)
    assert {v.name: v.ub for v in ir.variables} == {"x": 1.0, "x_2": 2.0}
    assert sorted(ir.objective.linear.values()) == [-3.0, 1.0]


def test_special_ordered_sets_are_named():
    problem = pulp.LpProblem()
    x = pulp.LpVariable("x", 0, 1)
    problem += x
    problem.sos1["set"] = {x: 1}
    with pytest.raises(Unsupported, match="special ordered sets"):
        dialect.to_ir(problem)


def test_numbers_that_are_none_are_refused():
    problem = pulp.LpProblem()
    problem += pulp.LpAffineExpression({pulp.LpVariable("x"): math.inf})
    with pytest.raises(ValueError, match="not finite"):
        dialect.to_ir(problem)


SOLVERS = [
    "None",
    "pulp.PULP_CBC_CMD(msg=0, timeLimit=5)",
    "pulp.GLPK_CMD()",
    "pulp.GUROBI(msg=0)",
    "pulp.GUROBI_CMD()",
    "pulp.CPLEX_PY()",
    "pulp.HiGHS_CMD()",
    "pulp.getSolver('SCIP_PY')",
]
SOLVE = """
import pulp
def plan():
    problem = pulp.LpProblem("plan", pulp.LpMaximize)
    x = pulp.LpVariable("x", 0, 5, cat="Integer")
    y = pulp.LpVariable("y", 0)
    problem += x + y + 1
    problem += 2 * x + y <= 7.5, "hours"
    problem += x >= 1, "least"
    status = problem.solve({solver})
    assert status == problem.status == pulp.LpStatusOptimal and pulp.LpStatus[status] == "Optimal"
    assert (x.varValue, y.value(), pulp.value(problem.objective)) == (1, 5.5, 7.5)
    assert all(abs(row.slack) < 1e-9 and row.pi is not None for row in problem.constraints.values())
    problem += x + y <= -1
    assert pulp.LpStatus[problem.solve({solver})] == "Infeasible"
plan()
"""


@pytest.mark.parametrize("solver", SOLVERS)
def test_programs_solve_in_the_sandbox(sandbox, solver):
    execution = sandbox.run(SOLVE.format(solver=solver), {})
    assert (execution.status, execution.dialect, execution.detail) == ("ok", "pulp", "")
    assert [row.ub for row in execution.model.rows] == [7.5, math.inf, -1.0]


ELASTIC = """
import pulp
problem = pulp.LpProblem()
x = pulp.LpVariable("x", 0, 3)
problem += 0 * x
soft = pulp.LpConstraint(x, pulp.LpConstraintGE, "soft", 5).makeElasticSubProblem(penalty=100)
problem.extend(soft)
problem.solve()
assert pulp.value(problem.objective) == 200
"""


def test_an_elastic_constraint_is_a_part_of_its_problem(sandbox):
    execution = sandbox.run(ELASTIC, {})
    assert (execution.status, execution.detail) == ("ok", "")
    assert len(execution.model.variables) == 4
    assert solve(execution.model).objective == pytest.approx(200)


def test_a_copy_is_a_model_of_the_program(sandbox):
    code = """
import pulp
class Mine(pulp.LpProblem):
    pass
first = Mine("first")
x = pulp.LpVariable("x", 0, 3)
first += x
second = first.deepcopy()
second += x >= 2
"""
    execution = sandbox.run(code, {})
    assert (execution.status, [row.lb for row in execution.model.rows]) == ("ok", [2.0])
