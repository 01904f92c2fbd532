"""The keys of families are what a program's indices and loops say."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.execution.standins.indexing import keys_of, loop_variables, spread, with_keys

LISTS = st.lists(st.lists(st.integers() | st.text(max_size=2), unique=True, max_size=4), min_size=2, max_size=3)


@given(LISTS)
def test_families_over_lists_are_products(lists):
    assert keys_of(tuple(lists)) == list(itertools.product(*lists))


def test_tuples_in_a_product_are_flat():
    assert keys_of(([(1, 2), (3, 4)], "ab")) == [(1, 2, "a"), (1, 2, "b"), (3, 4, "a"), (3, 4, "b")]
    assert keys_of((2, ["u"])) == [(0, "u"), (1, "u")]
    assert keys_of(([(1, 2)],)) == [(1, 2)]
    assert keys_of(({"a": 1, "b": 2},)) == ["a", "b"]


def test_values_by_key():
    keys = ["a", "b"]
    assert spread(3, keys, 0, float) == [3.0, 3.0]
    assert spread({"b": 2}, keys, 7, float) == [7.0, 2.0]
    assert spread([[1], [2]], keys, 0, float) == [1.0, 2.0]
    assert spread("I", keys, "C", str) == ["I", "I"]
    with pytest.raises(AssertionError):
        spread([1, 2, 3], keys, 0, float)


def test_values_of_loops():
    data = {"p": [1, 2], "q": [3]}
    table = {(1, 2): 5}
    generators = [
        (None for i in range(2)),
        (None for i in range(2) for j in "ab" if i),
        (sum(k for k in range(i)) + j for i in range(1) for j in range(2)),
        (str(sum(j for k in range(j))) + i for j in range(2) for i in "a" if i or j),
        ([k + 1 for k in range(i)] for i in range(2)),
        (None for key, values in data.items() for value in values),
        (None for (i, j), value in table.items()),
        (None for pair in table),
        (None for pair in table for i in range(1)),
        ({i: [n + 1 for n in range(2)] for i in "x"} for _ in range(1) for total in [3]),
    ]
    assert [[key for key, _ in with_keys(generator)] for generator in generators] == [
        [0, 1],
        [(1, "a"), (1, "b")],
        [(0, 0), (0, 1)],
        [(0, "a"), (1, "a")],
        [0, 1],
        [("p", [1, 2], 1), ("p", [1, 2], 2), ("q", [3], 3)],
        [(1, 2, 5)],
        [(1, 2)],
        [((1, 2), 0)],
        [(0, 3)],
    ]


def test_only_generators_have_loops():
    with pytest.raises(KeyError, match="Missing"):
        list(with_keys([1, 2]))
    assert loop_variables((i for i in ()).gi_code) == ["i"]
