"""The part of gurobipy's Model that takes arrays: addMVar, addMConstr, setMObjective, ..."""

from collections.abc import Sequence

import numpy as np

from trex.execution.standins.gurobi.arrays import MConstr, MGenConstr, MQConstr, MVar
from trex.execution.standins.gurobi.attributes import GenConstr, QConstr, bound
from trex.execution.standins.gurobi.attributes import sense as side
from trex.execution.standins.gurobi.attributes import vtype as checked_type
from trex.execution.standins.gurobi.expressions import FAMILY, GurobiError
from trex.execution.standins.indexing import flat, member_name, number
from trex.execution.standins.matrices import Matrix, MatrixComparison, broadcast, places_of, plain, shaped


class MatrixMethods:
    def addMVar(
        self,
        shape: int | tuple[int, ...],
        lb: object = 0.0,
        ub: object = float("inf"),
        obj: object = 0.0,
        vtype: object = "C",
        name: object = "",
    ) -> MVar:
        shape = shape if isinstance(shape, tuple) else tuple(flat(shape))
        checks = ((lb, bound), (ub, bound), (obj, number), (vtype, checked_type))
        columns = [list(map(check, broadcast(given, shape))) for given, check in checks]
        if name is None or isinstance(name, str):
            names = [member_name(name or "", place) for place in places_of(shape)]
        else:
            names = broadcast(name, shape)
        return MVar.of(shaped(self._add_variables(*columns, names), shape))

    def _add_array(self, comparison: MatrixComparison, name: str) -> MConstr:
        made = np.empty(comparison.elements.shape, dtype=object)
        for place in np.ndindex(made.shape):
            label = member_name(name, place) if place else name
            made[place] = self._add_comparison(comparison.elements[place], label)
        kinds = {type(constraint) for constraint in made.flat}
        return MQConstr(made) if QConstr in kinds else MGenConstr(made) if GenConstr in kinds else MConstr(made)

    def addMConstr(self, A: object, x: object, sense: object, b: object, name: str = "") -> MConstr:
        matrix = plain(A)
        left = matrix @ self._vector(x)
        limits = broadcast(b, left.shape)
        senses = [side(given) for given in broadcast(sense, left.shape)]
        made = np.empty(left.shape, dtype=object)
        for row, (expression, given, limit) in enumerate(zip(left.elements, senses, limits, strict=True)):
            comparison = FAMILY.comparison(expression, given, float(limit))
            made[row] = self._add_comparison(comparison, member_name(name, row))
        return MConstr(made)

    def addMQConstr(
        self,
        Q: object,
        c: object,
        sense: str,
        rhs: float,
        xQ_L: object = None,
        xQ_R: object = None,
        xc: object = None,
        name: str = "",
    ):
        expression = self._form(Q, c, xQ_L, xQ_R, xc).item()
        return self._add_comparison(FAMILY.comparison(expression, side(sense), float(rhs)), name)

    def setMObjective(
        self,
        Q: object,
        c: object,
        constant: float,
        xQ_L: object = None,
        xQ_R: object = None,
        xc: object = None,
        sense: int | None = None,
    ) -> None:
        self.setObjective(self._form(Q, c, xQ_L, xQ_R, xc) + constant, sense)

    def _form(self, Q: object, c: object, xQ_L: object, xQ_R: object, xc: object) -> Matrix:
        """xQ_L' Q xQ_R + c' xc."""
        total = MVar.of(FAMILY.expressions[1]())
        if Q is not None:
            total = total + self._vector(xQ_L) @ plain(Q) @ self._vector(xQ_R)
        if c is not None:
            total = total + plain(c) @ self._vector(xc)
        return total

    def _vector(self, x: object) -> MVar:
        """An MVar, a list of variables, or None for all variables of the model."""
        if isinstance(x, MVar):
            return x
        variables: Sequence = self.getVars() if x is None else list(x)
        if not variables:
            raise GurobiError("No variables given")
        return MVar.fromlist(variables)
