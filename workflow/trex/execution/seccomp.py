"""A filter of system calls for programs: threads but no processes, no sockets, no signals to others, no mounts.

It stands behind the namespaces where there are any; without them it is what keeps a program from making processes
that outlive it, from the network, and from signalling whoever started it. Classic BPF, linux/seccomp.h.
"""

import ctypes
import errno
import os
import struct

from trex.execution import kernel

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
CLONE_THREAD = 0x00010000

# Instruction codes: load a 32-bit word of seccomp_data; jump if equal, if a bit is set, if greater or equal; return.
LOAD, EQUAL, HAS_BIT, AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
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
    "mount_setattr": 442,
    "memfd_secret": 447,
}
CLONE3 = 435

# (audit architecture, clone, calls that carry the target's process id first, refused calls) by os.uname().machine.
MACHINES = {
    "x86_64": (
        0xC000003E,
        56,
        {"kill": 62, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297},
        {
            "fork": 57,
            "vfork": 58,
            "execve": 59,
            "execveat": 322,
            "tkill": 200,
            "ptrace": 101,
            "process_vm_readv": 310,
            "process_vm_writev": 311,
            "socket": 41,
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
        },
    ),
    "aarch64": (
        0xC00000B7,
        220,
        {"kill": 129, "tgkill": 131, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240},
        {
            "execve": 221,
            "execveat": 281,
            "tkill": 130,
            "ptrace": 117,
            "process_vm_readv": 270,
            "process_vm_writev": 271,
            "socket": 198,
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
        },
    ),
}


class FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def filter_code(machine: str, own_pid: int) -> bytes:
    """The BPF program. Raises KeyError for a machine whose call numbers are not listed here."""
    architecture, clone, signals, refused = MACHINES[machine]
    refuse = instruction(RETURN, ERRNO | errno.EPERM)
    allow = instruction(RETURN, ALLOW)
    code = [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, architecture, if_true=1),
        refuse,
        instruction(LOAD, NUMBER),
        instruction(AT_LEAST, X32_CALLS, if_false=1),
        refuse,
        # clone3 hides its flags behind a pointer: "not there" makes the C library use clone.
        instruction(EQUAL, CLONE3, if_false=1),
        instruction(RETURN, ERRNO | errno.ENOSYS),
        instruction(EQUAL, clone, if_false=4),
        instruction(LOAD, FIRST_ARGUMENT),
        instruction(HAS_BIT, CLONE_THREAD, if_true=1),
        refuse,
        allow,
    ]
    for number in signals.values():
        code += [
            instruction(EQUAL, number, if_false=4),
            instruction(LOAD, FIRST_ARGUMENT),
            instruction(EQUAL, own_pid, if_true=1),
            refuse,
            allow,
        ]
    for number in (*refused.values(), *REFUSED_EVERYWHERE.values()):
        code += [instruction(EQUAL, number, if_false=1), refuse]
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
