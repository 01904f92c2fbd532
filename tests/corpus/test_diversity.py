import pytest

from trex.corpus import diversity

ALIKE = ["a shop makes 3 chairs and 4 tables"] * 2
TEXTS = ["a shop makes chairs", "the port loads silk today", "six pumps run all night long"]


def test_distinct_counts_runs_of_words_over_all_texts():
    assert diversity.distinct([["a", "b", "a"], ["a", "b"]], 1) == 2 / 5
    assert diversity.distinct([["a", "b", "a"], ["a", "b"]], 2) == 2 / 3
    assert diversity.distinct([["a"]], 2) == 0


def test_self_bleu_is_high_for_copies_and_low_for_others():
    assert diversity.self_bleu(ALIKE) == pytest.approx(100)
    assert diversity.self_bleu(TEXTS) < 20


def test_copies_count_once_and_one_text_has_no_self_bleu():
    assert diversity.measured(ALIKE, 1, "a")["texts"] == 1
    assert diversity.measured(ALIKE, 1, "a")["self_bleu"] is None


def test_large_sets_are_sampled_the_same_way_again():
    texts = [f"text {n} of many, with word {n % 7}" for n in range(500)]
    found = diversity.measured(texts, 1, "a")
    assert found["texts"] == diversity.TEXTS
    assert found == diversity.measured(reversed(texts), 1, "a") != diversity.measured(texts, 2, "a")
