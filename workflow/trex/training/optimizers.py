"""Muon for the matrices, AdamW for the rest, as DeepSeek-V4 splits them (arXiv 2606.19348, training section).

AdamW: embedding, head, biases and scales of the hyper-connections, norms, sinks.
Muon: every other matrix, an expert's being a matrix of its own, and the position biases of the compressors' gates too.
"""

import torch
from torch import nn

FAST, EXACT = (3.4445, -4.7750, 2.0315), (2.0, -1.5, 0.5)
ADAMW_NAMES = ("embedding.weight", "head.weight")


def newton_schulz(update: torch.Tensor, fast_steps: int, exact_steps: int) -> torch.Tensor:
    """The nearest (semi-)orthogonal matrices to `update` [..., n, m], by the report's two-speed iteration."""
    tall = update.shape[-2] > update.shape[-1]
    x = update.mT if tall else update
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for a, b, c in (FAST,) * fast_steps + (EXACT,) * exact_steps:
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised, scaled to an update of about the size of AdamW's; decoupled weight decay.

    M = mu*M + G; the Nesterov step mu*M + G is orthogonalised and scaled by 0.18*sqrt(max(n, m)). The report takes 8
    fast and 2 exact steps; at this size, where they cost a fifth of the time, fewer do as well.
    """

    def __init__(
        self,
        parameters,
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.1,
        fast_steps: int = 8,
        exact_steps: int = 2,
    ):
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})
        self.steps = (fast_steps, exact_steps)

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"].mul_(group["momentum"]).add_(parameter.grad)
                update = newton_schulz(parameter.grad.add(momentum, alpha=group["momentum"]), *self.steps)
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update, alpha=-group["lr"] * 0.18 * max(parameter.shape[-2:]) ** 0.5)


def split_parameters(model: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The parameters for Muon and those for AdamW."""
    muon, adamw = [], []
    for name, parameter in model.named_parameters():
        is_matrix = parameter.dim() >= 2 and name not in ADAMW_NAMES
        (muon if is_matrix else adamw).append(parameter)
    return muon, adamw


def build(model: nn.Module, settings: dict) -> list[torch.optim.Optimizer]:
    """settings: lr (Muon's), adamw_lr, weight_decay (Muon's alone), muon_fast_steps, muon_exact_steps."""
    muon, adamw = split_parameters(model)
    return [
        Muon(
            muon,
            lr=settings["lr"],
            weight_decay=settings["weight_decay"],
            fast_steps=settings["muon_fast_steps"],
            exact_steps=settings["muon_exact_steps"],
        ),
        torch.optim.AdamW(adamw, lr=settings["adamw_lr"], betas=(0.9, 0.95), eps=1e-20, weight_decay=0.0, fused=True),
    ]
