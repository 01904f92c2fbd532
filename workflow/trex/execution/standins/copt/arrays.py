"""coptpy's arrays: MVar, MLinExpr, MQuadExpr and the arrays of constraints made from comparing them."""

from collections.abc import Sequence

import numpy as np

from trex.execution.standins.copt.expressions import FAMILY
from trex.execution.standins.matrices import HandleArray, Kinds, Matrix, MatrixComparison, WithAttributes


class ExpressionMatrix(Matrix):
    __slots__ = ()
    family = FAMILY

    def getValue(self) -> np.ndarray:
        return np.array([element.getValue() for element in self.elements.flat]).reshape(self.shape)

    def clone(self):
        return self.of(self.elements.copy())

    @classmethod
    def zeros(cls, shape: int | tuple[int, ...]):
        return MLinExpr.of(np.zeros(shape)) + MLinExpr.of(FAMILY.expressions[1]())


class MVar(WithAttributes, Matrix):
    __slots__ = ()
    family = FAMILY
    getInfo = WithAttributes._get
    setInfo = WithAttributes._set

    @classmethod
    def fromlist(cls, variables: Sequence):
        return cls.of(np.array(variables, dtype=object))

    @classmethod
    def fromvar(cls, variable: object):
        return cls.of(variable)

    def clone(self):
        return self.of(self.elements.copy())

    def flatten(self):
        return self.of(self.elements.ravel())


class MLinExpr(ExpressionMatrix):
    __slots__ = ()


class MQuadExpr(ExpressionMatrix):
    __slots__ = ()


class MConstrBuilder(MatrixComparison):
    __slots__ = ()
    family = FAMILY

    def __bool__(self):
        raise ValueError("Boolean value of 'MConstrBuilder' object is not defined")


for kind in (MVar, MLinExpr, MQuadExpr):
    kind.kinds = Kinds(MVar, {1: MLinExpr, 2: MQuadExpr, 3: MQuadExpr}, MConstrBuilder)


class MConstr(HandleArray):
    __slots__ = ()
    getInfo = WithAttributes._get
    setInfo = WithAttributes._set


class MQConstr(MConstr):
    __slots__ = ()


def hstack(arrays: Sequence) -> Matrix:
    return MVar.of(np.hstack([array.elements for array in arrays]))


def vstack(arrays: Sequence) -> Matrix:
    return MVar.of(np.vstack([array.elements for array in arrays]))
