import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.benchmarks.item import Item
from trex.corpus import leakage
from trex.problems.comparison import canonical
from trex.problems.ir import Model

PROBLEM = (
    "A bakery makes cakes, pies. Profit per unit: 14, 26. Use per unit: flour 3, 5; sugar 2, 1. "
    "Available: flour 40, sugar 30. Only whole units count. Maximize total profit."
)
WORDS = len(leakage.normal(PROBLEM).split())


def model(cap):
    made = Model()
    x = made.add_variable("x", "integer")
    made.add_row({x: 2}, ub=cap)
    made.set_objective("max", {x: 3})
    return made


def item(prompt=f"{PROBLEM}\nWrite MathOpt code.", cap=7):
    return Item(
        item_id="a", suite="s", category="mixed", mode="DP", family="f", bucket="b", difficulty="easy", prompt=prompt,
        data_file=None, criterion="objective", objective_value=9.0, model=model(cap).to_json(), answer=None,
    )  # fmt: skip


GUARD = leakage.Guard([item()], 0.6)


def test_the_same_problem_is_exact_whatever_its_spaces_case_and_surroundings():
    assert GUARD.reason(PROBLEM) == leakage.EXACT
    assert GUARD.reason(PROBLEM.upper().replace(" ", "  ")) == leakage.EXACT
    assert GUARD.reason_of_long(f"Report.\n{PROBLEM}\nModel:" + " and so on" * 100) == leakage.EXACT


def test_the_same_model_is_a_leak_under_other_words():
    assert GUARD.reason("Something else entirely.", canonical.certificate(model(7))) == leakage.CERTIFICATE
    assert GUARD.reason("Something else entirely.", canonical.certificate(model(8))) is None


def test_one_changed_number_is_a_near_duplicate():
    changed = PROBLEM.replace("26", "27")
    assert GUARD.reason(changed) == leakage.NEAR_DUPLICATE
    assert GUARD.reason_of_long("word " * 300 + changed + " word" * 300) == leakage.NEAR_DUPLICATE


def test_the_same_template_with_other_numbers_is_none():
    other = PROBLEM
    for old, new in (
        ("14", "15"),
        ("26", "9"),
        ("3, 5", "4, 2"),
        ("2, 1", "7, 6"),
        ("40", "51"),
        ("flour 51", "flour 8"),
    ):
        other = other.replace(old, new)
    assert GUARD.reason(other) is None
    assert GUARD.reason("") is None


def test_the_threshold_is_the_jaccard_similarity():
    changed = PROBLEM.replace("26", "27")
    similarity = leakage.jaccard(leakage.shingles(PROBLEM), leakage.shingles(changed))
    count = WORDS - leakage.SHINGLE + 1
    assert similarity == pytest.approx((count - 5) / (count + 5))
    assert leakage.Guard([item()], similarity).reason(changed) == leakage.NEAR_DUPLICATE
    assert leakage.Guard([item()], similarity + 0.01).reason(changed) is None


@given(st.lists(st.integers(0, WORDS - 1), max_size=6, unique=True))
def test_what_the_index_finds_is_what_comparing_all_finds(changed):
    """No similar text escapes the shortcut or the index."""
    words = leakage.normal(PROBLEM).split()
    text = " ".join("new" if position in changed else word for position, word in enumerate(words))
    similarity = leakage.jaccard(leakage.shingles(PROBLEM), leakage.shingles(text))
    if similarity >= 0.6:
        assert GUARD.similarity(leakage.shingles(text)) == similarity
    assert (GUARD.reason(text) is not None) == (similarity >= 0.6)


def test_no_similar_text_escapes_the_index():
    words = leakage.normal(PROBLEM).split()
    for pair in itertools.combinations(range(WORDS), 2):
        text = " ".join("new" if position in pair else word for position, word in enumerate(words))
        similar = leakage.jaccard(leakage.shingles(PROBLEM), leakage.shingles(text)) >= 0.6
        assert (GUARD.reason(text) == leakage.NEAR_DUPLICATE) == similar


def test_a_problem_of_few_words_is_found():
    guard = leakage.Guard([item(prompt="Sell all cows.\nGo.")], 0.6)
    assert guard.reason("They want to sell all cows and no goats at the market.") == leakage.EXACT
    assert guard.reason("They want to sell all goats.") is None


def test_the_instruction_is_no_part_of_the_problem():
    assert leakage.Guard([item(prompt=f"{PROBLEM}\nUse one integer variable per product. Go.")], 0.6).reason(PROBLEM)
