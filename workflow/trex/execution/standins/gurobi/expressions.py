"""gurobipy's expressions, comparisons and helper functions (`quicksum`, `max_`, ...), with its names and its errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trex.execution.standins import expressions, tuples
from trex.execution.standins.expressions import Comparison, Family, Operand, Shaped


class GurobiError(Exception):
    def __init__(self, *arguments: object):
        super().__init__(*arguments)
        self.message = str(arguments[0]) if arguments else ""
        self.errno = 10003


class TempConstr(Comparison):
    __slots__ = ()


class LinExpr(expressions.Linear):
    """LinExpr(), LinExpr(constant or variable), LinExpr(coefficient(s), variable(s)), LinExpr([(c, x), ...])."""

    __slots__ = ()

    def __init__(self, arg1: object = 0.0, arg2: object = None):
        self.reset()
        if arg2 is not None:
            self.addTerms(arg1, arg2)
        elif isinstance(arg1, (list, tuple)):
            for coefficient, variable in arg1:
                self.addTerms(coefficient, variable)
        elif isinstance(arg1, Operand) and arg1.degree > 1:
            raise TypeError(f"must be real number, not {type(arg1).__name__}")
        else:
            self.include(arg1, 1.0)

    def add(self, expr: object, mult: float = 1.0) -> None:
        if isinstance(expr, Operand) and expr.degree > self.degree:
            raise GurobiError(f"Unable to add a {type(expr).__name__} to a {type(self).__name__}")
        self.include(expr, float(mult))

    def addConstant(self, constant: float) -> None:
        self.constant += float(constant)

    def addTerms(self, coeffs: object, vars: object) -> None:
        if isinstance(vars, expressions.Variable):
            coeffs, vars = [coeffs], [vars]
        self.coefficients += map(float, coeffs)
        self.variables += vars

    def clear(self) -> None:
        self.reset()

    def copy(self):
        return expressions.scaled(self, 1.0)

    def size(self) -> int:
        return len(self.variables)

    def getVar(self, i: int) -> "expressions.Variable":
        return self.variables[i]

    def getCoeff(self, i: int) -> float:
        return self.coefficients[i]

    def getConstant(self) -> float:
        return self.constant

    def linTerms(self) -> Iterator[tuple]:
        return zip(self.coefficients, self.variables, strict=True)

    def remove(self, which: object) -> None:
        self.drop(which)

    def __repr__(self) -> str:
        return f"<gurobi.{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        terms = [written(c, variable.VarName) for c, variable in self.linTerms()]
        return " + ".join([str(self.constant), *terms] if self.constant or not terms else terms)

    def getValue(self) -> float:
        return self.constant + sum(c * variable.X for c, variable in self.linTerms())


class QuadExpr(expressions.Quadratic):
    """QuadExpr(), or from a number, a variable, a LinExpr or a QuadExpr."""

    __slots__ = ()
    add = LinExpr.add
    addConstant = LinExpr.addConstant
    clear = LinExpr.clear
    copy = LinExpr.copy
    linTerms = LinExpr.linTerms
    remove = LinExpr.remove
    __repr__ = LinExpr.__repr__

    def __init__(self, expr: object = 0.0):
        self.reset()
        self.add(expr)

    def addTerms(self, coeffs: object, vars: object, vars2: object = None) -> None:
        if vars2 is None:
            LinExpr.addTerms(self, coeffs, vars)
            return
        if isinstance(vars, expressions.Variable):
            coeffs, vars, vars2 = [coeffs], [vars], [vars2]
        self.weights += map(float, coeffs)
        self.firsts += vars
        self.seconds += vars2

    def size(self) -> int:
        return len(self.weights)

    def getVar1(self, i: int) -> "expressions.Variable":
        return self.firsts[i]

    def getVar2(self, i: int) -> "expressions.Variable":
        return self.seconds[i]

    def getCoeff(self, i: int) -> float:
        return self.weights[i]

    def getLinExpr(self) -> LinExpr:
        result = LinExpr(self.constant)
        result.addTerms(self.coefficients, self.variables)
        return result

    def __str__(self) -> str:
        names = ((c, first.VarName, second.VarName) for c, first, second in self.quadTerms())
        products = [written(c, f"{a} ^ 2" if a == b else f"{a} * {b}") for c, a, b in names]
        return f"{self.getLinExpr()}" + (f" + [ {' + '.join(products)} ]" if products else "")

    def quadTerms(self) -> Iterator[tuple]:
        return zip(self.weights, self.firsts, self.seconds, strict=True)

    def getValue(self) -> float:
        return self.getLinExpr().getValue() + sum(c * first.X * second.X for c, first, second in self.quadTerms())


def written(coefficient: float, what: str) -> str:
    return what if coefficient == 1.0 else f"{coefficient} {what}"


def not_a_function(*_: object):
    raise GurobiError("Nonlinear constraints must take the form y=f(x)")


class NLExpr(expressions.Nonlinear):
    """Stands only to the right of a single variable: y == f(x)."""

    __slots__ = ()
    __le__ = __ge__ = __eq__ = not_a_function
    __hash__ = Operand.__hash__


@dataclass(frozen=True, eq=False)
class GenExpr:
    """max_(...), abs_(...), ...: stands only to the right of a single variable."""

    kind: str
    operands: Sequence
    constant: float | None = None
    which: float | None = None

    def __eq__(self, other: object):
        message = "General expressions can only be the right hand side part of an assignment to a single variable"
        raise GurobiError(message)

    __hash__ = object.__hash__


FAMILY = Family({1: LinExpr, 2: QuadExpr, 3: NLExpr}, TempConstr, GurobiError)
for kind in (LinExpr, QuadExpr, NLExpr, TempConstr):
    kind.family = FAMILY


class tuplelist(tuples.TupleList):
    pass


class tupledict(tuples.TupleDict):
    family = FAMILY


def multidict(data: object) -> list:
    return tuples.multidict(data, tuplelist, tupledict)


def quicksum(summands: object):
    if isinstance(summands, tupledict):
        summands = summands.values()
    return expressions.quicksum(FAMILY, summands)


def operands_of(arguments: Sequence) -> list:
    """The operands of a helper function, given one by one or as one list or dictionary."""
    if len(arguments) == 1 and isinstance(arguments[0], Mapping):
        return list(arguments[0].values())
    if len(arguments) == 1 and not isinstance(arguments[0], Operand) and not expressions.is_number(arguments[0]):
        arguments = arguments[0]
    return [operand.alone() if isinstance(operand, Shaped) else operand for operand in arguments]


def max_(*args: object, constant: float | None = None) -> GenExpr:
    return GenExpr("max", operands_of(args), constant)


def min_(*args: object, constant: float | None = None) -> GenExpr:
    return GenExpr("min", operands_of(args), constant)


def and_(*args: object) -> GenExpr:
    return GenExpr("and", operands_of(args))


def or_(*args: object) -> GenExpr:
    return GenExpr("or", operands_of(args))


def abs_(argvar: object) -> GenExpr:
    return GenExpr("abs", [argvar.alone() if isinstance(argvar, Shaped) else argvar])


def norm(argvars: object, which: float) -> GenExpr:
    return GenExpr("norm", operands_of([argvars]), which=which)


all_, any_ = and_, or_
