"""What a problem family is: it draws data, builds the model, and tells the problem and its reference code.

A family lives in one file of `trex.problems.families`, which defines one constant `FAMILY`. The data are plain JSON.
The story that a family tells is free of layout: `trex.problems.wording` sets it as DP, DT or DPS text, and as code
whose data lines stand in the order in which the text gives them. All that a story may say in several ways it asks of
its `Voice`.
"""

import dataclasses
from abc import ABC, abstractmethod
from random import Random

from trex.problems.ir import Model
from trex.problems.voice import Voice

DIFFICULTIES = ("small", "medium", "large", "industrial")
# What a number is, which decides what a text does with it. A share is a percentage: 35 is 35 %. A place is the number
# of a member of an axis.
AMOUNT = "amount"
MONEY = "money"
SHARE = "share"
PLACE = "place"


@dataclasses.dataclass(frozen=True)
class Axis:
    """What a list runs over: `product`, `products` and the names of the members, in the order of the data."""

    singular: str
    plural: str
    members: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Fact:
    """One piece of the data: a number (no axis), a list (one axis) or a list of lists (row axis, column axis).

    symbol: its name in the code; label: a noun phrase that says what it is and reads well after "The", its unit
    included; keys: names it may have in a data file, the usual one first; row_label: for a list of lists, how the row
    of `{}` is called in a table. A ragged one lists members of its column axis by number, from 1. kind: AMOUNT, MONEY,
    SHARE or PLACE.
    """

    symbol: str
    value: float | list
    label: str
    keys: tuple[str, ...]
    axes: tuple[Axis, ...] = ()
    row_label: str = "{}"
    ragged: bool = False
    kind: str = AMOUNT


@dataclasses.dataclass(frozen=True)
class Story:
    """A problem in words. `intro` may hold `{plural}` of an axis, which becomes its members or `several <plural>`.

    rules: sentences on what must hold beside what the labels say; goal: the objective; variables: for a task that
    fixes the formulation, which variables the model has.
    """

    intro: str
    facts: tuple[Fact, ...]
    rules: tuple[str, ...]
    goal: str
    variables: str


@dataclasses.dataclass(frozen=True)
class WordRow:
    """A sentence that says a row of the model. code: the row as code, None where its terms one by one will do."""

    text: str
    code: str | None = None


@dataclasses.dataclass(frozen=True)
class WordStory:
    """A short word problem: a sentence a row, in the order of the model's rows, and one with the objective's numbers.

    `objective` is empty where the rows have told its numbers.
    """

    intro: str
    rows: tuple[WordRow, ...]
    objective: str
    ending: str


class Family(ABC):
    """name: the file's; bucket: the structure it belongs to; whole buckets can be held out of training.

    note: how such a problem is modelled, in prose of our own: what the variables are, what the rows say, what goes
    wrong easily.
    """

    name: str
    bucket: str
    note: str

    @abstractmethod
    def draw(self, rng: Random, difficulty: str) -> dict:
        """The data of one instance; difficulty changes its size."""

    @abstractmethod
    def model(self, data: dict) -> Model:
        """The reference model."""

    @abstractmethod
    def tell(self, data: dict, voice: Voice) -> Story:
        """The problem, with names and phrases drawn."""

    @abstractmethod
    def body(self, data: dict) -> list[str]:
        """Lines of MathOpt code that build the model `m` from the symbols of the story's facts."""

    @abstractmethod
    def formulation(self, data: dict) -> list[str]:
        """The model in mathematical notation, with the symbols of the facts: variables, objective, rows."""

    def word(self, data: dict, voice: Voice) -> WordStory | None:
        """The instance as a short word problem, None where it is too large or the family has no such form."""
        return None


def size(difficulty: str, small: int, medium: int, large: int, industrial: int) -> int:
    return dict(zip(DIFFICULTIES, (small, medium, large, industrial), strict=True))[difficulty]


def numbers(rng: Random, count: int, low: int, high: int) -> list[int]:
    return [rng.randint(low, high) for _ in range(count)]


def matrix(rng: Random, rows: int, columns: int, low: int, high: int) -> list[list[int]]:
    return [numbers(rng, columns, low, high) for _ in range(rows)]


def dot(left: list, right: list) -> int:
    return sum(u * v for u, v in zip(left, right, strict=True))


def chance(rng: Random, probability: float) -> bool:
    return rng.random() < probability
