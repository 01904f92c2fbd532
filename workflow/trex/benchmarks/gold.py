"""A benchmark's own reference code as responses, so that it can be scored as a model's answers are.

    python -m trex.benchmarks.gold bench4opt_feasible --data sets --out responses.jsonl
    python -m trex.evaluation.score --benchmark bench4opt_feasible --data sets --responses responses.jsonl ...

What it fails is a fault of the benchmark, of our sandbox or of our solver. Rows are those of trex.evaluation.respond;
token counts are null, since no model wrote anything.
"""

from pathlib import Path

from trex.benchmarks import registry
from trex.benchmarks.item import Item
from trex.common import cli, files
from trex.common.errors import UserError
from trex.common.provenance import provenance

STEP = "trex.benchmarks.gold"


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("name", help="benchmark, or path of a YAML file that defines one")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds it")
    parser.add_argument("--out", type=Path, required=True, help="responses.jsonl to write")
    arguments = parser.parse_args()
    items = registry.load(arguments.name, arguments.data)
    if lacking := [item.item_id for item in items if item.answer is None]:
        raise UserError(
            f"{arguments.name}: {len(lacking)} of {len(items)} items have no reference code ({lacking[0]} first); "
            "only a benchmark that has it for all can be scored by its own code"
        )
    origin = provenance(STEP, {}, registry.definition(arguments.name).paths(arguments.data))
    files.write_jsonl(arguments.out, map(row_of, items), origin)
    print(f"gold: {len(items)} responses of {arguments.name} in {arguments.out}")


def row_of(item: Item) -> dict:
    return {
        "id": item.item_id,
        "sha256": item.sha256,
        "response": f"```python\n{item.answer}\n```",
        "n_prompt_tokens": None,
        "n_tokens": None,
        "finish": "stop",
    }


if __name__ == "__main__":
    cli.run(main)
