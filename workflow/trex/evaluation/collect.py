"""Take over responses that somebody else made: checked, and each with its item's full id and digest.

    python -m trex.evaluation.collect --benchmark nl4opt --data FOLDER --responses theirs.jsonl
        --out evaluation/theirs/nl4opt/responses.jsonl

A line of theirs.jsonl is an answer: {"id": 17, "response": "..."}, the id as upstream has it, else the row's number
from 0; several lines of one id are several attempts (trex.evaluation.responses says all). How the answers were asked
for is taken over from theirs.jsonl.meta.json where there is such a file.
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.provenance import provenance
from trex.evaluation import items as item_sources
from trex.evaluation import protocol
from trex.evaluation.responses import Responses

STEP = "trex.evaluation.collect"


def main() -> None:
    parser = cli.parser(__doc__)
    item_sources.add_arguments(parser)
    parser.add_argument("--responses", type=Path, required=True, help="the file to take over")
    parser.add_argument("--out", type=Path, required=True, help="responses.jsonl to write")
    arguments = parser.parse_args()
    items, sources = item_sources.read(arguments)
    responses = Responses(arguments.responses, items)
    about = {protocol.KEY: dataclasses.asdict(protocol.beside(arguments.responses))}
    inputs = {"items": sources, "responses": arguments.responses}
    files.write_jsonl(arguments.out, rows(responses, items), provenance(STEP, {}, inputs), about)
    answered = sum(map(bool, responses.places.values()))
    print(f"collected: {len(responses)} responses to {answered} of {len(items)} items, written to {arguments.out}")


def rows(responses: Responses, items: list[Item]) -> Iterator[dict]:
    """In the items' order; nothing for an item without responses."""
    for item in items:
        for response in responses.of(item):
            row = {"id": item.item_id, "sha256": item.sha256, "response": response.text, "finish": response.finish}
            yield row | ({"detail": response.detail} if response.detail else {})


if __name__ == "__main__":
    cli.run(main)
