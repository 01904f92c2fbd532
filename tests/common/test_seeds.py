from hypothesis import given
from hypothesis import strategies as st

from trex.common import seeds

PARTS = st.lists(st.one_of(st.integers(), st.text(alphabet="ab:1 ")), max_size=4)


def test_seeds_are_the_same_on_every_machine_and_python():
    assert seeds.derive(1, "corpus", 7) == 3523450020167662341
    assert [seeds.generator(1, "x").randrange(1000) for _ in range(2)] == [seeds.generator(1, "x").randrange(1000)] * 2


@given(PARTS, PARTS)
def test_different_parts_give_different_seeds(one, other):
    same_text = [str(part) for part in one] == [str(part) for part in other]
    assert (seeds.derive(1, *one) == seeds.derive(1, *other)) == same_text
    assert 0 <= seeds.derive(1, *one) < 2**63


def test_array_generator_repeats():
    assert (seeds.array_generator(3, "a").random(5) == seeds.array_generator(3, "a").random(5)).all()
