import pytest
import torch

from tests.model.conftest import randomise, small_config
from tests.training.conftest import SETTINGS, counting_rows, uneven_rows
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
    for name in ("loss", "mtp_loss", "indexer_loss"):
        assert records[-1][name] < 0.7 * records[0][name], name
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


def test_balance_moves_the_bias_of_learned_routers_against_the_load():
    model = Transformer(small_config())
    loads = torch.tensor([[9, 1, 5, 5, 5], [9, 1, 5, 5, 5], [5, 5, 5, 5, 5], [1, 9, 6, 4, 5]])
    loop.balance(model, loads, 0.5)
    assert model.blocks[1].experts.router.bias.tolist() == [-0.5, 0.5, 0.0, 0.0, 0.0]
    assert model.blocks[2].experts.router.bias.tolist() == [0.0] * 5
    assert model.mtp.block.experts.router.bias.tolist() == [0.5, -0.5, -0.5, 0.5, 0.0]


def gradient_of(micro_batch_rows):
    """Of a batch of uneven rows with all terms on, each with a weight that tells; means and loads beside it."""
    model = randomise(Transformer(small_config()).initialise(0))
    weights = {"next_token": 1.0, "mtp": 0.3, "balance": 0.5, "indexer": 1.0}
    means, loads = loop.accumulate(model, uneven_rows(), weights, micro_batch_rows)
    return {name: parameter.grad for name, parameter in model.named_parameters()}, means, loads


@pytest.mark.parametrize("micro_batch_rows", [1, 2, 3])
def test_the_parts_of_a_batch_add_up_to_it(micro_batch_rows):
    """Its rows have unequal numbers of targets of each kind, so a mean of the parts' means would be something else."""
    gradients, means, loads = gradient_of(micro_batch_rows)
    whole, whole_means, whole_loads = gradient_of(4)
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, whole[name], rtol=1e-4, atol=1e-6, msg=name)
    assert means == pytest.approx(whole_means, rel=1e-5)
    assert torch.equal(loads, whole_loads)


@pytest.mark.parametrize("term", ["next_token", "mtp", "indexer"])
def test_a_mean_of_means_would_be_noticed(term):
    """That the test above can tell: the rows' own means, averaged, are far from the batch's."""
    model, rows = randomise(Transformer(small_config()).initialise(0)), uneven_rows()

    def mean(part):
        return loop.accumulate(model, part, {"next_token": 1.0, "mtp": 1.0, "indexer": 1.0}, 4)[0][term]

    each = [mean(rows.take(torch.tensor([row]))) for row in range(4)]
    assert abs(sum(each) / 4 / mean(rows) - 1) > 0.01


def test_loads_count_real_tokens_alone():
    _, _, loads = gradient_of(4)
    real = int((uneven_rows().document > 0).sum())
    assert loads.sum(1).tolist() == [real * small_config().num_experts_per_tok] * 4


def test_training_takes_as_many_rows_at_once_as_it_is_told(monkeypatch):
    sizes, sums_of = [], loop.loss.sums_of
    monkeypatch.setattr(
        loop.loss, "sums_of", lambda model, rows, *more: sizes.append(len(rows)) or sums_of(model, rows, *more)
    )
    _, records = trained(tokens=3 * 64, batch_rows=3, micro_batch_rows=2)
    assert sizes == [2, 1] and len(records) == 1
    assert records[0]["loss"] == pytest.approx(trained(tokens=3 * 64, batch_rows=3)[1][0]["loss"])


def moved(**changes):
    """Names of the parameters that a few steps move, and the records."""
    model, records = trained(tokens=4 * 128, weight_decay=0.0, **changes)
    before = Transformer(small_config()).initialise(0).state_dict()
    return {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}, records


def test_without_a_weight_the_mtp_block_stays_and_is_not_run():
    names, records = moved(mtp_weight=0, mtp_decay_weight=0)
    assert not {name for name in names if name.startswith("mtp.")}
    assert all(record["mtp_loss"] is None and record["mtp_weight"] == 0 for record in records)
    assert all(len(record["expert_load"]) == 3 for record in records)


def test_without_a_weight_the_indexers_stay():
    names, records = moved(indexer_weight=0)
    assert not {name for name in names if ".indexer." in name}
    assert all(record["indexer_loss"] is None and record["mtp_loss"] > 0 for record in records)


def test_without_a_speed_the_biases_stay():
    assert {name for name in moved()[0] if name.endswith("router.bias")}
    assert not {name for name in moved(balance_speed=0)[0] if name.endswith("router.bias")}


def test_the_balance_loss_evens_the_loads_out():
    def worst(weight):
        _, records = trained(sequence_balance_weight=weight, balance_speed=0)
        return [record["expert_load"][1] for record in records][-1], records

    without, records = worst(0)
    assert all(record["balance_loss"] is None for record in records)
    with_it, records = worst(1.0)
    assert records[-1]["balance_loss"] < records[0]["balance_loss"]
    assert with_it < without


def test_a_model_without_an_mtp_block_trains_whatever_its_weight():
    model, records = Transformer(small_config(num_nextn_predict_layers=0)).initialise(0), []
    loop.train(model, counting_rows(), SETTINGS | {"tokens": 128}, 7, records.append)
    assert records[0]["mtp_loss"] is None and records[0]["mtp_weight"] == 0


def test_the_weight_of_mtp_falls_with_the_rates():
    _, records = trained()
    full = max(record["lr"] for record in records)
    after_warmup = records[3:]
    assert {record["mtp_weight"] for record in after_warmup if record["lr"] == full} == {0.3}
    assert {record["mtp_weight"] for record in after_warmup if record["lr"] < full} == {0.1}
    assert records[0]["mtp_weight"] == 0.3  # in the warm-up the rates are low, but they do not fall


def test_a_loss_that_is_not_finite_stops_the_training():
    model = Transformer(small_config()).initialise(0)
    with torch.no_grad():
        model.head.weight.fill_(torch.nan)
    with pytest.raises(UserError, match="step 1"):
        loop.train(model, counting_rows(), SETTINGS, 7, lambda record: None)


def test_weights_that_are_not_finite_are_no_result():
    """The last step's are in no later loss."""
    with pytest.raises(UserError, match="step 1: it left weights"):
        trained(tokens=128, lr=1e38, adamw_lr=1e38)


def test_a_gradient_that_is_not_finite_stops_the_training():
    model = Transformer(small_config()).initialise(0)
    model.head.weight.register_hook(lambda gradient: gradient * torch.nan)
    with pytest.raises(UserError, match="step 1: the gradient"):
        loop.train(model, counting_rows(), SETTINGS, 7, lambda record: None)
