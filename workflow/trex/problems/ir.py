"""The modelling IR: an optimisation model as plain data, whatever wrote it.

min or max  constant + sum linear[i] x_i + sum quadratic[i, j] x_i x_j + nonlinear(x)
subject to  row.lb <= sum terms[i] x_i + sum quadratic[i, j] x_i x_j + nonlinear(x) <= row.ub     for each row
            variable.lb <= x_i <= variable.ub, x_i integer where its kind says so

A model is built by its methods only, which check what they are given and bring it to one form: numbers are floats,
zero coefficients are dropped, terms are sorted by variable, quadratic keys have i <= j (the coefficient multiplies
the product x_i x_j as it stands, no factor 1/2), what is linear or quadratic in a nonlinear expression moves into the
terms (and its constant into the bounds), a bound of magnitude 1e20 or more is infinite (as solvers read it), and the
bounds of a binary variable lie within [0, 1]. So two models are equal (`==`) when they are the same
variables and rows in the same order under the same names; `trex.problems.comparison.canonical` compares up to renaming.

Nonlinear expressions (`trex.problems.expression`) are there to be solved, for their objective value: they are not
compared up to renaming. The IR does not cover special ordered sets and semi-continuous variables.
"""

import math
import operator
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

from trex.problems import expression
from trex.problems.expression import Expression

KINDS = ("continuous", "integer", "binary")
SENSES = ("min", "max")
INFINITE = 1e20
MOST_WORK = 10_000_000  # products that multiplying out a model's expressions may take: seconds, and 1 GB


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    kind: str
    lb: float
    ub: float

    @property
    def is_integer(self) -> bool:
        """True for integer and binary variables."""
        return self.kind != "continuous"


@dataclass(frozen=True, slots=True)
class Row:
    """lb <= sum of terms <= ub; `terms` maps a variable's index to its coefficient, `quadratic` a pair of them."""

    name: str
    lb: float
    ub: float
    terms: dict[int, float]
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)
    nonlinear: Expression | None = None

    @property
    def is_linear(self) -> bool:
        return not self.quadratic and self.nonlinear is None

    def at(self, values: Sequence[float]) -> float:
        """The value of what stands between the bounds, at a point."""
        return exact_sum(summands(self.terms, self.quadratic, self.nonlinear, values))


@dataclass(frozen=True, slots=True)
class Objective:
    sense: str = "min"
    linear: dict[int, float] = field(default_factory=dict)
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)
    constant: float = 0.0
    nonlinear: Expression | None = None

    def at(self, values: Sequence[float]) -> float:
        """The objective's value at a point (one value a variable)."""
        return exact_sum([self.constant, *summands(self.linear, self.quadratic, self.nonlinear, values)])


@dataclass
class Model:
    """Variables, rows and an objective. Read the fields freely; change them by the methods alone."""

    variables: list[Variable] = field(default_factory=list, init=False)
    rows: list[Row] = field(default_factory=list, init=False)
    objective: Objective = field(default_factory=Objective, init=False)
    _variable_names: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    _row_names: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    _work: int = field(default=0, init=False, repr=False, compare=False)

    def add_variable(self, name: str, kind: str = "continuous", lb: float = 0.0, ub: float = math.inf) -> int:
        """Add a variable and return its index. Raises ValueError naming the variable when something is wrong."""
        check_name("variable", name, self._variable_names)
        if kind not in KINDS:
            raise ValueError(f"variable {name!r}: kind {kind!r} is none of {', '.join(KINDS)}")
        lb, ub = checked_bounds(f"variable {name!r}", lb, ub)
        if kind == "binary":
            lb, ub = checked_bounds(f"binary variable {name!r}", max(lb, 0.0), min(ub, 1.0))
        self._variable_names.add(name)
        self.variables.append(Variable(name, kind, lb, ub))
        return len(self.variables) - 1

    def add_row(
        self,
        terms: Mapping[int, float],
        lb: float = -math.inf,
        ub: float = math.inf,
        name: str | None = None,
        quadratic: Mapping[tuple[int, int], float] | None = None,
        nonlinear: object = None,
    ) -> int:
        """Add lb <= sum of all terms <= ub and return the row's index; a row without a name becomes `r<index>`.

        (i, j) and (j, i) are the same product and are added. Raises ValueError naming the row when something is wrong.
        """
        if name is None:
            name = unused_name(f"r{len(self.rows)}", self._row_names)
        check_name("row", name, self._row_names)
        where = f"row {name!r}"
        lb, ub = checked_bounds(where, lb, ub)
        constant, linear, products, nonlinear = self._parts(where, terms, quadratic, nonlinear)
        if constant:
            lb, ub = checked_bounds(where, lb - constant, ub - constant)
        self._row_names.add(name)
        self.rows.append(Row(name, lb, ub, linear, products, nonlinear))
        return len(self.rows) - 1

    def set_objective(
        self,
        sense: str,
        linear: Mapping[int, float],
        constant: float = 0.0,
        quadratic: Mapping[tuple[int, int], float] | None = None,
        nonlinear: object = None,
    ) -> None:
        """Set the objective; (i, j) and (j, i) are the same product and are added. Raises ValueError."""
        if sense not in SENSES:
            raise ValueError(f"objective: sense {sense!r} is neither 'min' nor 'max'")
        more, linear, products, nonlinear = self._parts("objective", linear, quadratic, nonlinear)
        constant = number("objective", "the constant", number("objective", "the constant", constant) + more)
        self.objective = Objective(sense, linear, products, constant, nonlinear)

    @property
    def degree(self) -> str:
        """One of `linear`, `quadratic_objective` (the rows are linear) and `nonlinear` (all that is more)."""
        if self.objective.nonlinear is not None or not all(row.is_linear for row in self.rows):
            return "nonlinear"
        return "quadratic_objective" if self.objective.quadratic else "linear"

    def _parts(
        self, where: str, linear: Mapping, quadratic: Mapping | None, nonlinear: object
    ) -> tuple[float, dict, dict, Expression | None]:
        """(constant, linear terms, products, what is truly nonlinear), checked and in the module's form."""
        terms = {self._index(where, i): number(where, "a coefficient", c) for i, c in linear.items()}
        products: dict[tuple[int, int], float] = {}
        for (i, j), c in (quadratic or {}).items():
            i, j = sorted((self._index(where, i), self._index(where, j)))
            total = products.get((i, j), 0.0) + number(where, "a quadratic coefficient", c)
            products[i, j] = number(where, "a sum of quadratic coefficients", total)
        constant, rest = 0.0, None
        if nonlinear is not None:
            found, rest = split(self._affordable(where, nonlinear))
            constant = number(where, "the constant", found.constant)
            for sums, more in ((terms, found.linear), (products, found.quadratic)):
                for key, c in more.items():
                    sums[key] = number(where, "a sum of coefficients", sums.get(key, 0.0) + c)
        return constant, normal(terms), normal(products), rest

    def _affordable(self, where: str, nonlinear: object) -> Expression:
        """The expression, checked; models come from hostile programs, and multiplying out takes time and memory."""
        try:
            checked = expression.checked(nonlinear, len(self.variables))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        self._work += expression.work(checked)
        if self._work > MOST_WORK:
            raise ValueError(f"{where}: the model's expressions are too large to be multiplied out")
        return checked

    def _index(self, where: str, index: object) -> int:
        try:
            position = operator.index(index)
        except TypeError:
            raise ValueError(f"{where}: variable index {index!r} is not an integer") from None
        if not 0 <= position < len(self.variables):
            raise ValueError(f"{where}: no variable has index {position}; there are {len(self.variables)}")
        return position

    def to_json(self) -> dict:
        """Plain JSON data; an infinite bound is null, terms are [index, coefficient], products [i, j, coefficient].

        The keys `quadratic` of a row and `nonlinear` are there where there is something to say.
        """
        return {
            "variables": [
                {"name": v.name, "kind": v.kind, "lb": finite_or_none(v.lb), "ub": finite_or_none(v.ub)}
                for v in self.variables
            ],
            "rows": [
                {
                    "name": r.name,
                    "lb": finite_or_none(r.lb),
                    "ub": finite_or_none(r.ub),
                    "terms": [[i, c] for i, c in r.terms.items()],
                }
                | ({"quadratic": [[i, j, c] for (i, j), c in r.quadratic.items()]} if r.quadratic else {})
                | ({} if r.nonlinear is None else {"nonlinear": r.nonlinear})
                for r in self.rows
            ],
            "objective": {
                "sense": self.objective.sense,
                "linear": [[i, c] for i, c in self.objective.linear.items()],
                "quadratic": [[i, j, c] for (i, j), c in self.objective.quadratic.items()],
                "constant": self.objective.constant,
            }
            | ({} if self.objective.nonlinear is None else {"nonlinear": self.objective.nonlinear}),
        }

    @classmethod
    def from_json(cls, data: object) -> "Model":
        """The model of `to_json`. Data may come from anywhere: all is checked, ValueError says what is wrong."""
        variables, rows, objective = fields("model", data, ("variables", "rows", "objective"))
        model = cls()
        for position, item in enumerate(listed("variables", variables)):
            name, kind, lb, ub = fields(f"variable {position}", item, ("name", "kind", "lb", "ub"))
            model.add_variable(name, kind, -math.inf if lb is None else lb, math.inf if ub is None else ub)
        for position, item in enumerate(listed("rows", rows)):
            name, lb, ub, terms, quadratic, nonlinear = fields(
                f"row {position}", item, ("name", "lb", "ub", "terms"), ("quadratic", "nonlinear")
            )
            if name is None:
                raise ValueError(f"row {position}: the name is missing")
            where = f"row {name!r}"
            lb, ub = -math.inf if lb is None else lb, math.inf if ub is None else ub
            products = None if quadratic is None else pairs(where, quadratic, width=3)
            model.add_row(pairs(where, terms), lb, ub, name, products, nonlinear)
        sense, linear, quadratic, constant, nonlinear = fields(
            "objective", objective, ("sense", "linear", "quadratic", "constant"), ("nonlinear",)
        )
        products = pairs("objective", quadratic, width=3)
        model.set_objective(sense, pairs("objective", linear), constant, products, nonlinear)
        return model


def summands(linear: dict, quadratic: dict, nonlinear: Expression | None, values: Sequence[float]) -> list[float]:
    return [
        *(coefficient * values[index] for index, coefficient in linear.items()),
        *(coefficient * values[i] * values[j] for (i, j), coefficient in quadratic.items()),
        *([] if nonlinear is None else [expression.evaluate(nonlinear, values)]),
    ]


def split(nonlinear: Expression) -> tuple[expression.Polynomial, Expression | None]:
    """The summands of an expression that are at most quadratic, multiplied out, and the others."""
    polynomials, others = [], []
    for summand in expression.flat_sum(nonlinear):
        found = expression.polynomial(summand)
        if found is None:
            others.append(summand)
        else:
            polynomials.append(found)
    rest = None if not others else others[0] if len(others) == 1 else ("sum", *others)
    return expression.added(polynomials), rest


def number(where: str, what: str, value: object) -> float:
    """`value` as a finite float (never -0.0)."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{where}: {what} is not a number: {value!r}")
    try:
        value = float(value) + 0.0
    except OverflowError:
        raise ValueError(f"{where}: {what} is too large for a float") from None
    if not math.isfinite(value):
        raise ValueError(f"{where}: {what} is not finite: {value!r}")
    return value


def checked_bounds(where: str, lb: object, ub: object) -> tuple[float, float]:
    lb, ub = bound(where, "lower", lb), bound(where, "upper", ub)
    if lb > ub or lb == math.inf or ub == -math.inf:
        raise ValueError(f"{where}: no value lies between lower bound {lb} and upper bound {ub}")
    return lb, ub


def bound(where: str, side: str, value: object) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or value != value:
        raise ValueError(f"{where}: the {side} bound is not a number: {value!r}")
    if abs(value) >= INFINITE:
        return math.inf if value > 0 else -math.inf
    return float(value) + 0.0


def check_name(what: str, name: object, taken: set[str]) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"{what}: the name is not a non-empty text: {name!r}")
    if name in taken:
        raise ValueError(f"{what} {name!r}: the name is used twice")


def unused_name(name: str, taken: Container[str]) -> str:
    """`name`, or the first of name_2, name_3, ... that is not taken."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def exact_sum(values: list[float]) -> float:
    """The sum, rounded once; infinite or NaN where it leaves the range of floats."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return sum(values)


def normal(terms: dict) -> dict:
    """Sorted by key, without zeros."""
    return {key: terms[key] for key in sorted(terms) if terms[key] != 0.0}


def finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def fields(where: str, data: object, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> list:
    """The values of exactly these keys of a JSON object; None for an optional one that is not there."""
    if not isinstance(data, dict) or not set(names) <= set(data) <= {*names, *optional}:
        found = sorted(map(str, data)) if isinstance(data, dict) else type(data).__name__
        raise ValueError(f"{where}: expected an object with the keys {', '.join(names)}, got {found}")
    return [data.get(name) for name in (*names, *optional)]


def listed(where: str, data: object) -> list:
    if not isinstance(data, list):
        raise ValueError(f"{where}: expected a list, got {type(data).__name__}")
    return data


def pairs(where: str, data: object, width: int = 2) -> dict:
    """[[i, c], ...] as {i: c}, or [[i, j, c], ...] as {(i, j): c}."""
    terms = {}
    for item in listed(where, data):
        if not isinstance(item, list) or len(item) != width or any(type(index) is not int for index in item[:-1]):
            raise ValueError(f"{where}: a term is not {width - 1} variable index(es) and a coefficient: {item!r}")
        key = item[0] if width == 2 else tuple(item[:-1])
        if key in terms:
            raise ValueError(f"{where}: the term {key} is given twice")
        terms[key] = item[-1]
    return terms
