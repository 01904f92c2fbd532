"""Whether the optimum of a model can have been typed in: nothing is left to decide, or a number of it is the label."""

from trex.execution.equivalence import same
from trex.problems import expression
from trex.problems.comparison.normal_form import tightest_bounds
from trex.problems.ir import Model, Row

NEARLY = 1e-9


def degenerate(model: Model) -> bool:
    """True when no decision and no calculation is left.

    So it is when no row that its bounds do not imply ties a free variable of the objective to another one, no product
    or expression has a free variable, and the free variables of the objective only add up bounds as they were written
    (each costs 1 or -1, and no row divides by its coefficient). Bare rows of one variable are bounds, and a variable
    whose bounds nearly meet is not free. What it cannot see: an answer typed in by way of a row of several variables, a
    coefficient (2 x <= 6000), a product (x x = 9000000), or terms that vanish (3000 - x x).
    """
    lb, ub = tightest_bounds(model)
    free = {i for i, (low, high) in enumerate(zip(lb, ub, strict=True)) if high - low > NEARLY * max(1.0, abs(low))}
    valued = set(model.objective.linear) & free
    ties = [free & set(row.terms) for row in model.rows if row.is_linear and not implied(row, lb, ub)]
    if in_curves(model) & free or any(len(tie) >= 2 and tie & valued for tie in ties):
        return False
    divided = {i for row in model.rows for i, c in row.terms.items() if len(row.terms) == 1 and abs(c) != 1.0}
    return not any(abs(model.objective.linear[i]) != 1.0 or i in divided for i in valued)


def holds(model: Model, label: float) -> bool:
    """Whether a number of the model is the label, or the label with its sign turned."""
    numbers = [model.objective.constant, *model.objective.linear.values(), *model.objective.quadratic.values()]
    for variable in model.variables:
        numbers += [variable.lb, variable.ub]
    for row in model.rows:
        numbers += [row.lb, row.ub, *row.terms.values(), *row.quadratic.values()]
    return any(same(abs(number), abs(label)) for number in numbers)


def implied(row: Row, lb: list[float], ub: list[float]) -> bool:
    """Whether every point within the bounds satisfies a linear row."""
    least = sum(c * (lb[i] if c > 0 else ub[i]) for i, c in row.terms.items())
    most = sum(c * (ub[i] if c > 0 else lb[i]) for i, c in row.terms.items())
    return row.lb <= least and most <= row.ub


def in_curves(model: Model) -> set[int]:
    """The variables that stand in products or in nonlinear expressions."""
    parts = [model.objective, *model.rows]
    products = {index for part in parts for pair in part.quadratic for index in pair}
    return products.union(*(expression.variables(part.nonlinear) for part in parts if part.nonlinear is not None))
