"""PyTorch's own FLOP counter on the miniature gives exactly what the formula says is executed."""

import dataclasses

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from trex.accounting.counting import deepseek_v4, executed, part
from trex.model import packing
from trex.model.trace import Trace
from trex.model.transformer import Transformer

LENGTHS = [1, 3, 40, 64, 65, 150]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def forward(model, length, trace=None):
    """All logits, those of multi-token prediction too."""
    tokens = torch.arange(length).view(1, -1) % model.config.vocab_size
    document, position = torch.ones_like(tokens), torch.arange(length).view(1, -1)
    plan = packing.plan(model.config, document, position)
    streams = model.run(tokens, plan, trace)
    logits = [model.head(model.collapse(streams))]
    if model.mtp is not None:
        logits.append(model.head(model.predict_ahead(streams, tokens, plan, trace)))
    return logits


def counted(run):
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("mtp", [0, 1])
def test_forward(tiny, length, mtp):
    config = dataclasses.replace(tiny, num_nextn_predict_layers=mtp, sliding_window=70)
    model = Transformer(config).initialise(0)
    with torch.no_grad():
        found = counted(lambda: forward(model, length))
    assert found == part.forward_flops(executed.parts(config, length))


@pytest.mark.parametrize("length", LENGTHS)
def test_training_step_with_all_losses(tiny, length):
    model = Transformer(tiny).initialise(0)

    def step():
        trace = Trace(real=torch.ones(1, length, dtype=torch.bool), wants_balance=True, wants_divergence=True)
        loss = sum(logits.sum() for logits in forward(model, length, trace)) + sum(trace.divergence)
        loss.backward()

    assert counted(step) == executed.training_flops(tiny, length)


def test_block_is_the_models():
    assert executed.BLOCK == packing.BLOCK


def test_more_pairs_are_executed_than_are_visible(tiny):
    visible = part.by_component(deepseek_v4.parts(tiny, 150), lambda one: one.flops)
    done = part.by_component(executed.parts(tiny, 150), lambda one: one.flops)
    more = {name for name in done if done[name] > visible[name]}
    assert more == {"window_attention", "csa_attention", "hca_attention", "indexer_scores", "routed_experts"}
    assert {name for name in done if done[name] < visible[name]} == {"hyper_connections"}
