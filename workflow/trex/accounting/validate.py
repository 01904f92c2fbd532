"""Predict time and memory of training the miniature, measure both, and say how far apart they are.

Each setting trains `ours_plain` in a process of its own. Coefficients are fitted to the settings of `fitted` alone; the
targets are for those of `tested`, of which some are larger than all that were fitted (`extrapolated`).

- Step time: the fastest of all timed steps is fitted and predicted, for others' work on a shared machine only ever
  adds; the median and the slowest step are given beside it, and the errors against the median too. `idle_share` is the
  share of the threads' time, over all timed steps, in which they did not compute: where it is large, the machine was
  busy with other things, and times mean little.
- Memory: the median over the rounds of the high-water mark of the resident set above what the process had before it
  built the model.

Targets: median error over the tested settings of at most 15 % (time) and 10 % (memory). With fewer than 12 tested
settings the errors are descriptive. Not covered: other machines, MTP and auxiliary losses, Muon, packed documents,
several processes; parallel layouts are not validated.
"""

import statistics
from pathlib import Path

import pandas as pd

from trex.accounting.miniature import measure, predict, setting
from trex.accounting.miniature.measure import Measured
from trex.accounting.miniature.predict import Predictor
from trex.accounting.miniature.setting import Setting
from trex.common import cli, files, provenance, seeds
from trex.common.errors import UserError
from trex.model.config import ModelConfig
from trex.model.huggingface_config import read_config

STEP = "trex.accounting.validate"
TARGETS = {"time": 0.15, "memory": 0.10}  # median relative error over the tested settings
FEWEST_TESTED = 12  # below, errors are descriptive
BUSY = 0.2  # idle share above which times are others' work as much as ours
MIB = 2**20
AXES = ("batch_size", "sequence_length", "width", "tokens")  # in which a setting may be larger than all fitted ones


def read_settings(settings: dict, threads: int, base: ModelConfig) -> dict[str, list[Setting]]:
    """The settings `fitted` and `tested`, each once: where the run has one thread, `one` and `all` are the same.

    Raises UserError where one cannot be built, or is in both lists.
    """
    found = {
        name: list(dict.fromkeys(setting.read(values, threads) for values in settings[name]))
        for name in ("fitted", "tested")
    }
    for each in [*found["fitted"], *found["tested"]]:
        try:
            each.config(base)
        except UserError as error:
            raise UserError(f"accounting.validation: {error}") from error
    if both := set(found["fitted"]) & set(found["tested"]):
        raise UserError(f"accounting.validation: both fitted and tested: {both.pop()}; leave it out of one list")
    return found


def peaks(given: dict, threads: set[int], repetitions: int) -> dict[int, dict[str, float]]:
    """TFLOP/s by thread count and dtype: of peak.json, and measured in the same way for other thread counts."""
    known = {given["threads"]: given["peak_tflops"]}
    return known | {count: measure.apart(measure.peaks, count, repetitions) for count in sorted(threads - known.keys())}


def measured(wanted: list[Setting], base: ModelConfig, settings: dict, seed: int) -> dict[Setting, Measured]:
    """All settings in turns, each round in the same order; the steps of all rounds together, the median memory."""
    found: dict[Setting, list[Measured]] = {each: [] for each in wanted}
    turns = [each for _ in range(settings["rounds"]) for each in wanted]
    for each in cli.track(turns, "validate"):
        steps = (settings["warmup_steps"], settings["steps"])
        found[each].append(measure.apart(measure.work, each.config(base), each, *steps, seed))
    return {each: together(results) for each, results in found.items()}


def together(results: list[Measured]) -> Measured:
    memory = [result.memory for result in results if result.memory is not None]
    return Measured(
        seconds=[value for result in results for value in result.seconds],
        cpu_seconds=[value for result in results for value in result.cpu_seconds],
        memory=round(statistics.median(memory)) if memory else None,
    )


def fit(
    fitted: list[Setting], results: dict[Setting, Measured], base: ModelConfig, peak: predict.Peaks, steps: int
) -> Predictor:
    """steps: that each process trains in all."""
    time = predict.fit(
        [predict.time_terms(base, each, peak) for each in fitted], [min(results[each].seconds) for each in fitted]
    )
    memory = None
    if all(results[each].memory is not None for each in fitted):
        terms = [predict.memory_terms(base, each, steps) for each in fitted]
        known = [predict.states(base, each) for each in fitted]
        memory = predict.fit(terms, [results[each].memory for each in fitted], known)
    return Predictor(base, peak, time, memory)


def extrapolated(each: Setting, fitted: list[Setting]) -> bool:
    """Whether it is larger in some way than all fitted settings."""
    return any(getattr(each, axis) > max(getattr(other, axis) for other in fitted) for axis in AXES)


def row(kind: str, each: Setting, predictor: Predictor, result: Measured, steps: int, outside: bool) -> dict:
    """One of accounting/validation.csv. Errors are (predicted - measured) / measured."""
    seconds, memory = predictor.seconds(each), predictor.bytes(each, steps)
    fastest, median = min(result.seconds), statistics.median(result.seconds)
    known = memory is not None and result.memory is not None
    return {
        "set": kind,
        "batch_size": each.batch_size,
        "sequence_length": each.sequence_length,
        "width": each.width,
        "threads": each.threads,
        "precision": each.precision,
        "recomputation": each.recomputation,
        "extrapolated": outside,
        "step_seconds_predicted": seconds,
        "step_seconds": fastest,
        "step_seconds_median": median,
        "step_seconds_max": max(result.seconds),
        "timed_steps": len(result.seconds),
        "idle_share": max(0.0, 1 - sum(result.cpu_seconds) / (each.threads * sum(result.seconds))),
        "time_error": seconds / fastest - 1,
        "time_error_median": seconds / median - 1,
        "memory_mib_predicted": memory / MIB if known else None,
        "memory_mib": result.memory / MIB if known else None,
        "memory_error": memory / result.memory - 1 if known else None,
    }


def summary(frame: pd.DataFrame, column: str, quantity: str) -> dict | None:
    """Median and worst absolute error over the tested settings against the target; None where nothing was measured."""
    tested = frame[frame["set"] == "tested"]
    errors = tested[column].dropna().abs()
    if errors.empty:
        return None
    worst = tested.loc[errors.idxmax()]
    names = ("batch_size", "sequence_length", "width", "threads", "precision", "recomputation")
    return {
        "tested": len(errors),
        "median_error": float(errors.median()),
        "worst_error": float(errors.max()),
        "worst_setting": {name: getattr(worst[name], "item", lambda name=name: worst[name])() for name in names},
        "median_error_extrapolated": median_of(tested[tested["extrapolated"]][column]),
        "target": TARGETS[quantity],
        "verdict": verdict(float(errors.median()), len(errors), TARGETS[quantity]),
    }


def median_of(errors: pd.Series) -> float | None:
    return float(errors.dropna().abs().median()) if len(errors.dropna()) else None


def verdict(median: float, tested: int, target: float) -> str:
    """What may be said of a prediction for another setting of this machine."""
    if tested < FEWEST_TESTED:
        return f"descriptive: {tested} tested settings, a validation takes {FEWEST_TESTED}"
    if median <= target:
        return f"validated within {median:.0%} (median of {tested} settings), one process of this machine"
    return f"NOT validated: median error {median:.0%} of {tested} settings, target {target:.0%}"


def table(found: dict[str, list[Setting]], predictor: Predictor, results: dict, steps: int) -> pd.DataFrame:
    return pd.DataFrame(
        row(kind, each, predictor, results[each], steps, kind == "tested" and extrapolated(each, found["fitted"]))
        for kind, members in found.items()
        for each in members
    )


def efficiencies(coefficients: dict[str, float]) -> dict[str, float | None]:
    """Of the terms that are seconds at the measured peak; None where other terms have taken all of their time."""
    names = ("products_float32", "products_bfloat16", "attention")
    return {name: 1 / coefficients[name] if coefficients[name] else None for name in names}


def on_busy_machine(found: dict | None, idle_share: float) -> dict | None:
    """The summary of a time, its verdict saying so where the machine was busy with other things."""
    if found is None or idle_share <= BUSY:
        return found
    said = f"{found['verdict']}; the machine was busy (threads idle {idle_share:.0%}): measure again when it is quiet"
    return found | {"verdict": said}


def report(frame: pd.DataFrame, predictor: Predictor, steps: int) -> dict:
    """accounting/validation.json."""
    idle_share = float(frame["idle_share"].median())
    return {
        "model": predictor.base.to_dict(),
        "steps": steps,
        "peak_tflops": {str(threads): dict(values) for threads, values in predictor.peaks.items()},
        "time_coefficients": predictor.time,
        "efficiencies": efficiencies(predictor.time),
        "memory_coefficients": predictor.memory,
        "time": on_busy_machine(summary(frame, "time_error", "time"), idle_share),
        "time_against_median_step": on_busy_machine(summary(frame, "time_error_median", "time"), idle_share),
        "memory": summary(frame, "memory_error", "memory"),
        "idle_share": idle_share,
        "parallel_layouts": "not validated",
    }


def said(name: str, found: dict | None) -> str:
    if found is None:
        return f"{name} not measured"
    return f"{name} {found['verdict']} (median {found['median_error']:.1%}, worst {found['worst_error']:.0%})"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model-config", required=True, help="models/<arm>/config.json: the shape at width 1")
    parser.add_argument("--peak", required=True, help="accounting/peak.json of this machine and thread count")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="the accounting.validation section")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads, the same as in training")
    parser.add_argument("--out", required=True, help="accounting/validation.csv")
    parser.add_argument("--report", required=True, help="accounting/validation.json")
    arguments = parser.parse_args()
    settings, base = arguments.settings, read_config(arguments.model_config)
    for place in (arguments.out, arguments.report):
        files.check_place(Path(place))
    given = files.read_json(arguments.peak)
    if given["threads"] != arguments.threads:
        raise UserError(
            f"{arguments.peak}: peak of {given['threads']} threads, {arguments.threads} wanted; measure again"
        )
    found = read_settings(settings, arguments.threads, base)
    everything = [*found["fitted"], *found["tested"]]
    peak = peaks(given, {each.threads for each in everything}, settings["peak_repetitions"])
    seed = seeds.derive(arguments.seed, "validate")
    results = measured(everything, base, settings, seed)
    steps = settings["warmup_steps"] + settings["steps"]
    predictor = fit(found["fitted"], results, base, peak, steps)
    frame = table(found, predictor, results, steps)
    inputs = {"model_config": arguments.model_config, "peak": arguments.peak}
    origin = provenance.provenance(STEP, settings, inputs, arguments.seed)
    outcome = report(frame, predictor, steps)
    files.write_csv(arguments.out, frame, origin)
    files.write_json(arguments.report, outcome, origin)
    print(f"validate: time {said('', outcome['time']).strip()}; memory {said('', outcome['memory']).strip()}")


if __name__ == "__main__":
    cli.run(main)
