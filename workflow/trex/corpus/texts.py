"""Reading training texts: which of the three kinds of tables a file is, and what is trained on in it."""

from pathlib import Path

from trex.common import files
from trex.common.errors import UserError


def read(path: str | Path) -> tuple[str, list[dict]]:
    """(kind, rows) of a table of samples (`sft`), documents (`cpt`) or general text (`general`, its training split)."""
    rows = files.read_parquet(path)
    columns = set(rows[0]) if rows else set()
    if "messages" in columns:
        return "sft", rows
    if {"text", "kind"} <= columns:
        return "cpt", rows
    if {"text", "source", "split"} <= columns:
        return "general", [row for row in rows if row["split"] == "train"]
    raise UserError(
        f"{path}: neither samples, documents nor general text; give tables of trex.corpus.sft, cpt or general"
    )


def source(kind: str, row: dict) -> str:
    """What counts by source tell apart: the kind of document, English or Python, or samples."""
    return {"cpt": row.get("kind"), "general": row.get("source")}.get(kind) or kind


def strings(kind: str, row: dict) -> list[str]:
    """The texts of a row that are turned into tokens, one by one."""
    return [message["content"] for message in row["messages"]] if kind == "sft" else [row["text"]]
