"""The item of a suite: one problem to answer, with what its score is compared to. Own suites and public sets alike.

A suite is a Parquet file with one row an item and one column a field; the model stands in it as JSON text.
"""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from trex.common import files
from trex.common.errors import UserError
from trex.common.provenance import digest_bytes

CRITERIA = ("objective", "structure")
OPTIMAL = "optimal"
STATUSES = (OPTIMAL, "infeasible", "unbounded", "infeasible_or_unbounded")


@dataclasses.dataclass(frozen=True)
class Item:
    """One problem.

    category: word, mixed, solve or build; mode: DP, DT or DPS; family, bucket and difficulty are those of the
    instance, or the public set's own labels. data_file: the text of the attached `data.json` (None without one).
    criterion: what decides, the optimal `objective` or the `structure` of the model. objective_value: the optimum
    (None where there is none or it is unknown); model: the reference in the IR's JSON (None where unknown);
    answer: a reference answer (None where there is none). known_bad: why label or reference are known to be wrong, and
    who says so ('' where nothing is known). cluster: shared by the items that are not independent of each other, as
    two wordings of one problem; the item's own id unless given. expected_status: what a right model is when solved;
    `optimal` where there is an objective value, `infeasible_or_unbounded` where the label says no more than that there
    is no optimum, None where it is unknown. upstream_id: where the item's name does not end in it. sha256: of the
    prompt, and of the data file if any.
    """

    item_id: str
    suite: str
    category: str
    mode: str
    family: str
    bucket: str
    difficulty: str
    prompt: str
    data_file: str | None
    criterion: str
    objective_value: float | None
    model: dict | None
    answer: str | None
    known_bad: str = ""
    cluster: str = ""
    expected_status: str | None = None
    upstream_id: str = ""
    sha256: str = dataclasses.field(init=False)

    def __post_init__(self):
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion {self.criterion!r}, expected one of {', '.join(CRITERIA)}")
        object.__setattr__(self, "cluster", self.cluster or self.item_id)
        if self.objective_value is not None:
            object.__setattr__(self, "expected_status", self.expected_status or OPTIMAL)
        self._check_status()
        text = self.prompt if self.data_file is None else f"{self.prompt}\0{self.data_file}"
        object.__setattr__(self, "sha256", digest_bytes(text.encode()))

    def _check_status(self):
        if self.expected_status not in (*STATUSES, None):
            raise ValueError(f"expected_status {self.expected_status!r}, expected one of {', '.join(STATUSES)} or None")
        if self.objective_value is not None and self.expected_status != OPTIMAL:
            raise ValueError(f"expected_status {self.expected_status!r} beside an objective value")


COLUMNS = pa.schema(
    [
        (field.name, pa.float64() if field.name == "objective_value" else pa.string())
        for field in dataclasses.fields(Item)
    ]
)


def write_suite(path: str | Path, items: Iterable[Item], provenance: dict) -> None:
    rows = [dataclasses.asdict(item) for item in items]
    for row in rows:
        row["model"] = None if row["model"] is None else json.dumps(row["model"])
    files.write_parquet(path, pa.Table.from_pylist(rows, schema=COLUMNS), provenance)


def read_suite(path: str | Path) -> list[Item]:
    """The items of a suite file, in the file's order.

    Raises UserError for a file that is no suite, two items of one name, or an item whose digest does not fit its text.
    """
    items = []
    for number, row in enumerate(files.read_parquet(path), start=1):
        if missing := [name for name in COLUMNS.names if name not in row]:
            raise UserError(
                f"{path}: not a suite, it lacks the columns {', '.join(missing)}; make it with trex.corpus.suites"
            )
        sha256 = row["sha256"]
        values = {name: row[name] for name in COLUMNS.names if name != "sha256"}
        try:
            item = Item(**values | {"model": None if row["model"] is None else json.loads(row["model"])})
        except ValueError as error:
            raise UserError(f"{path}, row {number}: {error}; make the suite again") from error
        if item.sha256 != sha256:
            raise UserError(
                f"{path}, row {number}: the text of {item.item_id} is not the one that was hashed; make the suite again"
            )
        items.append(item)
    if len({item.item_id for item in items}) < len(items):
        raise UserError(f"{path}: two items have the same item_id; make the suite again")
    return items
