"""Worked examples that stand before a problem (few-shot), chosen from a pool without giving the problem away.

A pool is a JSONL or Parquet file of rows with `prompt`, `answer` and, where it is known which rows are one problem in
several wordings, `cluster`; or of samples of trex.corpus.sft, whose instance is the cluster. So a suite in which every
item has a reference answer is a pool too. More columns are ignored; an attached data file is not shown.

selection, one of three:
  random  drawn with the seed and the item's name: one more item changes no other's examples
  bm25    the most like the problem by BM25 (Lucene's form, k1 = 1.5, b = 0.75; bm25s) over words, numbers left out
  mmr     maximal marginal relevance (Carbonell and Goldstein, 1998) among the 50 best by BM25: each time the example
          with the largest 0.5 * relevance - 0.5 * redundancy. Relevance: BM25 as a share of the best one's;
          redundancy: the largest Jaccard similarity of its set of words to that of an example already chosen
Ties go to what stands first in the pool. What was chosen first stands last, next to the problem. A prompt that stands
in the pool several times is shown once, with its first answer.

Withheld from an item: the examples of its cluster; those whose text is like its own, that is the one that has fewer
runs of five words (case and punctuation do not count, numbers do) has at least 0.6 of them in common with the other;
and the other wordings of both, by cluster. A problem told in other words is known by its cluster alone.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bm25s
import numpy as np

from trex.benchmarks.item import Item
from trex.common import files, seeds
from trex.common.errors import UserError
from trex.evaluation.protocol import SELECTIONS

RANDOM, BM25, MMR = SELECTIONS
CANDIDATES = 50
RELEVANCE_WEIGHT = 0.5
RUN = 5
ALIKE = 0.6
WORD = re.compile(r"[^\W\d_]+")
WORD_OR_NUMBER = re.compile(r"\w+")


@dataclass(frozen=True)
class Example:
    """cluster: shared by the wordings of one problem, None where it is not known."""

    prompt: str
    answer: str
    cluster: str | None = None


def read_pool(path: Path) -> list[Example]:
    """Raises UserError naming the row or line that is no example, or a file without any."""
    pool = [example(row, where) for where, row in numbered_rows(path)]
    if not pool:
        raise UserError(f"{path}: holds no examples; give a pool that does")
    return pool


def numbered_rows(path: Path) -> Iterator[tuple[str, object]]:
    """(place, row)"""
    if path.suffix == ".parquet":
        return ((f"{path}, row {number}", row) for number, row in enumerate(files.read_parquet(path), start=1))
    return ((f"{path}, line {number}", row) for number, row in files.numbered_jsonl(path))


def example(row: object, where: str) -> Example:
    if not isinstance(row, dict):
        raise UserError(f'{where}: not an object; an example is {{"prompt": ..., "answer": ...}}')
    found = of_sample(row) if "messages" in row else row
    for key in ("prompt", "answer"):
        if not isinstance(found.get(key), str) or not found[key].strip():
            raise UserError(f"{where}: the {key} is missing or no text; mend or remove that row")
    cluster = found.get("cluster")
    if not isinstance(cluster, (str, type(None))):
        raise UserError(f"{where}: its cluster is no text; mend it or leave it out")
    return Example(found["prompt"], found["answer"], cluster or None)


def of_sample(row: dict) -> dict:
    """A sample of trex.corpus.sft as a row of a pool; an empty one where it is not one question and its answer."""
    match row["messages"]:
        case [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]:
            return {"prompt": prompt, "answer": answer, "cluster": row.get("instance_id")}
    return {}


class Selector:
    """Chooses examples of a pool for one item at a time. Raises UserError for an unknown selection."""

    def __init__(self, pool: list[Example], selection: str, seed: int):
        if selection not in SELECTIONS:
            raise UserError(f"selection is {selection!r}; give one of {', '.join(SELECTIONS)}")
        self.pool, self.selection, self.seed = pool, selection, seed
        self.texts = first_positions(" ".join(WORD_OR_NUMBER.findall(example.prompt.lower())) for example in pool)
        self.clusters = first_positions(example.cluster for example in pool)
        self.position_of_cluster = {example.cluster: at for example, at in zip(pool, self.clusters, strict=True)}
        self.likeness = Likeness([example.prompt for example in pool])
        self.ranking = Ranking([example.prompt for example in pool]) if selection != RANDOM else None

    def choose(self, item: Item, shots: int) -> list[Example]:
        """The examples in the order in which they are shown. Raises UserError where the pool has too few."""
        if shots == 0:
            return []
        allowed = np.flatnonzero(~self.withheld(item) & (self.texts == np.arange(len(self.pool))))
        if len(allowed) < shots:
            raise UserError(
                f"the pool has {len(allowed)} examples that {item.item_id} may be shown, {shots} shots need more; "
                "give a larger pool or ask for fewer shots"
            )
        if self.selection == RANDOM:
            chosen = seeds.generator(self.seed, "few_shot", item.item_id).sample(allowed.tolist(), shots)
        elif self.selection == BM25:
            chosen = self.ranking.best(item.prompt, allowed)[:shots]
        else:
            chosen = self.ranking.diverse(item.prompt, allowed, shots)
        return [self.pool[position] for position in reversed(chosen)]

    def withheld(self, item: Item) -> np.ndarray:
        """Which examples would tell the item's answer."""
        same = self.likeness.to(item.prompt) >= ALIKE
        if item.cluster in self.position_of_cluster:
            same |= self.clusters == self.position_of_cluster[item.cluster]
        return np.isin(self.clusters, self.clusters[same]) | np.isin(self.texts, self.texts[same])


def first_positions(values: Iterable[Hashable | None]) -> np.ndarray:
    """For each value where it stands first; None is equal to no other."""
    first: dict[Hashable, int] = {}
    return np.array([at if value is None else first.setdefault(value, at) for at, value in enumerate(values)], int)


class Likeness:
    """How alike a text is to each of some texts: the share of the runs of five words that they have in common."""

    def __init__(self, texts: list[str]):
        self.holders: dict[tuple[str, ...], list[int]] = {}
        found = [runs(text) for text in texts]
        for position, own in enumerate(found):
            for run in own:
                self.holders.setdefault(run, []).append(position)
        self.counts = np.array([len(own) for own in found], int)

    def to(self, text: str) -> np.ndarray:
        """Of the one that has fewer."""
        own = runs(text)
        common = np.zeros(len(self.counts), int)
        for run in own:
            common[self.holders.get(run, [])] += 1
        return common / np.minimum(self.counts, len(own))


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of five words; the whole text where it is shorter."""
    words = WORD_OR_NUMBER.findall(text.lower())
    return {tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))}


class Ranking:
    """The texts of a pool by how much they are about the same as another text."""

    def __init__(self, texts: list[str]):
        found = [WORD.findall(text.lower()) for text in texts]
        self.words = [frozenset(words) for words in found]
        self.numbers: dict[str, int] = {}
        # A text without words has the empty one, which nobody asks for: bm25s divides by the mean number of words.
        encoded = [[self.numbers.setdefault(word, len(self.numbers)) for word in words or [""]] for words in found]
        self.index = bm25s.BM25(k1=1.5, b=0.75, method="lucene", dtype="float64", backend="numpy")
        self.index.index((encoded, self.numbers), show_progress=False)

    def relevance(self, text: str) -> np.ndarray:
        words = WORD.findall(text.lower())
        return self.index.get_scores_from_ids([self.numbers[word] for word in words if word in self.numbers])

    def best(self, text: str, allowed: np.ndarray) -> list[int]:
        """The allowed positions, the most relevant first."""
        order = np.argsort(-self.relevance(text)[allowed], kind="stable")
        return allowed[order].tolist()

    def diverse(self, text: str, allowed: np.ndarray, count: int) -> list[int]:
        """By maximal marginal relevance, in the order in which they are chosen."""
        candidates = self.best(text, allowed)[: max(CANDIDATES, count)]
        relevance = self.relevance(text)[candidates]
        relevance = relevance / (relevance.max() or 1)
        redundancy = np.zeros(len(candidates))
        chosen: list[int] = []
        for _ in range(count):
            value = RELEVANCE_WEIGHT * relevance - (1 - RELEVANCE_WEIGHT) * redundancy
            value[chosen] = -np.inf
            chosen.append(int(value.argmax()))
            newest = self.words[candidates[chosen[-1]]]
            to_newest = [jaccard(self.words[position], newest) for position in candidates]
            redundancy = np.maximum(redundancy, to_newest)
        return [candidates[at] for at in chosen]


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))
