"""JSON results as tables; the sections of the environment and the configuration."""

from collections.abc import Iterator

import pandas as pd

from trex.report.load import Run
from trex.report.parts import Cell, Column, Figure, Got, Section, Table, integer, number, percent, plain, table


def flatten(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """(path, leaf) of nested JSON; short lists of plain values are one leaf."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, (*path, plain(key)))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for index, inner in enumerate(value, start=1):
            yield from flatten(inner, (*path, str(index)))
    else:
        yield " / ".join(path), ", ".join(map(str, value)) if isinstance(value, list) else value


def leaves(document: dict) -> pd.DataFrame:
    """Columns name, value: everything in a JSON result but its schema version and provenance."""
    kept = {key: value for key, value in document.items() if key not in ("schema_version", "provenance")}
    return pd.DataFrame(list(flatten(kept)), columns=["name", "value"])


def leaf_text(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int):
        return integer(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


LEAF_COLUMNS = (
    Column("what", lambda row: row.name, "text"),
    Column("value", lambda row: leaf_text(row.value), "text"),
)


def records(rows: list[dict]) -> Table:
    """A table of JSON records: columns in their own order, nested counts in words."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    kinds = {name: "number" if all(is_number(row.get(name)) for row in rows) else "text" for name in names}
    return Table(
        [Cell(plain(name), kinds[name]) for name in names],
        [[Cell(in_words(row.get(name)), kinds[name]) for name in names] for row in rows],
    )


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{plain(name)} {leaf_text(inner)}" for name, inner in value.items())
    return leaf_text(value)


def environment(run: Run) -> Section:
    frames = {name: leaves(run.documents[name]) for name in ("environment", "config")}
    machine = Figure(
        "Machine and software",
        Got(
            "environment.json",
            "one machine",
            "read from the system and the libraries when the run began",
            "other load on the machine during the run is not recorded",
        ),
        table=table(frames["environment"], LEAF_COLUMNS),
        folded=True,
    )
    settings = Figure(
        "Configuration, defaults included",
        Got(
            "config.json",
            f"{len(frames['config'])} values",
            "the checked configuration of this run",
            "why these values",
        ),
        table=table(frames["config"], LEAF_COLUMNS),
        folded=True,
    )
    versions = run.documents["environment"].get("provenance", {}).get("versions", {})
    lead = "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "."
    return Section("environment", "Environment", lead, [machine, *kernels(run), settings])


KERNEL_COLUMNS = (
    Column("what", lambda row: row.name, "text"),
    Column("calls", lambda row: integer(row.calls)),
    Column("ms", lambda row: number(row.milliseconds, 1)),
    Column("share", lambda row: percent(row.share)),
)


def kernels(run: Run) -> list[Figure]:
    """What one training step really runs, by PyTorch's names and by the libraries' own."""
    document = run.documents["kernels"]
    said = "; ".join(f"{plain(name)}: {text or 'none'}" for name, text in document["libraries"].items())
    titles = {
        "operators": ("Operators of a training step", "of all operators' own time, in a profiled step"),
        "kernels": (
            "Library kernels of a training step",
            "of a step by the clock, while the libraries tell their calls",
        ),
    }
    return [
        Figure(
            title,
            Got(
                "accounting/kernels.json",
                f"the {len(document[name])} longest, {document['threads']} threads",
                f"shares are {method}; {said}",
                "looking costs time: the times rank, they are no measure of speed",
            ),
            table=table(
                pd.DataFrame(document[name], columns=["name", "calls", "milliseconds", "share"]), KERNEL_COLUMNS
            ),
            folded=True,
        )
        for name, (title, method) in titles.items()
    ]
