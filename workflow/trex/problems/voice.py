"""The choices behind one telling of a problem: scenario, names, units, order, phrases, how numbers are written.

Each kind of choice has a stream of its own, so that they vary independently: another phrase changes no name. Phrases
come in two banks. Training texts use the first; the suite of held-out wordings uses the second and shares no sentence
template with them.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from num2words import num2words

Option = TypeVar("Option")
CHOICES = ("scene", "names", "unit", "order", "phrase", "number", "aside", "key", "layout")
CURRENCIES = ("$", "€", "£", " dollars", " euros", " pounds")
# Share of texts that put a currency to their money, of numbers up to LARGEST_SPELLED in prose that are spelled out, and
# of texts that separate thousands.
WITH_CURRENCY = {"small": 0.1, "medium": 0.3, "large": 0.5, "industrial": 0.5}
SPELLED = {"small": 0.05, "medium": 0.15, "large": 0.25, "industrial": 0.25}
LARGEST_SPELLED = 100
WITH_SEPARATORS = 0.5


class Voice:
    """How one text is told. heldout: takes phrases from their held-out banks."""

    def __init__(self, rng: Random, difficulty: str, heldout: bool = False):
        self.difficulty = difficulty
        self.heldout = heldout
        self.streams = {choice: Random(rng.getrandbits(64)) for choice in CHOICES}
        self.separators = self.chance("number", WITH_SEPARATORS)
        self.percent_sign = self.streams["number"].choice(("%", " percent"))
        self.currency = ""
        if self.chance("number", WITH_CURRENCY[difficulty]):
            self.currency = self.streams["number"].choice(CURRENCIES)

    def scene(self, scenes: Sequence[Option]) -> Option:
        """Who acts, and where."""
        return self.streams["scene"].choice(scenes)

    def names(self, pool: Sequence[str], count: int) -> tuple[str, ...]:
        """`count` different names; a letter is put to them when the pool has fewer."""
        names = list(pool)
        for turn in range(count // len(pool)):
            names += [f"{name} {letters(turn + 1)}" for name in pool]
        return tuple(self.streams["names"].sample(names[: max(count, len(pool))], count))

    def unit(self, units: Sequence[Option]) -> Option:
        """What amounts are measured in."""
        return self.streams["unit"].choice(units)

    def phrase(self, usual: Sequence[Option], heldout: Sequence[Option]) -> Option:
        """One of several ways to say the same; a text of the held-out wordings takes it from the second bank."""
        return self.streams["phrase"].choice(heldout if self.heldout else usual)

    def order(self, things: Sequence[Option]) -> list[Option]:
        return self.streams["order"].sample(things, len(things))

    def chance(self, choice: str, probability: float) -> bool:
        return self.streams[choice].random() < probability

    def number(self, value: float) -> str:
        """In prose: digits or words."""
        if isinstance(value, int) and 0 <= value <= LARGEST_SPELLED and self.chance("number", SPELLED[self.difficulty]):
            return num2words(value).replace(" and ", " ")
        return self.digits(value)

    def digits(self, value: float) -> str:
        """In a list or a table: digits, in some texts with separators."""
        return f"{value:,}" if self.separators else str(value)

    def money(self, value: float) -> str:
        """With the text's currency, where it has one; before the number or after it."""
        if not self.currency:
            return self.digits(value)
        if self.currency.startswith(" "):
            return f"{self.digits(value)}{self.currency}"
        return f"{self.currency}{self.digits(value)}"

    def percent(self, value: float) -> str:
        return f"{self.digits(value)}{self.percent_sign}"


def letters(number: int) -> str:
    """1 is B, 25 is Z, then AA, AB; so that the first of several things of one name needs none."""
    first, second = divmod(number, 26)
    return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + second)
