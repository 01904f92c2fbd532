"""The public benchmarks by name. Their data stay in the user's folder and are never shipped or archived."""

from pathlib import Path
from types import ModuleType

from trex.benchmarks import nl4opt
from trex.benchmarks.item import Item
from trex.common.errors import UserError

BENCHMARKS = {module.NAME: module for module in (nl4opt,)}


def reader(name: str) -> ModuleType:
    if name not in BENCHMARKS:
        raise UserError(f"no benchmark is called {name!r}; known: {', '.join(sorted(BENCHMARKS))}")
    return BENCHMARKS[name]


def load(name: str, folder: str | Path) -> list[Item]:
    """The items of a benchmark from the user's folder. Raises UserError for an unknown name or unreadable data."""
    return reader(name).read(folder)


def source(name: str, folder: str | Path) -> Path:
    """The file that `load` reads."""
    return reader(name).source(folder)
