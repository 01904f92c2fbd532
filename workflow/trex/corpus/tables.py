"""What the corpus steps share: reading instances, and counts that travel inside a table's metadata."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

from trex.common import files, seeds

SFT_PERCENT = 55


def read_instances(paths: Iterable[str | Path]) -> list[dict]:
    return [row for path in paths for row in files.read_parquet(path)]


def training_instances(rows: list[dict], heldout_bucket: str, seed: int, use: str) -> list[dict]:
    """Instances to train on, `sft` and `cpt` disjoint: of the training split, and not of the held-out bucket."""
    return [
        row
        for row in rows
        if row["split"] == "train" and row["bucket"] != heldout_bucket and use_of(row["instance_id"], seed) == use
    ]


def use_of(instance_id: str, seed: int) -> str:
    return "sft" if seeds.derive(seed, "use", instance_id) % 100 < SFT_PERCENT else "cpt"


def with_counts(provenance: dict, counts: dict) -> dict:
    """The provenance block of a table, with what the step counted."""
    return provenance | {"counts": counts}


def read_counts(path: str | Path) -> dict:
    schema = files.open_input(path, pq.read_schema)
    return json.loads(schema.metadata[files.METADATA_KEY])["provenance"]["counts"]
