"""What is wrong with a configuration, by its JSON schema: one line an error, with its place, its value, what is allowed
and what was probably meant. Checks one key at a time; what two keys together must satisfy is checked by the steps.
"""

import difflib
import json
import math
from collections.abc import Iterable, Iterator

import jsonschema

TYPE_NAMES = {
    "object": "a section (key: value lines)",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
ANY_NAME = "NAME"
YAML_BOOLEANS = ("yes", "no", "on", "off")

# Where a key stands: its path, all text -> (place to show, value as written there).
Places = dict[tuple[str, ...], tuple[str, str]]


def is_number(_, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_integer(_, value: object) -> bool:
    """2.0 is no integer here: it would reach the steps as a float."""
    return isinstance(value, int) and not isinstance(value, bool)


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"number": is_number, "integer": is_integer}
    ),
)


def check(config: dict, schema: dict, places: Places) -> list[str]:
    """One line for every error, in the order of their key paths."""
    lines = []
    for error in Validator(schema).iter_errors(config):
        for path, complaint in complaints(error, schema):
            place, written = places.get(tuple(map(str, path)), ("", ""))
            place = f" ({place})" if place else ""
            lines.append(f"{dotted(path)}{place}: {complaint}{trap(error, written)}")
    return sorted(lines)


def complaints(error: jsonschema.ValidationError, schema: dict) -> Iterator[tuple[tuple, str]]:
    """(key path, what is wrong and what is allowed) for each thing that one schema error stands for."""
    path, allowed, value = tuple(error.absolute_path), error.validator_value, shown(error.instance)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        for key in error.instance.keys() - known.keys():
            yield (*path, key), f"unknown key (its value: {shown(error.instance[key])}){suggestion(key, known, schema)}"
    elif error.validator == "type":
        kinds = [allowed] if isinstance(allowed, str) else allowed
        wanted = " or ".join(TYPE_NAMES[kind] for kind in kinds)
        yield path, f"{value} is {kind_of(error.instance)}; allowed: {wanted}"
    elif error.validator == "enum":
        yield path, f"{value} is not allowed; allowed: {listed(allowed)}{did_you_mean(error.instance, allowed)}"
    elif error.validator == "pattern":
        yield path, f"{value} is not allowed; allowed: text that matches {allowed}"
    elif error.validator == "required":
        yield path, f"{error.message}; add it"
    else:
        yield path, f"{value} is not allowed: {error.message}"


def trap(error: jsonschema.ValidationError, written: str) -> str:
    """What YAML made of a value that was meant otherwise, and how to write it."""
    value, wanted = error.instance, str(error.validator_value)
    if error.validator != "type":
        return ""
    if isinstance(value, str) and ("number" in wanted or "integer" in wanted):
        return number_trap(value)
    if isinstance(value, bool) and written.lower() in YAML_BOOLEANS:
        return f"; YAML reads {written} as {str(value).lower()}: put it in quotes if text is meant"
    if isinstance(value, int | float) and not isinstance(value, bool) and "string" in wanted:
        text = written or str(value)
        return f'; YAML reads {text} as the number {value}: put it in quotes ("{text}")'
    if isinstance(value, float) and value.is_integer() and "integer" in wanted:
        return f"; write {int(value)}"
    return ""


def number_trap(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return ""
    return f"; YAML reads {text} as text: write {number:.1e}" if "e" in text.lower() else f"; write {text} unquoted"


def suggestion(key: object, known: Iterable[str], schema: dict) -> str:
    """The section where a key of this name belongs, else the allowed keys and the nearest of them."""
    elsewhere = [dotted(path) for path, _ in schema_keys(schema) if path[-1] == key]
    if elsewhere:
        return f"; it belongs at {' or '.join(elsewhere)}"
    return f"; allowed: {listed(known)}{did_you_mean(key, known)}"


def did_you_mean(value: object, known: Iterable) -> str:
    close = difflib.get_close_matches(str(value), [str(item) for item in known], n=1)
    return f"; did you mean {close[0]}?" if close else ""


def schema_keys(schema: dict, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict]]:
    """(key path, its schema) of every key that the schema names; ANY_NAME stands for a name that the user chooses."""
    for key, inner in schema.get("properties", {}).items():
        yield (*path, key), inner
        yield from schema_keys(inner, (*path, key))
    if free := of_any_name(schema):
        yield from schema_keys(free, (*path, ANY_NAME))


def of_any_name(schema: dict) -> dict:
    """The schema of the values under names that the user chooses, {} where there are no such names."""
    free = schema.get("additionalProperties")
    return free if isinstance(free, dict) else {}


def dotted(path: Iterable) -> str:
    return ".".join(str(part) for part in path) or "config"


def listed(values: Iterable) -> str:
    return ", ".join(str(value) for value in values) or "none"


def shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def kind_of(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "not a finite number"
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return TYPE_NAMES[kinds.get(type(value), "null")] if value is None or type(value) in kinds else "no plain value"
