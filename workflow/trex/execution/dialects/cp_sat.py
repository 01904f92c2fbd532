"""CP-SAT: `from ortools.sat.python import cp_model`.

Exact in the IR: linear constraints, also conditional ones and ones whose values form several intervals, clauses, at
most one, exactly one, maximum, minimum, absolute value, product. A condition becomes products with its literal
(`Draft.indicator`), several conditions a new binary variable that has to be 1 where all hold, several intervals a new
binary variable each, one of which has to be 1. The other constraints (all different, intervals, circuits, tables,
division, ...) are Unsupported.
"""

import functools
import math
import sys
from collections.abc import Iterable

from ortools.sat.python import cp_model

from trex.execution.dialects import Unsupported, hooks
from trex.execution.dialects.draft import Draft
from trex.problems.ir import Model

NAME = "cp_sat"
MODEL_TYPE = cp_model.CpModel
SOLVER_TYPE = cp_model.CpSolver
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1  # in a domain: no bound
TRANSLATED = ("linear", "bool_or", "bool_and", "at_most_one", "exactly_one", "lin_max", "int_prod")


def start_recording() -> None:
    hooks.record_each(MODEL_TYPE, sys.modules[__name__])
    solve = SOLVER_TYPE.solve

    @functools.wraps(solve)
    def solving(self, model, solution_callback=None):
        self.parameters.num_workers, self.parameters.num_search_workers = 1, 0
        self.parameters.max_time_in_seconds = hooks.solving_seconds()
        return solve(self, model, solution_callback)

    SOLVER_TYPE.solve = solving


def says_something(model: MODEL_TYPE) -> bool:
    return len(model.proto.constraints) > 0 or model.has_objective()


def to_ir(model: MODEL_TYPE) -> Model:
    """Variables and constraints in their order; new variables last, but for those of conditions."""
    proto = model.proto
    draft = Draft()
    for position, variable in enumerate(proto.variables):
        if len(variable.domain) != 2:
            raise Unsupported(f"variable {variable.name or position}: a domain of several intervals")
        draft.variable(variable.name, *limits(*variable.domain), integer=True)
    for constraint in proto.constraints:
        add_constraint(draft, constraint)
    for literal in proto.assumptions:
        add_clause(draft, "assumption", [literal])
    set_objective(draft.model, proto)
    return draft.model


def limits(low: int, high: int) -> tuple[float, float]:
    return (-math.inf if low == LOWEST else low), (math.inf if high == HIGHEST else high)


def add_constraint(draft: Draft, constraint) -> None:
    kind = kind_of(constraint)
    name, conditions = constraint.name, list(constraint.enforcement_literal)
    if kind == "linear":
        add_linear(draft, name, conditions, constraint.linear)
    elif kind == "bool_or":
        add_clause(draft, name, [*constraint.bool_or.literals, *map(negated, conditions)])
    elif kind == "bool_and":
        for literal in constraint.bool_and.literals:
            add_clause(draft, name, [literal, *map(negated, conditions)])
    elif kind in ("at_most_one", "exactly_one"):
        terms, constant = sum_of(getattr(constraint, kind).literals)
        lowest = 1 if kind == "exactly_one" else -math.inf
        add_conditional(draft, name, conditions, terms, lowest - constant, 1 - constant)
    elif conditions:
        raise Unsupported(f"a conditional {kind} constraint")
    elif kind == "lin_max":
        add_equal(draft, name, constraint.lin_max.target, ("max", *map(expression, constraint.lin_max.exprs)))
    else:
        add_equal(draft, name, constraint.int_prod.target, ("product", *map(expression, constraint.int_prod.exprs)))


def kind_of(constraint) -> str:
    kinds = [name.removeprefix("has_") for name in dir(constraint) if name.startswith("has_")]
    kind = next((kind for kind in kinds if getattr(constraint, f"has_{kind}")()), "empty")
    if kind not in TRANSLATED:
        raise Unsupported(f"a constraint of the kind {kind}")
    return kind


def negated(literal: int) -> int:
    return -literal - 1


def sum_of(literals: Iterable[int]) -> tuple[dict[int, float], int]:
    """The sum of literals as terms and a constant: that of `not b` is 1 - b."""
    terms: dict[int, float] = {}
    constant = 0
    for literal in literals:
        index, sign = (literal, 1) if literal >= 0 else (negated(literal), -1)
        terms[index] = terms.get(index, 0) + sign
        constant += sign < 0
    return terms, constant


def add_clause(draft: Draft, name: str, literals: list[int]) -> None:
    """At least one of the literals is true."""
    terms, constant = sum_of(literals)
    draft.row(name, terms, 1 - constant, math.inf)


def add_linear(draft: Draft, name: str, conditions: list[int], linear) -> None:
    terms = terms_of(linear)
    ends = list(linear.domain)
    intervals = [limits(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    if len(intervals) == 1:
        add_conditional(draft, name, conditions, terms, *intervals[0])
        return
    switches = [draft.variable(f"{name or 'interval'}_{k}", 0, 1, integer=True) for k in range(len(intervals))]
    for switch, (lb, ub) in zip(switches, intervals, strict=True):
        draft.indicator(name, switch, True, terms, lb, ub)
    add_clause(draft, name, [*switches, *map(negated, conditions)])


def add_conditional(
    draft: Draft, name: str, conditions: list[int], terms: dict[int, float], lb: float, ub: float
) -> None:
    """A linear row that holds where all the conditions do."""
    if not conditions:
        draft.row(name, terms, lb, ub)
        return
    condition = conditions[0]
    if len(conditions) > 1:
        condition = draft.variable(f"{name or 'condition'}_all", 0, 1, integer=True)
        add_clause(draft, name, [condition, *map(negated, conditions)])
    active = condition >= 0
    draft.indicator(name, condition if active else negated(condition), active, terms, lb, ub)


def terms_of(linear) -> dict[int, float]:
    """Of the linear part of anything; here a negative reference is a variable's negative, not a literal's."""
    terms: dict[int, float] = {}
    for reference, coefficient in zip(linear.vars, linear.coeffs, strict=True):
        index, sign = (reference, 1) if reference >= 0 else (negated(reference), -1)
        terms[index] = terms.get(index, 0) + sign * coefficient
    return terms


def expression(linear) -> tuple:
    terms = terms_of(linear).items()
    return ("sum", linear.offset, *(("product", coefficient, ("variable", index)) for index, coefficient in terms))


def add_equal(draft: Draft, name: str, target, value: tuple) -> None:
    """target = value, written as value - target = 0."""
    negative = {index: -coefficient for index, coefficient in terms_of(target).items()}
    draft.row(name, negative, target.offset, target.offset, nonlinear=value)


def set_objective(model: Model, proto) -> None:
    if proto.has_floating_point_objective():
        objective = proto.floating_point_objective
        model.set_objective("max" if objective.maximize else "min", terms_of(objective), objective.offset)
    elif proto.has_objective():
        objective = proto.objective
        if objective.domain:
            raise Unsupported("an objective with a domain")
        # The solver minimizes the sum; what it reports is factor (sum + offset).
        factor = objective.scaling_factor or 1.0
        terms = {index: factor * coefficient for index, coefficient in terms_of(objective).items()}
        model.set_objective("max" if factor < 0 else "min", terms, factor * objective.offset)
