"""Bench4Opt and B4O-Feasible, on hand-written records in upstream's layout, and on the real ones where they are."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.benchmarks import bench4opt, registry, wording
from trex.benchmarks.definition import is_safe
from trex.common.errors import UserError
from trex.problems.ir import Model

FEASIBLE = {"optimal_value": 11.0, "initial_data_path": "Blending"}


def test_items(write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(32), record_of(33), record_of(34)])
    items = registry.load("bench4opt", tmp_path)
    assert [item.item_id for item in items] == ["bench4opt/32", "bench4opt/33", "bench4opt/34"]
    assert [item.cluster for item in items] == ["bench4opt/pair-16", "bench4opt/pair-16", "bench4opt/pair-17"]
    assert [item.bucket for item in items] == ["detailed", "concise", "detailed"]
    assert ["do not give the reference LP" in item.known_bad for item in items] == [True, False, False]
    first = items[0]
    assert first.prompt == 'Pack the bag. The parameters are in a separated "data.json".\nWrite MathOpt code.'
    assert (first.data_file, first.mode, first.category) == ('{"weights": [1, 2]}', "DPS", "build")
    assert (first.criterion, first.objective_value, first.expected_status) == ("structure", None, None)
    assert first.answer == "import gurobipy as gp\nm = gp.Model()"
    assert Model.from_json(first.model).objective.linear == {0: 3.0, 1: 2.0}


def test_feasible_items_have_an_objective_value(write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(380, **FEASIBLE), record_of(32, **FEASIBLE)], "bench4opt_feasible")
    items = registry.load("bench4opt_feasible", tmp_path)
    assert [(item.criterion, item.objective_value, item.expected_status) for item in items] == [
        ("objective", 11.0, "optimal")
    ] * 2
    assert [bool(item.known_bad) for item in items] == [True, False]
    assert {item.category for item in items} == {"solve"}


def test_a_data_file_that_the_text_does_not_mention_is_announced_like_our_own():
    asked = wording.prompt("Pack the bag.", '{"weights": [1], "limit": 2}')
    assert asked == 'Pack the bag. data.json has "weights", "limit".\nWrite MathOpt code.'


def test_the_set_is_found_in_its_own_folder_too(write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(0)])
    assert len(registry.load("bench4opt", tmp_path / "bench4opt")) == 1
    benchmark = registry.BENCHMARKS["bench4opt"]
    assert benchmark.digest(tmp_path) == benchmark.digest(tmp_path / "bench4opt")


def test_one_set_is_not_taken_for_the_other(write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(0)])
    write_bench4opt(tmp_path, [record_of(0, **FEASIBLE)], "bench4opt_feasible")
    with pytest.raises(UserError, match="records of bench4opt_feasible, not of bench4opt"):
        registry.load("bench4opt", tmp_path / "bench4opt_feasible")
    with pytest.raises(UserError, match=r"not bench4opt_feasible, it needs records with .*optimal_value"):
        registry.load("bench4opt_feasible", tmp_path / "bench4opt")


def test_the_digest_covers_every_file_and_can_be_had_by_sha256sum(write_bench4opt, record_of, tmp_path):
    write_bench4opt(tmp_path, [record_of(0), record_of(1)])
    benchmark, seen = registry.BENCHMARKS["bench4opt"], set()
    for path in [None, *benchmark.paths(tmp_path).values()]:
        if path is not None:
            path.write_bytes(path.read_bytes() + b"\n")
        seen.add(benchmark.digest(tmp_path))
    assert len(seen) == 6
    command = "find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum | sha256sum"
    by_tool = subprocess.run(
        command, shell=True, cwd=tmp_path / "bench4opt", capture_output=True, text=True, check=True
    )
    assert by_tool.stdout.split()[0] == benchmark.digest(tmp_path)
    (tmp_path / "bench4opt/lp_data/data_0.json").unlink()
    with pytest.raises(UserError, match=r"data_0\.json: cannot be read"):
        benchmark.digest(tmp_path)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"id": "7"}, "row 1 (id 7): id is not BENCH4OPT_<number>: '7'"),
        ({"id": "BENCH4OPT_0"}, "row 1 (id BENCH4OPT_0): the id is that of row 0"),
        ({"problem": " "}, "row 1 (id BENCH4OPT_1): problem is not a text"),
        ({"reference_code": None}, "reference_code is not a text"),
        ({"data_path": "lp_data/absent.json"}, "data_path lp_data/absent.json: No such file"),
        ({"data_path": "/etc/hostname"}, "data_path is no relative path below the set's folder"),
        ({"reference_lp_path": "../test.lp"}, "reference_lp_path is no relative path below the set's folder"),
        ({"reference_lp_path": "lp_data/data_0.json"}, "reference LP, line 1"),
        ({"data_path": "lp_code/model_0.lp"}, "Expecting value"),
        ({"data_path": "lp_data/list.json"}, "the attached data are not a JSON object"),
        ({"optimal_value": "many"}, "optimal_value is not a number: 'many'"),
    ],
)
def test_malformed_records_are_named(write_bench4opt, write_index, record_of, tmp_path, changes, named):
    write_bench4opt(tmp_path, [record_of(0, **FEASIBLE), record_of(1, **FEASIBLE)], "bench4opt_feasible")
    write_index(tmp_path / "bench4opt_feasible/lp_data/list.json", [1])
    records = [record_of(0, **FEASIBLE), record_of(1, **FEASIBLE | changes)]
    write_index(tmp_path / "bench4opt_feasible/test.jsonl", records)
    with pytest.raises(UserError, match="1 malformed records") as error:
        registry.load("bench4opt_feasible", tmp_path)
    assert named in str(error.value)


def test_an_index_that_names_files_elsewhere_is_refused(write_index, record_of, tmp_path):
    write_index(tmp_path / "test.jsonl", [record_of(0, data_path="lp_data/../../secret")])
    with pytest.raises(UserError, match="which is no relative path below its folder"):
        registry.BENCHMARKS["bench4opt"].attached(tmp_path / "test.jsonl")


@given(st.text("ab./\\:\n ~", max_size=8))
def test_a_safe_name_stays_below_its_folder(name):
    root = Path("/nowhere/sets")
    if is_safe(name):
        assert root in Path(f"{root}/{name}").resolve().parents
    elif not set(name) & set("\\:\n"):
        assert name.startswith("/") or ".." in name.split("/") or not name.strip("./")


@pytest.mark.parametrize(("name", "count"), [("bench4opt", 200), ("bench4opt_feasible", 174)])
def test_the_real_sets(shared, name, count):
    items = registry.load(name, shared)
    assert len(items) == count
    assert len({item.cluster for item in items}) == count // 2
    assert all(item.data_file and item.answer and item.model for item in items)
    assert all("data.json" in item.prompt and "data.json has" not in item.prompt for item in items)
    wrong = {item.item_id.partition("/")[2] for item in items if item.known_bad}
    assert wrong == ({"32", "144", "145"} if name == "bench4opt" else set())
    assert {item.expected_status for item in items} == {None if name == "bench4opt" else "optimal"}


def test_known_bad_items_are_those_of_both_sets():
    assert set(bench4opt.BENCH4OPT.known_bad) > set(bench4opt.BENCH4OPT_FEASIBLE.known_bad) == {"380", "381"}
