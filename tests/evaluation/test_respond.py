"""Responses of a random model: their order, which are not asked, what examples and chance do, what batches do not."""

import dataclasses
import json

import pytest

from trex.common import files
from trex.common.errors import UserError
from trex.corpus import chat
from trex.evaluation import protocol as protocols
from trex.evaluation import respond
from trex.evaluation.few_shot import Example
from trex.evaluation.protocol import Protocol
from trex.model.generate import generate

CONTEXT = 64
GREEDY = Protocol(model="sft", samples=1, temperature=0.0, top_p=1.0, seed=1, max_tokens=6, shots=0)
DRAWN = dataclasses.replace(GREEDY, samples=3, temperature=0.8, top_p=0.9)
SHOWN = dataclasses.replace(GREEDY, shots=2, selection="bm25")
POOL = [Example("Mix tea.", "x=1"), Example("Two paints?", "x=2"), Example("hours", "x=3")]


@pytest.fixture
def answer(model, tokenizer, items):
    def rows(protocol, batch_size=3, context=CONTEXT, asked=items, pool=()) -> list[dict]:
        return respond.respond(model, tokenizer, asked, context, batch_size, protocol, list(pool))

    return rows


def test_rows_follow_the_items(answer, items):
    rows = answer(GREEDY)
    assert [row["id"] for row in rows] == [item.item_id for item in items]
    assert [row["sha256"] for row in rows] == [item.sha256 for item in items]
    assert [row["n_prompt_tokens"] for row in rows] == [len(item.prompt.encode()) + 3 for item in items]


def test_what_does_not_fit_is_not_asked(answer):
    rows = answer(GREEDY)
    too_long = [row["id"] for row in rows if row["finish"] == "prompt_too_long"]
    assert too_long == ["own/3"]  # 56 + 3 + 6 tokens; 55 + 3 + 6 just fit
    assert (rows[3]["response"], rows[3]["n_tokens"]) == ("", 0)


def test_greedy_answers_are_those_of_the_model(answer, model, tokenizer, items):
    written = generate(model, [chat.encode_prompt(tokenizer, item.prompt) for item in items[:3]], 6, {chat.EOS})
    assert [row["response"] for row in answer(GREEDY)[:3]] == [chat.decode(tokenizer, tokens) for tokens in written]


@pytest.mark.parametrize("protocol", [GREEDY, DRAWN, SHOWN])
def test_batches_and_other_items_change_nothing(answer, items, protocol):
    alone = answer(protocol, batch_size=1, context=200, pool=POOL)
    assert answer(protocol, context=200, pool=POOL) == alone
    assert answer(protocol, context=200, asked=items[4:], pool=POOL) == alone[4 * protocol.samples :]


def test_several_answers_of_an_item_stand_together_and_differ(answer, items):
    rows = answer(DRAWN)
    assert [row["id"] for row in rows] == [item.item_id for item in items for _ in range(3)]
    assert len({row["response"] for row in rows[:3]}) > 1
    assert [row["finish"] for row in rows[9:12]] == ["prompt_too_long"] * 3


def test_a_later_seed_starts_with_a_later_attempt(answer):
    """As the authors' attempts do: the one that is asked with seed + i."""
    later = answer(dataclasses.replace(DRAWN, seed=2, samples=2))
    assert later == [row for n, row in enumerate(answer(DRAWN)) if n % 3]


def test_items_do_not_share_their_draws(answer, items):
    twins = [dataclasses.replace(items[0], item_id=f"own/{n}") for n in range(4)]
    assert len({row["response"] for row in answer(dataclasses.replace(DRAWN, samples=1), asked=twins)}) > 1


def test_examples_stand_before_the_problem(model, tokenizer, items):
    (given,) = respond.encoded(tokenizer, items[1:2], SHOWN, POOL)
    assert given == chat.encode_turns(tokenizer, [("Mix tea.", "x=1"), ("Two paints?", "x=2")], "Mix two paints.")


def test_a_prompt_that_its_examples_make_too_long_is_not_asked(answer):
    rows = answer(SHOWN, pool=POOL)
    assert [row["finish"] == "prompt_too_long" for row in rows] == [row["n_prompt_tokens"] + 6 > 64 for row in rows]
    assert [row["id"] for row in rows if row["finish"] == "prompt_too_long"] == ["own/2", "own/3"]


def test_finish_tells_stopped_from_cut_off(model, tokenizer, items):
    prompt = chat.encode_prompt(tokenizer, items[0].prompt)
    (answer,) = generate(model, [prompt], 6, {chat.EOS})
    stopped = respond.row_of(items[0], prompt, answer[:3], tokenizer, 6)
    cut = respond.row_of(items[0], prompt, [100] * 6, tokenizer, 6)
    assert (stopped["finish"], stopped["n_tokens"], cut["finish"], cut["n_tokens"]) == ("stop", 3, "length", 6)


def test_command(step, answer, tmp_path):
    said = step("respond", "--out", tmp_path / "responses.jsonl")
    assert said.startswith("responses: 7 items") and said.count("\n") == 1
    assert files.read_jsonl(tmp_path / "responses.jsonl") == answer(GREEDY)
    assert protocols.beside(tmp_path / "responses.jsonl") == GREEDY


def test_command_with_examples(step, decoding, answer, tmp_path):
    lines = [json.dumps(dataclasses.asdict(example)) for example in POOL]
    (tmp_path / "pool.jsonl").write_text("\n".join(lines), encoding="utf-8")
    decoding["protocol"] |= {"shots": 2, "samples": 3, "temperature": 0.8, "top_p": 0.9}
    settings = json.dumps(decoding)
    step("respond", "--settings", settings, "--pool", tmp_path / "pool.jsonl", "--out", tmp_path / "responses.jsonl")
    stated = protocols.beside(tmp_path / "responses.jsonl")
    digest = files.read_json(files.sidecar(tmp_path / "responses.jsonl"))["provenance"]["inputs"]["pool"]
    assert stated == dataclasses.replace(DRAWN, shots=2, selection="bm25", pool=digest)
    assert files.read_jsonl(tmp_path / "responses.jsonl") == answer(stated, pool=POOL)


WRONG = {
    "samples": [0, 1.5, True, None],
    "temperature": [-0.1, float("nan"), float("inf"), "warm", None],
    "top_p": [0, 1.01, -1, None],
    "seed": ["one", 0.5, None],
    "shots": [-1, 2.0, None],
    "selection": ["nearest", ["bm25"], None],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_setting_that_cannot_be_is_named(decoding, name, value):
    decoding["protocol"][name] = value
    with pytest.raises(UserError, match=f"protocol: {name} is "):
        respond.protocol_of(decoding, "sft", None)


def test_max_new_tokens_that_cannot_be_are_named(decoding):
    with pytest.raises(UserError, match="protocol: max_tokens is 0"):
        respond.protocol_of(decoding | {"max_new_tokens": 0}, "sft", None)


def test_shots_and_pool_belong_together(decoding, tmp_path):
    with pytest.raises(UserError, match="--pool belongs to shots above 0"):
        respond.protocol_of(decoding, "sft", tmp_path / "pool.jsonl")
    decoding["protocol"]["shots"] = 3
    with pytest.raises(UserError, match="shots is 3; give --pool"):
        respond.protocol_of(decoding, "sft", None)
    with pytest.raises(UserError, match="no such file"):
        respond.protocol_of(decoding, "sft", tmp_path / "pool.jsonl")


def test_a_sidecar_whose_protocol_cannot_be_is_named(tmp_path):
    sidecar = files.sidecar(tmp_path / "responses.jsonl")
    sidecar.write_text(json.dumps({"protocol": {"samples": 0}}), encoding="utf-8")
    with pytest.raises(UserError, match=r"responses.jsonl.meta.json: its `protocol` is none .*samples is 0"):
        protocols.beside(tmp_path / "responses.jsonl")
