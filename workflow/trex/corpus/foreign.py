"""Somebody else's fine-tuning file, read row by row: JSONL, UTF-8 with or without a byte order mark.

A row is one of

    {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}], ...}
    {"problem": "...", "answer": "...", ...}

A system message may come first. For problem and answer also: question and answer, prompt and response, prompt and
completion. Optional, beside them or in an object `metadata`: id, mode (DP, DT, DPS), answer_style, difficulty. Attached
files: `files`, an object of names and texts, or `data_file`, the text of a data.json; files that the problem shows as
blocks under a heading that names them are attached too. More keys are ignored.

A line that is none of this is `Malformed`: it says why, and the next lines are read. What is not understood: content
that is no text (lists of parts, tool calls), other formats of rows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from trex.common.errors import UserError
from trex.common.files import open_input, parse_line
from trex.execution.extraction import FENCE

BOM = b"\xef\xbb\xbf"
LONGEST = 16 << 20  # bytes of a line
PAIRS = (("problem", "answer"), ("question", "answer"), ("prompt", "response"), ("prompt", "completion"))
FORMS = 'a row is {"messages": [{"role", "content"}, ...]} or {"problem", "answer"}'
METADATA = ("id", "mode", "answer_style", "difficulty")
DATA_FILE = "data.json"
FILE_NAME = re.compile(r"(?<![\w./-])(?:\w[\w-]*/){0,3}\w[\w.-]*\.(?:json|csv|tsv|txt|dat|ya?ml)\b", re.IGNORECASE)
NAMED_BEFORE = 2  # lines between a file's name and its block


@dataclass(frozen=True)
class Row:
    """A readable row. system and prompt: what is asked; roles: of its messages; '' for what is not given.

    files: {name, or path below the program's folder: text}, of what is attached and of what the prompt shows.
    """

    line: int
    prompt: str
    answer: str
    system: str = ""
    roles: tuple[str, ...] = ("user", "assistant")
    identity: str = ""
    mode: str = ""
    style: str = ""
    difficulty: str = ""
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Malformed:
    """A line that is no row."""

    line: int
    reason: str


class NotARow(Exception):
    """The text says why."""


def read(path: str | Path) -> Iterator[Row | Malformed]:
    """Of each line that is not empty, one at a time."""
    with open_input(path, lambda source: open(source, "rb")) as stream:
        for number, line in enumerate(lines(stream), start=1):
            if number == 1:
                line = line.removeprefix(BOM)
            if len(line) > LONGEST:
                yield Malformed(number, f"longer than {LONGEST >> 20} MiB")
            elif line.strip():
                yield row_of(line, number)


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines, each cut off where it is too long to be kept."""
    while line := stream.readline(LONGEST + 1):
        rest = line
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST + 1)
        yield line


def row_of(line: bytes, number: int) -> Row | Malformed:
    try:
        return parsed(record_of(line), number)
    except NotARow as error:
        return Malformed(number, str(error))


def record_of(line: bytes) -> dict:
    try:
        record = parse_line(line.decode("utf-8"), "")
    except UnicodeDecodeError as error:
        raise NotARow(f"not UTF-8 at byte {error.start}") from error
    except UserError as error:
        raise NotARow(f"not valid JSON ({error.__cause__})") from error
    if not isinstance(record, dict):
        raise NotARow(f"{kind(record)}, not an object; {FORMS}")
    return record


def parsed(record: dict, number: int) -> Row:
    about = record.get("metadata") or {}
    if not isinstance(about, dict):
        raise NotARow(f"`metadata` is {kind(about)}, not an object")
    texts = dict(conversation(record) if "messages" in record else pair(record))
    given = {name: scalar(name, record.get(name, about.get(name))) for name in METADATA}
    files = attached(record) | inline_files(texts["prompt"])
    row = Row(
        line=number,
        identity=given["id"],
        mode=given["mode"].upper(),
        style=given["answer_style"],
        difficulty=given["difficulty"],
        files=files,
        **texts,
    )
    for text in (row.prompt, row.answer, row.system, *given.values(), *row.roles, *files, *files.values()):
        check_characters(text)
    return row


def conversation(record: dict) -> dict:
    """Of several user messages all are asked, of several answers the last counts."""
    messages = record["messages"]
    if not isinstance(messages, list) or not messages:
        raise NotARow(f"`messages` is {kind(messages) if messages != [] else 'empty'}, not a list of messages")
    for position, message in enumerate(messages, start=1):
        if not isinstance(message, dict):
            raise NotARow(f"message {position} is {kind(message)}, not an object")
        for key in ("role", "content"):
            if not isinstance(message.get(key), str):
                found = kind(message[key]) if key in message else "missing"
                raise NotARow(f"message {position}: `{key}` is {found}, not a text")

    def said(role: str) -> list[str]:
        return [message["content"] for message in messages if message["role"] == role]

    return {
        "system": "\n".join(said("system")),
        "prompt": "\n".join(said("user")),
        "answer": (said("assistant") or [""])[-1],
        "roles": tuple(message["role"] for message in messages),
    }


def pair(record: dict) -> dict:
    for prompt, answer in PAIRS:
        if prompt in record and answer in record:
            for key in (prompt, answer):
                if not isinstance(record[key], str):
                    raise NotARow(f"`{key}` is {kind(record[key])}, not a text")
            system = record.get("system") or ""
            if not isinstance(system, str):
                raise NotARow(f"`system` is {kind(system)}, not a text")
            return {"prompt": record[prompt], "answer": record[answer], "system": system}
    raise NotARow(f"has neither messages nor a problem with an answer; {FORMS}")


def scalar(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NotARow(f"`{name}` is {kind(value)}, not a text")
    return str(value)


def attached(record: dict) -> dict[str, str]:
    files = record.get("files") or {}
    if not isinstance(files, dict):
        raise NotARow(f"`files` is {kind(files)}, not an object of names and texts")
    if record.get("data_file") is not None:
        files = {DATA_FILE: record["data_file"]} | files
    for name, text in files.items():
        if not FILE_NAME.fullmatch(name):
            raise NotARow(f"the attached file {name!r:.60} has no name such as {DATA_FILE} or data/costs.csv")
        if not isinstance(text, str):
            raise NotARow(f"the attached file {name} is {kind(text)}, not a text")
    return files


def inline_files(text: str) -> dict[str, str]:
    """Fenced blocks, each at most two lines below the line that names its file: `### data.json`, `File: data.json`."""
    found: dict[str, str] = {}
    name, age, block = "", 0, None
    for line in text.splitlines():
        fence = line.strip()
        if block is not None and fence == FENCE:
            if name:
                found[name] = "\n".join(block) + "\n"
            name, block = "", None
        elif block is not None:
            block.append(line)
        elif fence.startswith(FENCE):
            block = []
            name = name if age <= NAMED_BEFORE else ""
        elif names := FILE_NAME.findall(line):
            name, age = names[-1], 0
        else:
            age += 1
    return found


def check_characters(text: str) -> None:
    """Raises NotARow for halves of characters, which no file and no tokenizer takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotARow("holds half a character (a lone surrogate)") from error


def kind(value: object) -> str:
    names = {
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")
