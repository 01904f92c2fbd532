"""What an edit makes run again: the stages that import the module or read the value, and no others."""

import os

import pytest
import yaml

TEXTS = {"instances", "suites", "sft", "cpt", "general", "card"}
EDITS = {
    "bundle/build.py": {"bundle"},
    "report/charts.py": {"page"},
    "accounting/peak.py": {"peak"},
    "training/loop.py": {"train"},
    "execution/seccomp.py": {"score"},
    "corpus/chat.py": {"tokenizer", "pack", "card", "respond", "loss"},
    "model/experts.py": {"train", "respond", "loss", "ladder"},
    "problems/families/knapsack.py": TEXTS,
}


@pytest.mark.parametrize(("module", "rules"), EDITS.items(), ids=EDITS)
def test_an_edited_module_reruns_the_steps_that_import_it(finished, module, rules):
    path = f"workflow/trex/{module}"
    before = finished.read(path)
    finished.write(path, before + "\n# edited\n")
    try:
        assert finished.changed() == rules
    finally:
        finished.write(path, before)
    assert finished.changed() == set()


VALUES = {
    ("seed",): TEXTS - {"card"} | {"resolved_config", "pack", "train", "ladder"},
    ("corpus", "sft_samples"): {"resolved_config", "sft"},
    ("training", "stages", "cpt", "tokens"): {"resolved_config", "train"},
    ("evaluation", "solve_s"): {"resolved_config", "score"},
    ("accounting", "peak", "repetitions"): {"resolved_config", "peak"},
    ("accounting", "ladder", "repetitions"): {"resolved_config", "ladder"},
}


@pytest.mark.parametrize(("key", "rules"), VALUES.items(), ids=lambda value: ".".join(value))
def test_an_edited_value_reruns_the_steps_that_read_it(finished, key, rules):
    before = finished.read("config/config.yaml")
    config = yaml.safe_load(before)
    section = config
    for name in key[:-1]:
        section = section[name]
    section[key[-1]] += 1
    finished.write("config/config.yaml", yaml.safe_dump(config))
    try:
        assert finished.changed() == rules
    finally:
        finished.write("config/config.yaml", before)


def test_a_touched_file_reruns_nothing(finished):
    """As a `git checkout` of another branch and back does."""
    for folder in ("workflow", "config"):
        for path in (finished.folder / folder).rglob("*"):
            os.utime(path)
    assert "Nothing to be done" in finished.snakemake()
