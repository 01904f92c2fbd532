import pytest
import torch

from tests.model.conftest import small_config
from tests.training.conftest import SETTINGS, counting_rows
from trex.common.errors import UserError
from trex.model.transformer import Transformer
from trex.training import loop


def trained(**changes) -> tuple[Transformer, list[dict]]:
    model, records = Transformer(small_config()).initialise(0), []
    loop.train(model, counting_rows(), SETTINGS | changes, 7, records.append)
    return model, records


def test_two_runs_give_the_same_weights_bit_for_bit_and_learn():
    (first, records), (second, _) = trained(), trained()
    for (name, a), b in zip(first.state_dict().items(), second.state_dict().values(), strict=True):
        assert torch.equal(a, b), name
    assert records[-1]["loss"] < 0.7 * records[0]["loss"]
    assert len(records) == records[-1]["steps"] == round(4000 / (2 * 64))


def test_every_parameter_moves():
    model, _ = trained()
    before = dict(Transformer(small_config()).initialise(0).named_parameters())
    still = [name for name, parameter in model.named_parameters() if torch.equal(parameter, before[name])]
    assert still == []


def test_the_rate_warms_up_stays_and_decays():
    rates = [loop.rate(step, 100, SETTINGS) for step in range(100)]
    assert rates[0] == 0.1
    assert rates[9] == rates[50] == 1.0
    assert rates[69] == 1.0 > rates[80] > rates[99]
    assert rates[99] == pytest.approx(0.1, abs=0.04)


def test_balance_moves_the_bias_against_the_load():
    model, _ = trained(tokens=128)
    experts = model.blocks[1].experts
    experts.load = torch.tensor([9, 1, 5, 5, 5])
    experts.router.bias.zero_()
    worst = loop.balance(model, 0.5)
    assert experts.router.bias.tolist() == [-0.5, 0.5, 0.0, 0.0, 0.0]
    assert worst == pytest.approx(9 / 5)


def test_a_loss_that_is_not_finite_stops_the_training():
    model = Transformer(small_config()).initialise(0)
    with torch.no_grad():
        model.head.weight.fill_(torch.nan)
    with pytest.raises(UserError, match="step 1"):
        loop.train(model, counting_rows(), SETTINGS, 7, lambda record: None)
