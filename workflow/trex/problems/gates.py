"""Whether a sound model is worth asking: that it is hard to be right by accident, and that a wrong answer shows.

Each gate is a reason to reject a model. All take a row of one variable for what it is, a bound (as
`trex.problems.comparison.canonical` does), so that the verdict does not depend on how a bound is written.

- `ill_conditioned`, told from the model alone. Convention: in some row the nonzero coefficients range over more than
  1e6 in magnitude. It is measured row by row, so multiplying a row by a number changes nothing. Beyond it, the
  tolerance of a row, which is 1e-6 of its largest summand (`trex.problems.solution`), is more than a whole unit of its
  smallest one: a solver may take back a unit of that variable, and nobody's arithmetic sees it.
- `zero_optimum`: whoever answers 0 is right.
- `do_nothing_optimal`: all variables at 0, or as near as their bounds allow, or all at their lower bounds.
- `rows_do_not_matter`: each variable for itself, within its bounds, reaches the same optimum.
- `all_at_bounds`: in the optimum, each variable that could be elsewhere is at one of its bounds. These are the
  continuous ones and the integers with more than two values; a model without any, all binary, is exempt. A model can
  have many optima, and which one a solver finds is its own affair: the gate rejects only when the optima of both
  solvers are like that. So an accepted model is proven to have an optimum off the bounds; a rejected one may have one
  that neither solver found.
- `indistinct`: no tolerance of the scoring can tell the optimum from its neighbour, which is one step away. Where all
  variables of the objective are integer and its coefficients are multiples of one number, the step is the largest such
  number: all values that the objective can take lie on this grid. Elsewhere it is the smallest coefficient: one unit
  more or less of the variable that counts least. Two values are told apart when none agrees with both of them, that is
  when the one halfway does not: then an optimum that a solver has right within the tolerance is not taken for the
  neighbour's.

What they do not look at: nonlinear parts of rows; the objective's where it is not linear, for which
`rows_do_not_matter` and `indistinct` do not apply; the condition of the optimal basis.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from trex.problems.ir import Model, Variable
from trex.problems.solution import INTEGRALITY_TOLERANCE, OBJECTIVE_TOLERANCE, agree, residuals

ILL_CONDITIONED = "ill_conditioned"
ZERO_OPTIMUM = "zero_optimum"
DO_NOTHING_OPTIMAL = "do_nothing_optimal"
ROWS_DO_NOT_MATTER = "rows_do_not_matter"
ALL_AT_BOUNDS = "all_at_bounds"
INDISTINCT = "indistinct"

LARGEST_RANGE = 1e6  # of a row's coefficients
LARGEST_DENOMINATOR = 10_000  # of a coefficient that is taken for a fraction
FRACTION_ROUNDING = 1e-12

Interval = tuple[float, float]


def is_ill_conditioned(model: Model) -> bool:
    for row in model.rows:
        sizes = [abs(c) for c in (*row.terms.values(), *row.quadratic.values())]
        if sizes and max(sizes) > LARGEST_RANGE * min(sizes):
            return True
    return False


def rejection(model: Model, optimum: float, points: Iterable[list[float]]) -> str | None:
    """The first gate that rejects a model with this optimum, found at these points; None when it passes them all."""
    if abs(optimum) <= OBJECTIVE_TOLERANCE:
        return ZERO_OPTIMUM
    bounds = limits(model)
    nothing = [
        [min(max(0.0, lb), ub) for lb, ub in bounds],
        [lb if lb > -math.inf else min(0.0, ub) for lb, ub in bounds],
    ]
    if any(reaches(model, values, optimum) for values in nothing):
        return DO_NOTHING_OPTIMAL
    free = optimum_without_rows(model, bounds)
    if free is not None and agree(free, optimum):
        return ROWS_DO_NOT_MATTER
    if all(is_at_bounds(model, bounds, values) for values in points):
        return ALL_AT_BOUNDS
    return INDISTINCT if is_indistinct(model, optimum) else None


def limits(model: Model) -> list[Interval]:
    """The bounds of each variable: its own, those of rows that hold nothing else, whole numbers for an integer."""
    bounds = [(v.lb, v.ub) for v in model.variables]
    for row in model.rows:
        if len(row.terms) == 1 and row.is_linear:
            ((index, c),) = row.terms.items()
            low, high = sorted((row.lb / c, row.ub / c))
            bounds[index] = max(bounds[index][0], low), min(bounds[index][1], high)
    return [whole(b) if v.is_integer else b for v, b in zip(model.variables, bounds, strict=True)]


def whole(bounds: Interval) -> Interval:
    """The integers within; a bound may miss one by rounding."""
    lb, ub = bounds
    return (
        lb if math.isinf(lb) else math.ceil(lb - INTEGRALITY_TOLERANCE),
        ub if math.isinf(ub) else math.floor(ub + INTEGRALITY_TOLERANCE),
    )


def reaches(model: Model, values: list[float], optimum: float) -> bool:
    at = residuals(model, values)
    return at.are_small and agree(at.objective, optimum)


def optimum_without_rows(model: Model, bounds: list[Interval]) -> float | None:
    """The optimum over the bounds alone, None where it is unbounded; each variable decides for itself.

    An objective that is not linear couples variables and is left alone (None): it can be bounded without any row.
    """
    if not has_linear_objective(model):
        return None
    upwards = model.objective.sense == "max"
    best = {i: bounds[i][(c > 0) == upwards] for i, c in model.objective.linear.items()}
    if any(map(math.isinf, best.values())):
        return None
    return math.fsum([model.objective.constant, *(c * best[i] for i, c in model.objective.linear.items())])


def has_linear_objective(model: Model) -> bool:
    return not model.objective.quadratic and model.objective.nonlinear is None


def is_at_bounds(model: Model, bounds: list[Interval], values: list[float]) -> bool:
    """Whether there are variables that could be elsewhere, and none is."""
    movable = [i for i, variable in enumerate(model.variables) if has_inside(variable, bounds[i])]
    return bool(movable) and all(is_at_end(values[i], bounds[i]) for i in movable)


def has_inside(variable: Variable, bounds: Interval) -> bool:
    """Whether there is a value between the bounds that the variable may take."""
    return bounds[1] - bounds[0] > (1 if variable.is_integer else 0)


def is_at_end(value: float, bounds: Interval) -> bool:
    return min(abs(value - bound) for bound in bounds) <= INTEGRALITY_TOLERANCE * max(1.0, abs(value))


def is_indistinct(model: Model, optimum: float) -> bool:
    size = step(model)
    return size is not None and any(agree(optimum, optimum + half) for half in (size / 2, -size / 2))


def step(model: Model) -> float | None:
    """From the objective's value to its neighbour's; None for an objective that is constant or not linear."""
    linear = model.objective.linear
    if not linear or not has_linear_objective(model):
        return None
    coarsest = grid(linear.values()) if all(model.variables[i].is_integer for i in linear) else None
    return coarsest or min(map(abs, linear.values()))


def grid(numbers: Iterable[float]) -> float | None:
    """The largest number of which all are integer multiples; None where there is none or it is too fine to be meant."""
    numbers, fractions = set(numbers), []
    if all(number.is_integer() for number in numbers):
        return float(math.gcd(*map(int, numbers)))
    for number in numbers:
        exact = Fraction(number)
        fractions.append(exact.limit_denominator(LARGEST_DENOMINATOR))
        if abs(fractions[-1] - exact) > FRACTION_ROUNDING * abs(exact):
            return None
    shared = math.lcm(*(f.denominator for f in fractions))
    return math.gcd(*(f.numerator * (shared // f.denominator) for f in fractions)) / shared
