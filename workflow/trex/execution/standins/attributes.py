"""Attributes of a library's variables and constraints: found by name in any capitals.

A name belongs to what the model says (`SETTABLE`), to the results of the last solve (`RESULTS`), or to hints (`HINTS`:
a start value, a branching priority), which say nothing about the model and are kept with the object. A name that is
real (`NAMES`) and none of these is Unsupported, and setting it refuses the model. The libraries differ in their errors.
"""

from collections.abc import Callable

from trex.execution.dialects import Unsupported
from trex.execution.standins.model import GONE, Handle


class Attributed(Handle):
    """`SETTABLE` maps a name in small letters to (get, set), `RESULTS` to get, `HINTS` to the default."""

    __slots__ = ()
    NAMES: frozenset[str] = frozenset()
    SETTABLE: dict[str, tuple[Callable, Callable]]
    HINTS: dict[str, object]
    RESULTS: dict[str, Callable]

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._get(name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self._set(name, value)

    def _get(self, name: str):
        key = name.lower()
        if self._index == GONE:
            raise self._table.owner._recording.error(f"{type(self).__name__} was removed from the model")
        if key in self.SETTABLE:
            return self.SETTABLE[key][0](self)
        if key in self.HINTS:
            return self.__dict__.get(key, self.HINTS[key])
        if key not in self.RESULTS:
            raise self._missing(name)
        value = self.RESULTS[key](self)
        if value is None:
            raise self._unavailable(name)
        return value

    def _set(self, name: str, value: object) -> None:
        key = name.lower()
        if key in self.SETTABLE:
            try:
                self.SETTABLE[key][1](self, value)
            except (TypeError, self._table.owner._recording.error) as error:
                raise self._invalid(name, error) from None
        elif key in self.HINTS:
            self.__dict__[key] = value
        elif key in self.RESULTS:
            raise self._fixed(name)
        elif key in self.NAMES:
            raise self._table.owner._recording.refuse(str(self._missing(name)))
        else:
            raise self._missing(name)

    def _missing(self, name: str) -> Exception:
        kind = type(self).__name__
        return Unsupported(f"the attribute {name} of a {kind}") if name.lower() in self.NAMES else self._unknown(name)

    def _unknown(self, name: str) -> Exception:
        raise NotImplementedError

    def _unavailable(self, name: str) -> Exception:
        raise NotImplementedError

    def _fixed(self, name: str) -> Exception:
        raise NotImplementedError

    def _invalid(self, name: str, error: Exception) -> Exception:
        raise NotImplementedError


def lower(names: list[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


def column(name: str, check: Callable, prefix: str = "") -> tuple[Callable, Callable]:
    """(get, set) of a column of the handle's table; an empty name reads as the prefix and the place."""

    def get(handle: Handle):
        value = handle._table.columns[name][handle._index]
        return f"{prefix}{handle._index}" if prefix and not value else value

    def put(handle: Handle, value: object) -> None:
        handle._table.columns[name][handle._index] = check(value)

    return get, put


def outcome_of(handle: Handle):
    return handle._table.owner._recording.outcome


def result_of(name: str) -> Callable:
    """The handle's entry in a mapping of the last outcome; None where there is none."""

    def get(handle: Handle) -> float | None:
        outcome = outcome_of(handle)
        found = None if outcome is None else getattr(outcome, name)
        return None if found is None else found.get(handle)

    return get


def activity(handle: Handle) -> float | None:
    """The value of a row's left side at the last solution, without constants."""
    outcome = outcome_of(handle)
    if outcome is None or outcome.values is None:
        return None
    columns, values = handle._table.columns, outcome.values
    total = sum(c * values[variable] for variable, c in columns["terms"][handle._index].items())
    if "products" in columns:
        products = columns["products"][handle._index]
        total += sum(c * values[first] * values[second] for (first, second), c in products.items())
    return total


def in_iis(handle: Handle) -> int | None:
    """Everything is in the subsystem that the libraries' computeIIS gives: it is infeasible, if not irreducible."""
    return 1 if handle._table.owner._recording.has_iis else None
