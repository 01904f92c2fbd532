"""coptpy's expressions and comparisons, with its names and its errors."""

from collections.abc import Mapping, Sequence

from trex.execution.standins import expressions, tuples
from trex.execution.standins.expressions import Comparison, Family, Variable

INVALID = 3


class CoptError(Exception):
    def __init__(self, retcode: int | str = 0, message: str = ""):
        if isinstance(retcode, str):
            retcode, message = INVALID, f"(INVALID) {retcode}"
        super().__init__(f"{retcode}, {message}")
        self.retcode, self.message = retcode, message


class ConstrBuilder(Comparison):
    __slots__ = ()

    def __bool__(self):
        raise ValueError("Boolean value of 'ConstrBuilder' object is not defined")


class LinExpr(expressions.Linear):
    """LinExpr(), LinExpr(constant or variable), LinExpr(variable(s), coefficient(s)), LinExpr([(x, c), ...])."""

    __slots__ = ()

    def __init__(self, arg1: object = 0.0, arg2: object = None):
        self.reset()
        if arg2 is not None:
            self.addTerms(arg1, arg2)
        elif isinstance(arg1, (list, tuple)):
            for variable, coefficient in arg1:
                self.addTerm(variable, coefficient)
        else:
            self.addExpr(arg1)

    def addTerm(self, var: Variable, coeff: float = 1.0) -> None:
        self.include(var, float(coeff))

    def addTerms(self, vars: object, coeffs: object) -> None:
        vars = [vars] if isinstance(vars, Variable) else values(vars)
        coeffs = values(coeffs) if isinstance(coeffs, (Sequence, Mapping)) else [coeffs] * len(vars)
        self.coefficients += map(float, coeffs)
        self.variables += vars

    def addExpr(self, expr: object, mult: float = 1.0) -> None:
        degree = expressions.degree_of(expr)
        if degree is None or degree > self.degree:
            raise TypeError(f"float() argument must be a string or a real number, not {type(expr).__name__!r}")
        self.include(expr, float(mult))

    def addConstant(self, newval: float) -> None:
        self.constant += float(newval)

    def setConstant(self, newval: float) -> None:
        self.constant = float(newval)

    def getConstant(self) -> float:
        return self.constant

    def getSize(self) -> int:
        return len(self.variables)

    size = property(getSize)

    def getVar(self, idx: int) -> Variable:
        return self.variables[idx]

    def getCoeff(self, idx: int) -> float:
        return self.coefficients[idx]

    def setCoeff(self, idx: int, newval: float) -> None:
        self.coefficients[idx] = float(newval)

    def remove(self, item: object) -> None:
        self.drop(item)

    def reserve(self, n: int) -> None:
        """Nothing to reserve."""

    def clone(self):
        return expressions.scaled(self, 1.0)

    getExpr = clone

    def getValue(self) -> float:
        return self.constant + sum(
            c * variable.x for c, variable in zip(self.coefficients, self.variables, strict=True)
        )

    value = property(getValue)


class QuadExpr(expressions.Quadratic):
    """QuadExpr(), or from a number, a variable or an expression."""

    __slots__ = ()
    addConstant = LinExpr.addConstant
    setConstant = LinExpr.setConstant
    getConstant = LinExpr.getConstant
    remove = LinExpr.remove
    reserve = LinExpr.reserve
    clone = LinExpr.clone
    addLinExpr = LinExpr.addExpr
    addQuadExpr = LinExpr.addExpr

    def __init__(self, expr: object = 0.0):
        self.reset()
        self.addQuadExpr(expr)

    def addTerm(self, coeff: float, var1: Variable, var2: Variable | None = None) -> None:
        self.include(var1 if var2 is None else var1 * var2, float(coeff))

    def addTerms(self, coeffs: Sequence, vars1: object, vars2: object = None) -> None:
        seconds = [None] * len(values(vars1)) if vars2 is None else values(vars2)
        for coefficient, first, second in zip(coeffs, values(vars1), seconds, strict=True):
            self.addTerm(coefficient, first, second)

    def getSize(self) -> int:
        return len(self.weights)

    size = property(getSize)

    def getVar1(self, idx: int) -> Variable:
        return self.firsts[idx]

    def getVar2(self, idx: int) -> Variable:
        return self.seconds[idx]

    def getCoeff(self, idx: int) -> float:
        return self.weights[idx]

    def setCoeff(self, idx: int, newval: float) -> None:
        self.weights[idx] = float(newval)

    def getLinExpr(self) -> LinExpr:
        result = LinExpr(self.constant)
        result.addTerms(self.variables, self.coefficients)
        return result

    def getValue(self) -> float:
        products = zip(self.weights, self.firsts, self.seconds, strict=True)
        return self.getLinExpr().getValue() + sum(c * first.x * second.x for c, first, second in products)

    value = property(getValue)


class NlExpr(expressions.Nonlinear):
    """NlExpr(), or from a number, a variable or an expression."""

    __slots__ = ()

    def __init__(self, expr: object = 0.0):
        self.reset()
        self.include(expr, 1.0)

    def addNlExpr(self, expr: object, mult: float = 1.0) -> None:
        self.include(expr, float(mult))

    addLinExpr = addQuadExpr = addNlExpr

    def addConstant(self, newval: float) -> None:
        self.include(float(newval), 1.0)

    def addTerm(self, var: Variable, coeff: float = 1.0) -> None:
        self.include(var, float(coeff))


FAMILY = Family({1: LinExpr, 2: QuadExpr, 3: NlExpr}, ConstrBuilder, CoptError)
for kind in (LinExpr, QuadExpr, NlExpr, ConstrBuilder):
    kind.family = FAMILY


class tuplelist(tuples.TupleList):
    def add(self, item: object) -> None:
        self.append(item)


class tupledict(tuples.TupleDict):
    family = FAMILY


def multidict(data: object) -> list:
    return tuples.multidict(data, tuplelist, tupledict)


def quicksum(termlist: object):
    return expressions.quicksum(FAMILY, values(termlist))


def values(several: object):
    return list(several.values()) if isinstance(several, Mapping) else several
