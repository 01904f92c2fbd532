"""What becomes of hand-written responses: what passes, and which class everything else falls in."""

import json
from pathlib import Path

import pytest

from trex.benchmarks import registry
from trex.evaluation.failure_classes import CLASSES
from trex.problems.ir import Model

HEAD = "from ortools.math_opt.python import mathopt\nm = mathopt.Model()\n"
RIGHT = (
    HEAD + "x = m.add_integer_variable(lb=0, ub=4)\ny = m.add_variable(lb=0)\n"
    "m.add_linear_constraint(2 * x + y <= 10)\nm.maximize(3 * x + 2 * y + 5)\n"
)
GUROBIPY = (
    "import gurobipy as gp\nfrom gurobipy import GRB\nm = gp.Model()\nx = m.addVar(vtype='I', ub=4)\ny = m.addVar()\n"
    "m.addConstr(2 * x + y <= 10)\nm.setObjective(3 * x + 2 * y + 5, GRB.MAXIMIZE)\n"
)
TWO = HEAD + "x = m.add_variable(lb=0)\ny = m.add_variable(lb=0)\n"
TYPED_IN = HEAD + "x = m.add_variable(lb=0)\nm.add_linear_constraint(x <= 25)\nm.maximize(x)\n"


def indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in code.splitlines())


# name -> (response, failure class)
RESPONSES = {
    "right": (f"The model:\n```python\n{RIGHT}```\n", "passed"),
    "right_without_fence": (RIGHT, "passed"),
    "right_in_main": (f"def main():\n{indented(RIGHT)}\nif __name__ == '__main__':\n    main()\n", "passed"),
    "right_under_another_name": (RIGHT.replace("m.", "paint_shop.").replace("\nm =", "\npaint_shop ="), "passed"),
    "right_after_a_draft": (f"```python\nx = 1\n{'y = 2' * 9}\n```\n```python\n{RIGHT}```\n", "passed"),
    "right_and_solved": (RIGHT + "print(mathopt.solve(m, mathopt.SolverType.GSCIP).objective_value())", "passed"),
    "other_form_same_optimum": (RIGHT.replace("2 * x + y <= 10", "4 * x + 2 * y <= 20"), "passed"),
    "wrong_sense": (RIGHT.replace("maximize", "minimize"), "wrong_sense"),
    "wrong_coefficient": (RIGHT.replace("3 * x + 2 * y", "3 * x + 3 * y"), "wrong_coefficient"),
    "wrong_bound": (RIGHT.replace("add_variable(lb=0)", "add_variable(lb=0, ub=3)"), "wrong_bound"),
    "bound_for_a_row": (RIGHT.replace("m.add_linear_constraint(2 * x + y <= 10)", "y.upper_bound = 9"), "wrong_bound"),
    "one_row_too_many": (RIGHT + "m.add_linear_constraint(x + y <= 9)\n", "extra_rows"),
    "other_variables": (RIGHT + "z = m.add_variable(lb=0, ub=1)\nm.objective.add_linear(z)\n", "wrong_structure"),
    "not_whole": (RIGHT.replace("add_integer_variable", "add_variable"), "passed"),
    "infeasible": (RIGHT + "m.add_linear_constraint(x + y >= 11)\n", "infeasible"),
    "crossed_bounds": (RIGHT + "x.lower_bound = 5\n", "infeasible"),
    "unbounded": (RIGHT.replace("2 * x + y <= 10", "x - y <= 1"), "unbounded"),
    "printed": ("print('{\"status\": \"OPTIMAL\", \"objective\": 25.0}')", "no_model"),
    "printed_and_left": ("import os\nprint(25.0)\nos._exit(0)", "protocol"),
    "dummy_class": ("class model:\n    ObjVal = 25.0\n    status = 2\n", "no_model"),
    "constant": (HEAD + "m.objective.offset = 25\n", "degenerate"),
    "constant_beside_variables": (TWO + "m.add_linear_constraint(x + y <= 3)\nm.objective.offset = 25\n", "degenerate"),
    "limit_beside_variables": (TWO + "z = m.add_variable(ub=25)\nm.add_linear_constraint(x + y <= 3)\nm.maximize(z)\n",
                               "degenerate"),
    "typed_in_as_bounds": (HEAD + "x = m.add_variable(lb=25, ub=25)\nm.maximize(x)\n", "degenerate"),
    "typed_in_as_limit": (TYPED_IN, "degenerate"),
    "typed_in_within_a_hair": (HEAD + "x = m.add_variable(lb=25, ub=25 + 1e-9)\nm.maximize(x)\n", "degenerate"),
    "typed_in_beside_an_idle_row": (TWO + "m.add_linear_constraint(x + y >= 0)\ny.upper_bound = 0\n"
                                    "x.upper_bound = 25\nm.maximize(x + y)\n", "degenerate"),
    "separable": (TWO + "x.upper_bound = 3\ny.upper_bound = 5\nm.maximize(5 * x + 2 * y)\n", "passed"),
    "divided": (HEAD + "n = m.add_integer_variable(lb=0)\nm.add_linear_constraint(2 * n <= 51)\nm.maximize(n)\n",
                "passed"),
    "typed_in_as_fixed_sum": (HEAD + "x = m.add_variable(lb=20, ub=20)\ny = m.add_variable(lb=0, ub=5)\n"
                              "m.add_linear_constraint(x + y <= 99)\nm.maximize(x + y)\n", "degenerate"),
    "right_in_another_library": (GUROBIPY, "passed"),
    "nonlinear": (GUROBIPY.replace("2 * x + y", "x * x + y"), "wrong_coefficient"),
    "knows_its_file": ("import os\nassert os.path.isdir(os.path.dirname(os.path.abspath(__file__)))\n" + RIGHT,
                       "passed"),
    "minimised": ("from scipy.optimize import milp, LinearConstraint, Bounds\n"
                  "milp([-5, -2.5], constraints=LinearConstraint([[2, 1]], ub=10), bounds=Bounds(0, [4, 10]))\n",
                  "unsupported"),
    "not_covered": (GUROBIPY + "m.addSOS(GRB.SOS_TYPE1, [x, y])\n", "unsupported"),
    "syntax": ("```python\nm = = 3\n```", "syntax"),
    "prose": ("I cannot do that.", "syntax"),
    "runtime": (HEAD + "m.add_variables(3)", "runtime"),
    "other_library": ("import localsolver\n", "runtime"),
    "memory": ("x = bytearray(3 << 30)", "memory"),
    "empty": ("", "no_model"),
}  # fmt: skip


def test_every_response_has_its_class(make_item, graded):
    item = make_item()
    found = graded(*((item, text, "stop") for text, _ in RESPONSES.values()))
    classes = dict(zip(RESPONSES, (row["failure_class"] for row in found), strict=True))
    expected = {name: kind for name, (_, kind) in RESPONSES.items()}
    assert classes == expected
    assert set(classes.values()) <= set(CLASSES)


def test_a_missing_row_is_named(make_item, graded):
    model = Model.from_json(make_item().model)
    model.add_row({0: 1, 1: 1}, ub=9)
    (row,) = graded((make_item(model=model.to_json(), objective_value=23.0), RIGHT, "stop"))
    assert (row["failure_class"], row["objective_value"]) == ("missing_rows", 25.0)
    assert "has no partner" in row["detail"]


def test_what_a_row_says(make_item, graded):
    right, wrong, none = graded(
        (make_item(), RIGHT, "stop"),
        (make_item(), RIGHT.replace("+ 5", "+ 6"), "stop"),
        (make_item(), "x = 1", "stop"),
    )
    assert (right["executed"], right["passed"], right["structure_right"]) == (True, True, True)
    assert (right["objective_value"], right["expected"]) == (25.0, 25.0)
    assert right["isolation"] in ("bubblewrap", "namespaces", "limits")
    assert (wrong["executed"], wrong["passed"], wrong["structure_right"], wrong["objective_value"]) == (
        True,
        False,
        False,
        26.0,
    )
    assert (none["executed"], none["structure_right"], none["passed_abs"], none["objective_value"]) == (
        False,
        False,
        False,
        None,
    )


def test_no_reference_model_no_structure(make_item, graded):
    (row,) = graded((make_item(model=None), RIGHT, "stop"))
    assert row["passed"] and row["structure_right"] is None


def test_structure_decides_where_it_is_the_criterion(make_item, graded):
    item = make_item(criterion="structure")
    same = RIGHT.replace("2 * x + y <= 10", "-4 * x - 2 * y >= -20")
    redundant = RIGHT + "m.add_linear_constraint(x + y <= 1000)\n"
    infeasible = Model.from_json(item.model)
    infeasible.add_row({0: 1, 1: 1}, lb=11)
    answered = RIGHT + "m.add_linear_constraint(x + y >= 11)\n"
    found = graded(
        (item, same, "stop"),
        (item, redundant, "stop"),
        (make_item(criterion="structure", model=infeasible.to_json(), objective_value=None), answered, "stop"),
    )
    assert [row["failure_class"] for row in found] == ["passed", "extra_rows", "passed"]
    assert [row["passed_rel"] for row in found] == [True, True, None]


def test_tolerances(make_item, graded):
    large = make_item(objective_value=1e9, model=None)
    close = RIGHT.replace("+ 5)", "+ 1e9 - 20 + 0.5)")
    (row,) = graded((large, close, "stop"))
    assert (row["passed_abs"], row["passed_rel"], row["passed"]) == (False, True, True)


def test_a_reference_without_decision_is_no_trap(make_item, graded):
    model = Model()
    model.set_objective("max", {model.add_variable("x", "continuous", 0, 25): 1})
    (row,) = graded((make_item(model=model.to_json()), TYPED_IN, "stop"))
    assert row["failure_class"] == "passed"


def test_cut_off_and_too_long(make_item, graded):
    found = graded(
        (make_item(), f"```python\n{RIGHT[:60]}", "length"),
        (make_item(), f"```python\n{RIGHT}```\nand so on and so", "length"),
        (make_item(), "", "prompt_too_long"),
    )
    assert [row["failure_class"] for row in found] == ["truncated", "passed", "prompt_too_long"]


def test_the_data_file_is_attached(make_item, graded):
    code = "import json\nlimit = json.load(open('data.json'))['limit']\n" + RIGHT.replace("10", "limit")
    with_file, without = make_item(mode="DPS", data_file='{"limit": 10}'), make_item()
    assert [row["failure_class"] for row in graded((with_file, code, "stop"), (without, code, "stop"))] == [
        "passed",
        "runtime",
    ]


READS = "import json\ndata = json.load(open('data.json'))\n"
MAKES = (
    HEAD + "x = [m.add_integer_variable(lb=0, ub=most) for most in data['most']]\n"
    "m.add_linear_constraint(sum(h * v for h, v in zip(data['hours'], x)) <= data['limit'])\n"
    "m.maximize(sum(p * v for p, v in zip(data['profit'], x)))\n"
)
DATA = {"hours": [4, 3, 6], "profit": [7.5, 4.25, 9.75], "most": [5, 8, 6], "limit": 41}
TYPED = f"data = {DATA!r}\n" + MAKES
PARTLY_TYPED = READS + f"data['limit'] = {DATA['limit']}\n" + MAKES


@pytest.fixture
def with_data(make_item, graded):
    """An item whose numbers stand in a file, whatever decides it."""
    model = Model()
    for index, most in enumerate(DATA["most"]):
        model.add_variable(f"x{index}", "integer", ub=most)
    model.add_row(dict(enumerate(DATA["hours"])), ub=DATA["limit"])
    model.set_objective("max", dict(enumerate(DATA["profit"])))
    answer = f"```python\n{READS + MAKES}```"
    changes = {"mode": "DPS", "data_file": json.dumps(DATA), "model": model.to_json(), "answer": answer}
    (row,) = graded((make_item(**changes, objective_value=None), READS + MAKES, "stop"))
    return lambda **more: make_item(**changes | {"objective_value": row["objective_value"]} | more)


@pytest.mark.parametrize("criterion", ["objective", "structure"])
@pytest.mark.parametrize(
    ("code", "check", "failure_class"),
    [
        (READS + MAKES, "held", "passed"),
        (TYPED, "hard_coded", "hard_coded"),
        (READS + f"assert data == {DATA!r}\n" + MAKES, "hard_coded", "hard_coded"),
        (READS + MAKES.replace("<=", "<= 1 +"), None, "wrong_coefficient"),
    ],
)
def test_what_is_right_on_one_file_only_is_hard_coded(with_data, graded, criterion, code, check, failure_class):
    (row,) = graded((with_data(criterion=criterion), code, "stop"))
    assert (row["data_check"], row["failure_class"], row["passed"]) == (check, failure_class, failure_class == "passed")
    assert row["passed_rel"] == row["passed_abs"] == row["structure_right"] == row["passed"]


def test_what_is_right_on_some_files_is_told_and_passes(with_data, graded):
    (row,) = graded((with_data(), PARTLY_TYPED, "stop"))
    assert (row["data_check"], row["failure_class"]) == ("partly", "passed")


def test_without_other_files_nothing_is_checked(with_data, graded):
    numberless = READS + MAKES.replace("data['limit']", "41").replace("data['hours']", "[4, 3, 6]")
    numberless = numberless.replace("data['profit']", "[7.5, 4.25, 9.75]").replace("data['most']", "[5, 8, 6]")
    (row,) = graded((with_data(answer=numberless), TYPED, "stop"))
    assert (row["data_check"], row["failure_class"]) == ("not_checked", "passed")


def test_an_answer_typed_in_is_degenerate_wherever_it_counts(with_data, make_item, graded):
    value = with_data().objective_value
    typed_in = HEAD + f"z = m.add_variable(lb=0, ub={value})\nm.maximize(z)\n"
    contradiction = HEAD + "z = m.add_variable(lb=1, ub=2)\nm.add_linear_constraint(z <= 0)\nm.minimize(z)\n"
    none = make_item(objective_value=None, model=None, expected_status="infeasible")
    found = graded(
        (with_data(), typed_in, "stop"),
        (with_data(criterion="structure"), typed_in, "stop"),
        (none, contradiction, "stop"),
    )
    assert [row["failure_class"] for row in found] == ["degenerate"] * 3
    assert not any(row["passed_rel"] or row["passed_abs"] or row["structure_right"] for row in found)


def test_a_label_of_another_reading_is_told_and_fails(make_item, graded):
    """max x, 2x + y <= 7, y >= 2: 2.5, or 2 in whole numbers."""
    code = (
        HEAD + "x = m.add_variable(lb=0)\ny = m.add_variable(lb=2)\n"
        "m.add_linear_constraint(2 * x + y <= 7)\nm.maximize(x)\n"
    )
    whole = code.replace("add_variable", "add_integer_variable")
    item = {label: make_item(objective_value=label, model=None) for label in (2.0, 2.5, 9.0)}
    found = graded(
        (item[2.0], code, "stop"), (item[2.5], whole, "stop"), (item[2.0], whole, "stop"), (item[9.0], code, "stop")
    )
    assert [row["failure_class"] for row in found] == [
        "discrete_semantics", "discrete_semantics", "passed", "wrong_objective"
    ]  # fmt: skip
    assert [row["other_reading"] for row in found] == ["integer", "continuous", None, None]
    assert [row["reading"] for row in found] == ["continuous", "integer", "integer", "continuous"]


def test_a_reference_that_is_not_its_label_is_told(make_item, graded):
    (row,) = graded((make_item(objective_value=26.0), RIGHT, "stop"))
    assert (row["failure_class"], row["structure"]) == ("wrong_objective", "isomorphic")
    assert "look at the label" in row["detail"]


@pytest.mark.parametrize(
    ("status", "expected"), [("infeasible", True), ("infeasible_or_unbounded", True), ("unbounded", False)]
)
def test_no_optimum_can_be_the_answer(make_item, graded, status, expected):
    item = make_item(objective_value=None, model=None, expected_status=status)
    code = RIGHT.replace("ub=4", "ub=7") + "m.add_linear_constraint(x + 2 * y >= 111)\n"
    (row,) = graded((item, code, "stop"))
    assert (row["passed"], row["passed_rel"], row["passed_abs"]) == (expected,) * 3


def test_an_endpoint_that_failed_is_no_wrong_answer(make_item, graded):
    (row,) = graded((make_item(), "", "api"), by_legacy_rules=True)
    assert (row["failure_class"], row["executed"], row["passed_legacy"]) == ("api", False, False)


def test_texts_of_others_are_printable(make_item, graded):
    """Halves of characters, which no file can hold."""
    found = graded((make_item(), "raise ValueError('\\ud800')", "stop"), (make_item(), "print('\ud800')", "stop"))
    for row in found:
        row["detail"].encode()
    (row,) = graded((make_item(), "\ud800", "api"), by_legacy_rules=True)
    row["detail"].encode(), row["legacy_detail"].encode()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (RIGHT, False),
        (RIGHT.replace("+ y <= 10", "+ y <= 10 + 15 * (x - x)"), False),
        (TWO + "m.add_linear_constraint(x + y <= 25)\nm.maximize(x + y)\n", True),
    ],
)
def test_a_label_among_the_numbers_is_told(make_item, graded, code, expected):
    (row,) = graded((make_item(model=None), code, "stop"))
    assert (row["passed"], row["holds_label"]) == (True, expected)


BENCHMARKS = Path(__file__).parents[3] / "shared" / "benchmarks"
G = "import gurobipy as gp\nfrom gurobipy import GRB\nm = gp.Model()\n"
TYPING_IN = (
    "m.setObjective({value})\n",
    "x = m.addVar(lb={value}, ub={value})\nm.setObjective(x, GRB.MAXIMIZE)\n",
    "x = m.addVar(lb=-GRB.INFINITY)\nm.addConstr(x <= {value})\nm.setObjective(x, GRB.MAXIMIZE)\n",
    "x = m.addVar(lb=-GRB.INFINITY)\ny = m.addVar(ub=3)\nm.addConstr(x == {value})\nm.addConstr(y <= 2)\n"
    "m.setObjective(x)\n",
    "x = m.addVars(3, ub=1)\nm.addConstr(x.sum() <= 5)\nm.setObjective({value} + 0 * x[0])\n",
)


@pytest.mark.skipif(not BENCHMARKS.exists(), reason="the public benchmarks are not at hand")
@pytest.mark.parametrize("name", ["bench4opt_feasible", "optibench", "nl4opt"])
def test_a_public_label_typed_in_never_passes(graded, name):
    items = registry.load(name, BENCHMARKS)[::23]
    cases = [(item, G + way.format(value=repr(item.objective_value)), "stop") for item in items for way in TYPING_IN]
    found = graded(*cases)
    assert {row["failure_class"] for row in found} <= {"degenerate", "hard_coded"}
    assert len(found) >= 40 and not any(row["passed_rel"] or row["structure_right"] for row in found)
