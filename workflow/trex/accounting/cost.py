"""Tokens per dollar and per watt, dollars and kWh per billion tokens. Free of torch.

    python -m trex.accounting.cost                                  # V4-Pro on 910C, H100, H200, B200, GB200
    python -m trex.accounting.cost --prices config/prices.example.yaml
    python -m trex.accounting.cost --tokens-per-second 308 --watts 730 --usd-per-hour 2

Three tables: costs (of this machine, from --ladder and --metrics or --tokens-per-second, and of the scenarios);
what the scenarios hang on (one thing changed at a time); and the four terms that critics ask for beside an MFU. Prices
are the user's: without one a column is empty, and says so. An MFU is no cost: two devices of equal MFU differ by their
peaks, and by what an hour of them costs.

The break-even price ratio of a device is the share of its hourly price that an hour of the reference may cost for a
token to cost the same. Power of a machine of our own is counted by RAPL, given, or an ESTIMATE. Cooling of a building,
failures, storage and people are in none of the figures, unless a price that you give includes them.
"""

import argparse

import pandas as pd

from trex.accounting import hardware
from trex.accounting.costs import own, prices, scenarios, sensitivity, terms
from trex.common import cli, files, provenance

STEP = "trex.accounting.cost"
COLUMNS = (
    *("scenario", "model", "device", "convention", "sequence_length", "train_flops_per_token"),
    *("mfu", "mfu_low", "mfu_high", "mfu_basis", "peak_tflops", "peak_basis"),
    *("tokens_per_second", "tokens_per_second_low", "tokens_per_second_high"),
    *("power_scope", "watts", "watts_low", "watts_high", "power_basis"),
    *("tokens_per_second_per_watt", "kwh_per_billion_tokens"),
    *("kwh_per_billion_tokens_low", "kwh_per_billion_tokens_high"),
    *("usd_per_hour", "price_basis", "tokens_per_second_per_usd_per_hour", "usd_per_billion_tokens"),
    *("usd_per_billion_tokens_low", "usd_per_billion_tokens_high", "electricity_usd_per_billion_tokens"),
    *("break_even_price_ratio", "break_even_price_ratio_low", "break_even_price_ratio_high"),
)
TERM_COLUMNS = ("device", "term", "status", "value", "value_low", "value_high", "unit", "basis")
# What of the costs goes on the screen, under shorter names.
SHOWN = {
    "scenario": "scenario",
    "mfu": "MFU",
    "tokens_per_second": "tokens/s",
    "power_scope": "power",
    "watts": "W",
    "tokens_per_second_per_watt": "tokens/s/W",
    "kwh_per_billion_tokens": "kWh/1e9",
    "usd_per_billion_tokens": "$/1e9",
    "break_even_price_ratio": "break-even",
}


def costs(arguments, comparison: scenarios.Comparison, given: prices.Prices) -> pd.DataFrame:
    """This machine first, then the scenarios."""
    money = (arguments.watts, arguments.usd_per_hour, given.electricity)
    rows = []
    if arguments.tokens_per_second is not None:
        rows.append(own.stated_row(arguments.tokens_per_second, *money))
    if arguments.ladder:
        rows += own.ladder_rows(arguments.ladder, arguments.threads, *money)
    rows += [own.training_row(path, arguments.threads, *money) for path in arguments.metrics]
    return pd.DataFrame(rows + scenarios.rows(comparison, given)).reindex(columns=COLUMNS)


def show(frame: pd.DataFrame, given: prices.Prices) -> None:
    """On the screen, with what the numbers rest on."""
    shown = frame[list(SHOWN)].rename(columns=SHOWN)
    print(shown.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4g}"))
    for row in frame.drop_duplicates("mfu_basis").dropna(subset="mfu_basis").itertuples():
        print(f"MFU of {row.scenario}: {row.mfu_basis}")
    for row in frame.drop_duplicates("power_basis").itertuples():
        print(f"power of {row.scenario} ({row.power_scope}): {row.power_basis}")
    print(f"prices of devices: {given.basis}")


def arguments_of(parser: argparse.ArgumentParser) -> argparse.Namespace:
    parser.add_argument("--scenarios", help="default: config/cost_scenarios.yaml")
    parser.add_argument("--hardware", help="default: config/hardware.yaml")
    parser.add_argument("--model", help="another model than that of the scenarios: a name or a config.json")
    parser.add_argument("--prices", help="a file of prices, as config/prices.example.yaml; default: none")
    parser.add_argument("--ladder", help="accounting/ladder.csv of this machine")
    parser.add_argument("--metrics", nargs="*", default=[], help="models/<arm>/metrics.jsonl of this machine")
    parser.add_argument("--threads", type=cli.positive, default=1, help="CPU threads that these used")
    parser.add_argument("--tokens-per-second", type=cli.positive_number, help="a throughput of your own; with --watts")
    parser.add_argument("--usd-per-hour", type=cli.positive_number, help="what this machine, or yours, costs an hour")
    parser.add_argument("--watts", type=cli.positive_number, help="what it takes, instead of RAPL or an estimate")
    parser.add_argument("--out", help="accounting/cost.csv")
    parser.add_argument("--sensitivity", help="accounting/cost_sensitivity.csv")
    parser.add_argument("--terms", help="accounting/cost_terms.csv")
    return parser.parse_args()


def origin(arguments: argparse.Namespace) -> dict:
    """The provenance block."""
    named = ("threads", "tokens_per_second", "usd_per_hour", "watts", "model")
    inputs = {
        "scenarios": arguments.scenarios or scenarios.FILE,
        "hardware": arguments.hardware or hardware.FILE,
        "prices": arguments.prices,
        "ladder": arguments.ladder,
        "metrics": list(arguments.metrics) or None,
    }
    settings = {name: getattr(arguments, name) for name in named}
    return provenance.provenance(STEP, settings, {role: path for role, path in inputs.items() if path is not None})


def main() -> None:
    arguments = arguments_of(cli.parser(__doc__))
    comparison = scenarios.load(arguments.scenarios, arguments.hardware, arguments.model)
    given = prices.load(arguments.prices, comparison.scenarios)
    frame = costs(arguments, comparison, given)
    tables = {
        arguments.out: frame,
        arguments.sensitivity: pd.DataFrame(sensitivity.rows(comparison)),
        arguments.terms: pd.DataFrame(terms.rows(comparison, given)).reindex(columns=TERM_COLUMNS),
    }
    block = origin(arguments)
    for path, table in tables.items():
        if path is not None:
            files.write_csv(path, table, block)
    show(frame, given)


if __name__ == "__main__":
    cli.run(main)
