"""Which experts a token visits, and how evenly (arXiv 2606.19348, 2.1; arXiv 2412.19437, 2.1.2)."""

import torch
from torch import nn

from trex.model.config import ModelConfig
from trex.model.trace import Routing, Trace


class Router(nn.Module):
    """Affinity sqrt(softplus(x W)); the top-k of affinity + bias, or those that a fixed table gives for the token.

    The correction bias is no parameter: training moves it against the load. Affinities are float32.
    """

    def __init__(self, config: ModelConfig, is_hash: bool):
        super().__init__()
        self.config, self.is_hash = config, is_hash
        self.weight = nn.Parameter(torch.empty(config.n_routed_experts, config.hidden_size))
        if is_hash:
            table = torch.zeros(config.vocab_size, config.num_experts_per_tok, dtype=torch.int32)
            self.register_buffer("table", table)
        else:
            self.register_buffer("bias", torch.zeros(config.n_routed_experts))

    def affinity(self, x: torch.Tensor) -> torch.Tensor:
        """x [N, d] -> [N, E], above 0."""
        return nn.functional.softplus(x.float() @ self.weight.float().T).sqrt()

    def choose(self, affinity: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """affinity [N, E], tokens [N] -> k different experts a token, [N, k]."""
        if self.is_hash:
            return self.table[tokens].long()
        return (affinity.detach() + self.bias).topk(self.config.num_experts_per_tok, dim=-1).indices

    def weigh(self, affinity: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        """The chosen experts' weights [N, k], which sum to the scaling factor. The bias has no part in them."""
        weight = affinity.gather(1, chosen)
        return weight / weight.sum(-1, keepdim=True) * self.config.routed_scaling_factor

    def observe(self, affinity: torch.Tensor, chosen: torch.Tensor, trace: Trace) -> Routing:
        """What the auxiliary losses and the log want to know. affinity [B, S, E], chosen [B, S, k]."""
        load = torch.bincount(chosen[trace.real].flatten(), minlength=self.config.n_routed_experts)
        wanted = trace.wants_balance and not self.is_hash
        balance = sequence_balance(affinity, chosen, trace.real) if wanted else None
        return Routing(load=load, is_hash=self.is_hash, balance=balance)


def sequence_balance(affinity: torch.Tensor, chosen: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Sum over the rows of sum_e f_e P_e: 1 a row where experts are used evenly, E/k where always the same k are.

    affinity [B, S, E], chosen [B, S, k], real [B, S]: positions that are no padding. Of one row's real tokens, f_e is
    E/k times the share that chose expert e, and P_e the mean of its affinity over the sum of all (arXiv 2412.19437,
    equations 17 to 20). A sequence is a packed row. Gradients go through P alone.
    """
    experts, k = affinity.shape[-1], chosen.shape[-1]
    count = real.sum(1, keepdim=True).clamp(min=1)
    visits = torch.zeros_like(affinity).scatter(-1, chosen, 1.0) * real.unsqueeze(-1)
    share = affinity / affinity.sum(-1, keepdim=True) * real.unsqueeze(-1)
    frequency, probability = visits.sum(1) * experts / (k * count), share.sum(1) / count
    return (frequency * probability).sum()


def hash_table(config: ModelConfig, seed: int) -> torch.Tensor:
    """[V, k]: k different experts for each token id; each expert serves nearly the same number of ids."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.rand(config.vocab_size, config.n_routed_experts, generator=generator)
    first = torch.randperm(config.vocab_size, generator=generator) % config.n_routed_experts
    rows.scatter_(1, first.unsqueeze(1), 2.0)
    return rows.topk(config.num_experts_per_tok, dim=1).indices.to(torch.int32)
