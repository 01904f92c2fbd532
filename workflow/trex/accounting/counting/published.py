"""The shapes of published models that can be named instead of giving a config.json.

Each with its source. Shapes alone: what they hold and do is counted by the formulas of their architecture.
"""

from trex.model.config import ModelConfig

V4_SHARED = {
    "vocab_size": 129280,
    "head_dim": 512,
    "qk_rope_head_dim": 64,
    "o_lora_rank": 1024,
    "sliding_window": 128,
    "index_n_heads": 64,
    "index_head_dim": 128,
    "num_experts_per_tok": 6,
    "num_hash_layers": 3,
    "hc_mult": 4,
}

FLASH = ModelConfig(
    **V4_SHARED,
    hidden_size=4096,
    num_attention_heads=64,
    q_lora_rank=1024,
    o_groups=8,
    compress_ratios=(0, 0, *(4, 128) * 20, 4),
    index_topk=512,
    moe_intermediate_size=2048,
    n_routed_experts=256,
    routed_scaling_factor=1.5,
)

PRO = ModelConfig(
    **V4_SHARED,
    hidden_size=7168,
    num_attention_heads=128,
    q_lora_rank=1536,
    o_groups=16,
    compress_ratios=(128, 128, *(4, 128) * 29, 4),
    index_topk=1024,
    moe_intermediate_size=3072,
    n_routed_experts=384,
    routed_scaling_factor=2.5,
)
