"""SCIP, by pyscipopt: whatever the IR holds.

A linear model is handed over as it is. Of the others,
- the objective becomes one variable, bounded by a row: min z with f(x) <= z, or max z with f(x) >= z;
- that row and each row that is not linear are divided by the size of their numbers, as SCIP's tolerances are absolute;
- z stops at -FAR (or FAR), which cuts off no x, so that SCIP never deals with infinite objectives, which it does badly:
  where z gets there, the model is solved again in units FAR times as large, and is unbounded when z gets there again
  or nothing so good is found;
- where the optimum turns out small beside the objective's numbers, the model is solved again in units of the optimum;
- max(a, b) is a variable that equals (a + b + |a - b|) / 2, which is exact, and min likewise; a power whose exponent
  varies is exp(exponent log(base)); a tangent is sin / cos.

Tolerances. Rows may be violated by 1e-7: with less (1e-9) SCIP runs into numerical trouble and, on some models, past
its time limit. The gap between the objective and its proven bound is at most 1e-7 of the objective, or of the size of
its numbers: to close it wholly can take for ever, as products are bounded by ever finer cuts. `trex.problems.polish`
then makes the optimum exact. Our own arithmetic checks what SCIP claims; a claim that it refutes is an error.
"""

import functools
import itertools
import math
import time
from collections.abc import Iterator

import numpy as np
from pyscipopt.scip import Constant, Expr, ExprCons, GenExpr, ProdExpr, SumExpr, Term, VarExpr, Variable
from pyscipopt.scip import Model as Scip

from trex.problems import expression
from trex.problems.expression import Expression
from trex.problems.ir import Model, Objective, Row, summands
from trex.problems.polish import LARGEST, LOSS, gradient, polished
from trex.problems.solution import (
    EITHER,
    ERROR,
    INFEASIBLE,
    LIMIT,
    NODE_LIMIT,
    OPTIMAL,
    UNBOUNDED,
    Solution,
    residuals,
)

SEED = 1
FEASIBILITY, GAP = 1e-7, 1e-7
FAR = 1e7
SMALL = (1e-4, 1e-2)  # of the size of its numbers: an optimum that is looked for again; below, it is taken for zero
HUGE = 1e12  # of a variable; beyond it, floats are too far apart for these tolerances
STATUS = {
    "optimal": OPTIMAL,
    "gaplimit": OPTIMAL,
    "infeasible": INFEASIBLE,
    "unbounded": UNBOUNDED,
    "inforunbd": EITHER,
    "timelimit": LIMIT,
    "memlimit": LIMIT,
    "totalnodelimit": LIMIT,
}
DETAIL = {"totalnodelimit": NODE_LIMIT}


def solve_by_scip(model: Model, solver: str, time_limit: float, node_limit: int | None) -> Solution:
    if model.degree == "linear":
        return checked(model, claimed(model, 1.0, time_limit, node_limit), 1.0)
    deadline = time.thread_time() + time_limit
    scale = size_of(model, model.objective)
    claim = claimed(model, scale, time_limit, node_limit)
    if is_far(model, claim, scale):
        return farther(model, claim, scale, deadline - time.thread_time(), node_limit)
    if claim.status == OPTIMAL and SMALL[0] <= abs(claim.objective) / scale < SMALL[1]:
        finer = claimed(model, abs(claim.objective), deadline - time.thread_time(), node_limit)
        if finer.status == OPTIMAL:
            return checked(model, finer, abs(claim.objective))
    return checked(model, claim, scale)


def farther(model: Model, claim: Solution, scale: float, time_limit: float, node_limit: int | None) -> Solution:
    """The solution of a model that has a feasible point, that of `claim`, as good as the objective is let be."""
    again = claimed(model, scale * FAR, time_limit, node_limit)
    solution = Solution(UNBOUNDED) if is_far(model, again, scale * FAR) else checked(model, again, scale * FAR)
    worse = solution.status == OPTIMAL and (solution.objective - claim.objective) * direction(model) < 0.0
    return Solution(UNBOUNDED) if worse or solution.status in (INFEASIBLE, ERROR) else solution


def claimed(model: Model, scale: float, time_limit: float, node_limit: int | None) -> Solution:
    """What SCIP says, unchecked."""
    try:
        translation = Translation(model, scale)
        target = translation.target
        target.setParams(parameters(model, time_limit, node_limit))
        target.optimizeNogil()
        ended = target.getStatus()
        status = STATUS.get(ended, ERROR)
        if status != OPTIMAL:
            return Solution(status, detail=f"scip: {ended}" if status == ERROR else DETAIL.get(ended, ""))
        best = target.getBestSol()
        values = [target.getSolVal(best, variable) for variable in translation.variables]
    except Exception as error:  # pyscipopt raises this very class for most of SCIP's return codes
        return Solution(ERROR, detail=f"scip: {error}")
    return Solution(OPTIMAL, model.objective.at(values), values)


def parameters(model: Model, time_limit: float, node_limit: int | None) -> dict[str, float]:
    chosen = {
        "limits/time": max(0.0, time_limit),
        "limits/totalnodes": -1 if node_limit is None else node_limit,
        "misc/catchctrlc": False,
        "randomization/randomseedshift": SEED,
        "timing/clocktype": 1,  # processor time, so that what else runs does not decide
        "timing/statistictiming": False,  # this clock is slow
    }
    if model.degree == "linear":
        return chosen
    return chosen | {"numerics/feastol": FEASIBILITY, "limits/gap": GAP, "limits/absgap": GAP}


def is_far(model: Model, claim: Solution, scale: float) -> bool:
    """Whether a feasible point is as good as the objective is let be."""
    if claim.status != OPTIMAL or residuals(model, claim.values).violation > FEASIBILITY:
        return False
    return claim.objective * direction(model) >= 0.999 * FAR * scale


def direction(model: Model) -> float:
    return 1.0 if model.objective.sense == "max" else -1.0


def checked(model: Model, claim: Solution, scale: float) -> Solution:
    """The solution that SCIP claims, its optimum made exact; an error where our arithmetic refutes it."""
    if claim.status != OPTIMAL:
        return claim
    found = residuals(model, claim.values)
    if not found.are_small:
        return Solution(ERROR, detail=f"scip: its optimum is not feasible: {found}")
    if model.degree == "linear":
        return claim
    if any(abs(x) >= HUGE for x in claim.values):
        return Solution(ERROR, detail=f"scip: its optimum lies beyond {HUGE:g}, where rounding errors decide")
    if is_at_a_pole(model, claim, scale):
        return Solution(ERROR, detail="scip: its optimum lies beside a pole, where its tolerances decide")
    values = polished(model, claim.values, scale)
    if values is None:
        return Solution(ERROR, detail="scip: its optimum is not feasible when integers are rounded")
    sign = direction(model)
    best = sign * max(sign * model.objective.at(point) for point in (values, *neighbours(model, values)))
    if (best - claim.objective) * sign > LOSS * max(scale, abs(claim.objective)):
        return Solution(ERROR, detail=f"scip: its optimum {claim.objective!r} is none, {best!r} is feasible")
    return Solution(OPTIMAL, model.objective.at(values), values)


def neighbours(model: Model, values: list[float]) -> Iterator[list[float]]:
    """The feasible points that differ by one in one integer variable, where these are not too many to try."""
    whole = [i for i, variable in enumerate(model.variables) if variable.is_integer]
    for i, step in itertools.product(whole if len(whole) <= LARGEST else (), (-1.0, 1.0)):
        point = [*values[:i], values[i] + step, *values[i + 1 :]]
        if residuals(model, point).are_small:
            yield point


def is_at_a_pole(model: Model, claim: Solution, scale: float) -> bool:
    """Whether changes of the variables by a billionth change the objective by a thousandth."""
    reach = [1e-9 * max(1.0, abs(x)) for x in claim.values]
    change = np.abs(gradient(model.objective, claim.values)) * reach
    return bool(np.any(change > 1e-3 * max(scale, abs(claim.objective))))


def size_of(model: Model, part: Row | Objective) -> float:
    """The largest number in it: coefficients, and the value of what is nonlinear where each variable is about 1.5."""
    point = [min(max(1.5, v.lb), v.ub) for v in model.variables]
    linear = part.terms if isinstance(part, Row) else part.linear
    numbers = [*linear.values(), *part.quadratic.values(), *summands({}, {}, part.nonlinear, point)]
    return max((abs(x) for x in numbers if x and math.isfinite(x)), default=1.0)


class Translation:
    """A model as SCIP has it: `target`, and its `variables` in the model's order.

    Raises ValueError for what is undefined, or known to be defined only in part.
    """

    def __init__(self, model: Model, scale: float):
        self.model = model
        self.target = Scip()
        self.target.hideOutput()
        self.variables = [self.add_variable(v.kind[0], v.lb, v.ub) for v in model.variables]
        for row in model.rows:
            size = 1.0 if row.is_linear else size_of(model, row)
            self.add_row(self.total(row.terms, row.quadratic, row.nonlinear, size), row.lb / size, row.ub / size)
        objective = model.objective
        goal = self.total(objective.linear, objective.quadratic, objective.nonlinear, scale)
        if model.degree != "linear":
            sign = direction(model)
            bound = self.add_variable("c", *sorted((-sign * math.inf, sign * FAR)))
            self.add_row(goal - bound, *sorted((0.0, sign * math.inf)))
            goal = Expr({Term(bound): 1.0})
        self.target.setObjective(goal, objective.sense + "imize")

    def add_variable(self, kind: str, lb: float = -math.inf, ub: float = math.inf) -> Variable:
        return self.target.addVar("", kind, finite(lb), finite(ub))

    def add_row(self, total: Expr | GenExpr, lb: float, ub: float) -> None:
        if math.isfinite(lb) or math.isfinite(ub):
            self.target.addCons(ExprCons(total, finite(lb), finite(ub)))

    def total(self, linear: dict, quadratic: dict, nonlinear: Expression | None, size: float) -> Expr | GenExpr:
        """The sum, divided by `size`."""
        x = self.variables
        terms = {Term(x[i]): c / size for i, c in linear.items()}
        terms |= {Term(x[i], x[j]): c / size for (i, j), c in quadratic.items()}
        return Expr(terms) if nonlinear is None else self.expression(nonlinear) / size + Expr(terms)

    def expression(self, node: Expression) -> GenExpr:
        if not expression.variables(node):
            return Constant(constant(node))
        operator, *operands = node
        if operator == "variable":
            return VarExpr(self.variables[operands[0]])
        if operator == "power":
            return self.power(*operands)
        if operator in ("log", "sqrt"):
            self.keep_defined(operands[0], positive=operator == "log")
        if operator == "quotient":
            return self.quotient(*operands)
        found = [self.expression(operand) for operand in operands]
        match operator:
            case "sum" | "product":
                several = SumExpr() if operator == "sum" else ProdExpr()
                several.children = found
                return several
            case "tan":
                return found[0].sin() / found[0].cos()
            case "abs":
                return abs(found[0])
            case "max":
                return functools.reduce(self.maximum, found)
            case "min":
                return -functools.reduce(self.maximum, [-operand for operand in found])
            case _:
                return getattr(found[0], operator)()

    def keep_defined(self, node: Expression, positive: bool) -> None:
        """A row that says that `node` is not negative: SCIP 10.0 has taken an undefined value for a feasible one."""
        whole = node[0] == "variable" and self.model.variables[node[1]].is_integer
        lowest = 1.0 if whole and positive else 0.0
        if self.least(node) < lowest:
            self.add_row(self.expression(node), lowest, math.inf)

    def quotient(self, a: Expression, b: Expression) -> GenExpr:
        """a / b as a variable q; that q b = a is implied, and bounds a quotient of sums far better."""
        above, below = self.expression(a), self.expression(b)
        if isinstance(below, Constant):
            return above / below
        if self.least(b) == 0.0:
            self.keep_defined(b, positive=True)
        quotient = VarExpr(self.add_variable("c"))
        self.add_row(quotient - above / below, 0.0, 0.0)
        self.add_row(quotient * below - above, 0.0, 0.0)
        return quotient

    def power(self, base: Expression, exponent: Expression) -> GenExpr:
        if not expression.variables(exponent):
            number = constant(exponent)
            if not number.is_integer() or (number < 0.0 and self.least(base) == 0.0):
                self.keep_defined(base, positive=number < 0.0)
            return self.expression(base) ** number if number else Constant(1.0)
        continuous = any(not self.model.variables[i].is_integer for i in expression.variables(base))
        if self.least(base) < 0.0 or (self.least(base) == 0.0 and not continuous):
            raise ValueError("the exponent of a power varies, and its base is not known to be positive")
        return (self.expression(exponent) * self.expression(base).log()).exp()

    def least(self, node: Expression) -> float:
        """A lower bound of an expression, or -inf."""
        if not expression.variables(node):
            return constant(node)
        operator, *operands = node
        if operator == "variable":
            return self.model.variables[operands[0]].lb
        found = [self.least(operand) for operand in operands]
        if operator in ("exp", "abs"):
            return 0.0
        if operator in ("sum", "max", "min"):
            return {"sum": sum, "max": max, "min": min}[operator](found)
        return math.prod(found) if operator == "product" and min(found) >= 0.0 else -math.inf

    def maximum(self, a: GenExpr, b: GenExpr) -> GenExpr:
        greater = VarExpr(self.add_variable("c"))
        self.add_row(2.0 * greater - a - b - abs(a - b), 0.0, 0.0)
        for operand in (a, b):  # implied, and a help
            self.add_row(greater - operand, 0.0, math.inf)
        return greater


def constant(node: Expression) -> float:
    value = expression.evaluate(node, ())
    if not math.isfinite(value):
        raise ValueError(f"the constant {node} is undefined")
    return value


def finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
