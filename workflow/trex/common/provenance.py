"""Where a result comes from: digests of its settings, code and inputs, its seed, the versions used and the stack.

A provenance block holds nothing that differs between two runs on one machine: no time, host, user or absolute path.
"""

import ast
import hashlib
import importlib.metadata
import json
import platform
from functools import cache
from pathlib import Path

from trex.common import stack as machine

PACKAGE = Path(__file__).resolve().parents[1]
REQUIREMENTS = PACKAGE.parents[1] / "requirements.txt"  # of a checkout; an installed package has none
LIBRARIES = (
    "bm25s",
    "cvxpy",
    "datasketch",
    "highspy",
    "num2words",
    "numpy",
    "ortools",
    "pandas",
    "pulp",
    "pyarrow",
    "pynauty",
    "pyomo",
    "pyscipopt",
    "sacrebleu",
    "safetensors",
    "scipy",
    "tokenizers",
    "torch",
    "transformers",
)


def digest_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_json(value: object) -> str:
    """SHA-256 of the value's canonical JSON (sorted keys, no spaces)."""
    return digest_bytes(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


def digest_file(path: str | Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def module_file(module: str) -> Path | None:
    """The source file of a module of this package, None for any other name."""
    parts = module.split(".")
    if parts[0] != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*parts[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported_names(module: str, source: str) -> set[str]:
    """Every dotted name that the source imports, `from a import b` giving both `a` and `a.b`."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            raise ValueError(f"{module}: relative import; this package imports by full name")
    return names


@cache
def import_closure(module: str) -> tuple[Path, ...]:
    """Source files of the module and of all modules of this package that it imports, directly or not, sorted.

    A package that finds its members by listing its folder (the problem families, the dialects) names that folder in a
    module constant `DISCOVERS = "trex.problems.families"`; all files in it belong to the closure.
    """
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = module_file(name)
        if name in found or path is None:
            continue
        found[name] = path
        source = path.read_text(encoding="utf-8")
        waiting.extend(imported_names(name, source))
        waiting.extend(name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1))
        waiting.extend(discovered_modules(source))
    return tuple(sorted(found.values()))


def discovered_modules(source: str) -> list[str]:
    """Modules in the folders that the source names in `DISCOVERS`."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "DISCOVERS":
            package = ast.literal_eval(node.value)
            folder = PACKAGE.joinpath(*package.split(".")[1:])
            return [f"{package}.{path.stem}" for path in sorted(folder.glob("*.py"))]
    return []


@cache
def code_digest(module: str) -> str:
    """SHA-256 over the relative names and the bytes of the module's import closure."""
    digest = hashlib.sha256()
    for path in import_closure(module):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of those libraries that can change a result, without importing them."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def stack() -> dict:
    """What results are computed with on this machine: digest_json of it is the `stack` of every result."""
    pinned = digest_file(REQUIREMENTS) if REQUIREMENTS.is_file() else None
    return machine.describe() | {"requirements": pinned, "versions": versions()}


@cache
def stack_digest() -> str:
    return digest_json(stack())


@cache
def libraries(module: str) -> tuple[str, ...]:
    """Those of LIBRARIES that the module or what it imports from this package imports, sorted."""
    imported = set()
    for path in import_closure(module):
        names = imported_names(str(path), path.read_text(encoding="utf-8"))
        imported |= {name.split(".")[0] for name in names}
    return tuple(sorted(imported & set(LIBRARIES)))


def library_versions(module: str) -> str:
    """`name==version` of Python and of the module's libraries, so that a step reruns when one of them changes."""
    found = versions()
    wanted = ("python", *libraries(module))
    return " ".join(f"{name}=={found[name]}" for name in wanted if name in found)


def digest_input(files: str | Path | list[Path]) -> str:
    """Of a file, or of the list of the digests of several, in their order."""
    return digest_json(list(map(digest_file, files))) if isinstance(files, list) else digest_file(files)


def provenance(step: str, settings: dict, inputs: dict[str, str | Path | list[Path]], seed: int | None = None) -> dict:
    """The block that goes into each result file.

    step: the module that made it, e.g. `trex.corpus.cpt`; settings: what its config said; inputs: role -> file, or
    the files of one role.
    """
    return {
        "step": step,
        "code": code_digest(step),
        "settings": digest_json(settings),
        "inputs": {role: digest_input(files) for role, files in sorted(inputs.items())},
        "seed": seed,
        "versions": versions(),
        "stack": stack_digest(),
    }
