"""Responses to an own suite that need no skill, in the form of a model's: what is got right without understanding.

    python -m trex.evaluation.no_skill --suite suites/in_distribution.parquet --training sft.parquet --seed 1
        --nearest evaluation/nearest_example/in_distribution/responses.jsonl
        --slots evaluation/slot_filler/in_distribution/responses.jsonl
        --shuffled evaluation/shuffled_numbers/in_distribution/responses.jsonl

nearest: the answer of the training sample whose prompt is most like the item's, copied. Like is by BM25 over words,
numbers left out (trex.evaluation.few_shot), among the samples of the item's mode where there are some, ties in the
file's order. Samples without code are left out, for every item asks for code.
slots: of the CANDIDATES nearest the one that fits best as a template (trex.evaluation.template: the likeness of its
sentences, from 0 to 1, less MISFIT for each misfit), the nearest of equals, filled with the numbers and keys of the
item's prompt.
shuffled: the item's reference answer, in which the numbers that it has from the prompt (trex.evaluation.origins) have
changed places: the right answer to the prompt with these numbers shuffled alike. The shuffle is drawn with the seed and
the item's name, and drawn again while it changes nothing. An answer that has no two different numbers from the prompt
stays as it is: so do programs that read all their data from a file. An item without a reference gets an empty response.

What it does not show: shuffled knows the reference, so it is no rival of a model; it tells which items can be passed
without reading their numbers.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from trex.benchmarks.item import Item, read_suite
from trex.common import cli, files, seeds
from trex.common.errors import UserError
from trex.common.provenance import digest_file, provenance
from trex.evaluation import protocol
from trex.evaluation.few_shot import Ranking, of_sample
from trex.evaluation.floors import NEAREST, SHUFFLED, SLOTS
from trex.evaluation.origins import CODE, FixedNumbers, Prompt, pieces
from trex.evaluation.protocol import Protocol
from trex.evaluation.responses import STOP
from trex.evaluation.template import Layout, Template, read_as, replaced, written

STEP = "trex.evaluation.no_skill"
CANDIDATES = 50
MISFIT = 0.1


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--suite", type=Path, required=True, help="an own suite, made by trex.corpus.suites")
    parser.add_argument("--training", type=Path, required=True, help="samples, made by trex.corpus.sft")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    for name in ("nearest", "slots", "shuffled"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="responses.jsonl to write")
    arguments = parser.parse_args()
    places = {NEAREST: arguments.nearest, SLOTS: arguments.slots, SHUFFLED: arguments.shuffled}
    for place in places.values():
        files.check_place(place)
    items, samples = read_suite(arguments.suite), read_samples(arguments.training)
    training = Training(samples)
    shuffler = Shuffler(samples, items, arguments.seed)
    answers = {NEAREST: training.copied, SLOTS: training.filled, SHUFFLED: shuffler.shuffled}
    inputs = {"items": [arguments.suite], "training": arguments.training}
    for name, place in places.items():
        seed = arguments.seed if name == SHUFFLED else None
        how = Protocol(model=name, samples=1, seed=seed, pool=digest_file(arguments.training))
        written_rows = rows(items, answers[name], name)
        about = {protocol.KEY: dataclasses.asdict(how)}
        files.write_jsonl(place, written_rows, provenance(STEP, {}, inputs, seed), about)
    print(f"no skill: {len(places)} answers to each of {len(items)} items, from {len(samples)} samples with code")


def rows(items: list[Item], answer: Callable[[Item], str], name: str) -> list[dict]:
    return [
        {"id": item.item_id, "sha256": item.sha256, "response": answer(item), "finish": STOP}
        for item in cli.track(items, name)
    ]


@dataclasses.dataclass(frozen=True)
class Sample:
    """problem: the instance that it is of."""

    prompt: str
    answer: str
    mode: str
    problem: str


def read_samples(path: Path) -> list[Sample]:
    """Those with code. Raises UserError where there are none."""
    samples = []
    for number, row in enumerate(files.read_parquet(path), start=1):
        found = of_sample(row) if {"messages", "mode", "instance_id"} <= row.keys() else {}
        if not found:
            raise UserError(f"{path}, row {number}: not a sample; make the file with trex.corpus.sft")
        if CODE in found["answer"]:
            samples.append(Sample(found["prompt"], found["answer"], row["mode"], row["instance_id"]))
    if not samples:
        raise UserError(f"{path}: holds no sample with code; ask for more samples (corpus.sft_samples)")
    return samples


class Training:
    """The samples, to be looked up."""

    def __init__(self, samples: list[Sample]):
        self.samples = samples
        self.ranking = Ranking([sample.prompt for sample in samples])
        self.modes = np.array([sample.mode for sample in samples])
        self.fixed = FixedNumbers((sample.problem, sample.answer) for sample in samples)
        self.template = functools.cache(self.made_template)

    def nearest(self, item: Item) -> list[int]:
        """Positions, the most like first."""
        alike = np.flatnonzero(self.modes == item.mode)
        return self.ranking.best(item.prompt, alike if len(alike) else np.arange(len(self.samples)))

    def copied(self, item: Item) -> str:
        return self.samples[self.nearest(item)[0]].answer

    def filled(self, item: Item) -> str:
        layout = Layout(item.prompt)
        best, best_fit = "", -math.inf
        for template in map(self.template, self.nearest(item)[:CANDIDATES]):
            answer, misfits = template.filled(layout)
            if (fit := template.likeness(layout) - MISFIT * misfits) > best_fit:
                best, best_fit = answer, fit
        return best

    def made_template(self, position: int) -> Template:
        sample = self.samples[position]
        return Template(sample.prompt, sample.answer, self.fixed)


class Shuffler:
    """Reference answers with their numbers in another order.

    Which numbers are the code's own is learned from the references too: the source knows all but the numbers.
    """

    def __init__(self, samples: list[Sample], items: list[Item], seed: int):
        known = [(sample.problem, sample.answer) for sample in samples]
        self.fixed = FixedNumbers([*known, *((item.cluster, item.answer) for item in items if item.answer)])
        self.seed = seed

    def shuffled(self, item: Item) -> str:
        if item.answer is None:
            return ""
        prompt = Prompt(item.prompt)
        found = pieces(item.answer, prompt, self.fixed)
        slots = [slot for piece in found for row in piece.rows for slot in row if slot is not None]
        new_place = self.permutation(item, prompt, sorted({slot.at for slot in slots}))

        def number(slot, old: str) -> str:
            if slot is None:
                return old
            return written(read_as(prompt.numerals[slot.at], slot.reading, prompt.numerals[new_place[slot.at]]))

        changes = []
        for piece in found:
            flat = [slot for row in piece.rows for slot in row]
            for slot, (start, end) in zip(flat, piece.numbers(item.answer), strict=True):
                changes.append((start, end, number(slot, item.answer[start:end])))
        return replaced(item.answer, changes)

    def permutation(self, item: Item, prompt: Prompt, places: list[int]) -> dict[int, int]:
        """Of each place the one whose number comes there."""
        rng = seeds.generator(self.seed, STEP, item.item_id)
        values = [prompt.numerals[at].value for at in places]
        order = list(range(len(places)))
        while len(set(values)) > 1:
            rng.shuffle(order)
            if [values[at] for at in order] != values:
                break
        return {at: places[new] for at, new in zip(places, order, strict=True)}


if __name__ == "__main__":
    cli.run(main)
