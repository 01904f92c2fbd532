"""Turn texts into packed rows of tokens for one training stage.

    python -m trex.corpus.pack --stage sft --tokenizer tokenizer/tokenizer.json --texts sft.parquet
        --settings config.json --seed 1 --out packed/sft.safetensors

Stages: `base` takes general text, `cpt` documents with `cpt_general_fraction` of general text among the tokens, `sft`
samples. Rows hold `context` tokens and whole documents: one that is longer than a row is counted (`dropped_too_long`)
and left out, general text is cut into pieces that fit. Arrays, N rows of S tokens:

    tokens int32 [N, S]; document int32 [N, S], 1, 2, ... within the row, 0 is padding; position int32 [N, S], from 0
    within the document; loss uint8 [N, S], 1 where the token at this position is to be learned: in samples the answer
    and the end, elsewhere all but a document's first token.

The metadata hold stage, counts and provenance. settings: the section `corpus`.
"""

import dataclasses
import json
from pathlib import Path
from random import Random

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import chat, texts

STEP = "trex.corpus.pack"
KINDS = {"base": {"general"}, "cpt": {"cpt", "general"}, "sft": {"sft"}}
OPEN_ROWS = 64


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
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
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
    pieces = {kind: pieces_of(kind, rows, tokenizer, context) for kind, rows in tables.items()}
    chosen = (
        mixed(pieces["cpt"], pieces["general"], settings["cpt_general_fraction"], rng)
        if stage == "cpt"
        else [piece for kind in pieces.values() for piece in kind]
    )
    arrays, counts = packed(chosen, context, rng)
    inputs = {"tokenizer": arguments.tokenizer} | {path.stem: path for path in arguments.texts}
    metadata = files.metadata(provenance(STEP, settings | {"stage": stage}, inputs, seed))
    with files.replacing(arguments.out) as temporary:
        save_file(arrays, temporary, {"trex": json.dumps(metadata | {"stage": stage, "counts": counts})})
    print(f"{stage}: {arrays['tokens'].shape[0]} rows of {context}; {counts}")


def pieces_of(kind: str, rows: list[dict], tokenizer: Tokenizer, context: int) -> list[Piece]:
    """All documents of a table as tokens, general text cut to fit."""
    encoded = [
        [encoding.ids for encoding in tokenizer.encode_batch(texts.strings(kind, row), add_special_tokens=False)]
        for row in rows
    ]
    if kind == "sft":
        return [sample_piece(prompt, answer) for prompt, answer in encoded]
    if kind == "cpt":
        return [document_piece(ids) for (ids,) in encoded]
    length = context - 2
    return [document_piece(ids[at : at + length]) for (ids,) in encoded for at in range(0, len(ids), length)]


def sample_piece(prompt: list[int], answer: list[int]) -> Piece:
    head = chat.prompt_layout(prompt)
    return Piece([*head, *answer, chat.EOS], len(head))


def document_piece(ids: list[int]) -> Piece:
    return Piece([chat.BOS, *ids, chat.EOS], 1)


def mixed(documents: list[Piece], general: list[Piece], fraction: float, rng: Random) -> list[Piece]:
    """All documents, and general pieces in a drawn order until they hold `fraction` of the tokens."""
    wanted = sum(len(piece.tokens) for piece in documents) * fraction / (1 - fraction)
    chosen, held = list(documents), 0
    for piece in rng.sample(general, len(general)):
        if held >= wanted:
            break
        chosen.append(piece)
        held += len(piece.tokens)
    return chosen


def packed(pieces: list[Piece], context: int, rng: Random) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Arrays of packed rows in a drawn order, and counts."""
    fitting = [piece for piece in pieces if len(piece.tokens) <= context]
    rng.shuffle(fitting)
    rows = best_fit(fitting, context)
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
        "documents": len(fitting),
        "tokens": sum(len(piece.tokens) for piece in fitting),
        "tokens_learned": int(arrays["loss"].sum()),
        "rows": len(rows),
        "dropped_too_long": len(pieces) - len(fitting),
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
