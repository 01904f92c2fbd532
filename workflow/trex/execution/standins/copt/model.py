"""coptpy's Envr and Model: the model records what a program says, and is solved by our own solvers when asked."""

from trex.execution.standins import expressions
from trex.execution.standins.copt.arrays import MVar
from trex.execution.standins.copt.constraints import Constraints
from trex.execution.standins.copt.expressions import CoptError, LinExpr, NlExpr, QuadExpr, tupledict
from trex.execution.standins.copt.handles import Constraint, GenConstr, HandleList, QConstraint, Var, infinite, text
from trex.execution.standins.copt.handles import vtype as checked_type
from trex.execution.standins.copt.names import COPT, UNSUPPORTED_METHODS
from trex.execution.standins.copt.results import Results
from trex.execution.standins.expressions import Operand, Shaped
from trex.execution.standins.indexing import flat, keys_of, member_name, spread
from trex.execution.standins.matrices import HandleArray, broadcast, places_of, shaped
from trex.execution.standins.model import Recording

HANDLES = (Var, Constraint, QConstraint, GenConstr)
NEGLIGIBLE = 1e-10


class EnvrConfig:
    def set(self, name: str, value: str) -> None:
        """No effect."""


class Envr:
    def __init__(self, arg: object = None):
        pass

    def createModel(self, name: str = "") -> "Model":
        return Model(name)

    def close(self) -> None:
        """Nothing to free."""

    dispose = close

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Model(Constraints, Results):
    def __init__(self, name: str = ""):
        self._recording = Recording(self, CoptError, NEGLIGIBLE)
        self._recording.name = name
        self._recording.parameters = {}

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(f"Invalid attribute name '{name}'")
        if name in UNSUPPORTED_METHODS:
            raise self._recording.refuse(f"Model.{name}")
        return self.getAttr(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self._set_attribute(name, value)

    # Variables

    def addVar(
        self,
        lb: float = 0.0,
        ub: float = COPT.INFINITY,
        obj: float = 0.0,
        vtype: str = COPT.CONTINUOUS,
        name: str = "",
        column: object = None,
    ) -> Var:
        if column is not None:
            raise self._recording.refuse("a variable with a column")
        columns = [infinite(lb)], [infinite(ub)], [float(obj)], [checked_type(vtype)], [text(name or "")]
        return self._add_variables(*columns)[0]

    def addVars(
        self,
        *indices: object,
        lb: object = 0.0,
        ub: object = COPT.INFINITY,
        obj: object = 0.0,
        vtype: object = COPT.CONTINUOUS,
        nameprefix: str = "C",
    ) -> tupledict:
        keys = keys_of(indices)
        given = (
            (lb, 0.0, infinite),
            (ub, COPT.INFINITY, infinite),
            (obj, 0.0, float),
            (vtype, COPT.CONTINUOUS, checked_type),
        )
        columns = [spread(default if one is None else one, keys, default, check) for one, default, check in given]
        names = [member_name(str(nameprefix), key, "()") for key in keys]
        return tupledict(zip(keys, self._add_variables(*columns, names), strict=True))

    def addMVar(
        self,
        shape: int | tuple[int, ...],
        lb: object = 0.0,
        ub: object = COPT.INFINITY,
        obj: object = 0.0,
        vtype: object = COPT.CONTINUOUS,
        nameprefix: str = "C",
    ) -> MVar:
        shape = tuple(flat(shape))
        given = ((lb, infinite), (ub, infinite), (obj, float), (vtype, checked_type))
        columns = [list(map(check, broadcast(one, shape))) for one, check in given]
        names = [member_name(nameprefix, place, "()") for place in places_of(shape)]
        return MVar.of(shaped(self._add_variables(*columns, names), shape))

    def _add_variables(self, lb: list, ub: list, obj: list, types: list, names: list[str]) -> list[Var]:
        """Add variables, of columns that are checked; the bounds of binary ones lie within [0, 1]."""
        if "B" in types:
            lb = [max(low, 0.0) if kind == "B" else low for low, kind in zip(lb, types, strict=True)]
            ub = [min(high, 1.0) if kind == "B" else high for high, kind in zip(ub, types, strict=True)]
        return self._recording.variables.extend(Var, len(names), lb, ub, obj, types, names)

    # Objective

    def setObjective(self, expr: object, sense: int | None = None) -> None:
        expr = expr.item() if isinstance(expr, Shaped) else expr
        if expressions.degree_of(expr) is None:
            raise TypeError(f"an objective is an expression, not {type(expr).__name__!r}")
        if self._recording.curve is not None:
            raise CoptError("Fail to set nonlinear objective")
        if self._recording.products and isinstance(expr, LinExpr):
            raise self._recording.refuse(
                "a linear objective after a quadratic one, whose products the library may keep"
            )
        is_expression = isinstance(expr, Operand) and not isinstance(expr, Var)
        self._recording.set_objective(expr if is_expression else LinExpr(expr))
        if sense is not None:
            self.setObjSense(sense)

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

    def setObjSense(self, sense: int) -> None:
        if sense not in (COPT.MINIMIZE, COPT.MAXIMIZE):
            raise TypeError("an objective's sense is COPT.MINIMIZE or COPT.MAXIMIZE")
        self._recording.sense = "max" if sense == COPT.MAXIMIZE else "min"

    def delQuadObj(self) -> None:
        self._recording.products = {}

    def setObjConst(self, const: float) -> None:
        self._recording.constant = float(const)

    def getObjective(self):
        recording = self._recording
        if recording.curve is not None:
            result = NlExpr()
            result.tree = recording.curve
            return result
        result = QuadExpr(recording.constant) if recording.products else LinExpr(recording.constant)
        for variable, cost in zip(recording.variables.handles, recording.variables.columns["obj"], strict=True):
            if cost:
                result.include(variable, cost)
        for (first, second), weight in recording.products.items():
            result.addTerm(weight, first, second)
        return result

    # What is there

    def getVars(self) -> HandleList:
        return HandleList(self._recording.variables.handles)

    def getConstrs(self) -> HandleList:
        return HandleList(self._recording.rows.handles)

    def getQConstrs(self) -> HandleList:
        return HandleList(self._recording.quadratic_rows.handles)

    def getGenConstrs(self) -> HandleList:
        return HandleList(self._recording.relations.handles)

    getNlConstrs = getGenConstrs

    def getVar(self, idx: int) -> Var:
        return at(self.getVars(), idx, "col")

    def getConstr(self, idx: int) -> Constraint:
        return at(self.getConstrs(), idx, "row")

    def getVarByName(self, name: str) -> Var:
        return named(self.getVars(), name, "col")

    def getConstrByName(self, name: str) -> Constraint:
        return named(self.getConstrs(), name, "row")

    def getRow(self, constr: Constraint) -> LinExpr:
        terms = self._terms(constr)
        return LinExpr(list(terms), list(terms.values()))

    def getCoeff(self, constr: Constraint, var: Var) -> float:
        return self._terms(constr).get(var, 0.0)

    def setCoeff(self, constr: Constraint, var: Var, newval: float) -> None:
        self._recording.check([var])
        self._terms(constr)[var] = float(newval)

    def _terms(self, constr: Constraint) -> dict[Var, float]:
        if constr not in self._recording.rows:
            raise CoptError("Invalid row index")
        return self._recording.rows.columns["terms"][constr._index]

    def remove(self, args: object) -> None:
        if isinstance(args, HANDLES):
            handles = [args]
        elif isinstance(args, (MVar, HandleArray)):
            handles = list(args.elements.flat)
        else:
            handles = list(args.values() if isinstance(args, dict) else args)
        self._recording.remove(handles)

    def clear(self) -> None:
        recording = self._recording
        self._recording = Recording(self, CoptError, NEGLIGIBLE)
        self._recording.name, self._recording.parameters = recording.name, recording.parameters

    def clone(self) -> "Model":
        other = Model(self._recording.name)
        self._recording.copy_into(other._recording, HANDLES)
        return other


def at(handles: HandleList, place: int, kind: str):
    if not 0 <= place < len(handles):
        raise CoptError(f"Invalid {kind} index")
    return handles[place]


def named(handles: HandleList, name: str, kind: str):
    found = [handle for handle in handles if handle.name == name]
    if not found:
        raise CoptError(f"Invalid {kind} index")
    return found[0]
