"""Random rewrites of a model's JSON: PRESERVING keep it the same model, CHANGING make it another one.

A name that a rewrite gives ends with the old one, so that a test can tell which variable or row a text means.
"""

import math
import random
from dataclasses import dataclass

from trex.problems.ir import Model

UP = math.inf


@dataclass
class Expected:
    """What a counter-example may say of a change: one of these kinds, and (the end of) one of these names."""

    kinds: set[str]
    names: set[str]

    def met_by(self, difference) -> bool:
        if difference is None or difference.kind not in self.kinds:
            return False
        return not self.names or any(f"{name}'" in difference.text for name in self.names)


def number(draw: random.Random) -> float:
    return draw.choice([-1, 1]) * draw.uniform(1, 100)


def random_model(draw: random.Random) -> Model:
    """Distinct numbers throughout, so no symmetry; each row has two terms or more, none is redundant by accident."""
    model = Model()
    for i in range(draw.randint(3, 8)):
        kind = draw.choice(["continuous", "integer", "binary"])
        bounds = [(0, UP), (-UP, UP), (-draw.randint(2, 9), draw.randint(2, 90)), (-UP, draw.randint(2, 9))]
        model.add_variable(f"x{i}.", kind, *draw.choice(bounds))
    indexes = range(len(model.variables))
    for k in range(draw.randint(1, 6)):
        terms = {i: number(draw) for i in draw.sample(indexes, draw.randint(2, len(indexes)))}
        products = {tuple(draw.choices(indexes, k=2)): number(draw) for _ in range(draw.choice([0, 0, 1, 2]))}
        side = number(draw)
        sides = draw.choice([(side, UP), (-UP, side), (side, side), (side, side + abs(number(draw)))])
        model.add_row(terms, *sides, f"r{k}.", products)
    products = {tuple(draw.choices(indexes, k=2)): number(draw) for _ in range(draw.randint(0, 2))}
    linear = {i: number(draw) for i in indexes}
    model.set_objective(draw.choice(["min", "max"]), linear, number(draw), products)
    return model


# The same model


def preserving(model: Model, draw: random.Random) -> Model:
    """The same model, written another way in several respects that should not count."""
    data = model.to_json()
    for rewrite in draw.choices(PRESERVING, k=draw.randint(1, 10)):
        rewrite(data, draw)
    return Model.from_json(data)


def renamed(data: dict, draw: random.Random) -> None:
    for what in ("variables", "rows"):
        for k, item in enumerate(draw.sample(data[what], len(data[what]))):
            item["name"] = f"n{k}/{item['name']}"


def variables_reordered(data: dict, draw: random.Random) -> None:
    order = draw.sample(range(len(data["variables"])), len(data["variables"]))
    place = {old: new for new, old in enumerate(order)}
    data["variables"] = [data["variables"][old] for old in order]
    for terms in sums(data):
        terms[:] = [[*(place[i] for i in indexes), c] for *indexes, c in terms]


def sums(data: dict) -> list[list]:
    """All lists of terms and of products."""
    return [item[key] for item in (*data["rows"], data["objective"]) for key in KEYS if key in item]


KEYS = ("terms", "linear", "quadratic")


def rows_reordered(data: dict, draw: random.Random) -> None:
    draw.shuffle(data["rows"])


def rows_scaled(data: dict, draw: random.Random) -> None:
    """Negated, too, where the factor is negative."""
    for row in data["rows"]:
        if draw.random() < 0.5:
            multiply(row, draw.choice([-1, 2, number(draw)]))


def multiply(row: dict, factor: float) -> None:
    for term in (*row["terms"], *row.get("quadratic", [])):
        term[-1] *= factor
    lb, ub = (None if row[side] is None else row[side] * factor for side in ("lb", "ub"))
    row["lb"], row["ub"] = (lb, ub) if factor > 0 else (ub, lb)


def row_duplicated(data: dict, draw: random.Random) -> None:
    if data["rows"]:
        multiply(add(data, draw.choice(data["rows"])), draw.choice([1, number(draw)]))


def add(data: dict, row: dict) -> dict:
    """Adds a copy of the row, under a name that is not used, and returns it."""
    taken = {other["name"] for other in data["rows"]}
    copy = row | {key: [list(term) for term in row[key]] for key in KEYS if key in row}
    while copy["name"] in taken:
        copy["name"] = "o/" + copy["name"]
    data["rows"].append(copy)
    return copy


def range_split(data: dict, draw: random.Random) -> None:
    for row in list(data["rows"]):
        if None not in (row["lb"], row["ub"]) and draw.random() < 0.5:
            add(data, row)["lb"] = None
            row["ub"] = None


def sides_merged(data: dict, draw: random.Random) -> None:
    """Undoes a split."""
    for row in list(data["rows"]):
        for other in list(data["rows"]):
            same = all(row.get(key) == other.get(key) for key in KEYS)
            if same and row["lb"] is None and other["ub"] is None and (other["lb"] or 0) <= (row["ub"] or 0):
                row["lb"] = other["lb"]
                data["rows"].remove(other)


def bound_to_row(data: dict, draw: random.Random) -> None:
    for index, variable in enumerate(data["variables"]):
        if draw.random() < 0.3:
            sides = {side: variable[side] for side in ("lb", "ub")}
            multiply(add(data, {"name": f"bound/{variable['name']}", "terms": [[index, 1.0]], **sides}), number(draw))
            variable |= {"lb": None, "ub": None}
            if variable["kind"] == "binary":
                variable["kind"] = "integer"


def row_to_bound(data: dict, draw: random.Random) -> None:
    """Undoes the above where the variable's own bound is not tighter."""
    for row in list(data["rows"]):
        variable = data["variables"][row["terms"][0][0]] if row["terms"] else {}
        if len(row["terms"]) == 1 and not row.get("quadratic") and (variable["lb"], variable["ub"]) == (None, None):
            multiply(row, 1 / row["terms"][0][1])
            variable |= {"lb": row["lb"], "ub": row["ub"]}
            data["rows"].remove(row)


def loose_bound_added(data: dict, draw: random.Random) -> None:
    """A row that says less than the variable's own bound."""
    for index, variable in enumerate(data["variables"]):
        if variable["lb"] is not None and draw.random() < 0.3:
            row = {"name": f"loose/{variable['name']}", "terms": [[index, 1.0]], "lb": variable["lb"] - 10, "ub": None}
            multiply(add(data, row), number(draw))


def binary_or_integer(data: dict, draw: random.Random) -> None:
    for variable in data["variables"]:
        if variable["kind"] == "binary":
            variable["kind"] = "integer"
        elif variable["kind"] == "integer" and (variable["lb"], variable["ub"]) == (0, 1):
            variable["kind"] = "binary"


def idle_row_added(data: dict, draw: random.Random) -> None:
    terms = [[0, 1.0]] if data["variables"] else []
    add(
        data,
        {"name": "idle", **draw.choice([{"terms": [], "lb": -1, "ub": 1}, {"terms": terms, "lb": None, "ub": None}])},
    )


PRESERVING = (
    renamed, variables_reordered, rows_reordered, rows_scaled, row_duplicated, range_split, sides_merged,
    bound_to_row, row_to_bound, loose_bound_added, binary_or_integer, idle_row_added,
)  # fmt: skip


# Another model: each change returns what may be said of it, or None where it finds nothing to change


def changing(model: Model, draw: random.Random) -> tuple[Model, Expected]:
    """Another model that differs in one thing."""
    while True:
        data = model.to_json()
        if (expected := draw.choice(CHANGING)(data, draw)) is not None:
            return Model.from_json(data), expected


def changed_value(value: float, draw: random.Random) -> float:
    """Another value; a change of 1e-6 counts."""
    return draw.choice([value * (1 + 1e-6), value * 1.001, value * 2, -value, value + 1]) if value else 1.0


def any_terms(row: dict) -> list:
    return row["terms"] + row.get("quadratic", [])


def coefficient_changed(data, draw):
    row = draw.choice(data["rows"])
    term = draw.choice(any_terms(row))
    term[-1] = changed_value(term[-1], draw)
    return Expected({"wrong_coefficient"}, {row["name"]})


def coefficients_swapped(data, draw):
    row = draw.choice(data["rows"])
    first, second = draw.sample(row["terms"], 2)
    first[-1], second[-1] = second[-1], first[-1]
    return Expected({"wrong_coefficient"}, {row["name"]})


def coefficients_of_rows_swapped(data, draw):
    if len(data["rows"]) < 2:
        return None
    rows = draw.sample(data["rows"], 2)
    first, second = (draw.choice(any_terms(row)) for row in rows)
    first[-1], second[-1] = second[-1], first[-1]
    return Expected({"wrong_coefficient"}, {row["name"] for row in rows})


def term_dropped(data, draw):
    row = draw.choice(data["rows"])
    if len(any_terms(row)) < 3:
        return None
    terms = draw.choice([row[key] for key in ("terms", "quadratic") if row.get(key)])
    terms.remove(draw.choice(terms))
    return Expected({"wrong_coefficient"}, {row["name"]})


def term_added(data, draw):
    row = draw.choice(data["rows"])
    others = set(range(len(data["variables"]))) - {index for index, _ in row["terms"]}
    if not others:
        return None
    row["terms"].append([draw.choice(sorted(others)), number(draw)])
    return Expected({"wrong_coefficient"}, {row["name"]})


def side_changed(data, draw):
    """Of an equation the right-hand side, of a range one side."""
    row = draw.choice(data["rows"])
    sides = [side for side in ("lb", "ub") if row[side] is not None]
    if row["lb"] != row["ub"]:
        sides = [draw.choice(sides)]
    for side in sides:
        row[side] += abs(row[side]) * draw.choice([1e-6, 1e-3, 1]) * (-1 if sides[0] == "lb" else 1)
    row["lb"] = row["ub"] if len(sides) == 2 else row["lb"]
    return Expected({"wrong_coefficient"}, {row["name"]})


def relation_changed(data, draw):
    """<= for >=, or one of these for = or for a range."""
    row = draw.choice(data["rows"])
    if None in (row["lb"], row["ub"]):
        row["lb"], row["ub"] = row["ub"], row["lb"]
    else:
        row[draw.choice(["lb", "ub"])] = None
    return Expected({"wrong_sense", "extra_rows", "missing_rows"}, {row["name"]})


def relation_made_equation(data, draw):
    row = draw.choice(data["rows"])
    if None not in (row["lb"], row["ub"]):
        return None
    row["lb"] = row["ub"] = row["lb"] if row["ub"] is None else row["ub"]
    return Expected({"wrong_sense", "extra_rows", "missing_rows"}, {row["name"]})


def row_dropped(data, draw):
    row = draw.choice(data["rows"])
    data["rows"].remove(row)
    return Expected({"missing_rows"}, {row["name"]})


def half_of_the_rows_dropped(data, draw):
    gone = draw.sample(data["rows"], (len(data["rows"]) + 1) // 2)
    for row in gone:
        data["rows"].remove(row)
    return Expected({"missing_rows"}, {row["name"] for row in gone})


def row_added(data, draw):
    indexes = draw.sample(range(len(data["variables"])), 2)
    add(data, {"name": "new.", "terms": [[i, number(draw)] for i in indexes], "lb": None, "ub": number(draw)})
    return Expected({"extra_rows"}, {"new."})


def kind_changed(data, draw):
    variable = draw.choice(data["variables"])
    if variable["kind"] == "binary":
        variable |= {"kind": "continuous", "ub": draw.choice([1, None])}
    else:
        variable["kind"] = "integer" if variable["kind"] == "continuous" else "continuous"
    return Expected({"discrete_semantics"}, {variable["name"]})


def bound_changed(data, draw):
    variable = draw.choice(data["variables"])
    variable["kind"] = "integer" if variable["kind"] == "binary" else variable["kind"]
    side, step = draw.choice([("lb", -3), ("ub", 3)])
    variable[side] = None if variable[side] is not None and draw.random() < 0.5 else (variable[side] or 91) + step
    if variable[side] is not None and side == "lb":
        variable["lb"] = min(variable["lb"], -20 + step)
    return Expected({"wrong_bound"}, {variable["name"]})


def cost_changed(data, draw):
    term = draw.choice(data["objective"]["linear"])
    term[-1] = changed_value(term[-1], draw)
    return Expected({"wrong_objective"}, {data["variables"][term[0]]["name"]})


def cost_dropped(data, draw):
    linear = data["objective"]["linear"]
    if len(linear) < 2:
        return None
    term = draw.choice(linear)
    linear.remove(term)
    return Expected({"wrong_objective"}, {data["variables"][term[0]]["name"]})


def costs_swapped(data, draw):
    """Of two variables that stand in rows: where these alone tell them apart, the rows may be blamed instead."""
    used = {i for terms in sums({"rows": data["rows"], "objective": {}}) for *indexes, _ in terms for i in indexes}
    linear = [term for term in data["objective"]["linear"] if term[0] in used]
    if len(linear) < 2:
        return None
    first, second = draw.sample(linear, 2)
    first[-1], second[-1] = second[-1], first[-1]
    names = {data["variables"][term[0]]["name"] for term in (first, second)}
    return Expected({"wrong_objective", "wrong_coefficient"}, names)


def product_changed(data, draw):
    products = data["objective"]["quadratic"]
    if not products:
        return None
    term = draw.choice(products)
    if draw.random() < 0.5:
        products.remove(term)
    else:
        term[-1] = changed_value(term[-1], draw)
    return Expected({"wrong_objective"}, {data["variables"][i]["name"] for i in term[:2]})


def sense_changed(data, draw):
    objective = data["objective"]
    objective["sense"] = "min" if objective["sense"] == "max" else "max"
    return Expected({"wrong_sense"}, set())


def constant_changed(data, draw):
    data["objective"]["constant"] = changed_value(data["objective"]["constant"], draw)
    return Expected({"wrong_objective"}, set())


def variable_added(data, draw):
    data["variables"].append({"name": "new.", "kind": "continuous", "lb": 0, "ub": None})
    return Expected({"variable_count"}, {"new."})


CHANGING = (
    coefficient_changed, coefficients_swapped, coefficients_of_rows_swapped, term_dropped, term_added, side_changed,
    relation_changed, relation_made_equation, row_dropped, half_of_the_rows_dropped, row_added, kind_changed,
    bound_changed, cost_changed, cost_dropped, costs_swapped, product_changed, sense_changed, constant_changed,
    variable_added,
)  # fmt: skip
