"""gurobipy's Model: it records what a program says, and solves by our own solvers when the program asks for results."""

from collections.abc import Iterable, Mapping, Sequence

from trex.execution.standins import expressions
from trex.execution.standins.expressions import Comparison, Implication, Operand, Shaped
from trex.execution.standins.gurobi import names
from trex.execution.standins.gurobi.array_methods import MatrixMethods
from trex.execution.standins.gurobi.arrays import MConstr, MVar
from trex.execution.standins.gurobi.attributes import Constr, GenConstr, QConstr, Var, bound, text
from trex.execution.standins.gurobi.attributes import sense as side
from trex.execution.standins.gurobi.attributes import vtype as checked_type
from trex.execution.standins.gurobi.expressions import GenExpr, GurobiError, LinExpr, QuadExpr, tupledict
from trex.execution.standins.gurobi.general import GeneralConstraints, relation, variable
from trex.execution.standins.gurobi.parameters import DEFAULT, Env, Parameters
from trex.execution.standins.gurobi.results import Results
from trex.execution.standins.indexing import keys_of, member_name, number, spread, with_keys
from trex.execution.standins.matrices import MatrixComparison
from trex.execution.standins.model import Recording, sides
from trex.execution.standins.relations import Equation

HANDLES = (Var, Constr, QConstr, GenConstr)
UNSUPPORTED_METHODS = frozenset(names.UNSUPPORTED_METHODS)
INFINITY = float("inf")
NEGLIGIBLE = 1e-13


class Column:
    """The coefficients of a new variable in constraints that are there."""

    def __init__(self, coeffs: object = (), constrs: object = ()):
        self.clear()
        self.addTerms(coeffs, constrs)

    def addTerms(self, coeffs: object, constrs: object) -> None:
        if isinstance(constrs, Constr):
            coeffs, constrs = [coeffs], [constrs]
        self.terms += zip(map(float, coeffs), constrs, strict=True)

    def clear(self) -> None:
        self.terms: list[tuple[float, Constr]] = []

    def copy(self) -> "Column":
        copy = Column()
        copy.terms = list(self.terms)
        return copy

    def size(self) -> int:
        return len(self.terms)

    def getCoeff(self, i: int) -> float:
        return self.terms[i][0]

    def getConstr(self, i: int) -> Constr:
        return self.terms[i][1]


class Model(GeneralConstraints, MatrixMethods, Results):
    def __init__(self, name: str = "", env: Env | None = None):
        self._begin(text(name), env or DEFAULT)

    def _begin(self, name: str, env: Env) -> None:
        self._recording = Recording(self, GurobiError, NEGLIGIBLE)
        self._recording.name = name
        self._recording.parameters = Parameters(env._parameters._values, self._parameter_changed)

    def _parameter_changed(self, name: str, value: object) -> None:
        if name == "LazyConstraints" and value:
            raise self._recording.refuse("constraints added in a callback (LazyConstraints)")

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(f"'Model' object has no attribute '{name}'")
        if name in UNSUPPORTED_METHODS:
            raise self._recording.refuse(f"Model.{name}")
        return self.getAttr(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self.setAttr(name, value)

    # Variables

    def addVar(
        self,
        lb: float = 0.0,
        ub: float = INFINITY,
        obj: float = 0.0,
        vtype: str = "C",
        name: str = "",
        column: Column | None = None,
    ) -> Var:
        columns = [bound(lb)], [bound(ub)], [number(obj)], [checked_type(vtype)], [text(name)]
        made = self._add_variables(*columns)[0]
        for coefficient, constraint in column.terms if column else ():
            self.chgCoeff(constraint, made, coefficient)
        return made

    def addVars(
        self,
        *indices: object,
        lb: object = 0.0,
        ub: object = INFINITY,
        obj: object = 0.0,
        vtype: object = "C",
        name: object = "",
    ) -> tupledict:
        keys = keys_of(indices)
        columns = spread(lb, keys, 0.0, bound), spread(ub, keys, INFINITY, bound), spread(obj, keys, 0.0, number)
        if name is None or isinstance(name, str):
            names = [member_name(name or "", key) for key in keys]
        else:
            names = spread(name, keys, "", text)
        types = spread(vtype, keys, "C", one_letter)
        return tupledict(zip(keys, self._add_variables(*columns, types, names), strict=True))

    def _add_variables(self, lb: list, ub: list, obj: list, types: list, names: list[str]) -> list[Var]:
        """Add variables, of columns that are checked; the bounds of binary ones lie within [0, 1]."""
        if "B" in types:
            lb = [max(low, 0.0) if kind == "B" else low for low, kind in zip(lb, types, strict=True)]
            ub = [min(high, 1.0) if kind == "B" else high for high, kind in zip(ub, types, strict=True)]
        return self._recording.variables.extend(Var, len(names), lb, ub, obj, types, names)

    # Constraints

    def addConstr(self, lhs: object, name: str = ""):
        name = text(name)
        if isinstance(lhs, Comparison):
            return self._add_comparison(lhs, name)
        if isinstance(lhs, MatrixComparison):
            return self._add_array(lhs, name)
        if isinstance(lhs, Implication):
            return self._add_implication(lhs, name)
        if isinstance(lhs, bool):  # 0 <= 0, or what no point satisfies
            return self._recording.add_row(Constr, LinExpr(), "<", 0.0 if lhs else -1.0, 0.0, name)
        raise GurobiError("Invalid value for Model.addConstr")

    def addConstrs(self, generator: object, name: object = "") -> tupledict:
        label = str(name) if name else ""
        return tupledict({key: self.addConstr(item, member_name(label, key)) for key, item in with_keys(generator)})

    def addLConstr(self, lhs: object, sense: object = None, rhs: object = None, name: str = "") -> Constr:
        return self._add_sided(lhs, sense, rhs, name, 1, "Invalid argument to Model.addLConstr")

    def addQConstr(self, lhs: object, sense: object = None, rhs: object = None, name: str = ""):
        return self._add_sided(lhs, sense, rhs, name, 2, "Invalid argument to Model.addQConstr")

    def _add_sided(self, lhs: object, sense: object, rhs: object, name: str, degree: int, message: str):
        """From a comparison, with its name as second argument, or from left side, sense and right side."""
        if not isinstance(lhs, Comparison):
            lhs = Comparison(lhs if isinstance(lhs, Operand) else LinExpr(lhs), side(sense), rhs)
        elif sense is not None:
            name = sense
        if max(expressions.degree_of(part) or 0 for part in (lhs.left, lhs.right)) > degree:
            raise GurobiError(message)
        return self._add_comparison(lhs, text(name))

    def addRange(self, expr: Operand, lower: float, upper: float, name: str = "") -> Constr:
        if expr.degree > 1:
            raise self._recording.refuse("a range of an expression that is not linear")
        return self._recording.add_row(Constr, LinExpr(expr), *sides(bound(lower), bound(upper)), text(name))

    def _add_comparison(self, comparison: Comparison, name: str):
        left, sense, right = comparison.left, comparison.sense, comparison.right
        if isinstance(right, GenExpr):
            if sense != "=" or not isinstance(left, Var):
                raise GurobiError("General expressions can only be equal to a single var")
            return self._add_relation(relation(left, right), name)
        if isinstance(right, (list, tuple)) and sense == "=" and len(right) == 2:
            return self.addRange(left, *right, name)
        if isinstance(right, expressions.Nonlinear):
            if sense != "=" or not isinstance(left, Var):
                raise GurobiError("Nonlinear constraints must take the form y=f(x)")
            return self._add_relation(Equation(left, right.tree), name)
        difference = left - right
        limit = 0.0 - difference.constant
        if limit != limit:
            raise GurobiError("Constant is Nan")
        difference.constant = 0.0
        if isinstance(difference, QuadExpr):
            return self._recording.add_quadratic_row(QConstr, difference, sense, limit, name)
        return self._recording.add_row(Constr, difference, sense, limit, 0.0, name)

    def chgCoeff(self, constr: Constr, var: Var, newvalue: float) -> None:
        self._recording.check([variable(var)])
        self._terms(constr)[var] = float(newvalue)

    def getCoeff(self, constr: Constr, var: Var) -> float:
        return self._terms(constr).get(var, 0.0)

    def getRow(self, constr: Constr) -> LinExpr:
        terms = self._terms(constr)
        return LinExpr(list(terms.values()), list(terms))

    def getQCRow(self, qc: QConstr) -> QuadExpr:
        columns = qc._table.columns
        return self._quadratic(columns["terms"][qc._index], columns["products"][qc._index], 0.0)

    def getCol(self, var: Var) -> Column:
        rows = self._recording.rows
        found = zip(rows.columns["terms"], rows.handles, strict=True)
        pairs = [(terms[var], constraint) for terms, constraint in found if var in terms]
        return Column([coefficient for coefficient, _ in pairs], [constraint for _, constraint in pairs])

    def _terms(self, constr: Constr) -> dict[Var, float]:
        if constr not in self._recording.rows:
            raise GurobiError("Constraint not in model")
        return self._recording.rows.columns["terms"][constr._index]

    def remove(self, items: object) -> None:
        self._recording.remove(list(members(items)))

    # Objective

    def setObjective(self, expr: object, sense: int | None = None) -> None:
        expr = expr.item() if isinstance(expr, Shaped) else expr
        degree = expressions.degree_of(expr)
        if degree is None:
            is_general = isinstance(expr, GenExpr)
            raise GurobiError(
                "Objective must be linear or quadratic" if is_general else "Unable to convert argument to an expression"
            )
        if degree == 3:
            raise GurobiError("Objective must be linear or quadratic")
        self._recording.set_objective(expr if degree == 2 else LinExpr(expr))
        if sense is not None:
            self._set_sense(sense)

    def _set_sense(self, sense: object) -> None:
        if int(sense) not in (-1, 0, 1):
            raise GurobiError("Invalid objective sense")
        if int(sense):
            self._recording.sense = "max" if int(sense) == -1 else "min"

    def setObjectiveN(
        self,
        expr: object,
        index: int,
        priority: int = 0,
        weight: float = 1.0,
        abstol: float = 1e-6,
        reltol: float = 0.0,
        name: str = "",
    ) -> None:
        """One objective only: the first, with the weight 1."""
        if index != 0 or weight != 1.0:
            raise self._recording.refuse("several objectives")
        self.setObjective(expr)

    def getObjective(self, index: int | None = None):
        recording = self._recording
        costs = zip(recording.variables.handles, recording.variables.columns["obj"], strict=True)
        terms = {handle: cost for handle, cost in costs if cost}
        if not recording.products:
            result = LinExpr(list(terms.values()), list(terms))
            result.constant = recording.constant
            return result
        return self._quadratic(terms, recording.products, recording.constant)

    def _quadratic(self, terms: Mapping, products: Mapping, constant: float) -> QuadExpr:
        result = QuadExpr(constant)
        result.addTerms(list(terms.values()), list(terms))
        firsts, seconds = [first for first, _ in products], [second for _, second in products]
        result.addTerms(list(products.values()), firsts, seconds)
        return result

    # What is there

    def getVars(self) -> list[Var]:
        return list(self._recording.variables.handles)

    def getConstrs(self) -> list[Constr]:
        return list(self._recording.rows.handles)

    def getQConstrs(self) -> list[QConstr]:
        return list(self._recording.quadratic_rows.handles)

    def getGenConstrs(self) -> list[GenConstr]:
        return list(self._recording.relations.handles)

    def getSOSs(self) -> list:
        return []

    def getVarByName(self, name: str) -> Var | None:
        return named(self._recording.variables.handles, "VarName", name)

    def getConstrByName(self, name: str) -> Constr | None:
        return named(self._recording.rows.handles, "ConstrName", name)

    def copy(self, env: Env | None = None) -> "Model":
        other = Model(self._recording.name, env)
        self._recording.copy_into(other._recording, HANDLES)
        return other

    def relax(self) -> "Model":
        """Not recorded as a model that the program meant: it was made from one."""
        other = Model.__new__(Model)
        other._begin(self._recording.name, DEFAULT)
        self._recording.copy_into(other._recording, HANDLES)
        columns = other._recording.variables.columns
        columns["vtype"] = ["C"] * len(columns["vtype"])
        return other


def one_letter(vtype: str) -> str:
    if len(vtype) != 1:
        raise ValueError("only single character unicode strings can be converted to Py_UCS4")
    return checked_type(vtype)


def named(handles: Iterable, attribute: str, name: str):
    return next((handle for handle in handles if handle.getAttr(attribute) == name), None)


def members(items: object):
    """The variables and constraints in what `remove` is given."""
    if isinstance(items, HANDLES):
        yield items
    elif isinstance(items, (MVar, MConstr)):
        yield from items.elements.flat
    elif isinstance(items, (Mapping, Sequence)):
        for item in items.values() if isinstance(items, Mapping) else items:
            yield from members(item)
    else:
        raise GurobiError("Item to be removed not a Var, Constr, SOS, QConstr, or GenConstr")
