"""Random linear models, built through each library's own interface, come back the same (up to names and order)."""

import importlib.util
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems.conftest import models

from trex.execution.dialects import HEAVY, LIGHT
from trex.problems.comparison.canonical import compare
from trex.problems.ir import Model


def tame(number: float) -> float:
    """Six digits, between what SCIP takes for zero and what it takes for infinite."""
    if math.isinf(number) or abs(number) < 1e-6:
        return number if math.isinf(number) else 0.0
    return float(f"{max(-1e9, min(1e9, number)):.6g}")


def whole(number: float) -> float:
    return float(round(max(-1000.0, min(1000.0, number))))


def linear(model: Model, number: Callable[[float], float], integral: bool = False) -> Model:
    """Its linear part; every variable has a cost, as some libraries forget a variable that nothing mentions."""
    plain = Model()
    for index, variable in enumerate(model.variables):
        kind = "integer" if integral and variable.kind == "continuous" else variable.kind
        plain.add_variable(f"x{index}", kind, number(variable.lb), number(variable.ub))
    for row in model.rows:
        terms = {index: number(value) for index, value in row.terms.items()}
        if any(terms.values()) and not math.isinf(row.ub - row.lb):
            plain.add_row(terms, number(row.lb), number(row.ub))
        elif any(terms.values()) and math.isfinite(row.lb):
            plain.add_row(terms, number(row.lb), math.inf)
        elif any(terms.values()) and math.isfinite(row.ub):
            plain.add_row(terms, -math.inf, number(row.ub))
    objective = model.objective
    costs = {index: number(objective.linear.get(index, 0.0)) or 1.0 for index in range(len(plain.variables))}
    plain.set_objective(objective.sense, costs, number(objective.constant))
    return plain


def total(terms: dict[int, float], variables: list, constant: float = 0.0):
    return sum((value * variables[index] for index, value in terms.items()), constant)


def finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def mathopt(dialect, ir: Model):
    model = dialect.MODEL_TYPE()
    variables = [model.add_variable(lb=v.lb, ub=v.ub, is_integer=v.is_integer) for v in ir.variables]
    for row in ir.rows:
        model.add_linear_constraint(lb=row.lb, expr=total(row.terms, variables), ub=row.ub)
    objective = total(ir.objective.linear, variables, ir.objective.constant)
    model.set_linear_objective(objective, is_maximize=ir.objective.sense == "max")
    return model


def pywraplp(dialect, ir: Model):
    solver = dialect.pywraplp.Solver.CreateSolver("SCIP")
    variables = [solver.Var(v.lb, v.ub, v.is_integer, v.name) for v in ir.variables]
    for row in ir.rows:
        constraint = solver.Constraint(row.lb, row.ub)
        for index, value in row.terms.items():
            constraint.SetCoefficient(variables[index], value)
    optimize = solver.Maximize if ir.objective.sense == "max" else solver.Minimize
    optimize(total(ir.objective.linear, variables, ir.objective.constant))
    return solver


def model_builder(dialect, ir: Model):
    model = dialect.MODEL_TYPE()
    variables = [model.new_var(v.lb, v.ub, v.is_integer, v.name) for v in ir.variables]
    for row in ir.rows:
        model.add_linear_constraint(total(row.terms, variables), row.lb, row.ub)
    optimize = model.maximize if ir.objective.sense == "max" else model.minimize
    optimize(total(ir.objective.linear, variables, ir.objective.constant))
    return model


def cp_sat(dialect, ir: Model):
    model = dialect.MODEL_TYPE()
    variables = [model.new_int_var(int(v.lb), int(v.ub), v.name) for v in ir.variables]
    for row in ir.rows:
        terms = {index: int(value) for index, value in row.terms.items()}
        lb = int(row.lb) if math.isfinite(row.lb) else dialect.LOWEST
        ub = int(row.ub) if math.isfinite(row.ub) else dialect.HIGHEST
        model.add_linear_constraint(total(terms, variables, 0), lb, ub)
    costs = {index: int(value) for index, value in ir.objective.linear.items()}
    optimize = model.maximize if ir.objective.sense == "max" else model.minimize
    optimize(total(costs, variables, int(ir.objective.constant)))
    return model


def pulp(dialect, ir: Model):
    library = dialect.pulp
    problem = library.LpProblem("p", library.LpMaximize if ir.objective.sense == "max" else library.LpMinimize)
    kinds = {"integer": library.LpInteger, "binary": library.LpInteger, "continuous": library.LpContinuous}
    variables = [library.LpVariable(v.name, finite(v.lb), finite(v.ub), kinds[v.kind]) for v in ir.variables]
    for row in ir.rows:
        if math.isfinite(row.lb):
            problem += total(row.terms, variables) >= row.lb
        if math.isfinite(row.ub):
            problem += total(row.terms, variables) <= row.ub
    problem += library.lpSum([total(ir.objective.linear, variables, ir.objective.constant)])
    return problem


def pyomo(dialect, ir: Model):
    pyo = dialect.pyo
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(len(ir.variables)))
    for index, variable in enumerate(ir.variables):
        model.x[index].domain = pyo.Integers if variable.is_integer else pyo.Reals
        model.x[index].bounds = finite(variable.lb), finite(variable.ub)
    model.rows = pyo.ConstraintList()
    for row in ir.rows:
        model.rows.add((finite(row.lb), total(row.terms, model.x), finite(row.ub)))
    sense = pyo.maximize if ir.objective.sense == "max" else pyo.minimize
    model.costs = pyo.Objective(expr=total(ir.objective.linear, model.x, ir.objective.constant), sense=sense)
    return model


def cvxpy(dialect, ir: Model):
    cp = dialect.cvxpy
    variables = [cp.Variable(integer=v.is_integer, bounds=[v.lb, v.ub]) for v in ir.variables]
    rows = []
    for row in ir.rows:
        if math.isfinite(row.lb):
            rows.append(total(row.terms, variables) >= row.lb)
        if math.isfinite(row.ub):
            rows.append(total(row.terms, variables) <= row.ub)
    optimize = cp.Maximize if ir.objective.sense == "max" else cp.Minimize
    return cp.Problem(optimize(total(ir.objective.linear, variables, ir.objective.constant)), rows)


def pyscipopt(dialect, ir: Model):
    model = dialect.Model()
    variables = [model.addVar(v.name, "I" if v.is_integer else "C", finite(v.lb), finite(v.ub)) for v in ir.variables]
    for row in ir.rows:
        lb, ub = finite(row.lb), finite(row.ub)
        model.addCons(dialect.scip.ExprCons(total(row.terms, variables), lb, ub))
    objective = total(ir.objective.linear, variables, ir.objective.constant)
    model.setObjective(objective, "maximize" if ir.objective.sense == "max" else "minimize")
    return model


def milp(dialect, ir: Model):
    from scipy.optimize import Bounds, LinearConstraint

    count = len(ir.variables)
    rows = [
        LinearConstraint([[row.terms.get(index, 0.0) for index in range(count)]], row.lb, row.ub) for row in ir.rows
    ]
    costs = [ir.objective.linear[index] for index in range(count)]
    bounds = Bounds([v.lb for v in ir.variables], [v.ub for v in ir.variables])
    integrality = [int(v.is_integer) for v in ir.variables]
    return dialect.of_milp(*dialect._milp._milp_iv(costs, integrality, bounds, rows, None)[:-1])


BUILDERS = {
    "mathopt": mathopt,
    "pywraplp": pywraplp,
    "model_builder": model_builder,
    "cp_sat": cp_sat,
    "pulp": pulp,
    "pyomo": pyomo,
    "cvxpy": cvxpy,
    "pyscipopt": pyscipopt,
    "scipy_optimize": milp,
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", BUILDERS)
@given(data=st.data())
def test_a_linear_model_comes_back(name, data):
    if importlib.util.find_spec((LIGHT | HEAVY)[name]) is None:
        pytest.skip(f"{(LIGHT | HEAVY)[name]} is not installed")
    dialect = importlib.import_module(f"trex.execution.dialects.{name}")
    drawn = data.draw(models().filter(lambda model: model.variables))
    ir = linear(drawn, whole, integral=True) if name == "cp_sat" else linear(drawn, tame)
    if name == "scipy_optimize":
        ir.set_objective("min", ir.objective.linear)
    assert compare(dialect.to_ir(BUILDERS[name](dialect, ir)), ir) is None
