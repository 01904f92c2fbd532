"""CP-SAT: the translation has exactly the solutions that the solver itself finds."""

import itertools
import math

import pytest

from trex.execution.dialects import Unsupported

dialect = pytest.importorskip("trex.execution.dialects.cp_sat")
cp_model = dialect.cp_model


class Collector(cp_model.CpSolverSolutionCallback):
    def __init__(self, variables):
        super().__init__()
        self.variables = variables
        self.found = set()

    def on_solution_callback(self):
        self.found.add(tuple(self.value(variable) for variable in self.variables))


def solver_solutions(model, variables) -> set:
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    collector = Collector(variables)
    solver.solve(model, collector)
    return collector.found


def ir_solutions(ir, count: int) -> set:
    """Of the first variables, for some values of the others."""
    ranges = [range(int(v.lb), int(v.ub) + 1) for v in ir.variables]
    fits = (
        point for point in itertools.product(*ranges) if all(r.lb - 1e-9 <= r.at(point) <= r.ub + 1e-9 for r in ir.rows)
    )
    return {point[:count] for point in fits}


CONSTRAINTS = {
    "linear": lambda m, x, y, a, b: m.add(2 * x + y <= 3),
    "range": lambda m, x, y, a, b: m.add_linear_constraint(x - y + 1, 0, 2),
    "strict": lambda m, x, y, a, b: m.add(x > y),
    "several intervals": lambda m, x, y, a, b: m.add(x != y),
    "several intervals, conditional": lambda m, x, y, a, b: m.add(x + y != 1).only_enforce_if(a, ~b),
    "outer intervals": lambda m, x, y, a, b: m.add_linear_expression_in_domain(
        x + y, cp_model.Domain.from_intervals([[-2, -1], [1, 1], [3, 9]])
    ),
    "condition": lambda m, x, y, a, b: m.add(x + y == 2).only_enforce_if(a),
    "negated condition": lambda m, x, y, a, b: m.add(x - y >= 1).only_enforce_if(~a),
    "two conditions": lambda m, x, y, a, b: m.add(x == y).only_enforce_if(a, ~b),
    "or": lambda m, x, y, a, b: m.add_bool_or(a, ~b),
    "conditional or": lambda m, x, y, a, b: m.add_bool_or(a, a).only_enforce_if(b),
    "and": lambda m, x, y, a, b: m.add_bool_and(a, ~b),
    "implication": lambda m, x, y, a, b: m.add_implication(a, ~b),
    "at most one": lambda m, x, y, a, b: m.add_at_most_one(a, b),
    "exactly one": lambda m, x, y, a, b: m.add_exactly_one(a, ~b),
    "negated literal in a sum": lambda m, x, y, a, b: m.add(x + 2 * ~a <= 2),
    "maximum": lambda m, x, y, a, b: m.add_max_equality(x, [y, 2 * y + 1, a]),
    "minimum": lambda m, x, y, a, b: m.add_min_equality(x, [y, 2 - b]),
    "absolute value": lambda m, x, y, a, b: m.add_abs_equality(x, y - 1),
    "product": lambda m, x, y, a, b: m.add_multiplication_equality(x, [y, a + 1]),
    "product of three": lambda m, x, y, a, b: m.add_multiplication_equality(x, [y, y, b]),
    "assumption": lambda m, x, y, a, b: m.add_assumption(~a),
    "false": lambda m, x, y, a, b: m.add_bool_or(),
    "constant": lambda m, x, y, a, b: m.add(x <= m.new_constant(1) + y),
}


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_the_solutions_are_the_same(kind):
    model = cp_model.CpModel()
    variables = [model.new_int_var(-1, 2, "x"), model.new_int_var(-2, 1, "y"), *map(model.new_bool_var, "ab")]
    CONSTRAINTS[kind](model, *variables)
    ir = dialect.to_ir(model)
    assert ir_solutions(ir, 4) == solver_solutions(model, variables)


def test_variables_objective_and_constant():
    model = cp_model.CpModel()
    x, b = model.new_int_var(-3, 5, "x"), model.new_bool_var("b")
    assert not dialect.says_something(model)
    model.maximize(3 * x - 2 * ~b + 7)
    assert dialect.says_something(model)
    ir = dialect.to_ir(model)
    assert [(v.name, v.kind, v.lb, v.ub) for v in ir.variables] == [("x", "integer", -3, 5), ("b", "binary", 0, 1)]
    objective = ir.objective
    assert (objective.sense, objective.linear, objective.constant) == ("max", {0: 3.0, 1: 2.0}, 5.0)


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_floating_point_objective(sense):
    model = cp_model.CpModel()
    x = model.new_int_var(0, 5, "x")
    getattr(model, sense)(0.5 * x - 0.25)
    objective = dialect.to_ir(model).objective
    assert (objective.sense, objective.linear, objective.constant) == (sense[:3], {0: 0.5}, -0.25)


def test_open_ends_are_infinite():
    model = cp_model.CpModel()
    model.add(model.new_int_var(0, 5, "x") >= 2)
    (row,) = dialect.to_ir(model).rows
    assert (row.lb, row.ub) == (2.0, math.inf)


UNSUPPORTED = {
    "all_diff": lambda m, x, y: m.add_all_different(x, y),
    "int_div": lambda m, x, y: m.add_division_equality(x, y, 2),
    "int_mod": lambda m, x, y: m.add_modulo_equality(x, y, 2),
    "element": lambda m, x, y: m.add_element(x, [1, 2, 3], y),
    "bool_xor": lambda m, x, y: m.add_bool_xor(m.new_bool_var("a"), m.new_bool_var("b")),
    "circuit": lambda m, x, y: m.add_circuit([(0, 0, m.new_bool_var("a"))]),
    "table": lambda m, x, y: m.add_allowed_assignments([x, y], [(0, 1)]),
    "interval": lambda m, x, y: m.new_interval_var(x, 2, y, "i"),
    "conditional lin_max": lambda m, x, y: m.add_max_equality(x, [y, 1]).only_enforce_if(m.new_bool_var("a")),
    "several intervals": lambda m, x, y: m.new_int_var_from_domain(cp_model.Domain.from_values([0, 2]), "z"),
}


@pytest.mark.parametrize("part", UNSUPPORTED)
def test_what_the_ir_lacks_is_named(part):
    model = cp_model.CpModel()
    UNSUPPORTED[part](model, model.new_int_var(0, 5, "x"), model.new_int_var(0, 5, "y"))
    with pytest.raises(Unsupported, match=part):
        dialect.to_ir(model)


def test_a_model_that_is_copied_is_another(sandbox):
    code = """
from ortools.sat.python import cp_model
first = cp_model.CpModel()
x = first.new_int_var(0, 5, "x")
first.maximize(x)
second = first.clone()
second.minimize(second.get_int_var_from_proto_index(0))
"""
    execution = sandbox.run(code, {})
    assert (execution.status, execution.dialect) == ("ok", "cp_sat")
    assert execution.model.objective.sense == "min"
