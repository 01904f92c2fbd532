"""What of the file system a program may touch, where it has none of its own: the Landlock security module of Linux.

A program reads the given paths and writes below its scratch folder, and nothing else; that a file exists, and its size
and owner, it can still learn. From Linux 5.13, where the kernel has it on; linux/landlock.h.
"""

import ctypes
import os
from collections.abc import Sequence

from trex.execution import kernel

SYS_CREATE_RULESET, SYS_ADD_RULE, SYS_RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
MAKE_CHARACTER_DEVICE, MAKE_SOCKET, MAKE_BLOCK_DEVICE = 1 << 6, 1 << 9, 1 << 11
TRUNCATE = 1 << 14
# How many access rights to files the interface's versions know, from version 1: a right counts once it is handled.
FILE_RIGHTS = (13, 14, 15, 15, 16)
EXECUTE = 1 << 0
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
NOT_IN_SCRATCH = EXECUTE | MAKE_CHARACTER_DEVICE | MAKE_SOCKET | MAKE_BLOCK_DEVICE
# Of version 4, TCP: bind and connect; of version 6, what leaves the process by abstract sockets and signals.
TCP, SCOPED = 0b11, 0b11


class Ruleset(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("files", "network", "scoped"))


class PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def call(number: int, *arguments: object) -> int:
    return kernel.checked(kernel.libc.syscall(ctypes.c_long(number), *arguments), "landlock")


def version() -> int:
    """The version of the kernel's interface, 0 where there is none."""
    try:
        return call(SYS_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(CREATE_RULESET_VERSION))
    except OSError:
        return 0


def ruleset(readable: Sequence[str], scratch: str) -> int:
    """A descriptor of the rules, for `confine`. Raises OSError where there is no Landlock."""
    known = version()
    handled = (1 << FILE_RIGHTS[min(known, len(FILE_RIGHTS)) - 1]) - 1
    attributes = Ruleset(handled, TCP if known >= 4 else 0, SCOPED if known >= 6 else 0)
    size = ctypes.c_size_t(8 if known < 4 else 16 if known < 6 else 24)
    rules = call(SYS_CREATE_RULESET, ctypes.byref(attributes), size, ctypes.c_uint(0))
    for path in readable:
        allow(rules, path, handled & (READ_FILE | READ_DIR))
    allow(rules, scratch, handled & ~NOT_IN_SCRATCH)
    return rules


def allow(rules: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        below = PathBeneath(rights if os.path.isdir(path) else rights & OF_FILES, descriptor)
        call(SYS_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(RULE_PATH_BENEATH), ctypes.byref(below), ctypes.c_uint(0))
    finally:
        os.close(descriptor)


def confine(rules: int) -> None:
    """Put the rules on this process, for good. PR_SET_NO_NEW_PRIVS must be on."""
    call(SYS_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint(0))
