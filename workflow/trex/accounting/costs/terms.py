"""The four terms that critics ask for beside an MFU: acquisition, throughput per chip, migration, operational risk.

Each has a row a device, `computed`, `user-supplied` or `not in the record`; what the public record of SLAI T-Rex does
say of a term stands in `basis`, but is no number of this table. Migration is of the reference alone: elsewhere the
software is taken to run as it is. The sum is formed only where all are given.
"""

from trex.accounting.costs.normalise import BILLION, JOULES_PER_KWH, SECONDS_PER_HOUR
from trex.accounting.costs.prices import Prices
from trex.accounting.costs.scenarios import ALL_IN, Comparison

COMPUTED, USER, ABSENT = "computed", "user-supplied", "not in the record"
RECORD = {
    "acquisition": "the record has no price; give acquisition in the prices file",
    "migration": "the record says that kernels and parallelism were rewritten, not what that took; give migration",
    "operational_risk": "the record says: 800 of 800 iterations without skip or NaN on 128 NPUs; press: more than 1500 "
    "steps. Nothing of faults and restarts; give lost_time",
}


def given(device: str, term: str, value: float | None, unit: str, prices: Prices) -> dict:
    status, basis = (ABSENT, RECORD[term]) if value is None else (USER, prices.basis)
    return {"device": device, "term": term, "status": status, "value": value, "unit": unit, "basis": basis}


def rows(comparison: Comparison, prices: Prices) -> list[dict]:
    found = []
    for name, one in comparison.scenarios.items():
        rate = comparison.rate(one)
        throughput = f"{one.mfu.value:.2%} MFU ({one.status}) of {one.peak.value:g} TFLOP/s"
        owned, lost = prices.owned.get(name), prices.lost_time.get(name)
        found += [
            given(name, "acquisition", owned, "usd_per_device_hour", prices),
            {
                "device": name,
                "term": "throughput_per_chip",
                "status": COMPUTED,
                "value": rate.value,
                "value_low": rate.low,
                "value_high": rate.high,
                "unit": "tokens_per_second",
                "basis": throughput,
            },
            given(name, "operational_risk", lost, "share_of_time_lost", prices),
        ]
        if name == comparison.reference:
            found.append(given(name, "migration", prices.migration, "usd_per_billion_tokens", prices))
        found.append(total(name, comparison, prices))
    return found


def total(device: str, comparison: Comparison, prices: Prices) -> dict:
    """Dollars per billion tokens of all four: purchase and electricity over what is trained in the time not lost, and
    the porting."""
    scenario = comparison.scenarios[device]
    power = scenario.power.get(ALL_IN)
    ported = device != comparison.reference or prices.migration is not None
    have = {
        "acquisition": device in prices.owned,
        "electricity": prices.electricity is not None,
        "all-in power": power is not None,
        "migration": ported,
        "lost time": device in prices.lost_time,
    }
    row = {"device": device, "term": "all_four", "unit": "usd_per_billion_tokens"}
    if missing := [name for name, is_there in have.items() if not is_there]:
        return row | {"status": ABSENT, "value": None, "basis": f"not given: {', '.join(missing)}"}
    usd_per_second = prices.owned[device] / SECONDS_PER_HOUR + power.value * prices.electricity / JOULES_PER_KWH
    trained = comparison.rate(scenario).times(1 - prices.lost_time[device])
    porting = prices.migration if device == comparison.reference else 0.0
    low, middle, high = (
        usd_per_second * BILLION / rate + porting for rate in (trained.high, trained.value, trained.low)
    )
    values = {"value": middle, "value_low": low, "value_high": high}
    return row | values | {"status": COMPUTED, "basis": f"{prices.basis}; electricity with all-in power"}
