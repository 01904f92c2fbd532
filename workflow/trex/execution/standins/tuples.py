"""tuplelist, tupledict and multidict: lists and dictionaries of tuples that can be asked by pattern.

A pattern has one entry for each place of the tuples: '*' stands for anything, a list (or set, tuple, range) for its
members, any other value for itself; entries may be left out at the end. Keys that are no tuples count as tuples of
one. What was asked for once is found again without a search (`Index`), until the list or dictionary changes.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from trex.execution.standins import expressions
from trex.execution.standins.expressions import Family

SEVERAL = (list, set, frozenset, tuple, range)


def as_tuple(key: object) -> tuple:
    return key if isinstance(key, tuple) else (key,)


class Index:
    """The keys by their values in some places, for each choice of places that was asked for."""

    def __init__(self, keys: Iterable):
        self.keys = list(keys)
        self.by_places: dict[tuple[int, ...], dict[tuple, list]] = {}

    def select(self, pattern: tuple) -> list:
        """The keys that match, in their order."""
        if not self.keys:
            return []
        width = len(as_tuple(self.keys[0]))
        if len(pattern) > width:
            raise IndexError(f"Too many indices for tuplelist with {width}-tuple keys")
        fixed = {place: entry for place, entry in enumerate(pattern) if not (isinstance(entry, str) and entry == "*")}
        if not fixed:
            return self.keys
        found = self.at(tuple(fixed))
        choices = [entry if isinstance(entry, SEVERAL) else (entry,) for entry in fixed.values()]
        if all(len(choice) == 1 for choice in choices):
            return [self.keys[position] for position in found.get(tuple(next(iter(c)) for c in choices), ())]
        positions = {position for values in product(*choices) for position in found.get(values, ())}
        return [self.keys[position] for position in sorted(positions)]

    def at(self, places: tuple[int, ...]) -> dict[tuple, list]:
        if places not in self.by_places:
            found = self.by_places[places] = {}
            for position, key in enumerate(self.keys):
                parts = as_tuple(key)
                found.setdefault(tuple(parts[place] for place in places), []).append(position)
        return self.by_places[places]


class TupleList(list):
    """A list of tuples of one length, or of other values."""

    def __init__(self, items: Iterable = ()):
        super().__init__(items)
        lengths = {len(item) for item in self if isinstance(item, tuple)}
        if len(lengths) > 1:
            raise ValueError("All tuples in a tuplelist must be the same length")

    def select(self, *pattern: object) -> "TupleList":
        return type(self)(Index(self).select(pattern))

    def clean(self) -> None:
        """Nothing to do: nothing is kept."""

    def __add__(self, other):
        return type(self)([*self, *other])


class TupleDict(dict):
    """A dictionary of variables, constraints or numbers; `family` is the library's, for the sums."""

    family: Family
    __slots__ = ("_index",)

    def select(self, *pattern: object) -> list:
        return [self[key] for key in self.matching(pattern)]

    def sum(self, *pattern: object):
        return expressions.quicksum(self.family, self.select(*pattern))

    def prod(self, coefficients: Mapping, *pattern: object):
        """The sum of coefficient times value over the keys that match and have a coefficient."""
        result = expressions.empty(self.family, 1)
        for key in self.matching(pattern):
            if key in coefficients:
                result += coefficients[key] * self[key]
        return result

    def clean(self) -> None:
        self._index = None

    def matching(self, pattern: tuple) -> list:
        if not pattern:
            return list(self)
        index = getattr(self, "_index", None)
        if index is None:
            index = self._index = Index(self)
        return index.select(pattern)


def forgetting(name: str):
    change = getattr(dict, name)

    def method(self, *arguments, **named):
        self.clean()
        return change(self, *arguments, **named)

    method.__name__ = name
    return method


for name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(TupleDict, name, forgetting(name))


def multidict(data: Mapping | Iterable, list_type: type, dict_type: type) -> list:
    """[keys, one dictionary for each place of the values]; a value may be a number or a list of them."""
    items = list(data.items() if isinstance(data, Mapping) else data)
    columns: Iterator = zip(*(row_of(value) for _, value in items), strict=False)
    keys = [key for key, _ in items]
    return [list_type(keys), *(dict_type(zip(keys, column, strict=True)) for column in columns)]


def row_of(value: object) -> list:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
