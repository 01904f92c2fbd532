"""Parameters and training FLOPs of the miniature and of the published models, by the formulas alone.

Two tables: one row a model, convention and sequence length; and the same by component, where FLOPs are those of a
forward pass per token of a document that fills the sequence. The published models are counted at the sequence lengths
of SLAI T-Rex's launch scripts, the miniature at the run's own context.
"""

import pandas as pd

from trex.accounting import flops, parameters
from trex.accounting.known import MODELS
from trex.common import cli, files, provenance
from trex.model.config import ModelConfig
from trex.model.huggingface_config import read_config

PUBLISHED_LENGTHS = (4096, 8192)


def model_rows(name: str, config: ModelConfig, length: int) -> list[dict]:
    """One row without the MTP block and, where the model has one, one with it."""
    rows = []
    conventions = ((flops.CONVENTION, 0), (flops.CONVENTION_WITH_MTP, 1))[: 1 + config.num_nextn_predict_layers]
    for convention, blocks in conventions:
        rows.append(
            {
                "model": name,
                "convention": convention,
                "sequence_length": length,
                "parameters": parameters.total(config) + blocks * parameters.mtp(config),
                "active_parameters": parameters.active(config),
                "train_flops_per_token": flops.training_per_token(config, length, blocks),
            }
        )
    return rows


def component_rows(name: str, config: ModelConfig, length: int) -> list[dict]:
    """Components with parameters, with forward FLOPs or with both; a blank is what a component does not have."""
    counts, work = parameters.components(config), flops.forward(config, length)
    return [
        {
            "model": name,
            "sequence_length": length,
            "component": component,
            "parameters": counts.get(component),
            "forward_flops_per_token": work[component] / length if component in work else None,
        }
        for component in dict.fromkeys([*counts, *work])
    ]


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model-config", required=True, help="models/<arm>/config.json: the miniature's shape")
    parser.add_argument("--sequence-length", type=int, required=True, help="the miniature's context in tokens")
    parser.add_argument("--out", required=True, help="accounting/models.csv")
    parser.add_argument("--components", required=True, help="accounting/components.csv")
    arguments = parser.parse_args()
    miniature = read_config(arguments.model_config)
    cases = [("miniature", miniature, arguments.sequence_length)]
    cases += [(name, config, length) for name, config in MODELS.items() for length in PUBLISHED_LENGTHS]
    totals = pd.DataFrame([row for case in cases for row in model_rows(*case)])
    parts = pd.DataFrame([row for case in cases for row in component_rows(*case)])
    parts["parameters"] = parts["parameters"].astype("Int64")
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
