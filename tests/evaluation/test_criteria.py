"""What counts as passed, and which rows count."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluation.score_rows import public_row, row

from trex.common.statistics import wilson
from trex.evaluation import criteria
from trex.evaluation.criteria import at_k, estimate, views

BUILD = {"criterion": "structure", "passed_abs": None, "passed_rel": None}


@st.composite
def rows(draw, most_attempts: int = 3) -> list[dict]:
    """Scores of a few items, some in pairs, with all that views look at."""
    found = []
    for number in range(draw(st.integers(1, 8))):
        about = {
            "cluster": draw(st.sampled_from([f"item-{number}", "a pair"])),
            "criterion": draw(st.sampled_from(["objective", "structure"])),
            "known_bad": draw(st.sampled_from(["", "", "wrong label"])),
        }
        for attempt in range(draw(st.integers(1, most_attempts))):
            failure = draw(st.sampled_from(["passed", "wrong_objective", "unsupported", "api", "degenerate"]))
            structure = draw(st.sampled_from(["objective_equivalent", "different"]))
            passed = failure == "passed"
            about |= {"structure": "isomorphic" if passed else structure, "passed_abs": passed and draw(st.booleans())}
            found.append(row(number, passed, attempt, failure_class=failure, **about))
    return found


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([], []),
        ([public_row(1, True)], ["objective_rel", "objective_abs", "legacy"]),
        ([row(1, True, structure=None, structure_right=None)], ["objective_rel", "objective_abs"]),
        ([row(1, True, **BUILD)], ["structure", "structure_or_equivalent"]),
        (
            [row(1, True), row(2, True, **BUILD)],
            ["by_item", "objective_rel", "objective_abs", "structure", "structure_or_equivalent"],
        ),
    ],
)
def test_the_deciding_criterion_is_first_and_only_those_that_apply_are_listed(members, expected):
    assert criteria.criteria(members) == expected


@settings(max_examples=50)
@given(rows())
def test_the_deciding_criterion_is_what_passed_says(members):
    by_passed = criteria.estimate_by(members, lambda found: found["passed"])
    assert estimate(members, criteria.criteria(members)[0]) == by_passed


@settings(max_examples=50)
@given(rows())
def test_a_stricter_criterion_passes_no_more(members):
    listed = criteria.criteria(members)
    for strict, loose in (("objective_abs", "objective_rel"), ("structure", "structure_or_equivalent")):
        if strict in listed:
            assert estimate(members, strict).passed <= estimate(members, loose).passed


def test_an_equivalent_model_counts_apart():
    members = [row(1, True, **BUILD), row(2, False, **BUILD, structure="objective_equivalent"), row(3, False, **BUILD)]
    assert [estimate(members, name).passed for name in ("structure", "structure_or_equivalent")] == [1, 2]


@pytest.mark.parametrize("failure", ["degenerate", "hard_coded"])
def test_a_typed_in_answer_is_no_model_of_the_problem(failure):
    members = [row(1, False, **BUILD, structure="isomorphic", failure_class=failure)]
    assert {estimate(members, name).passed for name in criteria.criteria(members)} == {0}


@settings(max_examples=100)
@given(rows(), st.booleans())
def test_views_nest(members, public):
    found = views(members, public)
    full = next(iter(found))
    assert full == ("as published" if public else "own") and found[full] == members
    held = {name: {id(one) for one in rows} for name, rows in found.items()}
    for name in list(held)[1:]:
        assert set() < held[name] < held[full]
    if "without known-bad and unsupported" in held:
        both = held["without known-bad and unsupported"]
        assert both == held["without known-bad"] & held["without unsupported"]
        assert both < held["without known-bad"] and both < held["without unsupported"]


def test_views_by_hand():
    members = [
        public_row(1, True),
        public_row(2, False, failure_class="unsupported"),
        public_row(3, False, known_bad="label"),
        public_row(4, False, failure_class="unanswered"),
        public_row(5, False, failure_class="api"),
    ]
    assert {name: len(found) for name, found in views(members, public=True).items()} == {
        "as published": 5,
        "answered": 3,
        "without known-bad": 4,
        "without unsupported": 4,
        "without known-bad and unsupported": 3,
    }
    assert list(views(members[:2], public=False)) == ["own", "without unsupported"]
    assert list(views(members[3:], public=True)) == ["as published"]


def test_a_set_is_public_where_it_is_scored_by_the_authors_rules():
    """By its scores, not its name: a set of the user's own YAML file is none of ours."""
    assert criteria.is_public([public_row(1, False)]) and not criteria.is_public([row(1, True)])


@settings(max_examples=50)
@given(rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(members, rng):
    names = criteria.criteria(members)
    before = [estimate(members, name) for name in names], at_k(members)
    rng.shuffle(members)
    assert ([estimate(members, name) for name in criteria.criteria(members)], at_k(members)) == before


@settings(max_examples=50)
@given(rows(), st.integers(2, 3))
def test_the_same_attempts_again_change_no_pass_at_1(members, times):
    criterion = criteria.criteria(members)[0]
    again = [one | {"attempt": one["attempt"] + 10 * number} for one in members for number in range(times)]
    assert estimate(again, criterion) == estimate(members, criterion)


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_single_attempts_are_wilsons(passed):
    members = [row(number, value) for number, value in enumerate(passed)]
    found = estimate(members, "objective_rel")
    assert (found.n, found.passed, found.low, found.high) == (
        len(passed),
        sum(passed),
        *wilson(sum(passed), len(passed)),
    )


def test_pairs_are_drawn_together():
    members = [row(number, number < 20, cluster=str(number // 2)) for number in range(100)]
    found = estimate(members, "objective_rel")
    assert found.interval == "cluster bootstrap"
    assert (found.low, found.high) == pytest.approx(wilson(10, 50), abs=0.02)


def test_pass_and_acc_at_k():
    """One item passes its second and third of four attempts, the other none of five."""
    members = [row(1, attempt in (1, 2), attempt) for attempt in range(4)]
    members += [row(2, False, attempt) for attempt in range(5)]
    found = at_k(members)
    assert [(one.k, one.attempts, one.estimate.share, one.acc) for one in found] == [
        (1, 4, 0.25, 0.0),
        (2, 4, pytest.approx((1 - 1 / 6) / 2), 0.5),
        (4, 4, 0.5, 0.5),
    ]


def test_an_item_that_nobody_answered_fails_at_every_k():
    members = [row(1, True, attempt) for attempt in range(4)] + [row(2, False, failure_class="unanswered")]
    assert [(one.k, one.attempts, one.estimate.share) for one in at_k(members)] == [(k, 4, 0.5) for k in (1, 2, 4)]
    assert [one.k for one in at_k(members[4:])] == [1]
    assert at_k([]) == []
