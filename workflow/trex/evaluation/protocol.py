"""How responses were asked for. It stands beside them (in `responses.jsonl.meta.json`) and goes with their scores."""

import dataclasses
import math
import sys
from pathlib import Path

from trex.common import files
from trex.common.errors import UserError
from trex.evaluation.floors import FLOORS

KEY = "protocol"
NOT_STATED = "not stated"
NO_MODEL = "no model asked"
SELECTIONS = ("random", "bm25", "mmr")  # trex.evaluation.few_shot says what they are


@dataclasses.dataclass(frozen=True)
class Protocol:
    """model: its name; samples: answers asked for an item; max_tokens: an answer may have; None: nobody stated it.

    temperature 0 is greedy. seed: attempt i (from 0) of an item was asked with seed + i. shots: worked examples before
    the problem, chosen by `selection` (trex.evaluation.few_shot) from `pool`, a file's SHA-256. system: the SHA-256 of
    the message before all others.
    """

    model: str | None = None
    samples: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    shots: int | None = None
    selection: str | None = None
    pool: str | None = None
    system: str | None = None

    def __post_init__(self):
        """Raises UserError naming the setting that cannot be."""
        self._check_whole("samples", 1)
        self._check_whole("max_tokens", 1)
        self._check_whole("shots", 0)
        self._check_whole("seed")
        self._check("temperature", is_number(self.temperature) and self.temperature >= 0, "a number of at least 0")
        self._check("top_p", is_number(self.top_p) and 0 < self.top_p <= 1, "a number above 0 and at most 1")
        self._check("selection", self.selection in SELECTIONS, f"one of {', '.join(SELECTIONS)}")

    def _check_whole(self, name: str, least: float = -math.inf):
        value = getattr(self, name)
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
        self._check(name, fits, "a whole number" if least == -math.inf else f"a whole number of at least {least}")

    def _check(self, name: str, fits: bool, expected: str):
        value = getattr(self, name)
        if value is not None and not fits:
            raise UserError(f"protocol: {name} is {value!r}; give {expected}")

    def text(self) -> str:
        """The decoding in words, as it stands in tables."""
        drawn = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        words = [f"{name} {value:g}" for name, value in drawn.items() if value is not None]
        if self.model in FLOORS:
            words = [NO_MODEL, *words]
        if self.temperature == 0:
            words = ["greedy"]
        if self.max_tokens is not None:
            words.append(f"{self.max_tokens} tokens")
        return ", ".join(words) or NOT_STATED


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def beside(responses: Path) -> Protocol:
    """The protocol in the sidecar of a file of responses; one that states nothing where there is no such file."""
    place = files.sidecar(responses)
    if not place.exists():
        return Protocol()
    try:
        return Protocol(**files.read_json(place).get(KEY, {}))
    except (TypeError, AttributeError, UserError) as error:
        raise UserError(f"{place}: its `{KEY}` is none ({error}); remove the file, or make it again") from error
