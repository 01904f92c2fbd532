"""NL4OPT: short linear word problems with the optimum as label.

Format: one Parquet file `test.parquet` with en_question (text) and en_answer (a number as text). Version: the 289-row
copy in the companion repository of arXiv 2607.20145; other copies have 245 or 214 rows. Text and labels are those of
ReSocratic's NL4OPT-E (arXiv 2407.09887), Apache-2.0. Scored by the objective.

Labels not audited: a survey (arXiv 2508.10047) puts at least 26.4 % of them wrong, and many hold only when all
variables are integer. Items are named by their 0-based row.
"""

import math
from pathlib import Path

from trex.benchmarks import wording
from trex.benchmarks.item import Item
from trex.common import files
from trex.common.errors import UserError

NAME = "nl4opt"
FILES = ("test.parquet", "NL4OPT/test.parquet")
COLUMNS = ("en_question", "en_answer")


def source(folder: str | Path) -> Path:
    """The set's file: in the folder itself, or in its place below the upstream folder of all sets."""
    for name in FILES:
        if (Path(folder) / name).is_file():
            return Path(folder) / name
    raise UserError(f"{folder}: holds neither {' nor '.join(FILES)}; name the folder that has {NAME}'s file")


def read(folder: str | Path) -> list[Item]:
    """All items in the file's order. Raises UserError naming the rows that are malformed."""
    path = source(folder)
    rows = files.read_parquet(path)
    if not rows or any(name not in rows[0] for name in COLUMNS):
        raise UserError(f"{path}: not NL4OPT, it needs rows with the columns {', '.join(COLUMNS)}")
    malformed = [f"row {number}: {reason}" for number, row in enumerate(rows) if (reason := fault(row))]
    if malformed:
        shown = "; ".join(malformed[:5])
        raise UserError(f"{path}: {len(malformed)} malformed records ({shown}); mend or remove them")
    return [item(number, row) for number, row in enumerate(rows)]


def fault(row: dict) -> str | None:
    question, answer = (row[name] for name in COLUMNS)
    if not isinstance(question, str) or not question.strip():
        return "en_question is not a text"
    return None if number(answer) is not None else f"en_answer is not a number: {answer!r}"


def number(text: object) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def item(number_of_row: int, row: dict) -> Item:
    return Item(
        item_id=f"{NAME}/{number_of_row}",
        suite=NAME,
        category="word",
        mode="DP",
        family=NAME,
        bucket=NAME,
        difficulty="unlabelled",
        prompt=wording.prompt(row["en_question"].strip()),
        data_file=None,
        criterion="objective",
        objective_value=number(row["en_answer"]),
        model=None,
        answer=None,
    )
