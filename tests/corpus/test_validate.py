import csv
import json
import sys

import pytest

from trex.benchmarks.item import Item, write_suite
from trex.common import cli
from trex.corpus import validate
from trex.problems.ir import Model

PROBLEM = (
    "A bakery makes cakes and pies. A cake earns $14 and takes 3 kg of flour and 2 hours; a pie earns $26 and takes "
    "5 kg of flour and 7 hours. There are 44 kg of flour and 51 hours. Only whole cakes and pies can be sold. How many "
    "of each should the bakery make to earn the most?"
)
GUROBI = """import gurobipy as gp
from gurobipy import GRB
m = gp.Model()
cakes = m.addVar(vtype=GRB.INTEGER, name="cakes")
pies = m.addVar(vtype=GRB.INTEGER, name="pies")
m.addConstr(3 * cakes + 5 * pies <= 44)
m.addConstr(2 * cakes + 7 * pies <= 51)
m.setObjective(14 * cakes + 26 * pies, GRB.MAXIMIZE)
m.optimize()
"""
MATHOPT = """from ortools.math_opt.python import mathopt
m = mathopt.Model()
b = m.add_integer_variable(lb=0)
a = m.add_integer_variable(lb=0)
m.add_linear_constraint(2 * a + 7 * b <= 51)
m.add_linear_constraint(3 * a + 5 * b <= 44)
m.maximize(14 * a + 26 * b)
"""
SOLVED = "Flour: 3 a + 5 b <= 44. The optimal profit is $216.\n"
TABLE = "A shop packs {n} boxes.\n| box | cost |\n|---|---|\n| red | 4 |\n| blue | {cost} |\nPack at the least cost."
READS = """import json, gurobipy as gp
data = json.load(open("data/costs.json"))
m = gp.Model()
x = m.addVars(2, ub=20)
m.addConstr(x.sum() >= data["boxes"])
m.setObjective(sum(c * x[i] for i, c in enumerate(data["cost"])))
"""
SHOWN = "Pack the boxes of the file at the least cost.\n\n### data/costs.json\n```json\n{boxes}\n```\n"


def block(code: str) -> str:
    return f"```python\n{code}\n```"


def talk(problem: str, answer: str, **about) -> dict:
    messages = [{"role": "user", "content": problem}, {"role": "assistant", "content": answer}]
    return {"messages": messages} | about


def hostile(code: str, number: int) -> dict:
    return {"problem": f"Number {number}: break out of it.", "answer": block("import os, sys\n" + code)}


def lines(folder) -> list[tuple[bytes, str, str]]:
    """(line, what it fails, what it is warned of)"""
    escaped = folder / "escaped"
    good = talk(PROBLEM, SOLVED + block(GUROBI), id="good", mode="DP", answer_style="math_model_with_code")
    data = json.dumps({"boxes": 30, "cost": [4, 7]})
    rows = [
        (good, "", ""),
        ({"problem": f"{PROBLEM} Say why.", "answer": block(MATHOPT)}, "near_duplicate", "same_model"),
        (good | {"id": "again"}, "exact_duplicate", "same_model"),
        (talk("Make it so.", SOLVED.replace("216", "217") + block(GUROBI)), "stated_objective", "same_model"),
        (talk("Make it at 4711.", block(GUROBI.replace("26", "27"))), "", "unused_numbers"),
        (talk(TABLE.format(n=12, cost=7), "min 4 r + 7 b", mode="DT", answer_style="math_model"), "", ""),
        (talk("No table is in it.", "TODO", mode="DT", answer_style="code_only"),
         "no_placeholders real_table holds_code", ""),
        (talk(SHOWN.format(boxes=data), block(READS), mode="DPS"), "", ""),
        (talk("Where are my files?", block(READS), mode="DPS"), "data_files executes", ""),
        ({"messages": [{"role": "user", "content": "Alone."}]}, "two_messages non_empty", ""),
        (talk("Nothing is sold.", block(GUROBI.replace("<= 44", "<= -1"))), "has_optimum", ""),
        (talk("Without any limit.", block(GUROBI.replace("<=", ">="))), "has_optimum", ""),
        (talk("Only a print.", block("import math\nprint(42)\n")), "builds_model", ""),
        (talk("Costs only.", block(GUROBI.replace("MAXIMIZE", "MINIMIZE"))), "", "clear_optimum"),
        (hostile("while True: pass", 1), "executes", ""),
        (hostile(f"open({str(escaped)!r}, 'w').write('x')", 2), "executes", ""),
        (hostile("os.kill(os.getppid(), 9)\nos._exit(0)", 3), "executes", ""),
        (hostile("import socket\nsocket.create_connection(('127.0.0.1', 9))", 4), "executes", ""),
        (hostile("x = bytearray(8 << 30)", 5), "executes", ""),
    ]  # fmt: skip
    wrong = [b"{broken", b"[1, 2]", b'{"problem": 1, "answer": ""}', b"\xff"]
    made = [(json.dumps(row).encode(), fails, warns) for row, fails, warns in rows]
    return [*made[:2], (wrong[0], None, None), *made[2:], *((line, None, None) for line in wrong[1:])]


def command(*arguments) -> int:
    before, sys.argv = sys.argv, ["validate", *map(str, arguments)]
    try:
        cli.run(validate.main)
    except SystemExit as error:
        return error.code or 0
    finally:
        sys.argv = before
    return 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("validate")


@pytest.fixture(scope="module")
def given(folder):
    found = lines(folder)
    (folder / "rows.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(line for line, _, _ in found) + b"\n")
    return found


@pytest.fixture(scope="module")
def outputs(folder, given):
    """What a run by one worker and a run by two write."""
    for workers in (1, 2):
        out = folder / str(workers)
        assert command(folder / "rows.jsonl", "--out", out, "--workers", workers, "--cpu-s", 1) == 0
    return folder / "1", folder / "2"


def test_every_row_has_its_verdict(outputs, given):
    table = list(csv.DictReader((outputs[0] / "rows.csv").open(encoding="utf-8")))
    assert [int(row["line"]) for row in table] == list(range(1, len(given) + 1))
    for row, (line, fails, warns) in zip(table, given, strict=True):
        if fails is None:
            assert row["verdict"] == "malformed", line
            continue
        assert row["verdict"] == ("failed" if fails else "passed"), row
        assert row["failures"] == fails, row
        # Other numbers than the hints of these rows are no matter here.
        assert set(warns.split()) - set(row["warnings"].split()) == set(), row
    assert float(table[0]["objective_value"]) == 216 and table[0]["dialect"] == "gurobipy"
    assert table[1]["dialect"] == "mathopt" and "of line 1" in table[3]["detail"]


def test_nothing_got_out(outputs, folder):
    assert not (folder / "escaped").exists()


def test_the_summary_counts(outputs, given):
    summary = json.loads((outputs[0] / "summary.json").read_text(encoding="utf-8"))
    verdicts = [None if fails is None else bool(fails) for _, fails, _ in given]
    assert (summary["lines"], summary["malformed"]) == (len(given), 4)
    assert (summary["passed"], summary["failed"]) == (verdicts.count(False), verdicts.count(True))
    assert [line["line"] for line in summary["malformed_lines"]] == [3, *range(len(given) - 2, len(given) + 1)]
    for gate in summary["gates"]:
        named = sum(gate["gate"] in (fails or "").split() for _, fails, _ in given)
        assert gate["failed"] == named and gate["failed"] + gate["warned"] <= gate["checked"], gate
    assert summary["provenance"]["step"] == validate.STEP and str(outputs[0]) not in json.dumps(summary)


def test_the_number_of_workers_makes_no_difference(outputs):
    assert (outputs[0] / "rows.csv").read_bytes() == (outputs[1] / "rows.csv").read_bytes()
    one, two = (json.loads((out / "summary.json").read_text()) for out in outputs)
    assert one["gates"] == two["gates"]


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def item(prompt: str, model: Model | None) -> Item:
    return Item(
        item_id="s-1", suite="s", category="word", mode="DP", family="f", bucket="b", difficulty="small", prompt=prompt,
        data_file=None, criterion="objective", objective_value=216.0, model=model and model.to_json(), answer=None,
    )  # fmt: skip


def bakery() -> Model:
    model = Model()
    pies, cakes = (model.add_variable(name, "integer") for name in "pc")
    model.add_row({pies: 7, cakes: 2}, ub=51)
    model.add_row({pies: 5, cakes: 3}, ub=44)
    model.set_objective("max", {pies: 26, cakes: 14})
    return model


def test_rows_are_held_against_suites_and_files(tmp_path, capsys):
    file = write(
        tmp_path / "rows.jsonl", talk(PROBLEM, "x = 1"), talk("Other words.", block(MATHOPT)), talk("Else.", "y")
    )
    write_suite(tmp_path / "suite.parquet", [item(f"{PROBLEM}\nWrite code.", bakery())], {})
    other = write(tmp_path / "other.jsonl", {"question": "Else.", "answer": ""})
    assert command(file, "--against", tmp_path / "suite.parquet", other) == 0
    printed = capsys.readouterr().out
    assert "line 1: leakage: exact of" in printed and "line 2: leakage: certificate of" in printed
    assert f"line 3: leakage: exact of {other}" in printed
    assert not any(path.is_dir() for path in tmp_path.iterdir())
    assert command(file, "--against", other, "--out", tmp_path / "out") == 0
    assert "against_0" in json.loads((tmp_path / "out/summary.json").read_text())["provenance"]["inputs"]
    assert command(file, "--strict") == 0
    assert command(file, "--strict", "--against", other) == 1


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "is empty"), (b"\n \n", "is empty"), (b"{\n", "none of its lines is a row (line 1: not valid JSON"),
    (b"[\n{}\n]\n", "none of its lines is a row"),
])  # fmt: skip
def test_a_file_in_which_nothing_can_be_read(tmp_path, capsys, content, reason):
    (tmp_path / "rows.jsonl").write_bytes(content)
    assert command(tmp_path / "rows.jsonl", "--out", tmp_path / "out") == 2
    assert reason in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [
    ["missing.jsonl"], ["rows.jsonl", "--similarity", "2"], ["rows.jsonl", "--workers", "0"],
    ["rows.jsonl", "--against", "missing.parquet"], ["rows.jsonl", "--against", "nobody=here"],
    ["rows.jsonl", "--solve-s", "0"], ["rows.jsonl", "--cpu-s", "0"], ["rows.jsonl", "--out", "rows.jsonl"], [],
])  # fmt: skip
def test_wrong_arguments(tmp_path, monkeypatch, capsys, arguments):
    write(tmp_path / "rows.jsonl", talk("Else.", "y"))
    monkeypatch.chdir(tmp_path)
    assert command(*arguments) == 2
    assert len(capsys.readouterr().err.strip().splitlines()[-1]) > 20
