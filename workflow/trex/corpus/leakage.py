"""What keeps suite items out of training text.

A text is dropped when an item's problem stands in it word for word (`exact`), when its instance has the same canonical
model as an item's (`certificate`: the same problem with other names or order), or when its words resemble an item's
(`near_duplicate`): Jaccard similarity of sets of five-word shingles, numbers kept, of at least the threshold. Similar
pairs are found by MinHash with locality-sensitive hashing (A. Broder, 1997; datasketch, seeded) and then measured.
An attached data file does not count: two prompts that differ only in the file's numbers are the same text. Own suites
and public benchmarks are checked alike; a reference model that cannot be compared (it is nonlinear) counts by its text.

Within one table of training texts, trex.corpus.duplicates finds near-duplicates by the same measure.

What it does not find: the same problem in other words, unless its model is the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from datasketch import MinHash, MinHashLSH

from trex.benchmarks import registry
from trex.benchmarks.item import Item, read_suite
from trex.corpus.samples import problem_of
from trex.problems.comparison import canonical
from trex.problems.ir import Model

EXACT = "exact"
CERTIFICATE = "certificate"
NEAR_DUPLICATE = "near_duplicate"
REASONS = (EXACT, CERTIFICATE, NEAR_DUPLICATE)
SHINGLE = 5
PERMUTATIONS = 128
MINHASH_SEED = 1
WORD = re.compile(r"\w+")


class Guard:
    """The items of some suites, indexed so that a text can be tested against all of them."""

    def __init__(self, items: list[Item], threshold: float):
        self.threshold = threshold
        problems = sorted({problem_of(item.prompt) for item in items})
        self.texts = [normal(problem) for problem in problems]
        self.certificates = set(certificates(items))
        self.shingles = [shingles(problem) for problem in problems]
        self.known = set().union(*self.shingles)
        # Half the threshold, as the index only proposes: below 1e-3 of the pairs at the threshold escape it.
        self.index = MinHashLSH(threshold=threshold / 2, num_perm=PERMUTATIONS, weights=(0.1, 0.9))
        for key, found in enumerate(self.shingles):
            self.index.insert(key, minhash(found))

    @classmethod
    def read(
        cls, suites: Iterable[str | Path], threshold: float, benchmarks: Mapping[str, str] | None = None
    ) -> "Guard":
        """Of suite files, and of public benchmarks by name and folder."""
        items = [item for suite in suites for item in read_suite(suite)]
        for name, folder in (benchmarks or {}).items():
            items += registry.load(name, folder)
        return cls(items, threshold)

    def reason(self, text: str, certificate: str | None = None) -> str | None:
        """Why a text (the problem, without instruction) may not be trained on, None when it may."""
        if certificate in self.certificates:
            return CERTIFICATE
        found = shingles(text)
        if self.holds_exactly(text, found):
            return EXACT
        return NEAR_DUPLICATE if self.similarity(found) >= self.threshold else None

    def reason_of_long(self, text: str) -> str | None:
        """The same for a text much longer than a problem: the share of an item's shingles that stand in it counts."""
        found = shingles(text) & self.known
        if self.holds_exactly(text, found):
            return EXACT
        contained = max((len(found & own) / len(own) for own in self.shingles), default=0.0)
        return NEAR_DUPLICATE if contained >= self.threshold else None

    def holds_exactly(self, text: str, found: frozenset[str]) -> bool:
        """Whether an item's problem stands in the text, whose shingles are `found`."""
        # Only a text that has all of a problem's shingles can hold it; one shingle may be a whole short problem.
        possible = [
            words for words, own in zip(self.texts, self.shingles, strict=True) if own <= found or len(own) == 1
        ]
        if not possible:
            return False
        words = f" {normal(text)} "
        return any(f" {problem} " in words for problem in possible)

    def similarity(self, found: frozenset[str]) -> float:
        """The largest Jaccard similarity to an item's shingles; 0 where it is surely below the threshold."""
        # |A and B| / |A or B| <= |A and everything known| / |A|: most texts end here.
        if not found or len(found & self.known) < self.threshold * len(found):
            return 0.0
        return max((jaccard(found, self.shingles[key]) for key in self.index.query(minhash(found))), default=0.0)


def certificates(items: Iterable[Item]) -> Iterator[str]:
    """Of all reference models that can be compared."""
    for item in items:
        if item.model:
            try:
                yield canonical.certificate(Model.from_json(item.model))
            except canonical.NotComparable:
                continue


def normal(text: str) -> str:
    """Lower-case words and numbers, one space between them."""
    return " ".join(WORD.findall(text.lower()))


def shingles(text: str) -> frozenset[str]:
    """All runs of five words; the whole text where it is shorter."""
    words = WORD.findall(text.lower())
    return frozenset(ngrams(words) if len(words) > SHINGLE else [" ".join(words)])


def ngrams(words: list[str]) -> Iterator[str]:
    for start in range(len(words) - SHINGLE + 1):
        yield " ".join(words[start : start + SHINGLE])


def minhash(found: frozenset[str]) -> MinHash:
    signature = MinHash(num_perm=PERMUTATIONS, seed=MINHASH_SEED)
    signature.update_batch([shingle.encode() for shingle in sorted(found)])
    return signature


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)
