"""What the comparison hangs on: one thing changed at a time, and what becomes of the break-even price ratio.

Changed are the MFU (within its range, and other published values), the peak (other figures in circulation for the same
device; the MFU is kept, so the tokens per second follow), what a published MFU may count (useful FLOPs, or recomputed
ones too) and what power is of. FLOPs a token change both sides alike and so no ratio.
"""

import dataclasses
from collections.abc import Iterator

from trex.accounting.costs.normalise import Range, energy, exactly
from trex.accounting.costs.scenarios import PUBLISHED, Comparison, Scenario, told
from trex.accounting.counting.conventions import CONVENTIONS

RECOMPUTED = "_full_recomputation"


def variations(comparison: Comparison, scenario: Scenario) -> Iterator[tuple[str, str, Scenario]]:
    """(what is varied, what it is set to and why, the scenario then) of one device; the first is as it stands."""

    def at(mfu: float) -> Scenario:
        return dataclasses.replace(scenario, mfu=exactly(mfu))

    yield "nothing", "as in the scenario", scenario
    for end, mfu in (("low", scenario.mfu.low), ("high", scenario.mfu.high)):
        if mfu != scenario.mfu.value:
            yield "mfu", f"{mfu:.2%}: {end} end", at(mfu)
    for other in scenario.others:
        yield "mfu", f"{other.value:.2%}: {told(other)}", at(other.value)
    hardware = CONVENTIONS.get(comparison.convention.name + RECOMPUTED)
    if scenario.status == PUBLISHED and hardware is not None:
        arguments = (comparison.architecture, comparison.sequence_length)
        ratio = float(hardware.total(*arguments) / comparison.convention.total(*arguments))
        mfu = scenario.mfu.value / ratio
        yield "counted_flops", f"{mfu:.2%}: if the MFU counts full recomputation (x {ratio:.3f})", at(mfu)
    for peak in scenario.peak.alternatives:
        yield "peak", f"{peak.value:g} TFLOP/s: {told(peak)}", dataclasses.replace(scenario, peak=peak)
    for scope in list(scenario.power)[1:]:
        power = {scope: scenario.power[scope]}
        yield "power", f"{scope}: {told(power[scope])}", dataclasses.replace(scenario, power=power)


def rows(comparison: Comparison) -> list[dict]:
    """One row a device that is compared, and a change on its side or on the reference's."""
    reference, found = comparison.scenarios[comparison.reference], []
    for name, device in comparison.scenarios.items():
        if name == comparison.reference:
            continue
        base = comparison.break_even(device).value
        sides = [(name, changed, reference, one) for *changed, one in variations(comparison, device)]
        sides += [
            (comparison.reference, changed, one, device)
            for *changed, one in variations(comparison, reference)
            if changed[0] != "nothing"
        ]
        for changed_device, (varied, setting), one, other in sides:
            rates = comparison.rate(one), comparison.rate(other)
            ratio = rates[0].value / rates[1].value
            found.append(
                {
                    "device": name,
                    "varied": varied,
                    "of": changed_device if varied != "nothing" else "",
                    "setting": setting,
                    "reference_tokens_per_second": rates[0].value,
                    "device_tokens_per_second": rates[1].value,
                    "break_even_price_ratio": ratio,
                    "change": ratio / base - 1,
                    "energy_ratio": kwh(rates[0], one) / kwh(rates[1], other),
                }
            )
    return found


def kwh(rate: Range, scenario: Scenario) -> float:
    """kWh per billion tokens, by the first kind of power that is known."""
    return energy(rate, exactly(next(iter(scenario.power.values())).value))["kwh_per_billion_tokens"]
