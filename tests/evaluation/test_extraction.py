"""Which code of a response is run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.evaluation import extraction


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("```Python\nx = 1\n```", "x = 1"),
        ("```py\nx = 1\ny = 2\n```\ndone", "x = 1\ny = 2"),
        ("``` python title=a\nx = 1\n```", "x = 1"),
        # the last one counts, however long the draft is
        ("```python\ndraft = 1\nmore = 2\n```\ntext\n```python\nx = 1\n```", "x = 1"),
        # tagged before untagged, whatever comes last
        ("```python\nx = 1\n```\n```\nresult\n```", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("```json\n{}\n```\n```\nx = 1\n```", "x = 1"),
        ("<python>x = 1</python>", "x = 1"),
        ("<python>draft</python> <python>\nx = 1\n</python>", "\nx = 1\n"),
        ("x = 1", "x = 1"),
        ("", ""),
        # not closed: not complete
        ("```python\nx = 1\n```\n```python\ny = ", "x = 1"),
        ("```python\nx = 1", "```python\nx = 1"),
        ("```json\n{}\n```", "```json\n{}\n```"),
        # a fence inside a line is none
        ("```python\nx = '```'\n```", "x = '```'"),
        ("say ```python\nx = 1\n```", "say ```python\nx = 1\n```"),
    ],
)
def test_rules(response, expected):
    assert extraction.code(response) == expected


@given(st.text().filter(lambda text: "```" not in text), st.text().filter(lambda text: "```" not in text))
def test_a_fenced_block_is_found_in_any_text(before, code):
    lines = code.splitlines()
    found = extraction.code(f"{before}\n```python\n{code}\n```\n")
    assert found.splitlines() == lines or found == "\n".join(lines)


@given(st.text())
def test_any_text_gives_a_text(response):
    assert isinstance(extraction.code(response), str)
