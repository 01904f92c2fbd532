"""Bench4Opt: problems with an attached data file, a reference LP and reference code. Two sets of one layout.

`bench4opt` asks for the structure of the reference LP, `bench4opt_feasible` (B4O-Feasible) for its optimum. Each has a
folder of its own with `test.jsonl` (id, problem, wp_type, reference_code in gurobipy, in the second optimal_value too)
and the files that it names: the data (data_path) and the LP (reference_lp_path).

Ids 2k and 2k+1 are twins, a detailed and a concise wording of one problem over one LP, so they form a cluster: an
interval that counts them as two independent items is too narrow, and a twin among few-shot examples gives the answer.

Not read: `solver_test.jsonl` of bench4opt. It repeats the records whose reference LP has a finite optimum, with that
optimum (116 of the first 200; every linear one re-derived by SCIP here), so it says nothing that the LP does not say.
In bench4opt_feasible the label is what decides, and the LP need not give it where an item is known to be bad.
"""

import dataclasses
import re
from pathlib import Path

from trex.benchmarks import wording
from trex.benchmarks.definition import Definition, Scoring, is_safe, number, text
from trex.benchmarks.item import Item
from trex.common import files
from trex.common.errors import UserError
from trex.problems.formats import lp

RECORD_ID = re.compile(r"BENCH4OPT_(\d+)")
PATHS = ("data_path", "reference_lp_path")
NEEDED = ("id", "problem", "wp_type", "reference_code", *PATHS)
LABEL = "optimal_value"
UNEQUAL = "reference code and shipped data do not give the reference LP (the code was run, the models compared)"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bench4Opt(Definition):
    def records(self, index: Path) -> list:
        records = files.read_jsonl(index)
        if LABEL not in self.needed and any(isinstance(record, dict) and LABEL in record for record in records):
            raise UserError(f"{index}: these are the records of {BENCH4OPT_FEASIBLE.name}, not of {self.name}")
        return records

    def attached(self, index: Path) -> list[str]:
        records = [record for record in self.checked_records(index) if isinstance(record, dict)]
        names = [record[key] for record in records for key in PATHS if key in record]
        if unsafe := [name for name in names if not isinstance(name, str) or not is_safe(name)]:
            raise UserError(f"{index}: names the file {unsafe[0]!r}, which is no relative path below its folder")
        return list(dict.fromkeys(names))

    def item(self, position: int, record: dict, index: Path) -> Item:
        match = RECORD_ID.fullmatch(text(record, "id"))
        if match is None:
            raise ValueError(f"id is not BENCH4OPT_<number>: {record['id']!r}")
        record_id = int(match[1])
        data_file = companion(index, record, "data_path")
        return Item(
            item_id=f"{self.name}/{record_id}",
            suite=self.name,
            category=self.category,
            mode="DPS",
            family=self.name,
            bucket=text(record, "wp_type").strip("_") if record["wp_type"] else "detailed",
            difficulty="unlabelled",
            prompt=wording.prompt(text(record, "problem"), data_file),
            data_file=data_file,
            criterion=self.criterion,
            objective_value=self.label(record),
            model=reference(companion(index, record, "reference_lp_path")),
            answer=text(record, "reference_code"),
            known_bad=self.known_bad.get(str(record_id), ""),
            cluster=f"{self.name}/pair-{record_id // 2}",
            upstream_id=match[0],
        )

    def label(self, record: dict) -> float | None:
        if LABEL not in self.needed:
            return None
        value = number(record[LABEL])
        if value is None:
            raise ValueError(f"{LABEL} is not a number: {record[LABEL]!r}")
        return value


def companion(index: Path, record: dict, key: str) -> str:
    """The text of the file that the record names. Raises ValueError."""
    name = text(record, key)
    if not is_safe(name):
        raise ValueError(f"{key} is no relative path below the set's folder: {name!r}")
    try:
        return (index.parent / name).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{key} {name}: {error.strerror}") from error


def reference(lp_text: str) -> dict:
    try:
        return lp.read(lp_text).to_json()
    except ValueError as error:
        raise ValueError(f"reference LP, {error}") from error


BENCH4OPT = Bench4Opt(
    name="bench4opt",
    version="394 records, 197 pairs (arXiv 2510.27610, as in the companion repository of arXiv 2607.20145)",
    source="arXiv 2510.27610; the companion repository of arXiv 2607.20145 has it as bench4opt/",
    files=("bench4opt/test.jsonl", "test.jsonl"),
    category="build",
    criterion="structure",
    scoring=Scoring("graph equivalence of the answer's LP and the reference LP; no objective value is compared"),
    licence="none found",
    label_quality="46 % have no finite optimum (infeasible or unbounded by HiGHS), so only structure can be scored; "
    "the authors' scorer gives 234 of 394 to the set's own reference code",
    known_bad=dict.fromkeys(("32", "144", "145", "206", "380", "381"), UNEQUAL),
    needed=NEEDED,
)
BENCH4OPT_FEASIBLE = Bench4Opt(
    name="bench4opt_feasible",
    version="344 records, 172 pairs (as in the companion repository of arXiv 2607.20145)",
    source="arXiv 2510.27610; the companion repository of arXiv 2607.20145 has it as bench4opt_feasible/",
    files=("bench4opt_feasible/test.jsonl", "test.jsonl"),
    category="solve",
    criterion="objective",
    scoring=Scoring("the optimum within 1e-6 of the label, absolute", abs=1e-6),
    licence="none found",
    label_quality="all 336 linear optima re-derive from the reference LPs with HiGHS",
    known_bad=dict.fromkeys(("380", "381"), f"{UNEQUAL}: label 30.0, code .1445"),
    needed=(*NEEDED, LABEL),
)
