"""One program, run in a confined process; its outcome written to the result pipe as one line of JSON.

What is written is a claim of that process and no more: a program can forge it, and gains nothing but another model,
which the harness solves itself.
"""

import importlib
import json
import os
import traceback

from trex.execution import dialects

NAME = "<response>"
FILE = "response.py"  # its __file__, in the folder where its data are; there is no such file
DETAIL_LENGTH = 300
# Beside what the solver library brings. Loaded before the fork: faster, and there also where a program may not read it.
OFTEN_IMPORTED = (
    "bisect",
    "copy",
    "csv",
    "fractions",
    "heapq",
    "pathlib",
    "random",
    "statistics",
    "string",
    "textwrap",
)
OUT_OF_MEMORY = b'{"status": "memory", "detail": "MemoryError", "model": null, "dialect": ""}\n'


def prepare() -> None:
    """Before the fork, so that every program inherits it."""
    for name in OFTEN_IMPORTED:
        importlib.import_module(name)
    for name in dialects.LIGHT:
        dialects.start_recording(name)


def run(code: str, files: dict[str, str], result: int) -> None:
    """Write the files into the current folder, run the code as a main module, report, end the process."""
    try:
        for name, text in files.items():
            if folder := os.path.dirname(name):
                os.makedirs(folder, exist_ok=True)
            with open(name, "w", encoding="utf-8") as stream:
                stream.write(text)
        line = json.dumps(outcome(code)).encode() + b"\n"
    except MemoryError:
        line = OUT_OF_MEMORY
    except BaseException as error:
        line = json.dumps(report("protocol", describe(error))).encode() + b"\n"
    send(result, line)
    os._exit(0)


def send(result: int, line: bytes) -> None:
    while line:
        line = line[os.write(result, line) :]


def report(status: str, detail: str = "", model: dict | None = None, dialect: str = "") -> dict:
    return {"status": status, "detail": detail, "model": model, "dialect": dialect}


def outcome(code: str) -> dict:
    try:
        compiled = compile(code, NAME, "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the last: nested too deeply
        return report("syntax", describe(error))
    dialects.start_named_in(code)
    names = {"__name__": "__main__", "__builtins__": __builtins__, "__file__": os.path.abspath(FILE)}
    try:
        exec(compiled, names)
    except MemoryError:
        raise
    except SystemExit:
        pass
    except dialects.Unsupported as error:
        return report("unsupported", describe(error))
    except BaseException as error:
        return report("runtime", describe(error))
    return recorded(names)


def recorded(names: dict) -> dict:
    found = dialects.chosen(names)
    if found is None:
        return report("no_model", "no model of a known library was built")
    name = found.dialect.NAME
    try:
        return report("ok", model=dialects.to_ir(found).to_json(), dialect=name)
    except (dialects.Unsupported, ValueError) as error:
        return report("unsupported", describe(error), dialect=name)


def describe(error: BaseException) -> str:
    """Type, text and line of an error of the program."""
    kind = type(error).__name__
    try:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == NAME]
        place = f" (line {lines[-1]})" if lines else ""
        return f"{kind}: {error}"[:DETAIL_LENGTH] + place
    except Exception:
        return kind
