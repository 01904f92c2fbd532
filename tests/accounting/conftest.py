"""A model small enough to train in a test."""

import pytest

from trex.model.config import ModelConfig


@pytest.fixture
def tiny() -> ModelConfig:
    return ModelConfig(
        vocab_size=61,
        hidden_size=16,
        num_attention_heads=2,
        head_dim=16,
        qk_rope_head_dim=8,
        q_lora_rank=8,
        o_groups=2,
        o_lora_rank=4,
        sliding_window=8,
        compress_ratios=(0, 4, 16),
        index_n_heads=16,
        index_head_dim=8,
        index_topk=3,
        moe_intermediate_size=8,
        n_routed_experts=4,
        num_experts_per_tok=2,
        num_hash_layers=1,
        routed_scaling_factor=1.5,
        hc_mult=2,
    )
