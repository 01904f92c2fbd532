"""The part of coptpy's Model that adds constraints."""

from collections.abc import Generator, Iterable, Sequence

from trex.execution.standins.copt.arrays import MConstr, MConstrBuilder, MQConstr, MVar
from trex.execution.standins.copt.expressions import ConstrBuilder, CoptError, LinExpr, QuadExpr, tupledict, values
from trex.execution.standins.copt.handles import Constraint, GenConstr, QConstraint, Var, infinite, text
from trex.execution.standins.copt.names import COPT
from trex.execution.standins.expressions import Implication, Operand, Shaped, tree_of
from trex.execution.standins.indexing import member_name, with_keys
from trex.execution.standins.matrices import broadcast, places_of, plain, shaped
from trex.execution.standins.model import sides
from trex.execution.standins.relations import Conjunction, Disjunction, Equation, Indicator, Inequality

SIDES = {COPT.LESS_EQUAL: "<", COPT.GREATER_EQUAL: ">", COPT.EQUAL: "="}


def side(sense: object) -> str:
    if sense not in SIDES:
        raise ValueError("Unsupported constraint sense")
    return SIDES[sense]


def comparison(lhs: object, sense: object, rhs: object) -> ConstrBuilder:
    """Of what a method is given: a comparison, or left side, sense and right side."""
    if isinstance(lhs, MConstrBuilder):
        return lhs.alone()
    return lhs if isinstance(lhs, ConstrBuilder) else ConstrBuilder(lhs, side(sense), rhs)


def difference(built: ConstrBuilder) -> Operand:
    """Left side less right side; TypeError where one has no place in an expression."""
    left = built.left if isinstance(built.left, Operand) else LinExpr(built.left)
    return left - (built.right.alone() if isinstance(built.right, Shaped) else built.right)


class Constraints:
    def addConstr(self, lhs: object, sense: object = None, rhs: object = None, name: str = ""):
        if isinstance(lhs, bool):  # 0 <= 0, or what no point satisfies
            return self._recording.add_row(Constraint, LinExpr(), "<", 0.0 if lhs else -1.0, 0.0, text(name))
        if isinstance(lhs, Implication):
            return self._add_implication(lhs, name)
        if isinstance(lhs, MConstrBuilder) and lhs.elements.ndim:
            return self.addConstrs(lhs, name)
        built = comparison(lhs, sense, rhs)
        if isinstance(built.right, (list, tuple)) and built.sense == "=" and len(built.right) == 2:
            return self.addBoundConstr(built.left, *built.right, name)
        return self._add(built, 1, name)

    def addBoundConstr(
        self, expr: object, lb: float = -COPT.INFINITY, ub: float = COPT.INFINITY, name: str = ""
    ) -> Constraint:
        limits = sides(infinite(lb), infinite(ub))
        return self._recording.add_row(Constraint, LinExpr(expr), *limits, text(name))

    def addQConstr(self, lhs: object, sense: object = None, rhs: object = None, name: str = ""):
        return self._add(comparison(lhs, sense, rhs), 2, name)

    def addNlConstr(self, lhs: object, sense: object = None, rhs: object = None, name: str = ""):
        return self._add(comparison(lhs, sense, rhs), 3, name)

    def _add(self, built: ConstrBuilder, degree: int, name: str):
        """Add a comparison whose degree is at most this."""
        left = difference(built)
        if left.degree > degree:
            raise TypeError(f"a comparison of {type(left).__name__} is not valid for argument 'lhs'")
        if left.degree == 3:
            return self._recording.add_relation(GenConstr, Inequality(left.tree, built.sense, 0.0), text(name))
        limit, left.constant = 0.0 - left.constant, 0.0
        if isinstance(left, QuadExpr) and any(self._recording.products_of(left).values()):  # else it is a linear row
            return self._recording.add_quadratic_row(QConstraint, left, built.sense, limit, text(name))
        return self._recording.add_row(Constraint, left, built.sense, limit, 0.0, text(name))

    def addConstrs(self, generator: object, nameprefix: str = "R"):
        return self._add_family(generator, self.addConstr, nameprefix)

    def addNlConstrs(self, generator: object, nameprefix: str = "NR"):
        return self._add_family(generator, self.addNlConstr, nameprefix)

    def _add_family(self, generator: object, add, nameprefix: str):
        if isinstance(generator, MConstrBuilder):
            places = zip(places_of(generator.elements.shape), generator.elements.flat, strict=True)
            made = [add(built, name=member_name(nameprefix, place, "()")) for place, built in places]
            kind = MQConstr if any(isinstance(constraint, QConstraint) for constraint in made) else MConstr
            return kind(shaped(made, generator.elements.shape))
        if isinstance(generator, Generator):
            items = with_keys(generator)
        elif isinstance(generator, Iterable):
            items = enumerate(generator)
        else:
            raise self._recording.refuse("constraints without terms")
        return tupledict({key: add(item, name=member_name(nameprefix, key, "()")) for key, item in items})

    def addMConstr(self, A: object, x: object, sense: object, b: object, nameprefix: str = "") -> MConstr:
        left = plain(A) @ self._vector(x)
        comparisons = zip(left.elements, broadcast(sense, left.shape), broadcast(b, left.shape), strict=True)
        made = [
            self._add(ConstrBuilder(expression, side(given), float(limit)), 1, member_name(nameprefix, row, "()"))
            for row, (expression, given, limit) in enumerate(comparisons)
        ]
        return MConstr(shaped(made, left.shape))

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
        return self._add(ConstrBuilder(self._form(Q, c, xQ_L, xQ_R, xc), side(sense), float(rhs)), 2, name)

    def _form(self, Q: object, c: object, xQ_L: object, xQ_R: object, xc: object) -> Operand:
        """xQ_L' Q xQ_R + c' xc."""
        total = LinExpr()
        if Q is not None:
            total = total + (self._vector(xQ_L) @ plain(Q) @ self._vector(xQ_R)).item()
        if c is not None:
            total = total + (plain(c) @ self._vector(xc)).item()
        return total

    def _vector(self, x: object) -> MVar:
        """An MVar, a list of variables, or None for all variables of the model."""
        return x if isinstance(x, MVar) else MVar.fromlist(self.getVars() if x is None else list(x))

    # Cuts that are valid say nothing new; lazy constraints are there from the start, but the library does not say when.

    def addUserCut(self, lhs: object, sense: object = None, rhs: object = None, name: str = "") -> None:
        """A valid inequality: no part of the model."""

    addUserCuts = addUserCut

    # General constraints

    def _add_implication(self, implication: Implication, name: str) -> GenConstr:
        condition, consequence = implication.condition, implication.consequence
        if isinstance(condition, MConstrBuilder):
            condition = condition.alone()
        if condition.sense != "=" or not isinstance(condition.left, Var):
            raise ValueError("Invalid operand for 'rshift'")
        return self.addGenConstrIndicator(condition.left, condition.right, consequence, name=name)

    def addGenConstrIndicator(
        self,
        binvar: Var,
        binval: int,
        lhs: object,
        sense: object = None,
        rhs: object = None,
        type: int = COPT.INDICATOR_IF,
        name: str = "",
    ) -> GenConstr:
        if isinstance(lhs, (ConstrBuilder, MConstrBuilder)) and sense is not None:
            type = sense  # the library's other order of arguments
        if type != COPT.INDICATOR_IF:
            raise self._recording.refuse("an indicator of another kind than 'if'")
        if binval not in (0, 1) or binvar.vtype != COPT.BINARY:
            raise CoptError("Invalid indicator variable")
        built = comparison(lhs, sense, rhs)
        left = difference(built)
        if left.degree > 1:
            raise TypeError("an indicator constraint is linear")
        terms = self._recording.terms_of(left)
        relation = Indicator(binvar, bool(binval), terms, built.sense, 0.0 - left.constant)
        return self._recording.add_relation(GenConstr, relation, text(name))

    def addGenConstrMax(self, resvar: Var, vars: object, constant: float | None = None, name: str = "") -> GenConstr:
        return self._add_extremum("max", resvar, vars, constant, name)

    def addGenConstrMin(self, resvar: Var, vars: object, constant: float | None = None, name: str = "") -> GenConstr:
        return self._add_extremum("min", resvar, vars, constant, name)

    def _add_extremum(self, kind: str, resvar: Var, vars: object, constant: float | None, name: str) -> GenConstr:
        trees = [tree_of(operand) for operand in values(vars)]
        trees += [] if constant is None else [float(constant)]
        return self._recording.add_relation(GenConstr, Equation(resvar, (kind, *trees)), text(name))

    def addGenConstrAbs(self, resvar: Var, argvar: object, name: str = "") -> GenConstr:
        return self._recording.add_relation(GenConstr, Equation(resvar, ("abs", tree_of(argvar))), text(name))

    def addGenConstrAnd(self, resvar: Var, vars: Sequence[Var], name: str = "") -> GenConstr:
        return self._recording.add_relation(GenConstr, Conjunction(resvar, list(values(vars))), text(name))

    def addGenConstrOr(self, resvar: Var, vars: Sequence[Var], name: str = "") -> GenConstr:
        return self._recording.add_relation(GenConstr, Disjunction(resvar, list(values(vars))), text(name))
