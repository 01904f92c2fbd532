"""Responses of a random model: in which order, which are not asked, and that batches change nothing."""

from trex.common import files
from trex.corpus import chat
from trex.evaluation import respond
from trex.model.generate import generate

CONTEXT = 64


def test_rows_follow_the_items(model, tokenizer, items, decoding):
    rows = respond.respond(model, tokenizer, items, CONTEXT, decoding)
    assert [row["item_id"] for row in rows] == [item.item_id for item in items]
    assert [row["sha256"] for row in rows] == [item.sha256 for item in items]
    assert [row["n_prompt_tokens"] for row in rows] == [len(item.prompt.encode()) + 3 for item in items]


def test_what_does_not_fit_is_not_asked(model, tokenizer, items, decoding):
    rows = respond.respond(model, tokenizer, items, CONTEXT, decoding)
    too_long = [row["item_id"] for row in rows if row["finish"] == "prompt_too_long"]
    assert too_long == ["own/3"]  # 56 + 3 + 6 tokens; 55 + 3 + 6 just fit
    assert (rows[3]["response"], rows[3]["n_tokens"]) == ("", 0)


def test_batches_change_nothing(model, tokenizer, items, decoding):
    alone = respond.respond(model, tokenizer, items, CONTEXT, decoding | {"batch_size": 1})
    assert respond.respond(model, tokenizer, items, CONTEXT, decoding) == alone
    assert respond.respond(model, tokenizer, items[::-1], CONTEXT, decoding)[::-1] == alone


def test_finish_tells_stopped_from_cut_off(model, tokenizer, items):
    prompt = chat.encode_prompt(tokenizer, items[0].prompt)
    (answer,) = generate(model, [prompt], 6, chat.EOS)
    stopped = respond.row_of(items[0], prompt, answer[:3], tokenizer, 6)
    cut = respond.row_of(items[0], prompt, [100] * 6, tokenizer, 6)
    assert (stopped["finish"], stopped["n_tokens"], cut["finish"], cut["n_tokens"]) == ("stop", 3, "length", 6)


def test_command(step, model, tokenizer, items, decoding, tmp_path):
    said = step("respond", "--out", tmp_path / "responses.jsonl")
    assert said.startswith("responses: 7 items") and said.count("\n") == 1
    assert files.read_jsonl(tmp_path / "responses.jsonl") == respond.respond(model, tokenizer, items, CONTEXT, decoding)
