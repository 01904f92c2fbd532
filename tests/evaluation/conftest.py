"""Items and settings that the tests of this room share."""

import json
import subprocess
import sys

import pytest

from trex.benchmarks.item import Item, write_suite
from trex.problems.ir import Model

CONTEXT = 64


def reference() -> Model:
    """max 3x + 2y + 5, 2x + y <= 10, x integer in 0..4, y >= 0 : optimum 25 at (0, 10)."""
    model = Model()
    x, y = model.add_variable("x", "integer", 0, 4), model.add_variable("y")
    model.add_row({x: 2, y: 1}, ub=10)
    model.set_objective("max", {x: 3, y: 2}, 5)
    return model


@pytest.fixture
def make_item():
    def make(**changes) -> Item:
        values = {
            "item_id": "own/mix-0",
            "suite": "own",
            "category": "mixed",
            "mode": "DP",
            "family": "mix",
            "bucket": "linear",
            "difficulty": "easy",
            "prompt": "Mix two paints.\nWrite MathOpt code.",
            "data_file": None,
            "criterion": "objective",
            "objective_value": 25.0,
            "model": reference().to_json(),
            "answer": "```python\nx = 1\n```",
        }
        return Item(**values | changes)

    return make


@pytest.fixture(scope="session")
def examiners():
    """One without the authors' rules and one with them."""
    from trex.evaluation.examine import Examiner
    from trex.evaluation.settings import DEFAULTS

    with Examiner(DEFAULTS, False) as plain, Examiner(DEFAULTS, True) as by_both:
        yield {False: plain, True: by_both}


@pytest.fixture
def graded(examiners):
    """A function that gives the rows of (item, text, finish), each graded by itself."""
    from trex.evaluation import grade
    from trex.evaluation.protocol import Protocol
    from trex.evaluation.responses import Response

    def rows(*cases, by_legacy_rules: bool = False) -> list[dict]:
        found, examiner = [], examiners[by_legacy_rules]
        for item, text, finish in cases:
            response = Response(text, finish=finish)
            (outcome,) = examiner.examine(item, [response])
            found.append(grade.row(item, response, outcome, Protocol(), examiner.sandbox.isolation))
        return found

    return rows


@pytest.fixture(scope="session")
def tokenizer():
    """One token a byte."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    from trex.corpus import chat

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {text: index for index, text in enumerate([*chat.SPECIAL_TOKENS, *alphabet])}
    bytes_alone = Tokenizer(models.BPE(vocabulary, []))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    return bytes_alone


@pytest.fixture(scope="session")
def model():
    """A random model that has every kind of layer. Only the tests that use it wait for PyTorch."""
    import torch

    from trex.model.config import ModelConfig
    from trex.model.transformer import Transformer

    torch.set_num_threads(1)
    config = ModelConfig(
        vocab_size=261,
        hidden_size=32,
        num_attention_heads=2,
        head_dim=16,
        qk_rope_head_dim=8,
        q_lora_rank=12,
        o_groups=2,
        o_lora_rank=8,
        sliding_window=9,
        compress_ratios=(0, 4, 8),
        index_n_heads=4,
        index_head_dim=8,
        index_topk=3,
        moe_intermediate_size=24,
        n_routed_experts=5,
        num_experts_per_tok=2,
        num_hash_layers=1,
        routed_scaling_factor=1.5,
        hc_mult=2,
        initializer_range=0.3,
    )
    return Transformer(config).initialise(0).eval()


@pytest.fixture
def items(make_item):
    prompts = ["a", "Mix two paints.", "x" * 55, "x" * 56, "bc", "A longer problem, 12.5 hours.", "ünïcode"]
    return [
        make_item(
            item_id=f"own/{n}", prompt=prompt, answer=f"```python\nx = {n}\n```", difficulty=("easy", "hard")[n % 2]
        )
        for n, prompt in enumerate(prompts)
    ]


@pytest.fixture
def decoding() -> dict:
    protocol = {"samples": 1, "temperature": 0.0, "top_p": 1.0, "seed": 1, "shots": 0, "selection": "bm25"}
    return {"max_new_tokens": 6, "batch_size": 3, "retention_tokens": 200, "protocol": protocol}


@pytest.fixture
def step(model, tokenizer, items, decoding, tmp_path):
    """A function that runs a step with the random model on the items, and returns what it said."""
    from trex.model import checkpoint

    checkpoint.save(model, tmp_path / "sft", {})
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    write_suite(tmp_path / "own.parquet", items, {})
    options = ["--model", tmp_path / "sft", "--tokenizer", tmp_path / "tokenizer.json"]
    options += ["--suite", tmp_path / "own.parquet", "--context", CONTEXT, "--threads", 1]
    options += ["--settings", json.dumps(decoding)]

    def run(module: str, *more) -> str:
        command = [sys.executable, "-m", f"trex.evaluation.{module}", *options, *more]
        ran = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run
