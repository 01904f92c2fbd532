import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.corpus.numerals import numerals
from trex.problems.family import DIFFICULTIES
from trex.problems.voice import Voice, letters

POOL = ("ash", "beech", "cedar")


def voice(seed, difficulty="large", heldout=False):
    return Voice(random.Random(seed), difficulty, heldout)


@given(st.integers(0, 50), st.integers(0, 90))
def test_names_are_different_however_many_there_are(seed, count):
    names = voice(seed).names(POOL, count)
    assert len(names) == len(set(names)) == count
    assert all(name.split()[0] in POOL for name in names)
    assert count > len(POOL) or all(name in POOL for name in names)


def test_letters_count_on():
    assert [letters(number) for number in (1, 2, 25, 26, 27, 52)] == ["B", "C", "Z", "AA", "AB", "BA"]


@given(st.integers(0, 200), st.sampled_from(DIFFICULTIES), st.integers(0, 10**7))
def test_a_number_reads_as_itself_however_it_is_written(seed, difficulty, value):
    told = voice(seed, difficulty)
    for text in (told.number(value), told.digits(value), told.money(value)):
        assert numerals(text) == [value]
    assert numerals(told.percent(value)) == [pytest.approx(value / 100)]


def test_phrases_come_from_their_bank():
    for seed in range(20):
        assert voice(seed).phrase(("a", "b"), ("c",)) in ("a", "b")
        assert voice(seed, heldout=True).phrase(("a", "b"), ("c",)) == "c"


def test_one_kind_of_choice_leaves_the_others_alone():
    """Whatever is drawn of one kind before, the names stay."""
    for seed in range(10):
        plain, busy = voice(seed), voice(seed)
        for _ in range(5):
            busy.phrase("abc", "d")
            busy.scene("abc")
            busy.order([1, 2, 3])
        assert plain.names(POOL, 2) == busy.names(POOL, 2)
