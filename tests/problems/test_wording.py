import random
import re

import pytest

from trex.corpus.numerals import numerals
from trex.problems import families, wording
from trex.problems.family import MONEY, SHARE, Axis, Fact
from trex.problems.voice import Voice

ITEM = Axis("item", "items", ("tent", "rope"))
SITE = Axis("site", "sites", ("A", "B", "C"))
AREA = Axis("area", "areas", ("north", "south"))
VALUE = Fact("v", [4, 5], "value", ("value",), (ITEM,))
WEIGHT = Fact("w", [6, 7], "weight", ("value", "mass"), (ITEM,))
VALUE_TOO = Fact("v", [4, 5], "value", ("value", "v", "worth"), (ITEM,))
LIMIT = Fact("b", 8, "limit", ("limit",))
REACH = Fact("r", [[1, 3], [2]], "sites that cover", ("reach",), (AREA, SITE), ragged=True)
COST = Fact("c", [1, 2, 3], "cost", ("cost",), (SITE,))


def voice(seed, difficulty="small", heldout=False):
    return Voice(random.Random(seed), difficulty, heldout)


def knapsack(number, difficulty, mode="DP", heldout=False):
    family = families.load("knapsack")
    rng = random.Random(number)
    return wording.state(family, family.draw(rng, difficulty), mode, Voice(rng, difficulty, heldout))


def test_small_problems_end_with_the_goal_and_others_not_always():
    endings = {
        difficulty: {knapsack(number, difficulty).problem.endswith("value.") for number in range(40)}
        for difficulty in ("small", "medium")
    }
    assert endings == {"small": {True}, "medium": {True, False}}


def test_facts_come_in_any_order_and_the_code_follows_the_text():
    orders = {tuple(fact.symbol for fact in knapsack(number, "medium").facts) for number in range(40)}
    assert len(orders) > 5
    for number in range(40):
        told = knapsack(number, "medium")
        assert [line.split()[0] for line in told.data_code] == [fact.symbol for fact in told.facts]
        places = [
            re.search(rf"(?<!total )\b{fact.label}", told.data_text, re.IGNORECASE).start() for fact in told.facts
        ]
        assert places == sorted(places)


def test_choices_of_one_kind_do_not_depend_on_those_of_another():
    """The same voice in held-out words has the same names, numbers and order."""
    for number in range(20):
        usual, heldout = knapsack(number, "medium"), knapsack(number, "medium", heldout=True)
        assert usual.problem != heldout.problem
        assert usual.facts == heldout.facts and usual.code == heldout.code


def test_an_aside_is_no_part_of_the_code():
    found = 0
    for number in range(60):
        told = knapsack(number, "large", "DPS")
        keys, used = re.findall(r'"(\w+)" \(', told.problem), re.findall(r'data\["(\w+)"\]', told.code)
        extra = set(keys) - set(used)
        assert extra <= {key for key, _ in wording.ASIDE_KEYS}
        found += len(extra)
    assert 10 < found < 50


@pytest.mark.parametrize("kind", [MONEY, SHARE])
def test_money_and_shares_carry_their_sign(kind):
    fact = Fact("c", 1250, "fee", ("fee",), kind=kind)
    shown = {wording.sentence(fact, voice(seed, "large")) for seed in range(80)}
    sign = r"\$|€|£|dollars|euros|pounds" if kind == MONEY else r"%| percent"
    signed = [text for text in shown if re.search(rf"({sign})", text)]
    assert len(signed) > 3 and (kind == MONEY or len(signed) == len(shown))
    assert {round(float(value), 9) for text in shown for value in numerals(text)} == {1250 if kind == MONEY else 12.5}


def test_numbers_in_prose_are_digits_or_words_and_lists_are_digits():
    limits = {wording.sentence(LIMIT, voice(seed, "large")) for seed in range(80)}
    assert any(" eight" in text for text in limits) and any("8" in text for text in limits)
    lists = {wording.sentence(WEIGHT, voice(seed, "large")) for seed in range(80)}
    assert all(re.search(r"6\D+7", text) for text in lists) and len(lists) >= 3


def test_symbols_say_that_a_share_is_in_percent():
    text = wording.given(Fact("s", [30, 5], "share", ("share",), (ITEM,), kind=SHARE), voice(1))
    assert "s = [30, 5]" in text and "share in percent" in text.lower()


def test_lists_over_the_same_columns_share_a_table():
    assert wording.grouped([VALUE, LIMIT, COST, WEIGHT, REACH]) == [[VALUE, WEIGHT], [COST], [REACH]]
    assert wording.by_table([VALUE, LIMIT, COST, WEIGHT]) == [LIMIT, VALUE, WEIGHT, COST]


def test_tables():
    assert wording.table([VALUE, WEIGHT], voice(1)) == (
        "| item | tent | rope |\n| - | - | - |\n| value | 4 | 5 |\n| weight | 6 | 7 |"
    )
    assert wording.table([REACH], voice(1)) == "| area | sites that cover |\n| - | - |\n| north | 1, 3 |\n| south | 2 |"
    turned = "| item | value | weight |\n| - | - | - |\n| tent | 4 | 6 |\n| rope | 5 | 7 |"
    assert turned in {wording.table([VALUE, WEIGHT], voice(seed, "large")) for seed in range(20)}


def test_keys_of_a_file_differ_from_each_other():
    for seed in range(20):
        assert wording.drawn_keys([VALUE, WEIGHT], voice(seed)) == ["value", "mass"]


def test_usual_keys_are_the_first_that_are_free():
    drawn = [tuple(wording.drawn_keys([WEIGHT, VALUE_TOO, LIMIT], voice(seed))) for seed in range(40)]
    assert drawn.count(("value", "v", "limit")) > 20 and len(set(drawn)) > 1


def test_names_stand_in_the_introduction_only_where_a_list_may_leave_them_out():
    first = {mode: knapsack(5, "small", mode).problem.split(". ")[0] for mode in wording.MODES}
    assert first["DP"].count(",") >= 2
    assert "items" in first["DPS"] and "items" in first["DT"]
    assert knapsack(5, "small", "DT").problem.endswith("|\n")


def test_a_list_says_what_it_runs_over_where_its_members_are_not_named():
    matrix = Fact("c", [[1, 2, 3], [4, 5, 6]], "cost", ("cost",), (AREA, SITE))
    for seed in range(10):
        assert "by area and site" in wording.given(matrix, voice(seed))
        assert "for each area" in wording.given(REACH, voice(seed))
        text = wording.sentence(WEIGHT, voice(seed, heldout=seed % 2 == 0))
        assert "tent" in text or "by item" in text
