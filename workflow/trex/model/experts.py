"""Mixture of experts: learned or hash routing, top-k of E experts and a shared one (arXiv 2606.19348, 2.1)."""

import torch
from torch import nn

from trex.model.config import ModelConfig


def swiglu(gate: torch.Tensor, up: torch.Tensor, limit: float) -> torch.Tensor:
    """silu(min(gate, limit)) * clamp(up, -limit, limit)."""
    return nn.functional.silu(gate.clamp(max=limit)) * up.clamp(-limit, limit)


class Router(nn.Module):
    """Affinity sqrt(softplus(x W)); the top-k of affinity + bias, or those that a fixed table gives for the token.

    The correction bias is no parameter: training moves it against the load (no auxiliary loss).
    """

    def __init__(self, config: ModelConfig, layer: int):
        super().__init__()
        self.config, self.is_hash = config, config.is_hash_layer(layer)
        self.weight = nn.Parameter(torch.empty(config.n_routed_experts, config.hidden_size))
        if self.is_hash:
            table = torch.zeros(config.vocab_size, config.num_experts_per_tok, dtype=torch.int32)
            self.register_buffer("table", table)
        else:
            self.register_buffer("bias", torch.zeros(config.n_routed_experts))

    def forward(self, x: torch.Tensor, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """x [N, d], tokens [N] -> expert indices and weights, both [N, k]; the weights sum to the scaling factor."""
        affinity = nn.functional.softplus(x @ self.weight.T).sqrt()
        if self.is_hash:
            chosen = self.table[tokens].long()
        else:
            chosen = (affinity.detach() + self.bias).topk(self.config.num_experts_per_tok, dim=-1).indices
        weight = affinity.gather(1, chosen)
        return chosen, weight / weight.sum(-1, keepdim=True) * self.config.routed_scaling_factor


class MixtureOfExperts(nn.Module):
    def __init__(self, config: ModelConfig, layer: int):
        super().__init__()
        d, f, experts = config.hidden_size, config.moe_intermediate_size, config.n_routed_experts
        self.config = config
        self.router = Router(config, layer)
        self.gate_up = nn.Parameter(torch.empty(experts, d, 2 * f))
        self.down = nn.Parameter(torch.empty(experts, f, d))
        self.shared_gate_up = nn.Linear(d, 2 * f * config.n_shared_experts, bias=False)
        self.shared_down = nn.Linear(f * config.n_shared_experts, d, bias=False)
        self.load: torch.Tensor | None = None  # tokens per expert in the last forward pass

    def forward(self, x: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """x [B, S, d], tokens [B, S] -> [B, S, d]."""
        flat = x.flatten(0, 1)
        shared = self.shared_down(swiglu(*self.shared_gate_up(flat).chunk(2, dim=-1), self.config.swiglu_limit))
        return (shared + self.routed(flat, *self.router(flat, tokens.flatten()))).view_as(x)

    def routed(self, x: torch.Tensor, chosen: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """x [N, d], chosen and weight [N, k] -> [N, d]. Token copies are sorted by expert, one product an expert."""
        k = chosen.shape[1]
        by_expert = chosen.flatten().argsort(stable=True)  # [N*k], copy n*k+j is token n's j-th expert
        self.load = torch.bincount(chosen.flatten(), minlength=self.config.n_routed_experts)
        copies = x.index_select(0, by_expert // k).split(self.load.tolist())
        results = [
            swiglu(*(part @ gate_up).chunk(2, dim=-1), self.config.swiglu_limit) @ down
            for part, gate_up, down in zip(copies, self.gate_up.unbind(0), self.down.unbind(0), strict=True)
        ]
        back = torch.empty_like(by_expert).scatter(0, by_expert, torch.arange(len(by_expert)))
        return torch.einsum("nk,nkd->nd", weight, torch.cat(results).index_select(0, back).unflatten(0, (-1, k)))
