import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.common.errors import UserError
from trex.corpus import foreign
from trex.corpus.foreign import Malformed, Row

PAIR = {"problem": "Pack 3 boxes.", "answer": "import x"}
MESSAGES = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Pack 3 boxes."},
        {"role": "assistant", "content": "import x"},
    ]
}


def read(tmp_path, content: bytes) -> list:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    return list(foreign.read(path))


def rows(tmp_path, *records) -> list:
    return read(tmp_path, b"".join(json.dumps(record).encode() + b"\n" for record in records))


def test_both_forms_say_the_same(tmp_path):
    messages, pair = rows(tmp_path, MESSAGES, PAIR)
    assert messages.roles == ("system", "user", "assistant") and messages.system == "Be brief."
    assert (messages.prompt, messages.answer) == (pair.prompt, pair.answer) == ("Pack 3 boxes.", "import x")


@pytest.mark.parametrize(("prompt", "answer"), foreign.PAIRS)
def test_other_names_of_problem_and_answer(tmp_path, prompt, answer):
    (row,) = rows(tmp_path, {prompt: "p", answer: "a", "system": "s"})
    assert (row.prompt, row.answer, row.system) == ("p", "a", "s")


def test_metadata_beside_or_in_an_object(tmp_path):
    about = {"id": 7, "mode": "dps", "answer_style": "code_only", "difficulty": "small", "more": [1]}
    beside, inside = rows(tmp_path, PAIR | about, PAIR | {"metadata": about})
    assert (beside.identity, beside.mode, beside.style, beside.difficulty) == ("7", "DPS", "code_only", "small")
    assert inside == Row(**{**vars(beside), "line": 2})


def test_several_user_messages_are_all_asked(tmp_path):
    talk = [
        {"role": role, "content": role + str(i)} for i, role in enumerate(("user", "assistant", "user", "assistant"))
    ]
    (row,) = rows(tmp_path, {"messages": talk})
    assert (row.prompt, row.answer, len(row.roles)) == ("user0\nuser2", "assistant3", 4)


def test_attached_and_shown_files(tmp_path):
    prompt = "Read the files.\n\n### data.json\n```json\n{}\n```\n\nFile `data/costs.csv`:\n\n```csv\na,b\n```\n"
    prompt += "As code:\n```python\nopen('other.csv')\n```\nsee notes.txt\n\n\n\n```\nfar away\n```"
    (row,) = rows(tmp_path, {"problem": prompt, "answer": "a", "files": {"more.txt": "1 2"}})
    assert row.files == {"more.txt": "1 2", "data.json": "{}\n", "data/costs.csv": "a,b\n"}
    (row,) = rows(tmp_path, PAIR | {"data_file": "{}"})
    assert row.files == {"data.json": "{}"}


def test_mark_line_ends_and_empty_lines(tmp_path):
    line = json.dumps(PAIR).encode()
    found = read(tmp_path, b"\xef\xbb\xbf" + line + b"\r\n\r\n  \r\n" + line)
    assert [(type(row), row.line) for row in found] == [(Row, 1), (Row, 4)]


WRONG = {
    b"{": "not valid JSON",
    b"[1]": "a list, not an object",
    b"null": "null, not an object",
    b'"text"': "a text, not an object",
    b"\xff\xfe": "not UTF-8 at byte 0",
    b"[" * 100000: "not valid JSON",
    b"{}": "neither messages nor a problem",
    b'{"problem": "p"}': "neither messages nor a problem",
    b'{"problem": 1, "answer": "a"}': "`problem` is a number",
    b'{"problem": "p", "answer": null}': "`answer` is null",
    b'{"problem": "p", "answer": "a", "system": []}': None,
    b'{"problem": "p", "answer": "a", "system": [1]}': "`system` is a list",
    b'{"problem": "p", "answer": "\\ud800"}': "half a character",
    b'{"problem": "p", "answer": "a", "metadata": [1]}': "`metadata` is a list",
    b'{"problem": "p", "answer": "a", "mode": ["DP"]}': "`mode` is a list",
    b'{"problem": "p", "answer": "a", "id": true}': "`id` is true or false",
    b'{"problem": "p", "answer": "a", "files": ["x"]}': "`files` is a list",
    b'{"problem": "p", "answer": "a", "files": {"../../x.json": ""}}': "no name such as",
    b'{"problem": "p", "answer": "a", "files": {"/x.json": ""}}': "no name such as",
    b'{"problem": "p", "answer": "a", "files": {"x.py": ""}}': "no name such as",
    b'{"problem": "p", "answer": "a", "data_file": {}}': "data.json is an object",
    b'{"messages": []}': "`messages` is empty",
    b'{"messages": {}}': "`messages` is an object",
    b'{"messages": ["hello"]}': "message 1 is a text",
    b'{"messages": [{"role": "user"}]}': "message 1: `content` is missing",
    b'{"messages": [{"role": "user", "content": [{"type": "text"}]}]}': "message 1: `content` is a list",
    b'{"messages": [{"role": null, "content": "x"}]}': "message 1: `role` is null",
}


@pytest.mark.parametrize("line", WRONG, ids=range(len(WRONG)))
def test_a_wrong_line_says_why_and_the_next_is_read(tmp_path, line):
    first, second = read(tmp_path, line + b"\n" + json.dumps(PAIR).encode())
    assert isinstance(second, Row) and second.line == 2
    if WRONG[line] is None:
        assert isinstance(first, Row)
    else:
        assert isinstance(first, Malformed) and WRONG[line] in first.reason


def test_a_line_without_end_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "LONGEST", 100)
    first, second = read(tmp_path, b"x" * 1000 + b"\n" + json.dumps(PAIR).encode())
    assert "longer than" in first.reason and isinstance(second, Row)


def test_a_file_that_is_none(tmp_path):
    assert read(tmp_path, b"") == []
    with pytest.raises(UserError, match="no such file"):
        list(foreign.read(tmp_path / "missing.jsonl"))
    with pytest.raises(UserError, match="cannot be read"):
        list(foreign.read(tmp_path))


@given(st.binary(max_size=200))
def test_any_line_is_a_row_or_malformed(line):
    assert isinstance(foreign.row_of(line, 1), (Row, Malformed))


KEYS = st.sampled_from(["messages", "role", "content", "problem", "answer", "files"])
LEAVES = st.none() | st.booleans() | st.floats() | st.text(max_size=5)


@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)))
def test_any_record_is_a_row_or_malformed(record):
    assert isinstance(foreign.row_of(json.dumps(record).encode(), 1), (Row, Malformed))


@given(st.text(alphabet="`\nab./#json cv", max_size=80))
def test_shown_files_of_any_text(text):
    for name in foreign.inline_files(text):
        assert foreign.FILE_NAME.fullmatch(name) and {"", ".", ".."}.isdisjoint(name.split("/"))


@pytest.mark.parametrize("unit", ["a", "a.", "a/", "-.", "a.json ", "```\n", "x.json\n```\n"])
def test_time_is_linear_in_the_text(unit):
    foreign.inline_files(unit * (1_000_000 // len(unit)))
