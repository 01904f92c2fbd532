"""gurobipy's general constraints: y == max_(...), addGenConstrMax(...), (b == 1) >> (...), y == f(x), ...

Each is recorded as what it means, exactly; the library's approximations of functions, and their options, are left out.
"""

import math
from collections.abc import Callable, Sequence

from trex.execution.standins import expressions
from trex.execution.standins.expressions import Comparison, Implication, Shaped, Variable, tree_of
from trex.execution.standins.gurobi import functions
from trex.execution.standins.gurobi.attributes import GenConstr, Var, text
from trex.execution.standins.gurobi.attributes import sense as side
from trex.execution.standins.gurobi.expressions import GenExpr, GurobiError, LinExpr, operands_of
from trex.execution.standins.relations import Conjunction, Disjunction, Equation, EuclideanNorm, Indicator


def variable(value: object) -> Var:
    value = value.alone() if isinstance(value, Shaped) else value
    if not isinstance(value, Var):
        raise TypeError(f"{value!r} is not a variable")
    return value


def split(operands: Sequence, constant: float | None) -> tuple[list[Var], list[float]]:
    """The variables and the numbers among the operands of max_ or min_."""
    numbers = [float(operand) for operand in operands if expressions.is_number(operand)]
    variables = [operand for operand in operands if not expressions.is_number(operand)]
    if not all(isinstance(operand, Var) for operand in variables):
        raise GurobiError("Invalid data in vars array")
    return variables, numbers if constant is None else [*numbers, float(constant)]


def relation(result: object, general: GenExpr) -> object:
    """The constraint result == general."""
    result = variable(result)
    if general.kind == "abs":
        return Equation(result, ("abs", variable(general.operands[0])))
    variables, numbers = split(general.operands, general.constant)
    if general.kind in ("max", "min"):
        return Equation(result, (general.kind, *variables, *numbers))
    if numbers:
        raise GurobiError("Invalid data in vars array")
    if general.kind == "norm":
        return norm_relation(result, variables, float(general.which))
    kind = Conjunction if general.kind == "and" else Disjunction
    return kind(result, variables, binaries=(result, *variables))


def norm_relation(result: Var, variables: list[Var], which: float) -> object:
    sizes = [("abs", operand) for operand in variables]
    if which == 1.0:
        return Equation(result, ("sum", *sizes))
    if which == 2.0:
        return EuclideanNorm(result, variables)
    if math.isinf(which) or which >= 1e20:
        return Equation(result, ("max", *sizes))
    if which == 0.0:
        return None
    raise GurobiError("Only 0, 1, 2, and INF norms supported")


class GeneralConstraints:
    """The part of Model that adds general constraints."""

    def _add_relation(self, constraint: object, name: str) -> GenConstr:
        if constraint is None:
            raise self._recording.refuse("a constraint on the number of nonzeros (norm 0)")
        return self._recording.add_relation(GenConstr, constraint, text(name))

    def _add_implication(self, implication: Implication, name: str) -> GenConstr:
        condition, consequence = implication.condition, implication.consequence
        if not isinstance(condition, Comparison):
            if condition.elements.size != 1:
                raise self._recording.refuse("an array of indicator constraints")
            condition = condition.alone()
        binary, value = condition.left, condition.right
        if not isinstance(binary, Var) or condition.sense != "=" or not expressions.is_number(value):
            message = "Indicator constraints can only be triggered by a single binary variable at a given value"
            raise GurobiError(message)
        return self.addGenConstrIndicator(binary, value, consequence, name=name)

    def addGenConstrIndicator(
        self,
        binvar: object,
        binval: object,
        lhs: object,
        sense: str | None = None,
        rhs: object = None,
        name: str = "",
        options: str = "",
    ) -> GenConstr:
        if sense is None:
            comparison = lhs if isinstance(lhs, Comparison) else lhs.alone()
            lhs, sense, rhs = comparison.left, comparison.sense, comparison.right
        elif isinstance(lhs, Comparison):
            raise GurobiError("Additional sense argument provided for general constraint of indicator type")
        if binval not in (0, 1):
            raise GurobiError("Problem adding general constraint")
        difference = LinExpr(lhs) - rhs
        if not isinstance(difference, LinExpr):
            raise TypeError(f"must be real number, not {type(difference).__name__}")
        terms = self._recording.terms_of(difference)
        limit = 0.0 - difference.constant
        binary = variable(binvar)
        return self._add_relation(Indicator(binary, bool(binval), terms, side(sense), limit, (binary,)), name)

    def addGenConstrMax(self, resvar: object, vars: object, constant: object = None, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("max", operands_of([vars]), constant)), name)

    def addGenConstrMin(self, resvar: object, vars: object, constant: object = None, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("min", operands_of([vars]), constant)), name)

    def addGenConstrAbs(self, resvar: object, argvar: object, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("abs", [argvar])), name)

    def addGenConstrAnd(self, resvar: object, vars: object, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("and", operands_of([vars]))), name)

    def addGenConstrOr(self, resvar: object, vars: object, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("or", operands_of([vars]))), name)

    def addGenConstrNorm(self, resvar: object, vars: object, which: float, name: str = "") -> GenConstr:
        return self._add_relation(relation(resvar, GenExpr("norm", operands_of([vars]), which=which)), name)

    def addGenConstrNL(self, resvar: object, expr: object, name: str = "") -> GenConstr:
        return self._add_relation(Equation(variable(resvar), tree_of(expr)), name)

    def _add_function(self, xvar: object, yvar: object, function: Callable[[Variable], object], name: str) -> GenConstr:
        return self._add_relation(Equation(variable(yvar), tree_of(function(variable(xvar)))), name)

    def addGenConstrExpA(self, xvar: object, yvar: object, a: float, name: str = "", options: str = "") -> GenConstr:
        return self._add_function(xvar, yvar, lambda x: float(a) ** x, name)

    def addGenConstrLogA(self, xvar: object, yvar: object, a: float, name: str = "", options: str = "") -> GenConstr:
        return self._add_function(xvar, yvar, lambda x: functions.log(x) / math.log(a), name)

    def addGenConstrPow(self, xvar: object, yvar: object, a: float, name: str = "", options: str = "") -> GenConstr:
        return self._add_function(xvar, yvar, lambda x: x ** float(a), name)

    def addGenConstrPoly(self, xvar: object, yvar: object, p: Sequence, name: str = "", options: str = "") -> GenConstr:
        """y == p[0] x^d + ... + p[d]."""
        degree = len(p) - 1

        def polynomial(x: Var):
            return sum((float(c) * x ** (degree - k) for k, c in enumerate(p)), LinExpr())

        return self._add_function(xvar, yvar, polynomial, name)


def function_method(function: Callable) -> Callable:
    def add(self, xvar: object, yvar: object, name: str = "", options: str = "") -> GenConstr:
        return self._add_function(xvar, yvar, function, name)

    return add


for name in ("exp", "log", "sin", "cos", "tan", "logistic"):
    setattr(GeneralConstraints, f"addGenConstr{name.capitalize()}", function_method(getattr(functions, name)))
