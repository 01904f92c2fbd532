"""Parameters and training FLOPs of a model, by component and by everyone's convention. Free of torch.

    python -m trex.accounting.count --model v4-pro --sequence-length 4096

--model is a known name (v4-flash, v4-pro, deepseek-v3, qwen3-235b-a22b, ...) or a config.json, ours or Hugging Face's.
FLOPs are those of one document that fills the sequence, per token; what the exact convention counts and what not is
told in counting/deepseek_v4.py. With --symbolic, the formulas themselves are printed; with --executed, what this
package's own model executes beside what counts as useful (counting/executed.py).
"""

import pandas as pd

from trex.accounting.counting import executed, part, read
from trex.accounting.counting.conventions import EXACT, NOT_DERIVED, applicable
from trex.accounting.counting.part import Architecture, Part
from trex.common import cli, files, provenance
from trex.common.errors import UserError
from trex.model.config import ModelConfig

COLUMNS = (
    "model",
    "sequence_length",
    "component",
    "convention",
    "parameters",
    "active_parameters",
    "forward_flops_per_token",
    "train_flops_per_token",
)


def components(architecture: Architecture, sequence_length: int) -> list[dict]:
    """One row a component of the main model, and one for the block of multi-token prediction where there is one."""
    parts = architecture.parts(sequence_length)
    groups: dict[str, list[Part]] = {}
    for one in parts:
        groups.setdefault("mtp" if one.block == "mtp" else one.component, []).append(one)
    return [
        {
            "component": name,
            "parameters": part.parameters(group),
            "active_parameters": sum(one.active_parameters for one in group),
            "forward_flops_per_token": part.forward_flops(group) / sequence_length,
        }
        for name, group in groups.items()
    ]


def totals(architecture: Architecture, sequence_length: int) -> list[dict]:
    """One row a convention: parameters of the blocks that it counts, and its training FLOPs."""
    parts = architecture.parts(sequence_length)
    rows = []
    for convention in applicable(architecture):
        blocks = parts if convention.mtp else part.main(parts)
        rows.append(
            {
                "convention": convention.name,
                "parameters": part.parameters(blocks),
                "active_parameters": part.active_parameters(blocks),
                "train_flops_per_token": float(convention.per_token(architecture, sequence_length)),
            }
        )
    return rows


def table(architecture: Architecture, sequence_length: int) -> pd.DataFrame:
    """Both, with the columns of --out; a blank is what a row does not have."""
    rows = components(architecture, sequence_length) + totals(architecture, sequence_length)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame["model"], frame["sequence_length"] = architecture.name, sequence_length
    return frame.astype({"parameters": "Int64", "active_parameters": "Int64"})


def print_counts(architecture: Architecture, sequence_length: int) -> None:
    print(f"{architecture.name}, {sequence_length} tokens a document ({architecture.source})\n")
    print(f"{'component':<22}{'parameters':>22}{'active':>18}{'forward GFLOP/token':>22}")
    for row in components(architecture, sequence_length):
        print(
            f"{row['component']:<22}{row['parameters']:>22,}{row['active_parameters']:>18,}"
            f"{row['forward_flops_per_token'] / 1e9:>22.4f}"
        )
    counts = totals(architecture, sequence_length)
    exact = next(row["train_flops_per_token"] for row in counts if row["convention"] == EXACT)
    print(f"\n{'convention':<46}{'training GFLOP/token':>20}{'to exact':>10}  counts")
    for row, convention in zip(counts, applicable(architecture), strict=True):
        flops = row["train_flops_per_token"]
        print(f"{row['convention']:<46}{flops / 1e9:>20.4f}{100 * (flops / exact - 1):>+9.1f}%  {convention.counts}")
    for name, reason in NOT_DERIVED.items() if isinstance(architecture.config, ModelConfig) else ():
        print(f"not derived: {name}: {reason}")


def print_formulas(architecture: Architecture, sequence_length: int) -> None:
    try:
        from trex.accounting.counting import symbolic
    except ImportError as error:
        raise UserError("--symbolic needs sympy: pip install sympy") from error
    found = symbolic.formulas(architecture, sequence_length)
    print(f"{architecture.name}: of all layers together, with")
    for one, value in found.values.items():
        print(f"  {one!s:<8}{value:>8}  {found.names[one]}")
    for title, expressions in (("parameters", found.parameters), ("forward FLOPs of one document", found.flops)):
        print(f"\n{title}")
        for component, expression in expressions.items():
            print(f"  {component} = {expression} = {int(expression.subs(found.values)):,}")


def print_executed(architecture: Architecture, sequence_length: int) -> None:
    """Raises UserError for another architecture than DeepSeek-V4's."""
    if not isinstance(architecture.config, ModelConfig):
        raise UserError(f"--executed: {architecture.name} is no DeepSeek-V4; this package's model is one")

    def forward(parts: list[Part]) -> dict[str, int]:
        return part.by_component(parts, lambda one: one.flops)

    useful = forward(architecture.parts(sequence_length))
    done = forward(executed.parts(architecture.config, sequence_length))
    print(f"{architecture.name}, {sequence_length} tokens a document, forward MFLOP/token, MTP included\n")
    print(f"{'component':<22}{'exact':>16}{'executed':>16}{'executed/exact':>16}")
    for name, flops in (useful | {"all": sum(useful.values())}).items():
        by_model = done.get(name, sum(done.values()))
        in_mega = 1e6 * sequence_length
        print(f"{name:<22}{flops / in_mega:>16.4f}{by_model / in_mega:>16.4f}{by_model / flops:>16.3f}")


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", required=True, help="a known name, or a config.json")
    parser.add_argument("--sequence-length", type=cli.positive, default=4096, help="tokens of a document (4096)")
    show = parser.add_mutually_exclusive_group()
    show.add_argument("--symbolic", dest="show", action="store_const", const=print_formulas, help="print the formulas")
    show.add_argument(
        "--executed", dest="show", action="store_const", const=print_executed, help="and what is executed"
    )
    parser.add_argument("--out", help="write the table as CSV")
    arguments = parser.parse_args()
    architecture = read.architecture(arguments.model)
    (arguments.show or print_counts)(architecture, arguments.sequence_length)
    if arguments.out:
        settings = {"model": architecture.name, "sequence_length": arguments.sequence_length}
        origin = provenance.provenance("trex.accounting.count", settings, {})
        files.write_csv(arguments.out, table(architecture, arguments.sequence_length), origin)


if __name__ == "__main__":
    cli.run(main)
