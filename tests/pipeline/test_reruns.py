"""What an edit makes run again: the stages that import the module or read the value, what follows from their results,
and nothing else.
"""

import os

import pandas as pd
import pytest
import yaml

PAGE = {"page", "bundle"}
TABLES = {"summarise", "claims"} | PAGE
RESPONSES = {"respond", "loss", "score"} | TABLES
WEIGHTS = {"train", "oracle", "ladder", "validation", "model_sizes", "kernels", "cost"} | RESPONSES
TOKENS = {"tokenizer", "pack", "card"} | WEIGHTS
TEXTS = {"suites", "sft", "cpt", "general", "collect", "no_skill"} | TOKENS

EDITS = {
    "bundle/build.py": {"bundle"},
    "report/charts.py": PAGE,
    "execution/seccomp.py": {"isolation", "environment", "score"} | TABLES,
    "accounting/peak.py": {"peak", "ladder", "validation", "cost", "claims"} | PAGE,
    "accounting/costs/terms.py": {"cost"} | PAGE,
    "training/loop.py": WEIGHTS,
    "corpus/chat.py": TOKENS,
    "problems/families/knapsack.py": {"instances"} | TEXTS,
}


@pytest.mark.parametrize(("module", "rules"), EDITS.items(), ids=EDITS)
def test_an_edited_module_reruns_what_imports_it(finished, module, rules):
    path = f"workflow/trex/{module}"
    before = finished.read(path)
    finished.write(path, before + "\n# edited\n")
    try:
        assert finished.would_run() == rules
    finally:
        finished.write(path, before)


VALUES = {
    ("seed",): {"instances", "projection"} | TEXTS,
    ("corpus", "sft_samples"): {"sft", "no_skill"} | TOKENS,
    ("training", "stages", "cpt", "tokens"): {"train", "oracle", "cost"} | RESPONSES,
    ("evaluation", "solve_s"): {"score"} | TABLES,
    ("evaluation", "protocol", "temperature"): {"respond", "score"} | TABLES,
    ("accounting", "peak", "repetitions"): {"peak", "ladder", "validation", "cost", "claims"} | PAGE,
    ("accounting", "projection", "samples"): {"projection"} | PAGE,
    ("accounting", "ladder", "repetitions"): {"ladder", "cost", "claims"} | PAGE,
    ("accounting", "cost", "usd_per_hour"): {"cost"} | PAGE,
}


@pytest.mark.parametrize(("key", "rules"), VALUES.items(), ids=map(".".join, VALUES))
def test_an_edited_value_reruns_what_reads_it(finished, key, rules):
    before = finished.read("config/config.yaml")
    config = yaml.safe_load(before)
    section = config
    for name in key[:-1]:
        section = section[name]
    section[key[-1]] += 1
    finished.write("config/config.yaml", yaml.safe_dump(config))
    try:
        assert finished.would_run() == rules | {"resolved_config"} | PAGE
    finally:
        finished.write("config/config.yaml", before)


def test_an_edited_benchmark_reruns_what_reads_it(finished):
    """Training texts too, as they may not leak from it."""
    path = finished.folder / "benchmark/test.parquet"
    before = path.read_bytes()
    pd.read_parquet(path).replace("8", "9").to_parquet(path)
    try:
        assert finished.would_run() == TEXTS - {"suites"}
    finally:
        path.write_bytes(before)


def test_a_touched_file_reruns_nothing(finished):
    """As a `git checkout` of another branch and back does."""
    for folder in ("workflow", "config", "benchmark"):
        for path in (finished.folder / folder).rglob("*"):
            os.utime(path)
    assert "Nothing to be done" in finished.snakemake()
