"""How fast would a training step be? An analytic estimate, with intervals over what nobody knows.

Your own layout, and others in proportion to it; the speed that you measured narrows the intervals:

    python -m trex.accounting.project --preset trex-pro-sft --tokens-per-second 308 \\
        --what-if tensor=4 --what-if devices=1024,global_batch=2048 --what-if links=0.5
    python -m trex.accounting.project --model v4-flash --device h100 --layout \\
        devices=256,pipeline=4,expert=32,global_batch=1024,recomputation=full,distributed_optimizer=true

Without a layout: the table accounting/projection.csv, which holds the same model against published runs, asks under
which efficiencies SLAI T-Rex's released flags give its MFU, and tries other layouts, links and numbers of devices:

    python -m trex.accounting.project --out projection.csv

No parallel layout is validated; one device is what the hardware file says, of an Ascend 910C a die. A layout is written
as name=value, separated by commas, with the names of trex.accounting.planning.layout.Layout; chunk_layers as 3:4:4:2.
"""

import argparse
import dataclasses

import numpy as np

from trex.accounting.planning import published, released, what_if
from trex.accounting.planning.layout import Layout
from trex.accounting.planning.presets import PRESETS
from trex.accounting.planning.sampling import latin_hypercube, quantiles
from trex.accounting.planning.setting import COLUMNS, Setting
from trex.accounting.planning.step_time import ASSUMED
from trex.accounting.planning.what_if import Alternative
from trex.common import cli, seeds
from trex.common.config_errors import did_you_mean
from trex.common.errors import UserError

SETTINGS = {"samples": 20_000}
PROJECTION = "trex.accounting.project"
MOST_DEVICES = 10_000


def arguments() -> argparse.Namespace:
    parser = cli.parser(__doc__)
    parser.add_argument("--preset", choices=PRESETS, help="a released layout, with its model and device")
    parser.add_argument("--model", help="a known model's name, or a config.json")
    parser.add_argument("--device", help="a device of config/hardware.yaml")
    parser.add_argument("--layout", help="name=value,...: the layout, or what differs from the preset's")
    parser.add_argument(
        "--tokens-per-second", type=cli.positive_number, help="measured with that layout, of one device"
    )
    parser.add_argument(
        "--what-if", action="append", default=[], help="name=value,...: what differs; links=2 has them twice as fast"
    )
    parser.add_argument(
        "--settings", type=cli.json_argument, default=SETTINGS, help="the accounting.projection section of the config"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the samples")
    parser.add_argument("--out", help="accounting/projection.csv")
    return parser.parse_args()


# Own layouts. --------------------------------------------------------------------------------------------------------


def read_spec(text: str) -> dict[str, object]:
    """`tensor=2,sequence_parallel=true` -> values of a Layout and, perhaps, `links`. Raises UserError."""
    fields = {field.name: field.type for field in dataclasses.fields(Layout)} | {"links": float}
    found = {}
    for entry in text.split(","):
        name, equals, value = entry.strip().partition("=")
        if name not in fields or not equals:
            raise UserError(f"{entry!r}: expected name=value with a name of a layout{did_you_mean(name, fields)}")
        found[name] = read_value(name, fields[name], value)
    return found


def read_value(name: str, kind: type, text: str) -> object:
    try:
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        if name == "chunk_layers":
            return tuple(int(part) for part in text.split(":"))
        return kind(text)
    except (KeyError, ValueError) as error:
        what = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "whole numbers and colons")
        raise UserError(f"{name}={text}: expected {what}") from error


def changed(layout: Layout | None, values: dict[str, object]) -> Layout:
    """A layout with other values. Chunks of another number are made as even as can be."""
    if layout is None:
        if missing := {"devices", "global_batch"} - values.keys():
            raise UserError(f"the layout lacks {', '.join(sorted(missing))}; add them to --layout, or give --preset")
        return Layout(**values)
    if {"pipeline", "virtual_stages"} & values.keys():
        values = {"chunk_layers": None} | values
    return dataclasses.replace(layout, **values)


def alternative(name: str, base: Layout | None, text: str) -> Alternative:
    values = read_spec(text) if text else {}
    links = values.pop("links", 1.0)
    layout = changed(base, values)
    if layout.devices > MOST_DEVICES:
        raise UserError(f"{layout.devices:,} devices: nothing is known of so many; take at most {MOST_DEVICES:,}")
    if not 0 < links < float("inf"):
        raise UserError(f"links={links:g}: must be above 0")
    return Alternative(name, layout, links)


def answer(given: argparse.Namespace) -> str:
    """What is printed of one's own layout and of others."""
    preset = PRESETS[given.preset] if given.preset else None
    model, device = given.model or (preset and preset.model), given.device or (preset and preset.device)
    if not model or not device:
        raise UserError("which model on which device? give --model and --device, or --preset for a released layout")
    own = alternative("as given", preset.layout if preset else None, given.layout or "")
    others = [alternative(text, own.layout, text) for text in given.what_if]
    case = what_if.placed(model, device, own)
    assumed = matching(case, drawn(given), given.tokens_per_second)
    step = case.step(assumed)
    lines = [headline(case, given.tokens_per_second, len(step.seconds)), "", table(own, model, device, assumed, others)]
    shares = {name: float(np.median(value / step.seconds)) for name, value in step.terms.items()}
    largest = sorted(shares.items(), key=lambda pair: -pair[1])
    parts = ", ".join(f"{name} {share:.1%}" for name, share in largest if share >= 0.001)
    return "\n".join([*lines, "", f"Share of the step, as given (median): {parts}"])


def drawn(given: argparse.Namespace) -> dict[str, np.ndarray]:
    samples = given.settings["samples"]
    return latin_hypercube(ASSUMED, samples, seeds.array_generator(given.seed, "projection", "own"))


def matching(case: Setting, assumed: dict[str, np.ndarray], measured: float | None) -> dict[str, np.ndarray]:
    """The samples that give the measured tokens per second and device; all of them where nothing was measured."""
    if measured is None:
        return assumed
    rates = case.rate(case.step(assumed))
    kept = released.close(rates, measured)
    if kept.sum() < released.FEWEST:
        low, _, high = quantiles(rates)
        raise UserError(
            f"--tokens-per-second {measured:g}: only {kept.sum()} samples come near; this layout gives {low:.0f} to "
            f"{high:.0f} a device (90 %). Check layout and device, or take more samples"
        )
    return {name: values[kept] for name, values in assumed.items()}


def headline(case: Setting, measured: float | None, samples: int) -> str:
    layout = case.layout
    told = f"{case.model.name}, {layout.devices:,} devices, {layout.micro_batches} micro-batches a rank and step"
    if measured is None:
        return (
            f"{told}\nNothing was measured, so these are wide: 5 %, 50 %, 95 % of {samples:,} samples. Not validated."
        )
    return f"{told}\n5 %, 50 %, 95 % of the {samples:,} samples that give what was measured. Not validated."


def table(own: Alternative, model: str, device: str, assumed: dict, others: list[Alternative]) -> str:
    base = what_if.placed(model, device, own)
    rate = base.rate(base.step(assumed))
    rows = [("", "step, s", "tokens/s a device", "MFU", "throughput a device", "memory")]
    for each in (own, *others):
        case = what_if.placed(model, device, each)
        values = what_if.outcomes(case, assumed, rate).values()
        relative, seconds, rates, mfu = (quantiles(value) for value in values)
        rows.append(
            (
                each.name,
                " ".join(f"{value:.1f}" for value in seconds),
                " ".join(f"{value:.0f}" for value in rates),
                " ".join(f"{value:.1%}" for value in mfu),
                " ".join(f"x{value:.2f}" for value in relative),
                what_if.verdict(case, device),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


# The table of a run. -------------------------------------------------------------------------------------------------


def projection(samples: int, seed: int) -> list[dict]:
    """All rows of accounting/projection.csv."""
    found = released.ladder(samples, seed)
    return [
        *published.published_rows(samples, seed),
        *released.ladder_rows(found),
        *what_if.what_if_rows(found),
    ]


def write(given: argparse.Namespace) -> None:
    import pandas as pd

    from trex.common import files, provenance

    files.check_place(given.out)
    frame = pd.DataFrame(projection(given.settings["samples"], given.seed), columns=COLUMNS)
    frame["accepted"] = frame["accepted"].astype("Int64")
    inputs = {"hardware": hardware_file()}
    files.write_csv(given.out, frame, provenance.provenance(PROJECTION, given.settings, inputs, given.seed))
    held_out = frame[frame["group"] == "published_run"]["validated"]
    print(
        f"projection: {len(frame)} rows; of {len(held_out)} figures of published runs, "
        f"{int(held_out.str.contains('within').sum())} are within the interval that nothing was fitted to"
    )


def hardware_file() -> str:
    from trex.accounting import hardware

    return str(hardware.FILE)


def main() -> None:
    given = arguments()
    samples = given.settings["samples"]
    if not isinstance(samples, int) or samples < 1000:
        raise UserError(f"samples is {samples!r}; it must be a whole number from 1,000 on")
    own = given.preset or given.layout or given.model or given.device or given.what_if or given.tokens_per_second
    if own:
        if given.out:
            raise UserError("--out is for the table of published runs, without a layout of one's own; leave one out")
        print(answer(given))
    elif given.out:
        write(given)
    else:
        raise UserError("give --preset or --layout for a layout of your own, or --out for the table")


if __name__ == "__main__":
    cli.run(main)
