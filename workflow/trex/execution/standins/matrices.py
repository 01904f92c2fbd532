"""Arrays of variables and expressions: what numpy does with arrays of numbers, element by element.

The elements are in a numpy array of objects. `Matrix` does the arithmetic; the class of a result is found from its
elements (`Kinds`). An array of no dimension stands for its element where a library asks for one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from trex.execution.standins import expressions
from trex.execution.standins.expressions import Family, Operand, Shaped, Variable


@dataclass(frozen=True)
class Kinds:
    """One library's classes of arrays: of variables, of expressions by degree, of comparisons."""

    variables: type
    expressions: dict[int, type]
    comparison: type


class Matrix(Shaped):
    __slots__ = ("elements",)
    __array_ufunc__ = None
    __hash__ = object.__hash__
    family: Family
    kinds: Kinds

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        """To numpy it is one object, so that numpy and scipy leave arithmetic with it to this class."""
        return boxed(self)

    @classmethod
    def of(cls, elements: object) -> "Matrix":
        """The array of the class that its elements need; a single one may come without an array."""
        array = elements if isinstance(elements, np.ndarray) else boxed(elements)
        degrees = {expressions.degree_of(element) for element in array.flat}
        if all(isinstance(element, Variable) for element in array.flat):
            kind = cls.kinds.variables
        else:
            kind = cls.kinds.expressions[max(degrees | {1})]
        made = kind.__new__(kind)
        made.elements = array
        return made

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.shape}>\n{self.elements!r}"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.elements.shape

    @property
    def ndim(self) -> int:
        return self.elements.ndim

    @property
    def size(self) -> int:
        return self.elements.size

    @property
    def T(self):
        return self.of(self.elements.T)

    def transpose(self):
        return self.T

    def reshape(self, *shape: object, order: str = "C"):
        return self.of(self.elements.reshape(*shape, order=order))

    def diagonal(self, offset: int = 0):
        return self.of(self.elements.diagonal(offset))

    def item(self) -> object:
        return self.elements.item()

    def tolist(self) -> list:
        return self.elements.tolist()

    def alone(self) -> object:
        return self if self.elements.ndim else self.elements.item()

    def __getitem__(self, place: object):
        return self.of(self.elements[place])

    def __setitem__(self, place: object, value: object) -> None:
        self.elements[place] = plain(value)

    def __iter__(self) -> Iterator["Matrix"]:
        return (self[position] for position in range(self.elements.shape[0]))

    def mapped(self, operation: Callable) -> "Matrix":
        return self.of(expressions.by_element(operation, self.elements))

    def sum(self, axis: int | None = None):
        if axis is None:
            return self.of(expressions.quicksum(self.family, self.elements.flat))
        rows = np.moveaxis(self.elements, axis, -1)
        sums = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(sums.shape):
            sums[place] = expressions.quicksum(self.family, rows[place])
        return self.of(sums)

    def __add__(self, other):
        return self.of(self.elements + plain(other))

    __radd__ = __add__

    def __sub__(self, other):
        return self.of(self.elements - plain(other))

    def __rsub__(self, other):
        return self.of(plain(other) - self.elements)

    def __neg__(self):
        return self.of(-self.elements)

    def __mul__(self, other):
        return self.of(self.elements * plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.of(self.elements / plain(other))

    def __rtruediv__(self, other):
        return self.of(plain(other) / self.elements)

    def __pow__(self, exponent):
        return self.of(self.elements ** plain(exponent))

    def __matmul__(self, other):
        return self.of(matmul(self.family, self.elements, plain(other)))

    def __rmatmul__(self, other):
        return self.of(matmul(self.family, plain(other), self.elements))

    def __le__(self, other):
        return self.kinds.comparison(self, "<", other)

    def __ge__(self, other):
        return self.kinds.comparison(self, ">", other)

    def __eq__(self, other):
        return self.kinds.comparison(self, "=", other)

    def __ne__(self, other):
        raise self.family.error("Inequality constraints not supported")


class MatrixComparison:
    """A comparison for each pair of elements, in the shape that the two sides have together (`elements`)."""

    __slots__ = ("elements",)
    family: Family

    def __init__(self, left: Matrix, sense: str, right: object):
        sides = np.broadcast_arrays(left.elements, plain(right))
        self.elements = np.empty(sides[0].shape, dtype=object)
        for place in np.ndindex(self.elements.shape):
            self.elements[place] = self.family.comparison(sides[0][place], sense, sides[1][place])

    def alone(self) -> expressions.Comparison:
        return self.elements.item()

    def __bool__(self):
        raise self.family.error('Constraint has no bool value (are you trying "lb <= expr <= ub"?)')

    def __rshift__(self, consequence: object):
        return expressions.Implication(self, consequence)


class WithAttributes:
    """An array of handles, whose attributes are arrays of their attributes."""

    __slots__ = ()

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._get(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name == "elements":
            object.__setattr__(self, name, value)
        else:
            self._set(name, value)

    def _get(self, name: str) -> np.ndarray:
        return np.array([handle._get(name) for handle in self.elements.flat]).reshape(self.elements.shape)

    def _set(self, name: str, value: object) -> None:
        for handle, one in zip(self.elements.flat, broadcast(value, self.elements.shape), strict=True):
            handle._set(name, one)


class HandleArray(WithAttributes):
    """The constraints of a comparison of arrays, in its shape."""

    __slots__ = ("elements",)

    def __init__(self, elements: np.ndarray):
        self.elements = elements

    @property
    def shape(self) -> tuple[int, ...]:
        return self.elements.shape

    @property
    def size(self) -> int:
        return self.elements.size

    def tolist(self) -> list:
        return self.elements.tolist()

    def __getitem__(self, place: object):
        return type(self)(np.asarray(self.elements[place], dtype=object))

    def __iter__(self):
        return (self[position] for position in range(self.elements.shape[0]))


def broadcast(given: object, shape: tuple[int, ...]) -> list:
    """One value for each place of the shape, row by row."""
    return np.broadcast_to(np.asarray(given), shape).ravel().tolist()


def shaped(handles: Sequence, shape: tuple[int, ...]) -> np.ndarray:
    made = np.empty(shape, dtype=object)
    for place, handle in zip(np.ndindex(shape), handles, strict=True):
        made[place] = handle
    return made


def places_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(map(int, place)) for place in np.ndindex(shape)]


def boxed(element: object) -> np.ndarray:
    """An array of no dimension with one object."""
    array = np.empty((), dtype=object)
    array[()] = element
    return array


def plain(value: object) -> object:
    """What numpy can calculate with: an array of objects or numbers, or a number."""
    if isinstance(value, Matrix):
        return value.elements
    if isinstance(value, Operand):
        return boxed(value)
    return value.toarray() if hasattr(value, "toarray") else np.asarray(value)


def matmul(family: Family, left: np.ndarray, right: np.ndarray) -> object:
    """The matrix product of arrays of one or two dimensions, as numpy defines it."""
    if left.shape[-1] != right.shape[0]:
        raise ValueError(f"matrices of the shapes {left.shape} and {right.shape} have no product")
    rows = left.reshape(-1, left.shape[-1])
    columns = right.reshape(right.shape[0], -1)
    products = np.empty((rows.shape[0], columns.shape[1]), dtype=object)
    for i, row in enumerate(rows):
        for k in range(columns.shape[1]):
            products[i, k] = dot(family, row, columns[:, k])
    shape = (*left.shape[:-1], *right.shape[1:])
    return products.reshape(shape)


def dot(family: Family, left: np.ndarray, right: np.ndarray) -> Operand:
    if left.dtype == object and right.dtype == object:
        return expressions.quicksum(family, (a * b for a, b in zip(left, right, strict=True)))
    weights, operands = (right, left) if left.dtype == object else (left, right)
    result = expressions.empty(family, max((operand.degree for operand in operands), default=1))
    for position in np.flatnonzero(weights):
        result.include(operands[position], float(weights[position]))
    return result
