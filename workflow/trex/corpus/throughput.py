"""How many supervised samples a second the data engine makes, all gates on, and with how much memory.

    python -m trex.corpus.throughput --config results/mini/config.json --samples 1000 10000 30000 --workers 2
        --out throughput.csv

For each count: verified instances of every family, the suites, then the samples, as a run makes them, each process
doing one family at a time. Instances grow with the samples, so that the share of distinct ones stays; each suite has as
many items as a family has instances. Times are of the clock, from the first draw; start-up and reading of files are
left out. `peak_mb` adds up the largest resident memory of this process and of its largest worker times their number.

--difficulty takes one size instead of the configured mix: large and industrial instances are another kind of work.
"""

import resource
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pandas as pd

from trex.common import cli, files
from trex.common.provenance import provenance
from trex.corpus import sft, suites, tables
from trex.corpus.leakage import Guard
from trex.execution import kernel
from trex.problems import families, generate
from trex.problems.family import DIFFICULTIES

STEP = "trex.corpus.throughput"
# Samples for which each family gets one more instance. An industrial data file is most of its sample's text, so that a
# second telling of it is a near-duplicate.
SAMPLES_PER_INDEX = 25
SAMPLES_PER_INDUSTRIAL_INDEX = 10
MIX = "mix"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--config", type=cli.json_argument, required=True, help="config.json of a run")
    parser.add_argument("--samples", type=cli.positive, nargs="+", required=True, help="how many to make, in turn")
    parser.add_argument("--difficulty", choices=(MIX, *DIFFICULTIES), default=MIX, help="the configured mix, or one")
    parser.add_argument("--workers", type=cli.positive, default=2, help="processes")
    parser.add_argument("--out", type=Path, required=True, help="CSV table")
    arguments = parser.parse_args()
    config = arguments.config.get("config", arguments.config)
    if arguments.difficulty != MIX:
        config["problems"]["difficulty"] = {name: float(name == arguments.difficulty) for name in DIFFICULTIES}
    samples_per_index = SAMPLES_PER_INDUSTRIAL_INDEX if arguments.difficulty == DIFFICULTIES[-1] else SAMPLES_PER_INDEX
    rows = []
    for count in arguments.samples:
        found = timed(config, count, max(1, count // samples_per_index), arguments.workers)
        rows.append({"difficulty": arguments.difficulty, **found})
        print(", ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    files.write_csv(arguments.out, pd.DataFrame(rows), provenance(STEP, config, {}, config["seed"]))


def timed(config: dict, count: int, per_family: int, workers: int) -> dict:
    """Make `count` samples of so many instances a family, and say how long each part took."""
    problems = config["problems"] | {"instances_per_family": per_family}
    corpus = config["corpus"] | {"sft_samples": count, "suite_items": dict.fromkeys(suites.SUITES, per_family)}
    seed, start = config["seed"], time.perf_counter()
    instances, draws = instances_of(problems, seed, workers)
    made = time.perf_counter()
    guard = Guard(
        [item for suite in suites.SUITES for item in suites.items(suite, instances, corpus, seed)],
        corpus["near_duplicate_threshold"],
    )
    checked = time.perf_counter()
    rows, counts = sft.sft_samples(instances, guard, corpus, seed, workers)
    end = time.perf_counter()
    drawn = sum(sum(reasons.values()) for reasons in counts.values())
    return {
        "samples": len(rows),
        "distinct_instances": len({row["instance_id"] for row in rows}),
        "instances_drawn": draws,
        "samples_drawn": drawn,
        "workers": workers,
        "instances_s": round(made - start, 1),
        "suites_s": round(checked - made, 1),
        "samples_s": round(end - checked, 1),
        "total_s": round(end - start, 1),
        "samples_per_second": round(len(rows) / (end - start), 1),
        "peak_mb": round((peak(resource.RUSAGE_SELF) + workers * peak(resource.RUSAGE_CHILDREN)) / 1024),
    }


def instances_of(problems: dict, seed: int, workers: int) -> tuple[list[dict], int]:
    """The instances of all families of the run, each model once, and how many were drawn."""
    names = problems["families"] or families.names()
    jobs = [(name, problems, seed) for name in names]
    death = (kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    with ProcessPoolExecutor(workers, get_context("fork"), initializer=kernel.prctl, initargs=death) as pool:
        made = list(pool.map(family_instances, jobs))
    draws = sum(count for _, count in made)
    return tables.each_model_once([row for rows, _ in made for row in rows]), draws


def family_instances(job: tuple[str, dict, int]) -> tuple[list[dict], int]:
    name, problems, seed = job
    rows, counts = generate.instances(families.load(name), problems, seed)
    return rows, sum(generate.in_all(counts).values())


def peak(who: int) -> int:
    """Largest resident memory in KiB."""
    return resource.getrusage(who).ru_maxrss


if __name__ == "__main__":
    cli.run(main)
