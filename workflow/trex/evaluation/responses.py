"""Files of responses: one line of JSON each, written by a step of this room or by anybody else.

    {"id": 17, "response": "```python\n...```"}

id: the item's name, what follows its benchmark's in it, or upstream's (`nl4opt/17`, `17` or 17, the row's number from 0
where upstream has no ids; `BENCH4OPT_32`, `32` or 32). response: what the model wrote. Several lines of one id are
several attempts, in order. Optional: sha256, of what was asked (Item.sha256); finish: `stop` (when left out), `length`
where the token limit cut it off, `prompt_too_long` where nothing was asked, `api` where the endpoint failed; detail:
what it said. More keys are ignored.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from trex.benchmarks.item import Item
from trex.common.errors import UserError
from trex.common.files import open_input, parse_line

STOP, LENGTH, PROMPT_TOO_LONG, API = "stop", "length", "prompt_too_long", "api"
FINISHES = (STOP, LENGTH, PROMPT_TOO_LONG, API)


@dataclass(frozen=True)
class Response:
    """text: what the model wrote; attempt: which of the item's responses it is, from 0; finish: one of FINISHES."""

    text: str
    attempt: int = 0
    finish: str = STOP
    detail: str = ""


class Responses:
    """The responses of a file to some items: all checked first, then read again item by item, so that they need not
    be in memory together.

    Raises UserError naming the line of one that is malformed or answers something else.
    """

    def __init__(self, path: Path, items: list[Item]):
        self.path = path
        self.items = by_name(items)
        self.places: dict[str, list[int]] = {item.item_id: [] for item in items}  # byte offsets of an item's lines
        with self.opened() as stream:
            start = 0
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    item = self.item_of(line, f"{path}, line {number}")
                    self.places[item.item_id].append(start)
                start += len(line)

    def __len__(self) -> int:
        return sum(map(len, self.places.values()))

    def of(self, item: Item) -> list[Response]:
        """The item's responses in the file's order."""
        with self.opened() as stream:
            return [read_at(stream, place, attempt) for attempt, place in enumerate(self.places[item.item_id])]

    def opened(self) -> BinaryIO:
        return open_input(self.path, lambda path: open(path, "rb"))

    def item_of(self, line: bytes, where: str) -> Item:
        row = parse_line(line, where)
        if fault := fault_of(row):
            raise UserError(f"{where}: {fault}")
        item = self.items.get(str(row["id"]))
        if item is None:
            raise UserError(f"{where}: no item has the id {row['id']!r:.80}; they are called {self.some_names()}")
        if row.get("sha256") not in (None, item.sha256):
            raise UserError(f"{where}: {item.item_id} was asked in other words (its sha256 differs); answer it again")
        return item

    def some_names(self) -> str:
        names = list(self.items)
        return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")


def read_at(stream: BinaryIO, place: int, attempt: int) -> Response:
    stream.seek(place)
    row = json.loads(stream.readline())
    return Response(row["response"], attempt, row.get("finish", STOP), row.get("detail") or "")


def by_name(items: list[Item]) -> dict[str, Item]:
    """Each item under its own name, upstream's and, where no two share it, the rest of the name after its suite's."""
    named = {item.item_id.removeprefix(f"{item.suite}/"): item for item in items}
    short = named if len(named) == len(items) else {}
    upstream = {item.upstream_id: item for item in items if item.upstream_id}
    return short | upstream | {item.item_id: item for item in items}


def fault_of(row: object) -> str | None:
    """What is wrong with a row, whatever it answers."""
    if not isinstance(row, dict):
        return 'not an object; a response is {"id": ..., "response": ...}'
    identity = row.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (str, int)):
        return "needs an `id`, a text or a whole number"
    if not isinstance(row.get("response"), str):
        return "needs a `response`, the text that the model gave (empty where it gave none)"
    if (finish := row.get("finish", STOP)) not in FINISHES:
        return f"finish {finish!r} is none of {', '.join(FINISHES)}"
    if not isinstance(row.get("detail"), (str, type(None))):
        return "detail is no text"
    return None
