"""What dialects share about patching: constructors that record, libraries at work, the time that solving may take."""

import contextlib
import functools
import resource
import time
from collections.abc import Iterator
from types import ModuleType

from trex.execution import dialects

UNLIMITED_S = 60.0


def record_each(kind: type, dialect: ModuleType) -> None:
    """From now on each object of this type, or of one derived from it, is recorded when it is made."""
    create = kind.__init__

    @functools.wraps(create)
    def creating(self, *arguments, **named):
        create(self, *arguments, **named)
        dialects.record(dialect, self)

    kind.__init__ = creating


@contextlib.contextmanager
def library_at_work() -> Iterator[None]:
    """Models that are made in the meantime are the library's own and not the program's: they are forgotten."""
    count = len(dialects.recorded)
    try:
        yield
    finally:
        for found in dialects.recorded[count:]:
            dialects.refusals.pop(id(found.model), None)
        del dialects.recorded[count:]


def solving_seconds() -> float:
    """Half of the processor time that this process has left.

    A program whose solver does not come to an end is then stopped in its solver and not by the sandbox: it goes on,
    and the model that it built is not lost.
    """
    limit = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if limit == resource.RLIM_INFINITY:
        return UNLIMITED_S
    return max(limit - time.process_time(), 0.1) / 2
