"""Turn texts into packed rows of tokens for one training stage.

    python -m trex.corpus.pack --stage sft --tokenizer tokenizer/tokenizer.json --texts sft.parquet
        --settings config.json --seed 1 --out packed/sft.safetensors

Stages: `base` takes general text, `sft` samples, `cpt` documents and general text by the weights `cpt_mix`, in tokens:
as many as there can be without repeating a document of an instance. A source that has too few for its weight is
repeated; one that has more gives some of its documents, drawn. Rows hold `context` tokens and whole documents: one that
is longer than a row is counted (`dropped_too_long`) and left out, general text is cut into pieces that fit. Arrays, N
rows of S tokens:

    tokens int32 [N, S]; document int32 [N, S], 1, 2, ... within the row, 0 is padding; position int32 [N, S], from 0
    within the document; loss uint8 [N, S], 1 where the token at this position is to be learned: in samples the answer
    and the end, elsewhere all but a document's first token.

The metadata hold stage, counts (of each source too) and provenance. settings: the section `corpus`.
"""

import dataclasses
import json
from pathlib import Path
from random import Random

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from trex.common import cli, config, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import chat, texts

STEP = "trex.corpus.pack"
KINDS = {"base": {"general"}, "cpt": {"cpt", "general"}, "sft": {"sft"}}
OPEN_ROWS = 64
# The kinds of documents that are made of instances: the size of the mix follows from them.
OF_INSTANCES = ("report", "rationale", "data_sheet")


@dataclasses.dataclass(frozen=True)
class Piece:
    """A document's tokens; those from `learn_from` on are to be learned."""

    tokens: list[int]
    learn_from: int


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--stage", choices=sorted(KINDS), required=True)
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    parser.add_argument("--texts", nargs="+", type=Path, required=True, help="tables of trex.corpus.general, cpt, sft")
    parser.add_argument("--settings", type=config.section("corpus"), required=True, help="JSON text or file")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--out", type=Path, required=True, help="the safetensors file")
    arguments = parser.parse_args()
    settings, seed, stage = arguments.settings, arguments.seed, arguments.stage
    tokenizer = chat.load_tokenizer(arguments.tokenizer)
    tables = dict(map(texts.read, arguments.texts))
    if set(tables) != KINDS[stage]:
        raise UserError(f"stage {stage} packs {' and '.join(sorted(KINDS[stage]))}, --texts gives {', '.join(tables)}")
    context = settings["context"]
    rng = seeds.generator(seed, STEP, stage)
    pools, too_long = fitting(pieces_of(tables, tokenizer, context), context)
    chosen = mixed(pools, settings["cpt_mix"], rng) if stage == "cpt" else pools
    arrays, counts = packed([piece for source in chosen.values() for piece in source], context, rng)
    counts |= {"dropped_too_long": too_long, "sources": source_counts(chosen, pools)}
    inputs = {"tokenizer": arguments.tokenizer} | {path.stem: path for path in arguments.texts}
    metadata = files.metadata(provenance(STEP, settings | {"stage": stage}, inputs, seed))
    with files.replacing(arguments.out) as temporary:
        save_file(arrays, temporary, {"trex": json.dumps(metadata | {"stage": stage, "counts": counts})})
    print(f"{stage}: {arrays['tokens'].shape[0]} rows of {context}; {counts}")


def pieces_of(tables: dict[str, list[dict]], tokenizer: Tokenizer, context: int) -> dict[str, list[Piece]]:
    """All texts of the tables as tokens, by source, general text cut to fit."""
    pools: dict[str, list[Piece]] = {}
    for kind, rows in tables.items():
        for row in rows:
            encoded = tokenizer.encode_batch(texts.strings(kind, row), add_special_tokens=False)
            pool = pools.setdefault(texts.source(kind, row), [])
            pool += pieces(kind, [encoding.ids for encoding in encoded], context)
    return pools


def pieces(kind: str, encoded: list[list[int]], context: int) -> list[Piece]:
    """Of one row of a table."""
    if kind == "sft":
        return [sample_piece(*encoded)]
    (ids,) = encoded
    length = context - 2 if kind == "general" else max(1, len(ids))
    return [document_piece(ids[at : at + length]) for at in range(0, len(ids), length)]


def sample_piece(prompt: list[int], answer: list[int]) -> Piece:
    head = chat.prompt_layout(prompt)
    return Piece([*head, *answer, chat.EOS], len(head))


def document_piece(ids: list[int]) -> Piece:
    return Piece([chat.BOS, *ids, chat.EOS], 1)


def fitting(pools: dict[str, list[Piece]], context: int) -> tuple[dict[str, list[Piece]], int]:
    """The pieces that a row can hold, and how many it cannot."""
    kept = {source: [piece for piece in pool if len(piece.tokens) <= context] for source, pool in pools.items()}
    return kept, sum(map(len, pools.values())) - sum(map(len, kept.values()))


def mixed(pools: dict[str, list[Piece]], weights: dict[str, float], rng: Random) -> dict[str, list[Piece]]:
    """Pieces of each source that has a weight, by weight of their tokens.

    The documents of instances decide how many: none of them is repeated, and one of their kinds is used up.
    """
    used = {source: weight for source, weight in weights.items() if weight > 0}
    if without := [source for source in used if not pools.get(source)]:
        raise UserError(f"corpus.cpt_mix.{without[0]}: has a weight, but no text that fits corpus.context; set it to 0")
    deciding = [source for source in OF_INSTANCES if source in used]
    if not deciding:
        raise UserError(
            f"corpus.cpt_mix: give {', '.join(OF_INSTANCES)} a weight; the size of the mix follows from them"
        )
    each = min(total_tokens(pools[source]) / used[source] for source in deciding)
    return {source: drawn(pools[source], round(each * weight), rng) for source, weight in used.items()}


def drawn(pool: list[Piece], wanted: int, rng: Random) -> list[Piece]:
    """Pieces in a drawn order until they hold `wanted` tokens, all of them again where there are too few."""
    chosen: list[Piece] = []
    held = 0
    while held < wanted:
        for piece in rng.sample(pool, len(pool)):
            if held >= wanted:
                break
            chosen.append(piece)
            held += len(piece.tokens)
    return chosen


def total_tokens(pieces: list[Piece]) -> int:
    return sum(len(piece.tokens) for piece in pieces)


def source_counts(chosen: dict[str, list[Piece]], pools: dict[str, list[Piece]]) -> dict[str, dict]:
    """Of each source, the items and tokens that are trained on, and how often that is all that it has."""
    return {
        source: {
            "items": len(pieces),
            "tokens": total_tokens(pieces),
            "passes": round(total_tokens(pieces) / max(1, total_tokens(pools[source])), 3),
        }
        for source, pieces in chosen.items()
    }


def packed(pieces: list[Piece], context: int, rng: Random) -> tuple[dict[str, np.ndarray], dict]:
    """Arrays of packed rows in a drawn order, and counts."""
    rows = best_fit(rng.sample(pieces, len(pieces)), context)
    rng.shuffle(rows)
    arrays = {name: np.zeros((len(rows), context), np.int32) for name in ("tokens", "document", "position")}
    arrays["loss"] = np.zeros((len(rows), context), np.uint8)
    for index, row in enumerate(rows):
        start = 0
        for number, piece in enumerate(row, start=1):
            length = len(piece.tokens)
            at = (index, slice(start, start + length))
            arrays["tokens"][at] = piece.tokens
            arrays["document"][at] = number
            arrays["position"][at] = np.arange(length)
            arrays["loss"][index, start + piece.learn_from : start + length] = 1
            start += length
    counts = {
        "documents": len(pieces),
        "tokens": total_tokens(pieces),
        "tokens_learned": int(arrays["loss"].sum()),
        "rows": len(rows),
    }
    return arrays, counts


def best_fit(pieces: list[Piece], context: int) -> list[list[Piece]]:
    """Whole pieces in rows of `context` tokens: each goes to the fullest open row that holds it.

    Only so many rows stay open, the fullest is closed first: so a row's documents stood near each other in the order.
    """
    closed: list[list[Piece]] = []
    rows: list[tuple[int, list[Piece]]] = []
    for piece in pieces:
        length = len(piece.tokens)
        fitting = [index for index, (free, _) in enumerate(rows) if free >= length]
        if fitting:
            index = min(fitting, key=lambda index: rows[index][0])
            free, row = rows[index]
            row.append(piece)
            rows[index] = (free - length, row)
        else:
            if len(rows) == OPEN_ROWS:
                closed.append(rows.pop(min(range(OPEN_ROWS), key=lambda index: rows[index][0]))[1])
            rows.append((context - length, [piece]))
    return closed + [row for _, row in rows]


if __name__ == "__main__":
    cli.run(main)
