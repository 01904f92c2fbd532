"""Measure training throughput and MFU of the recipes of the ladder, in one job.

Every recipe lives in a process of its own; they take turns (A B A B), one repetition each, while the others wait, so
that a slow spell of the machine hits all. Tokens per second is the median over repetitions, with the smallest and the
largest beside it; the speed-up is the median over repetitions of the ratio to `open_source` in the same turn. MFU is
tokens per second x FLOPs per token (convention `exact_visible_pairs`, one document a row) / the measured peak of the
SAME dtype and thread count. Nothing is recomputed, so HFU equals MFU.

`loss` is the loss of the first step, at equal weights and tokens: it tells whether two recipes train the same model.
`loss_last` is the loss of the last step, after equally many updates on the same tokens. `watts` is the median over
repetitions of what RAPL counts in each (trex.accounting.energy), all else on the machine included; blank without RAPL.
"""

import dataclasses
import math
import multiprocessing
import statistics
import time
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection

import numpy as np
import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load_file

from trex.accounting import energy, recipes
from trex.accounting.counting.conventions import CONVENTIONS, EXACT
from trex.accounting.counting.read import of
from trex.common import cli, files, provenance, seeds
from trex.common.errors import UserError
from trex.model.config import ModelConfig
from trex.model.huggingface_config import read_config, to_hf_config

PRECISION = "float32"
BASELINE = "open_source"


@contextmanager
def worker(name: str, config: ModelConfig, settings: dict, seed: int, threads: int):
    """(process, connection) of a running recipe; the process ends with the block."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    arguments = (its, name, config, seeds.derive(seed, "ladder", "weights"), threads, settings["learning_rate"])
    process = context.Process(target=recipes.serve, args=arguments, name=name)
    process.start()
    its.close()
    try:
        yield process, ours
        ours.send(None)
        process.join()
    finally:
        process.kill()


def ask(process: multiprocessing.Process, connection: Connection, batch: np.ndarray) -> tuple:
    """What the recipe answers to a batch. Raises UserError where its process has ended; what it printed says why."""
    try:
        connection.send(batch)
        return connection.recv()
    except (EOFError, OSError) as error:
        process.join()
        raise UserError(
            f"recipe {process.name} ended with exit code {process.exitcode}; if memory ran out, lower "
            "accounting.ladder.batch_size"
        ) from error


def read_tokens(path: str) -> np.ndarray:
    """The packed rows [N, S]."""
    try:
        return load_file(path)["tokens"].astype(np.int64)
    except (OSError, KeyError, SafetensorError) as error:
        raise UserError(f"{path}: no packed corpus ({error}); run the packing step again") from error


def draw_batches(rows: np.ndarray, settings: dict, seed: int) -> list[np.ndarray]:
    """The batches [steps, B, S] of the warm-up and of each repetition, the same for all recipes."""
    generator = seeds.array_generator(seed, "ladder", "batches")
    sizes = [settings["warmup_steps"]] + [settings["steps"]] * settings["repetitions"]
    return [rows[generator.integers(len(rows), size=(steps, settings["batch_size"]))] for steps in sizes]


def measure(config: ModelConfig, batches: list[np.ndarray], settings: dict, seed: int, threads: int) -> dict:
    """Recipe -> {rates (tokens/s of each timed repetition), watts (the same, or nan), losses (all steps), peak_rss_mb,
    variant}."""
    results = {name: {"rates": [], "losses": [], "watts": []} for name in recipes.RECIPES}
    with ExitStack() as stack:
        workers = {name: stack.enter_context(worker(name, config, settings, seed, threads)) for name in recipes.RECIPES}
        for turn, batch in enumerate(cli.track(batches, "ladder")):
            for name, (process, connection) in workers.items():
                before, started = energy.counters(), time.perf_counter()
                seconds, losses, peak_rss_mb, variant = ask(process, connection, batch)
                joules, elapsed = energy.joules(before, energy.counters()), time.perf_counter() - started
                results[name]["losses"] += losses
                results[name] |= {"peak_rss_mb": peak_rss_mb, "variant": variant}
                if turn > 0:  # turn 0 is the warm-up
                    results[name]["rates"].append(batch.size / seconds)
                    results[name]["watts"].append(math.nan if joules is None else joules / elapsed)
    return results


def table(results: dict, flops_per_token: float, peak_tflops: float) -> pd.DataFrame:
    """One row a recipe, with the columns of accounting/ladder.csv."""
    rows = []
    for name, result in results.items():
        rates = result["rates"]
        speedups = [rate / base for rate, base in zip(rates, results[BASELINE]["rates"], strict=True)]
        rate = statistics.median(rates)
        mfu = rate * flops_per_token / (peak_tflops * 1e12)
        rows.append(
            {
                "model": "miniature",
                "recipe": name,
                "variant": result["variant"],
                "precision": PRECISION,
                "tokens_per_second": rate,
                "tokens_per_second_min": min(rates),
                "tokens_per_second_max": max(rates),
                "flops_per_token": flops_per_token,
                "mfu": mfu,
                "hfu": mfu,
                "peak_tflops": peak_tflops,
                "speedup": statistics.median(speedups),
                "peak_rss_mb": result["peak_rss_mb"],
                "loss": result["losses"][0],
                "speedup_min": min(speedups),
                "speedup_max": max(speedups),
                "loss_last": result["losses"][-1],
                "repetitions": len(rates),
                "watts": np.median(result["watts"]),
                "watts_min": np.min(result["watts"]),  # numpy: one repetition that was not counted makes it nan
                "watts_max": np.max(result["watts"]),
                "convention": EXACT,
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model-config", required=True, help="models/<arm>/config.json: the shape to train")
    parser.add_argument("--packed", required=True, help="packed corpus that the tokens are drawn from")
    parser.add_argument("--peak", required=True, help="accounting/peak.json of this machine and thread count")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="the accounting.ladder section")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads, the same as in training")
    parser.add_argument("--out", required=True, help="accounting/ladder.csv")
    arguments = parser.parse_args()
    # Without the MTP block: transformers has none, and every rung trains on the next token alone.
    config = dataclasses.replace(read_config(arguments.model_config), num_nextn_predict_layers=0)
    peak = files.read_json(arguments.peak)
    if peak["threads"] != arguments.threads:
        raise UserError(
            f"{arguments.peak}: peak of {peak['threads']} threads, {arguments.threads} wanted; measure again"
        )
    to_hf_config(config)  # refuses here, in one line, what transformers cannot build
    rows = read_tokens(arguments.packed)
    batches = draw_batches(rows, arguments.settings, arguments.seed)
    results = measure(config, batches, arguments.settings, arguments.seed, arguments.threads)
    miniature = of("miniature", config, arguments.model_config)
    flops_per_token = float(CONVENTIONS[EXACT].per_token(miniature, rows.shape[1]))
    frame = table(results, flops_per_token, peak["peak_tflops"][PRECISION])
    inputs = {"model_config": arguments.model_config, "packed": arguments.packed, "peak": arguments.peak}
    origin = provenance.provenance("trex.accounting.ladder", arguments.settings, inputs, arguments.seed)
    files.write_csv(arguments.out, frame, origin)
    print(
        "ladder: "
        + ", ".join(f"{r.recipe} {r.tokens_per_second:.0f} tokens/s, MFU {r.mfu:.1%}" for r in frame.itertuples())
    )


if __name__ == "__main__":
    cli.run(main)
