"""Runs code that nobody trusts and hands back the optimization model that it built.

A worker process, inside an isolation level, has the solver library loaded and forks a process per program (see
`launch`, `worker`, `program`); the trusted side is here. Levels, strongest first:

    bubblewrap   namespaces set up by bwrap: own process, mount, network, IPC and host-name namespaces, a read-only
                 view of the system's libraries, this Python and this package, a scratch folder in memory a program
    namespaces   the same by our own system calls, where bwrap is missing
    limits       neither: resource limits, a scratch folder on disk and, for root, the user nobody or, where nobody
                 cannot read this Python, root without its privileges

At every level: limits on CPU and wall-clock time, address space, files and processes; output goes nowhere, or into a
file of limited size that the trusted side reads; and two filters of the kernel's, where it has them. On x86-64 and
arm64, seccomp allows threads but no processes, no sockets and nothing done to other processes. At `limits`, Landlock
keeps a program's reading and writing to what it sees at the other levels. `limits` without both is no boundary against
a hostile program. Linux 5.12 or later.

    python -m trex.execution.sandbox [--out isolation.json]

says what isolation this machine gives.
"""

import contextlib
import dataclasses
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.execution import leftovers
from trex.problems.ir import Model

# The worker's side is started as files: its modules belong to this one's code all the same.
DISCOVERS = "trex.execution"
LEVELS = ("bubblewrap", "namespaces", "limits")
STATUSES = ("ok", "syntax", "runtime", "timeout", "memory", "no_model", "unsupported", "protocol")
CLAIM = ("status", "detail", "model", "dialect")
SCRATCH = "/scratch"
START_S = 60.0
GRACE_S = 2.0
RESULT_BYTES = 4 << 20
PRINTED_BYTES = 64 << 10
DETAIL_LENGTH = 400
DIALECT = re.compile(r"[a-z_.]{0,20}")  # no more than this may a program write into results
LARGEST = 1_000_000
LIMITS = {"memory_mb": (255, LARGEST), "workers": (0, 256)}  # the libraries alone take 220 MiB
WHOLE = ("cpu_s", "memory_mb", "file_mb", "processes", "workers")
PROBE_LIMITS = {"cpu_s": 5, "wall_s": 5.0, "memory_mb": 1024, "file_mb": 16, "processes": 64}
PROBE_CODE = "from ortools.math_opt.python import mathopt\nmodel = mathopt.Model(name='probe')\n"
# Threads of numeric libraries would each count as a process; hashes of texts must not differ between runs.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # What was printed is in the file also when a program ends without flushing.
    "PYTHONUNBUFFERED": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Execution:
    """What became of a program.

    status: one of STATUSES; model: what it built (with `ok` only); detail: an error's text; dialect: the library that
    it was built with; printed: the end of its output, where that was asked for.
    """

    status: str
    model: Model | None
    detail: str
    dialect: str = ""
    printed: str = ""


class Unavailable(Exception):
    """An isolation level that does not work here; the text says why."""


class WorkerGone(Exception):
    """The worker did not take the program."""


class Sandbox:
    """A context manager; one program at a time.

    Settings: cpu_s, wall_s, memory_mb, file_mb, processes, and require_isolation: the level below which nothing is
    run, or null. memory_mb bounds each process's address space, that of the libraries included. Raises UserError for
    settings that are none, and when no level of `levels` that is strong enough works here.
    """

    def __init__(self, settings: dict, levels: Sequence[str] = LEVELS):
        check(settings)
        self.limits = {key: settings[key] for key in ("cpu_s", "memory_mb", "file_mb", "processes")}
        self.wall_s = float(settings["wall_s"])
        self.required = settings.get("require_isolation")
        self.levels = [level for level in levels if self.required is None or strong_enough(level, self.required)]
        self.refused: dict[str, str] = {}
        self.worker: Worker | None = None
        self.isolation = ""
        self.filters: dict[str, bool | None] = {}

    def __enter__(self) -> "Sandbox":
        for level in self.levels:
            try:
                self.start(level)
                return self
            except Unavailable as error:
                self.refused[level] = str(error)
        reasons = "; ".join(f"{level}: {reason}" for level, reason in self.refused.items()) or "no level is left"
        needed = "Linux 5.12 or later, and bubblewrap or user namespaces for more than limits"
        if self.required is not None:
            raise UserError(
                f"require_isolation asks for {self.required}, which this machine does not give ({reasons}). "
                f"It needs {needed}; or allow a lower level by require_isolation"
            )
        raise UserError(f"no sandbox can be started here ({reasons}). It needs {needed}")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, level: str) -> None:
        """Start a worker at this level and see that it runs a program. Raises Unavailable."""
        self.worker = Worker(level)
        probed = self.worker.execute(PROBE_CODE, {}, self.limits, START_S, output=False)
        if probed.status != "ok":
            self.stop()
            raise Unavailable(f"an empty model gives {probed.status} {probed.detail}".strip())
        self.isolation, self.filters = level, self.worker.filters

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def run(self, code: str, files: dict[str, str], output: bool = False) -> Execution:
        """Run one program with these files in its current folder, or in folders of it (`data/costs.csv`).

        output: keep what it prints.
        """
        for name in files:
            if not {"", ".", ".."}.isdisjoint(name.split("/")):
                raise ValueError(f"a program's file needs a plain name, not {name!r}")
        if self.worker is None or not self.worker.alive:
            self.restart()
        try:
            return self.worker.execute(code, files, self.limits, self.wall_s, output)
        except WorkerGone:
            self.restart()
            return self.worker.execute(code, files, self.limits, self.wall_s, output)

    def restart(self) -> None:
        """A new worker at the same level, never a lower one."""
        self.stop()
        try:
            self.start(self.isolation)
        except Unavailable as error:
            raise UserError(f"the sandbox ({self.isolation}) worked and now does not start: {error}") from error


class Worker:
    """The trusted end of one worker process."""

    def __init__(self, level: str):
        self.own_folder = tempfile.mkdtemp(prefix="trex-sandbox-") if level == "limits" else None
        scratch = self.own_folder or SCRATCH
        self.control, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (read when the worker fails, closed with it)
        launcher = str(Path(__file__).with_name("launch.py"))
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-s", "-P", launcher, level, str(theirs.fileno()), scratch],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.errors,
                env=ENVIRONMENT | {"HOME": scratch, "PATH": os.environ.get("PATH", os.defpath)},
                cwd="/",
                start_new_session=True,
            )
        self.alive = True
        self.filters = self.ready()

    def ready(self) -> dict:
        """The worker's first line. Raises Unavailable with the last line that it complained with."""
        readable = select.select([self.control], [], [], START_S)[0]
        line = self.control.recv(4096) if readable else b""
        if line:
            return json.loads(line)
        self.close(keep_errors=True)
        self.errors.seek(0)
        complaint = self.errors.read().decode(errors="replace").strip().splitlines()
        self.errors.close()
        raise Unavailable(complaint[-1] if complaint else "no answer from the worker")

    def close(self, keep_errors: bool = False) -> None:
        """End it: the end of its control socket, then, if that is not enough, a signal to its whole group."""
        if not self.alive:
            return
        self.alive = False
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.own_folder is not None:
            with contextlib.suppress(FileNotFoundError):
                leftovers.remove(self.own_folder)
                os.rmdir(self.own_folder)
        if not keep_errors:
            self.errors.close()

    def execute(self, code: str, files: dict[str, str], limits: dict, wall_s: float, output: bool) -> Execution:
        """Hand over one program, wait for its result and its end. Raises WorkerGone before the program was taken.

        A worker that does not answer afterwards is closed, with all that runs in it.
        """
        with tempfile.TemporaryFile() if output else contextlib.nullcontext() as printed:
            given = [printed.fileno()] if output else []
            with open(self.hand_over(code, files, limits, wall_s, given), "rb", buffering=0) as reader:
                execution = self.outcome(reader.fileno(), limits, wall_s)
            return dataclasses.replace(execution, printed=end_of(printed)) if output else execution

    def hand_over(self, code: str, files: dict[str, str], limits: dict, wall_s: float, output: list[int]) -> int:
        """Send the program and what it may print to; returns the reading end of its result pipe."""
        reader, writer = os.pipe()
        try:
            with tempfile.TemporaryFile() as request:
                request.write(json.dumps({"code": code, "files": files, "limits": limits}).encode())
                request.seek(0)
                message = struct.pack("II", round(wall_s * 1000), limits["file_mb"])
                socket.send_fds(self.control, [message], [request.fileno(), writer, *output])
        except OSError as error:
            os.close(reader)
            self.close()
            raise WorkerGone from error
        finally:
            os.close(writer)
        return reader

    def outcome(self, reader: int, limits: dict, wall_s: float) -> Execution:
        try:
            result, ending = self.collect(reader, time.monotonic() + wall_s + GRACE_S)
        except (TimeoutError, ConnectionError) as error:
            self.close()
            status = "timeout" if isinstance(error, TimeoutError) else "protocol"
            return Execution(status, None, "the worker ended or did not answer in time")
        return judged(result, ending, limits)

    def collect(self, reader: int, deadline: float) -> tuple[bytes, dict]:
        """(what came over the result pipe, how the process ended); reading stops over RESULT_BYTES.

        Raises TimeoutError when the worker says nothing before the deadline, ConnectionError when it is gone.
        """
        os.set_blocking(reader, False)
        result = bytearray()
        sources = [reader, self.control]
        while True:
            readable = select.select(sources, [], [], max(deadline - time.monotonic(), 0))[0]
            if not readable:
                raise TimeoutError
            if reader in readable and not drain(reader, result):
                sources.remove(reader)
            if self.control in readable:
                line = self.control.recv(4096)
                if not line:
                    raise ConnectionError
                drain(reader, result)
                return bytes(result), json.loads(line)


def check(settings: dict) -> None:
    """Raises UserError naming a limit that is no positive number, an unknown key, or a level that does not exist."""
    if not isinstance(settings, dict):
        raise UserError(f"sandbox: expected its settings, a JSON object, not {settings!r}")
    if unknown := set(settings) - {*WHOLE, "wall_s", "require_isolation"}:
        raise UserError(f"sandbox: no setting is called {', '.join(sorted(unknown))}")
    for key in (*WHOLE, "wall_s"):
        value = settings.get(key, 1 if key == "workers" else None)
        kinds, form = ((int,), "whole number") if key in WHOLE else ((int, float), "number")
        least, most = LIMITS.get(key, (0, LARGEST))
        if type(value) not in kinds or not least < value <= most:
            raise UserError(f"sandbox: {key} must be a {form} above {least} and at most {most}, not {value!r}")
    required = settings.get("require_isolation")
    if required is not None and required not in LEVELS:
        raise UserError(f"sandbox: require_isolation must be null or one of {', '.join(LEVELS)}, not {required!r}")


def strong_enough(level: str, required: str) -> bool:
    return LEVELS.index(level) <= LEVELS.index(required)


def end_of(stream: BinaryIO) -> str:
    """The last PRINTED_BYTES of a file that a program wrote, as text."""
    size = os.fstat(stream.fileno()).st_size
    start = max(size - PRINTED_BYTES, 0)
    return os.pread(stream.fileno(), PRINTED_BYTES, start).decode(errors="replace")


def drain(reader: int, result: bytearray) -> bool:
    """Append what can be read now; False at its end or when there is too much of it."""
    while len(result) <= RESULT_BYTES:
        try:
            piece = os.read(reader, 1 << 16)
        except BlockingIOError:
            return True
        if not piece:
            return False
        result += piece
    return False


def judged(result: bytes, ending: dict, limits: dict) -> Execution:
    """The execution from how the process ended and, where it ended well, from what it claimed."""
    if ending["stopped"] == "time":
        return Execution("timeout", None, "wall-clock limit")
    if ending["stopped"] == "files":
        return Execution("runtime", None, "wrote more than it may")
    code = ending["exit_code"]
    if code == 0:
        return parsed(result)
    if code == -signal.SIGKILL:
        # The kernel counts a limit in ticks and the time used more finely: the two differ on a busy machine.
        if ending["cpu_s"] >= limits["cpu_s"] / 2:
            return Execution("timeout", None, "CPU limit")
        return Execution("memory", None, "killed by the system")
    return Execution("runtime", None, f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}")


def parsed(result: bytes) -> Execution:
    """The claim of a program, read as hostile: anything unexpected is `protocol`."""
    if not result.endswith(b"\n"):
        return Execution("protocol", None, "ended without a whole result" if result else "ended without a result")
    try:
        claim = json.loads(result.decode("utf-8"))
        status, detail, model, dialect = (claim[key] for key in CLAIM)
        texts = isinstance(detail, str) and isinstance(dialect, str) and DIALECT.fullmatch(dialect)
        if status not in STATUSES or not texts or set(claim) != set(CLAIM):
            raise ValueError("unknown form")
        built = Model.from_json(model) if status == "ok" else None
        return Execution(status, built, printable(detail), dialect)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Execution("protocol", None, printable(f"the result cannot be read: {error}"))


def printable(text: str) -> str:
    """One line of at most DETAIL_LENGTH characters that every file and terminal takes."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:DETAIL_LENGTH])


def probe(levels: Sequence[str] = LEVELS) -> dict:
    """What isolation this machine gives: `level`, the filters `seccomp` and `landlock`, why levels were `refused`.

    landlock is null where programs have a file system of their own. Raises UserError where there is no level.
    """
    with Sandbox(PROBE_LIMITS, levels) as sandbox:
        return {"level": sandbox.isolation, **sandbox.filters, "refused": sandbox.refused}


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--out", type=Path, help="isolation.json to write")
    arguments = parser.parse_args()
    found = probe()
    for level, reason in found["refused"].items():
        print(f"{level}: {reason}")
    print(f"isolation: {found['level']}, system call filter: {'yes' if found['seccomp'] else 'no'}")
    if arguments.out is not None:
        # No folder of this machine may get into the archive.
        found["refused"] = {level: reason.replace(os.getcwd(), ".") for level, reason in found["refused"].items()}
        files.write_json(arguments.out, found, provenance("trex.execution.sandbox", {}, {}))


if __name__ == "__main__":
    cli.run(main)
