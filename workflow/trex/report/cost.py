"""The section on what tokens cost: of this machine, and of one model on several accelerators."""

import pandas as pd
from markupsafe import Markup

from trex.report import charts
from trex.report.load import Run
from trex.report.parts import NO_VALUE, Column, Figure, Got, Section, integer, is_missing, number, percent, plain, table
from trex.report.parts import span as range_of

NO_COOLING = "cooling of the building, storage, failures and people are in none of the figures"


def cost(run: Run) -> Section:
    lead = (
        "MFU is no cost: devices of equal MFU differ by their peaks, their power and what an hour of them costs. "
        "Prices are the user's input; where none was given, the break-even price ratio says what they would have to be."
    )
    frame = run.tables["cost"]
    return Section("cost", "Cost and energy", lead, [*break_even(frame), costs(frame), terms(run), sensitivity(run)])


def span(row: object, name: str, digits: int) -> str:
    """low to high of a column, where they differ."""
    low, high = getattr(row, f"{name}_low"), getattr(row, f"{name}_high")
    return "" if low == high else range_of(low, high, digits)


def value(number_of: float) -> str:
    """Four digits that count: kilowatt-hours are from ones to millions."""
    return NO_VALUE if is_missing(number_of) else f"{number_of:,.4g}"


def break_even(frame: pd.DataFrame) -> list[Figure]:
    """None where the scenarios have one device alone."""
    compared = frame.dropna(subset="break_even_price_ratio").drop_duplicates("device")
    if compared.empty:
        return []
    chart = pd.DataFrame(
        {
            "row": compared["device"],
            "value": compared["break_even_price_ratio"],
            "low": compared["break_even_price_ratio_low"],
            "high": compared["break_even_price_ratio_high"],
            "text": [number(ratio) for ratio in compared["break_even_price_ratio"]],
        }
    )
    (reference,) = set(frame["device"]) - set(compared["device"]) - {"this machine"}
    svg = charts.ranges(
        chart, list(chart["row"]), f"hours of the device that an hour of {reference} may cost", "Break-even price ratio"
    )
    figure = Figure(
        f"Break-even price: what an hour of {reference} may cost, as a share of an hour of each device",
        Got(
            "accounting/cost.csv",
            f"{len(compared)} devices; {compared['scenario'].iloc[0].split(' on ')[0]}, one sequence length",
            "tokens/s a device = MFU x peak / exact FLOPs a token; the ratio is that of the tokens/s. Whiskers span "
            "the published or plausible MFU of both sides at once",
            "an MFU marked as assumed was published for another model or device of its kind, never for this one; "
            "frameworks count FLOPs differently by -8 to +9 %",
        ),
        Markup(svg),
    )
    return [figure]


def costs(frame: pd.DataFrame) -> Figure:
    columns = [
        Column("what", lambda row: row.scenario, "text", basis),
        Column("MFU", lambda row: percent(row.mfu)),
        Column(
            "tokens/s",
            lambda row: integer(row.tokens_per_second),
            detail=lambda row: span(row, "tokens_per_second", 0),
        ),
        Column("W", lambda row: value(row.watts)),
        Column("tokens/s a W", lambda row: value(row.tokens_per_second_per_watt)),
        Column(
            "kWh a billion tokens",
            lambda row: value(row.kwh_per_billion_tokens),
            detail=lambda row: span(row, "kwh_per_billion_tokens", 0 if row.kwh_per_billion_tokens >= 10 else 2),
        ),
        Column("tokens/s a $/h", lambda row: value(row.tokens_per_second_per_usd_per_hour)),
        Column("$ a billion tokens", lambda row: value(row.usd_per_billion_tokens), detail=lambda row: row.price_basis),
    ]
    return Figure(
        "Tokens per watt and per dollar",
        Got(
            "accounting/cost.csv",
            f"{len(frame)} rows",
            "of this machine: measured throughput over power counted by RAPL, given by the user, or estimated; of the "
            "accelerators: computed, by the power of the module and with hosts and network shared out",
            f"{NO_COOLING}; an estimate of this machine's power is right within a factor of about two, no better",
        ),
        table=table(frame, columns),
        folded=True,
    )


def basis(row: object) -> str:
    """What the MFU and the power of a row rest on."""
    mfu = "" if is_missing(row.mfu_basis) else f"MFU {row.mfu_basis}. "
    return f"{mfu}Power, {plain(row.power_scope)}: {row.power_basis}"


def terms(run: Run) -> Figure:
    frame = run.tables["cost_terms"]
    columns = [
        Column("device", lambda row: row.device, "text"),
        Column("term", lambda row: plain(row.term), "text"),
        Column("status", lambda row: row.status, "text"),
        Column(
            "value",
            lambda row: value(row.value),
            detail=lambda row: "" if is_missing(row.value) else f"{plain(row.unit)} {span(row, 'value', 0)}",
        ),
        Column("how", lambda row: row.basis, "text"),
    ]
    return Figure(
        "The four terms that critics ask for",
        Got(
            "accounting/cost_terms.csv",
            f"{len(frame)} rows",
            "throughput per chip is computed; acquisition, migration and operational risk are the user's input",
            "what is not in the record is not guessed",
        ),
        table=table(frame, columns),
        folded=True,
    )


def sensitivity(run: Run) -> Figure:
    frame = run.tables["cost_sensitivity"]
    columns = [
        Column("device", lambda row: row.device, "text"),
        Column("changed", lambda row: plain(row.varied), "text", lambda row: "" if is_missing(row.of) else row.of),
        Column("to", lambda row: row.setting, "text"),
        Column("break-even price ratio", lambda row: number(row.break_even_price_ratio, 3)),
        Column("change", lambda row: percent(row.change)),
        Column("energy a token, reference over device", lambda row: number(row.energy_ratio)),
    ]
    return Figure(
        "What the break-even price ratio hangs on",
        Got(
            "accounting/cost_sensitivity.csv",
            f"{len(frame)} rows",
            "one thing changed at a time: the MFU, what it counts, the peak that it is of, what power is of",
            "changes at once, which add up",
        ),
        table=table(frame, columns),
        folded=True,
    )
