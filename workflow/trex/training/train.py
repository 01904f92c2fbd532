"""Train one arm with all its parameters: from scratch, or from another arm's weights.

Writes model.safetensors, config.json and metrics.jsonl into --out. Settings are the config's `training` section for
the arm's stage (`training.common` with `training.stages.<stage>` laid over it); --model holds the `model` section with
`vocab_size`, which a model from --init must have too.
"""

import argparse
from pathlib import Path

import torch

from trex.common import cli, config, files, provenance, seeds
from trex.common.config_errors import check
from trex.common.errors import UserError
from trex.model import checkpoint
from trex.model.config import ModelConfig
from trex.model.transformer import Transformer
from trex.training import data, loop


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--arm", required=True, help="the arm's name")
    parser.add_argument("--packed", required=True, help="packed rows, from trex.corpus.pack")
    parser.add_argument("--model", type=cli.json_argument, required=True, help="the config's model section, JSON")
    parser.add_argument("--init", help="folder of the arm to start from; without it, from random weights")
    parser.add_argument("--settings", type=stage_settings, required=True, help="training settings, JSON")
    parser.add_argument("--seed", type=int, required=True, help="the run's seed")
    parser.add_argument(
        "--threads", type=cli.positive, required=True, help="CPU threads; changes the last digits of results"
    )
    parser.add_argument("--out", required=True, help="folder to write the arm into")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # costs 3 % of a step, and nothing reads it

    files.check_place(Path(arguments.out) / "model.safetensors")
    rows = data.read(arguments.packed)
    model = initial_model(arguments)
    if rows.tokens.max() >= model.config.vocab_size:
        raise UserError(
            f"{arguments.packed}: token {int(rows.tokens.max())} is outside the model's vocabulary of "
            f"{model.config.vocab_size}; pack the texts with the tokenizer of corpus.vocab_size"
        )
    inputs = {"packed": arguments.packed}
    if arguments.init:
        inputs["init"] = checkpoint.weight_files(arguments.init)
    block = provenance.provenance(
        "trex.training.train",
        {"arm": arguments.arm, "model": arguments.model, "training": arguments.settings, "threads": arguments.threads},
        inputs,
        arguments.seed,
    )
    # The order of the data depends on the stage's data, not on the arm: both SFT arms see the same batches.
    order_seed = seeds.derive(arguments.seed, "training", Path(arguments.packed).stem)
    records = train(model, rows, arguments, order_seed)
    files.write_jsonl(Path(arguments.out) / "metrics.jsonl", records, block)
    checkpoint.save(model, arguments.out, block)
    last = records[-1]
    print(
        f"{arguments.arm}: {last['tokens']:,} tokens in {last['steps']} steps, loss {last['loss']:.3f}, "
        f"{last['tokens_per_second']:,.0f} tokens/s"
    )


def stage_settings(text: str) -> dict:
    """The type of --settings: all keys of a stage, checked by the schema before the work and not in the midst of it."""
    settings, schema = cli.json_argument(text), files.read_json(config.SCHEMA)["properties"]["training"]["properties"]
    known = schema["common"]["properties"] | schema["stages"]["properties"]["base"]["properties"]
    wanted = {"properties": known, "required": list(known), "additionalProperties": False}
    if errors := check(settings, wanted, {}):
        raise argparse.ArgumentTypeError("; ".join(errors))
    return settings


def initial_model(arguments) -> Transformer:
    shape = ModelConfig.from_dict(arguments.model)
    if arguments.init is None:
        return Transformer(shape).initialise(seeds.derive(arguments.seed, "weights"))
    model = checkpoint.load(arguments.init)
    if model.config != shape:
        raise UserError(f"{arguments.init}: its model is not the config's; train that arm again")
    return model


def train(model: Transformer, rows: data.Rows, arguments, seed: int) -> list[dict]:
    """The records of all steps; a progress bar on a terminal."""
    records: list[dict] = []
    with cli.track(None, arguments.arm) as bar:

        def report(record: dict) -> None:
            records.append(record)
            bar.total = record["steps"]
            bar.set_postfix(loss=f"{record['loss']:.3f}", refresh=False)
            bar.update()

        loop.train(model, rows, arguments.settings, seed, report)
    return records


if __name__ == "__main__":
    cli.run(main)
