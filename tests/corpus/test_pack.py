import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file

from tests.corpus.conftest import CORPUS, command
from trex.common import files
from trex.common.errors import UserError
from trex.corpus import chat, pack

PIECES = st.lists(st.tuples(st.integers(2, 40), st.integers(1, 39)).filter(lambda pair: pair[1] < pair[0]), min_size=1)


def documents(arrays):
    """(tokens, positions, learned tokens) of each document, found again in the rows."""
    found = []
    for tokens, document, position, loss in zip(
        arrays["tokens"], arrays["document"], arrays["position"], arrays["loss"], strict=True
    ):
        for number in range(1, document.max() + 1):
            inside = document == number
            found.append((tokens[inside].tolist(), position[inside].tolist(), tokens[inside & (loss == 1)].tolist()))
    return found


@given(PIECES, st.integers(0, 5))
def test_packing_keeps_every_document_whole_once(lengths, seed):
    pieces = [
        pack.Piece([100 * index + position for position in range(length)], learn_from)
        for index, (length, learn_from) in enumerate(lengths, start=1)
    ]
    arrays, counts = pack.packed(pieces, 32, random.Random(seed))
    expected = sorted(
        (p.tokens, list(range(len(p.tokens))), p.tokens[p.learn_from :]) for p in pieces if len(p.tokens) <= 32
    )
    assert sorted(documents(arrays)) == expected
    assert counts["documents"] == len(expected)
    assert counts["dropped_too_long"] == len(pieces) - len(expected)
    assert counts["tokens"] == int((arrays["document"] > 0).sum())
    assert counts["tokens_learned"] == int(arrays["loss"].sum())
    padding = arrays["document"] == 0
    assert not arrays["tokens"][padding].any() and not arrays["loss"][padding].any()


def test_a_document_goes_to_the_fullest_row_that_holds_it():
    pieces = [pack.Piece([1] * length, 1) for length in (6, 5, 4, 3)]
    assert [[len(piece.tokens) for piece in row] for row in pack.best_fit(pieces, 10)] == [[6, 4], [5, 3]]


def test_mixing_takes_the_asked_share_of_general_tokens():
    documents = [pack.Piece([1] * 10, 1)] * 80
    general = [pack.Piece([2] * 20, 1)] * 100
    chosen = pack.mixed(documents, general, 0.2, random.Random(1))
    assert sum(len(piece.tokens) for piece in chosen[80:]) == 200
    assert pack.mixed(documents, general, 0.0, random.Random(1)) == documents


def packed(corpus, stage):
    path = corpus / f"packed/{stage}.safetensors"
    with safe_open(path, "numpy") as stream:
        return load_file(path), json.loads(stream.metadata()["trex"])


def test_samples_learn_answer_and_end_only(corpus):
    tokenizer = chat.load_tokenizer(corpus / "tokenizer.json")
    arrays, metadata = packed(corpus, "sft")
    answers = [row["messages"][1]["content"] for row in files.read_parquet(corpus / "sft.parquet")]
    found = documents(arrays)
    assert all(learned[-1] == chat.EOS for _, _, learned in found)
    assert metadata["counts"]["dropped_too_long"] == 0
    assert sorted(chat.decode(tokenizer, learned[:-1]) for _, _, learned in found) == sorted(answers)
    assert {name: str(array.dtype) for name, array in arrays.items()} == {
        "tokens": "int32", "document": "int32", "position": "int32", "loss": "uint8",
    }  # fmt: skip
    assert all(array.shape[1] == CORPUS["context"] for array in arrays.values())


def test_documents_learn_all_but_their_first_token(corpus):
    tokenizer = chat.load_tokenizer(corpus / "tokenizer.json")
    arrays, _ = packed(corpus, "cpt")
    found = documents(arrays)
    assert all(tokens[0] == chat.BOS and learned == tokens[1:] for tokens, _, learned in found)
    texts = {chat.decode(tokenizer, tokens) for tokens, _, _ in found}
    written = {row["text"] for row in files.read_parquet(corpus / "cpt.parquet")}
    assert written <= texts
    general = sum(len(tokens) for tokens, _, _ in found if chat.decode(tokenizer, tokens) not in written)
    share = general / sum(len(tokens) for tokens, _, _ in found)
    assert share == pytest.approx(CORPUS["cpt_general_fraction"], abs=0.05)


def test_general_text_is_cut_and_nothing_lost(corpus):
    tokenizer = chat.load_tokenizer(corpus / "tokenizer.json")
    arrays, metadata = packed(corpus, "base")
    trained = [row["text"] for row in files.read_parquet(corpus / "general.parquet") if row["split"] == "train"]
    expected = sum(len(chat.encode(tokenizer, text)) for text in trained)
    assert np.sum(arrays["tokens"] >= len(chat.SPECIAL_TOKENS)) == expected
    assert metadata["stage"] == "base"


def test_the_wrong_texts_for_a_stage_are_refused(corpus, tmp_path):
    with pytest.raises(UserError, match="stage sft packs sft, --texts gives cpt"):
        command(
            pack, "--stage", "sft", "--tokenizer", corpus / "tokenizer.json", "--texts", corpus / "cpt.parquet",
            "--settings", json.dumps(CORPUS), "--seed", 1, "--out", tmp_path / "x.safetensors",
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []
