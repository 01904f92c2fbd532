"""The predictor: terms, and a fit that finds coefficients which made the numbers."""

import dataclasses

import numpy as np
import pytest

from trex.accounting.miniature import memory, predict
from trex.accounting.miniature.predict import Predictor
from trex.accounting.miniature.setting import Setting, read
from trex.common.errors import UserError

PEAKS = {threads: {"float32": 0.1 * threads, "bfloat16": 0.3 * threads} for threads in (1, 2)}
SETTINGS = [
    Setting(rows, length, width, threads, precision, recomputation)
    for rows, length in ((1, 64), (3, 128), (2, 256))
    for width in (1, 2)
    for threads in (1, 2)
    for precision in ("float32", "bfloat16")
    for recomputation in (False, True)
]
PLAIN = Setting(2, 128, 1, 1, "float32", recomputation=False)


def test_a_fit_finds_the_coefficients_that_made_the_times(tiny):
    made = {
        "products_float32": 2.0,
        "products_bfloat16": 3.0,
        "attention": 4.0,
        "traffic": 1e-9,
        "traffic_serial": 0.0,
        "layers": 1e-3,
        "optimizer": 1e-10,
        "new_kernels": 1e-4,
    }
    terms = [predict.time_terms(tiny, setting, PEAKS) for setting in SETTINGS]
    found = predict.fit(terms, [predict.value(made, row) for row in terms])
    assert list(found) == list(predict.TIME_TERMS)
    predictor = Predictor(tiny, PEAKS, found, None)
    for setting, row in zip(SETTINGS, terms, strict=True):
        assert predictor.seconds(setting) == pytest.approx(predict.value(made, row), rel=1e-6)
        assert sum(predictor.terms(setting).values()) == pytest.approx(predictor.seconds(setting))
    assert predictor.bytes(PLAIN, 3) is None


def test_no_coefficient_is_negative(tiny):
    noise = np.random.default_rng(0).uniform(0.1, 1.0, size=len(SETTINGS))
    found = predict.fit([predict.time_terms(tiny, setting, PEAKS) for setting in SETTINGS], list(noise))
    assert min(found.values()) >= 0


@pytest.mark.parametrize("change", [{"batch_size": 4}, {"sequence_length": 192}, {"width": 2}, {"recomputation": True}])
def test_more_to_do_is_in_the_terms(tiny, change):
    less = predict.time_terms(tiny, PLAIN, PEAKS)
    more = predict.time_terms(tiny, dataclasses.replace(PLAIN, **change), PEAKS)
    assert more["products_float32"] > less["products_float32"]
    assert more["traffic"] > less["traffic"]


def test_recomputation_lives_on_less_where_activations_weigh(tiny):
    large = dataclasses.replace(PLAIN, batch_size=8, sequence_length=512)
    again = dataclasses.replace(large, recomputation=True)
    assert memory.live(tiny, again) < memory.live(tiny, large)


def test_loads_differ_at_most_as_often_as_they_are_drawn(tiny):
    draws = tiny.num_hidden_layers * tiny.n_routed_experts
    one, many = (predict.different_loads(tiny, PLAIN, steps) for steps in (1, 1000))
    assert 1 <= one <= draws
    assert one < many <= 2 * PLAIN.tokens  # all values up to twice the mean load


def test_threads_are_those_of_the_run():
    values = {"batch_size": 2, "sequence_length": 128, "width": 1, "precision": "float32", "recomputation": False}
    assert read(values | {"threads": "all"}, 4).threads == 4
    assert read(values | {"threads": "one"}, 4) == PLAIN


@pytest.mark.parametrize("width", [0.3, 1 / 64])
def test_a_width_that_cannot_be_built_is_one_clear_error(tiny, width):
    with pytest.raises(UserError, match=r"width (0.3|0.015625)"):
        dataclasses.replace(PLAIN, width=width).config(tiny)
