"""What tokens cost on the machine of the run: its measured throughput, its power, and the price that the user gives."""

import math
from pathlib import Path

import pandas as pd

from trex.accounting import energy
from trex.accounting.costs import normalise
from trex.accounting.costs.normalise import Range
from trex.accounting.energy import Power
from trex.common import files
from trex.common.errors import UserError

LADDER_COLUMNS = ("model", "recipe", "tokens_per_second", "tokens_per_second_min", "tokens_per_second_max")


def power_of(row: dict, watts: float | None, threads: int) -> Power:
    """What the user says goes before what RAPL counted, and that before an estimate."""
    if watts is not None:
        return energy.given(watts)
    if not pd.isna(row.get("watts", float("nan"))):
        return Power(row["watts"], row["watts_min"], row["watts_max"], energy.MEASURED)
    return energy.estimate(threads)


def priced(rate: Range, power: Power, usd_per_hour: float | None, usd_per_kwh: float | None) -> dict:
    basis = normalise.NOT_GIVEN if usd_per_hour is None else normalise.GIVEN
    scope = "as given" if power.basis == energy.GIVEN else "processor"
    values = normalise.row(rate, Range(power.watts, power.low, power.high), usd_per_hour, usd_per_kwh)
    return {"power_scope": scope, "power_basis": power.basis, "price_basis": basis} | values


def ladder_rows(
    path: str | Path, threads: int, watts: float | None, usd_per_hour: float | None, usd_per_kwh: float | None
) -> list[dict]:
    """One row a recipe of accounting/ladder.csv; the range is that of the repetitions."""
    frame = files.read_csv(path)
    if missing := set(LADDER_COLUMNS) - set(frame):
        raise UserError(f"{path}: no ladder.csv of trex.accounting.ladder (no {', '.join(sorted(missing))}); measure")
    found = []
    for row in frame.to_dict("records"):
        rate = Range(*(row[name] for name in LADDER_COLUMNS[2:]))
        found.append(
            {
                "scenario": f"this machine, ladder: {row['recipe']}",
                "model": row["model"],
                "device": "this machine",
                "convention": row.get("convention"),
                "train_flops_per_token": row.get("flops_per_token"),
                "mfu": row.get("mfu"),
                "mfu_basis": "measured: median of the repetitions",
                "peak_tflops": row.get("peak_tflops"),
                "peak_basis": "measured: accounting/peak.json",
                **priced(rate, power_of(row, watts, threads), usd_per_hour, usd_per_kwh),
            }
        )
    return found


def training_row(
    path: str | Path, threads: int, watts: float | None, usd_per_hour: float | None, usd_per_kwh: float | None
) -> dict:
    """Of one arm's metrics.jsonl: all tokens over all seconds of its training, start and evaluation not included."""
    records = files.read_jsonl(path)
    last = records[-1] if records and isinstance(records[-1], dict) else {}
    if not all(is_amount(last.get(name)) for name in ("tokens", "seconds")):
        raise UserError(f"{path}: no metrics.jsonl of trex.training.train (no tokens, seconds); train again")
    rate = normalise.exactly(last["tokens"] / last["seconds"])
    return {
        "scenario": f"this machine, training: {Path(path).parent.name}",
        "model": "miniature",
        "device": "this machine",
        **priced(rate, power_of({}, watts, threads), usd_per_hour, usd_per_kwh),
    }


def is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def stated_row(rate: float, watts: float | None, usd_per_hour: float | None, usd_per_kwh: float | None) -> dict:
    """Of a throughput given by hand. Raises UserError without the power: there is nothing to estimate it from."""
    if watts is None:
        raise UserError("--tokens-per-second needs --watts, of the devices that reach it; there is nothing to guess by")
    power = energy.given(watts)
    return {"scenario": "as given", "device": "as given"} | priced(
        normalise.exactly(rate), power, usd_per_hour, usd_per_kwh
    )
