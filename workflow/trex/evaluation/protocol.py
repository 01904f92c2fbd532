"""How responses were asked for. It stands beside them (in `responses.jsonl.meta.json`) and goes with their scores."""

import dataclasses
from pathlib import Path

from trex.common import files
from trex.common.errors import UserError

KEY = "protocol"
NOT_STATED = "not stated"


@dataclasses.dataclass(frozen=True)
class Protocol:
    """model: its name; samples: answers asked for an item; max_tokens: an answer may have; None: nobody stated it.

    temperature 0 is greedy. seed: attempt i (from 0) of an item was asked with seed + i. shots: worked examples before
    the problem, chosen by `selection` (trex.evaluation.few_shot) from `pool`, a file's SHA-256.
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

    def text(self) -> str:
        """The decoding in words, as it stands in tables."""
        if self.temperature is None:
            return NOT_STATED
        length = [] if self.max_tokens is None else [f"{self.max_tokens} tokens"]
        if self.temperature == 0:
            return ", ".join(["greedy", *length])
        named = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        return ", ".join([*(f"{name} {value:g}" for name, value in named.items() if value is not None), *length])


def beside(responses: Path) -> Protocol:
    """The protocol in the sidecar of a file of responses; one that states nothing where there is no such file."""
    place = files.sidecar(responses)
    if not place.exists():
        return Protocol()
    try:
        return Protocol(**files.read_json(place).get(KEY, {}))
    except (TypeError, AttributeError) as error:
        raise UserError(f"{place}: its `{KEY}` is none ({error}); remove the file, or make it again") from error
