"""The miniature in the terms of transformers' DeepseekV4ForCausalLM: its configuration and the names of its weights.

Checked against transformers 5.24.0, models/deepseek_v4. Neither torch nor transformers is imported here: the
configuration is a plain dictionary, and tensors are moved by their own methods.

What has no counterpart there: the losses of the indexer and of the balance, moving the routers' bias, and documents
packed into one row (its compressors pool across their boundaries).
"""

from collections.abc import Mapping

from trex.common.errors import UserError
from trex.model.config import ModelConfig

LAYER_TYPES = {
    "window": "sliding_attention",
    "csa": "compressed_sparse_attention",
    "hca": "heavily_compressed_attention",
}
DEFAULT_RATIOS = {"csa": 4, "hca": 128}
SAME_NAME = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "head_dim",
    "q_lora_rank",
    "o_groups",
    "o_lora_rank",
    "sliding_window",
    "index_n_heads",
    "index_head_dim",
    "index_topk",
    "moe_intermediate_size",
    "n_routed_experts",
    "num_experts_per_tok",
    "n_shared_experts",
    "routed_scaling_factor",
    "hc_mult",
    "hc_sinkhorn_iters",
    "hc_eps",
    "rms_norm_eps",
    "rope_theta",
    "compress_rope_theta",
    "swiglu_limit",
    "initializer_range",
)
ATTENTION = {
    "query_down.weight": "q_a_proj.weight",
    "query_norm.weight": "q_a_norm.weight",
    "query_up.weight": "q_b_proj.weight",
    "kv.weight": "kv_proj.weight",
    "kv_norm.weight": "kv_norm.weight",
    "output_up.weight": "o_b_proj.weight",
    "sink": "sinks",
}
COMPRESSOR = {
    "kv.weight": "kv_proj.weight",
    "gate.weight": "gate_proj.weight",
    "ape": "position_bias",
    "norm.weight": "kv_norm.weight",
}
INDEXER = {
    "query.weight": "q_b_proj.weight",
    "weight.weight": "scorer.weights_proj.weight",
    **{f"compressor.{ours}": theirs for ours, theirs in COMPRESSOR.items()},
}
BLOCK = {
    **{f"attention.{ours}": f"self_attn.{theirs}" for ours, theirs in ATTENTION.items()},
    **{f"attention.compressor.{ours}": f"self_attn.compressor.{theirs}" for ours, theirs in COMPRESSOR.items()},
    **{f"attention.indexer.{ours}": f"self_attn.compressor.indexer.{theirs}" for ours, theirs in INDEXER.items()},
    **{f"attention_streams.{name}": f"attn_hc.{name}" for name in ("fn", "base", "scale")},
    **{f"experts_streams.{name}": f"ffn_hc.{name}" for name in ("fn", "base", "scale")},
    "attention_norm.weight": "input_layernorm.weight",
    "experts_norm.weight": "post_attention_layernorm.weight",
    "experts.router.weight": "mlp.gate.weight",
    "experts.router.bias": "mlp.gate.e_score_correction_bias",
    "experts.router.table": "mlp.gate.tid2eid",
    "experts.shared_down.weight": "mlp.shared_experts.down_proj.weight",
}
ENDS = {
    "embedding.weight": "model.embed_tokens.weight",
    "streams_head.fn": "model.hc_head.hc_fn",
    "streams_head.base": "model.hc_head.hc_base",
    "streams_head.scale": "model.hc_head.hc_scale",
    "norm.weight": "model.norm.weight",
    "head.weight": "lm_head.weight",
}


def to_hf_config(config: ModelConfig) -> dict:
    """Keyword arguments of transformers' DeepseekV4Config for the same model, as plain JSON values.

    Raises UserError where transformers cannot say the same: two ratios of heavily compressed attention, another number
    of shared experts than one, or a rotary size that its product of floats does not give back.
    """
    if config.n_shared_experts != 1:
        raise UserError(f"model config: n_shared_experts is {config.n_shared_experts}; transformers builds exactly 1")
    factor = config.qk_rope_head_dim / config.head_dim
    if int(config.head_dim * factor) != config.qk_rope_head_dim:
        raise UserError(
            f"model config: qk_rope_head_dim {config.qk_rope_head_dim} of head_dim {config.head_dim} is no exact "
            "fraction for transformers; use a power of two"
        )
    kinds = [config.layer_kind(layer) for layer in range(config.num_hidden_layers)]
    rope = {"rope_type": "default", "partial_rotary_factor": factor}
    return {name: getattr(config, name) for name in SAME_NAME} | {
        "num_key_value_heads": 1,
        "layer_types": [LAYER_TYPES[kind] for kind in kinds],
        "compress_rates": {LAYER_TYPES[kind]: ratio_of(config, kind) for kind in ("csa", "hca")},
        "mlp_layer_types": ["hash_moe" if config.is_hash_layer(i) else "moe" for i in range(len(kinds))],
        "partial_rotary_factor": factor,
        "rope_parameters": {
            "main": rope | {"rope_theta": config.rope_theta},
            "compress": rope | {"rope_theta": config.compress_rope_theta},
        },
        "scoring_func": "sqrtsoftplus",
        "norm_topk_prob": True,
        "tie_word_embeddings": False,
        "num_nextn_predict_layers": 0,
        # A padding id would freeze that row of the embedding; special tokens belong to the tokenizer.
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def ratio_of(config: ModelConfig, kind: str) -> int:
    """The one compression ratio of all layers of a kind."""
    ratios = {r for layer, r in enumerate(config.compress_ratios) if config.layer_kind(layer) == kind}
    if len(ratios) > 1:
        raise UserError(
            f"model config: {kind.upper()} layers of ratios {sorted(ratios)}; transformers knows one a kind"
        )
    return ratios.pop() if ratios else DEFAULT_RATIOS[kind]


def to_hf_state(state: Mapping) -> dict:
    """The state dictionary of `trex.model.transformer.Transformer` under transformers' names and shapes.

    Raises KeyError at a tensor that has no counterpart.
    """
    renamed = {}
    for name, tensor in state.items():
        if name in ENDS:
            renamed[ENDS[name]] = tensor
        else:
            _, layer, rest = name.split(".", 2)
            renamed |= {f"model.layers.{layer}.{theirs}": value for theirs, value in block_tensors(rest, tensor)}
    return renamed


def block_tensors(name: str, tensor) -> list[tuple]:
    """(name, tensor) pairs of transformers for one tensor of a block."""
    if name == "attention.output_down":  # [g, H*c/g, r] -> [g*r, H*c/g]
        return [("self_attn.o_a_proj.weight", tensor.transpose(1, 2).flatten(0, 1).contiguous())]
    if name == "experts.gate_up":  # [E, d, 2f] -> [E, 2f, d]
        return [("mlp.experts.gate_up_proj", tensor.transpose(1, 2).contiguous())]
    if name == "experts.down":  # [E, f, d] -> [E, d, f]
        return [("mlp.experts.down_proj", tensor.transpose(1, 2).contiguous())]
    if name == "experts.shared_gate_up.weight":  # [2f, d]: gate above up
        gate, up = tensor.chunk(2)
        shared = "mlp.shared_experts"
        return [(f"{shared}.gate_proj.weight", gate.contiguous()), (f"{shared}.up_proj.weight", up.contiguous())]
    return [(BLOCK[name], tensor)]
