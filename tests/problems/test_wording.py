import random

from trex.problems import families, wording
from trex.problems.family import Axis, Fact

ITEM = Axis("item", "items", ("tent", "rope"))
SITE = Axis("site", "sites", ("A", "B", "C"))
AREA = Axis("area", "areas", ("north", "south"))
VALUE = Fact("v", [4, 5], "value", ("value",), (ITEM,))
WEIGHT = Fact("w", [6, 7], "weight", ("value", "mass"), (ITEM,))
VALUE_TOO = Fact("v", [4, 5], "value", ("value", "v", "worth"), (ITEM,))
LIMIT = Fact("b", 8, "limit", ("limit",))
REACH = Fact("r", [[1, 3], [2]], "sites that cover", ("reach",), (AREA, SITE), ragged=True)
COST = Fact("c", [1, 2, 3], "cost", ("cost",), (SITE,))


def test_easy_problems_keep_the_order_and_end_with_the_goal():
    family = families.load("knapsack")
    for number in range(20):
        rng = random.Random(number)
        data = family.draw(rng, "easy")
        statement = wording.state(family, data, "DP", "easy", rng)
        assert statement.code.index("v = [") < statement.code.index("w = [") < statement.code.index("b = ")
        assert statement.problem.endswith(("Maximize total value.", "Find the highest value."))


def test_other_problems_do_not_always_keep_it():
    family = families.load("knapsack")
    orders, endings = set(), set()
    for number in range(40):
        rng = random.Random(number)
        statement = wording.state(family, family.draw(rng, "medium"), "DP", "medium", rng)
        orders.add(statement.code.index("v = [") < statement.code.index("w = ["))
        endings.add(statement.problem.endswith(("Maximize total value.", "Find the highest value.")))
    assert orders == endings == {True, False}


def test_lists_over_the_same_columns_share_a_table():
    assert wording.grouped([VALUE, LIMIT, COST, WEIGHT, REACH]) == [[VALUE, WEIGHT], [COST], [REACH]]
    assert wording.by_table([VALUE, LIMIT, COST, WEIGHT]) == [LIMIT, VALUE, WEIGHT, COST]


def test_tables():
    assert wording.table([VALUE, WEIGHT], "easy", random.Random(1)) == (
        "| item | tent | rope |\n| - | - | - |\n| value | 4 | 5 |\n| weight | 6 | 7 |"
    )
    assert wording.table([REACH], "easy", random.Random(1)) == (
        "| area | sites that cover |\n| - | - |\n| north | 1, 3 |\n| south | 2 |"
    )
    turned = "| item | value | weight |\n| - | - | - |\n| tent | 4 | 6 |\n| rope | 5 | 7 |"
    assert turned in {wording.table([VALUE, WEIGHT], "hard", random.Random(seed)) for seed in range(20)}


def test_keys_of_a_file_differ_from_each_other():
    for seed in range(20):
        assert wording.drawn_keys([VALUE, WEIGHT], random.Random(seed), usual=False) == ["value", "mass"]


def test_names_stand_in_the_introduction_only_where_a_list_may_leave_them_out():
    family, data = families.load("assignment"), {"value": [[1, 2], [3, 4]], "sense": "min"}
    shown = {mode: wording.state(family, data, mode, "easy", random.Random(5)).problem for mode in wording.MODES}
    names = shown["DP"].split(". ")[0].removeprefix("Assign ").removeprefix("Match ")
    assert names.count(",") == 2
    assert "workers" in shown["DPS"].split(". ")[0]
    assert shown["DT"].endswith("|\n")


def test_usual_keys_are_the_first_that_are_free():
    for seed in range(20):
        assert wording.drawn_keys([WEIGHT, VALUE_TOO, LIMIT], random.Random(seed), usual=True) == [
            "value",
            "v",
            "limit",
        ]
