"""Enters an isolation level and becomes the sandbox's worker. Run as a file, in a fresh process, by the sandbox.

    python -s -P launch.py LEVEL CONTROL SCRATCH

LEVEL is bubblewrap, namespaces or limits; CONTROL the descriptor of the worker's control socket; SCRATCH the folder
below which programs get their own (a mount point made here at the first two levels, a real one at `limits`).

Root starts from a user namespace of its own in which user 0 is itself and user 1 is nobody: the worker is the former
and programs are the latter, so that limits on processes bind them. Other users have only themselves to map.
"""

import os
import shutil
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE.parent))

from trex.execution import kernel  # noqa: E402

NOBODY = 65534
PROGRAM_UID = 1
SAME_UID = -1
SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")
EVERYTHING_BUT_USER = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID")


def visible_paths() -> list[str]:
    """What a program may read: the system's libraries, this Python and this package; nothing of the user's."""
    wanted = [*SYSTEM, sys.base_prefix, sys.prefix, str(PACKAGE)]
    found: list[str] = []
    for path in wanted:
        inside = any(Path(path).is_relative_to(other) for other in found)
        if os.path.exists(path) and not inside:
            found.append(path)
    return found


def worker_command(level: str, control: int, uid: int, scratch: str) -> list[str]:
    worker = str(PACKAGE / "execution" / "worker.py")
    return [sys.executable, "-s", "-P", worker, level, str(control), str(uid), scratch]


def enter_user_namespace() -> int:
    """Become user 0 of a new user namespace; returns the user that programs are to be there."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        pipe = os.pipe()
        helper = os.fork()
        if helper == 0:
            os.close(pipe[1])
            os.read(pipe[0], 1)
            write_maps(os.getppid(), f"0 0 1\n{PROGRAM_UID} {NOBODY} 1", f"0 0 1\n{PROGRAM_UID} {NOBODY} 1")
            os._exit(0)
        kernel.unshare(kernel.CLONE_NEWUSER)
        os.close(pipe[1])
        os.close(pipe[0])
        if os.waitpid(helper, 0)[1] != 0:
            raise OSError("the user namespace's map cannot be written")
        return PROGRAM_UID
    kernel.unshare(kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    write_maps(os.getpid(), f"0 {uid} 1", f"0 {gid} 1")
    return SAME_UID


def write_maps(pid: int, users: str, groups: str) -> None:
    Path(f"/proc/{pid}/gid_map").write_text(groups)
    Path(f"/proc/{pid}/uid_map").write_text(users)


def bubblewrap(control: int, scratch: str) -> None:
    """Exec bwrap: everything unshared, a root of read-only binds."""
    if shutil.which("bwrap") is None:
        sys.exit("bwrap is not installed")
    uid, user_option = SAME_UID, ["--unshare-user"]
    if os.geteuid() == 0:
        uid, user_option = enter_user_namespace(), []
    command = ["bwrap", *user_option, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    command += ["--unshare-cgroup-try"]
    for name in CAPABILITIES if uid != SAME_UID else CAPABILITIES[:1]:
        command += ["--cap-add", name]
    for path in visible_paths():
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
            continue
        for parent in reversed(Path(path).parents[:-1]):
            command += ["--dir", str(parent)]
        command += ["--ro-bind", path, path]
    command += ["--dir", scratch, "--remount-ro", "/", "--chdir", "/", "--"]
    os.execvp("bwrap", command + worker_command("bubblewrap", control, uid, scratch))


def namespaces(control: int, scratch: str) -> None:
    """The same by our own calls."""
    uid = enter_user_namespace()
    kernel.unshare(EVERYTHING_BUT_USER)
    build_root(scratch)
    worker = os.fork()
    if worker == 0:
        command = worker_command("namespaces", control, uid, scratch)
        os.execv(command[0], command)
    os.close(control)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) & 0xFF)


def build_root(scratch: str) -> None:
    """A root in memory with read-only binds of the visible paths; the old root is let go."""
    paths = visible_paths()
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=1m")
    os.mkdir("/tmp/.old")
    kernel.pivot_root("/tmp", "/tmp/.old")
    os.chdir("/")
    for path in paths:
        old = f"/.old{path}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.islink(old):
            os.symlink(os.readlink(old), path)
            continue
        os.mkdir(path) if os.path.isdir(old) else Path(path).touch()
        kernel.mount(old, path, None, kernel.MS_BIND | kernel.MS_REC)
        kernel.make_read_only(path)
    os.makedirs(scratch)
    kernel.unmount("/.old")
    os.rmdir("/.old")
    kernel.make_read_only("/", recursive=False)


def limits(control: int, scratch: str) -> None:
    """No namespaces: limits and the filter alone."""
    command = worker_command("limits", control, NOBODY if os.geteuid() == 0 else SAME_UID, scratch)
    os.execv(command[0], command)


LEVELS = {"bubblewrap": bubblewrap, "namespaces": namespaces, "limits": limits}

if __name__ == "__main__":
    LEVELS[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
