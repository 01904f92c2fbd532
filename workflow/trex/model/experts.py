"""Mixture of experts: the routed ones that a token visits, and a shared one (arXiv 2606.19348, 2.1)."""

import torch
from torch import nn

from trex.model.config import ModelConfig
from trex.model.router import Router
from trex.model.trace import Trace


def swiglu(gate: torch.Tensor, up: torch.Tensor, limit: float | None) -> torch.Tensor:
    """silu(min(gate, limit)) * clamp(up, -limit, limit), or silu(gate) * up without a limit."""
    if limit is not None:
        gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return nn.functional.silu(gate) * up


class MixtureOfExperts(nn.Module):
    def __init__(self, config: ModelConfig, is_hash: bool):
        super().__init__()
        d, f, experts = config.hidden_size, config.moe_intermediate_size, config.n_routed_experts
        self.limit = config.swiglu_limit
        self.shared_limit = config.swiglu_limit if config.shared_expert_clamp else None
        self.router = Router(config, is_hash)
        self.gate_up = nn.Parameter(torch.empty(experts, d, 2 * f))
        self.down = nn.Parameter(torch.empty(experts, f, d))
        self.shared_gate_up = nn.Linear(d, 2 * f * config.n_shared_experts, bias=False)
        self.shared_down = nn.Linear(f * config.n_shared_experts, d, bias=False)

    def forward(self, x: torch.Tensor, tokens: torch.Tensor, trace: Trace | None = None) -> torch.Tensor:
        """x [B, S, d], tokens [B, S] -> [B, S, d]."""
        flat = x.flatten(0, 1)
        affinity = self.router.affinity(flat)
        chosen = self.router.choose(affinity, tokens.flatten())
        if trace is not None:
            in_rows = (values.unflatten(0, tokens.shape) for values in (affinity, chosen))
            trace.routing.append(self.router.observe(*in_rows, trace))
        return (self.shared(flat) + self.routed(flat, chosen, self.router.weigh(affinity, chosen))).view_as(x)

    def shared(self, x: torch.Tensor) -> torch.Tensor:
        """x [N, d] -> [N, d]."""
        return self.shared_down(swiglu(*self.shared_gate_up(x).chunk(2, dim=-1), self.shared_limit))

    def routed(self, x: torch.Tensor, chosen: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """x [N, d], chosen and weight [N, k] -> [N, d]. Token copies are sorted by expert, one product an expert."""
        k = chosen.shape[1]
        by_expert = chosen.flatten().argsort(stable=True)  # [N*k], copy n*k+j is token n's j-th expert
        load = torch.bincount(chosen.flatten(), minlength=len(self.gate_up))
        copies = x.index_select(0, by_expert // k).split(load.tolist())
        results = [
            swiglu(*(part @ gate_up).chunk(2, dim=-1), self.limit) @ down
            for part, gate_up, down in zip(copies, self.gate_up.unbind(0), self.down.unbind(0), strict=True)
        ]
        back = torch.empty_like(by_expert).scatter(0, by_expert, torch.arange(len(by_expert)))
        results = torch.cat(results).index_select(0, back).unflatten(0, (-1, k))
        return torch.einsum("nk,nkd->nd", weight.to(x.dtype), results)
