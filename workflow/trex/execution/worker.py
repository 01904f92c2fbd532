"""The sandbox's worker: loads the solver library once, inside the isolation, then forks a process per program.

    python -s -P worker.py LEVEL CONTROL UID SCRATCH

Run by `launch.py`. Each request is the limits on the clock (milliseconds) and on files (MiB), sent on the control
socket with descriptors: a file with the program and all limits as JSON, the pipe for its result and, where its output
is wanted, a file for that. The worker reads none of them. It answers with one line of JSON that says how the process
ended; it kills the process when its time is up. Where there are namespaces, every program is the first process of a
PID namespace of its own and has a scratch file system of its own, so that whatever it started or wrote is gone with
it. At `limits` the worker looks after one scratch folder, and empties it; the kernel's Landlock, where it is on, keeps
programs to it. The end of the control socket ends the worker.
"""

import contextlib
import gc
import json
import math
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from trex.execution import dialects, examples, kernel, landlock, launch, leftovers, program, seccomp

SPARE_PROCESSES = 4
OPEN_FILES = 64
FILES = 1024
WATCH_S = 0.1
REQUEST = struct.Struct("II")


class Worker:
    def __init__(self, level: str, control: socket.socket, uid: int, scratch: str):
        self.control = control
        self.uid = uid
        self.scratch = scratch
        self.isolated = level != "limits"
        self.filtered = seccomp.works()
        self.rules: int | None = None
        if self.isolated:
            self.own_namespace = os.pidfd_open(os.getpid())
            return
        if landlock.version():
            self.rules = landlock.ruleset(launch.visible_paths(), scratch)
        if uid != launch.SAME_UID and not can_read_libraries(uid):
            if not self.filtered or self.rules is None:
                sys.exit(f"programs would be user {uid}, who cannot read {sys.prefix}, and root is too strong")
            self.uid = launch.SAME_UID
        if self.uid != launch.SAME_UID:
            os.chown(scratch, uid, uid)

    def serve(self) -> None:
        program.prepare()
        warm_up()
        gc.collect()
        gc.freeze()
        self.say({"seccomp": self.filtered, "landlock": None if self.isolated else self.rules is not None})
        while True:
            message, descriptors, _, _ = socket.recv_fds(self.control, REQUEST.size, 3)
            if len(message) < REQUEST.size:
                break
            wall_ms, file_mb = REQUEST.unpack(message)
            self.say(self.run(wall_ms / 1000, file_mb, *descriptors))
        if not self.isolated:
            os.rmdir(self.scratch)  # also where whoever made it was killed

    def say(self, answer: dict) -> None:
        self.control.sendall(json.dumps(answer).encode() + b"\n")

    def run(self, wall_s: float, file_mb: int, request: int, result: int, *output: int) -> dict:
        """How the program ended: exit code (negative: the signal), CPU seconds, why it was stopped if it was."""
        if self.isolated:
            kernel.unshare(kernel.CLONE_NEWPID)
        child = os.fork()
        if child == 0:
            self.become_program(request, result, *output)
        if self.isolated:
            kernel.setns(self.own_namespace, kernel.CLONE_NEWPID)
        for descriptor in (request, result, *output):
            os.close(descriptor)
        ended = os.pidfd_open(child)
        stopped = self.watch(ended, wall_s, file_mb << 20)
        os.kill(child, signal.SIGKILL)
        if not self.isolated:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        _, status, usage = os.wait4(child, 0)
        os.close(ended)
        if not self.isolated:
            if not stopped and leftovers.exceed(self.scratch, file_mb << 20, FILES):
                stopped = "files"
            leftovers.remove(self.scratch)
        return {
            "exit_code": os.waitstatus_to_exitcode(status),
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "stopped": stopped,
        }

    def watch(self, ended: int, wall_s: float, size: int) -> str:
        """Wait for the end; returns what must stop the program, "" where it ended or nobody waits for it."""
        deadline = time.monotonic() + wall_s
        pause = math.inf if self.isolated else WATCH_S
        while not select.select([ended, self.control], [], [], max(min(pause, deadline - time.monotonic()), 0))[0]:
            if time.monotonic() >= deadline:
                return "time"
            if leftovers.exceed(self.scratch, size, FILES):
                return "files"
        return ""

    def become_program(self, request: int, result: int, output: int = 0) -> None:
        """In the child: confine it, run the program, never return."""
        try:
            with open(request, encoding="utf-8") as stream:
                work = json.load(stream)
            self.confine(work["limits"], result, output)
        except BaseException as error:
            failed = program.report("protocol", f"not confined, not run: {error}")
            program.send(result, json.dumps(failed).encode() + b"\n")
            os._exit(0)
        program.run(work["code"], work["files"], result)

    def confine(self, limits: dict, result: int, output: int) -> None:
        os.setsid()
        if self.isolated:
            kernel.unshare(kernel.CLONE_NEWNS)
            self.mount_scratch(limits["file_mb"])
        os.chdir(self.scratch)
        # Standard input is the null device; errors, and output that nobody wants, go there too.
        os.dup2(output, 1)
        os.dup2(0, 2)
        if self.rules is not None:
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            landlock.confine(self.rules)
        os.closerange(3, result)
        os.closerange(result + 1, 1 << 16)
        self.set_limits(limits)
        if self.uid != launch.SAME_UID:
            become(self.uid)
        kernel.drop_privileges()
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if self.filtered:
            seccomp.confine()

    def set_limits(self, limits: dict) -> None:
        megabyte = 1 << 20
        values = {
            resource.RLIMIT_CPU: limits["cpu_s"],
            resource.RLIMIT_AS: limits["memory_mb"] * megabyte,
            resource.RLIMIT_FSIZE: limits["file_mb"] * megabyte,
            resource.RLIMIT_NPROC: limits["processes"] + SPARE_PROCESSES,
            resource.RLIMIT_NOFILE: OPEN_FILES,
            resource.RLIMIT_CORE: 0,
        }
        if not self.isolated and self.uid == launch.SAME_UID:
            # It would count all that this user runs on the machine; the address space bounds threads too.
            del values[resource.RLIMIT_NPROC]
        for what, value in values.items():
            resource.setrlimit(what, (value, value))

    def mount_scratch(self, megabytes: int) -> None:
        """A folder in memory that only this program sees, and owns."""
        user, group = (os.geteuid(), os.getegid()) if self.uid == launch.SAME_UID else (self.uid, self.uid)
        options = f"uid={user},gid={group},mode=700,size={megabytes}m,nr_inodes={FILES}"
        kernel.mount("tmpfs", self.scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC, options)


def become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def can_read_libraries(uid: int) -> bool:
    """Whether this user can import what programs import; where root's home holds Python, nobody cannot."""
    paths = launch.visible_paths()
    child = os.fork()
    if child == 0:
        become(uid)
        os._exit(not all(os.access(path, os.R_OK) for path in paths))
    return os.waitpid(child, 0)[1] == 0


def warm_up() -> None:
    """What the libraries do the first time only (a fifth of a small program's time) is done before the fork."""
    for name in dialects.started & examples.PROGRAMS.keys():
        json.dumps(program.outcome(examples.PROGRAMS[name].replace("NUMBER", "0")))
    dialects.recorded.clear()
    dialects.refusals.clear()


if __name__ == "__main__":
    level, control, uid, scratch = sys.argv[1:]
    Worker(level, socket.socket(fileno=int(control)), int(uid), scratch).serve()
