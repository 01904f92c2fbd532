"""Files of responses as anybody may write them."""

import json

import pytest

from trex.common.errors import UserError
from trex.evaluation.responses import Responses


@pytest.fixture
def items(make_item):
    return [make_item(item_id=f"own/{name}", prompt=f"{name}") for name in ("0", "1", "7")]


@pytest.fixture
def given(items, tmp_path):
    """A function that reads the responses of these rows, or of this text."""

    def read(*rows) -> Responses:
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / "r.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return Responses(tmp_path / "r.jsonl", items)

    return read


def test_ids_by_any_name_and_attempts_in_order(items, given):
    found = given(
        {"id": 7, "response": "a"},
        {"id": "own/0", "response": "b", "finish": "length"},
        "",
        {"id": "7", "response": "naïve 中 \u2028 \r\n", "sha256": items[2].sha256, "more": [1]},
        {"id": "own/7", "response": "", "finish": "api", "detail": "HTTP 500"},
    )
    assert len(found) == 4
    assert [found.of(item)[i].text for item, i in ((items[2], 0), (items[0], 0), (items[2], 1))] == [
        "a",
        "b",
        "naïve 中 \u2028 \r\n",
    ]
    assert [(r.attempt, r.finish, r.detail) for r in found.of(items[2])] == [
        (0, "stop", ""),
        (1, "stop", ""),
        (2, "api", "HTTP 500"),
    ]
    assert found.of(items[1]) == []


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"id": 9, "response": ""}, "no item has the id 9; they are called '0', '1', '7', ..."),
        ({"id": 0, "response": "", "sha256": "0"}, "own/0 was asked in other words"),
        ({"id": 0}, "needs a `response`"),
        ({"id": 0, "response": None}, "needs a `response`"),
        ({"id": 0, "response": ["x"]}, "needs a `response`"),
        ({"response": ""}, "needs an `id`"),
        ({"id": True, "response": ""}, "needs an `id`"),
        ({"id": 1.0, "response": ""}, "needs an `id`"),
        ({"id": 0, "response": "", "finish": "banana"}, "finish 'banana' is none of"),
        ({"id": 0, "response": "", "finish": None}, "finish None is none of"),
        ({"id": 0, "response": "", "detail": 3}, "detail is no text"),
        ([], "not an object"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(given, row, complaint):
    with pytest.raises(UserError, match="line 2") as error:
        given({"id": 0, "response": ""}, row)
    assert complaint in str(error.value)


def test_bytes_that_are_no_text(items, tmp_path):
    (tmp_path / "r.jsonl").write_bytes(b'{"id": 0, "response": "\xff"}\n')
    with pytest.raises(UserError, match="line 1: not valid JSON"):
        Responses(tmp_path / "r.jsonl", items)


@pytest.mark.parametrize("name", ["nothing.jsonl", ""])
def test_no_file(items, tmp_path, name):
    with pytest.raises(UserError):
        Responses(tmp_path / name, items)


def test_upstreams_own_ids(make_item, tmp_path):
    item = make_item(item_id="bench4opt/32", suite="bench4opt", upstream_id="BENCH4OPT_32")
    (tmp_path / "r.jsonl").write_text("".join(json.dumps({"id": name, "response": str(name)}) + "\n" for name in (
        "BENCH4OPT_32", "bench4opt/32", "32", 32
    )))  # fmt: skip
    assert len(Responses(tmp_path / "r.jsonl", [item]).of(item)) == 4


def test_short_names_that_two_items_share_are_none(make_item, tmp_path):
    items = [make_item(item_id="a/1", suite="a"), make_item(item_id="b/1", suite="b", prompt="other")]
    (tmp_path / "r.jsonl").write_text('{"id": "1", "response": ""}\n')
    with pytest.raises(UserError, match="no item has the id '1'"):
        Responses(tmp_path / "r.jsonl", items)
