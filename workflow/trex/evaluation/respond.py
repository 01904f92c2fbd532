"""Let a model of this run answer every item of a suite or a public benchmark.

    python -m trex.evaluation.respond --model models/sft --tokenizer tokenizer.json
        --suite suites/in_distribution.parquet --context 1024 --settings config.json --threads 2
        --out evaluation/sft/in_distribution/responses.jsonl

One row an answer, in the items' order, an item's answers one after another: id, sha256 (of what was asked), response,
n_prompt_tokens, n_tokens, finish (`stop`, `length`, or `prompt_too_long`: prompt and answer together would exceed the
context, nothing was asked). Beside it, in the sidecar, the protocol.

settings: max_new_tokens, batch_size and protocol of the config's section `evaluation`. protocol: samples (answers an
item), temperature (0: greedy), top_p, seed, shots and selection (worked examples before the problem, from --pool; see
trex.evaluation.few_shot). Prompts of like length share a batch; a sequence's result depends on the others of its batch
by rounding alone. What is drawn for an answer depends on the item's name and on seed + attempt (from 0).

The miniature was trained on single questions: examples before the problem are a layout that it has never seen.
"""

import dataclasses
from pathlib import Path

import torch
from tokenizers import Tokenizer

from trex.benchmarks.item import Item
from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import digest_file, provenance
from trex.corpus import chat
from trex.evaluation import items as item_sources
from trex.evaluation.few_shot import Example, Selector, read_pool
from trex.evaluation.protocol import Protocol
from trex.evaluation.responses import LENGTH, PROMPT_TOO_LONG, STOP
from trex.model import checkpoint
from trex.model.generate import Sampler, generate
from trex.model.transformer import Transformer

STEP = "trex.evaluation.respond"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of the arm")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    item_sources.add_arguments(parser)
    parser.add_argument("--pool", type=Path, help="with shots: JSONL or Parquet of worked examples")
    parser.add_argument("--context", type=int, required=True, help="tokens that prompt and answer may have together")
    parser.add_argument("--settings", type=cli.json_argument, required=True, help="JSON text or file")
    parser.add_argument("--threads", type=cli.positive, required=True, help="CPU threads")
    parser.add_argument("--out", type=Path, required=True, help="responses.jsonl to write")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    protocol = protocol_of(arguments.settings, arguments.model.name, arguments.pool)
    items, sources = item_sources.read(arguments)
    pool = [] if arguments.pool is None else read_pool(arguments.pool)
    model = checkpoint.load(arguments.model)
    tokenizer = chat.load_tokenizer(arguments.tokenizer, model.config.vocab_size)
    rows = respond(model, tokenizer, items, arguments.context, arguments.settings["batch_size"], protocol, pool)
    weights = checkpoint.weight_files(arguments.model)
    inputs = {"items": sources, "weights": weights, "tokenizer": arguments.tokenizer}
    if arguments.pool is not None:
        inputs["pool"] = arguments.pool
    settings = arguments.settings | {"context": arguments.context, "threads": arguments.threads}
    about = {"protocol": dataclasses.asdict(protocol)}
    files.write_jsonl(arguments.out, rows, provenance(STEP, settings, inputs, protocol.seed), about)
    counts = {finish: sum(row["finish"] == finish for row in rows) for finish in (STOP, LENGTH, PROMPT_TOO_LONG)}
    print(f"responses: {len(items)} items, {sum(row['n_tokens'] for row in rows)} tokens; {counts}")


def protocol_of(settings: dict, model: str, pool: Path | None) -> Protocol:
    """Raises UserError naming a setting that is missing or cannot be."""
    given = settings["protocol"]
    stated = {name: given[name] for name in ("samples", "temperature", "top_p", "seed", "shots", "selection")}
    if missing := [name for name, value in stated.items() if value is None]:
        raise UserError(f"protocol: {missing[0]} is null; give it a value")
    protocol = Protocol(model=model, max_tokens=settings["max_new_tokens"], **stated)
    if protocol.shots == 0 and pool is not None:
        raise UserError("--pool belongs to shots above 0; leave it out")
    if protocol.shots == 0:
        return dataclasses.replace(protocol, selection=None)
    if pool is None:
        raise UserError(f"protocol: shots is {protocol.shots}; give --pool, the file that examples are taken from")
    return dataclasses.replace(protocol, pool=files.open_input(pool, digest_file))


def respond(
    model: Transformer,
    tokenizer: Tokenizer,
    items: list[Item],
    context: int,
    batch_size: int,
    protocol: Protocol,
    pool: list[Example],
) -> list[dict]:
    """The rows of each item."""
    prompts = encoded(tokenizer, items, protocol, pool)
    attempts = [(i, attempt) for i in range(len(items)) for attempt in range(protocol.samples)]
    asked = [(i, attempt) for i, attempt in attempts if len(prompts[i]) + protocol.max_tokens <= context]
    asked.sort(key=lambda pair: len(prompts[pair[0]]))
    written: dict[tuple[int, int], list[int]] = {}
    for start in cli.track(range(0, len(asked), batch_size), "answering"):
        batch = asked[start : start + batch_size]
        sampler = sampler_of(protocol, [(items[i].item_id, attempt) for i, attempt in batch])
        answers = generate(model, [prompts[i] for i, _ in batch], protocol.max_tokens, {chat.EOS}, sampler)
        written.update(zip(batch, answers, strict=True))
    return [
        row_of(items[i], prompts[i], written.get((i, attempt)), tokenizer, protocol.max_tokens)
        for i, attempt in attempts
    ]


def encoded(tokenizer: Tokenizer, items: list[Item], protocol: Protocol, pool: list[Example]) -> list[list[int]]:
    """What the model is given for each item."""
    if protocol.shots == 0:
        return [chat.encode_prompt(tokenizer, item.prompt) for item in items]
    selector = Selector(pool, protocol.selection, protocol.seed)
    chosen = [selector.choose(item, protocol.shots) for item in items]
    turns = [[(example.prompt, example.answer) for example in examples] for examples in chosen]
    return [chat.encode_turns(tokenizer, earlier, item.prompt) for earlier, item in zip(turns, items, strict=True)]


def sampler_of(protocol: Protocol, attempts: list[tuple[str, int]]) -> Sampler | None:
    """For a batch of attempts at items; None is greedy."""
    if protocol.temperature == 0:
        return None
    generators = [seeds.generator(protocol.seed + attempt, STEP, item_id) for item_id, attempt in attempts]
    return Sampler(protocol.temperature, protocol.top_p, generators)


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
