"""Solves, verifies and compares models of hostile programs, in a process that may crash, hang or run out of memory.

The process is ours and not confined: a model is data. It has an address space of limited size and an alarm clock that
ends it, also when nobody waits for it any more; then the outcome says so and the next question gets a new process.

    python -m trex.execution.judge MEMORY_MB

is that process: a JSON line {task, models, options, wall_s} on standard input, a JSON line on standard output.
"""

import contextlib
import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from trex.common import cli
from trex.problems.comparison import canonical
from trex.problems.ir import Model
from trex.problems.solve import ERROR, LIMIT, Solution, solve
from trex.problems.verify import SOLVER_ERROR, Verdict, verify

COMMAND = [sys.executable, "-P", "-m", "trex.execution.judge"]
MEMORY_MB = 4096
GRACE_S = 5.0
PATIENCE = 8
DETAIL_LENGTH = 400
OUT_OF_MEMORY = 3
ISOMORPHIC, DIFFERENT, UNDECIDED = "isomorphic", "different", "undecided"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """outcome: isomorphic, different or undecided; kind and text: the first difference, or why it is undecided."""

    outcome: str
    kind: str = ""
    text: str = ""

    @property
    def isomorphic(self) -> bool:
        return self.outcome == ISOMORPHIC


class Ended(Exception):
    """The process ended instead of answering: status LIMIT (its time was up) or ERROR."""

    def __init__(self, status: str, detail: str):
        super().__init__(detail)
        self.status = status


class Judge:
    """A context manager; one question at a time."""

    def __init__(self, memory_mb: int = MEMORY_MB):
        self.memory_mb = memory_mb
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> "Judge":
        # Some solvers read from files only, and a killed process does not remove its own.
        self.folder = tempfile.TemporaryDirectory(prefix="trex-judge-")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.kill()
            self.end()
        self.folder.cleanup()

    def solve(self, model: Model, solver: str | None = None, time_limit: float = 10.0) -> Solution:
        """`trex.problems.solve.solve`, None for its choice; "limit" or "error" also where it did not come back."""
        chosen = {} if solver is None else {"solver": solver}
        try:
            # It may ask a solver twice; the limit is processor time, this one is for what hangs.
            wall_s = PATIENCE * time_limit + GRACE_S
            return Solution(**self.ask("solve", [model], {"time_limit": time_limit} | chosen, wall_s))
        except Ended as error:
            return Solution(error.status, detail=str(error))

    def compare(self, model: Model, reference: Model, wall_s: float = 10.0) -> Comparison:
        """`trex.problems.comparison.canonical.compare`; undecided where it cannot say, or did not come back."""
        try:
            return Comparison(**self.ask("compare", [model, reference], {}, wall_s))
        except Ended as error:
            return Comparison(UNDECIDED, text=str(error))

    def verify(self, model: Model, time_limit: float = 10.0) -> Verdict:
        """`trex.problems.verify.verify`, without values; "limit" or "solver_error" also where it did not come back."""
        try:
            wall_s = 2 * PATIENCE * time_limit + GRACE_S
            return Verdict(**self.ask("verify", [model], {"time_limit": time_limit}, wall_s))
        except Ended as error:
            return Verdict(LIMIT if error.status == LIMIT else SOLVER_ERROR, detail=str(error))

    def certificate(self, model: Model, wall_s: float = 10.0) -> str | None:
        """`trex.problems.comparison.canonical.certificate`; None where there is none, or it did not come back."""
        try:
            return self.ask("certify", [model], {}, wall_s)["certificate"]
        except Ended:
            return None

    def ask(self, task: str, models: list[Model], options: dict, wall_s: float) -> dict:
        """The answer. Raises Ended, also where the task raised an exception."""
        question = {"task": task, "models": [m.to_json() for m in models], "options": options, "wall_s": wall_s}
        if self.process is None or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            raise Ended(*why(self.end(), wall_s))
        answer = json.loads(line)
        if "error" in answer:
            raise Ended(ERROR, answer["error"])
        return answer

    def start(self) -> None:
        if self.process is not None:
            self.end()
        places = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [*COMMAND, str(self.memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "TMPDIR": self.folder.name},
            start_new_session=True,
        )

    def end(self) -> int:
        """Reap a process that has ended or was killed; returns its exit code (negative: the signal)."""
        process, self.process = self.process, None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        return process.wait()


def why(exit_code: int, wall_s: float) -> tuple[str, str]:
    """(status, detail) of a process that ended without an answer."""
    if exit_code == -signal.SIGALRM:
        return LIMIT, f"no answer within {wall_s:g} s"
    if exit_code == OUT_OF_MEMORY:
        return LIMIT, "out of memory"
    return ERROR, f"ended by signal {-exit_code}" if exit_code < 0 else f"ended with exit code {exit_code}"


def solved(model: Model, **options: object) -> dict:
    return dataclasses.asdict(solve(model, **options))


def compared(model: Model, reference: Model) -> dict:
    try:
        difference = canonical.compare(model, reference)
    except canonical.NotComparable as error:
        return {"outcome": UNDECIDED, "text": str(error)}
    if difference is None:
        return {"outcome": ISOMORPHIC}
    return {"outcome": DIFFERENT, "kind": difference.kind, "text": difference.text}


def verified(model: Model, **options: object) -> dict:
    return dataclasses.asdict(verify(model, **options)) | {"values": None}


def certified(model: Model) -> dict:
    return {"certificate": canonical.certificate(model)}


TASKS: dict[str, Callable[..., dict]] = {
    "solve": solved,
    "verify": verified,
    "compare": compared,
    "certify": certified,
}


def answer(question: dict) -> dict:
    try:
        models = [Model.from_json(model) for model in question["models"]]
        return TASKS[question["task"]](*models, **question["options"])
    except MemoryError:
        raise
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:DETAIL_LENGTH]}


def serve(memory_mb: int) -> None:
    """Answer the questions on standard input until it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what solvers print is no answer
    try:
        for line in sys.stdin.buffer:
            question = json.loads(line)
            signal.setitimer(signal.ITIMER_REAL, question["wall_s"])
            text = json.dumps(answer(question))
            signal.setitimer(signal.ITIMER_REAL, 0)
            print(text, file=answers, flush=True)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("memory_mb", type=int, metavar="MEMORY_MB", help="MiB of address space")
    serve(parser.parse_args().memory_mb)


if __name__ == "__main__":
    cli.run(main)
