"""One model on several accelerators: tokens per second a device are MFU x peak / FLOPs a token."""

import dataclasses
from pathlib import Path

from trex.accounting import hardware
from trex.accounting.costs import normalise, yaml_file
from trex.accounting.costs.normalise import Range
from trex.accounting.costs.prices import Prices
from trex.accounting.counting import read
from trex.accounting.counting.conventions import CONVENTIONS, Convention
from trex.accounting.counting.part import Architecture
from trex.accounting.hardware import Device, Quantity
from trex.common.config_errors import did_you_mean
from trex.common.errors import UserError

FILE = yaml_file.FOLDER / "scenarios.yaml"
ALL_IN = "all_in"
PUBLISHED, ASSUMED = "published", "assumed"


@dataclasses.dataclass(frozen=True)
class Scenario:
    """mfu: shares of the peak; status: published, assumed or measured; others: further values, with their sources.

    power: by what it is of, `all_in` or `module`; the first is the better one to compare.
    """

    device: Device
    peak: Quantity
    mfu: Range
    status: str
    source: str
    others: tuple[Quantity, ...]
    power: dict[str, Quantity]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """scenarios: by device; reference: the one that the others are compared with."""

    architecture: Architecture
    sequence_length: int
    convention: Convention
    reference: str
    scenarios: dict[str, Scenario]

    @property
    def flops_per_token(self) -> float:
        return float(self.convention.per_token(self.architecture, self.sequence_length))

    def rate(self, scenario: Scenario) -> Range:
        """Tokens per second a device."""
        return scenario.mfu.times(scenario.peak.value * 1e12 / self.flops_per_token)

    def break_even(self, scenario: Scenario) -> Range:
        """The share of what an hour of this device costs that an hour of the reference may cost, for a token to cost
        the same on both; cheaper than that, and the reference is the cheaper one."""
        return self.rate(self.scenarios[self.reference]) / self.rate(scenario)


def load(
    path: str | Path | None = None, hardware_file: str | Path | None = None, model: str | None = None
) -> Comparison:
    """Of a file, by default config/cost_scenarios.yaml; with another model, where one is named, every MFU is assumed.

    Raises UserError for what does not fit together.
    """
    path = path or FILE
    content = yaml_file.load(path, "cost_scenarios.schema.json")
    devices = hardware.load(hardware_file)
    errors = [f"unknown source {name!r}" for name in sorted(hardware.cited(content) - content["sources"].keys())]
    for name in [*content["devices"], content["reference"]]:
        if name not in devices:
            errors.append(f"device {name!r} is not in the hardware file{did_you_mean(name, devices)}")
    if content["reference"] not in content["devices"]:
        errors.append(f"reference: {content['reference']!r} is not among the devices of this file")
    if content["convention"] not in CONVENTIONS:
        wrong = content["convention"]
        errors.append(f"convention: no {wrong!r}; there are {', '.join(CONVENTIONS)}{did_you_mean(wrong, CONVENTIONS)}")
    if errors:
        raise UserError(f"{path}: {'; '.join(dict.fromkeys(errors))}")
    architecture = read.architecture(model or content["model"])
    convention = CONVENTIONS[content["convention"]]
    if not convention.applies_to(architecture):
        raise UserError(f"{path}: convention {convention.name} has no formula for {architecture.name}; choose another")
    found = {name: scenario(path, devices[name], entry, content) for name, entry in content["devices"].items()}
    if model not in (None, content["model"]):
        found = {name: dataclasses.replace(one, status=ASSUMED) for name, one in found.items()}
    return Comparison(
        architecture=architecture,
        sequence_length=content["sequence_length"],
        convention=convention,
        reference=content["reference"],
        scenarios=found,
    )


def scenario(path: str | Path, device: Device, entry: dict, content: dict) -> Scenario:
    """Of one device of the file. Raises UserError where the hardware file lacks its peak or power."""
    mfu, peak, power = entry["mfu"], device.peak(content["dtype"]), {}
    if peak is None:
        raise UserError(f"{path}: {device.key} has no {content['dtype']} peak in the hardware file; add it there")
    if not mfu["low"] <= mfu["value"] <= mfu["high"]:
        raise UserError(f"{path}: {device.key}: mfu must have low <= value <= high")
    if "all_in_w" in entry:
        power[ALL_IN] = hardware.quantity(entry["all_in_w"], content["sources"])
    if device.power_w is not None:
        power.setdefault(entry["hardware_power"], device.power_w)
    if not power:
        raise UserError(f"{path}: no power is known of {device.key}; give its all_in_w, or its power_w in the hardware")
    others = tuple(hardware.quantity(other, content["sources"]) for other in mfu.get("others", ()))
    source = told(hardware.quantity(mfu, content["sources"]))
    return Scenario(device, peak, Range(mfu["value"], mfu["low"], mfu["high"]), mfu["status"], source, others, power)


def told(quantity: Quantity) -> str:
    """Its source, date and note in one line; that it is unverified comes first."""
    parts = [quantity.source + (f", {quantity.date}" if quantity.date else "")]
    parts += [quantity.note] if quantity.note else []
    return ("" if quantity.verified else "unverified: ") + "; ".join(parts)


def rows(comparison: Comparison, prices: Prices) -> list[dict]:
    """One row a device and kind of power."""
    found = []
    for name, one in comparison.scenarios.items():
        usd = prices.rent.get(name)
        even = None if name == comparison.reference else comparison.break_even(one)
        for scope, power in one.power.items():
            found.append(
                {
                    "scenario": f"{comparison.architecture.name} on {name}",
                    "model": comparison.architecture.name,
                    "device": name,
                    "convention": comparison.convention.name,
                    "sequence_length": comparison.sequence_length,
                    "train_flops_per_token": comparison.flops_per_token,
                    **one.mfu.columns("mfu"),
                    "mfu_basis": f"{one.status}: {one.source}",
                    "peak_tflops": one.peak.value,
                    "peak_basis": told(one.peak),
                    "power_scope": scope,
                    "power_basis": told(power),
                    "price_basis": prices.basis_of(usd),
                    **normalise.row(comparison.rate(one), normalise.exactly(power.value), usd, prices.electricity),
                    **({} if even is None else even.columns("break_even_price_ratio")),
                }
            )
    return found
