"""Parameters and training FLOPs of the miniature and of published models, by the formulas alone.

Two tables: one row a model, convention and sequence length (`trex.accounting.counting.conventions` says what each
counts); and the main model by component, where FLOPs are those of a forward pass per token of a document that fills the
sequence. The published models are counted at the sequence lengths of SLAI T-Rex's launch scripts, the miniature at the
run's own context.
"""

import dataclasses

import pandas as pd

from trex.accounting import count
from trex.accounting.counting import read
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.published import SHAPES
from trex.common import cli, files, provenance

PUBLISHED_LENGTHS = (4096, 8192)
TOTALS = (
    "model",
    "convention",
    "sequence_length",
    "parameters",
    "active_parameters",
    "train_flops_per_token",
)
COMPONENTS = ("model", "sequence_length", "component", "parameters", "forward_flops_per_token")


def total_rows(architecture: Architecture, length: int) -> list[dict]:
    """One row a convention that has a formula for such a model."""
    about = {"model": architecture.name, "sequence_length": length}
    return [about | row for row in count.totals(architecture, length)]


def component_rows(architecture: Architecture, length: int) -> list[dict]:
    """Components with parameters, with forward FLOPs or with both; a blank is what a component does not have."""
    about = {"model": architecture.name, "sequence_length": length}
    rows = [row for row in count.components(architecture, length) if row["component"] != "mtp"]
    return [about | {name: value or None for name, value in row.items()} for row in rows]


def tables(cases: list[tuple[Architecture, int]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """models.csv and components.csv of models at sequence lengths."""
    totals = [row for case in cases for row in total_rows(*case)]
    parts = [row for case in cases for row in component_rows(*case)]
    parts = pd.DataFrame(parts, columns=COMPONENTS).astype({"parameters": "Int64"})
    return pd.DataFrame(totals, columns=TOTALS), parts


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model-config", required=True, help="models/<arm>/config.json: the miniature's shape")
    parser.add_argument("--sequence-length", type=cli.positive, required=True, help="the miniature's context in tokens")
    parser.add_argument("--out", required=True, help="accounting/models.csv")
    parser.add_argument("--components", required=True, help="accounting/components.csv")
    arguments = parser.parse_args()
    miniature = dataclasses.replace(read.architecture(arguments.model_config), name="miniature")
    published = [(read.architecture(name), length) for name in SHAPES for length in PUBLISHED_LENGTHS]
    totals, parts = tables([(miniature, arguments.sequence_length), *published])
    settings = {"sequence_length": arguments.sequence_length}
    origin = provenance.provenance("trex.accounting.models", settings, {"model_config": arguments.model_config})
    files.write_csv(arguments.out, totals, origin)
    files.write_csv(arguments.components, parts, origin)
    own = totals.iloc[0]
    print(
        f"models: miniature {own.parameters:,} parameters, {own.active_parameters:,} active, "
        f"{own.train_flops_per_token / 1e6:.1f} training MFLOP a token at {own.sequence_length} tokens"
    )


if __name__ == "__main__":
    cli.run(main)
