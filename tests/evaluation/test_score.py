"""The command that scores: its files, what it refuses, workers, interruptions. Rows are tested in test_grade."""

import json
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trex.benchmarks.item import write_suite
from trex.common import files
from trex.common.errors import UserError
from trex.evaluation import grade, score
from trex.evaluation.settings import DEFAULTS, checked

HEAD = "from ortools.math_opt.python import mathopt\nm = mathopt.Model()\n"
RIGHT = (
    HEAD + "x = m.add_integer_variable(lb=0, ub=4)\ny = m.add_variable(lb=0)\n"
    "m.add_linear_constraint(2 * x + y <= 10)\nm.maximize(3 * x + 2 * y + 5)\n"
)
WRONG = RIGHT.replace("+ 5", "+ 6")
OUTPUTS = ["items.csv", "items.csv.meta.json", "scores.parquet", "summary.json"]


@pytest.fixture
def folder(tmp_path):
    """Holds NL4OPT in its upstream layout: four questions, the last without an optimum."""
    labels = ["25.0", "25.0", "26.0", "[no feasible solution]"]
    questions = [f"Mix {n} paints." for n in range(len(labels))]
    pq.write_table(pa.table({"en_question": questions, "en_answer": labels}), tmp_path / "test.parquet")
    return tmp_path


@pytest.fixture
def command(folder):
    """A function that scores these rows, more flags as they are."""

    def run(rows: list[dict], *more: str, benchmark: str = "nl4opt") -> subprocess.CompletedProcess:
        (folder / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        step = [sys.executable, "-m", "trex.evaluation.score", "--benchmark", benchmark, "--data", str(folder)]
        step += ["--responses", str(folder / "r.jsonl"), "--out", str(folder / "out"), *more]
        return subprocess.run(step, capture_output=True, text=True)

    return run


def written(folder) -> list[str]:
    return sorted(path.name for path in (folder / "out").glob("*")) if (folder / "out").exists() else []


def test_somebody_elses_responses(command, folder):
    ran = command(
        [{"id": 0, "response": f"```python\n{RIGHT}```"}, {"id": "1", "response": WRONG}, {"id": 2, "response": ""}]
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert written(folder) == OUTPUTS
    found = files.read_json(folder / "out" / "summary.json")
    assert (found["set"], found["items"], found["responses"]) == ("nl4opt", 4, 3)
    assert found["sha256"] == found["provenance"]["inputs"]["items"] or len(found["sha256"]) == 64
    whole, answered = found["views"]["as published"], found["views"]["answered"]
    assert list(whole) == ["objective_rel", "objective_abs", "legacy"]
    assert (whole["objective_rel"]["n"], whole["objective_rel"]["passed"], whole["objective_rel"]["share"]) == (
        4,
        1,
        0.25,
    )
    assert 0 < whole["objective_rel"]["ci_low"] < 0.25 < whole["objective_rel"]["ci_high"] < 1
    assert (answered["objective_abs"]["n"], answered["objective_abs"]["passed"]) == (3, 1)
    assert found["failures"] == {"unanswered": 1, "no_model": 1, "wrong_objective": 1, "passed": 1}
    assert "as published:\n  objective_rel            1 of 4 = 25.00% (95 %" in ran.stdout
    rows = files.read_parquet(folder / "out" / "scores.parquet")
    assert pq.read_schema(folder / "out" / "scores.parquet").names == grade.COLUMNS.names
    assert [(row["item_id"], row["failure_class"]) for row in rows][::3] == [
        ("nl4opt/0", "passed"),
        ("nl4opt/3", "unanswered"),
    ]
    table = files.read_csv(folder / "out" / "items.csv")
    assert list(table["passed"]) == [1, 0, 0, 0] and list(table["attempts"]) == [1, 1, 1, 1]


def test_several_attempts(command, folder):
    rows = [{"id": n, "response": RIGHT} for n in range(4)] + [{"id": n, "response": WRONG} for n in range(4)]
    ran = command(rows)
    assert ran.returncode == 0, ran.stderr
    found = files.read_json(folder / "out" / "summary.json")
    assert found["attempts"] == {"fewest": 2, "most": 2}
    one, two = found["pass_at_k"]
    assert (one["k"], one["share"], one["acc_at_k"]) == (1, 0.375, 0.5)
    assert (two["k"], two["share"], two["acc_at_k"]) == (2, 0.75, 0.75)
    assert list(files.read_csv(folder / "out" / "items.csv")["passed"]) == [1, 1, 1, 0]


def test_an_own_suite_and_a_users_own_benchmark(command, folder, make_item, tmp_path):
    write_suite(tmp_path / "own.parquet", [make_item()], {})
    (tmp_path / "own.jsonl").write_text(json.dumps({"id": "own/mix-0", "response": RIGHT}) + "\n")
    step = [sys.executable, "-m", "trex.evaluation.score", "--suite", str(tmp_path / "own.parquet")]
    step += ["--responses", str(tmp_path / "own.jsonl"), "--out", str(tmp_path / "scored")]
    assert subprocess.run(step, capture_output=True).returncode == 0
    found = files.read_json(tmp_path / "scored" / "summary.json")
    assert list(found["views"]["own"]) == ["objective_rel", "objective_abs", "structure", "structure_or_equivalent"]

    (folder / "mine.jsonl").write_text(json.dumps({"text": "Mix.", "optimum": 25}) + "\n")
    (folder / "mine.yaml").write_text(
        "{name: mine, version: a, source: b, files: [mine.jsonl], format: jsonl, category: mixed, licence: c,"
        " fields: {question: text, answer: optimum}, scoring: {rule: d, rel: 1.0e-6}, label_quality: e}"
    )
    ran = command([{"id": 0, "response": RIGHT}], benchmark=str(folder / "mine.yaml"))
    assert ran.returncode == 0, ran.stderr
    assert files.read_json(folder / "out" / "summary.json")["set"] == "mine"


@pytest.mark.parametrize(
    ("rows", "more", "complaint"),
    [
        ([{"id": 9, "response": RIGHT}], [], "line 1: no item has the id 9"),
        ([{"id": 0, "response": RIGHT, "sha256": "0"}], [], "other words"),
        ([], [], "holds no response"),
        ([{"id": 0, "response": ""}], ["--settings", '{"solve_s": 0}'], "solve_s must be"),
        ([{"id": 0, "response": ""}], ["--settings", '{"solve": 1}'], "'solve' is none of solve_s, sandbox"),
        ([{"id": 0, "response": ""}], ["--settings", '{"sandbox": {"cpus": 1}}'], "'cpus' is none of cpu_s"),
        ([{"id": 0, "response": ""}], ["--settings", '{"sandbox": 5}'], "sandbox must be"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_written(command, folder, rows, more, complaint):
    ran = command(rows, *more)
    assert ran.returncode == 2
    assert complaint in ran.stderr and ran.stderr.count("\n") == 1
    assert written(folder) == []


def test_a_benchmark_needs_its_folder_and_an_output_its_place(folder):
    step = [sys.executable, "-m", "trex.evaluation.score", "--benchmark", "nl4opt", "--responses", "r"]
    ran = subprocess.run([*step, "--out", "o"], capture_output=True, text=True)
    assert (ran.returncode, "--data" in ran.stderr) == (2, True)
    (folder / "r.jsonl").write_text('{"id": 0, "response": ""}\n')
    step[-1:] = [str(folder / "r.jsonl"), "--data", str(folder), "--out", str(folder / "test.parquet")]
    ran = subprocess.run(step, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr.count("\n"), "test.parquet" in ran.stderr) == (2, 1, True)


def test_workers_change_nothing(command, folder):
    rows = [{"id": n % 4, "response": RIGHT if n % 3 else WRONG} for n in range(12)]
    tables = []
    for workers in (1, 3):
        command(rows, "--settings", json.dumps({"sandbox": {"workers": workers}}))
        tables.append(files.read_parquet(folder / "out" / "scores.parquet"))
    assert tables[0] == tables[1]
    assert [(row["item_id"], row["attempt"]) for row in tables[0][:4]] == [
        ("nl4opt/0", 0), ("nl4opt/0", 1), ("nl4opt/0", 2), ("nl4opt/1", 0)
    ]  # fmt: skip


def test_killed_and_run_again(command, folder):
    """The table is that of a run that nobody killed, and what was scored before is not scored again."""
    rows = [{"id": n, "response": RIGHT} for n in range(3)]
    rows.append({"id": 3, "response": f"import time\ntime.sleep(0.8)\n{RIGHT}"})
    (folder / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    step = [sys.executable, "-m", "trex.evaluation.score", "--benchmark", "nl4opt", "--data", str(folder)]
    step += ["--responses", str(folder / "r.jsonl"), "--out", str(folder / "out")]
    process = subprocess.Popen(step, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = score.journal_of(folder / "out")
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") == 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert written(folder) == [journal.name]
    journal.write_bytes(journal.read_bytes().replace(b'"objective_value": 25.0', b'"objective_value": 24.0', 1))
    command(rows)
    gone_on = files.read_parquet(folder / "out" / "scores.parquet")
    assert written(folder) == OUTPUTS
    command(rows)
    assert sorted(row["objective_value"] for row in gone_on) == [24.0, 25.0, 25.0, 25.0]  # one from the journal
    whole = files.read_parquet(folder / "out" / "scores.parquet")
    assert [row | {"objective_value": 25.0} for row in gone_on] == whole


@pytest.mark.parametrize("module", ["score", "summarise", "paired", "ask"])
def test_no_heavy_import(module):
    """Scoring and statistics need neither PyTorch nor Snakemake."""
    check = f"import sys, trex.evaluation.{module}; print({{'torch', 'snakemake', 'transformers'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "10", None, True])
def test_a_wrong_time_is_refused(seconds):
    with pytest.raises(UserError, match="solve_s"):
        checked({"solve_s": seconds})


@pytest.mark.parametrize(
    ("sandbox", "reason"),
    [([], "JSON object"), ({"require_isolaton": "x"}, "require_isolaton"), ({"wall_s": 1e9}, "wall_s")],
)
def test_wrong_sandbox_settings_are_refused(sandbox, reason):
    with pytest.raises(UserError, match=reason):
        checked({"sandbox": sandbox})


def test_the_defaults_are_the_configs():
    schema = files.read_json("workflow/schemas/config.schema.json")["properties"]["evaluation"]["properties"]
    of_sandbox = {name: value["default"] for name, value in schema["sandbox"]["properties"].items()}
    assert {"solve_s": schema["solve_s"]["default"], "sandbox": of_sandbox} == DEFAULTS
