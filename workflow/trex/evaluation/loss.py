"""Loss of an arm on the reference answers of a suite, and on general text that no arm was trained on.

    python -m trex.evaluation.loss --model models/sft --tokenizer tokenizer.json --suite suites/in_distribution.parquet
        --general general.parquet --context 1024 --settings config.json --threads 2 --out answer_loss.json

answer_loss: for `all` and each difficulty, mean nats a token of the reference answer (its end included) given the
prompt, with n items and n_tokens; samples longer than the context are counted in `too_long`. retention: the same for
the validation part of the general text, its documents in order, cut to the context, until there are `retention_tokens`.
settings: batch_size and retention_tokens of the config's section `evaluation`. Rounded to six digits: which texts share
a batch shows only after them.
"""

import math
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import nn

from trex.benchmarks.item import Item, read_suite
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance
from trex.corpus import chat
from trex.model import checkpoint
from trex.model.transformer import Transformer

STEP = "trex.evaluation.loss"
ALL = "all"
TOO_LONG = "too_long"
DIGITS = 6
Sequence = tuple[list[int], int]  # tokens, and the position of the first one that counts


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of the arm")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    parser.add_argument("--suite", type=Path, required=True, help="an own suite, with reference answers")
    parser.add_argument("--general", type=Path, required=True, help="table of trex.corpus.general")
    parser.add_argument("--context", type=int, required=True, help="tokens that a text may have")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads")
    parser.add_argument("--out", type=Path, required=True, help="answer_loss.json to write")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    model = checkpoint.load(arguments.model)
    tokenizer = chat.load_tokenizer(arguments.tokenizer, model.config.vocab_size)
    batch_size, context = arguments.settings["batch_size"], arguments.context
    answers = answer_loss(model, tokenizer, read_suite(arguments.suite), context, batch_size)
    texts = validation_texts(arguments.general)
    retention = retention_loss(model, tokenizer, texts, context, arguments.settings["retention_tokens"], batch_size)
    inputs = {
        "weights": checkpoint.weight_files(arguments.model),
        "tokenizer": arguments.tokenizer,
        "suite": arguments.suite,
        "general": arguments.general,
    }
    settings = arguments.settings | {"context": context, "threads": arguments.threads}
    found = {"answer_loss": answers, "retention": retention}
    files.write_json(arguments.out, found, provenance(STEP, settings, inputs))
    print(f"loss: answers {answers[ALL]['loss']} nats a token, general text {retention['loss']}")


def validation_texts(path: Path) -> list[str]:
    texts = [row["text"] for row in files.read_parquet(path) if row["split"] == "validation"]
    if not texts:
        raise UserError(f"{path}: has no validation part; make it with more corpus.general_bytes")
    return texts


def answer_loss(model: Transformer, tokenizer: Tokenizer, items: list[Item], context: int, batch_size: int) -> dict:
    """{group: {loss, n, n_tokens}, too_long: n}; the groups are `all` and the difficulties."""
    answered = [item for item in items if item.answer is not None]
    samples = [chat.encode_sample(tokenizer, item.prompt, item.answer) for item in answered]
    fitting = [(item, sample) for item, sample in zip(answered, samples, strict=True) if len(sample[0]) <= context]
    sums = summed_losses(model, [sample for _, sample in fitting], batch_size)
    groups: dict[str, list[tuple[float, int]]] = {ALL: []}
    for (item, (tokens, start)), total in zip(fitting, sums, strict=True):
        for group in (ALL, item.difficulty):
            groups.setdefault(group, []).append((total, len(tokens) - start))
    return {name: mean(members) for name, members in sorted(groups.items())} | {TOO_LONG: len(samples) - len(fitting)}


def retention_loss(
    model: Transformer, tokenizer: Tokenizer, texts: list[str], context: int, limit: int, batch_size: int
) -> dict:
    """{loss, n, n_tokens} of the first pieces of the texts that have `limit` tokens together."""
    pieces, total = [], 0
    for text in texts:
        tokens = chat.encode_document(tokenizer, text)
        for first in range(0, len(tokens) - 1, context):
            if total >= limit:
                break
            pieces.append((tokens[first : first + context], 1))
            total += len(pieces[-1][0])
    sums = summed_losses(model, pieces, batch_size)
    return mean([(value, len(tokens) - 1) for value, (tokens, _) in zip(sums, pieces, strict=True)])


def mean(members: list[tuple[float, int]]) -> dict:
    """Of (summed loss, tokens) of each text; the loss is null where there is no token."""
    n_tokens = sum(count for _, count in members)
    loss = round(math.fsum(total for total, _ in members) / n_tokens, DIGITS) if n_tokens else None
    return {"loss": loss, "n": len(members), "n_tokens": n_tokens}


@torch.no_grad()
def summed_losses(model: Transformer, sequences: list[Sequence], batch_size: int) -> list[float]:
    """Of each sequence, the summed loss in nats of its tokens that count, in the order given."""
    by_length = sorted(range(len(sequences)), key=lambda i: len(sequences[i][0]))
    sums = [0.0] * len(sequences)
    for first in cli.track(range(0, len(by_length), batch_size), "loss"):
        batch = by_length[first : first + batch_size]
        for index, value in zip(batch, batch_losses(model, [sequences[i] for i in batch]), strict=True):
            sums[index] = value
    return sums


def batch_losses(model: Transformer, sequences: list[Sequence]) -> list[float]:
    lengths = torch.tensor([len(tokens) for tokens, _ in sequences])
    starts = torch.tensor([start for _, start in sequences])
    tokens = torch.full((len(sequences), int(lengths.max())), chat.PAD)  # [B, S]
    for row, (ids, _) in enumerate(sequences):
        tokens[row, : len(ids)] = torch.tensor(ids)
    position = torch.arange(tokens.shape[1]).expand_as(tokens)
    document = (position < lengths.unsqueeze(1)).long()
    logits = model(tokens, document, position)[:, :-1]  # [B, S-1, V]
    losses = nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")  # [B, S-1]
    counted = (position[:, 1:] >= starts.unsqueeze(1)) & (document[:, 1:] == 1)
    return (losses.double() * counted).sum(1).tolist()


if __name__ == "__main__":
    cli.run(main)
