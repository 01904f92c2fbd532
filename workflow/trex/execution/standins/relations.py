"""Constraints that are neither a linear nor a quadratic row: what the libraries call general constraints.

Each knows the variables in it (`variables`), those of them that the library takes for binary however they were made
(`binaries`), and how to say the same, exactly, in rows of the IR (`add_to`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trex.execution.dialects.draft import Draft
from trex.execution.standins.expressions import Variable, variables_in
from trex.problems.expression import Expression


@dataclass(frozen=True)
class Equation:
    """result == the value of a tree."""

    result: Variable
    tree: object

    binaries = ()

    @property
    def variables(self) -> list[Variable]:
        return [self.result, *variables_in(self.tree)]

    def add_to(self, draft: Draft, name: str) -> None:
        difference = ("sum", ("variable", self.result._index), ("product", -1.0, indexed(self.tree)))
        draft.row(name, {}, 0.0, 0.0, nonlinear=difference)


@dataclass(frozen=True)
class Inequality:
    """The value of a tree is <sense> rhs."""

    tree: object
    sense: str
    rhs: float

    binaries = ()

    @property
    def variables(self) -> list[Variable]:
        return variables_in(self.tree)

    def add_to(self, draft: Draft, name: str) -> None:
        draft.row(name, {}, *interval(self.sense, self.rhs), nonlinear=indexed(self.tree))


@dataclass(frozen=True)
class Conjunction:
    """result == 1 where all of the operands are 1."""

    result: Variable
    operands: Sequence[Variable]
    binaries: Sequence[Variable] = ()

    @property
    def variables(self) -> list[Variable]:
        return [self.result, *self.operands]

    def add_to(self, draft: Draft, name: str) -> None:
        for operand in self.operands:
            draft.row(name, added([(self.result, 1.0), (operand, -1.0)]), -math.inf, 0.0)
        everything = added([(self.result, -1.0), *((operand, 1.0) for operand in self.operands)])
        draft.row(name, everything, -math.inf, len(self.operands) - 1.0)


@dataclass(frozen=True)
class Disjunction:
    """result == 1 where one of the operands is 1."""

    result: Variable
    operands: Sequence[Variable]
    binaries: Sequence[Variable] = ()

    @property
    def variables(self) -> list[Variable]:
        return [self.result, *self.operands]

    def add_to(self, draft: Draft, name: str) -> None:
        for operand in self.operands:
            draft.row(name, added([(self.result, 1.0), (operand, -1.0)]), 0.0, math.inf)
        draft.row(name, added([(self.result, 1.0), *((operand, -1.0) for operand in self.operands)]), -math.inf, 0.0)


@dataclass(frozen=True)
class EuclideanNorm:
    """result == the square root of the operands' sum of squares, as its square, with result >= 0."""

    result: Variable
    operands: Sequence[Variable]

    binaries = ()

    @property
    def variables(self) -> list[Variable]:
        return [self.result, *self.operands]

    def add_to(self, draft: Draft, name: str) -> None:
        squares = added([(self.result, 1.0), *((operand, -1.0) for operand in self.operands)])
        draft.row(name, {}, 0.0, 0.0, {(index, index): coefficient for index, coefficient in squares.items()})
        draft.row(name, {self.result._index: 1.0}, 0.0, math.inf)


@dataclass(frozen=True)
class Indicator:
    """terms <sense> rhs has to hold where the binary variable is 1 (or, not `active`, 0)."""

    binary: Variable
    active: bool
    terms: dict[Variable, float]
    sense: str
    rhs: float
    binaries: Sequence[Variable] = ()

    @property
    def variables(self) -> list[Variable]:
        return [self.binary, *self.terms]

    def add_to(self, draft: Draft, name: str) -> None:
        terms = {variable._index: coefficient for variable, coefficient in self.terms.items()}
        lb, ub = interval(self.sense, self.rhs)
        draft.indicator(name, self.binary._index, self.active, terms, lb, ub)


def interval(sense: str, rhs: float) -> tuple[float, float]:
    return (-math.inf if sense == "<" else rhs), (math.inf if sense == ">" else rhs)


def added(terms: list[tuple[Variable, float]]) -> dict[int, float]:
    """The coefficient of each variable's index; a variable may occur several times."""
    sums: dict[int, float] = {}
    for variable, coefficient in terms:
        sums[variable._index] = sums.get(variable._index, 0.0) + coefficient
    return sums


def indexed(tree: object) -> Expression:
    """A tree with variables, as the IR has it."""
    if isinstance(tree, Variable):
        return ("variable", tree._index)
    return (tree[0], *map(indexed, tree[1:])) if isinstance(tree, tuple) else tree
