import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.corpus import chat, tokenizer

TEXTS = [
    "A farm mixes 45 kg of corn.\nm.add_linear_constraint(sum(i * j for i, j in zip(r, x)) <= v)\n",
    "for r, v in zip(a, b):\n    m.add_variable(lb=0)\n",
] * 20
ROOT = Path(__file__).parents[2]
TRAINED = tokenizer.train(iter(TEXTS), 420)


@given(st.text() | st.text(alphabet="0123456789 ()[]=*,.\n_abm|-\"'"))
def test_any_text_comes_back(text):
    assert chat.decode(TRAINED, chat.encode(TRAINED, text)) == text


@given(st.integers(0, 10**12), st.sampled_from(["", " ", "[", ", ", "x", "| ", "-"]))
def test_each_digit_is_a_token(number, before):
    tokens = [chat.decode(TRAINED, [index]) for index in chat.encode(TRAINED, f"{before}{number}")]
    assert tokens[-len(str(number)) :] == list(str(number))


def pieces(text):
    splitter = TRAINED.pre_tokenizer
    return [text[start:end] for _, (start, end) in splitter.pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("of 45 kg.", ["of", " ", "4", "5", " kg", "."]),
        ("3, 5; 2", ["3", ", ", "5", "; ", "2"]),
        ("sum(r) <= 5)\n    m.x", ["sum(", "r", ")", " <= ", "5", ")\n    ", "m.x"]),
        ("p = [4", ["p = [", "4"]),
        ("m.maximize(sum(i * j for i, j in zip(p, x)))",
         ["m.maximize(sum(", "i * j", " for i, j in zip(", "p, x", ")))"]),
        ('data["cost"]', ['data["', "cost", '"]']),
        ("| a | 4 | 5 |\n", ["|", " a", " | ", "4", " | ", "5", " |\n"]),
        ("The cost. It", ["The", " cost", ".", " It"]),
        ("über", ["ü", "ber"]),
    ],
)  # fmt: skip
def test_what_a_merge_may_not_cross(text, expected):
    assert pieces(text) == expected


def test_frequent_calls_become_one_token():
    assert len(chat.encode(TRAINED, "m.add_linear_constraint(sum(")) == 1


def test_training_is_repeatable():
    """In another process too: nothing depends on the order of a hash table."""
    script = (
        "from tests.corpus.test_tokenizer import TEXTS, tokenizer;"
        "print(tokenizer.train(iter(TEXTS), 420).to_str(), end='')"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout == TRAINED.to_str()
