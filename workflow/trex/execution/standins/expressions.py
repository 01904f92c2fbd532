"""What programs write between variables: sums, products, functions of them, and comparisons of all these.

    Variable    a place in a model's table of variables
    Linear      constant + sum coefficients[k] * variables[k]
    Quadratic   the same + sum weights[k] * firsts[k] * seconds[k]
    Nonlinear   a tree as in `trex.problems.expression` whose leaves are numbers and variables

A library's stand-in derives its own classes from these and says so in a `Family`. A variable may occur several times in
an expression; what it adds up to is asked by the model that takes the expression in. `+=` changes an expression in
place where its class allows, as in the libraries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np

NUMBERS = {int, float, bool, np.float64, np.int64}  # asked first: isinstance is slow


@dataclass(frozen=True)
class Family:
    """One library's classes: of expressions, by degree (1 linear, 2 quadratic, 3 more), of comparisons, of errors."""

    expressions: dict[int, type]
    comparison: type
    error: type


class Shaped:
    """Arrays of operands (`matrices`): partners of an operand in arithmetic that take over from it."""

    __slots__ = ()

    def alone(self) -> object:
        """The element, where the array has no dimension; else the array."""
        raise NotImplementedError


class Operand:
    """What has arithmetic. `degree` is 1, 2 or 3 (more than quadratic, or no polynomial); a number's is 0."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy's scalars and arrays leave arithmetic with it to this class
    family: Family
    degree: int

    __hash__ = object.__hash__

    def __add__(self, other):
        return total(self, other, 1.0)

    def __radd__(self, other):
        return total(self, other, 1.0)

    def __sub__(self, other):
        return total(self, other, -1.0)

    def __rsub__(self, other):
        return total(-self, other, 1.0)

    def __neg__(self):
        return scaled(self, -1.0)

    def __mul__(self, other):
        degree = degree_of(other)
        if degree == 0:
            return scaled(self, float(other))
        if degree is None:
            return by_element(lambda element: self * element, other)
        if self.degree + degree == 2:
            return product(self, other)
        return nonlinear(self.family, "product", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        degree = degree_of(other)
        if degree == 0:
            return scaled(self, 1.0 / float(other))
        if degree is None:
            return by_element(lambda element: self / element, other)
        return nonlinear(self.family, "quotient", self, other)

    def __rtruediv__(self, other):
        if degree_of(other) is None:
            return by_element(lambda element: element / self, other)
        return nonlinear(self.family, "quotient", other, self)

    def __pow__(self, exponent):
        degree = degree_of(exponent)
        if degree is None:
            return by_element(lambda element: self**element, exponent)
        if degree == 0 and exponent == 0:
            return 1.0
        if degree == 0 and exponent == 1:
            return self if isinstance(self, Variable) else scaled(self, 1.0)
        if degree == 0 and exponent == 2 and self.degree == 1:
            return product(self, self)
        return nonlinear(self.family, "power", self, exponent)

    def __rpow__(self, base):
        return NotImplemented if degree_of(base) is None else nonlinear(self.family, "power", base, self)

    def __le__(self, other):
        return NotImplemented if isinstance(other, Shaped) else self.family.comparison(self, "<", other)

    def __ge__(self, other):
        return NotImplemented if isinstance(other, Shaped) else self.family.comparison(self, ">", other)

    def __eq__(self, other):
        return NotImplemented if isinstance(other, Shaped) else self.family.comparison(self, "=", other)

    def __ne__(self, other):
        raise self.family.error("Inequality constraints not supported")


class Variable(Operand):
    """A place in a table (`model.Table`); -1 when it is no longer there."""

    __slots__ = ()
    degree = 1

    def __mul__(self, other):
        if type(other) in NUMBERS:  # what most terms are made of
            term = empty(self.family, 1)
            term.coefficients.append(float(other))
            term.variables.append(self)
            return term
        return Operand.__mul__(self, other)

    __rmul__ = __mul__


class Linear(Operand):
    __slots__ = ("coefficients", "constant", "variables")
    degree = 1

    def reset(self) -> None:
        self.constant = 0.0
        self.coefficients: list[float] = []
        self.variables: list[Variable] = []

    def include(self, other: object, factor: float) -> None:
        """self += factor * other, for a number, a variable or an expression of no higher degree."""
        if isinstance(other, Linear):
            self.constant += factor * other.constant
            self.coefficients += other.coefficients if factor == 1.0 else [factor * c for c in other.coefficients]
            self.variables += other.variables
        elif isinstance(other, Variable):
            self.coefficients.append(factor)
            self.variables.append(other)
        else:
            self.constant += factor * float(other)

    def __iadd__(self, other):
        return accumulated(self, other, 1.0)

    def __isub__(self, other):
        return accumulated(self, other, -1.0)

    def __imul__(self, factor):
        if degree_of(factor) != 0:
            return self * factor
        self.take(self * factor)
        return self

    def __itruediv__(self, divisor):
        if degree_of(divisor) != 0:
            return self / divisor
        self.take(self / divisor)
        return self

    def take(self, other: "Linear") -> None:
        """Become another expression of the same class."""
        for name in FIELDS[self.degree]:
            setattr(self, name, getattr(other, name))

    def drop(self, which: object) -> None:
        """Take out the linear term of an index, or all terms with a variable."""
        if isinstance(which, Variable):
            kept = [k for k, variable in enumerate(self.variables) if variable is not which]
        else:
            kept = [k for k in range(len(self.variables)) if k != which]
        self.coefficients = [self.coefficients[k] for k in kept]
        self.variables = [self.variables[k] for k in kept]


class Quadratic(Linear):
    __slots__ = ("firsts", "seconds", "weights")
    degree = 2

    def reset(self) -> None:
        super().reset()
        self.weights: list[float] = []
        self.firsts: list[Variable] = []
        self.seconds: list[Variable] = []

    def include(self, other: object, factor: float) -> None:
        super().include(other, factor)
        if isinstance(other, Quadratic):
            self.weights += [factor * weight for weight in other.weights]
            self.firsts += other.firsts
            self.seconds += other.seconds

    def drop(self, which: object) -> None:
        """Take out the product of an index, or all terms with a variable."""
        if isinstance(which, Variable):
            super().drop(which)
            pairs = zip(self.firsts, self.seconds, strict=True)
            kept = [k for k, pair in enumerate(pairs) if not any(variable is which for variable in pair)]
        else:
            kept = [k for k in range(len(self.weights)) if k != which]
        for name in ("weights", "firsts", "seconds"):
            setattr(self, name, [getattr(self, name)[k] for k in kept])


FIELDS = {1: Linear.__slots__, 2: Linear.__slots__ + Quadratic.__slots__}


class Nonlinear(Operand):
    __slots__ = ("tree",)
    degree = 3

    def reset(self) -> None:
        self.tree: object = 0.0

    def include(self, other: object, factor: float) -> None:
        added = tree_of(other) if factor == 1.0 else joined("product", factor, tree_of(other))
        is_zero = isinstance(self.tree, float) and self.tree == 0.0
        self.tree = added if is_zero else joined("sum", self.tree, added)


class Comparison:
    """left <sense> right, sense one of < > =, which a model takes in; it has no truth value."""

    __slots__ = ("left", "right", "sense")
    family: Family

    def __init__(self, left: object, sense: str, right: object):
        self.left, self.sense, self.right = left, sense, right

    def __bool__(self):
        message = 'Constraint has no bool value (are you trying "lb <= expr <= ub"?)'
        raise self.family.error(message)

    def __rshift__(self, consequence: "Comparison") -> "Implication":
        return Implication(self, consequence)


@dataclass(frozen=True)
class Implication:
    """The consequence has to hold where the condition (binary == 0 or 1) does."""

    condition: Comparison
    consequence: Comparison


def is_number(value: object) -> bool:
    return type(value) in NUMBERS or isinstance(value, Real)


def degree_of(value: object) -> int | None:
    """None for what has no place in an expression."""
    if isinstance(value, Operand):
        return value.degree
    return 0 if is_number(value) else None


def empty(family: Family, degree: int):
    """A new expression that is 0."""
    kind = family.expressions[degree]
    made = kind.__new__(kind)
    made.reset()
    return made


def total(one: Operand, other: object, factor: float):
    """one + factor * other as a new expression."""
    degree = degree_of(other)
    if degree is None:
        return by_element(lambda element: total(one, element, factor), other)
    result = empty(one.family, max(one.degree, degree))
    result.include(one, 1.0)
    result.include(other, factor)
    return result


def accumulated(into: Operand, other: object, factor: float):
    """into + factor * other, in place where the class of `into` can hold it."""
    degree = degree_of(other)
    if degree is None or degree > into.degree:
        return total(into, other, factor)
    into.include(other, factor)
    return into


def scaled(one: Operand, factor: float):
    result = empty(one.family, one.degree)
    result.include(one, factor)
    return result


def product(one: Operand, other: Operand) -> Quadratic:
    """The product of two linear operands, multiplied out."""
    result = empty(one.family, 2)
    a, b = linear_parts(one), linear_parts(other)
    result.constant = a[0] * b[0]
    for (constant, _, _), (_, coefficients, variables) in ((a, b), (b, a)):
        if constant:
            result.coefficients += [constant * c for c in coefficients]
            result.variables += variables
    for c, first in zip(a[1], a[2], strict=True):
        result.weights += [c * d for d in b[1]]
        result.firsts += [first] * len(b[2])
        result.seconds += b[2]
    return result


def linear_parts(one: Operand) -> tuple[float, list[float], list[Variable]]:
    return (0.0, [1.0], [one]) if isinstance(one, Variable) else (one.constant, one.coefficients, one.variables)


def nonlinear(family: Family, operator: str, *operands: object) -> Nonlinear:
    """An operator of `trex.problems.expression` applied to numbers and operands."""
    result = empty(family, 3)
    result.tree = joined(operator, *map(tree_of, operands))
    return result


def joined(operator: str, *trees: object) -> tuple:
    """The tree of an operator; a sum of sums and a product of products are one, so that trees stay shallow."""
    if operator not in ("sum", "product"):
        return (operator, *trees)
    parts = [tree[1:] if isinstance(tree, tuple) and tree[0] == operator else (tree,) for tree in trees]
    return (operator, *(part for several in parts for part in several))


def tree_of(value: object) -> object:
    """A number, a variable or an expression as a tree."""
    if isinstance(value, Variable):
        return value
    if isinstance(value, Nonlinear):
        return value.tree
    if not isinstance(value, Linear):
        return float(value)
    terms = [("product", c, v) for c, v in zip(value.coefficients, value.variables, strict=True)]
    if isinstance(value, Quadratic):
        products = zip(value.weights, value.firsts, value.seconds, strict=True)
        terms += [("product", weight, first, second) for weight, first, second in products]
    if value.constant or not terms:
        terms.append(value.constant)
    return terms[0] if len(terms) == 1 else ("sum", *terms)


def variables_in(tree: object) -> list[Variable]:
    """The variables of a tree, each as often as it occurs."""
    if isinstance(tree, Variable):
        return [tree]
    return [variable for part in tree[1:] for variable in variables_in(part)] if isinstance(tree, tuple) else []


def by_element(operation: Callable, other: object):
    """An operation with each element of a numpy array; nothing else is left to try."""
    if not isinstance(other, np.ndarray):
        return NotImplemented
    if other.ndim == 0:
        return operation(other.item())
    results = np.empty(other.size, dtype=object)
    for position, element in enumerate(other.flat):
        results[position] = operation(element)
    return results.reshape(other.shape)


def quicksum(family: Family, summands) -> Operand:
    """The sum as one new expression, of whatever degree it takes; an array where a summand is one."""
    result = empty(family, 1)
    kind = type(result)
    for summand in summands:
        if type(summand) is kind:
            result.include(summand, 1.0)
        else:
            result += summand.alone() if isinstance(summand, Shaped) else summand
    return result
