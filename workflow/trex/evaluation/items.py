"""Where the items of an evaluation come from: an own suite's file, or a public benchmark in the user's folder."""

import argparse
from pathlib import Path

from trex.benchmarks import registry
from trex.benchmarks.item import Item, read_suite
from trex.common.errors import UserError
from trex.common.provenance import digest_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--suite", type=Path, help="an own suite, made by trex.corpus.suites")
    source.add_argument(
        "--benchmark", help=f"a public benchmark ({', '.join(sorted(registry.BENCHMARKS))}) or a YAML file"
    )
    parser.add_argument("--data", type=Path, help="with --benchmark: the folder that holds it")


def read(arguments: argparse.Namespace) -> tuple[list[Item], list[Path]]:
    """The items, and the files that they were read from."""
    if arguments.suite is not None:
        if arguments.data is not None:
            raise UserError("--data belongs to --benchmark; leave it out with --suite")
        return read_suite(arguments.suite), [arguments.suite]
    if arguments.data is None:
        raise UserError(f"--benchmark {arguments.benchmark} needs --data, the folder that holds it")
    name, folder = arguments.benchmark, arguments.data
    return registry.load(name, folder), registry.sources(name, folder)


def about(arguments: argparse.Namespace) -> dict:
    """The set's name, and the SHA-256 that tells this copy of it from others."""
    if arguments.suite is not None:
        return {"set": arguments.suite.stem, "sha256": digest_file(arguments.suite)}
    definition = registry.definition(arguments.benchmark)
    return {"set": definition.name, "sha256": definition.digest(arguments.data)}
