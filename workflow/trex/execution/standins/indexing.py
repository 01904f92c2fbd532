"""Keys of families: of variables, from the indices that a program gives; of constraints, from a generator's loops."""

import dis
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import product
from numbers import Real
from types import CodeType

import numpy as np

from trex.execution.standins.tuples import as_tuple


def keys_of(indices: tuple) -> list:
    """The keys of a family over these indices: counts, lists, or lists of tuples, whose product is flat."""
    if not indices:
        raise IndexError("list index out of range")
    lists = [list(range(index)) if isinstance(index, int) else list(index) for index in indices]
    if len(lists) == 1:
        keys = lists[0]
    else:
        keys = list(product(*lists))
        if any(isinstance(part, tuple) for parts in lists for part in parts):
            keys = [tuple(part for parts in key for part in as_tuple(parts)) for key in keys]
    if len(set(keys)) != len(keys):
        raise KeyError("Duplicate keys in Model.addVars()")
    return keys


def member_name(name: str, key: object, brackets: str = "[]") -> str:
    """The name of a family's member, `name[key]`; empty where the family has none."""
    return f"{name}{brackets[0]}{','.join(map(str, as_tuple(key)))}{brackets[1]}" if name else ""


def spread(value: object, keys: list, default: object, check: Callable) -> list:
    """One checked value for each key, of one value for all, a list in the order of the keys, or a dictionary."""
    if isinstance(value, Mapping):
        return [check(value.get(key, default)) for key in keys]
    if isinstance(value, (str, Real)) or value is None:
        return [check(value)] * len(keys)
    values = flat(value)
    assert len(values) == len(keys), f"{len(values)} values for {len(keys)} keys"
    return list(map(check, values))


def flat(value: object) -> list:
    """The values of an array or of nested lists in order; a value that is none of these stands alone."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return [element for part in value for element in flat(part)]


def number(value: object) -> float:
    """TypeError for what is no number; a text is none."""
    return float(value + 0.0)


def with_keys(generator: object) -> Iterator[tuple[object, object]]:
    """(key, item) for each item of a generator; the key is the value, or the tuple of values, of its loop variables."""
    if not isinstance(generator, Generator):
        raise KeyError("Missing constraint index")
    names = loop_variables(generator.gi_code)
    for item in generator:
        found = generator.gi_frame.f_locals
        values = tuple(found[name] for name in names)
        yield values[0] if len(values) == 1 else values, item


def loop_variables(code: CodeType) -> list[str]:
    """The names that the loops around a generator's `yield` set, outermost first.

    Loops that end before it (a comprehension that the compiler wrote into the body) do not count.
    """
    instructions = list(dis.get_instructions(code))
    produced = next(i.offset for i in instructions if i.opname == "YIELD_VALUE")
    names: list[str] = []
    loop_end = 0
    for instruction in instructions:
        if instruction.offset > produced:
            break
        if instruction.opname == "FOR_ITER":
            loop_end = instruction.argval
        elif instruction.opname.startswith("STORE_") and loop_end > produced:
            names += [name for name in stored(instruction) if name not in names]
    return names


def stored(instruction: dis.Instruction) -> tuple[str, ...]:
    """What an instruction stores; from Python 3.13 on one may store two, or store one and load another."""
    if not isinstance(instruction.argval, tuple):
        return (instruction.argval,)
    return instruction.argval[:1] if instruction.opname.endswith("LOAD_FAST") else instruction.argval
