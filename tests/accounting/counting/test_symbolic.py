"""What the formulas print is what is counted."""

import dataclasses

import pytest

from trex.accounting.counting import part, symbolic
from trex.accounting.counting.published import DEEPSEEK_V3, FLASH, QWEN3_30B_A3B
from trex.accounting.counting.read import of

SMALL = {
    "compressed": dataclasses.replace(FLASH, compress_ratios=(0, 4, 128)),
    "latent": dataclasses.replace(DEEPSEEK_V3, num_hidden_layers=4),
    "grouped": dataclasses.replace(QWEN3_30B_A3B, num_hidden_layers=2),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("length", [1, 100, 4097])
def test_formulas_with_numbers_put_in_are_the_counts(name, length):
    model = of(name, SMALL[name], "here")
    found, parts = symbolic.formulas(model, length), model.parts(length)
    for expressions, value in (
        (found.parameters, lambda one: one.parameters),
        (found.active_parameters, lambda one: one.active_parameters),
        (found.flops, lambda one: one.flops),
    ):
        numbers = {component: int(each.subs(found.values)) for component, each in expressions.items()}
        assert {component: each for component, each in numbers.items() if each} == part.by_component(parts, value)


def test_sizes_are_symbols_and_layers_are_numbers():
    model = of("compressed", SMALL["compressed"], "here")
    found = symbolic.formulas(model, 4096)
    d, f, experts = (symbolic.symbol(name) for name in "dfE")
    assert found.parameters["routed_experts"] == 4 * 3 * d * f * experts
    assert set(found.names) >= set(found.values)
    assert "c_rope" not in {str(one) for one in found.values}, "rotary channels are counted nowhere"
