"""What the parts that all architectures share leave behind: experts, dense networks, head and logits.

Tensor shapes per token: d hidden size, f inner width of an expert, E routed experts, k experts a token.
"""

from trex.accounting.planning.activations.kept import FP32, INT32, Kept


def router(tokens: int, d: int, experts: int, top_k: int) -> list[Kept]:
    """Logits and scores in fp32, whatever the rest runs in."""
    return [
        Kept("router_input_fp32", "routers", tokens * d, FP32, certain=False, why="the input cast for an fp32 router"),
        Kept("router_scores", "routers", 2 * tokens * experts, FP32, why="logits and scores, each an activation's end"),
        Kept("choices", "routers", 2 * tokens * top_k, INT32, why="expert numbers and weights of each token"),
    ]


def routed_experts(tokens: int, d: int, f: int, top_k: int) -> list[Kept]:
    """Of a dropless all-to-all: each token's row is sent k times."""
    rows = tokens * top_k
    name = "routed_experts"
    return [
        Kept("dispatched", name, rows * d, split="expert", why="input of gate and up"),
        Kept("gate_and_up", name, 2 * rows * f, split="expert_inner", why="input of the gated activation"),
        Kept("activated", name, rows * f, split="expert_inner", again=True, why="input of down"),
        Kept("expert_outputs", name, rows * d, certain=False, why="if weights are applied after the experts"),
    ]


def network(component: str, tokens: int, f: int) -> list[Kept]:
    """A gated network that all tokens pass; its input is the norm's output, counted there."""
    return [
        Kept("gate_and_up", component, 2 * tokens * f, split="tensor", why="input of the gated activation"),
        Kept("activated", component, tokens * f, split="tensor", again=True, why="input of down"),
    ]


def norm(name: str, component: str, values: int, split: str = "sequence") -> list[Kept]:
    """Input and output of a norm whose output goes into a matrix."""
    return [
        Kept(f"{name}_input", component, values, split=split, why="a norm needs its input"),
        Kept(f"{name}_output", component, values, split=split, again=True, why="input of the matrices behind the norm"),
    ]


def logits(name: str, tokens: int, vocab_size: int) -> Kept:
    """The probabilities that the loss keeps in fp32 until its backward pass."""
    return Kept(name, "logits", tokens * vocab_size, FP32, "tensor", why="fp32 probabilities of the loss")


def expert_gradients(tokens: int, d: int, f: int, top_k: int) -> list[list[Kept]]:
    """Gradients of output and input of down, of the gated activation, and of gate and up."""
    rows = tokens * top_k
    wide = Kept("outer", "gradients", rows * d, split="expert")
    inner = Kept("inner", "gradients", rows * f, split="expert_inner")
    return [[wide, inner], [inner, inner, inner], [inner, inner, wide]]
