"""The journal: whatever happens to the file, whole records survive and new ones can follow."""

import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.common.errors import UserError
from trex.evaluation.journal import Journal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
RECORDS = st.lists(st.tuples(st.text(max_size=3), VALUES), max_size=6)


def write(path, records):
    """Where each record ends in the file."""
    ends = [0]
    with Journal(path) as journal:
        for key, value in records:
            journal.add(key, value)
            ends.append(path.stat().st_size)
    return ends


def read(path):
    with Journal(path) as journal:
        return {key: journal.get(key) for key in journal.places}


@given(records=RECORDS)
def test_what_was_added_is_read_back_at_once_and_after_reopening(records, tmp_path_factory):
    path = tmp_path_factory.mktemp("journal") / "new" / "j.jsonl"
    with Journal(path) as journal:
        for key, value in records:
            assert "never" not in journal and journal.get("never") is None
            journal.add(key, value)
            assert key in journal and journal.get(key) == value
        assert len(journal) == len(dict(records))
    assert read(path) == dict(records)


def test_a_file_cut_at_any_byte_keeps_all_whole_records_and_takes_new_ones(tmp_path):
    records = [("a", "text\nmore"), ("b", {"n": [1, 2.5, None]}), ("a", "é😀\ud800"), ("c", "")]
    ends = write(tmp_path / "whole.jsonl", records)
    content = (tmp_path / "whole.jsonl").read_bytes()
    path = tmp_path / "cut.jsonl"
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        whole = sum(end <= size for end in ends) - 1
        write(path, [("new", 1)])
        assert read(path) == dict(records[:whole]) | {"new": 1}
        assert path.stat().st_size == ends[whole] + len('{"key": "new", "value": 1}\n')


@pytest.mark.parametrize("damage", [b"\0\0\0\0", b"\n", b"\xff\xfe", b"[[", b'{"key"', b'": 1}\n'])
def test_a_damaged_record_is_passed_over(damage, tmp_path):
    path = tmp_path / "j.jsonl"
    ends = write(path, [("a", 1), ("b", "2222222222"), ("c", 3)])
    content = bytearray(path.read_bytes())
    content[ends[1] + 15 : ends[1] + 15 + len(damage)] = damage
    path.write_bytes(content)
    assert read(path) == {"a": 1, "c": 3}
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", ['{"key": "b"}', '{"key": "b", "value": 1, "more": 2}', "[" * 100_000])
def test_what_only_looks_like_a_record_at_the_end_is_cut_off(line, tmp_path):
    path = tmp_path / "j.jsonl"
    ends = write(path, [("a", 1)])
    path.write_bytes(path.read_bytes() + line.encode() + b"\n")
    assert read(path) == {"a": 1}
    assert path.stat().st_size == ends[1]


@pytest.mark.parametrize("content", ['{"id": 1, "response": "x"}\n', "id,response\n", "\0", "[]"])
def test_somebody_elses_file_is_left_alone(content, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(content)
    with pytest.raises(UserError, match="no journal of this step"):
        Journal(path)
    assert path.read_text() == content


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(UserError, match="is a folder"):
        Journal(tmp_path)


def test_a_full_disk_is_named_and_leaves_whole_records(tmp_path, monkeypatch):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.add("a", 1)
        stream = journal.stream

        class Full:
            def write(self, line):
                return stream.write(line[:5])

            def __getattr__(self, name):
                return getattr(stream, name)

        monkeypatch.setattr(journal, "stream", Full())
        with pytest.raises(UserError, match=r"j\.jsonl: only 5 of"):
            journal.add("b", 2)
        monkeypatch.undo()
        journal.add("c", 3)
    assert read(path) == {"a": 1, "c": 3}


def test_a_second_writer_is_turned_away_until_the_first_has_ended(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path), pytest.raises(UserError, match="another process writes there"):
        Journal(path)
    assert read(path) == {}


def test_a_kill_loses_at_most_the_record_being_written(tmp_path):
    path = tmp_path / "j.jsonl"
    code = (
        "import sys, pathlib; from trex.evaluation.journal import Journal\n"
        "with Journal(pathlib.Path(sys.argv[1])) as journal:\n"
        "    for number in range(10**9):\n"
        "        journal.add(str(number), 'x' * (number % 5000)); print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        for line in writer.stdout:
            if int(line) == 300:
                with pytest.raises(UserError, match="another process writes there"):
                    Journal(path)
                writer.send_signal(signal.SIGKILL)
                said = max(int(line) for line in writer.stdout.read().splitlines()[:-1] or [line])
                break
    known = read(path)
    assert list(known) == [str(number) for number in range(len(known))]
    assert len(known) > said and all(value == "x" * (int(key) % 5000) for key, value in known.items())


def test_threads_do_not_mix_their_records(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:

        def work(name):
            for number in range(100):
                journal.add(f"{name} {number}", name * number)
                assert journal.get(f"{name} {number}") == name * number

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert read(path) == {f"{name} {number}": name * number for name in "abcd" for number in range(100)}
