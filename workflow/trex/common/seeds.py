"""Seeds derived from (run seed, stage, item), so that one more item never reshuffles the others."""

import hashlib
import random

import numpy as np


def derive(seed: int, *parts: str | int) -> int:
    """A 63-bit seed from the run's seed and the parts that name the stage and the item."""
    text = "\x1f".join(str(part) for part in (seed, *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *parts: str | int) -> random.Random:
    """Python's generator, for draws of words and small numbers."""
    return random.Random(derive(seed, *parts))


def array_generator(seed: int, *parts: str | int) -> np.random.Generator:
    """NumPy's generator, for draws of arrays."""
    return np.random.default_rng(derive(seed, *parts))
