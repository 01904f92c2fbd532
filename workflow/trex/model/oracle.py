"""Hold the model against a second, independent implementation: transformers' DeepseekV4ForCausalLM.

    python -m trex.model.oracle --arms models/base models/cpt_sft --seed 1 --threads 2 --out models/oracle.csv

For every kind of layer alone and for all together, without and with YaRN, at lengths that are and are not multiples of
the compression ratios, shorter and longer than the window: a small model with random weights, none of them degenerate
(norms off 1; sinks, slot biases, hyper-connections' biases and scales, router biases off 0; hash tables filled; a clamp
that binds), is exported, loaded by transformers, and both are given the same tokens. So are the arms, which are
exported as they were trained. One row a model and length tells the largest difference between logits, over the largest
logit; and of the gradients of the mean next-token loss, the parameter that differs most, by the norm of the difference
over the norm. Both run in float32. transformers' gradients come back by what its own `save_pretrained` writes, so that
the export and the import are under the same test.

Where the model is not smooth, rounding may decide one way here and the other way there: a near-tie in a top-k (of
experts, or of the indexer: rare with continuous weights and 16 heads), or a value within 1e-7 of a clamp, which changes
the gradient. And a gradient of few terms may by chance cancel out to less than its rounding errors. All this depends on
the tokens, a bug does not: tokens that disagree are drawn again, at most DRAWS times in all, and a row tells of the
last draw and how many it took (`draws`). `tokens_off` counts the tokens whose logits differ too much.

Not held against it: documents packed into one row (its compressors pool across their boundaries), the MTP block, and
the losses of indexer and balance, none of which transformers has.
"""

import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import torch
from safetensors.torch import load_file

from trex.common import cli, files, provenance, seeds
from trex.common.errors import UserError
from trex.model import checkpoint, export
from trex.model.config import ModelConfig, RopeScaling
from trex.model.huggingface_weights import from_hf_state
from trex.model.transformer import Transformer

STEP = "trex.model.oracle"
# Float32 has a relative precision of 6e-8; sums of hundreds of terms in another order, through all layers, cost two
# orders of magnitude, and the way back through them another one. What is wrong by design differs by 1e-3 and more.
LOGITS_TOLERANCE = 1e-5
GRADIENTS_TOLERANCE = 1e-4
DRAWS = 5
ROWS = 2
KINDS = {"window": (0,), "csa": (4,), "hca": (16,), "all": (0, 4, 16, 4)}
SHAPE = ModelConfig(
    vocab_size=97,
    hidden_size=48,
    num_attention_heads=4,
    head_dim=32,
    qk_rope_head_dim=16,
    q_lora_rank=24,
    o_groups=2,
    o_lora_rank=12,
    sliding_window=24,
    compress_ratios=KINDS["all"],
    index_n_heads=16,
    index_head_dim=24,
    index_topk=5,
    moe_intermediate_size=20,
    n_routed_experts=6,
    num_experts_per_tok=2,
    num_hash_layers=0,
    routed_scaling_factor=1.5,
    hc_mult=3,
    swiglu_limit=1.5,
    num_nextn_predict_layers=0,
    initializer_range=0.15,
)
# So short that the lengths below reach beyond it: all of the ramp matters.
YARN = RopeScaling(factor=4.0, original_max_position_embeddings=64, beta_fast=8.0, beta_slow=0.5)
LENGTHS = (3, 16, 61, 96)  # no window of compression closes; the sliding window is not full; remainders; none
ARM_LENGTHS = (100, 300)


def shapes() -> Iterator[tuple[str, ModelConfig]]:
    """(kind of layers, shape) of each model with random weights. Layer 0 of `all` routes by a hash table."""
    for kind, ratios in KINDS.items():
        for scaling in (None,) if kind == "window" else (None, YARN):  # window layers have none
            hashed = int(kind == "all")
            yield kind, dataclasses.replace(SHAPE, compress_ratios=ratios, rope_scaling=scaling, num_hash_layers=hashed)


@torch.no_grad()
def random_model(config: ModelConfig, seed: int) -> Transformer:
    """No weight of it is at the value that it starts training from."""
    model = Transformer(config).initialise(seed)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1 or name.endswith(".ape"):
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    for name, buffer in model.named_buffers():
        if name.endswith("router.bias"):
            buffer.normal_(0.0, 0.2, generator=generator)
    return model.eval()


def random_tokens(config: ModelConfig, length: int, seed: int) -> torch.Tensor:
    """[ROWS, length]; one document a row."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(config.vocab_size, (ROWS, length), generator=generator)


def counterpart(model: Transformer) -> torch.nn.Module:
    """transformers' model, loaded from what we export."""
    import transformers  # seconds to import

    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        export.write_model(model, Path(folder), {})
        theirs, report = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    if wrong := sorted(report["missing_keys"] | report["unexpected_keys"] | set(report["mismatched_keys"])):
        raise UserError(f"transformers {transformers.__version__} does not load the export as it is: {wrong[0]}")
    return theirs.eval()


def loss_of(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """Mean next-token loss; logits [B, S, V], tokens [B, S]."""
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def gradients(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """By the parameter's name; zeros where the loss does not reach it."""
    return {
        name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        for name, parameter in model.named_parameters()
    }


def gradients_of_counterpart(theirs: torch.nn.Module, ours: Transformer) -> dict[str, torch.Tensor]:
    """Under our names, in our shapes."""
    main = {name: tensor for name, tensor in ours.state_dict().items() if not name.startswith("mtp.")}
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder, state_dict=theirs.state_dict() | gradients(theirs))
        return from_hf_state(load_file(Path(folder) / checkpoint.WEIGHTS), main)


def relative(found: torch.Tensor, expected: torch.Tensor) -> float:
    """Norm of the difference over the norm; 0 where both are zero."""
    difference = (found - expected).norm()
    return 0.0 if difference == 0 else float(difference / expected.norm())


def compare(ours: Transformer, theirs: torch.nn.Module, tokens: torch.Tensor) -> dict:
    """What a row of the table says of the two on tokens [B, S]."""
    position = torch.arange(tokens.shape[1]).expand_as(tokens)
    found = ours(tokens, torch.ones_like(tokens), position)
    expected = theirs(input_ids=tokens, use_cache=False).logits
    for model, logits in ((ours, found), (theirs, expected)):
        model.zero_grad(set_to_none=True)
        loss_of(logits, tokens).backward()
    off = ((found - expected).abs().amax(-1) / expected.abs().max()).detach()  # [B, S]
    mine, other = gradients(ours), gradients_of_counterpart(theirs, ours)
    by_parameter = {name: relative(mine[name], other[name]) for name in mine if name in other}
    worst = max(by_parameter, key=by_parameter.get)
    return {
        "length": tokens.shape[1],
        "logits_difference": float(off.max()),
        "gradient_difference": by_parameter[worst],
        "parameter": worst,
        "tokens": off.numel(),
        "tokens_off": int((off > LOGITS_TOLERANCE).sum()),
        "agrees": float(off.max()) <= LOGITS_TOLERANCE and by_parameter[worst] <= GRADIENTS_TOLERANCE,
    }


def kinds_of(config: ModelConfig) -> str:
    kinds = list(dict.fromkeys(config.layer_kind(layer) for layer in range(config.num_hidden_layers)))
    return "all" if len(kinds) == len(KINDS) - 1 else " ".join(kinds)


def rows_of(subject: str, kind: str, model: Transformer, lengths: tuple[int, ...], seed: int) -> list[dict]:
    """One row a length; kind: of the model's layers."""
    theirs = counterpart(model)
    about = {"subject": subject, "kind": kind, "rope_scaling": "YaRN" if model.config.rope_scaling else "none"}
    return [about | settled(model, theirs, length, seed) for length in lengths]


def settled(ours: Transformer, theirs: torch.nn.Module, length: int, seed: int) -> dict:
    """`compare` on the first draw of tokens that agrees, else on the last."""
    for draw in range(DRAWS):
        tokens = random_tokens(ours.config, length, seeds.derive(seed, "oracle", "tokens", length, draw))
        found = compare(ours, theirs, tokens)
        if found["agrees"]:
            break
    return found | {"draws": draw + 1}


def random_rows(seed: int) -> list[dict]:
    """The rows of all models with random weights."""
    rows = []
    for kind, config in cli.track(list(shapes()), "oracle"):
        model = random_model(config, seeds.derive(seed, "oracle", "weights", kind))
        rows += rows_of("random weights", kind, model, LENGTHS, seed)
    return rows


def table(rows: list[dict]) -> pd.DataFrame:
    """With what the rows were held against, and to which tolerance."""
    library = next(word for word in provenance.library_versions(STEP).split() if word.startswith("transformers=="))
    return pd.DataFrame(rows).assign(
        logits_tolerance=LOGITS_TOLERANCE, gradient_tolerance=GRADIENTS_TOLERANCE, library=library.replace("==", " ")
    )


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--arms", nargs="*", default=[], help="folders of trained arms, models/<arm>")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads")
    parser.add_argument("--out", required=True, help="models/oracle.csv")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    files.check_place(arguments.out)
    arms = {Path(folder).name: checkpoint.load(folder) for folder in arguments.arms}
    rows = random_rows(arguments.seed)
    for name, model in cli.track(arms.items(), "arms"):
        rows += rows_of(name, kinds_of(model.config), model, ARM_LENGTHS, arguments.seed)
    frame = table(rows)
    inputs = {Path(folder).name: checkpoint.weight_files(folder) for folder in arguments.arms}
    files.write_csv(arguments.out, frame, provenance.provenance(STEP, {}, inputs, arguments.seed))
    print(
        f"oracle: {frame['agrees'].sum()} of {len(frame)} comparisons agree with {frame['library'].iloc[0]}; largest "
        f"difference of logits {frame['logits_difference'].max():.1e}, of a gradient "
        f"{frame['gradient_difference'].max():.1e}"
    )


if __name__ == "__main__":
    cli.run(main)
