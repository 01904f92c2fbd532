"""What the corpus steps share: reading instances, their use, and counts that travel inside a table's metadata."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

from trex.common import files, seeds
from trex.common.errors import UserError

SFT_PERCENT = 55
SFT = "sft"
CPT = "cpt"
CPTX = "cptx"


def read_instances(paths: Iterable[str | Path]) -> list[dict]:
    """All rows of the tables, each model once."""
    return each_model_once([row for path in paths for row in files.read_parquet(path)])


def each_model_once(rows: list[dict]) -> list[dict]:
    """Of two families' instances with one canonical form, that of the lower index stays (of the first family where they
    are equal), so that more instances take none away."""
    first: dict[str, dict] = {}
    for row in sorted(rows, key=lambda row: (row["instance_id"].rpartition("-")[2], row["family"])):
        first.setdefault(row["certificate"], row)
    return sorted(first.values(), key=lambda row: row["instance_id"])


def check_buckets(buckets: set[str], settings: dict) -> None:
    """Raises UserError where a bucket that is kept apart is none of the run's, or none is left to train on."""
    heldout, apart = settings["heldout_bucket"], settings["cptx_buckets"]
    for key, bucket in [("heldout_bucket", heldout), *(("cptx_buckets", bucket) for bucket in apart)]:
        if bucket not in buckets:
            raise UserError(
                f"corpus.{key}: {bucket!r} is the bucket of no family of the run; "
                f"there are {', '.join(sorted(buckets))}"
            )
    if heldout in apart:
        raise UserError(f"corpus.cptx_buckets: {heldout!r} is held out of all training; name other buckets")
    if buckets == {heldout, *apart}:
        raise UserError("corpus.heldout_bucket and corpus.cptx_buckets leave no bucket to train on; name fewer")


def trained_buckets(rows: list[dict], settings: dict) -> set[str]:
    """Those that samples, documents and the in-distribution suite are made of."""
    return {row["bucket"] for row in rows} - {settings["heldout_bucket"], *settings["cptx_buckets"]}


def training_instances(rows: list[dict], settings: dict, seed: int, use: str) -> list[dict]:
    """Instances of the training split to make texts of.

    use: `sft` or `cpt`, disjoint from each other; `cptx`, of the buckets that nothing else is made of.
    """
    check_buckets({row["bucket"] for row in rows}, settings)
    if use == CPTX:
        return [row for row in rows if row["split"] == "train" and row["bucket"] in settings["cptx_buckets"]]
    buckets = trained_buckets(rows, settings)
    return [
        row
        for row in rows
        if row["split"] == "train" and row["bucket"] in buckets and use_of(row["instance_id"], seed) == use
    ]


def use_of(instance_id: str, seed: int) -> str:
    return SFT if seeds.derive(seed, "use", instance_id) % 100 < SFT_PERCENT else CPT


def with_counts(provenance: dict, counts: dict) -> dict:
    """The provenance block of a table, with what the step counted."""
    return provenance | {"counts": counts}


def read_counts(path: str | Path) -> dict:
    schema = files.open_input(path, pq.read_schema)
    return json.loads(schema.metadata[files.METADATA_KEY])["provenance"]["counts"]
