"""What programs without a file system of their own put into their folder: how much it is, and removing it.

It is hostile: links, folders without permissions, folders nested deeper than a path can be long or
a recursion deep. Links are never followed. Standard library alone.
"""

import errno
import itertools
import os
import stat
from collections.abc import Iterator

BLOCK = 512  # bytes, of st_blocks


def exceed(folder: str, size: int, entries: int) -> bool:
    """Whether there is more than this many bytes, or files and folders, below the folder."""
    total, count, folders = 0, 0, [folder]
    while folders:
        try:
            for entry in os.scandir(folders.pop()):
                count += 1
                total += entry.stat(follow_symlinks=False).st_blocks * BLOCK
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                if count > entries or total > size:
                    return True
        except (FileNotFoundError, NotADirectoryError):
            continue  # the program is at work
        except OSError:
            return True  # hidden from us, or too deep
    return False


def remove(folder: str) -> None:
    """Remove all that is in the folder; it may still grow for a moment. What lies deeper is first brought up to it."""
    fresh = (f"{folder}/{os.urandom(8).hex()}" for _ in itertools.count())
    while names := os.listdir(folder):
        for name in names:
            try:
                remove_one(f"{folder}/{name}", fresh)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                    raise


def remove_one(path: str, fresh: Iterator[str]) -> None:
    if not is_folder(path):
        os.unlink(path)
        return
    os.chmod(path, 0o700)
    for name in os.listdir(path):
        inner = f"{path}/{name}"
        if is_folder(inner):
            os.chmod(inner, 0o700)
        os.rename(inner, next(fresh))
    os.rmdir(path)


def is_folder(path: str) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)
