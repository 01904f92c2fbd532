"""Nonlinear expressions as plain data: what a row or an objective has beyond linear and quadratic terms.

An expression is a nested tuple, the same as JSON with lists for tuples:

    a float
    ("variable", i)                          the variable of index i
    ("sum", e, ...)   ("product", e, ...)
    ("quotient", e, e)   ("power", base, exponent)
    ("exp", e), and so for log (natural), sqrt, sin, cos, tan, abs
    ("max", e, ...)   ("min", e, ...)

It is checked once, by `checked`, where a model takes it in; the other functions rely on that. Values are those of IEEE
floats; where an expression has none (the logarithm of a negative number, a division by zero) it is NaN.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real

Expression = float | tuple

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "abs": abs,
}
SEVERAL = ("sum", "product", "max", "min")
PAIRS = ("quotient", "power")
DEEPEST = 100


@dataclass
class Polynomial:
    """constant + sum linear[i] x_i + sum quadratic[i, j] x_i x_j, with i <= j."""

    constant: float = 0.0
    linear: dict[int, float] = field(default_factory=dict)
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)


def checked(data: object, variables: int, depth: int = 0) -> Expression:
    """The expression of tuples or lists that may come from anywhere. ValueError says what is wrong with it."""
    if isinstance(data, Real) and not isinstance(data, bool):
        return checked_number(data)
    if not isinstance(data, (tuple, list)) or len(data) < 2 or not isinstance(data[0], str):
        raise ValueError(f"an expression is a number or an operator with its operands, not {str(data)[:60]}")
    if depth == DEEPEST:
        raise ValueError(f"an expression is nested deeper than {DEEPEST}")
    operator, operands = data[0], data[1:]
    if operator == "variable":
        index = operands[0]
        if len(operands) != 1 or type(index) is not int or not 0 <= index < variables:
            raise ValueError(f"an expression names a variable that is not there: {operands!r}; there are {variables}")
        return ("variable", index)
    count = 1 if operator in FUNCTIONS else 2 if operator in PAIRS else None
    if count is None and operator not in SEVERAL:
        raise ValueError(f"an expression has an unknown operator: {operator!r}")
    if count is not None and len(operands) != count:
        raise ValueError(f"{operator} takes {count} operand(s), not {len(operands)}")
    return (operator, *(checked(operand, variables, depth + 1) for operand in operands))


def checked_number(value: Real) -> float:
    try:
        number = float(value) + 0.0
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"an expression has a number that is not finite: {value!r}")
    return number


def variables(expression: Expression) -> set[int]:
    """The indices of the variables in it."""
    if isinstance(expression, float):
        return set()
    if expression[0] == "variable":
        return {expression[1]}
    return set().union(*map(variables, expression[1:]))


def evaluate(expression: Expression, values: Sequence[float]) -> float:
    """Its value at a point (one value a variable); NaN where there is none."""
    try:
        return value_of(expression, values)
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan


def value_of(expression: Expression, values: Sequence[float]) -> float:
    if isinstance(expression, float):
        return expression
    operator, *operands = expression
    if operator == "variable":
        return float(values[operands[0]])
    found = [value_of(operand, values) for operand in operands]
    if operator in FUNCTIONS:
        return FUNCTIONS[operator](found[0])
    if operator == "quotient":
        return found[0] / found[1]
    if operator == "power":
        return math.pow(*found)
    return {"sum": math.fsum, "product": math.prod, "max": max, "min": min}[operator](found)


def flat_sum(expression: Expression) -> list[Expression]:
    """The summands of a sum, and of the sums in it."""
    if isinstance(expression, float) or expression[0] != "sum":
        return [expression]
    return [summand for operand in expression[1:] for summand in flat_sum(operand)]


def work(expression: Expression) -> int:
    """A bound on the products that multiplying out takes: the squared number of leaves of each product and power."""
    return leaves_and_work(expression)[1]


def leaves_and_work(expression: Expression) -> tuple[int, int]:
    if isinstance(expression, float) or expression[0] == "variable":
        return 1, 0
    found = [leaves_and_work(operand) for operand in expression[1:]]
    leaves, below = sum(count for count, _ in found), sum(cost for _, cost in found)
    return leaves, below + (leaves**2 if expression[0] in ("product", "power") else 0)


def polynomial(expression: Expression) -> Polynomial | None:
    """It, multiplied out, where its degree is at most 2; else None.

    Rounding is that of floating-point arithmetic in the order of the operands. A function of a constant is a constant.
    """
    if isinstance(expression, float):
        return Polynomial(expression)
    operator, *operands = expression
    if operator == "variable":
        return Polynomial(linear={operands[0]: 1.0})
    parts = [polynomial(operand) for operand in operands]
    if any(part is None for part in parts):
        return None
    if all(is_constant(part) for part in parts):
        value = evaluate(expression, ())
        return Polynomial(value) if math.isfinite(value) else None
    if operator == "sum":
        return added(parts)
    if operator == "product":
        return product(parts)
    if operator == "quotient" and is_constant(parts[1]) and parts[1].constant != 0.0:
        return divided(parts[0], parts[1].constant)
    if operator == "power" and is_constant(parts[1]):
        return power(parts[0], parts[1].constant)
    return None


def is_constant(part: Polynomial) -> bool:
    return not part.linear and not part.quadratic


def added(parts: Sequence[Polynomial]) -> Polynomial:
    total = Polynomial()
    for part in parts:
        total.constant += part.constant
        for sums, terms in ((total.linear, part.linear), (total.quadratic, part.quadratic)):
            for key, coefficient in terms.items():
                sums[key] = sums.get(key, 0.0) + coefficient
    return total


def divided(part: Polynomial, divisor: float) -> Polynomial:
    return Polynomial(
        part.constant / divisor,
        {key: coefficient / divisor for key, coefficient in part.linear.items()},
        {key: coefficient / divisor for key, coefficient in part.quadratic.items()},
    )


def product(parts: Sequence[Polynomial]) -> Polynomial | None:
    total: Polynomial | None = Polynomial(1.0)
    for part in parts:
        total = multiplied(total, part)
        if total is None:
            return None
    return total


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """The product, None above degree 2."""
    if (a.quadratic and not is_constant(b)) or (b.quadratic and not is_constant(a)):
        return None
    result = Polynomial(a.constant * b.constant)
    for one, other in ((a, b), (b, a)):
        for key, coefficient in one.linear.items():
            result.linear[key] = result.linear.get(key, 0.0) + coefficient * other.constant
        for key, coefficient in one.quadratic.items():
            result.quadratic[key] = result.quadratic.get(key, 0.0) + coefficient * other.constant
    for i, first in a.linear.items():
        for j, second in b.linear.items():
            key = (min(i, j), max(i, j))
            result.quadratic[key] = result.quadratic.get(key, 0.0) + first * second
    return result


def power(base: Polynomial, exponent: float) -> Polynomial | None:
    """base^1 and base^2; base^0 is not 1 where the base is 0 in every reading, so it is left alone."""
    if exponent == 1.0:
        return base
    return multiplied(base, base) if exponent == 2.0 else None
