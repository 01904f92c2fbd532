"""What the command lines of all steps share: parser, JSON arguments, exit codes, progress."""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tqdm import tqdm

from trex.common.errors import UserError


def parser(documentation: str) -> argparse.ArgumentParser:
    """A parser whose help is the step's module docstring; abbreviated flags are refused."""
    return argparse.ArgumentParser(
        description=documentation,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


MOST_DIGITS = 18  # of a number as an argument: none that means anything has more, and products of a few stay finite


class Settings(dict):
    """A JSON object in which a missing key is the user's error, not the program's."""

    def __missing__(self, key: str):
        raise UserError(f"the settings lack the key {key!r}; give the whole section of the config that --help names")


def json_argument(text: str) -> Settings:
    """A JSON object given as text, or as the path of a file that holds one.

    Raises argparse.ArgumentTypeError (exit code 2) when it is neither.
    """
    source = text
    if not text.lstrip().startswith("{"):
        try:
            source = Path(text).read_text(encoding="utf-8")
        except OSError as error:
            raise argparse.ArgumentTypeError(
                f"neither a JSON object nor a readable file: {text!r} ({error.strerror})"
            ) from error
    try:
        value = json.loads(source, object_hook=Settings)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {type(value).__name__}")
    return value


def positive(text: str) -> int:
    """A whole number from 1 on, as the type of an argument."""
    if not text.isdecimal() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    if len(text.lstrip("0")) > MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"a number of {len(text)} digits; take one of at most {MOST_DIGITS}")
    return int(text)


def positive_number(text: str) -> float:
    """A finite number above 0, as the type of an argument."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    if not 10.0**-MOST_DIGITS <= value <= 10.0**MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r}: take a number between 1e-{MOST_DIGITS} and 1e{MOST_DIGITS}")
    return value


def run(main: Callable[[], None]) -> None:
    """Run a step's main; a UserError becomes one line on stderr and exit code 2."""
    try:
        main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # who reads, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("interrupted: nothing half-written; run again to go on", file=sys.stderr)
        sys.exit(130)


def track(items: Iterable | None, description: str, total: int | None = None) -> tqdm:
    """A progress bar on a terminal, silence in a pipe or a log. items: None where the caller counts (`update`)."""
    return tqdm(items, desc=description, total=total, disable=not sys.stderr.isatty())
