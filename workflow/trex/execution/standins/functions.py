"""Functions of variables and expressions, or of arrays of them element by element, as the libraries' modules have them.

A function is made from one that gives the tree of the value from the tree of the operand.
"""

import math
from collections.abc import Callable

from trex.execution.standins import expressions
from trex.execution.standins.expressions import Family, Shaped


def function(family: Family, tree_of_value: Callable) -> Callable:
    def applied(operand: object, *parameters: float):
        if isinstance(operand, Shaped):
            return operand.mapped(lambda element: applied(element, *parameters))
        result = expressions.empty(family, 3)
        result.tree = tree_of_value(expressions.tree_of(operand), *parameters)
        return result

    return applied


def named(name: str) -> Callable:
    return lambda tree: (name, tree)


def log_tree(base: float) -> Callable:
    return lambda tree: ("quotient", ("log", tree), math.log(base))


def power_tree(tree: object, exponent: float) -> tuple:
    return ("power", tree, float(exponent))


def signed_power_tree(tree: object, exponent: float) -> tuple:
    """sign(x) |x|^a, for a >= 1."""
    return ("product", tree, ("power", ("abs", tree), float(exponent) - 1.0))


def logistic_tree(tree: object) -> tuple:
    return ("quotient", 1.0, ("sum", 1.0, ("exp", ("product", -1.0, tree))))


def tanh_tree(tree: object) -> tuple:
    """1 - 2 / (exp(2x) + 1)."""
    return ("sum", 1.0, ("quotient", -2.0, ("sum", 1.0, ("exp", ("product", 2.0, tree)))))
