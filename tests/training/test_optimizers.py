import dataclasses

import pytest
import torch

from tests.model.conftest import small_config
from trex.accounting.counting import deepseek_v4, part
from trex.accounting.counting.published import FLASH, PRO
from trex.model.transformer import Transformer
from trex.training.optimizers import Muon, newton_schulz, split_parameters


@pytest.mark.parametrize("shape", [(8, 8), (6, 20), (20, 6), (3, 10, 7)])
def test_newton_schulz_gives_orthogonal_matrices(shape):
    update = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    result = newton_schulz(update, 8, 2)
    values = torch.linalg.svdvals(result)
    torch.testing.assert_close(values, torch.ones_like(values), atol=0.02, rtol=0)
    u, _, v = torch.linalg.svd(update, full_matrices=False)
    torch.testing.assert_close(result, u @ v, atol=0.05, rtol=0)


def test_a_muon_step_follows_the_rule():
    parameter = torch.nn.Parameter(torch.randn(4, 6))
    before = parameter.detach().clone()
    optimizer = Muon([parameter], lr=0.1, momentum=0.9, weight_decay=0.2)
    momentum = torch.zeros(4, 6)
    for _ in range(2):
        gradient = torch.randn(4, 6)
        parameter.grad = gradient.clone()
        optimizer.step()
        momentum = 0.9 * momentum + gradient
        update = newton_schulz(gradient + 0.9 * momentum, 8, 2)
        before = before * (1 - 0.1 * 0.2) - 0.1 * 0.18 * 6**0.5 * update
    torch.testing.assert_close(parameter.detach(), before)


def test_each_expert_is_a_matrix_of_its_own():
    together = torch.nn.Parameter(torch.zeros(3, 4, 6))
    together.grad = torch.randn(3, 4, 6)
    Muon([together], lr=1.0).step()
    for expert in range(3):
        alone = torch.nn.Parameter(torch.zeros(4, 6))
        alone.grad = together.grad[expert].clone()
        Muon([alone], lr=1.0).step()
        torch.testing.assert_close(together[expert], alone)


def test_every_parameter_has_one_optimizer():
    model = Transformer(small_config())
    muon, adamw = split_parameters(model)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    assert sorted(map(id, muon + adamw)) == sorted(names)
    in_adamw = {names[id(parameter)] for parameter in adamw}
    assert {"embedding.weight", "head.weight", "norm.weight", "mtp.token_norm.weight"} <= in_adamw
    in_muon = {"blocks.0.attention_streams.fn", "blocks.1.attention.compressor.ape", "mtp.streams_head.fn"}
    assert not in_muon & in_adamw


@pytest.mark.parametrize("config", [FLASH, PRO], ids=["flash", "pro"])
def test_the_published_models_are_split_as_published(config):
    """Flash by the report's numbers; both by the formula that the accounting counts memory with."""
    with torch.device("meta"):
        model = Transformer(dataclasses.replace(config, num_nextn_predict_layers=0))
    muon, adamw = (sum(parameter.numel() for parameter in group) for group in split_parameters(model))
    main = part.main(deepseek_v4.parts(config, 1))
    assert muon == part.muon_parameters(main)
    assert muon + adamw == part.parameters(main)
    if config is FLASH:
        assert (muon, adamw) == (283_272_717_312, 1_059_512_919)
