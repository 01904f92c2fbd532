"""The protocol beside responses."""

import json

import pytest

from trex.common.errors import UserError
from trex.evaluation.protocol import Protocol, beside


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ({}, "not stated"),
        ({"temperature": 0.0, "top_p": 1.0, "seed": 1, "max_tokens": 256}, "greedy, 256 tokens"),
        (
            {"temperature": 0.6, "top_p": 1.0, "seed": 42, "max_tokens": 9600},
            "temperature 0.6, top_p 1, seed 42, 9600 tokens",
        ),
        ({"seed": 1, "max_tokens": 4096}, "seed 1, 4096 tokens"),
    ],
)
def test_in_words(stated, text):
    assert Protocol(**stated).text() == text


def test_without_a_sidecar_nothing_is_stated(tmp_path):
    assert beside(tmp_path / "r.jsonl") == Protocol()


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"protocol": 5}', '{"protocol": {"heat": 1}}', '{"protocol": {"shots": -1}}']
)
def test_a_sidecar_that_is_none_is_named(tmp_path, content):
    (tmp_path / "r.jsonl.meta.json").write_text(content)
    with pytest.raises(UserError, match=r"r\.jsonl\.meta\.json"):
        beside(tmp_path / "r.jsonl")


def test_a_sidecar_of_something_else_states_nothing(tmp_path):
    (tmp_path / "r.jsonl.meta.json").write_text(json.dumps({"provenance": {}}))
    assert beside(tmp_path / "r.jsonl") == Protocol()
