"""Benchmarks of questions and numeric answers: each is a YAML file, the shipped ones in `sets/`, a user's own anywhere.

    name: mine                      # lower-case letters, digits and _
    version: first draft
    source: where it comes from
    files: [mine.jsonl]             # where it may stand below the folder that the user names; the first found is read
    format: jsonl                   # or json (a list), or parquet
    fields: {question: text, answer: optimum}   # also id (else the row's number from 0 is the id) and difficulty
    category: mixed                 # or word
    scoring: {rule: "the optimum, within one in a million", rel: 1.0e-6}        # abs or rel
    licence: none
    label_quality: not audited
    statuses: {"No Best Solution": infeasible_or_unbounded}     # optional: labels that are no numbers
    known_bad: {17: "the label forgets the fixed cost (checked by hand)"}       # optional, by id

An answer is a finite number, as a number or as text, or one of the labels in `statuses`.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import yaml

from trex.benchmarks import wording
from trex.benchmarks.definition import CATEGORIES, Definition, Scoring, is_safe, number, text
from trex.benchmarks.item import STATUSES, Item
from trex.common import config, config_errors, files
from trex.common.errors import UserError

TEXT = {"type": "string", "minLength": 1}
TOLERANCE = {"type": "number", "exclusiveMinimum": 0}
FIELDS = ("question", "answer", "id", "difficulty")
UNLABELLED = "unlabelled"


def read_list(path: Path) -> list:
    records = files.read_json(path)
    if not isinstance(records, list):
        raise UserError(f"{path}: holds no JSON list of records")
    return records


READERS: dict[str, Callable[[Path], list]] = {
    "parquet": files.read_parquet,
    "jsonl": files.read_jsonl,
    "json": read_list,
}


def section(required: tuple[str, ...], **properties: dict) -> dict:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


SCHEMA = section(
    ("name", "version", "source", "files", "format", "fields", "category", "scoring", "licence", "label_quality"),
    name={"type": "string", "pattern": "^[a-z0-9_]+$"},
    version=TEXT,
    source=TEXT,
    files={"type": "array", "minItems": 1, "items": TEXT},
    format={"enum": list(READERS)},
    fields=section(("question", "answer"), **dict.fromkeys(FIELDS, TEXT)),
    category={"enum": list(CATEGORIES)},
    scoring=section(("rule",), rule=TEXT, abs=TOLERANCE, rel=TOLERANCE),
    licence=TEXT,
    label_quality=TEXT,
    known_bad={"type": "object", "additionalProperties": TEXT},
    statuses={"type": "object", "additionalProperties": {"enum": list(STATUSES[1:])}},
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionSet(Definition):
    """format: of the index; fields: what the keys of a record are called; statuses: label -> expected status."""

    format: str
    fields: Mapping[str, str]
    statuses: Mapping[float | str, str]

    def records(self, index: Path) -> list:
        return READERS[self.format](index)

    def item(self, position: int, record: dict, index: Path) -> Item:
        record_id = self.record_id(position, record)
        objective_value, status = self.answer(record[self.fields["answer"]])
        return Item(
            item_id=f"{self.name}/{record_id}",
            suite=self.name,
            category=self.category,
            mode="DP",
            family=self.name,
            bucket=self.name,
            difficulty=str(record.get(self.fields.get("difficulty")) or UNLABELLED).strip().lower(),
            prompt=wording.prompt(text(record, self.fields["question"])),
            data_file=None,
            criterion=self.criterion,
            objective_value=objective_value,
            model=None,
            answer=None,
            known_bad=self.known_bad.get(record_id, ""),
            expected_status=status,
        )

    def record_id(self, position: int, record: dict) -> str:
        if "id" not in self.fields:
            return str(position)
        value = record[self.fields["id"]]
        if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
            raise ValueError(f"{self.fields['id']} is neither an integer nor a text: {value!r}")
        return str(value).strip()

    def answer(self, label: object) -> tuple[float | None, str | None]:
        """(objective value, expected status)"""
        if status := self.statuses.get(label_key(label)):
            return None, status
        value = number(label)
        if value is None:
            raise ValueError(f"{self.fields['answer']} is not a number: {label!r}")
        return value, None


def label_key(label: object) -> float | str:
    """A label as it is compared: -99999, "-99999" and -99999.0 are one."""
    value = number(label)
    return str(label).strip() if value is None else value


def load(path: str | Path) -> QuestionSet:
    """The benchmark that a YAML file defines. Raises UserError naming every fault with its line."""
    places, errors = config.read(Path(path))
    if not errors:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        errors = list(missing(content, SCHEMA)) or config_errors.check(content, SCHEMA, places) or impossible(content)
    if errors:
        raise UserError(f"{path}: no definition of a benchmark: {'; '.join(errors)}")
    fields = content["fields"]
    return QuestionSet(
        **content
        | {
            "files": tuple(content["files"]),
            "scoring": Scoring(**content["scoring"]),
            "criterion": "objective",
            "needed": tuple(fields[name] for name in ("question", "answer", "id") if name in fields),
            "known_bad": {str(key): reason for key, reason in content.get("known_bad", {}).items()},
            "statuses": {label_key(label): status for label, status in content.get("statuses", {}).items()},
        }
    )


def missing(content: object, schema: dict, path: tuple[str, ...] = ()) -> Iterator[str]:
    if not isinstance(content, dict):
        return
    for key in schema.get("required", ()):
        if key not in content:
            yield f"{config_errors.dotted((*path, key))} is missing"
    for key, inner in schema.get("properties", {}).items():
        yield from missing(content.get(key), inner, (*path, key))


def impossible(content: dict) -> list[str]:
    """What no single key shows."""
    errors = [f"files: {name} is no relative path below a folder" for name in content["files"] if not is_safe(name)]
    if len({"abs", "rel"} & content["scoring"].keys()) != 1:
        errors.append("scoring: needs abs or rel, one of them")
    return errors
