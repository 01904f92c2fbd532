"""Let a model of this run answer every item of a suite or a public benchmark, greedily.

    python -m trex.evaluation.respond --model models/sft --tokenizer tokenizer.json
        --suite suites/in_distribution.parquet --context 1024 --settings config.json --threads 2
        --out evaluation/sft/in_distribution/responses.jsonl

One row an item, in the items' order: id, sha256 (of what was asked), response, n_prompt_tokens, n_tokens, finish
(`stop`, `length`, or `prompt_too_long`: prompt and answer together would exceed the context, nothing was asked).
settings: max_new_tokens, batch_size of the config's section `evaluation`. Prompts of like length share a batch; a
sequence's result depends on the others of its batch by rounding alone.
"""

from pathlib import Path

import torch
from tokenizers import Tokenizer

from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.provenance import provenance
from trex.corpus import chat
from trex.evaluation import items as item_sources
from trex.model import checkpoint
from trex.model.generate import generate
from trex.model.transformer import Transformer

STEP = "trex.evaluation.respond"
STOP, LENGTH, PROMPT_TOO_LONG = "stop", "length", "prompt_too_long"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of the arm")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    item_sources.add_arguments(parser)
    parser.add_argument("--context", type=int, required=True, help="tokens that prompt and answer may have together")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--threads", type=int, required=True, help="CPU threads")
    parser.add_argument("--out", type=Path, required=True, help="responses.jsonl to write")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    items, sources = item_sources.read(arguments)
    tokenizer = chat.load_tokenizer(arguments.tokenizer)
    model = checkpoint.load(arguments.model)
    rows = respond(model, tokenizer, items, arguments.context, arguments.settings)
    inputs = {"items": sources, "weights": arguments.model / "model.safetensors", "tokenizer": arguments.tokenizer}
    settings = arguments.settings | {"context": arguments.context, "threads": arguments.threads}
    files.write_jsonl(arguments.out, rows, provenance(STEP, settings, inputs))
    counts = {finish: sum(row["finish"] == finish for row in rows) for finish in (STOP, LENGTH, PROMPT_TOO_LONG)}
    print(f"responses: {len(rows)} items, {sum(row['n_tokens'] for row in rows)} tokens; {counts}")


def respond(model: Transformer, tokenizer: Tokenizer, items: list[Item], context: int, settings: dict) -> list[dict]:
    """A row for each item."""
    prompts = [chat.encode_prompt(tokenizer, item.prompt) for item in items]
    longest = context - settings["max_new_tokens"]
    asked = sorted((i for i, prompt in enumerate(prompts) if len(prompt) <= longest), key=lambda i: len(prompts[i]))
    size = settings["batch_size"]
    written: dict[int, list[int]] = {}
    for start in cli.track(range(0, len(asked), size), "answering"):
        batch = asked[start : start + size]
        answers = generate(model, [prompts[i] for i in batch], settings["max_new_tokens"], chat.EOS)
        written.update(zip(batch, answers, strict=True))
    return [
        row_of(item, prompts[i], written.get(i), tokenizer, settings["max_new_tokens"]) for i, item in enumerate(items)
    ]


def row_of(item: Item, prompt: list[int], answer: list[int] | None, tokenizer: Tokenizer, limit: int) -> dict:
    finish = PROMPT_TOO_LONG if answer is None else STOP if len(answer) < limit else LENGTH
    return {
        "id": item.item_id,
        "sha256": item.sha256,
        "response": chat.decode(tokenizer, answer or []),
        "n_prompt_tokens": len(prompt),
        "n_tokens": len(answer or []),
        "finish": finish,
    }


if __name__ == "__main__":
    cli.run(main)
