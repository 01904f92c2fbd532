import collections
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
    kept, too_long = pack.fitting({"a": pieces}, 32)
    arrays, counts = pack.packed(kept["a"], 32, random.Random(seed))
    expected = sorted(
        (p.tokens, list(range(len(p.tokens))), p.tokens[p.learn_from :]) for p in pieces if len(p.tokens) <= 32
    )
    assert sorted(documents(arrays)) == expected
    assert counts["documents"] == len(expected)
    assert too_long == len(pieces) - len(expected)
    assert counts["tokens"] == int((arrays["document"] > 0).sum())
    assert counts["tokens_learned"] == int(arrays["loss"].sum())
    padding = arrays["document"] == 0
    assert not arrays["tokens"][padding].any() and not arrays["loss"][padding].any()


def test_a_document_goes_to_the_fullest_row_that_holds_it():
    pieces = [pack.Piece([1] * length, 1) for length in (6, 5, 4, 3)]
    assert [[len(piece.tokens) for piece in row] for row in pack.best_fit(pieces, 10)] == [[6, 4], [5, 3]]


def pool(mark, count, length):
    return [pack.Piece([mark] * length, 1) for _ in range(count)]


def test_mixing_obeys_the_weights_in_tokens():
    """Reports are used up; data sheets have more than they may give, notes fewer."""
    pools = {
        "report": pool(1, 80, 10),
        "data_sheet": pool(2, 100, 10),
        "note": pool(3, 3, 20),
        "python": pool(4, 99, 25),
    }
    weights = {"report": 0.8, "rationale": 0, "data_sheet": 0.4, "note": 0.15, "english": 0, "python": 0.3}
    chosen = pack.mixed(pools, weights, random.Random(1))
    counts = pack.source_counts(chosen, pools)
    assert {source: (count["items"], count["tokens"], count["passes"]) for source, count in counts.items()} == {
        "report": (80, 800, 1.0),
        "data_sheet": (40, 400, 0.4),
        "note": (8, 160, 2.667),
        "python": (12, 300, 0.121),
    }


def test_a_weight_without_text_is_refused():
    with pytest.raises(UserError, match=r"corpus\.cpt_mix\.note: has a weight, but no text"):
        pack.mixed({"report": pool(1, 2, 5), "note": []}, {"report": 1, "note": 1}, random.Random(1))
    with pytest.raises(UserError, match=r"corpus\.cpt_mix: give report"):
        pack.mixed({"python": pool(1, 2, 5)}, {"report": 0, "python": 1}, random.Random(1))


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
    left_out = collections.Counter(answers)
    left_out.subtract(chat.decode(tokenizer, learned[:-1]) for _, _, learned in found)
    assert min(left_out.values()) >= 0 and left_out.total() == metadata["counts"]["dropped_too_long"] < 5
    assert {name: str(array.dtype) for name, array in arrays.items()} == {
        "tokens": "int32", "document": "int32", "position": "int32", "loss": "uint8",
    }  # fmt: skip
    assert all(array.shape[1] == CORPUS["context"] for array in arrays.values())


def test_documents_learn_all_but_their_first_token(corpus):
    arrays, _ = packed(corpus, "cpt")
    found = documents(arrays)
    assert all(tokens[0] == chat.BOS and learned == tokens[1:] for tokens, _, learned in found)


def test_sources_have_their_shares_of_the_tokens(corpus):
    """And the counts of the metadata are those of the rows."""
    tokenizer = chat.load_tokenizer(corpus / "tokenizer.json")
    arrays, metadata = packed(corpus, "cpt")
    counts = metadata["counts"]
    source_of = {row["text"]: row["kind"] for row in files.read_parquet(corpus / "cpt.parquet")}
    tokens_of = collections.Counter()
    for tokens, _, _ in documents(arrays):
        tokens_of[source_of.get(chat.decode(tokenizer, tokens), "general")] += len(tokens)
    tokens_of["general"] -= counts["sources"]["english"]["tokens"] + counts["sources"]["python"]["tokens"]
    assert tokens_of.pop("general") == 0
    assert tokens_of == {source: counts["sources"][source]["tokens"] for source in tokens_of}
    assert sum(source["tokens"] for source in counts["sources"].values()) == counts["tokens"]
    assert set(counts["sources"]) == set(CORPUS["cpt_mix"])
    for source, weight in CORPUS["cpt_mix"].items():
        # The last document or piece of each goes over its share.
        assert counts["sources"][source]["tokens"] / counts["tokens"] == pytest.approx(weight, abs=0.03)
    assert max(counts["sources"][kind]["passes"] for kind in pack.OF_INSTANCES) == 1
    assert set(packed(corpus, "base")[1]["counts"]["sources"]) == {"english", "python"}
    assert set(packed(corpus, "sft")[1]["counts"]["sources"]) == {"sft"}


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
