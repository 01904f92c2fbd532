"""From tokens per second, watts and a price to what they come to. Units are in the names; W = J/s, kWh = 3.6e6 J.

What rests on a price that nobody gave is not a number (nan).
"""

import dataclasses
import math

BILLION = 1e9
JOULES_PER_KWH = 3.6e6
SECONDS_PER_HOUR = 3600
NOT_GIVEN = "user-supplied: not given"
GIVEN = "user-supplied"


@dataclasses.dataclass(frozen=True)
class Range:
    """A positive value, and what it may be between."""

    value: float
    low: float
    high: float

    def __truediv__(self, other: "Range") -> "Range":
        """The widest: nothing is said of how the two hang together."""
        return Range(self.value / other.value, self.low / other.high, self.high / other.low)

    def times(self, factor: float) -> "Range":
        return Range(self.value * factor, self.low * factor, self.high * factor)

    def columns(self, name: str) -> dict[str, float]:
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def exactly(value: float) -> Range:
    return Range(value, value, value)


def energy(rate: Range, watts: Range) -> dict[str, float]:
    """rate: tokens per second. Tokens/s per W are tokens per joule."""
    kwh = (watts / rate).times(BILLION / JOULES_PER_KWH)
    return {"tokens_per_second_per_watt": (rate / watts).value} | kwh.columns("kwh_per_billion_tokens")


def rent(rate: Range, usd_per_hour: float | None) -> dict[str, float]:
    """Dollars of what is rented by the hour."""
    names = ["tokens_per_second_per_usd_per_hour"]
    names += [f"usd_per_billion_tokens{end}" for end in ("", "_low", "_high")]
    if usd_per_hour is None:
        return dict.fromkeys(names, math.nan)
    price = exactly(usd_per_hour)
    usd = (price / rate).times(BILLION / SECONDS_PER_HOUR)
    return {names[0]: (rate / price).value} | usd.columns("usd_per_billion_tokens")


def electricity(rate: Range, watts: Range, usd_per_kwh: float | None) -> dict[str, float]:
    """Dollars of the electricity alone."""
    kwh = energy(rate, watts)["kwh_per_billion_tokens"]
    return {"electricity_usd_per_billion_tokens": math.nan if usd_per_kwh is None else kwh * usd_per_kwh}


def row(rate: Range, watts: Range, usd_per_hour: float | None, usd_per_kwh: float | None) -> dict[str, float]:
    """The columns that every row of cost.csv has."""
    return {
        **rate.columns("tokens_per_second"),
        **watts.columns("watts"),
        **energy(rate, watts),
        "usd_per_hour": math.nan if usd_per_hour is None else usd_per_hour,
        **rent(rate, usd_per_hour),
        **electricity(rate, watts, usd_per_kwh),
    }
