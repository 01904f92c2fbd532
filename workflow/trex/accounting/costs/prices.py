"""What the user says that things cost. Nothing here has a default: a price that nobody gave is not given."""

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from trex.accounting.costs import normalise, yaml_file
from trex.common.config_errors import did_you_mean
from trex.common.errors import UserError

HOURS_PER_YEAR = 8766
EXAMPLE = "EXAMPLE, no market price"


@dataclasses.dataclass(frozen=True)
class Prices:
    """basis: what stands beside every number that rests on them. By device: rent (dollars an hour, power included),
    owned (dollars an hour of computing, power not included), lost_time (share). migration: dollars a billion tokens."""

    basis: str = normalise.NOT_GIVEN
    rent: dict[str, float] = dataclasses.field(default_factory=dict)
    electricity: float | None = None
    owned: dict[str, float] = dataclasses.field(default_factory=dict)
    lost_time: dict[str, float] = dataclasses.field(default_factory=dict)
    migration: float | None = None

    def basis_of(self, value: float | None) -> str:
        return normalise.NOT_GIVEN if value is None else self.basis


def load(path: str | Path | None, devices: Iterable[str]) -> Prices:
    """Raises UserError for a file that is none, or that names a device which is not compared."""
    if path is None:
        return Prices()
    content = yaml_file.load(path, "prices.schema.json")
    acquisition = content.get("acquisition", {})
    migration = content.get("migration")
    hours = acquisition.get("years", 0) * HOURS_PER_YEAR * acquisition.get("utilisation", 0)
    prices = Prices(
        basis=f"{EXAMPLE if content.get('example') else normalise.GIVEN}: {content['title']}",
        rent=content.get("usd_per_device_hour", {}),
        electricity=content.get("electricity_usd_per_kwh"),
        owned={name: usd / hours for name, usd in acquisition.get("usd_per_device", {}).items()},
        lost_time=content.get("lost_time", {}),
        migration=migration and migration["usd"] / migration["billion_tokens"],
    )
    known = list(devices)
    for name in sorted((prices.rent.keys() | prices.owned.keys() | prices.lost_time.keys()) - set(known)):
        compared = ", ".join(known)
        raise UserError(f"{path}: {name!r} is not compared; compared are {compared}{did_you_mean(name, known)}")
    return prices
