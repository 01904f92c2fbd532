"""The public benchmarks by name. Their data stay in the user's folder and are never shipped or archived.

Where a name is asked for, the path of a YAML file (trex.benchmarks.questions) stands for a user's own benchmark.
"""

from pathlib import Path

from trex.benchmarks import bench4opt, questions
from trex.benchmarks.definition import Definition
from trex.benchmarks.item import Item
from trex.common.errors import UserError
from trex.common.provenance import digest_file, digest_json

SETS = Path(__file__).with_name("sets")
BENCHMARKS: dict[str, Definition] = {
    definition.name: definition
    for definition in (
        *map(questions.load, sorted(SETS.glob("*.yaml"))),
        bench4opt.BENCH4OPT,
        bench4opt.BENCH4OPT_FEASIBLE,
    )
}


def definition(name: str) -> Definition:
    """Raises UserError for an unknown name, or a YAML file that defines no benchmark."""
    if name in BENCHMARKS:
        return BENCHMARKS[name]
    if Path(name).suffix not in (".yaml", ".yml"):
        raise UserError(
            f"no benchmark is called {name!r}; known: {', '.join(sorted(BENCHMARKS))}; "
            "or give the path of a YAML file that defines one"
        )
    own = questions.load(name)
    if own.name in BENCHMARKS:
        raise UserError(f"{name}: {own.name!r} is the name of a known benchmark; give yours another")
    return own


def load(name: str, folder: str | Path) -> list[Item]:
    """The items of a benchmark from the user's folder. Raises UserError for an unknown name or unreadable data."""
    return definition(name).read(folder)


def sources(name: str, folder: str | Path) -> list[Path]:
    """All files that `load` reads: the set's, the index first, and the definition where it is a file."""
    return [*definition(name).paths(folder).values(), *definition_files(name)]


def digest(name: str, folder: str | Path) -> str:
    """SHA-256 over all that `sources` names, wherever it stands."""
    return digest_json([definition(name).digest(folder), *map(digest_file, definition_files(name))])


def definition_files(name: str) -> list[Path]:
    """The file that defines a benchmark, where it is one."""
    defined = SETS / f"{name}.yaml" if name in BENCHMARKS else Path(name)
    return [defined] if defined.is_file() else []
