"""Patterns find what a search finds, also after a change."""

from hypothesis import given
from hypothesis import strategies as st

from trex.execution.standins.gurobi import library

KEYS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 2)), unique=True)
ENTRY = st.sampled_from(["*", 0, 1, "a", [0, 2], ["a", "b"], (1,), range(2), {0, 1}, 7])
PATTERN = st.lists(ENTRY, max_size=3)


def matches(key: tuple, pattern: list) -> bool:
    def fits(part, entry):
        return entry == "*" or (part in entry if isinstance(entry, (list, tuple, range, set)) else part == entry)

    return all(fits(part, entry) for part, entry in zip(key, pattern, strict=False))


@given(KEYS, PATTERN)
def test_selection_is_a_search(keys, pattern):
    expected = [key for key in keys if matches(key, pattern)]
    assert list(library.tuplelist(keys).select(*pattern)) == expected
    numbers = library.tupledict((key, position) for position, key in enumerate(keys))
    assert numbers.select(*pattern) == [keys.index(key) for key in expected]
    assert numbers.sum(*pattern).getConstant() == sum(map(keys.index, expected))
    assert numbers.prod(dict.fromkeys(keys[1:], 2), *pattern).getConstant() == 2 * sum(map(keys.index, expected))


@given(KEYS, st.data())
def test_a_change_is_seen(keys, data):
    found = library.tupledict(dict.fromkeys(keys, 1))
    found.select("*", "a")
    found[9, "a", 9] = 5
    assert found.select("*", "a")[-1] == 5
    if keys:
        gone = data.draw(st.sampled_from(keys))
        del found[gone]
        assert len(found.select()) == len(keys)
        assert not found.select(*gone)


def test_keys_that_are_no_tuples(model):
    x = model.addVars(["a", "b"], name="x")
    assert [v.VarName for v in x.select("b")] == ["x[b]"]
    assert x.sum("*").size() == 2
    assert x.prod({"a": 3}).getCoeff(0) == 3.0


def test_multidict_takes_numbers_and_rows():
    keys, one = library.multidict({"a": 1, "b": 2})
    assert (list(keys), one) == (["a", "b"], {"a": 1, "b": 2})
    assert library.multidict([(("a", 1), [3, 4])])[1:] == [{("a", 1): 3}, {("a", 1): 4}]
    assert library.multidict({}) == [[]]
