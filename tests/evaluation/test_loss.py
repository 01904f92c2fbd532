"""Losses of a random model against the same worked out token by token."""

import pyarrow as pa
import pytest
import torch
from torch import nn

from trex.common import files
from trex.corpus import chat
from trex.evaluation import loss

CONTEXT = 64


def loss_of(model, tokens: list[int], start: int) -> float:
    """The mean loss from `start` on, token by token."""
    row = torch.tensor([tokens])
    logits = model(row, torch.ones_like(row), torch.arange(len(tokens))[None])[0]
    return nn.functional.cross_entropy(logits[start - 1 : -1], row[0, start:]).item()


@torch.no_grad()
def test_answer_loss_counts_answers_alone(model, tokenizer, items):
    fitting = [item for item in items if len(item.prompt) < 40]
    found = loss.answer_loss(model, tokenizer, fitting[:1], CONTEXT, 2)
    tokens, start = chat.encode_sample(tokenizer, fitting[0].prompt, fitting[0].answer)
    assert found["all"]["n_tokens"] == len(fitting[0].answer) + 1
    assert found["all"]["loss"] == pytest.approx(loss_of(model, tokens, start), abs=2e-5)
    assert found["all"] == found["easy"] and "hard" not in found


def test_answer_loss_is_a_mean_over_tokens_by_difficulty(model, tokenizer, items):
    found = loss.answer_loss(model, tokenizer, items, CONTEXT, 3)
    assert found["too_long"] == 2
    total = sum(found[name]["loss"] * found[name]["n_tokens"] for name in ("easy", "hard"))
    assert found["all"]["loss"] == pytest.approx(total / found["all"]["n_tokens"], abs=1e-5)
    assert found["all"]["n"] == found["easy"]["n"] + found["hard"]["n"] == 5


def test_losses_do_not_depend_on_the_batch(model, tokenizer, items):
    sequences = [chat.encode_sample(tokenizer, item.prompt, item.answer) for item in items]
    alone = loss.summed_losses(model, sequences, 1)
    assert loss.summed_losses(model, sequences, 4) == pytest.approx(alone, rel=1e-5)
    assert loss.summed_losses(model, sequences[::-1], 7)[::-1] == pytest.approx(alone, rel=1e-5)


def test_retention_takes_so_many_tokens(model, tokenizer):
    texts = ["y" * 100, "z" * 500]
    found = loss.retention_loss(model, tokenizer, texts, CONTEXT, 200, 4)
    # Pieces of 64: 64 + 38 of the first text, 64 + 64 of the second; the first token of each is not learned.
    assert found["n"] == 4 and found["n_tokens"] == 63 + 37 + 63 + 63


def test_an_unanswered_suite_has_no_loss(model, tokenizer, make_item):
    assert loss.answer_loss(model, tokenizer, [make_item(answer=None)], CONTEXT, 2)["all"] == {
        "loss": None,
        "n": 0,
        "n_tokens": 0,
    }


def test_command(step, tmp_path):
    general = [{"doc_id": "a", "source": "a", "split": "validation", "text": "z" * 90}]
    files.write_parquet(tmp_path / "general.parquet", pa.Table.from_pylist(general), {})
    said = step("loss", "--general", tmp_path / "general.parquet", "--out", tmp_path / "loss.json")
    assert said.startswith("loss: answers ") and said.count("\n") == 1
    found = files.read_json(tmp_path / "loss.json")
    assert (found["answer_loss"]["all"]["n"], found["retention"]["n_tokens"]) == (5, 63 + 27)
