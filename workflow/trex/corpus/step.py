"""What the commands share that make training texts: their arguments, the leakage check, and how a table is written."""

import argparse
from pathlib import Path

import pyarrow as pa

from trex.common import cli, config, files
from trex.common.provenance import provenance
from trex.corpus import clean, tables
from trex.corpus.leakage import Guard
from trex.corpus.samples import Task

ACCEPTED = "accepted"
REPEATED = "repeated"
PATIENCE = 10  # texts that may be drawn for each that is wanted


def parser(documentation: str) -> argparse.ArgumentParser:
    """What all of them take: what may not leak, settings, seed, and the table to write."""
    made = cli.parser(documentation)
    made.add_argument("--suites", nargs="+", type=Path, required=True, help="suites that may not leak")
    made.add_argument("--benchmarks", type=cli.json_argument, default={}, help='JSON {"name": "folder"}, may not leak')
    made.add_argument("--settings", type=config.section("corpus"), required=True, help="JSON text or file")
    made.add_argument("--seed", type=int, required=True, help="seed of the run")
    made.add_argument("--out", type=Path, required=True, help="the Parquet table")
    return made


def add_instances(made: argparse.ArgumentParser) -> None:
    made.add_argument("--instances", nargs="+", type=Path, required=True, help="tables of trex.problems.generate")


def guard(arguments: argparse.Namespace) -> Guard:
    return Guard.read(arguments.suites, arguments.settings["near_duplicate_threshold"], arguments.benchmarks)


def fault(task: Task, guard: Guard) -> str | None:
    """Why a text of the task may not be trained on: it leaks from what is asked, or its answer is wrong."""
    return guard.reason(task.statement.problem, task.instance["certificate"]) or clean.fault(task)


def write(
    step: str,
    arguments: argparse.Namespace,
    rows: list[dict],
    columns: pa.Schema,
    counts: dict,
    about: dict | None = None,
) -> None:
    """The table, with its provenance, what was counted, and what else is to be said about it."""
    paths = [*getattr(arguments, "instances", []), *arguments.suites]
    origin = provenance(step, arguments.settings, {path.stem: path for path in paths}, arguments.seed)
    origin = tables.with_counts(origin, counts) | (about or {})
    files.write_parquet(arguments.out, pa.Table.from_pylist(rows, schema=columns), origin)
