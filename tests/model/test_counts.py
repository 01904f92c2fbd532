"""Our own modules at the published sizes, on the device without memory: exactly the published numbers of parameters.

How the optimizers split them is in tests/training/test_optimizers.py.
Sources: the two config.json and checkpoints of DeepSeek-V4-Flash and -Pro; arXiv 2606.19348 ("13B" and "49B" active).
"""

import pytest
import torch

from trex.accounting.counting import deepseek_v4, part
from trex.accounting.counting.published import FLASH, PRO
from trex.model.transformer import Transformer

PUBLISHED = {
    "flash": {
        "main": 284_332_230_231,
        "mtp": 6_610_048_635,
        "all": 290_942_278_866,
        "active": 13_799_632_471,
        "active without embedding": 13_270_101_591,
    },
    "pro": {
        "main": 1_572_997_179_491,
        "mtp": 25_840_145_595,
        "all": 1_598_837_325_086,
        "active": 49_779_081_059,
        "active without embedding": 48_852_402_019,
    },
}


@pytest.fixture(scope="module", params=[("flash", FLASH), ("pro", PRO)], ids=lambda param: param[0])
def published(request):
    """(name, model on the meta device)."""
    name, config = request.param
    with torch.device("meta"):
        return name, Transformer(config)


def size(tensors) -> int:
    return sum(tensor.numel() for tensor in tensors)


def active(model: Transformer) -> int:
    """What one token meets in the main model: of the routed experts its own alone; correction biases included."""
    config = model.config
    biases = [block.experts.router.bias for block in model.blocks if not block.experts.router.is_hash]
    experts = [tensor for block in model.blocks for tensor in (block.experts.gate_up, block.experts.down)]
    idle = size(experts) * (config.n_routed_experts - config.num_experts_per_tok) // config.n_routed_experts
    return size(model.parameters()) - size(model.mtp.parameters()) + size(biases) - idle


def test_published_counts(published):
    name, model = published
    everything, ahead = size(model.parameters()), size(model.mtp.parameters())
    assert {
        "main": everything - ahead,
        "mtp": ahead,
        "all": everything,
        "active": active(model),
        "active without embedding": active(model) - model.embedding.weight.numel(),
    } == PUBLISHED[name]


def test_the_count_of_each_component_is_the_formulas(published):
    """So that a wrong formula and a wrong module cannot make up for each other."""
    _, model = published
    main = part.main(deepseek_v4.parts(model.config, 1))
    formulas = part.by_component(main, lambda one: one.parameters)
    counts = dict.fromkeys(formulas, 0)
    for name, tensor in model.named_parameters():
        if not name.startswith("mtp."):
            counts[component_of(name)] += tensor.numel()
    assert counts == formulas


def component_of(name: str) -> str:
    marks = {
        "embedding.": "embedding",
        ".indexer.": "indexer_projections",
        ".compressor.": "compressors",
        "attention.": "projections",
        "router.": "routers",
        "experts.shared": "shared_experts",
        "experts.gate_up": "routed_experts",
        "experts.down": "routed_experts",
        "streams": "hyper_connections",
        "norm.": "norms",
        "head.": "lm_head",
    }
    return next(component for mark, component in marks.items() if mark in name)
