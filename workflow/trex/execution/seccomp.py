"""A filter of system calls for programs: threads but no processes, no sockets, no mounts, nothing done to others.

It stands behind the namespaces where there are any; without them it is what keeps a program from making processes
that outlive it, from the network, and from signalling whoever started it. Classic BPF, linux/seccomp.h.
"""

import ctypes
import errno
import os
import struct
from dataclasses import dataclass

from trex.execution import kernel

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
CLONE_THREAD = 0x00010000

# Instruction codes: load a 32-bit word of seccomp_data; jump if equal, if a bit is set, if greater or equal; return.
LOAD, EQUAL, HAS_BIT, AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
X32_CALLS = 0x40000000

# Numbers that are the same on all architectures (above 423).
REFUSED_EVERYWHERE = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "process_mrelease": 448,
}
CLONE3 = 435
# fcntl's F_SETOWN, F_SETSIG, F_SETOWN_EX: who gets a signal, and which, when a pipe is ready.
OWNER = (8, 10, 15)


@dataclass(frozen=True)
class Machine:
    """Numbers of one architecture's calls. signals: those that carry the target's process id first."""

    architecture: int
    clone: int
    prctl: int
    fcntl: int
    prlimit: int
    signals: dict[str, int]
    refused: dict[str, int]


MACHINES = {
    "x86_64": Machine(
        architecture=0xC000003E,
        clone=56,
        prctl=157,
        fcntl=72,
        prlimit=302,
        signals={"kill": 62, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297},
        refused={
            "fork": 57,
            "vfork": 58,
            "execve": 59,
            "execveat": 322,
            "tkill": 200,
            "ptrace": 101,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "socket": 41,
            "socketpair": 53,
            "setsid": 112,
            "setpgid": 109,
            "mount": 165,
            "umount2": 166,
            "pivot_root": 155,
            "chroot": 161,
            "unshare": 272,
            "setns": 308,
            "bpf": 321,
            "perf_event_open": 298,
            "userfaultfd": 323,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "shmget": 29,
            "semget": 64,
            "msgget": 68,
            "mq_open": 240,
            "memfd_create": 319,
            "setpriority": 141,
            "ioprio_set": 251,
            "sched_setparam": 142,
            "sched_setscheduler": 144,
            "sched_setaffinity": 203,
            "sched_setattr": 314,
            "migrate_pages": 256,
            "move_pages": 279,
        },
    ),
    "aarch64": Machine(
        architecture=0xC00000B7,
        clone=220,
        prctl=167,
        fcntl=25,
        prlimit=261,
        signals={"kill": 129, "tgkill": 131, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240},
        refused={
            "execve": 221,
            "execveat": 281,
            "tkill": 130,
            "ptrace": 117,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "socket": 198,
            "socketpair": 199,
            "setsid": 157,
            "setpgid": 154,
            "mount": 40,
            "umount2": 39,
            "pivot_root": 41,
            "chroot": 51,
            "unshare": 97,
            "setns": 268,
            "bpf": 280,
            "perf_event_open": 241,
            "userfaultfd": 282,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "shmget": 194,
            "semget": 190,
            "msgget": 186,
            "mq_open": 180,
            "memfd_create": 279,
            "setpriority": 140,
            "ioprio_set": 30,
            "sched_setparam": 118,
            "sched_setscheduler": 119,
            "sched_setaffinity": 122,
            "sched_setattr": 274,
            "migrate_pages": 238,
            "move_pages": 239,
        },
    ),
}


class FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def when(value: int, then: list[bytes]) -> list[bytes]:
    """Instructions that are passed over unless the loaded word is this value."""
    return [instruction(EQUAL, value, if_false=len(then)), *then]


def filter_code(name: str, own_pid: int) -> bytes:
    """The BPF program. Raises KeyError for a machine whose call numbers are not listed here."""
    machine = MACHINES[name]
    refuse = instruction(RETURN, ERRNO | errno.EPERM)
    allow = instruction(RETURN, ALLOW)
    first, second = instruction(LOAD, FIRST_ARGUMENT), instruction(LOAD, SECOND_ARGUMENT)
    itself = when(own_pid, [allow])
    code = [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, machine.architecture, if_true=1),
        refuse,
        instruction(LOAD, NUMBER),
        instruction(AT_LEAST, X32_CALLS, if_false=1),
        refuse,
        # clone3 hides its flags behind a pointer: "not there" makes the C library use clone.
        *when(CLONE3, [instruction(RETURN, ERRNO | errno.ENOSYS)]),
        *when(machine.clone, [first, instruction(HAS_BIT, CLONE_THREAD, if_true=1), refuse, allow]),
        # A program must not arrange to outlive its worker.
        *when(machine.prctl, [first, *when(kernel.PR_SET_PDEATHSIG, [refuse]), allow]),
        *when(machine.fcntl, [second, *(part for value in OWNER for part in when(value, [refuse])), allow]),
        *when(machine.prlimit, [first, *when(0, [allow]), *itself, refuse]),
    ]
    for number in machine.signals.values():
        code += when(number, [first, *itself, refuse])
    for number in (*machine.refused.values(), *REFUSED_EVERYWHERE.values()):
        code += when(number, [refuse])
    return b"".join([*code, allow])


def works() -> bool:
    """Whether the filter can be put on here, tried in a child."""
    child = os.fork()
    if child == 0:
        try:
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            confine()
        except (OSError, KeyError):
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def confine() -> None:
    """Put the filter on this process, for good. PR_SET_NO_NEW_PRIVS must be on. Raises OSError or KeyError."""
    code = filter_code(os.uname().machine, os.getpid())
    program = FilterProgram(len(code) // 8, code)
    call = kernel.libc.prctl(
        ctypes.c_int(PR_SET_SECCOMP), ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(program), ctypes.c_ulong(0)
    )
    kernel.checked(call, "seccomp")
