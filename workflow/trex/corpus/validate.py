"""Run the gates of the data engine on somebody else's fine-tuning file.

    python -m trex.corpus.validate FILE [--out DIR] [--against SUITE_OR_FILE ...] [--workers N]

FILE is JSONL of messages rows or problem/answer rows (trex.corpus.foreign). The code of each answer is run in the
sandbox, in any of the libraries that scoring knows (gurobipy without a licence), and the model that it builds is solved
by two solvers. A line is printed for each row that fails, with all the gates that it fails, and for each line that is
no row; then a table: of each gate, how many rows it applied to and how many it rejected or warned of. What the gates
ask, and what they do not show, stands at their functions (trex.corpus.gates) and in docs/validating.md.

Of the file itself these are gates too: `exact_duplicate` and `near_duplicate` (of an earlier row, trex.corpus.
duplicates), `same_model` (a warning: another text, the same model up to names); and with --against `leakage`: a row
whose problem, or nearly, or whose model is an item's (trex.corpus.leakage). --against takes suites (.parquet), other
fine-tuning files (.jsonl) and public benchmarks (NAME=FOLDER, as in `nl4opt=../benchmarks/NL4OPT`).

DIR gets rows.csv (a row for each line of FILE) and summary.json. Results are the same for any number of workers.
"""

import argparse
import collections
import contextlib
import dataclasses
import functools
import queue
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from trex.benchmarks import registry
from trex.benchmarks.item import Item, read_suite
from trex.common import cli, files, parallel
from trex.common.errors import UserError
from trex.common.provenance import digest_file, provenance
from trex.corpus import duplicates, foreign, gates
from trex.corpus.foreign import FORMS, Malformed, Row
from trex.corpus.gates import FAILURE, WARNING, Evidence, Finding
from trex.corpus.leakage import Guard
from trex.execution import sandbox
from trex.execution.judge import Judge
from trex.execution.sandbox import Sandbox
from trex.problems import verify

STEP = "trex.corpus.validate"
AHEAD = 4  # rows that wait for each worker
SANDBOX = {"cpu_s": 5, "wall_s": 20.0, "memory_mb": 1024, "file_mb": 16, "processes": 64}
PASSED, FAILED, MALFORMED = "passed", "failed", "malformed"
SEVERITIES = {
    **{gate.name: gate.severity for gate in (*gates.TEXT_GATES, *gates.EXECUTION_GATES)},
    "exact_duplicate": FAILURE,
    "near_duplicate": FAILURE,
    "same_model": WARNING,
    "leakage": FAILURE,
}


@dataclasses.dataclass
class Checked:
    """A row with what was found; applied: the gates that could say something."""

    evidence: Evidence
    applied: list[str]
    findings: list[Finding]
    certificate: str | None
    text: duplicates.Text

    def add(self, gate: str, fault: str) -> None:
        """A gate that applied, and what is wrong ('' where nothing is)."""
        self.applied.append(gate)
        if fault:
            self.findings.append(Finding(gate, SEVERITIES[gate], fault))

    @property
    def faults(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == FAILURE]


class Checker(contextlib.ExitStack):
    """A context manager with a sandbox and a judge of its own, started when they are needed; one row at a time."""

    def __init__(self, settings: dict):
        super().__init__()
        self.settings = settings

    @functools.cached_property
    def sandbox(self) -> Sandbox:
        return self.enter_context(Sandbox(self.settings["sandbox"]))

    @functools.cached_property
    def judge(self) -> Judge:
        return self.enter_context(Judge())

    def check(self, row: Row) -> Checked:
        evidence = self.evidence(row)
        applied, findings = gates.checked(evidence, (*gates.TEXT_GATES, *gates.EXECUTION_GATES))
        certificate = None if evidence.model is None else self.judge.certificate(evidence.model)
        return Checked(evidence, applied, findings, certificate, duplicates.text(row.prompt))

    def evidence(self, row: Row) -> Evidence:
        code, solve_s = gates.code_of(row.answer), self.settings["solve_s"]
        if not code:
            return Evidence(row)
        execution = self.sandbox.run(code, row.files)
        if execution.model is None:
            return Evidence(row, code, execution)
        verdict, solution = self.judge.verify(execution.model, solve_s), None
        if verdict.reason in (*gates.UNDECIDED, verify.SOLVERS_DISAGREE):
            solution = self.judge.solve(execution.model, None, solve_s)
        return Evidence(row, code, execution, verdict, solution)


def check_all(path: Path, settings: dict, workers: int) -> Iterator[Checked | Malformed]:
    """In the file's order, by `workers` checkers at a time."""
    with contextlib.ExitStack() as stack:
        free: queue.SimpleQueue[Checker] = queue.SimpleQueue()
        for _ in range(workers):
            free.put(stack.enter_context(Checker(settings)))

        def checked(row: Row | Malformed) -> Checked | Malformed:
            if isinstance(row, Malformed):
                return row
            checker = free.get()
            try:
                return checker.check(row)
            finally:
                free.put(checker)

        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)
        yield from parallel.in_order(functools.partial(pool.submit, checked), foreign.read(path), AHEAD * workers)


class Rest:
    """The gates that need more than the row: earlier rows of the file, and what it is held against."""

    def __init__(self, guards: dict[str, Guard], similarity: float):
        self.index = duplicates.Index(similarity)
        self.guards = guards

    def check(self, row: Checked) -> None:
        name = f"line {row.evidence.row.line}"
        earlier = self.index.same_text(row.text)
        row.add("exact_duplicate", f"the problem of {earlier}" if earlier else "")
        if earlier is None:
            nearest = self.index.nearest(row.text)
            row.add("near_duplicate", f"{nearest[1]:.2f} like {nearest[0]}" if nearest else "")
            self.index.add(name, row.text)
        if row.certificate is not None:
            same = self.index.same_model(row.certificate)
            row.add("same_model", f"the model of {same}" if same else "")
            self.index.add_model(name, row.certificate)
        if self.guards:
            reasons = {
                source: guard.reason(row.evidence.row.prompt, row.certificate) for source, guard in self.guards.items()
            }
            row.add("leakage", "; ".join(f"{reason} of {source}" for source, reason in reasons.items() if reason))


class Tally:
    """What the rows come to."""

    def __init__(self) -> None:
        self.malformed: list[Malformed] = []
        self.rows: list[dict] = []
        self.checked: collections.Counter[str] = collections.Counter()
        self.found: collections.Counter[str] = collections.Counter()

    def add(self, row: Checked | Malformed) -> None:
        if isinstance(row, Malformed):
            self.malformed.append(row)
            self.rows.append({"line": row.line, "verdict": MALFORMED, "detail": row.reason})
            return
        self.checked.update(row.applied)
        self.found.update(finding.gate for finding in row.findings)
        self.rows.append(table_row(row))

    def count(self, verdict: str) -> int:
        return sum(row["verdict"] == verdict for row in self.rows)

    def by_gate(self) -> list[dict]:
        return [
            {
                "gate": gate,
                "severity": severity,
                "checked": self.checked[gate],
                "failed": self.found[gate] if severity == FAILURE else 0,
                "warned": self.found[gate] if severity == WARNING else 0,
            }
            for gate, severity in SEVERITIES.items()
        ]

    def summary(self) -> dict:
        return {
            "lines": len(self.rows),
            **{verdict: self.count(verdict) for verdict in (PASSED, FAILED, MALFORMED)},
            "gates": self.by_gate(),
            "malformed_lines": [dataclasses.asdict(line) for line in self.malformed],
        }


COLUMNS = (
    *("line", "id", "verdict", "failures", "warnings", "detail", "mode", "answer_style", "difficulty"),
    *("dialect", "execution", "objective_value"),
)


def table_row(checked: Checked) -> dict:
    row, execution = checked.evidence.row, checked.evidence.execution

    def names(severity: str) -> str:
        return " ".join(finding.gate for finding in checked.findings if finding.severity == severity)

    return {
        "line": row.line,
        "id": sandbox.printable(row.identity),
        "verdict": FAILED if checked.faults else PASSED,
        "failures": names(FAILURE),
        "warnings": names(WARNING),
        "detail": said(checked.findings),
        "mode": sandbox.printable(row.mode),
        "answer_style": sandbox.printable(row.style),
        "difficulty": sandbox.printable(row.difficulty),
        "dialect": None if execution is None else execution.dialect,
        "execution": None if execution is None else execution.status,
        "objective_value": checked.evidence.optimum,
    }


def said(findings: list[Finding]) -> str:
    return "; ".join(f"{finding.gate}: {sandbox.printable(finding.text)}" for finding in findings)


def line_of(row: Checked | Malformed, with_warnings: bool) -> str:
    """What is printed of a row, '' where nothing is wrong with it."""
    if isinstance(row, Malformed):
        return f"line {row.line}: {MALFORMED}: {sandbox.printable(row.reason)}"
    told = row.findings if with_warnings else row.faults
    name = f" ({sandbox.printable(row.evidence.row.identity)})" if row.evidence.row.identity else ""
    return f"line {row.evidence.row.line}{name}: {said(told)}" if told else ""


def table(by_gate: list[dict]) -> list[str]:
    lines = [f"{'gate':<20} {'checked':>8} {'failed':>8} {'warned':>8}"]
    for gate in by_gate:
        other = "failed" if gate["severity"] == WARNING else "warned"
        cells = gate | {other: ""}
        lines.append(f"{gate['gate']:<20} {gate['checked']:>8} {cells['failed']:>8} {cells['warned']:>8}")
    return lines


def benchmark(source: str) -> tuple[str, str] | None:
    """(name, folder) of NAME=FOLDER, None for a file."""
    name, equals, folder = source.partition("=")
    return (name, folder) if equals and not Path(source).exists() else None


def files_of(source: str) -> list[Path]:
    named = benchmark(source)
    return registry.sources(*named) if named else [Path(source)]


def guard(source: str, similarity: float) -> Guard:
    """Of a suite, a fine-tuning file or a public benchmark."""
    if named := benchmark(source):
        return Guard(registry.load(*named), similarity)
    if Path(source).suffix == ".parquet":
        return Guard(read_suite(source), similarity)
    items = [item_of(row, source) for row in foreign.read(source) if isinstance(row, Row)]
    if not items:
        raise UserError(f"--against {source}: holds no row; {FORMS}, or name a suite (.parquet) or NAME=FOLDER")
    return Guard(items, similarity)


def item_of(row: Row, source: str) -> Item:
    """For its text alone; the empty last line stands for the instruction that a suite's prompts end in."""
    return Item(
        item_id=f"line {row.line}",
        suite=source,
        category="",
        mode=row.mode,
        family="",
        bucket="",
        difficulty=row.difficulty,
        prompt=f"{row.prompt}\n",
        data_file=None,
        criterion="objective",
        objective_value=None,
        model=None,
        answer=row.answer,
    )


def share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return value


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 3600 seconds")
    return value


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="JSONL of messages rows or problem/answer rows")
    parser.add_argument("--out", type=Path, help="folder for rows.csv and summary.json; without it, only print")
    parser.add_argument("--against", nargs="+", default=[], help="suites, files or NAME=FOLDER that no row may repeat")
    parser.add_argument("--similarity", type=share, default=0.9, help="of near-duplicates, Jaccard (default 0.9)")
    parser.add_argument("--workers", type=cli.positive, default=2, help="rows at a time (default 2)")
    parser.add_argument("--solve-s", type=seconds, default=10.0, help="seconds for a solver and model (default 10)")
    parser.add_argument("--cpu-s", type=int, default=SANDBOX["cpu_s"], help="of a program (default %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=SANDBOX["memory_mb"], help="of a program (default 1024)")
    parser.add_argument("--require-isolation", choices=sandbox.LEVELS, help="run nothing below this isolation level")
    parser.add_argument("--warnings", action="store_true", help="print a line for rows with warnings too")
    parser.add_argument("--strict", action="store_true", help="exit code 1 where a row fails or a line is no row")
    arguments = parser.parse_args()
    asked = ("cpu_s", "memory_mb", "require_isolation")
    limits = SANDBOX | {name: getattr(arguments, name) for name in asked} | {"workers": arguments.workers}
    sandbox.check(limits)
    settings = {"solve_s": arguments.solve_s, "similarity": arguments.similarity, "sandbox": limits}
    places = [] if arguments.out is None else [arguments.out / name for name in ("rows.csv", "summary.json")]
    for place in places:
        files.check_place(place)
    tally = validate(arguments, settings)
    for line in table(tally.by_gate()):
        print(line)
    if places:
        write(places, tally, arguments, settings)
    counts = ", ".join(f"{tally.count(verdict)} {verdict}" for verdict in (PASSED, FAILED, MALFORMED))
    print(f"{arguments.file}: {len(tally.rows)} lines: {counts}")
    if arguments.strict and tally.count(PASSED) < len(tally.rows):
        sys.exit(1)


def validate(arguments: argparse.Namespace, settings: dict) -> Tally:
    """Check and print row by row. Raises UserError where the file has no row at all."""
    guards = {source: guard(source, arguments.similarity) for source in arguments.against}
    rest, tally = Rest(guards, arguments.similarity), Tally()
    with contextlib.closing(check_all(arguments.file, settings, arguments.workers)) as found:
        for row in cli.track(found, "validating"):
            if isinstance(row, Checked):
                rest.check(row)
            tally.add(row)
            if line := line_of(row, arguments.warnings):
                print(line)
    if not tally.rows:
        raise UserError(f"{arguments.file}: is empty; {FORMS}, one a line")
    if tally.count(MALFORMED) == len(tally.rows):
        first = tally.malformed[0]
        raise UserError(f"{arguments.file}: none of its lines is a row (line {first.line}: {first.reason}); {FORMS}")
    return tally


def write(places: list[Path], tally: Tally, arguments: argparse.Namespace, settings: dict) -> None:
    inputs = {"file": arguments.file}
    for number, source in enumerate(arguments.against):
        inputs[f"against_{number}"] = files_of(source)
    origin = provenance(STEP, settings, inputs)
    rows, summary = places
    files.write_csv(rows, pd.DataFrame(tally.rows, columns=COLUMNS), origin)
    about = {"file": arguments.file.name, "sha256": digest_file(arguments.file), "settings": settings}
    about["against"] = [Path(source).name for source in arguments.against]
    files.write_json(summary, about | tally.summary(), origin)


if __name__ == "__main__":
    cli.run(main)
