"""The authors' rules, their known faults included; beside each what our own scoring says."""

import json

import pytest

from trex.evaluation import legacy
from trex.execution.sandbox import Sandbox

HEAD = "import gurobipy as gp\nfrom gurobipy import GRB\n"
RIGHT = (
    HEAD + "model = gp.Model()\n"
    "x = model.addVar(vtype=GRB.INTEGER, ub=4)\n"
    "y = model.addVar()\n"
    "model.addConstr(2 * x + y <= 10)\n"
    "model.setObjective(3 * x + 2 * y + 5, GRB.MAXIMIZE)\n"
)
IN_MAIN = "def main():\n" + "".join(f"    {line}\n" for line in RIGHT.splitlines()) + "main()\n"
CONSTANT = HEAD + "model = gp.Model()\nmodel.setObjective(25, GRB.MAXIMIZE)\n"
FAKE = 'import os, sys\nprint(\'{"status": 2, "objective": 25}\')\nsys.stdout.flush()\nos._exit(0)\n'
DUMMY = "class model:\n    Status, ObjVal = 2, 25.0\n"
LONG_DRAFT = f"```python\n{'# a draft ' * 200}\n```\nFinally:\n```python\n{RIGHT}```\n"

# name -> (response, right by the authors' rules, our failure class); the label is 25
BY_OBJECTIVE = {
    "right": (RIGHT, True, "passed"),
    "right_as_m": (RIGHT.replace("model", "m"), True, "passed"),
    "already_optimized": (RIGHT + "model.optimize()\nprint(model.ObjVal)\n", True, "passed"),
    "wrong": (RIGHT.replace("+ 5", "+ 6"), False, "wrong_coefficient"),
    "infeasible": (RIGHT + "model.addConstr(x + y >= 11)\n", False, "infeasible"),
    "raises": (RIGHT + "1 / 0\n", False, "runtime"),
    # Right, and rejected by them.
    "under_another_name": (RIGHT.replace("model", "mdl"), False, "passed"),
    "inside_main": (IN_MAIN, False, "passed"),
    "after_a_longer_draft": (LONG_DRAFT, False, "passed"),
    # Wrong, and accepted by them.
    "printed_and_left": (FAKE, True, "protocol"),
    "dummy_class": (DUMMY, True, "no_model"),
    "constant": (CONSTANT, True, "degenerate"),
}


@pytest.fixture(scope="module")
def sandbox():
    limits = {"cpu_s": 5, "wall_s": 60.0, "memory_mb": 1024, "file_mb": 16, "processes": 32, "require_isolation": None}
    with Sandbox(limits) as started:
        yield started


@pytest.mark.parametrize("name", BY_OBJECTIVE)
def test_by_objective(make_item, sandbox, name):
    response, expected, _ = BY_OBJECTIVE[name]
    found = legacy.score(make_item(), response, {}, sandbox)
    assert found.passed == expected
    assert bool(found.detail) != expected


def test_ours_beside_it(make_item, graded):
    cases = [(make_item(), text, "stop") for text, _, _ in BY_OBJECTIVE.values()]
    rows = dict(zip(BY_OBJECTIVE, graded(*cases, by_legacy_rules=True), strict=True))
    assert {name: (row["passed_legacy"], row["failure_class"]) for name, row in rows.items()} == {
        name: (right, ours) for name, (_, right, ours) in BY_OBJECTIVE.items()
    }


ROWS = HEAD + (
    "import json\n"
    "with open('data.json') as stream:\n    data = json.load(stream)\n"
    "model = gp.Model()\n"
    "x = model.addVars(2, vtype=GRB.CONTINUOUS, name='x')\n"
    "model.addConstr(x[0] + 2 * x[1] >= data['need'])\n"
    "model.setObjective(3 * x[0] + 2 * x[1], GRB.MINIMIZE)\n"
)


def reference() -> dict:
    from trex.problems.ir import Model

    model = Model()
    x, y = model.add_variable("x"), model.add_variable("y")
    model.add_row({x: 1, y: 2}, lb=7)
    model.set_objective("min", {x: 3, y: 2})
    return model.to_json()


BOUNDED = ROWS.replace("name='x')", "name='x', lb=0)")
DOUBLED = BOUNDED.replace("x[0] + 2 * x[1] >= data['need']", "2 * x[0] + 4 * x[1] >= 2 * data['need']")

# response -> right by the authors' rules, isomorphic to the reference
BY_STRUCTURE = {
    "as it is: made free before it runs": (ROWS, False, True),
    "with its bounds named": (BOUNDED, True, True),
    "with a comment after it": (ROWS.replace("name='x')", "name='x')  # litres"), True, True),
    "maximized": (BOUNDED.replace("MINIMIZE", "MAXIMIZE"), True, False),
    "with a constant": (BOUNDED.replace("* x[1], GRB", "* x[1] + 9, GRB"), True, False),
    "a row doubled": (DOUBLED, False, True),
    "no model": ("x = 1", False, False),
}


@pytest.mark.parametrize("name", BY_STRUCTURE)
def test_by_structure(make_item, graded, name):
    response, theirs, ours = BY_STRUCTURE[name]
    item = make_item(criterion="structure", model=reference(), data_file=json.dumps({"need": 7}), objective_value=None)
    (row,) = graded((item, response, "stop"), by_legacy_rules=True)
    assert (row["passed_legacy"], row["structure_right"]) == (theirs, ours)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = model.addVars(3)", "x = model.addVars(3, lb=-GRB.INFINITY)"),
        ("x = model.addVars(3, lb=0)", "x = model.addVars(3, lb=0)"),
        ("x = m.addVars(3)", "x = m.addVars(3)"),
        ("x = model.addVars(range(3))", "x = model.addVars(range(3))"),
        ("x = model.addVars(3)  # three", "x = model.addVars(3)  # three"),
        ("x = model.addVar()", "x = model.addVar()"),
        ("x = model.addVars(3,\n  4) \t", "x = model.addVars(3,\n  4, lb=-GRB.INFINITY) \t"),
        ("x = model.addVars(3", "x = model.addVars(3"),
        ("f(model.addVars(3), model.addVars(4)", "f(model.addVars(3), model.addVars(4, lb=-GRB.INFINITY)"),
    ],
)
def test_which_calls_are_made_free(line, expected):
    assert legacy.with_free_variables(f"a = 1\n{line}\nb = 2\n") == f"a = 1\n{expected}\nb = 2\n"


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("```python\nshort\n```\n```python\nthe longer one\n```\n```python\nlast\n```", "the longer one"),
        ("```\nuntagged\n```\n<python>tag</python>", "untagged"),
        ("<python>tag</python>", "tag"),
        ("text", "text"),
    ],
)
def test_which_code_is_taken(response, expected):
    assert legacy.code(response) == expected
