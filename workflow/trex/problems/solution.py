"""What solving a model gives, and how far a point is from being a solution by our own arithmetic.

Tolerances. A row or a bound is violated by more than it may be when the excess is larger than 1e-6 times the larger
of 1, its bound's magnitude and its largest |summand| (the scale that rounding works on). An integer variable may be
1e-5 from an integer. Two objective values agree within 1e-6 of the larger magnitude, or within 1e-7.
"""

import math
from dataclasses import dataclass

from trex.problems import expression
from trex.problems.ir import Model, exact_sum, summands

OPTIMAL, INFEASIBLE, UNBOUNDED, LIMIT, ERROR = "optimal", "infeasible", "unbounded", "limit", "error"
EITHER = "infeasible_or_unbounded"  # never leaves `trex.problems.solve`
FEASIBILITY_TOLERANCE = 1e-6
INTEGRALITY_TOLERANCE = 1e-5
OBJECTIVE_TOLERANCE = 1e-6
OBJECTIVE_FLOOR = 1e-7
NODE_LIMIT = "node limit"


@dataclass(frozen=True, slots=True)
class Solution:
    """`objective` (constant included) and `values` (one a variable) are there when the status is optimal.

    `detail` says why the status is "error"; with status "limit", NODE_LIMIT says that it was this one, not the time.
    """

    status: str
    objective: float | None = None
    values: list[float] | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Residuals:
    """violation: largest excess over a row's or bound's limit, in units of its scale (see the module);
    fractionality: largest distance of an integer variable from an integer; objective: recomputed from the values."""

    violation: float
    fractionality: float
    objective: float

    @property
    def are_small(self) -> bool:
        """Whether the point is feasible and its objective is a number."""
        return (
            self.violation <= FEASIBILITY_TOLERANCE
            and self.fractionality <= INTEGRALITY_TOLERANCE
            and math.isfinite(self.objective)
        )


def agree(a: float, b: float) -> bool:
    return abs(a - b) <= max(OBJECTIVE_TOLERANCE * max(abs(a), abs(b)), OBJECTIVE_FLOOR)


def residuals(model: Model, values: list[float]) -> Residuals:
    """How far `values` (one a variable) are from feasible and integral: infinitely where something is undefined."""
    violation = fractionality = 0.0
    for variable, x in zip(model.variables, values, strict=True):
        violation = max(violation, excess(x, variable.lb, variable.ub, 1.0))
        if variable.is_integer:
            fractionality = max(fractionality, abs(x - round(x)) if math.isfinite(x) else math.inf)
    for row in model.rows:
        curved = [] if row.nonlinear is None else expression.flat_sum(row.nonlinear)
        parts = summands(row.terms, row.quadratic, None, values)
        parts += [expression.evaluate(part, values) for part in curved]
        violation = max(violation, excess(exact_sum(parts), row.lb, row.ub, max(map(abs, parts), default=0.0)))
    return Residuals(violation, fractionality, model.objective.at(values))


def excess(value: float, lb: float, ub: float, scale: float) -> float:
    if not math.isfinite(value):
        return math.inf
    over, limit = max((lb - value, lb), (value - ub, ub))
    return over / max(1.0, abs(limit), scale) if over > 0.0 else 0.0
