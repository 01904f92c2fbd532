"""DeepSeek-V4's equations (arXiv 2606.19348) written out for one document, token by token and query by query.

Slow, and easy to hold against the report: no blocks, no masks, no packing, float64. It takes the model's weights and
none of its functions, so what the model does wrong is not done wrong here too.
"""

import copy
import math

import torch

from trex.model.attention import Attention
from trex.model.compressor import Compressor
from trex.model.config import ModelConfig
from trex.model.experts import MixtureOfExperts
from trex.model.hyper_connections import HyperConnection, HyperHead
from trex.model.norm import RMSNorm
from trex.model.transformer import Transformer

EPS = 1e-6


@torch.no_grad()
def logits(model: Transformer, tokens: torch.Tensor) -> torch.Tensor:
    """tokens [S] -> [S, V]."""
    model = copy.deepcopy(model).double()
    streams = model.embedding.weight[tokens].unsqueeze(1).repeat(1, model.config.hc_mult, 1)  # [S, n, d]
    for block in model.blocks:
        x, post, mix = read(block.attention_streams, streams)
        result = torch.stack(attention(block.attention, normed(block.attention_norm, x))[0])
        streams = write(streams, result, post, mix)
        x, post, mix = read(block.experts_streams, streams)
        x = normed(block.experts_norm, x)
        result = torch.stack([experts(block.experts, x[t], int(token)) for t, token in enumerate(tokens)])
        streams = write(streams, result, post, mix)
    return normed(model.norm, collapse(model.streams_head, streams)) @ model.head.weight.T


@torch.no_grad()
def attention_alone(module: Attention, x: torch.Tensor) -> tuple[torch.Tensor, float]:
    """x [S, d] -> the attention's result [S, d], and the sum over queries of its indexer's divergence."""
    results, divergences = attention(copy.deepcopy(module).double(), x.double())
    return torch.stack(results), sum(divergences)


def rms(x: torch.Tensor) -> torch.Tensor:
    return x / (x.square().mean(-1, keepdim=True) + EPS).sqrt()


def normed(norm: RMSNorm, x: torch.Tensor) -> torch.Tensor:
    return rms(x) * norm.weight


# Hyper-connections: streams [S, n, d].


def read(connection: HyperConnection, streams: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Input of the sub-layer [S, d], its weight in each stream [S, n], matrices [S, n, n] of C[j, k]."""
    n = streams.shape[1]
    m = rms(streams.flatten(1)) @ connection.fn.T
    (to_pre, to_post, to_mix), (s0, s1, s2) = connection.base.split((n, n, n * n)), connection.scale
    pre = torch.sigmoid(m[:, :n] * s0 + to_pre) + EPS
    post = 2 * torch.sigmoid(m[:, n : 2 * n] * s1 + to_post)
    mix = (m[:, 2 * n :] * s2 + to_mix).unflatten(1, (n, n)).softmax(-1) + EPS
    mix = mix / (mix.sum(1, keepdim=True) + EPS)
    for _ in range(connection.config.hc_sinkhorn_iters - 1):
        mix = mix / (mix.sum(2, keepdim=True) + EPS)
        mix = mix / (mix.sum(1, keepdim=True) + EPS)
    return torch.einsum("sj,sjd->sd", pre, streams), post, mix


def write(streams: torch.Tensor, result: torch.Tensor, post: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
    return post.unsqueeze(-1) * result.unsqueeze(1) + torch.einsum("sjk,sjd->skd", mix, streams)


def collapse(head: HyperHead, streams: torch.Tensor) -> torch.Tensor:
    pre = torch.sigmoid(rms(streams.flatten(1)) @ head.fn.T * head.scale + head.base) + EPS
    return torch.einsum("sj,sjd->sd", pre, streams)


# Attention: x [S, d].


def angles(config: ModelConfig, compressed: bool) -> list[float]:
    """The angle a position of each pair of channels."""
    dim, scaling = config.qk_rope_head_dim, config.rope_scaling
    base = config.compress_rope_theta if compressed else config.rope_theta
    plain = [base ** (-2 * i / dim) for i in range(dim // 2)]
    if not compressed or scaling is None:
        return plain
    pairs = [
        dim * math.log(scaling.original_max_position_embeddings / (2 * math.pi * beta)) / (2 * math.log(base))
        for beta in (scaling.beta_fast, scaling.beta_slow)
    ]
    low, high = max(math.floor(pairs[0]), 0), min(math.ceil(pairs[1]), dim - 1)
    slowed = [min(max((i - low) / max(high - low, 0.001), 0), 1) for i in range(dim // 2)]
    return [a * (1 - s) + a / scaling.factor * s for a, s in zip(plain, slowed, strict=True)]


def turn(x: torch.Tensor, position: int, angle: list[float]) -> torch.Tensor:
    """The last channels of x [..., c], pair by pair of neighbours; a negative position turns back."""
    x, start = x.clone(), x.shape[-1] - 2 * len(angle)
    for pair, size in enumerate(angle):
        i, cos, sin = start + 2 * pair, math.cos(position * size), math.sin(position * size)
        a, b = x[..., i].clone(), x[..., i + 1].clone()
        x[..., i], x[..., i + 1] = a * cos - b * sin, a * sin + b * cos
    return x


def entries(compressor: Compressor, x: torch.Tensor, angle: list[float]) -> torch.Tensor:
    """[S // m, c], one window at a time."""
    m, c = compressor.ratio, compressor.head_dim
    kv, gate, result = x @ compressor.kv.weight.T, x @ compressor.gate.weight.T, []
    for w in range(len(x) // m):
        current = slice(w * m, (w + 1) * m)
        values, weights = kv[current, -c:], gate[current, -c:] + compressor.ape[:, -c:]
        if compressor.overlap and w > 0:
            before = slice((w - 1) * m, w * m)
            values = torch.cat((kv[before, :c], values))
            weights = torch.cat((gate[before, :c] + compressor.ape[:, :c], weights))
        pooled = (weights.softmax(0) * values).sum(0)
        result.append(turn(normed(compressor.norm, pooled), w * m, angle))
    return torch.stack(result) if result else x.new_zeros(0, c)


def attention(module: Attention, x: torch.Tensor) -> tuple[list[torch.Tensor], list[float]]:
    """The result [d] of each query, and of those that an indexer chose for, its divergence from the attention."""
    config, ratio, results, divergences = module.config, module.ratio, [], []
    angle = angles(config, compressed=ratio > 0)
    low_rank = normed(module.query_norm, x @ module.query_down.weight.T)
    keys = normed(module.kv_norm, x @ module.kv.weight.T)
    keys = torch.stack([turn(key, t, angle) for t, key in enumerate(keys)])
    compressed = entries(module.compressor, x, angle) if ratio else keys[:0]
    index_keys = entries(module.indexer.compressor, x, angle) if module.indexer is not None else None
    for t in range(len(x)):
        visible = list(range((t + 1) // ratio)) if ratio else []
        if visible and index_keys is not None:
            score = index_scores(module, x[t], low_rank[t], index_keys[visible], t, angle)
            visible = score.topk(min(config.index_topk, len(visible))).indices.tolist()
        seen = torch.cat((keys[max(0, t - config.sliding_window + 1) : t + 1], compressed[visible]))
        query = rms((low_rank[t] @ module.query_up.weight.T).view(config.num_attention_heads, -1))
        scores = turn(query, t, angle) @ seen.T * config.head_dim**-0.5
        weights = torch.cat((scores, module.sink[:, None]), dim=1).softmax(-1)[:, :-1]
        heads = turn(weights @ seen, -t, angle).flatten().chunk(config.o_groups)
        down = torch.cat([part @ weight for part, weight in zip(heads, module.output_down, strict=True)])
        results.append(down @ module.output_up.weight.T)
        if visible and index_keys is not None:
            teacher = weights[:, -len(visible) :].sum(0)
            teacher = teacher / teacher.sum()
            divergences.append(float((teacher * (teacher.log() - score[visible].log_softmax(0))).sum()))
    return results, divergences


def index_scores(module: Attention, x, low_rank, keys, t: int, angle: list[float]) -> torch.Tensor:
    """x [d], low_rank [r], keys [T, c] -> [T]."""
    indexer = module.indexer
    query = turn((low_rank @ indexer.query.weight.T).view(indexer.heads, -1), t, angle)
    match = torch.relu(query @ keys.T * indexer.head_dim**-0.5)
    return (x @ indexer.weight.weight.T * indexer.heads**-0.5) @ match


# Experts: of one token, x [d].


def experts(module: MixtureOfExperts, x: torch.Tensor, token: int) -> torch.Tensor:
    router, config = module.router, module.router.config
    affinity = torch.log1p((router.weight @ x).exp()).sqrt()
    if router.is_hash:
        chosen = router.table[token].tolist()
    else:
        chosen = (affinity + router.bias).topk(config.num_experts_per_tok).indices.tolist()
    share = affinity[chosen] / affinity[chosen].sum() * config.routed_scaling_factor
    gate, up = (module.shared_gate_up.weight @ x).chunk(2)
    result = module.shared_down.weight @ swiglu(gate, up, config.swiglu_limit if config.shared_expert_clamp else None)
    for weight, expert in zip(share, chosen, strict=True):
        gate, up = (x @ module.gate_up[expert]).chunk(2)
        result = result + weight * (swiglu(gate, up, config.swiglu_limit) @ module.down[expert])
    return result


def swiglu(gate: torch.Tensor, up: torch.Tensor, limit: float | None) -> torch.Tensor:
    if limit is not None:
        gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return gate * torch.sigmoid(gate) * up
