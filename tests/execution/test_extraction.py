"""Which code of a response is run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.evaluation import legacy
from trex.execution import extraction


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
        # indented, as in a list
        ("1. First\n   ```python\n   if x:\n       y = 1\n   ```", "if x:\n    y = 1"),
        ("</python><python>a</python>b<python>c <python>d</python>", "c <python>d"),
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


@pytest.mark.parametrize("unit", ["<python>", "</python>", "```python\n", "```\n", " ```\n", "model.addVars("])
def test_a_text_that_goes_round_in_circles_is_read_once(unit):
    """As a model that repeats itself writes: in quadratic time, two million characters would take hours."""
    extraction.code(unit * (2_000_000 // len(unit)))
    legacy.code(unit * (2_000_000 // len(unit)))
    legacy.with_free_variables(unit * (2_000_000 // len(unit)) + ")")
