"""A small model with every kind of layer, all its weights random and none degenerate."""

import pytest
import torch

from trex.model.config import ModelConfig
from trex.model.transformer import Transformer

VOCABULARY = 61


def small_config(**changes) -> ModelConfig:
    values = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "num_attention_heads": 2,
        "head_dim": 16,
        "qk_rope_head_dim": 8,
        "q_lora_rank": 12,
        "o_groups": 2,
        "o_lora_rank": 8,
        "sliding_window": 9,
        "compress_ratios": (0, 4, 8),
        "index_n_heads": 16,
        "index_head_dim": 8,
        "index_topk": 3,
        "moe_intermediate_size": 24,
        "n_routed_experts": 5,
        "num_experts_per_tok": 2,
        "num_hash_layers": 1,
        "routed_scaling_factor": 1.5,
        "hc_mult": 2,
    }
    return ModelConfig(**values | changes)


@torch.no_grad()
def randomise(model: Transformer, seed: int = 0, deviation: float = 0.3) -> Transformer:
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.add_(torch.randn(parameter.shape, generator=generator) * deviation)
    for name, buffer in model.named_buffers():
        if name.endswith("router.bias"):
            buffer.normal_(0, 0.2, generator=generator)
    return model.eval()


def tokens_of(length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(5, VOCABULARY, (length,), generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def alone(model: Transformer, tokens: torch.Tensor) -> torch.Tensor:
    """Logits [S, V] of one document in a row of its own."""
    return model(tokens[None], torch.ones(1, len(tokens), dtype=torch.long), torch.arange(len(tokens))[None])[0]


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """The matrices are too small for two threads to help, and other tests run beside these."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def model() -> Transformer:
    return randomise(Transformer(small_config()).initialise(0))
