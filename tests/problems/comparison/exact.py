"""What a model says, got otherwise than the package does it (in fractions, by trying all renamings): for tiny models.

Numbers of tiny models are small, so that 1000 stands for infinity.
"""

import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction

from trex.problems.ir import Model

UP = math.inf
LARGE = 1000


@dataclass
class Exact:
    """variables: in the order asked for. rows: each with the names of the model's rows that say it."""

    variables: list[tuple]
    rows: dict[tuple, set[str]]
    products: dict[tuple, float]
    objective: tuple


def exact(model: Model, order: tuple[int, ...]) -> Exact:
    """What `model` says when variable order[k] is the k-th."""
    place = {old: new for new, old in enumerate(order)}
    bounds = [(max(-LARGE, model.variables[i].lb), min(LARGE, model.variables[i].ub)) for i in order]
    limits = [[Fraction(limit) for limit in pair] for pair in bounds]
    rows: dict[tuple, set[str]] = {}
    for row in model.rows:
        for side, direction in ((row.ub, 1), (-row.lb, -1)):
            if side == UP:
                continue
            terms = {(place[i],): Fraction(c) * direction for i, c in row.terms.items()}
            terms |= {
                tuple(sorted((place[i], place[j]))): Fraction(c) * direction for (i, j), c in row.quadratic.items()
            }
            if len(terms) == 1 and len(min(terms)) == 1:
                (((k,), c),) = terms.items()
                limits[k][c > 0] = (min if c > 0 else max)(limits[k][c > 0], Fraction(side) / c)
            elif terms:
                size = sum(map(abs, terms.values()))
                said = (Fraction(side) / size, *sorted((term, c / size) for term, c in terms.items()))
                rows.setdefault(said, set()).add(row.name)
            elif side < 0:
                rows.setdefault((), set()).add(row.name)
    objective = model.objective
    variables = []
    for i in order:
        low, high = limits[place[i]]
        whole = model.variables[i].is_integer
        bounds = (math.ceil(low), math.floor(high)) if whole else (low, high)
        variables.append((whole, *bounds, objective.linear.get(i, 0)))
    products = {tuple(sorted((place[i], place[j]))): c for (i, j), c in objective.quadratic.items()}
    sense = objective.sense if objective.linear or objective.quadratic else ""
    return Exact(variables, rows, products, (sense, objective.constant))


def renamings(a: Model, b: Model):
    """(exact form of a, that of b, order) for each way to take b's variables for a's: order[k] for the k-th."""
    n = len(a.variables)
    if n == len(b.variables):
        first = exact(a, tuple(range(n)))
        for order in itertools.permutations(range(n)):
            yield first, exact(b, order), order


def isomorphic(a: Model, b: Model) -> bool:
    return any(
        (x.variables, set(x.rows), x.products, x.objective) == (y.variables, set(y.rows), y.products, y.objective)
        for x, y, _ in renamings(a, b)
    )


def line(row: tuple) -> tuple:
    """The row without its right-hand side and sign."""
    return tuple((term, c if row[1][1] > 0 else -c) for term, c in row[1:])


def tiny_model(draw: random.Random) -> Model:
    """Few different numbers, so that unlike models are often isomorphic and look-alikes are often not."""
    model = Model()
    n = draw.randint(1, 5)
    for i in range(n):
        kind = draw.choice(["continuous", "integer", "binary"])
        model.add_variable(f"x{i}.", kind, draw.choice([0, 0, -1]), draw.choice([1, UP]))
    for k in range(draw.randint(0, 4)):
        terms = {i: draw.choice([-2, -1, 1, 1, 1, 2]) for i in range(n) if draw.random() < 0.6}
        products = {tuple(draw.choices(range(n), k=2)): draw.choice([1, 2]) for _ in range(draw.choice([0, 0, 0, 1]))}
        model.add_row(terms, *draw.choice(SIDES), f"r{k}.", products)
    products = {tuple(draw.choices(range(n), k=2)): 1 for _ in range(draw.choice([0, 0, 1, 2]))}
    costs = {i: draw.choice([0, 1, 1, 2]) for i in range(n)}
    model.set_objective(draw.choice(["min", "max"]), costs, quadratic=products)
    return model


SIDES = [(0, UP), (-UP, 0), (0, 0), (-1, 1), (1, UP), (-UP, 1), (1, 2)]


def edited(model: Model, draw: random.Random) -> Model:
    """The model with one thing set to a value that it may have had before."""
    data = model.to_json()
    indexes = range(len(data["variables"]))
    variable = draw.choice(data["variables"])
    row = draw.choice(data["rows"]) if data["rows"] else None
    edit = draw.choice(["kind", "bounds", "cost", "new row", *(["coefficient", "sides", "row"] if row else [])])
    if edit == "kind":
        variable["kind"] = draw.choice(["continuous", "integer"])
    elif edit == "bounds":
        kind = "integer" if variable["kind"] == "binary" else variable["kind"]
        variable |= {"kind": kind, "lb": draw.choice([0, -1]), "ub": draw.choice([1, None, 2])}
    elif edit == "cost":
        set_term(data["objective"]["linear"], draw.choice(indexes), draw.choice([0, 1, 2]))
    elif edit == "new row":
        terms = [[i, draw.choice([-1, 1, 2])] for i in draw.sample(indexes, draw.randint(1, len(indexes)))]
        name = f"new{len(data['rows'])}."
        data["rows"].append({"name": name, "terms": terms, "lb": None, "ub": draw.choice([0, 1])})
    elif edit == "coefficient":
        set_term(row["terms"], draw.choice(indexes), draw.choice([-2, -1, 0, 1, 2]))
    elif edit == "sides":
        row["lb"], row["ub"] = (None if math.isinf(side) else side for side in draw.choice(SIDES))
    else:
        data["rows"].remove(row)
    return Model.from_json(data)


def set_term(terms: list, index: int, coefficient: float) -> None:
    terms[:] = [term for term in terms if term[0] != index] + [[index, coefficient]]
