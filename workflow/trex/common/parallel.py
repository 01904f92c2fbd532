"""Work that is given to others and taken back in order."""

import collections
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

Item = TypeVar("Item")


def in_order(submit: Callable[[Item], Future], items: Iterable[Item], ahead: int) -> Iterator:
    """The results in the items' order, with no more than `ahead` items under way: memory does not grow with them."""
    waiting: collections.deque[Future] = collections.deque()
    for item in items:
        waiting.append(submit(item))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
