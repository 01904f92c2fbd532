"""The few Linux calls that isolation needs and Python 3.11 has no function for, by ctypes. Standard library alone.

Every function raises OSError with the call's errno. Constants are those of the kernel's headers (linux/sched.h,
linux/mount.h, linux/prctl.h, linux/capability.h).
"""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
CAPABILITY_VERSION_3 = 0x20080522

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4
SYS_MOUNT_SETATTR = 442
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

libc = ctypes.CDLL(None, use_errno=True)


class CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class MountAttributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd"))


def checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    checked(libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def setns(descriptor: int, flags: int) -> None:
    checked(libc.setns(ctypes.c_int(descriptor), ctypes.c_int(flags)), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    encoded_kind = None if kind is None else kind.encode()
    call = libc.mount(source.encode(), target.encode(), encoded_kind, ctypes.c_ulong(flags), options.encode())
    checked(call, f"mount {target}")


def unmount(target: str) -> None:
    checked(libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def make_read_only(target: str, recursive: bool = True) -> None:
    """Read-only, without set-uid and without devices; Linux 5.12."""
    attributes = MountAttributes(set=MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    flags = ctypes.c_uint(AT_RECURSIVE if recursive else 0)
    number = ctypes.c_long(SYS_MOUNT_SETATTR)
    call = libc.syscall(number, ctypes.c_int(AT_FDCWD), target.encode(), flags, ctypes.byref(attributes), size)
    checked(call, f"mount_setattr {target}")


def pivot_root(new: str, old: str) -> None:
    number = SYS_PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"pivot_root: unknown on {os.uname().machine}")
    checked(libc.syscall(ctypes.c_long(number), new.encode(), old.encode()), "pivot_root")


def prctl(option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    checked(libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero), f"prctl({option})")


def drop_privileges() -> None:
    """No capability, and none to be had by executing anything."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = CapabilityHeader(CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    checked(libc.capset(ctypes.byref(header), ctypes.byref(nothing)), "capset")
    prctl(PR_SET_DUMPABLE, 0)
