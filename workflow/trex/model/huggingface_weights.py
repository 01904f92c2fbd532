"""A model's weights under the names and in the shapes of DeepSeek-V4's released checkpoint, both ways.

Every expert's matrices are tensors of their own there, and the MTP block is `mtp.0`. transformers reads those names
(it passes over `mtp.*`, for which it has no module), and what its `save_pretrained` writes differs from them in a few
names (checked against 5.24.0), which are read here, too.

Not read: quantised tensors, such as those of the published FP8 and FP4 weights.
"""

import re
from collections.abc import Mapping

import torch

from trex.common.errors import UserError

State = dict[str, torch.Tensor]

ATTENTION = {
    "query_down.weight": "wq_a.weight",
    "query_norm.weight": "q_norm.weight",
    "query_up.weight": "wq_b.weight",
    "kv.weight": "wkv.weight",
    "kv_norm.weight": "kv_norm.weight",
    "output_up.weight": "wo_b.weight",
    "sink": "attn_sink",
}
COMPRESSOR = {
    "kv.weight": "wkv.weight",
    "gate.weight": "wgate.weight",
    "ape": "ape",
    "norm.weight": "norm.weight",
}
INDEXER = {
    "query.weight": "wq_b.weight",
    "weight.weight": "weights_proj.weight",
    **{f"compressor.{ours}": f"compressor.{theirs}" for ours, theirs in COMPRESSOR.items()},
}
BLOCK = {
    **{f"attention.{ours}": f"attn.{theirs}" for ours, theirs in ATTENTION.items()},
    **{f"attention.compressor.{ours}": f"attn.compressor.{theirs}" for ours, theirs in COMPRESSOR.items()},
    **{f"attention.indexer.{ours}": f"attn.indexer.{theirs}" for ours, theirs in INDEXER.items()},
    **{f"attention_streams.{name}": f"hc_attn_{name}" for name in ("fn", "base", "scale")},
    **{f"experts_streams.{name}": f"hc_ffn_{name}" for name in ("fn", "base", "scale")},
    "attention_norm.weight": "attn_norm.weight",
    "experts_norm.weight": "ffn_norm.weight",
    "experts.router.weight": "ffn.gate.weight",
    "experts.router.bias": "ffn.gate.bias",
    "experts.router.table": "ffn.gate.tid2eid",
    "experts.shared_down.weight": "ffn.shared_experts.w2.weight",
}
ENDS = {
    "embedding.weight": "embed.weight",
    "norm.weight": "norm.weight",
    "head.weight": "head.weight",
    **{f"streams_head.{name}": f"hc_head_{name}" for name in ("fn", "base", "scale")},
}
MTP = {
    "token_norm.weight": "enorm.weight",
    "streams_norm.weight": "hnorm.weight",
    "token_projection.weight": "e_proj.weight",
    "streams_projection.weight": "h_proj.weight",
    "norm.weight": "norm.weight",
    **{f"streams_head.{name}": f"hc_head_{name}" for name in ("fn", "base", "scale")},
}
# What save_pretrained of transformers calls otherwise, as (pattern, released name).
SAVED_BY_TRANSFORMERS = (
    (r"^model\.", ""),
    (r"^embed_tokens\.", "embed."),
    (r"^hc_head\.hc_", "hc_head_"),
    (r"\.attn\.norm\.", ".attn.kv_norm."),
)


def to_hf_state(state: Mapping[str, torch.Tensor]) -> State:
    """The state dictionary of `trex.model.transformer.Transformer`, or of its gradients, under released names.

    Raises KeyError at a tensor that has no counterpart.
    """
    return {theirs: part for name, tensor in state.items() for theirs, part in released(name, tensor)}


def from_hf_state(tensors: Mapping[str, torch.Tensor], ours: Mapping[str, torch.Tensor]) -> State:
    """What was released, or saved by transformers, as the state dictionary of our model.

    ours: the state dictionary of such a model, on any device: the names, shapes and dtypes that are wanted. Raises
    UserError that names a tensor that is missing, left over, quantised or of another shape.
    """
    found = {plain_name(name): tensor for name, tensor in tensors.items()}
    if quantised := [name for name, tensor in found.items() if name.endswith(".scale") or tensor.element_size() == 1]:
        raise UserError(f"quantised tensors such as {min(quantised)}; only weights of 16 or 32 bits are read")
    wanted = {name: released(name, like) for name, like in ours.items()}
    check({theirs: part.shape for parts in wanted.values() for theirs, part in parts}, found)
    return {
        name: join(name, [found[theirs] for theirs, _ in parts], ours[name].shape).to(ours[name].dtype)
        for name, parts in wanted.items()
    }


def check(wanted: Mapping[str, torch.Size], found: Mapping[str, torch.Tensor]) -> None:
    """Raises UserError unless exactly these tensors are there."""
    if missing := sorted(set(wanted) - set(found)):
        if all(name.startswith("mtp.") for name in missing):
            raise UserError("the config has an MTP block, the weights have none; set num_nextn_predict_layers to 0")
        raise UserError(f"{len(missing)} tensors are missing, such as {missing[0]}")
    if extra := sorted(set(found) - set(wanted)):
        if all(name.startswith("mtp.") for name in extra):
            raise UserError("the weights have an MTP block, the config has none; set num_nextn_predict_layers to 1")
        raise UserError(f"{len(extra)} tensors are no part of the configured model, such as {extra[0]}")
    for name, shape in wanted.items():
        if found[name].shape != shape:
            raise UserError(f"{name} has shape {list(found[name].shape)}; the config makes it {list(shape)}")


def plain_name(name: str) -> str:
    """The released name of what transformers may have saved under another."""
    for pattern, replacement in SAVED_BY_TRANSFORMERS:
        name = re.sub(pattern, replacement, name)
    return name


def released(name: str, tensor: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
    """(released name, tensor) pairs of one of our tensors."""
    if name in ENDS:
        return [(ENDS[name], tensor)]
    if name.startswith("blocks."):
        _, layer, rest = name.split(".", 2)
        return [(f"layers.{layer}.{theirs}", part) for theirs, part in split(rest, tensor)]
    if name.startswith("mtp.block."):
        return [(f"mtp.0.{theirs}", part) for theirs, part in split(name.removeprefix("mtp.block."), tensor)]
    return [(f"mtp.0.{MTP[name.removeprefix('mtp.')]}", tensor)]


def split(name: str, tensor: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
    """(released name, tensor) pairs of one tensor of a block; names within the block. `join` is the way back."""
    if name == "attention.output_down":  # [g, H*c/g, r] -> [g*r, H*c/g]
        return [("attn.wo_a.weight", tensor.transpose(1, 2).flatten(0, 1).contiguous())]
    if name == "experts.gate_up":  # [E, d, 2f] -> E times gate and up, [f, d]
        halves = tensor.transpose(1, 2).unflatten(1, (2, -1)).flatten(0, 1).unbind(0)
        return [(f"ffn.experts.{i // 2}.w{(1, 3)[i % 2]}.weight", half.contiguous()) for i, half in enumerate(halves)]
    if name == "experts.down":  # [E, f, d] -> E times [d, f]
        matrices = tensor.transpose(1, 2).unbind(0)
        return [(f"ffn.experts.{i}.w2.weight", matrix.contiguous()) for i, matrix in enumerate(matrices)]
    if name == "experts.shared_gate_up.weight":  # [2f, d]: gate above up
        gate, up = tensor.chunk(2)
        shared = "ffn.shared_experts"
        return [(f"{shared}.w1.weight", gate.contiguous()), (f"{shared}.w3.weight", up.contiguous())]
    return [(BLOCK[name], tensor)]


def join(name: str, parts: list[torch.Tensor], shape: torch.Size) -> torch.Tensor:
    """Our tensor, of that name and shape, from its parts in the order of `split`."""
    if name.endswith("attention.output_down"):
        return parts[0].unflatten(0, (shape[0], -1)).transpose(1, 2).contiguous()
    if name.endswith("experts.gate_up"):
        return torch.stack(parts).unflatten(0, (-1, 2)).flatten(1, 2).transpose(1, 2).contiguous()
    if name.endswith("experts.down"):
        return torch.stack(parts).transpose(1, 2).contiguous()
    return torch.cat(parts) if len(parts) > 1 else parts[0]
