"""Scoring of hand-written responses: what passes, and which class everything else falls in."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trex.benchmarks import registry
from trex.benchmarks.item import write_suite
from trex.common import files
from trex.common.errors import UserError
from trex.evaluation import score
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
    "wrong_sense": (RIGHT.replace("maximize", "minimize"), "wrong_objective"),
    "wrong_coefficient": (RIGHT.replace("3 * x + 2 * y", "3 * x + 3 * y"), "wrong_objective"),
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
    "nonlinear": (GUROBIPY.replace("2 * x + y", "x * x + y"), "wrong_objective"),
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


@pytest.fixture
def rows(make_item, score_settings):
    """A function that scores (item, response, finish) rows."""

    def scored(*cases) -> list[dict]:
        pairs = [
            (item, {"item_id": item.item_id, "sha256": item.sha256, "response": text, "finish": finish})
            for item, text, finish in cases
        ]
        return score.score(pairs, score_settings)

    return scored


def test_every_response_has_its_class(make_item, rows):
    item = make_item()
    found = rows(*((item, text, "stop") for text, _ in RESPONSES.values()))
    classes = dict(zip(RESPONSES, (row["failure_class"] for row in found), strict=True))
    expected = {name: kind for name, (_, kind) in RESPONSES.items()}
    assert classes == expected
    assert set(classes.values()) <= set(CLASSES)


def test_what_a_row_says(make_item, rows):
    right, wrong, none = rows(
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


def test_no_reference_model_no_structure(make_item, rows):
    (row,) = rows((make_item(model=None), RIGHT, "stop"))
    assert row["passed"] and row["structure_right"] is None


def test_structure_decides_where_it_is_the_criterion(make_item, rows):
    item = make_item(criterion="structure")
    same = RIGHT.replace("2 * x + y <= 10", "-4 * x - 2 * y >= -20")
    redundant = RIGHT + "m.add_linear_constraint(x + y <= 1000)\n"
    infeasible = Model.from_json(item.model)
    infeasible.add_row({0: 1, 1: 1}, lb=11)
    answered = RIGHT + "m.add_linear_constraint(x + y >= 11)\n"
    found = rows(
        (item, same, "stop"),
        (item, redundant, "stop"),
        (make_item(criterion="structure", model=infeasible.to_json(), objective_value=None), answered, "stop"),
    )
    assert [row["failure_class"] for row in found] == ["passed", "wrong_structure", "passed"]
    assert [row["passed_rel"] for row in found] == [True, True, None]


def test_tolerances(make_item, rows):
    large = make_item(objective_value=1e9, model=None)
    close = RIGHT.replace("+ 5)", "+ 1e9 - 20 + 0.5)")
    (row,) = rows((large, close, "stop"))
    assert (row["passed_abs"], row["passed_rel"], row["passed"]) == (False, True, True)


def test_a_reference_without_decision_is_no_trap(make_item, rows):
    model = Model()
    model.set_objective("max", {model.add_variable("x", "continuous", 0, 25): 1})
    (row,) = rows((make_item(model=model.to_json()), TYPED_IN, "stop"))
    assert row["failure_class"] == "passed"


def test_cut_off_and_too_long(make_item, rows):
    found = rows(
        (make_item(), f"```python\n{RIGHT[:60]}", "length"),
        (make_item(), f"```python\n{RIGHT}```\nand so on and so", "length"),
        (make_item(), "", "prompt_too_long"),
    )
    assert [row["failure_class"] for row in found] == ["truncated", "passed", "prompt_too_long"]


def test_the_data_file_is_attached(make_item, rows):
    code = "import json\nlimit = json.load(open('data.json'))['limit']\n" + RIGHT.replace("10", "limit")
    with_file, without = make_item(mode="DPS", data_file='{"limit": 10}'), make_item()
    assert [row["failure_class"] for row in rows((with_file, code, "stop"), (without, code, "stop"))] == [
        "passed",
        "runtime",
    ]


def test_order_is_kept_and_workers_change_nothing(make_item, score_settings):
    items = [make_item(item_id=f"own/{n}", prompt=f"{n}", objective_value=20.0 + n) for n in range(12)]
    pairs = [
        (item, {"item_id": item.item_id, "sha256": item.sha256, "response": RIGHT, "finish": "stop"}) for item in items
    ]
    one = score.score(pairs, score_settings | {"sandbox": score_settings["sandbox"] | {"workers": 1}})
    assert score.score(pairs, score_settings) == one
    assert [row["item_id"] for row in one] == [item.item_id for item in items]
    assert [row["passed"] for row in one] == [n == 5 for n in range(12)]


@pytest.fixture
def command(make_item, score_settings, tmp_path):
    """A function that runs the step on these responses, and where it writes."""
    write_suite(tmp_path / "own.parquet", [make_item(), make_item(item_id="own/mix-1", prompt="other")], {})

    def run(responses: list[dict]) -> subprocess.CompletedProcess:
        text = "".join(json.dumps(row) + "\n" for row in responses)
        (tmp_path / "responses.jsonl").write_text(text)
        step = [sys.executable, "-m", "trex.evaluation.score", "--suite", str(tmp_path / "own.parquet")]
        step += ["--responses", str(tmp_path / "responses.jsonl"), "--settings", json.dumps(score_settings)]
        step += ["--out", str(tmp_path / "scores.parquet")]
        return subprocess.run(step, capture_output=True, text=True)

    return run, tmp_path / "scores.parquet"


def test_command(make_item, command):
    run, out = command
    items = [make_item(), make_item(item_id="own/mix-1", prompt="other")]
    right, wrong = (
        {"item_id": item.item_id, "sha256": item.sha256, "response": text, "finish": "stop"}
        for item, text in zip(items, (RIGHT, ""), strict=True)
    )
    ran = run([right, wrong])
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("scores: 1 of 2 passed (50.00%, ")
    assert pq.read_schema(out).names == score.COLUMNS.names
    assert files.read_parquet(out)[0]["failure_class"] == "passed"
    assert json.loads(pq.read_schema(out).metadata[b"trex"])["provenance"]["step"] == "trex.evaluation.score"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"item_id": "own/mix-9"}, "no item is called 'own/mix-9'"),
        ({"sha256": "0"}, "other words"),
        ({"response": None}, "needs the texts"),
    ],
)
def test_wrong_responses_are_refused(make_item, command, change, complaint):
    run, out = command
    item = make_item()
    row = {"item_id": item.item_id, "sha256": item.sha256, "response": RIGHT, "finish": "stop"} | change
    ran = run([row])
    assert ran.returncode == 2
    assert complaint in ran.stderr and ran.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("module", ["score", "summarise", "extraction", "paired"])
def test_no_heavy_import(module):
    """Scoring and statistics need neither PyTorch nor Snakemake."""
    check = f"import sys, trex.evaluation.{module}; print({{'torch', 'snakemake', 'transformers'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True).stdout == "set()\n"


def test_benchmark_needs_its_folder(tmp_path, score_settings):
    pq.write_table(pa.table({"en_question": ["a"], "en_answer": ["1"]}), tmp_path / "test.parquet")
    step = [sys.executable, "-m", "trex.evaluation.score", "--benchmark", "nl4opt", "--responses", "r", "--out", "o"]
    ran = subprocess.run([*step, "--settings", json.dumps(score_settings)], capture_output=True, text=True)
    assert (ran.returncode, "--data" in ran.stderr) == (2, True)


def test_responses_of_a_benchmark_are_scored(tmp_path, score_settings):
    pq.write_table(pa.table({"en_question": ["Mix two paints."], "en_answer": ["25.0"]}), tmp_path / "test.parquet")
    (item,) = registry.load("nl4opt", tmp_path)
    answer = {"item_id": "nl4opt/0", "sha256": item.sha256, "response": RIGHT, "finish": "stop"}
    pairs = score.paired([item], [answer], tmp_path)
    assert score.score(pairs, score_settings)[0]["passed"]


def test_unknown_rows_name_the_row(make_item, tmp_path):
    with pytest.raises(UserError, match="row 1"):
        score.paired([make_item()], [{}], tmp_path)


def test_each_item_is_answered_once(make_item, command):
    run, out = command
    item = make_item()
    row = {"item_id": item.item_id, "sha256": item.sha256, "response": RIGHT, "finish": "stop"}
    for rows, complaint in (([row, row], "again, after row 1"), ([row], "1 of 2 items have no response, 'own/mix-1'")):
        ran = run(rows)
        assert (ran.returncode, out.exists()) == (2, False)
        assert complaint in ran.stderr


@pytest.mark.parametrize(
    ("status", "expected"), [("infeasible", True), ("infeasible_or_unbounded", True), ("unbounded", False)]
)
def test_no_optimum_can_be_the_answer(make_item, rows, status, expected):
    item = make_item(objective_value=None, model=None, expected_status=status)
    (row,) = rows((item, RIGHT + "m.add_linear_constraint(x + y >= 11)\n", "stop"))
    assert (row["passed"], row["passed_rel"]) == (expected, None)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "10", None, True])
def test_a_wrong_time_is_refused(make_item, score_settings, seconds):
    with pytest.raises(UserError, match="solve_s"):
        score.score([], score_settings | {"solve_s": seconds})


@pytest.mark.parametrize(
    ("sandbox", "reason"),
    [([], "JSON object"), ({"require_isolaton": "bubblewrap"}, "require_isolaton"), ({"wall_s": 1e9}, "wall_s")],
)
def test_wrong_sandbox_settings_are_refused(score_settings, sandbox, reason):
    settings = sandbox if isinstance(sandbox, list) else score_settings["sandbox"] | sandbox
    with pytest.raises(UserError, match=reason):
        score.score([], score_settings | {"sandbox": settings})


def test_an_unknown_finish_is_refused(make_item, tmp_path):
    item = make_item()
    response = {"item_id": item.item_id, "sha256": item.sha256, "response": RIGHT, "finish": "banana"}
    with pytest.raises(UserError, match="banana"):
        score.paired([item], [response], tmp_path)
