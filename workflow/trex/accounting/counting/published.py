"""The shapes of published models that can be named instead of giving a config.json.

Each with its source. Shapes alone: what they hold and do is counted by the formulas of their architecture.
"""

import dataclasses

from trex.accounting.counting.transformer import GroupedQueryAttention, LatentAttention, TransformerConfig
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

DEEPSEEK_V3 = TransformerConfig(
    vocab_size=129280,
    hidden_size=7168,
    num_hidden_layers=61,
    attention=LatentAttention(
        num_attention_heads=128,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
    ),
    n_routed_experts=256,
    num_experts_per_tok=8,
    moe_intermediate_size=2048,
    n_shared_experts=1,
    num_dense_layers=3,
    intermediate_size=18432,
    router_bias=True,
    num_nextn_predict_layers=1,
)

# The vocabulary is that of the released openPangu-Ultra-MoE-718B; with it, the report's 718 and 39 billion parameters
# are those without the input embedding.
PANGU_ULTRA_MOE = dataclasses.replace(
    DEEPSEEK_V3, vocab_size=153600, hidden_size=7680, norms_per_layer=4, router_bias=False
)

QWEN3_235B_A22B = TransformerConfig(
    vocab_size=151936,
    hidden_size=4096,
    num_hidden_layers=94,
    attention=GroupedQueryAttention(num_attention_heads=64, num_key_value_heads=4, head_dim=128, qk_norm=True),
    n_routed_experts=128,
    num_experts_per_tok=8,
    moe_intermediate_size=1536,
)

QWEN3_30B_A3B = TransformerConfig(
    vocab_size=151936,
    hidden_size=2048,
    num_hidden_layers=48,
    attention=GroupedQueryAttention(num_attention_heads=32, num_key_value_heads=4, head_dim=128, qk_norm=True),
    n_routed_experts=128,
    num_experts_per_tok=8,
    moe_intermediate_size=768,
)

MIXTRAL_8X7B = TransformerConfig(
    vocab_size=32000,
    hidden_size=4096,
    num_hidden_layers=32,
    attention=GroupedQueryAttention(num_attention_heads=32, num_key_value_heads=8, head_dim=128),
    n_routed_experts=8,
    num_experts_per_tok=2,
    moe_intermediate_size=14336,
)

MIXTRAL_8X22B = TransformerConfig(
    vocab_size=32000,
    hidden_size=6144,
    num_hidden_layers=56,
    attention=GroupedQueryAttention(num_attention_heads=48, num_key_value_heads=8, head_dim=128),
    n_routed_experts=8,
    num_experts_per_tok=2,
    moe_intermediate_size=16384,
)

SHAPES = {
    "v4-flash": (FLASH, "config.json of deepseek-ai/DeepSeek-V4-Flash; arXiv 2606.19348"),
    "v4-pro": (PRO, "config.json of deepseek-ai/DeepSeek-V4-Pro; arXiv 2606.19348"),
    "deepseek-v3": (DEEPSEEK_V3, "config.json of deepseek-ai/DeepSeek-V3; arXiv 2412.19437"),
    "pangu-ultra-moe": (PANGU_ULTRA_MOE, "arXiv 2505.04519; configuration of openPangu-Ultra-MoE-718B"),
    "qwen3-235b-a22b": (QWEN3_235B_A22B, "config.json of Qwen/Qwen3-235B-A22B; arXiv 2505.09388"),
    "qwen3-30b-a3b": (QWEN3_30B_A3B, "config.json of Qwen/Qwen3-30B-A3B; arXiv 2505.09388"),
    "mixtral-8x7b": (MIXTRAL_8X7B, "config.json of mistralai/Mixtral-8x7B-v0.1; arXiv 2401.04088"),
    "mixtral-8x22b": (MIXTRAL_8X22B, "config.json of mistralai/Mixtral-8x22B-v0.1"),
}
