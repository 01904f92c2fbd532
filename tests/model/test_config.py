import json

import pytest

from tests.model.conftest import small_config
from trex.common.errors import UserError
from trex.model.config import ModelConfig, RopeScaling


def test_a_config_comes_back_from_its_plain_values():
    for config in (small_config(), small_config(rope_scaling=None), small_config(num_nextn_predict_layers=0)):
        assert ModelConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert ModelConfig.from_dict(small_config().to_dict() | {"rope_scaling": {}}).rope_scaling == RopeScaling()


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
        ({"num_nextn_predict_layers": 2}, "num_nextn_predict_layers"),
        ({"rope_scaling": {"beta_slow": 64.0}}, "beta_fast"),
        ({"rope_scaling": {"speed": 2}}, "speed"),
    ],
)
def test_values_that_do_not_fit_together_are_named(changes, named):
    with pytest.raises(UserError, match=named):
        ModelConfig.from_dict(small_config().to_dict() | changes)
