"""gurobipy's arrays: MVar, MLinExpr, MQuadExpr, MNLExpr and the arrays of constraints made from comparing them."""

from collections.abc import Sequence

import numpy as np

from trex.execution.standins.gurobi.expressions import FAMILY
from trex.execution.standins.matrices import HandleArray, Kinds, Matrix, MatrixComparison, WithAttributes


class ExpressionMatrix(Matrix):
    __slots__ = ()
    family = FAMILY

    def getValue(self) -> np.ndarray:
        return np.array([element.getValue() for element in self.elements.flat]).reshape(self.shape)

    def copy(self):
        return self.of(self.elements.copy())

    @classmethod
    def zeros(cls, shape: int | tuple[int, ...]):
        return MLinExpr.of(np.zeros(shape)) + MLinExpr.of(FAMILY.expressions[1]())


class MVar(WithAttributes, Matrix):
    __slots__ = ()
    family = FAMILY
    getAttr = WithAttributes._get
    setAttr = WithAttributes._set

    @classmethod
    def fromlist(cls, variables: Sequence):
        return cls.of(np.array(variables, dtype=object))

    @classmethod
    def fromvar(cls, variable: object):
        return cls.of(variable)

    def copy(self):
        return self.of(self.elements.copy())


class MLinExpr(ExpressionMatrix):
    __slots__ = ()


class MQuadExpr(ExpressionMatrix):
    __slots__ = ()


class MNLExpr(ExpressionMatrix):
    __slots__ = ()


class MTempConstr(MatrixComparison):
    __slots__ = ()
    family = FAMILY


for kind in (MVar, MLinExpr, MQuadExpr, MNLExpr):
    kind.kinds = Kinds(MVar, {1: MLinExpr, 2: MQuadExpr, 3: MNLExpr}, MTempConstr)


class MConstr(HandleArray):
    __slots__ = ()
    getAttr = WithAttributes._get
    setAttr = WithAttributes._set


class MQConstr(MConstr):
    __slots__ = ()


class MGenConstr(MConstr):
    __slots__ = ()


def joined(join, arrays: Sequence) -> Matrix:
    return MVar.of(join([array.elements if isinstance(array, Matrix) else np.asarray(array) for array in arrays]))


def hstack(tup: Sequence) -> Matrix:
    return joined(np.hstack, tup)


def vstack(tup: Sequence) -> Matrix:
    return joined(np.vstack, tup)


def concatenate(tup: Sequence, axis: int | None = 0) -> Matrix:
    return joined(lambda arrays: np.concatenate(arrays, axis=axis), tup)
