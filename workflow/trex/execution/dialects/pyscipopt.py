"""PySCIPOpt: `from pyscipopt import Model`.

SCIP keeps a linear constraint in a form that can be read back, and a nonlinear one not: its expression is kept here
when it is written; both sides are read back. Constraints of other kinds but indicators (special ordered sets, and,
cardinality, ...), and what adds or cuts off while SCIP runs (pricers, constraint handlers, Benders' decomposition, an
objective limit) are Unsupported. An implied integer variable is an integer one.
"""

import math
import sys

import pyscipopt
from pyscipopt import scip

from trex.execution import dialects
from trex.execution.dialects import Unsupported
from trex.execution.dialects.draft import Draft
from trex.execution.dialects.hooks import solving_seconds
from trex.problems.expression import Expression
from trex.problems.ir import INFINITE
from trex.problems.ir import Model as IR

NAME = "pyscipopt"
NO_PROBLEM, PROBLEM = 0, 1  # stages
REFUSED = {
    "addExprNonlinear": "a nonlinear constraint that is changed",
    "includeConshdlr": "a constraint handler",
    "includePricer": "a pricer",
    "includeBenders": "Benders' decomposition",
    "initBendersDefault": "Benders' decomposition",
    "setObjlimit": "an objective limit",
}
FUNCTIONS = {
    scip.ExpExpr: "exp",
    scip.LogExpr: "log",
    scip.SqrtExpr: "sqrt",
    scip.SinExpr: "sin",
    scip.CosExpr: "cos",
    scip.AbsExpr: "abs",
}


class Model(pyscipopt.Model):
    """The library's own class cannot be patched; this one takes its place."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.written: dict[scip.Constraint, scip.ExprCons] = {}
        self.switches: dict[scip.Constraint, tuple[scip.Variable, bool]] = {}
        dialects.record(sys.modules[__name__], self)

    def createConsFromExpr(self, cons, *arguments, **named):  # addCons and its relatives call it
        constraint = super().createConsFromExpr(cons, *arguments, **named)
        self.written[constraint] = cons
        return constraint

    def addConsIndicator(self, cons, binvar=None, activeone=True, *arguments, **named):
        constraint = super().addConsIndicator(cons, binvar, activeone, *arguments, **named)
        if binvar is not None:
            self.switches[constraint] = (binvar, activeone)
        return constraint

    def optimize(self):
        self.setParam("limits/time", solving_seconds())
        super().optimize()


def start_recording() -> None:
    for name, reason in REFUSED.items():
        setattr(Model, name, refusing(getattr(pyscipopt.Model, name), reason))
    pyscipopt.Model = scip.Model = Model


def refusing(method, reason: str):
    def refused(self, *arguments, **named):
        dialects.refuse(self, reason)
        return method(self, *arguments, **named)

    return refused


def says_something(model: Model) -> bool:
    if model.getStage() == NO_PROBLEM:
        return False
    back_to_the_problem(model)
    return bool(model.getNConss() or model.getObjoffset() or any(v.getObj() for v in model.getVars()))


def back_to_the_problem(model: Model) -> None:
    """Forget what solving made of it."""
    if model.getStage() > PROBLEM:
        model.freeTransform()


def to_ir(model: Model) -> IR:
    """Variables in the order of their making, rows in SCIP's order."""
    if model.getStage() == NO_PROBLEM:
        raise Unsupported("a problem that was freed")
    back_to_the_problem(model)
    constraints = model.getConss()
    indicators = [constraint for constraint in constraints if constraint.getConshdlrName() == "indicator"]
    slacks = {model.getSlackVarIndicator(constraint).ptr() for constraint in indicators}
    implied = {model.getLinearConsIndicator(constraint) for constraint in indicators}
    draft = Draft()
    index: dict[int, int] = {}
    variables = sorted((v for v in model.getVars() if v.ptr() not in slacks), key=lambda v: v.getIndex())
    for variable in variables:
        lb, ub = variable.getLbOriginal(), variable.getUbOriginal()
        index[variable.ptr()] = draft.variable(variable.name, lb, ub, variable.vtype() != "CONTINUOUS")
    for constraint in constraints:
        if constraint not in implied:
            add_constraint(draft, model, constraint, index)
    costs = {index[variable.ptr()]: variable.getObj() for variable in variables}
    sense = "max" if model.getObjectiveSense() == "maximize" else "min"
    draft.model.set_objective(sense, costs, model.getObjoffset())
    return draft.model


def add_constraint(draft: Draft, model: Model, constraint: scip.Constraint, index: dict[int, int]) -> None:
    kind, name = constraint.getConshdlrName(), constraint.name
    if kind == "linear":
        draft.row(name, terms_of(model, constraint, index), *sides(model, constraint))
    elif kind == "nonlinear":
        if constraint not in model.written:
            raise Unsupported(f"a nonlinear constraint that the program did not write: {name}")
        body = expression(model.written[constraint].expr, index)
        draft.row(name, {}, *sides(model, constraint), nonlinear=body)
    elif kind == "indicator" and constraint in model.switches:
        row = model.getLinearConsIndicator(constraint)
        binary, active = model.switches[constraint]
        draft.indicator(name, index[binary.ptr()], active, terms_of(model, row, index), *sides(model, row))
    else:
        raise Unsupported(f"a constraint of the kind {kind}: {name}")


def sides(model: Model, constraint: scip.Constraint) -> tuple[float, float]:
    lhs, rhs = model.getLhs(constraint), model.getRhs(constraint)
    return (-math.inf if lhs <= -INFINITE else lhs), (math.inf if rhs >= INFINITE else rhs)


def terms_of(model: Model, constraint: scip.Constraint, index: dict[int, int]) -> dict[int, float]:
    """Of a linear constraint, without an indicator's slack variable. A variable may stand in it several times."""
    terms: dict[int, float] = {}
    for variable, value in zip(model.getConsVars(constraint), model.getConsVals(constraint), strict=True):
        if variable.ptr() in index:
            position = index[variable.ptr()]
            terms[position] = terms.get(position, 0.0) + value
    return terms


def expression(node: object, index: dict[int, int]) -> Expression:
    if isinstance(node, scip.Expr):
        terms = ((value, *(("variable", index[v.ptr()]) for v in term.vartuple)) for term, value in node.terms.items())
        return ("sum", 0.0, *(("product", *term) for term in terms))
    if isinstance(node, scip.Constant):
        return node.number
    if isinstance(node, scip.VarExpr):
        return ("variable", index[node.children[0].ptr()])
    operands = [expression(child, index) for child in node.children]
    if isinstance(node, scip.SumExpr):
        return ("sum", node.constant, *operands)
    if isinstance(node, scip.ProdExpr):
        return ("product", node.constant, *operands)
    if isinstance(node, scip.PowExpr):
        return ("power", *operands, node.expo)
    return (FUNCTIONS[type(node)], *operands)
