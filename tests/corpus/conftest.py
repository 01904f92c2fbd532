"""One small corpus for the tests of this folder, made in this process by the functions behind the commands."""

import json
import sys

import pytest

from trex.corpus import cpt, general, pack, sft, suites, tables, tokenizer
from trex.problems import generate

FAMILIES = (
    "assignment",
    "blending",
    "knapsack",
    "lot_sizing",
    "maximum_flow",
    "product_mix",
    "set_cover",
    "transportation",
)
PROBLEMS = {
    "instances_per_family": 24,
    "difficulty": {"small": 0.6, "medium": 0.3, "large": 0.1, "industrial": 0},
    "node_limit": 5000,
    "time_limit_s": 60,
}
CORPUS = {
    "heldout_bucket": "covering",
    "cptx_buckets": ["network_flow"],
    "suite_items": {"in_distribution": 20, "heldout_family": 10, "heldout_wording": 10},
    "sft_samples": 90,
    "cpt_documents": 60,
    "cpt_mix": {
        "report": 0.3,
        "rationale": 0.25,
        "data_sheet": 0.1,
        "note": 0.1,
        "drill": 0.1,
        "english": 0.1,
        "python": 0.05,
    },
    "general_bytes": {"english": 30000, "python": 20000},
    "mixture": {
        "word": {"DP": 0.5},
        "mixed": {"DP": 0.2, "DT": 0.15},
        "solve": {"DPS": 0.2},
        "build": {"DP": 0.15, "DT": 0.1, "DPS": 0.05},
    },
    "answer_styles": {"code_only": 0.7, "math_model_with_code": 0.2, "math_model": 0.1},
    "reasoning": 0.3,
    "near_duplicate_threshold": 0.6,
    "near_duplicate_within": 0.9,
    "vocab_size": 600,
    "context": 1024,
}


def command(module, *arguments):
    """Run a step's main with these arguments."""
    before = sys.argv
    sys.argv = [module.__name__, *map(str, arguments)]
    try:
        module.main()
    finally:
        sys.argv = before


def make(folder):
    """All files of a small corpus, by the commands."""
    corpus, problems = ("--settings", json.dumps(CORPUS)), ("--settings", json.dumps(PROBLEMS))
    seed = ("--seed", 1)
    instances = [folder / f"instances/{name}.parquet" for name in FAMILIES]
    for path in instances:
        command(generate, "--family", path.stem, *problems, *seed, "--out", path)
    made = [folder / f"suites/{name}.parquet" for name in suites.SUITES]
    outputs = [part for path in made for part in (f"--{path.stem.replace('_', '-')}", path)]
    command(suites, "--instances", *instances, *corpus, *seed, *outputs)
    sources = ("--instances", *instances, "--suites", *made)
    command(sft, *sources, *corpus, *seed, "--out", folder / "sft.parquet")
    for use in (tables.CPT, tables.CPTX):
        command(cpt, "--use", use, *sources, *corpus, *seed, "--out", folder / f"{use}.parquet")
    command(general, "--suites", *made, *corpus, *seed, "--out", folder / "general.parquet")
    texts = [folder / f"{name}.parquet" for name in ("general", "cpt", "sft")]
    command(tokenizer, "--texts", *texts, *corpus, "--out", folder / "tokenizer.json")
    for stage, used in (("base", texts[:1]), ("cpt", texts[:2]), ("sft", texts[2:])):
        out = ("--out", folder / f"packed/{stage}.safetensors")
        command(
            pack, "--stage", stage, "--tokenizer", folder / "tokenizer.json", "--texts", *used, *corpus, *seed, *out
        )
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """The folder of a small corpus."""
    return make(tmp_path_factory.mktemp("corpus"))
