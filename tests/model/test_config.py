import dataclasses
import json
import math

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
        ({"head_dim": "wide"}, "head_dim"),
        ({"heads": 2}, "unknown keys heads"),
        ({"num_nextn_predict_layers": 2}, "num_nextn_predict_layers"),
        ({"rope_scaling": {"beta_slow": 64.0}}, "beta_fast"),
        ({"rope_scaling": {"speed": 2}}, "speed"),
        ({"rope_scaling": "yarn"}, "type"),
        ({"rope_scaling": {"original_max_position_embeddings": 0}}, "rope_scaling.original_max_position_embeddings"),
        ({"rope_scaling": {"factor": "4"}}, "rope_scaling.factor"),
        ({"compress_ratios": []}, "compress_ratios"),
        ({"compress_ratios": [0, -4]}, "compress_ratios"),
        ({"compress_ratios": ["0", 4]}, "compress_ratios"),
        ({"compress_ratios": 4}, "type"),
        ({"compress_rope_theta": 1.0}, "compress_rope_theta"),
    ],
)
def test_values_that_do_not_fit_together_are_named(changes, named):
    with pytest.raises(UserError, match=named):
        ModelConfig.from_dict(small_config().to_dict() | changes)


@pytest.mark.parametrize("field", dataclasses.fields(ModelConfig), ids=lambda field: field.name)
def test_no_number_or_flag_may_be_of_another_type_or_out_of_range(field):
    """What reached the modules would end in a traceback of theirs, or train a model that means nothing."""
    wrong = {int: (-1, 2.5, "2", None, True, []), float: (0, -1.0, "1", None, True, math.nan, math.inf)}
    for value in (wrong | {bool: (0, "no", None)}).get(field.type, ()):
        with pytest.raises(UserError, match=field.name):
            ModelConfig.from_dict(small_config().to_dict() | {field.name: value})
