import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.common.statistics import wilson


def test_a_published_value():
    """R: prop.test(10, 100, correct = FALSE) and binom::binom.confint(10, 100, methods = "wilson")."""
    assert wilson(10, 100) == pytest.approx((0.05522914, 0.1743657), abs=1e-6)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_holds_the_share_and_mirrors(passed, n):
    passed, n = min(passed, n), max(passed, n)
    low, high = wilson(passed, n)
    assert 0 <= low <= (passed / n if n else 0.5) <= high <= 1
    assert wilson(n - passed, n) == pytest.approx((1 - high, 1 - low))


def test_the_ends_are_exact():
    assert wilson(0, 3)[0] == 0 and wilson(3, 3)[1] == 1
