"""Pyomo: `import pyomo.environ as pyo`; ConcreteModel, and the instances of an AbstractModel.

Variables are all that active blocks declare and those that active constraints and the objective use. A fixed variable
is one whose two bounds are its value; where it stands in a product or in a nonlinear expression it is that number, as
Pyomo's solvers have it. What is deactivated is not there. Components other than blocks, variables, expressions,
constraints, an objective and data (special ordered sets, disjunctions, complementarity, derivatives, ...), several
active objectives, and functions that the IR lacks are Unsupported.

Whatever solver a program names, its model is solved here. Shadow prices, where the suffixes of a linear program ask
for them, come from Pyomo's own in-process HiGHS. A program that has a model solved that cannot be translated ends
there.
"""

import functools
import math
import sys
import time

import pyomo.environ as pyo
from pyomo.core.base.block import BlockData
from pyomo.core.base.PyomoModel import Model as PyomoModel
from pyomo.core.expr import numeric_expr as nodes
from pyomo.core.expr.numvalue import is_potentially_variable
from pyomo.opt import OptSolver, SolverResults, SolverStatus, TerminationCondition
from pyomo.opt.base.solvers import SolverFactoryClass
from pyomo.repn import generate_standard_repn

from trex.execution import dialects
from trex.execution.dialects import Unsupported, hooks
from trex.execution.dialects.draft import Draft
from trex.problems.expression import FUNCTIONS, Expression
from trex.problems.ir import Model
from trex.problems.solve import INFEASIBLE, LIMIT, OPTIMAL, UNBOUNDED, Solution, solve

NAME = "pyomo"
MODEL_TYPE = PyomoModel
KNOWN = (
    *(pyo.Block, pyo.Var, pyo.BooleanVar, pyo.Expression, pyo.Constraint, pyo.Objective),
    *(pyo.Set, pyo.RangeSet, pyo.Param, pyo.Suffix, pyo.BuildAction, pyo.BuildCheck, pyo.ExternalFunction),
)
OPERATORS = {
    nodes.SumExpressionBase: "sum",
    nodes.ProductExpression: "product",
    nodes.DivisionExpression: "quotient",
    nodes.PowExpression: "power",
    nodes.MaxExpression: "max",
    nodes.MinExpression: "min",
    nodes.NegationExpression: "negation",
}
ENDINGS = {
    OPTIMAL: (SolverStatus.ok, TerminationCondition.optimal),
    INFEASIBLE: (SolverStatus.warning, TerminationCondition.infeasible),
    UNBOUNDED: (SolverStatus.warning, TerminationCondition.unbounded),
    LIMIT: (SolverStatus.aborted, TerminationCondition.maxTimeLimit),
}
FAILURE = (SolverStatus.error, TerminationCondition.error)
make_solver = SolverFactoryClass.__call__


def start_recording() -> None:
    this, clone = sys.modules[__name__], BlockData.clone
    hooks.record_each(pyo.ConcreteModel, this)

    @functools.wraps(clone)
    def cloning(self, *arguments, **named):  # create_instance of an AbstractModel calls it too
        made = clone(self, *arguments, **named)
        if isinstance(made, MODEL_TYPE):
            dialects.record(this, made)
        return made

    def making_solver(self, _name=None, **named):
        return self if _name is None else InProcess(type=str(_name), options=named.get("options"))

    BlockData.clone, SolverFactoryClass.__call__ = cloning, making_solver


class InProcess(OptSolver):
    """What stands in the place of every solver."""

    def available(self, exception_flag: bool = True) -> bool:
        return True

    def license_is_valid(self) -> bool:
        return True

    def warm_start_capable(self) -> bool:
        return True

    def set_instance(self, model: MODEL_TYPE, **_) -> None:
        self.instance = model

    def solve(self, model: MODEL_TYPE | None = None, *_, **__) -> SolverResults:
        """As Pyomo's own do it: values where there is an optimum, a status in any case."""
        model = self.instance if model is None else model
        try:
            translation = Translation(model)
        except (Unsupported, ValueError) as error:
            dialects.refuse(model, str(error))
            raise SystemExit(str(error)) from error
        ir, began = translation.draft.model, time.perf_counter()
        with hooks.library_at_work():
            solution = solve(ir, time_limit=hooks.solving_seconds())
        if solution.status == OPTIMAL:
            for variable, value in zip(translation.variables, solution.values, strict=True):
                variable.set_value(round(value) if variable.is_integer() else value, skip_validation=True)
            if ir.degree == "linear" and not any(v.is_integer for v in ir.variables) and wants_prices(model):
                prices = make_solver(pyo.SolverFactory, "appsi_highs")
                prices.options["threads"] = 1
                prices.solve(model)
        return results_of(ir, solution, time.perf_counter() - began)


def wants_prices(model: MODEL_TYPE) -> bool:
    return any(suffix.import_enabled() for suffix in model.component_objects(pyo.Suffix, active=True))


def results_of(ir: Model, solution: Solution, seconds: float) -> SolverResults:
    results = SolverResults()
    results.solver.status, results.solver.termination_condition = ENDINGS.get(solution.status, FAILURE)
    results.solver.message, results.solver.time = solution.detail, seconds
    results.problem.sense = pyo.maximize if ir.objective.sense == "max" else pyo.minimize
    results.problem.number_of_variables = len(ir.variables)
    results.problem.number_of_constraints = len(ir.rows)
    if solution.status == OPTIMAL:
        results.problem.lower_bound = results.problem.upper_bound = solution.objective
    return results


def says_something(model: MODEL_TYPE) -> bool:
    parts = model.component_data_objects((pyo.Constraint, pyo.Objective), active=True)
    return model.is_constructed() and next(iter(parts), None) is not None


def to_ir(model: MODEL_TYPE) -> Model:
    """Variables in the order of their declaration, constraints likewise."""
    return Translation(model).draft.model


def add_to(sums: dict, key: object, value: float) -> None:
    sums[key] = sums.get(key, 0.0) + value


class Translation:
    """A model in the IR, and Pyomo's variables in the IR's order."""

    def __init__(self, model: MODEL_TYPE):
        if not model.is_constructed():
            raise Unsupported("an abstract model that has no instance")
        for component in model.component_objects(active=True):
            if component.ctype not in KNOWN:
                raise Unsupported(f"the component {component.name} of the kind {component.ctype.__name__}")
        objectives = list(model.component_data_objects(pyo.Objective, active=True))
        if len(objectives) > 1:
            raise Unsupported(f"{len(objectives)} active objectives")
        self.draft = Draft()
        self.variables: list[pyo.Var] = []
        self.index: dict[int, int] = {}
        self.fixed: dict[int, float] = {}
        for variable in model.component_data_objects(pyo.Var, active=True):
            self.position(variable)
        for constraint in model.component_data_objects(pyo.Constraint, active=True):
            constant, linear, *rest = self.parts(constraint.body)
            lb = -math.inf if constraint.lb is None else constraint.lb - constant
            ub = math.inf if constraint.ub is None else constraint.ub - constant
            self.draft.row(constraint.name, linear, lb, ub, *rest)
        for objective in objectives:
            constant, linear, *rest = self.parts(objective.expr)
            sense = "min" if objective.is_minimizing() else "max"
            self.draft.model.set_objective(sense, linear, constant, *rest)

    def position(self, variable) -> int:
        """Of a variable in the IR, where it is added when it is not there."""
        if id(variable) not in self.index:
            self.index[id(variable)] = self.add(variable)
            self.variables.append(variable)
        return self.index[id(variable)]

    def add(self, variable) -> int:
        if variable.fixed:
            fixed = self.fixed[id(variable)] = pyo.value(variable)
            return self.draft.variable(variable.name, fixed, fixed, variable.is_integer() and fixed == round(fixed))
        if not variable.is_integer() and not variable.is_continuous():
            raise Unsupported(f"variable {variable.name}: the domain {variable.domain}")
        lb, ub = variable.bounds
        lb, ub = -math.inf if lb is None else lb, math.inf if ub is None else ub
        return self.draft.variable(variable.name, lb, ub, variable.is_integer())

    def parts(self, body) -> tuple[float, dict, dict, Expression | None]:
        """(constant, linear terms, products, what is neither) of an expression."""
        found = self.standard_form(body)
        linear: dict[int, float] = {}
        products: dict[tuple[int, int], float] = {}
        for variable, coefficient in zip(found.linear_vars, found.linear_coefs, strict=True):
            add_to(linear, self.position(variable), coefficient)
        for pair, coefficient in zip(found.quadratic_vars, found.quadratic_coefs, strict=True):
            one, other = sorted(pair, key=lambda variable: id(variable) not in self.fixed)  # the fixed one first
            if id(one) in self.fixed:
                add_to(linear, self.position(other), coefficient * self.fixed[id(one)])
            else:
                add_to(products, (self.position(one), self.position(other)), coefficient)
        nonlinear = None if found.nonlinear_expr is None else self.expression(found.nonlinear_expr)
        return found.constant, linear, products, nonlinear

    def standard_form(self, body):
        """Pyomo's, in which fixed variables are variables."""
        fixed = [variable for variable in self.variables if id(variable) in self.fixed]
        try:
            for variable in fixed:
                variable.fixed = False
            return generate_standard_repn(body, compute_values=True, quadratic=True)
        finally:
            for variable in fixed:
                variable.fixed = True

    def expression(self, node) -> Expression:
        if not is_potentially_variable(node):
            return pyo.value(node)
        if not node.is_expression_type():
            fixed = self.fixed.get(id(node))
            return ("variable", self.position(node)) if fixed is None else fixed
        operator = operator_of(node)
        operands = [self.expression(argument) for argument in node.args]
        if operator == "log10":
            return ("quotient", ("log", *operands), math.log(10))
        if operator == "negation":
            return ("product", -1.0, *operands)
        return (operator, *operands)


def operator_of(node) -> str:
    """The IR's, or log10 or negation."""
    if node.is_named_expression_type():
        return "sum"  # of one
    for kind, operator in OPERATORS.items():
        if isinstance(node, kind):
            return operator
    name = node.getname() if isinstance(node, nodes.UnaryFunctionExpression) else type(node).__name__
    if name not in FUNCTIONS and name != "log10":
        raise Unsupported(f"the function {name}")
    return name
