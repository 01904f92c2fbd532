"""Rows of a file that repeat earlier ones: one index for thousands of texts, about 4 kB a text.

    exact    the same words and numbers in the same order
    near     Jaccard similarity of the sets of five-word shingles, numbers kept, of at least a threshold. Pairs are
             proposed by MinHash with locality-sensitive hashing and then measured (on 64-bit hashes of the shingles)
    model    the same model up to names and order (trex.problems.comparison.canonical), whatever the texts say

What it does not find: a text inside a longer one, the same problem in other words where no model is known.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from datasketch import LeanMinHash, MinHashLSH

from trex.corpus.leakage import PERMUTATIONS, minhash, normal, shingles

MISSES = (0.1, 0.9)  # the weights of proposals in vain and of pairs that escape


@dataclass(frozen=True)
class Text:
    """What the index keeps of a text."""

    exact: bytes
    hashes: np.ndarray
    signature: LeanMinHash


def text(words: str) -> Text:
    found = shingles(words)
    hashes = np.array(sorted(int.from_bytes(digest(shingle)[:8]) for shingle in found), dtype=np.uint64)
    return Text(digest(normal(words)), hashes, LeanMinHash(minhash(found)))


def digest(words: str) -> bytes:
    return hashlib.sha256(words.encode()).digest()


class Index:
    """Texts and models by the name of what they belong to; of several that are equal the first counts."""

    def __init__(self, threshold: float):
        self.threshold = threshold
        self.exact: dict[bytes, str] = {}
        self.hashes: dict[str, np.ndarray] = {}
        self.models: dict[str, str] = {}
        # A lower threshold than is asked, as the index only proposes: hardly a pair at the threshold escapes it.
        self.proposals = MinHashLSH(threshold=0.75 * threshold, num_perm=PERMUTATIONS, weights=MISSES)

    def add(self, name: str, found: Text) -> None:
        self.exact.setdefault(found.exact, name)
        if name not in self.hashes:
            self.hashes[name] = found.hashes
            self.proposals.insert(name, found.signature)

    def add_model(self, name: str, certificate: str) -> None:
        self.models.setdefault(certificate, name)

    def same_text(self, found: Text) -> str | None:
        return self.exact.get(found.exact)

    def nearest(self, found: Text) -> tuple[str, float] | None:
        """(name, similarity) of the most similar text, None where it is below the threshold."""
        similar = [(jaccard(found.hashes, self.hashes[name]), name) for name in self.proposals.query(found.signature)]
        best = max(similar, default=(0.0, ""), key=lambda pair: pair[0])
        return (best[1], best[0]) if best[0] >= self.threshold else None

    def same_model(self, certificate: str | None) -> str | None:
        return self.models.get(certificate)


def jaccard(left: np.ndarray, right: np.ndarray) -> float:
    common = np.intersect1d(left, right, assume_unique=True).size
    return common / (left.size + right.size - common)
