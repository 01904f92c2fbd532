"""Sets of questions and answers: the shipped definitions on hand-written files in upstream's layout, and a user's own.

Of industryor, optmath and bwor no file of the set was at hand: their records here are written after its description.
"""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trex.benchmarks import questions, registry, wording
from trex.benchmarks.definition import number
from trex.common.errors import UserError
from trex.corpus import samples

GUIDE = (Path(__file__).parents[2] / "docs/benchmarks.md").read_text(encoding="utf-8")
EN = ("en_question", "en_answer")
MAMO = ("Question", "Answer")
# name -> (where upstream puts it, names of question and answer, further fields of a record)
LAYOUTS = {
    "nl4opt": ("NL4OPT/test.parquet", EN, {}),
    "optibench": ("optibench/OptiBench.json", EN, {}),
    "mamo_easy": ("Easy_LP/mamo_easy_lp.jsonl", MAMO, {"id": 7, "Category": "optimization", "Type": "easy_lp"}),
    "mamo_complex": ("mamo/Complex_LP/mamo_complex_lp.jsonl", MAMO, {"id": 7, "Type": "complex_lp"}),
    "industryor": ("IndustryOR.json", EN, {"id": 7, "difficulty": "Hard"}),
    "optmath": ("OptMATH_Bench_166.jsonl", EN, {"id": 7}),
    "bwor": ("data/datasets/BWOR.json", EN, {"id": 7, "cn_question": "问", "difficulty": "Easy"}),
}
OWN = {
    "name": "mine",
    "version": "1",
    "source": "the kitchen table",
    "files": ["mine.jsonl"],
    "format": "jsonl",
    "fields": {"question": "text", "answer": "optimum", "id": "key"},
    "category": "mixed",
    "scoring": {"rule": "within one in a million", "rel": 1e-6},
    "licence": "none",
    "label_quality": "not audited",
    "statuses": {"impossible": "infeasible", -1: "unbounded"},
    "known_bad": {"b": "forgets the fixed cost (checked by hand)"},
}


@pytest.fixture
def own(tmp_path):
    """A function that writes a definition with some keys changed, or left out where None."""

    def write(**changes):
        content = {key: value for key, value in (OWN | changes).items() if value is not None}
        path = tmp_path / "mine.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write


def written(write_index, folder, name, records):
    place, (question, answer), more = LAYOUTS[name]
    rows = [{question: asked, answer: label} | more | own for asked, label, own in records]
    lines = registry.BENCHMARKS[name].format == "jsonl"
    return write_index(folder / place, rows, lines)


@pytest.mark.parametrize("name", LAYOUTS)
def test_upstreams_layout_is_read(write_index, tmp_path, name):
    path = written(write_index, tmp_path, name, [("How many pies? ", "12.50", {})])
    (item,) = registry.load(name, tmp_path)
    assert registry.sources(name, tmp_path)[0] == path
    assert item.item_id == f"{name}/{LAYOUTS[name][2].get('id', 0)}"
    assert item.prompt == "How many pies?\nWrite MathOpt code."
    assert (item.objective_value, item.expected_status, item.criterion) == (12.5, "optimal", "objective")
    assert (item.suite, item.mode, item.model, item.answer, item.data_file) == (name, "DP", None, None, None)
    assert item.difficulty == LAYOUTS[name][2].get("difficulty", "unlabelled").lower()
    assert item.cluster == item.item_id
    assert registry.BENCHMARKS[name].digest(tmp_path) == registry.BENCHMARKS[name].digest(path.parent)


def test_every_shipped_definition_stands_in_a_file_of_its_name():
    assert {path.stem for path in registry.SETS.glob("*.yaml")} == set(LAYOUTS)
    assert all(questions.load(registry.SETS / f"{name}.yaml").name == name for name in LAYOUTS)


def test_public_problems_are_asked_like_our_own():
    assert wording.INSTRUCTION in samples.INSTRUCTIONS[samples.CODE_ONLY]
    assert samples.problem_of(wording.prompt("How many?")) == "How many?"


@pytest.mark.parametrize("name", ["nl4opt", "optibench", "industryor", "optmath", "bwor"])
def test_a_label_that_says_that_there_is_no_optimum(write_index, tmp_path, name):
    written(write_index, tmp_path, name, [("Which way?", "No Best Solution", {})])
    (item,) = registry.load(name, tmp_path)
    assert (item.objective_value, item.expected_status) == (None, "infeasible_or_unbounded")


def test_labels_that_mean_infeasible(write_index, tmp_path):
    labels = ["[no feasible solution]", -99999, "-99999.0", -99998.0]
    written(write_index, tmp_path, "optibench", [("Which way?", label, {}) for label in labels])
    assert [(item.objective_value, item.expected_status) for item in registry.load("optibench", tmp_path)] == [
        (None, "infeasible"),
        (None, "infeasible_or_unbounded"),
        (None, "infeasible_or_unbounded"),
        (-99998.0, "optimal"),
    ]


@pytest.mark.parametrize(
    ("name", "records", "named"),
    [
        ("nl4opt", [("a", "1", {}), ("b", "many", {})], "row 1: en_answer is not a number: 'many'"),
        ("nl4opt", [("a", "1", {}), ("", "2", {})], "row 1: en_question is not a text"),
        ("nl4opt", [("a", "1", {}), (None, "2", {})], "row 1: en_question is not a text"),
        ("nl4opt", [("a", "nan", {})], "row 0: en_answer is not a number: 'nan'"),
        ("nl4opt", [("a", None, {})], "row 0: en_answer is not a number: None"),
        ("optibench", [("a", True, {})], "row 0: en_answer is not a number: True"),
        ("optibench", [("a", 10**400, {})], "row 0: en_answer is not a number"),
        ("optibench", [("a", [1], {})], "row 0: en_answer is not a number: [1]"),
        ("mamo_easy", [("a", "1", {}), ("b", "1", {})], "row 1 (id 7): the id is that of row 0"),
        ("mamo_easy", [("a", "1", {"id": 1.5})], "row 0 (id 1.5): id is neither an integer nor a text"),
        ("mamo_easy", [("a", "1", {"id": None})], "row 0 (id None): id is neither an integer nor a text"),
    ],
)
def test_malformed_records_are_named(write_index, tmp_path, name, records, named):
    written(write_index, tmp_path, name, records)
    with pytest.raises(UserError, match="1 malformed records") as error:
        registry.load(name, tmp_path)
    assert named in str(error.value)
    items, faults = registry.BENCHMARKS[name].examine(tmp_path)
    assert len(items) == len(records) - 1 and len(faults) == 1


def test_a_record_that_lacks_a_field_or_is_no_object_is_named(tmp_path):
    rows = [{"en_question": "a", "en_answer": 1}, {"en_question": "b"}, "c"]
    (tmp_path / "OptiBench.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(UserError, match=r"2 malformed records \(row 1: lacks en_answer; row 2: not an object\)"):
        registry.load("optibench", tmp_path)


def test_other_files_are_refused(write_index, tmp_path):
    with pytest.raises(UserError, match=r"holds no NL4OPT/test\.parquet or test\.parquet"):
        registry.load("nl4opt", tmp_path)
    write_index(tmp_path / "test.parquet", [{"question": "a"}])
    with pytest.raises(UserError, match="not nl4opt, it needs records with en_question, en_answer"):
        registry.load("nl4opt", tmp_path)
    (tmp_path / "OptiBench.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="no JSON list"):
        registry.load("optibench", tmp_path)
    (tmp_path / "OptiBench.json").write_text("[{", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        registry.load("optibench", tmp_path)


def test_unknown_benchmark_is_named(tmp_path):
    with pytest.raises(UserError, match=r"nl5opt.*known: bench4opt, bench4opt_feasible, .*nl4opt.*YAML"):
        registry.load("nl5opt", tmp_path)


def test_a_set_of_a_users_own(own, write_index, tmp_path):
    labels = {"a": 2, "b": "impossible", "c": "-1"}
    rows = [{"text": f"problem {key}", "optimum": label, "key": key} for key, label in labels.items()]
    write_index(tmp_path / "mine.jsonl", rows)
    items = registry.load(str(own()), tmp_path)
    assert [(item.item_id, item.suite, item.objective_value, item.expected_status) for item in items] == [
        ("mine/a", "mine", 2.0, "optimal"),
        ("mine/b", "mine", None, "infeasible"),
        ("mine/c", "mine", None, "unbounded"),
    ]
    assert [item.known_bad for item in items] == ["", "forgets the fixed cost (checked by hand)", ""]
    scoring = registry.definition(str(own())).scoring
    assert dataclasses.astuple(scoring) == ("within one in a million", None, 1e-6)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"version": None, "fields": {"question": "text"}}, ["version is missing", "fields.answer is missing"]),
        ({"format": "csv"}, ["format (", "line 6", "allowed: parquet, jsonl, json"]),
        ({"fields": {"question": "q", "answer": "a", "anwser": "a"}}, ["fields.anwser", "unknown key", "did you mean"]),
        ({"scoring": {"rule": "near", "abs": "1e-6"}}, ["scoring.abs", "write 1.0e-06"]),
        ({"scoring": {"rule": "near", "abs": 0}}, ["scoring.abs", "minimum"]),
        ({"scoring": {"rule": "near"}}, ["scoring: needs abs or rel, one of them"]),
        ({"scoring": {"rule": "near", "abs": 1.0, "rel": 1.0}}, ["scoring: needs abs or rel, one of them"]),
        ({"files": ["../mine.jsonl"]}, ["files: ../mine.jsonl is no relative path"]),
        ({"files": ["/mine.jsonl"]}, ["files: /mine.jsonl is no relative path"]),
        ({"files": []}, ["files"]),
        ({"name": "My Set"}, ["name", "^[a-z0-9_]+$"]),
        ({"statuses": {"none": "hopeless"}}, ["statuses.none", "allowed: infeasible, unbounded"]),
        ({"known_bad": {3: None}}, ["known_bad.3"]),
        ({"name": "nl4opt"}, ["'nl4opt' is the name of a known benchmark"]),
    ],
)
def test_what_is_wrong_with_a_definition_is_named(own, changes, named):
    with pytest.raises(UserError) as error:
        registry.definition(str(own(**changes)))
    assert [text for text in [*named, "mine.yaml"] if text not in str(error.value)] == []


@pytest.mark.parametrize(
    ("text", "named"), [("a: [", "not valid YAML"), ("- a", "holds a list"), ("a: 1\na: 2", "twice")]
)
def test_what_is_no_definition_at_all(tmp_path, text, named):
    (tmp_path / "mine.yml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=named):
        registry.definition(str(tmp_path / "mine.yml"))
    with pytest.raises(UserError, match=r"absent\.yaml: cannot be read"):
        registry.definition(str(tmp_path / "absent.yaml"))


@pytest.mark.parametrize(
    "text",
    [questions.__doc__.partition("\n\n")[2].rpartition("\n\n")[0], re.search("```yaml\n(.*?)```", GUIDE, re.S)[1]],
)
def test_the_documented_definition_is_one(tmp_path, text):
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    mine = registry.definition(str(tmp_path / "mine.yaml"))
    assert (mine.name, mine.known_bad) == ("mine", {"17": "the label forgets the fixed cost (checked by hand)"})


def test_the_guide_lists_the_sets_as_they_are_defined():
    rows = re.findall(r"^\| `(\w+)` \| (\d+).*? \| (\w+) \| (\w+).*? \| (.*?) \|", GUIDE, re.M)
    assert {name for name, *_ in rows} == set(registry.BENCHMARKS)
    for name, count, criterion, tolerance, licence in rows:
        benchmark = registry.BENCHMARKS[name]
        kinds = {"absolute": benchmark.scoring.abs, "relative": benchmark.scoring.rel, "graph": "no number"}
        assert re.search(rf"\b{count}\b", benchmark.version) and kinds[tolerance] is not None
        assert benchmark.criterion == criterion and benchmark.licence.startswith(licence)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_the_same_label_in_every_spelling(value):
    spellings = [value, repr(value), f" {value!r} ", str(int(value)) if value.is_integer() else value]
    assert {number(spelling) for spelling in spellings} == {value}
    assert {questions.label_key(spelling) for spelling in spellings} == {value}


COUNTS = [("nl4opt", 189, 0), ("optibench", 300, 2), ("mamo_easy", 100, 0), ("mamo_complex", 60, 0)]


@pytest.mark.parametrize(("name", "count", "bad"), COUNTS)
def test_the_real_sets(shared, name, count, bad):
    items = registry.load(name, shared)
    assert len(items) == len({item.sha256 for item in items}) == count
    assert sum(bool(item.known_bad) for item in items) == bad
    assert {item.expected_status for item in items} == {"optimal"}


def test_known_bad_labels_of_optibench_are_the_rounded_ones(shared):
    bad = [item for item in registry.load("optibench", shared) if item.known_bad]
    assert [item.item_id for item in bad] == ["optibench/13", "optibench/217"]
    assert all(1e-6 < abs(item.objective_value - 2**0.5 / 4) < 1.1e-6 for item in bad)


def test_the_digest_is_of_the_set_and_its_definition(own, write_index, tmp_path):
    for folder in ("a", "b"):
        write_index(tmp_path / folder / "mine.jsonl", [{"text": "x", "optimum": 1, "key": 1}])
    mine = str(own())
    found = registry.digest(mine, tmp_path / "a")
    assert registry.digest(mine, tmp_path / "b") == found
    write_index(tmp_path / "b" / "mine.jsonl", [{"text": "x", "optimum": 2, "key": 1}])
    assert registry.digest(mine, tmp_path / "b") != found
    with open(mine, "a") as stream:
        stream.write("# edited")
    assert registry.digest(mine, tmp_path / "a") != found
