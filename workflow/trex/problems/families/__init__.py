"""The problem families, one file each, found by listing this folder: adding a family is adding a file."""

import importlib
from functools import cache
from pathlib import Path

from trex.common.errors import UserError
from trex.problems.family import Family

DISCOVERS = "trex.problems.families"


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__"))


@cache
def load(name: str) -> Family:
    """Raises UserError for a name that no file has."""
    if name not in names():
        raise UserError(f"no problem family {name!r}; there are {', '.join(names())}")
    return importlib.import_module(f"{DISCOVERS}.{name}").FAMILY
