import json

from tests.corpus.conftest import CORPUS, command
from trex.common import files
from trex.corpus import card


def test_card_and_counts_agree_with_the_files(corpus, tmp_path):
    counts_file, card_file = tmp_path / "counts.json", tmp_path / "card.md"
    command(
        card, "--instances", *sorted(corpus.glob("instances/*.parquet")), "--suites", *sorted(corpus.glob("suites/*")),
        "--sft", corpus / "sft.parquet", "--cpt", corpus / "cpt.parquet", "--general", corpus / "general.parquet",
        "--tokenizer", corpus / "tokenizer.json", "--packed", *sorted(corpus.glob("packed/*")),
        "--settings", json.dumps(CORPUS), "--counts", counts_file, "--card", card_file,
    )  # fmt: skip
    counts = files.read_json(counts_file)
    samples = files.read_parquet(corpus / "sft.parquet")
    assert (
        counts["sft"]["rows"]
        == counts["sft"]["drawn"]["accepted"]
        == len(samples)
        == counts["packed"]["sft"]["documents"]
    )
    assert sum(row["samples"] for row in counts["sft_tokens"]) == len(samples)
    assert sum(counts["sft"]["kinds"].values()) == len(samples)
    assert all(row["draws"]["accepted"] == row["instances"] == 24 for row in counts["instances"])
    assert {row["suite"]: row["items"] for row in counts["suites"]} == {"heldout_family": 20, "in_distribution": 20}
    text = card_file.read_text(encoding="utf-8")
    for kind in counts["sft"]["kinds"]:
        assert f"### {kind.replace('/', ', ')}\n" in text
    assert samples[0]["messages"][0]["content"] in text
