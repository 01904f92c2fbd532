import json

import pytest

from tests.model.conftest import small_config
from trex.common.errors import UserError
from trex.model.config import ModelConfig


@pytest.mark.parametrize("content", ["", "[1, 2]", "5", '{"model": 5}', '{"model": {"hidden_size": 4}}', "{"])
def test_a_file_that_is_no_config_is_named(tmp_path, content):
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(UserError):
        ModelConfig.read(path)
    with pytest.raises(UserError, match="no such file"):
        ModelConfig.read(tmp_path / "missing.json")


def test_a_written_config_is_read_back(tmp_path):
    path = tmp_path / "config.json"
    for values in (small_config().to_dict(), {"model": small_config().to_dict()}):
        path.write_text(json.dumps(values))
        assert ModelConfig.read(path) == small_config()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"o_groups": 7}, "o_groups"),
        ({"qk_rope_head_dim": 10}, "qk_rope_head_dim"),
        ({"qk_rope_head_dim": 7}, "qk_rope_head_dim"),
        ({"num_experts_per_tok": 9}, "num_experts_per_tok"),
        ({"compress_ratios": [0, 4, 8, 16]}, "compress_ratios"),
        ({"head_dim": "wide"}, "type"),
        ({"heads": 2}, "unknown keys heads"),
    ],
)
def test_values_that_do_not_fit_together_are_named(changes, named):
    with pytest.raises(UserError, match=named):
        ModelConfig.from_dict(small_config().to_dict() | changes)
