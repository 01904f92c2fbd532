"""Which examples are chosen, which are withheld, and which pools are refused."""

import dataclasses
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.benchmarks.item import write_suite
from trex.common import files
from trex.common.errors import UserError
from trex.evaluation import few_shot
from trex.evaluation.few_shot import SELECTIONS, Example, Selector

THINGS = ("bread", "paint", "steel", "milk", "wool", "glass", "tea", "rope")
POOL = [Example(f"A shop buys {thing} for {n} days and wants it cheap.", f"x = {n}") for n, thing in enumerate(THINGS)]
DETAILED = "A bakery makes white and rye bread. White takes 2 hours, rye 3 hours, there are 40 hours. Earn most."
CONCISE = "max 3x + 2y subject to 2x + 3y <= 40"


@pytest.fixture
def choose(make_item):
    """The prompts of the examples chosen for a prompt."""

    def of(pool, prompt, shots, selection="bm25", seed=1, **item) -> list[str]:
        chosen = Selector(pool, selection, seed).choose(make_item(prompt=prompt, **item), shots)
        return [example.prompt for example in chosen]

    return of


def told(texts, answer="x = 1", clusters=None) -> list[Example]:
    return [
        Example(text, answer, cluster) for text, cluster in zip(texts, clusters or [None] * len(texts), strict=True)
    ]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_selection_gives_as_many_as_asked_and_none_twice(choose, selection):
    chosen = choose(POOL, "Weave wool and rope.", 5, selection)
    assert len(set(chosen)) == 5
    assert choose(POOL, "Weave wool and rope.", 5, selection) == chosen
    assert choose(POOL, "Weave wool and rope.", 0, selection) == []


def test_bm25_shows_the_most_alike_last_and_ties_in_the_pools_order(choose):
    chosen = choose(POOL, "Weave wool and rope, mostly rope.", 4)
    assert chosen == [POOL[n].prompt for n in (1, 0, 4, 7)]


def test_numbers_do_not_make_two_problems_alike(choose):
    assert choose(told(["Boil 7 eggs.", "Fry 9 fish."]), "Ship fish, 7 or 7 or 7 of it.", 1) == ["Fry 9 fish."]


def test_an_items_draw_does_not_depend_on_other_items_or_on_what_was_drawn_before(make_item):
    first, second = make_item(item_id="own/1", prompt="a"), make_item(item_id="own/2", prompt="a")
    selector = Selector(POOL, "random", 1)
    drawn = selector.choose(first, 4)
    assert selector.choose(second, 4) != drawn
    assert selector.choose(first, 4) == drawn == Selector(POOL, "random", 1).choose(first, 4)
    assert Selector(POOL, "random", 2).choose(first, 4) != drawn


def test_mmr_by_hand(choose):
    """After the best one its near copy is worth less than another that is alike in fewer words."""
    copy, other = "pack fresh fish in ice boxes now", "ice boxes"
    pool = told(["unlike this", "pack fresh fish in ice boxes", copy, other])
    prompt = "pack fresh fish, ice, boxes"
    assert choose(pool, prompt, 2) == [copy, pool[1].prompt]
    assert choose(pool, prompt, 2, "mmr") == [other, pool[1].prompt]
    assert choose(pool, prompt, 1, "mmr") == choose(pool, prompt, 1)


def test_mmr_looks_at_the_best_candidates_only(choose, monkeypatch):
    monkeypatch.setattr(few_shot, "CANDIDATES", 2)
    pool = told(["wool rope", "wool rope now", "steel"])
    assert choose(pool, "wool and rope", 2, "mmr") == ["wool rope now", "wool rope"]
    assert len(choose(pool, "wool and rope", 3, "mmr")) == 3


@pytest.mark.parametrize("selection", SELECTIONS)
def test_the_item_and_its_twin_are_withheld(choose, selection):
    pool = [*told([DETAILED, CONCISE], clusters=["pair-3"] * 2), *POOL]
    for prompt in (DETAILED, CONCISE):
        assert not {DETAILED, CONCISE} & set(choose(pool, prompt, 8, selection, cluster="pair-3"))


def test_a_twin_is_withheld_where_the_pool_calls_the_pair_by_another_name(choose):
    pool = [*told([DETAILED, CONCISE], clusters=["theirs-3"] * 2), *POOL]
    assert not {DETAILED, CONCISE} & set(choose(pool, DETAILED, 8, cluster="ours-3"))


@pytest.mark.parametrize(
    "retold",
    [
        DETAILED.upper().replace(" ", "\n  "),
        f"You are an expert. Answer in code alone.\n\n{DETAILED}\nWrite MathOpt code.",
        DETAILED.replace("Earn most.", "Maximise the profit."),
    ],
)
def test_the_same_text_with_trimmings_is_withheld_without_clusters(choose, retold):
    assert retold not in choose([*told([retold]), *POOL], DETAILED, 8)


def test_other_numbers_are_another_problem(choose):
    other = DETAILED.replace("2", "5").replace("3", "7").replace("40", "90").replace("rye", "oat")
    assert choose([*POOL, *told([other])], DETAILED, 1) == [other]


def test_a_prompt_that_stands_in_the_pool_twice_is_shown_once(choose):
    assert len(set(choose([*POOL, *POOL], "Weave wool.", 8))) == 8
    with pytest.raises(UserError, match="has 8 examples"):
        choose([*POOL, *POOL], "Weave wool.", 9)


def test_a_text_of_two_clusters_goes_with_both(choose):
    """The item's cluster has a text that stands in the pool before it, under another name."""
    pool = [*told([CONCISE, DETAILED, CONCISE], clusters=["a", "b", "b"]), *POOL]
    assert not {DETAILED, CONCISE} & set(choose(pool, "Something else", 8, cluster="b"))


def test_too_few_examples_are_refused_by_the_items_name(choose):
    with pytest.raises(UserError, match=r"7 examples that own/mix-0 may be shown, 8 shots need more"):
        choose(POOL, POOL[0].prompt, 8)


def test_an_unknown_selection_is_refused():
    with pytest.raises(UserError, match="selection is 'nearest'; give one of random, bm25, mmr"):
        Selector(POOL, "nearest", 1)


TEXT = st.text("aB 1é?\n", max_size=12)


@given(st.lists(TEXT, min_size=1, max_size=6), TEXT, st.sampled_from(SELECTIONS), st.integers(1, 4))
def test_any_texts(pool, prompt, selection, shots):
    """Either so many different texts, none of them the item's, or a refusal; warnings are none of it."""
    item = dataclasses.make_dataclass("Asked", ["item_id", "prompt", "cluster"])("i", prompt, "i")
    try:
        chosen = Selector(told(pool), selection, 1).choose(item, shots)
    except UserError:
        return
    said = [" ".join(example.prompt.lower().split()) for example in chosen]
    assert len(set(said)) == shots and " ".join(prompt.lower().split()) not in said


def write_lines(path, *lines):
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_pool_of_lines(tmp_path):
    rows = {"prompt": "p", "answer": "a", "more": 1}, "", {"prompt": "q", "answer": "b", "cluster": "c"}
    pool = few_shot.read_pool(write_lines(tmp_path / "pool.jsonl", *rows))
    assert pool == [Example("p", "a"), Example("q", "b", "c")]


def test_a_suite_is_a_pool(tmp_path, items):
    write_suite(tmp_path / "own.parquet", items, {})
    pool = few_shot.read_pool(tmp_path / "own.parquet")
    assert pool == [Example(item.prompt, item.answer, item.cluster) for item in items]


def test_samples_are_a_pool(tmp_path):
    messages = [{"role": "user", "content": "p"}, {"role": "assistant", "content": "a"}]
    table = pa.Table.from_pylist([{"sample_id": "mix-1", "instance_id": "mix-00007", "messages": messages}])
    files.write_parquet(tmp_path / "sft.parquet", table, {})
    assert few_shot.read_pool(tmp_path / "sft.parquet") == [Example("p", "a", "mix-00007")]


GOOD = {"prompt": "p", "answer": "a"}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not valid JSON"),
        ([], "not an object"),
        ({"prompt": "p"}, "the answer is missing"),
        ({"prompt": " ", "answer": "a"}, "the prompt is missing"),
        (GOOD | {"cluster": 3}, "cluster is no text"),
        ({"messages": None}, "the prompt is missing"),
        ({"messages": [{"role": "user", "content": "p"}]}, "the prompt is missing"),
        ({"messages": [{"role": [], "content": "p"}, "x"]}, "the prompt is missing"),
    ],
)
def test_a_row_that_is_no_example_is_named(tmp_path, line, fault):
    with pytest.raises(UserError, match=rf"pool.jsonl, line 3: .*{fault}"):
        few_shot.read_pool(write_lines(tmp_path / "pool.jsonl", GOOD, "", line))


def test_a_row_of_a_table_is_named_and_an_empty_pool_refused(tmp_path, items):
    write_suite(tmp_path / "own.parquet", [items[0], dataclasses.replace(items[1], answer=None)], {})
    with pytest.raises(UserError, match=r"own.parquet, row 2: the answer is missing"):
        few_shot.read_pool(tmp_path / "own.parquet")
    with pytest.raises(UserError, match="holds no examples"):
        few_shot.read_pool(write_lines(tmp_path / "pool.jsonl", ""))
    with pytest.raises(UserError, match="no such file"):
        few_shot.read_pool(tmp_path / "none.jsonl")
