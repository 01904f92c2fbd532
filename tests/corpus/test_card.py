import json

from tests.corpus.conftest import CORPUS, command
from trex.common import files
from trex.corpus import card


def test_card_and_counts_agree_with_the_files(corpus, tmp_path):
    counts_file, card_file = tmp_path / "counts.json", tmp_path / "card.md"
    command(
        card, "--instances", *sorted(corpus.glob("instances/*.parquet")), "--suites", *sorted(corpus.glob("suites/*")),
        "--sft", corpus / "sft.parquet", "--documents", corpus / "cpt.parquet", corpus / "cptx.parquet",
        "--general", corpus / "general.parquet",
        "--tokenizer", corpus / "tokenizer.json", "--packed", *sorted(corpus.glob("packed/*")),
        "--settings", json.dumps(CORPUS), "--seed", 1, "--counts", counts_file, "--card", card_file,
    )  # fmt: skip
    counts = files.read_json(counts_file)
    samples = files.read_parquet(corpus / "sft.parquet")
    accepted = counts["sft"]["drawn"]["accepted"]
    assert accepted == sum(of_family["accepted"] for of_family in counts["sft"]["drawn_by_family"].values())
    packed = counts["packed"]["sft"]
    assert counts["sft"]["rows"] == accepted == len(samples) == packed["documents"] + packed["dropped_too_long"]
    assert sum(row["samples"] for row in counts["sft_tokens"]) == len(samples)
    assert sum(counts["sft"]["kinds"].values()) == len(samples)
    assert all(row["draws"]["accepted"] == row["instances"] == 24 for row in counts["instances"])
    assert {row["suite"]: row["items"] for row in counts["suites"]} == CORPUS["suite_items"]
    sources = {(row["table"], row["source"]): row for row in counts["sources"]}
    for table in ("cpt", "cptx"):
        made = files.read_parquet(corpus / f"{table}.parquet")
        for kind in {row["kind"] for row in made}:
            texts = [row["text"] for row in made if row["kind"] == kind]
            row = sources.pop((table, kind))
            assert (row["items"], row["bytes"]) == (len(texts), sum(len(text.encode()) for text in texts))
            assert 0 < row["tokens"] < row["bytes"]
    assert set(sources) == {("general", "english"), ("general", "python")}
    assert set(counts["packed"]["cpt"]["sources"]) == set(CORPUS["cpt_mix"])
    text = card_file.read_text(encoding="utf-8")
    for kind in counts["sft"]["kinds"]:
        assert f"### {kind.replace('/', ', ')}\n" in text
    assert next(row for row in samples if row["difficulty"] == "small")["messages"][0]["content"] in text
    assert [row["problems of"] for row in counts["diversity"]] == ["sft", *sorted(CORPUS["suite_items"])]
    assert all(0 < row["distinct_1"] < row["distinct_2"] < row["distinct_3"] <= 1 for row in counts["diversity"])
