"""What a set comes to, of rows written by hand."""

import json

import pytest
from tests.evaluation.score_rows import public_row, row

from trex.evaluation import summary


def test_counts_and_views():
    rows = [
        public_row(0, True, cluster="a"),
        public_row(1, False, cluster="a", failure_class="wrong_sense"),
        public_row(2, False, cluster="b", failure_class="api"),
        public_row(3, False, cluster="c", failure_class="discrete_semantics", known_bad="rounded"),
    ]
    found = summary.summarised(rows, public=True)
    assert (found["items"], found["responses"]) == (4, 4)
    assert list(found["views"]) == ["as published", "answered", "without known-bad"]
    assert found["views"]["without known-bad"]["objective_rel"]["n"] == 3
    assert found["error_families"] == {"structural": 1, "discrete-variable semantics": 1}  # of those that were given
    json.dumps(found, allow_nan=False)


def test_of_an_item_the_best_attempt_is_shown():
    rows = [
        row(0, False, 0, failure_class="syntax", detail="bad"),
        row(0, True, 1),
        row(0, False, 2),
    ]
    (item,) = summary.by_item(rows).to_dict("records")
    assert (item["attempts"], item["passed"], item["failure_class"], item["detail"]) == (3, 1, "passed", "")


@pytest.mark.parametrize("passed", [0, 2])
def test_lines_say_the_share_and_its_interval(passed):
    rows = [row(n, n < passed) for n in range(2)]
    text = summary.lines({"set": "s", "sha256": "0"} | summary.summarised(rows, public=False))
    assert text[0] == "s: 2 items, 2 responses; sha256 0"
    assert any(line.startswith(f"  objective_rel            {passed} of 2 = ") for line in text)
