"""How varied texts are, in two measures of the field. Both depend on how many texts there are, so all sets are measured
on equally many.

distinct-n (Li et al., NAACL 2016): different n-grams of words / all n-grams, over the whole sample. self-BLEU (Zhu et
al., SIGIR 2018, Texygen): the mean BLEU-4 of each text with all others as references, by sacrebleu, from 0 to 100;
lower is more varied. Numbers count as words in both: two texts of one template with other numbers are not the same.
"""

import statistics
from collections.abc import Iterable
from random import Random

from sacrebleu.metrics import BLEU

from trex.common import seeds
from trex.corpus.leakage import WORD

TEXTS = 100
ORDERS = (1, 2, 3)


def measured(texts: Iterable[str], seed: int, name: str) -> dict[str, float | None]:
    """The measures of at most TEXTS different texts, drawn by the seed. One text alone has no self-BLEU (None)."""
    different = sorted(set(texts))
    sample = drawn(different, seeds.generator(seed, "trex.corpus.diversity", name))
    words = [WORD.findall(text.lower()) for text in sample]
    return {
        "texts": len(sample),
        "mean_words": round(statistics.fmean(map(len, words)), 1),
        **{f"distinct_{n}": round(distinct(words, n), 4) for n in ORDERS},
        "self_bleu": round(self_bleu(sample), 2) if len(sample) > 1 else None,
    }


def drawn(texts: list[str], rng: Random) -> list[str]:
    return rng.sample(texts, min(TEXTS, len(texts)))


def distinct(words: list[list[str]], n: int) -> float:
    """Different runs of n words / all of them; 0 where there are none."""
    runs = [tuple(text[start : start + n]) for text in words for start in range(len(text) - n + 1)]
    return len(set(runs)) / len(runs) if runs else 0.0


def self_bleu(texts: list[str]) -> float:
    metric = BLEU(effective_order=True)
    return statistics.fmean(
        metric.sentence_score(text, texts[:place] + texts[place + 1 :]).score for place, text in enumerate(texts)
    )
