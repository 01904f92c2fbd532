import json
import os
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trex.common import files
from trex.common.errors import UserError

BLOCK = {"step": "trex.test"}


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    files.write_json(path, {"x": 1}, BLOCK)
    before = path.read_bytes()

    def records():
        yield {"x": 2}
        raise RuntimeError

    with pytest.raises(RuntimeError), files.replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    with pytest.raises(RuntimeError):
        files.write_jsonl(tmp_path / "b.jsonl", records(), BLOCK)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["a.json", "b.jsonl.meta.json"]


def test_folders_are_made_and_every_format_reads_back(tmp_path):
    frame = pd.DataFrame({"name": ["a", "ü"], "value": [0.1, 2.5]})
    files.write_csv(tmp_path / "x/y/a.csv", frame, BLOCK)
    pd.testing.assert_frame_equal(files.read_csv(tmp_path / "x/y/a.csv"), frame)
    records = [{"text": "line\u2028break\x85 \n"}, {"text": "ü"}]
    files.write_jsonl(tmp_path / "a.jsonl", records, BLOCK)
    assert files.read_jsonl(tmp_path / "a.jsonl") == records
    files.write_parquet(tmp_path / "a.parquet", pa.Table.from_pylist(records), BLOCK)
    assert files.read_parquet(tmp_path / "a.parquet") == records
    files.write_json(tmp_path / "a.json", {"value": "ü"}, BLOCK)
    assert files.read_json(tmp_path / "a.json")["value"] == "ü"


def test_every_format_carries_its_schema_version_and_provenance(tmp_path):
    frame = pd.DataFrame({"x": [1]})
    files.write_csv(tmp_path / "a.csv", frame, BLOCK)
    files.write_jsonl(tmp_path / "a.jsonl", [{"x": 1}], BLOCK)
    files.write_parquet(tmp_path / "a.parquet", pa.table({"x": [1]}), BLOCK)
    expected = {"schema_version": files.SCHEMA_VERSION, "provenance": BLOCK}
    assert files.read_json(files.sidecar(tmp_path / "a.csv")) == expected
    assert files.read_json(files.sidecar(tmp_path / "a.jsonl")) == expected
    assert json.loads(pq.read_schema(tmp_path / "a.parquet").metadata[b"trex"]) == expected


def test_the_same_content_gives_the_same_bytes(tmp_path):
    table = pa.table({"x": [1.5, None], "y": ["a", "b"]})
    for name in ("one", "two"):
        files.write_parquet(tmp_path / name, table, BLOCK)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("reader", [files.read_json, files.read_csv, files.read_parquet, files.read_jsonl])
def test_an_unreadable_input_is_one_clear_line(tmp_path, reader):
    with pytest.raises(UserError, match=r"no such file: .*absent"):
        reader(tmp_path / "absent")
    (tmp_path / "bad").write_bytes(b'{"x": \xff\xfe')
    with pytest.raises(UserError, match="bad") as error:
        reader(tmp_path / "bad")
    assert "\n" not in str(error.value)


def test_a_malformed_record_is_told_by_its_line(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n\n{"x": \n')
    with pytest.raises(UserError, match="line 3"):
        files.read_jsonl(tmp_path / "a.jsonl")


def test_a_place_that_cannot_be_written_is_named_before_and_after_the_work(tmp_path):
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file" / "below.json"):
        with pytest.raises(UserError, match=re.escape(str(place))):
            files.check_place(place)
        with pytest.raises(UserError, match=re.escape(str(place))):
            files.write_json(place, {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_folders_and_devices_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path, "."):
        with pytest.raises(UserError, match="name a file"):
            files.write_text(place, "text")
    assert pipe.is_fifo()


def test_json_that_is_nested_too_deeply_is_named(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text("{}\n" + "[" * 100_000 + "\n")
    with pytest.raises(UserError, match="line 2"):
        files.read_jsonl(path)
    with pytest.raises(UserError, match="deep"):
        files.read_json(path)


def test_what_cannot_be_written_leaves_no_sidecar(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for path in (".", "folder"):
        with pytest.raises(UserError, match="is a folder"):
            files.write_csv(path, pd.DataFrame({"x": [1]}), BLOCK)
        with pytest.raises(UserError, match="is a folder"):
            files.write_jsonl(path, [{"x": 1}], BLOCK)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
