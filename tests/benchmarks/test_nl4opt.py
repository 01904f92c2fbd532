"""NL4OPT's reader, on hand-written files, and on the real set where the folder beside the checkout has it."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trex.benchmarks import nl4opt, registry, wording
from trex.common.errors import UserError
from trex.corpus import samples

SHARED = Path(__file__).parents[3] / "shared" / "benchmarks" / "NL4OPT"


def written(folder: Path, questions: list, answers: list) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table({"en_question": questions, "en_answer": answers})
    pq.write_table(table, folder / "test.parquet")
    return folder


def test_items(tmp_path):
    items = registry.load("nl4opt", written(tmp_path, ["How many pies? ", "Which way?"], ["12.0", "-3.5"]))
    assert [item.item_id for item in items] == ["nl4opt/0", "nl4opt/1"]
    assert [item.objective_value for item in items] == [12.0, -3.5]
    assert [item.prompt for item in items] == ["How many pies?\nWrite MathOpt code.", "Which way?\nWrite MathOpt code."]
    assert {(item.suite, item.category, item.criterion, item.model, item.data_file) for item in items} == {
        ("nl4opt", "word", "objective", None, None)
    }


def test_upstream_layout_is_found(tmp_path):
    written(tmp_path / "NL4OPT", ["How many?"], ["1"])
    assert len(nl4opt.read(tmp_path)) == 1
    assert registry.source("nl4opt", tmp_path) == tmp_path / "NL4OPT" / "test.parquet"


def test_public_problems_are_asked_like_our_own():
    assert wording.INSTRUCTION in samples.INSTRUCTIONS[samples.CODE_ONLY]
    assert samples.problem_of(wording.prompt("How many?")) == "How many?"


@pytest.mark.parametrize(
    ("questions", "answers", "named"),
    [
        (["a", "b"], ["1", "many"], "row 1: en_answer is not a number: 'many'"),
        (["a", ""], ["1", "2"], "row 1: en_question is not a text"),
        (["a", None], ["1", "2"], "row 1: en_question is not a text"),
        (["a"], ["nan"], "row 0"),
        (["a"], [None], "row 0"),
    ],
)
def test_malformed_records_are_named(tmp_path, questions, answers, named):
    with pytest.raises(UserError, match="1 malformed") as error:
        nl4opt.read(written(tmp_path, questions, answers))
    assert named in str(error.value)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"test\.parquet"):
        nl4opt.read(tmp_path)
    pq.write_table(pa.table({"question": ["a"]}), tmp_path / "test.parquet")
    with pytest.raises(UserError, match="en_answer"):
        nl4opt.read(tmp_path)


def test_unknown_benchmark_is_named(tmp_path):
    with pytest.raises(UserError, match=r"nl5opt.*known: nl4opt"):
        registry.load("nl5opt", tmp_path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no public benchmarks beside the checkout")
def test_the_real_set():
    items = nl4opt.read(SHARED)
    assert len(items) == 189
    assert items[0].objective_value == 3000.0
    assert len({item.sha256 for item in items}) == len({item.prompt for item in items})
