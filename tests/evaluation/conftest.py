"""Items and settings that the tests of this room share."""

import pytest

from trex.benchmarks.item import Item
from trex.problems.ir import Model


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


@pytest.fixture
def score_settings() -> dict:
    sandbox = {"cpu_s": 5, "wall_s": 10, "memory_mb": 1024, "file_mb": 16, "processes": 64, "workers": 2}
    return {"solve_s": 10, "sandbox": sandbox}
