"""Accelerators as config/hardware.yaml describes them, and this CPU as it was measured. Free of torch.

    from trex.accounting import hardware
    hardware.load()["h100"].peak("bf16").value  # 989.4, 10^12 FLOP/s, dense

A quantity always comes with its source and date; `verified` is False where it is assumed or was not seen in its source.
`alternatives` are other figures in circulation for the same thing, which an MFU by somebody else may rest on.

What this does not cover: sustained rates. A peak is what the arithmetic units could do at the data sheet's clock.
"""

import dataclasses
import json
from pathlib import Path

from trex.common import files
from trex.common.config_errors import check, did_you_mean
from trex.common.errors import UserError
from trex.common.provenance import PACKAGE

# Links to config/hardware.yaml and workflow/schemas/, so that an installation without the checkout has them too.
FILE = PACKAGE / "accounting/hardware.yaml"
SCHEMA = PACKAGE / "accounting/hardware.schema.json"
SAME_DTYPE = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}
SAME_DTYPE |= {"float64": "fp64", "mxfp8": "fp8", "float8": "fp8", "float8_e4m3fn": "fp8", "nvfp4": "fp4"}
DTYPES = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8")
MEASURED = "this-cpu"


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number with where it is from. date: of the source, year-month-day, or when it was read."""

    value: float
    source: str
    date: str = ""
    verified: bool = True
    note: str = ""
    alternatives: tuple["Quantity", ...] = ()

    @property
    def all(self) -> tuple["Quantity", ...]:
        """Itself, then the other figures in circulation."""
        return (self, *self.alternatives)


@dataclasses.dataclass(frozen=True)
class Device:
    """What one device can do; None where it is not known.

    peak_tflops: dense, by dtype, 10^12 FLOP/s. memory_gb: 10^9 bytes. Bandwidths in 10^9 bytes/s, those of links in one
    direction: scale_up to the other devices of the node or super node, scale_out to other nodes.
    """

    key: str
    name: str
    peak_tflops: dict[str, Quantity]
    memory_gb: Quantity | None = None
    memory_bandwidth_gb_per_s: Quantity | None = None
    scale_up_gb_per_s: Quantity | None = None
    scale_out_gb_per_s: Quantity | None = None
    die_to_die_gb_per_s: Quantity | None = None
    power_w: Quantity | None = None

    def peak(self, dtype: str) -> Quantity | None:
        """The dense peak; None where none is known. Raises UserError for what is no dtype."""
        return self.peak_tflops.get(dtype_name(dtype))


def dtype_name(dtype: str) -> str:
    """`bf16` for `bfloat16` and so on. Raises UserError for what is no dtype."""
    short = SAME_DTYPE.get(dtype.lower(), dtype.lower())
    if short not in DTYPES:
        raise UserError(f"dtype {dtype!r} is not known; give one of {', '.join(DTYPES)}{did_you_mean(short, DTYPES)}")
    return short


def load(path: str | Path | None = None) -> dict[str, Device]:
    """All devices of a hardware file, by key; without a path those of config/hardware.yaml.

    Raises UserError naming every key that is wrong.
    """
    import yaml

    path = Path(path or FILE)
    content = files.open_input(path, lambda source: parse(source, yaml))
    errors = check(content, json.loads(SCHEMA.read_text(encoding="utf-8")), {})
    if not errors:
        errors = [f"unknown source {name!r}" for name in sorted(cited(content) - content["sources"].keys())]
    if errors:
        raise UserError(f"{path}: {'; '.join(errors)}")
    return {key: read_device(key, entry, content["sources"]) for key, entry in content["devices"].items()}


def parse(path: Path, yaml) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def cited(value: object) -> set[str]:
    """The short names of all sources that quantities below a value refer to."""
    if isinstance(value, list):
        return {name for inner in value for name in cited(inner)}
    if not isinstance(value, dict):
        return set()
    own = {value["source"]} if isinstance(value.get("source"), str) else set()
    return own.union(*(cited(inner) for inner in value.values()))


def read_device(key: str, entry: dict, sources: dict) -> Device:
    fields = {name: quantity(value, sources) for name, value in entry.items() if name not in ("name", "peak_tflops")}
    peaks = {dtype: quantity(value, sources) for dtype, value in entry["peak_tflops"].items()}
    return Device(key=key, name=entry["name"], peak_tflops=peaks, **fields)


def quantity(entry: dict, sources: dict) -> Quantity:
    source = sources.get(entry.get("source"), {})
    return Quantity(
        value=float(entry["value"]),
        source=source.get("title", "no source"),
        date=source.get("date") or (f"read {source['read']}" if "read" in source else ""),
        verified=not entry.get("unverified", False),
        note=entry.get("note", ""),
        alternatives=tuple(quantity(other, sources) for other in entry.get("alternatives", ())),
    )


def device(name: str, path: str | Path | None = None) -> Device:
    """A device of the hardware file by its key, or the machine that a peak.json was measured on.

    Raises UserError naming the devices that there are.
    """
    if name.endswith(".json"):
        return measured(name)
    devices = load(path)
    if name not in devices:
        known = ", ".join(devices)
        raise UserError(
            f"device {name!r} is not in {path or FILE.name}; give one of {known}, or a run's accounting/peak.json"
            f"{did_you_mean(name, devices)}"
        )
    return devices[name]


def measured(path: str | Path) -> Device:
    """This CPU: the peaks that trex.accounting.peak measured with so many threads."""
    result = files.read_json(path)
    if not isinstance(result, dict) or not isinstance(result.get("peak_tflops"), dict) or "threads" not in result:
        raise UserError(f"{path}: not a peak.json of trex.accounting.peak (no peak_tflops, threads); measure again")
    source = f"measured, {result['threads']} threads, {result.get('definition', 'best median over shapes')}"
    peaks = {dtype_name(dtype): Quantity(float(value), source) for dtype, value in result["peak_tflops"].items()}
    return Device(key=MEASURED, name=f"this CPU, {result['threads']} threads", peak_tflops=peaks)
