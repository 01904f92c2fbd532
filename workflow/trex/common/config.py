"""The configuration of a run: its files read strictly, checked as a whole, the defaults filled in.

    python -m trex.common.config --config JSON --out results/<run>/config.json

writes the resolved configuration down; of a folder given by its absolute path only the last name, since the file goes
into the archive. The Snakefile calls `resolve_or_exit` while it is read, before any job, so that every error of every
file is reported at once.

What this does not cover: a --configfile that is no YAML at all is refused by Snakemake itself (exit code 1) before it
reads the Snakefile.
"""

import argparse
import copy
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from trex.common import cli, files
from trex.common.config_errors import TYPE_NAMES, Places, check, dotted, kind_of, of_any_name
from trex.common.provenance import PACKAGE, provenance

SCHEMA = PACKAGE.parent / "schemas/config.schema.json"


def read(path: Path) -> tuple[Places, list[str]]:
    """(where each key of a YAML file stands, errors: unreadable, not YAML, not a section, keys given twice)."""
    name = display(path)
    try:
        text = path.read_text(encoding="utf-8")
        content, root = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        return {}, [f"{name}: cannot be read ({error}); check the path and the file"]
    except (yaml.YAMLError, RecursionError) as error:
        return {}, [f"{name}: not valid YAML: {' '.join(str(error).split())}"]
    if not isinstance(content, dict):
        return {}, [f"{name}: holds {kind_of(content)}; allowed: {TYPE_NAMES['object']}"]
    places, errors = {}, []
    for key, line, written in keys(root):
        if key in places:
            errors.append(f"{dotted(key)} ({name}, line {line}): given twice ({places[key][0]}); remove one")
        places[key] = (f"{name}, line {line}", written)
    return places, errors


def keys(node: yaml.Node, path: tuple = ()) -> Iterator[tuple[tuple, int, str]]:
    """(key path, line, value as written) of every key and list item below a YAML node, in the file's order."""
    children = []
    if isinstance(node, yaml.MappingNode):
        children = [(key.value, key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        children = [(str(index), value, value) for index, value in enumerate(node.value)]
    for name, key, value in children:
        yield (*path, name), key.start_mark.line + 1, value.value if isinstance(value, yaml.ScalarNode) else ""
        yield from keys(value, (*path, name))


def option_places(options: Mapping, path: tuple = ()) -> Places:
    """Places of the values given by --config."""
    places = {}
    for key, value in options.items():
        places[*path, key] = ("--config", str(value))
        if isinstance(value, Mapping):
            places |= option_places(value, (*path, key))
    return places


def display(path: Path) -> str:
    """Relative where the path lies below the working directory, as the user would write it."""
    path = path.absolute()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def fill_defaults(config: dict, schema: dict) -> dict:
    """The config with the schema's default at every key that it leaves out."""
    filled = dict(config)
    for key, inner in schema.get("properties", {}).items():
        if key not in filled and "default" in inner:
            filled[key] = copy.deepcopy(inner["default"])
    for key, value in filled.items():
        if isinstance(value, dict):
            filled[key] = fill_defaults(value, schema.get("properties", {}).get(key, of_any_name(schema)))
    return filled


def resolve_or_exit(config: dict, sources: Iterable[str | Path], options: Mapping, schema_path: str | Path) -> dict:
    """The config with its defaults. Prints all its errors and leaves with exit code 2 if there are any.

    config: what the sources (files, later over earlier) and the options (of --config) came to together.
    """
    schema = json.loads(Path(schema_path).read_text(encoding="utf-8"))
    places, errors = {}, []
    for source in sources:
        found, wrong = read(Path(source))
        places |= found
        errors += wrong
    errors += check(config, schema, places | option_places(options))
    exit_if(errors)
    return fill_defaults(config, schema)


def section(name: str) -> Callable[[str], cli.Settings]:
    """The type of a --settings argument: a section of the configuration, or some of its keys, checked by the schema.

    Given as JSON text or file; also a run's whole config.json, of which it takes its section.
    """

    def settings(text: str) -> cli.Settings:
        value = cli.json_argument(text)
        whole = value.get("config", value)
        value = whole[name] if isinstance(whole.get(name), dict) and "run" in whole else value
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"][name]
        if errors := check(value, schema, {}):
            raise argparse.ArgumentTypeError("; ".join(f"{name}.{error}" for error in errors))
        return value

    return settings


def exit_if(errors: list[str]) -> None:
    if errors:
        print(f"config: {len(errors)} error{'s' if len(errors) > 1 else ''}, nothing was run", file=sys.stderr)
        for error in errors:
            print(f"  {error}", file=sys.stderr)
        print("  config/README.md explains every key", file=sys.stderr, flush=True)
        sys.exit(2)


def portable(value: object) -> object:
    """The value with every absolute path in it cut to its last name."""
    if isinstance(value, dict):
        return {key: portable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [portable(inner) for inner in value]
    return Path(value).name if isinstance(value, str) and Path(value).is_absolute() else value


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--config", type=cli.json_argument, required=True, help="the resolved configuration")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    config = portable(arguments.config)
    files.write_json(arguments.out, {"config": config}, provenance("trex.common.config", config, {}, config["seed"]))
    print(f"config: run {config['run']}, seed {config['seed']}, written to {arguments.out}")


if __name__ == "__main__":
    cli.run(main)
