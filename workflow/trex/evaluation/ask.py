"""Let a model behind an OpenAI-compatible endpoint answer every item of a suite or a public benchmark.

    python -m trex.evaluation.ask --benchmark nl4opt --data sets --base-url http://localhost:8000/v1 --model qwen
        --out responses.jsonl

One row an attempt, in the items' order: id, sha256 (of what was asked), response, finish (`stop`, `length`,
`prompt_too_long`, or `api`: the endpoint failed, nothing is known of the model), detail, and n_prompt_tokens and
n_tokens where the endpoint counts them. How it was asked stands in `<out>.meta.json`.

Each answer goes into the cache at once: an interrupted run goes on where it stopped, a finished one asks nothing, and
failures are asked again. Only the variable's name is given of a key; the key itself is written nowhere.
"""

import argparse
import asyncio
import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import digest_bytes, digest_file, provenance
from trex.evaluation import items as item_sources
from trex.evaluation.endpoint import Answer, Endpoint
from trex.evaluation.journal import Journal
from trex.evaluation.protocol import SELECTIONS, Protocol
from trex.evaluation.responses import API, FINISHES

STEP = "trex.evaluation.ask"
# What outside models are told beside the problem, whose last line asks for MathOpt as it asks the run's arms.
SYSTEM = """\
You formulate optimization problems. Answer with one complete Python program in a ```python block, which builds the
model of the problem with all its data. Any of these libraries will do, whichever the problem names: OR-Tools (MathOpt,
pywraplp, CP-SAT), gurobipy, PuLP, Pyomo, CVXPY, PySCIPOpt, scipy.optimize. The model object that the program builds is
taken and solved; what the program prints is not read. Where the problem comes with a file data.json, the program reads
it from its working folder."""
MAX_TOKENS_NAMES = ("max_tokens", "max_completion_tokens")


def main() -> None:
    parser = cli.parser(__doc__)
    item_sources.add_arguments(parser)
    add_arguments(parser)
    arguments = parser.parse_args()
    check(arguments)
    items, sources = item_sources.read(arguments)
    system = system_of(arguments.system)
    protocol = protocol_of(arguments, system)
    endpoint = Endpoint(arguments.base_url, key_of(arguments.key_env), arguments.timeout_s, arguments.retries)
    inputs = {"items": sources} | ({"pool": arguments.pool} if arguments.pool else {})
    settings = dataclasses.asdict(protocol) | {"endpoint": endpoint.url}
    bodies = requests(items, protocol, arguments.max_tokens_name, arguments.pool, system)
    asked = Asked(bodies, endpoint, total=len(items) * protocol.samples)
    with Journal(arguments.cache or Path(f"{arguments.out}.cache.jsonl")) as journal:
        asyncio.run(asked.ask(journal, arguments.concurrency))
        files.write_jsonl(
            arguments.out,
            asked.rows(items, protocol.samples, journal),
            provenance(STEP, settings, inputs, protocol.seed),
            about={"protocol": dataclasses.asdict(protocol)},
        )
    print(asked.summary(len(items)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base-url", required=True, help="what stands before /chat/completions, mostly ends in /v1")
    parser.add_argument("--model", required=True, help="its name there")
    parser.add_argument("--out", type=Path, required=True, help="responses.jsonl to write")
    parser.add_argument("--key-env", help="environment variable that holds the key; none is sent without")
    parser.add_argument("--samples", type=int, default=1, help="answers an item (default 1)")
    unsent = "; none: it is not sent, for models that refuse it"
    parser.add_argument("--temperature", type=unless_none(float), default=0.0, help=f"0 (default) is greedy{unsent}")
    parser.add_argument("--top-p", type=unless_none(float), default=1.0, help=f"default 1{unsent}")
    parser.add_argument("--seed", type=int, default=1, help="attempt i of an item gets seed + i (default 1)")
    parser.add_argument("--max-tokens", type=int, default=4096, help="that an answer may have (default 4096)")
    parser.add_argument(
        "--max-tokens-name", choices=MAX_TOKENS_NAMES, default=MAX_TOKENS_NAMES[0], help="what the endpoint calls it"
    )
    parser.add_argument("--shots", type=int, default=0, help="worked examples before each problem (default 0)")
    parser.add_argument("--selection", choices=SELECTIONS, default="bm25", help="of the examples (default bm25)")
    parser.add_argument("--pool", type=Path, help="with --shots: the examples, see trex.evaluation.few_shot")
    parser.add_argument("--system", type=Path, help="a text to send before all else instead of ours; none where empty")
    parser.add_argument("--concurrency", type=int, default=4, help="requests at a time (default 4)")
    parser.add_argument("--timeout-s", type=float, default=600.0, help="seconds for an answer (default 600)")
    parser.add_argument("--retries", type=int, default=5, help="after faults that may pass (default 5)")
    parser.add_argument("--cache", type=Path, help="answers so far (default <out>.cache.jsonl)")


def unless_none(convert: Callable[[str], float]) -> Callable[[str], float | None]:
    def converted(text: str) -> float | None:
        return None if text == "none" else convert(text)

    converted.__name__ = convert.__name__  # argparse names it where the text is wrong
    return converted


def check(arguments: argparse.Namespace) -> None:
    """Raises UserError for what cannot be, beside what the protocol itself refuses."""
    for name, least in {"concurrency": 1, "retries": 0}.items():
        if getattr(arguments, name) < least:
            raise UserError(f"--{name} is {getattr(arguments, name)}; give at least {least}")
    if not 0 < arguments.timeout_s < float("inf"):
        raise UserError(f"--timeout-s is {arguments.timeout_s}; give more than 0")
    if not arguments.model.strip():
        raise UserError("--model is empty; give the model's name at the endpoint")
    if (arguments.shots > 0) != (arguments.pool is not None):
        raise UserError("--shots and --pool belong together; give both or neither")
    if arguments.cache == arguments.out:
        raise UserError(f"--cache and --out are both {arguments.out}; give each a file of its own")
    files.check_place(arguments.out)


def key_of(variable: str | None) -> str | None:
    """The key that an environment variable holds."""
    if variable is None:
        return None
    key = os.environ.get(variable, "")
    if not key:
        raise UserError(f"--key-env {variable}: that environment variable is not set; set it to the key")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UserError(f"--key-env {variable}: that environment variable holds no key (it has blanks or the like)")
    return key


def system_of(path: Path | None) -> str:
    return SYSTEM if path is None else files.open_input(path, lambda given: given.read_text(encoding="utf-8")).strip()


def protocol_of(arguments: argparse.Namespace, system: str) -> Protocol:
    names = ("model", "samples", "temperature", "top_p", "seed", "max_tokens", "shots")
    choice = {}
    if arguments.shots:
        choice = {"selection": arguments.selection, "pool": files.open_input(arguments.pool, digest_file)}
    return Protocol(
        **{name: getattr(arguments, name) for name in names},
        **choice,
        system=digest_bytes(system.encode()) if system else None,
    )


def requests(
    items: list[Item], protocol: Protocol, max_tokens_name: str, pool: Path | None, system: str
) -> Iterator[dict]:
    """The body of each request, in the order of the rows."""
    decoding = {"model": protocol.model, max_tokens_name: protocol.max_tokens}
    optional = {"temperature": protocol.temperature, "top_p": protocol.top_p}
    decoding |= {name: value for name, value in optional.items() if value is not None}
    selector = None
    if protocol.shots:
        from trex.evaluation import few_shot  # its libraries take a while: only here

        selector = few_shot.Selector(few_shot.read_pool(pool), protocol.selection, protocol.seed)
    for item in items:
        messages = [message("system", system)] if system else []
        for example in selector.choose(item, protocol.shots) if selector else []:
            messages += [message("user", example.prompt), message("assistant", example.answer)]
        messages.append(message("user", item.prompt))
        for attempt in range(protocol.samples):
            yield {**decoding, "seed": protocol.seed + attempt, "messages": messages}


def message(role: str, content: str) -> dict:
    return {"role": role, "content": content}


class Asked:
    """The requests of a run, and what became of them. Memory holds their digests, not what was asked and answered."""

    def __init__(self, bodies: Iterable[dict], endpoint: Endpoint, total: int):
        self.bodies, self.endpoint, self.total = bodies, endpoint, total
        self.keys: list[str] = []
        self.failures: dict[str, Answer] = {}
        self.from_cache = 0
        self.counts = Counter()

    async def ask(self, journal: Journal, concurrency: int) -> None:
        """Put into the journal what is not there yet. Raises UserError where the endpoint is of no use."""
        self.endpoint.has_answered = len(journal) > 0
        with cli.track(None, "asking", self.total) as bar:
            missing = self.missing(journal, bar)

            async def work():
                for key, body in missing:  # shared by all
                    answer = await self.endpoint.ask(body)
                    if answer.finish == API:
                        self.failures[key] = answer
                    else:
                        journal.add(key, dataclasses.asdict(answer))
                    bar.update()

            async with self.endpoint:
                await asyncio.gather(*(work() for _ in range(concurrency)))

    def missing(self, journal: Journal, bar) -> Iterator[tuple[str, dict]]:
        """Each request that nobody has answered, once."""
        known = set()
        for body in self.bodies:
            key = self.endpoint.digest(body)
            self.keys.append(key)
            if key in known or key in journal:
                self.from_cache += 1
                bar.update()
            else:
                yield key, body
            known.add(key)

    def rows(self, items: list[Item], samples: int, journal: Journal) -> Iterator[dict]:
        keys = iter(self.keys)
        for item in items:
            for _ in range(samples):
                key = next(keys)
                answer = self.failures[key] if key in self.failures else Answer(**journal.get(key))
                self.count(answer)
                yield {"id": item.item_id, "sha256": item.sha256, **dataclasses.asdict(answer)}

    def count(self, answer: Answer) -> None:
        self.counts[answer.finish] += 1
        self.counts["prompt tokens"] += answer.n_prompt_tokens or 0
        self.counts["tokens"] += answer.n_tokens or 0

    def summary(self, items: int) -> str:
        finishes = ", ".join(f"{self.counts[finish]} {finish}" for finish in FINISHES if self.counts[finish])
        tokens = f"{self.counts['prompt tokens']} prompt and {self.counts['tokens']} answer tokens"
        again = "; run again to ask once more where the endpoint failed" if self.failures else ""
        return (
            f"responses: {items} items, {len(self.keys)} attempts ({self.from_cache} from the cache): {finishes}; "
            f"{tokens}{again}"
        )


if __name__ == "__main__":
    cli.run(main)
