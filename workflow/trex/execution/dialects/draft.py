"""What every dialect does to get from a library's model to the IR: names made unique, crossed bounds kept."""

import math
from collections.abc import Mapping

from trex.problems.ir import Model, unused_name


class Draft:
    """A model in the making. ValueError, for numbers that no solver accepts, names the variable or the row."""

    def __init__(self):
        self.model = Model()
        self.variable_names: set[str] = set()
        self.row_names: set[str] = set()

    def variable(self, name: str, lb: float, ub: float, integer: bool) -> int:
        """Add a variable and return its index; a missing name is made up, one that is used twice is numbered.

        The IR has no crossed bounds: the upper one becomes a row of its own, which says the same, infeasible.
        """
        position = len(self.model.variables)
        name = unused_name(name or f"x{position}", self.variable_names)
        self.variable_names.add(name)
        kind = "continuous" if not integer else "binary" if (lb, ub) == (0, 1) else "integer"
        if lb > ub:
            self.model.add_variable(name, kind, lb, math.inf)
            self.row(f"{name}_upper", {position: 1.0}, -math.inf, ub)
        else:
            self.model.add_variable(name, kind, lb, ub)
        return position

    def row(
        self,
        name: str,
        terms: Mapping[int, float],
        lb: float,
        ub: float,
        quadratic: Mapping[tuple[int, int], float] | None = None,
        nonlinear: object = None,
    ) -> None:
        """Add a row, or two when its bounds cross."""
        if lb > ub:
            self.row(name, terms, lb, math.inf, quadratic, nonlinear)
            lb = -math.inf
        name = unused_name(name or f"r{len(self.model.rows)}", self.row_names)
        self.row_names.add(name)
        self.model.add_row(terms, lb, ub, name, quadratic, nonlinear)

    def indicator(self, name: str, binary: int, active: bool, terms: Mapping[int, float], lb: float, ub: float) -> None:
        """`lb <= terms <= ub` where the binary variable is 1 (or, not `active`, 0), as products, which is exact."""
        for limit, low, high in ((ub, -math.inf, 0.0), (lb, 0.0, math.inf)):
            if math.isinf(limit):
                continue
            if active:  # b (terms - limit)
                linear, constant, sign = {binary: -limit}, 0.0, 1.0
            else:  # (1 - b) (terms - limit)
                linear, constant, sign = dict(terms), limit, -1.0
                linear[binary] = linear.get(binary, 0.0) + limit
            products: dict[tuple[int, int], float] = {}
            for index, coefficient in terms.items():
                products[min(index, binary), max(index, binary)] = sign * coefficient
            self.row(name, linear, low + constant, high + constant, products)
