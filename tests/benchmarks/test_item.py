import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trex.benchmarks import item
from trex.common.errors import UserError


def example(**changes) -> item.Item:
    values = {
        "item_id": "a-1",
        "suite": "in_distribution",
        "category": "solve",
        "mode": "DPS",
        "family": "knapsack",
        "bucket": "knapsack",
        "difficulty": "easy",
        "prompt": "Pack the bag — ünïcode.",
        "data_file": '{"v": [1]}',
        "criterion": "objective",
        "objective_value": 1.0,
        "model": {"variables": []},
        "answer": None,
    }
    return item.Item(**values | changes)


def test_a_suite_is_read_as_it_was_written(tmp_path):
    items = [example(), example(item_id="a-2", data_file=None, objective_value=None, model=None, criterion="structure")]
    item.write_suite(tmp_path / "s.parquet", items, {})
    assert item.read_suite(tmp_path / "s.parquet") == items


def test_the_digest_covers_prompt_and_data_file():
    digests = {
        example().sha256,
        example(prompt="x").sha256,
        example(data_file="{}").sha256,
        example(data_file=None).sha256,
    }
    assert len(digests) == 4
    assert example(item_id="other").sha256 == example().sha256


def test_a_changed_text_is_named(tmp_path):
    item.write_suite(tmp_path / "s.parquet", [example()], {})
    rows = pq.read_table(tmp_path / "s.parquet").to_pylist()
    rows[0]["prompt"] = "Pack the bag."
    pq.write_table(pa.Table.from_pylist(rows, schema=item.COLUMNS), tmp_path / "s.parquet")
    with pytest.raises(UserError, match=r"row 1.*a-1"):
        item.read_suite(tmp_path / "s.parquet")


def test_a_file_that_is_no_suite_is_refused(tmp_path):
    pq.write_table(pa.table({"prompt": ["x"]}), tmp_path / "s.parquet")
    with pytest.raises(UserError, match="lacks the columns item_id"):
        item.read_suite(tmp_path / "s.parquet")


def test_two_items_of_one_name_are_refused(tmp_path):
    item.write_suite(tmp_path / "s.parquet", [example(), example()], {})
    with pytest.raises(UserError, match="same item_id"):
        item.read_suite(tmp_path / "s.parquet")


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match="criterion"):
        dataclasses.replace(example(), criterion="taste")


def test_an_item_is_its_own_cluster_unless_it_shares_one(tmp_path):
    items = [example(item_id="a-1", cluster="a"), example(item_id="a-2", cluster="a"), example(item_id="b")]
    assert [made.cluster for made in items] == ["a", "a", "b"]
    item.write_suite(tmp_path / "s.parquet", items, {})
    assert item.read_suite(tmp_path / "s.parquet") == items


def test_an_objective_value_is_that_of_an_optimum():
    assert example(objective_value=0.0).expected_status == "optimal"
    assert example(objective_value=None).expected_status is None
    assert example(objective_value=None, expected_status="infeasible").expected_status == "infeasible"
    with pytest.raises(ValueError, match="beside an objective value"):
        example(objective_value=0.0, expected_status="infeasible")
    with pytest.raises(ValueError, match="infeasible_or_unbounded or None"):
        example(objective_value=None, expected_status="hopeless")
