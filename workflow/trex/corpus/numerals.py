"""The numbers that a text states, in digits or in words.

Read as one number: `1,250`, `1 250` (no-break or thin space), `1{,}250`, `$1,250.50`, `1.5 million`, `20k`, `$5M`,
`1e-6`, `-3`, `½`, `twelve`, `one hundred twenty-five`, `one thousand, two hundred and six`, `one point two five`,
`a hundred`, `two dozen`, `half`, `two thirds`, `one and a half`, `twice`. `35%`, `35 percent` and `thirty-five per
cent` are the share 7/20; whoever compares with data must also allow the 35 (`readings`).

Not numbers: digits that belong to a name (`x1`, `Plant_2`) and ordinals (`3rd`, `third`).

Ambiguous, and read so: inside [square brackets] and blocks fenced by ``` a comma separates numbers, elsewhere it groups
three digits (`[100,200]` are two, `100,200` is one); after `thousand` and larger a comma goes on with a smaller part,
as in the words of num2words, so `one thousand, five hundred` is one number; a hyphen behind a word or number is no sign
(`3-5` are two positive numbers); `1/2` are two numbers. A decimal comma is not known.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: value for value, word in enumerate(SMALL.split())}
TENS = {word: 10 * value for value, word in enumerate(ROUND.split(), start=2)}
HUNDRED = 100
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
DOZENS = {"dozen": 12, "dozens": 12}
MULTIPLES = {"twice": 2, "thrice": 3, "double": 2, "triple": 3}
PART_NAMES = {
    2: ("half", "halves"),
    3: ("third", "thirds"),
    4: ("quarter", "quarters"),
    5: ("fifth", "fifths"),
    6: ("sixth", "sixths"),
    7: ("seventh", "sevenths"),
    8: ("eighth", "eighths"),
    9: ("ninth", "ninths"),
    10: ("tenth", "tenths"),
    100: ("hundredth", "hundredths"),
}
PARTS = {name: value for value, names in PART_NAMES.items() for name in names}
GLYPHS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}
LETTERS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
ARTICLES = ("a", "an")
LONGEST = 40  # digits; what is longer is no quantity of a problem
LARGEST_EXPONENT = 40

SPACE = "\u00a0\u2009\u202f"  # what typesetters put between groups of digits
GROUPED = rf"[1-9][0-9]{{0,2}}(?:(?:,|[{SPACE}]|\{{,\}}|\\,)[0-9]{{3}}(?![0-9]))+"
TOKEN = re.compile(
    rf"""(?P<name>(?:[^\W\d]|_)(?:[\w])*[0-9_]\w*)
    |(?P<ordinal>[0-9]+(?:st|nd|rd|th)\b)
    |(?P<digits>(?:{GROUPED}|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+(?![0-9.]))?|\.[0-9]+)
    |(?P<glyph>[{"".join(GLYPHS)}])
    |(?P<word>[^\W\d_]+)
    |(?P<sign>[-\u2212])
    |(?P<currency>[$€£¥₹])
    |(?P<percent>\\?%)
    |(?P<fence>```)
    |(?P<open>\[)|(?P<close>\])
    |(?P<comma>,)
    |(?P<space>\s+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
UNGROUPED = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+(?![0-9.]))?")


@dataclass(frozen=True)
class Numeral:
    """value: what is meant, 7/20 for 35%; start and end: its place in the text, sign and currency left out."""

    value: Fraction
    start: int
    end: int
    percent: bool = False

    @property
    def readings(self) -> tuple[Fraction, ...]:
        """The value, and for a percentage the number that is written too."""
        return (self.value, 100 * self.value) if self.percent else (self.value,)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


END = Token("end", "", -1, -1)


def numerals(text: str) -> list[Fraction]:
    """The numbers of a text in its order, repetitions kept; percentages as shares."""
    return [numeral.value for numeral in found(text)]


def found(text: str) -> list[Numeral]:
    """The same with their places."""
    return Reader(tokens(text)).all()


def tokens(text: str) -> list[Token]:
    listed: list[Token] = []
    place, depth, fenced = 0, 0, False
    while place < len(text):
        match = TOKEN.match(text, place)
        kind = match.lastgroup
        if kind == "digits" and (depth or fenced) and "," in match.group():
            match = UNGROUPED.match(text, place)
        if kind in ("open", "close"):
            depth = max(0, depth + (1 if kind == "open" else -1))
        fenced ^= kind == "fence"
        listed.append(Token(kind, match.group(), match.start(), match.end()))
        place = match.end()
    return listed


class Reader:
    """Goes through the tokens once; each method reads from `place` and moves it behind what it has read."""

    def __init__(self, listed: list[Token]):
        self.listed = listed
        self.place = 0

    def peek(self, ahead: int = 0) -> Token:
        place = self.place + ahead
        return self.listed[place] if 0 <= place < len(self.listed) else END

    def all(self) -> list[Numeral]:
        numbers = []
        while self.place < len(self.listed):
            before = self.place
            token = self.peek()
            value = self.quantity()
            if value is None:
                self.place = before + 1
                continue
            end = self.peek(-1).end
            percent = self.percent()
            negative = self.is_negative(before)
            value = value / 100 if percent else value
            numbers.append(Numeral(-value if negative else value, token.start, end, percent))
        return numbers

    def is_negative(self, place: int) -> bool:
        """Whether a sign, or the word minus, stands before what begins at `place`; `3-5` and `x - 5` have none."""

        def at(index: int) -> Token:
            return self.listed[index] if index >= 0 else END

        place -= at(place - 1).kind == "currency"
        if at(place - 1).kind == "space" and at(place - 2).text.lower() in ("minus", "negative"):
            operand = at(place - 4) if at(place - 3).kind == "space" else END
            return at(place - 2).text.lower() == "negative" or operand.kind not in ("digits", "name")
        if at(place - 1).kind != "sign":
            return False
        return at(place - 2).kind in ("space", "open", "end", "comma") or at(place - 2).text in "(={:<>*+/|"

    def quantity(self) -> Fraction | None:
        token = self.peek()
        if token.kind == "glyph":
            self.place += 1
            return GLYPHS[token.text]
        if token.kind == "digits":
            return self.of_digits()
        return self.of_words() if token.kind == "word" else None

    def of_digits(self) -> Fraction | None:
        before, token = self.peek(-1), self.peek()
        self.place += 1
        value = parsed(token.text)
        if value is None:
            return None
        if self.peek().kind == "glyph":
            value += GLYPHS[self.peek().text]
            self.place += 1
        letter = self.peek().text
        if self.peek().kind == "word" and letter in LETTERS and (letter in "kK" or before.kind == "currency"):
            self.place += 1
            return value * LETTERS[letter]
        return value * self.scale(also_hundred=True)

    def of_words(self) -> Fraction | None:
        word = self.peek().text.lower()
        if word in MULTIPLES and self.peek(1).kind != "sign":
            self.place += 1
            return Fraction(MULTIPLES[word])
        if word == "half":
            self.place += 1
            return Fraction(1, 2)
        if word in ARTICLES:
            return self.of_article()
        total = self.integer()
        if total is None:
            return None
        if (part := self.part(of_one=total == 1)) is not None:
            return Fraction(total, part)
        value = Fraction(total) + self.decimals()
        if self.takes("and", "a", "half"):
            value += Fraction(1, 2)
        return value * self.scale(also_hundred=False)

    def of_article(self) -> Fraction | None:
        """a hundred, a dozen, a third of; else nothing."""
        self.place += 1
        if not self.skip_space():
            return None
        word = self.peek().text.lower()
        if word == "half":
            self.place += 1
            return Fraction(1, 2)
        if word == "hundred" or word in SCALES:
            return Fraction(self.integer(first=1))
        if word == "dozen":
            self.place += 1
            return Fraction(12)
        self.place -= 1
        part = self.part(of_one=True)
        return None if part is None else Fraction(1, part)

    def integer(self, first: int | None = None) -> int | None:
        """A whole number in words, its parts from the largest scale down; first: what an article stood for."""
        total, limit = 0, 10**15
        part = self.below_thousand() if first is None else self.below_thousand(first)
        if part is None:
            return None
        while True:
            scale = self.scale_word()
            if scale is None or scale >= limit:
                total += part
                return total
            total, limit = total + part * scale, scale
            part = self.further_part(limit)
            if part is None:
                return total

    def further_part(self, limit: int) -> int | None:
        """What follows a scale: ` two`, `, two`, ` and two`, if it stays below that scale."""
        start = self.place
        if self.peek().kind == "comma":
            self.place += 1
        self.skip_space()
        if self.peek().text.lower() == "and":
            self.place += 1
            self.skip_space()
        part = self.below_thousand() if self.place > start else None
        if part is not None:
            after = self.place
            scale = self.scale_word()
            self.place = after
            if scale is None or scale < limit:
                return part
        self.place = start
        return None

    def below_thousand(self, first: int | None = None) -> int | None:
        """Also `twelve hundred`."""
        value = self.below_hundred() if first is None else first
        if value is None:
            return None
        start = self.place
        self.skip_joint() if first is None else None
        if self.peek().text.lower() != "hundred" or value >= HUNDRED:
            self.place = start
            return value
        self.place += 1
        value *= HUNDRED
        start = self.place
        self.skip_joint()
        if self.peek().text.lower() == "and":
            self.place += 1
            self.skip_space()
        rest = self.below_hundred() if self.place > start else None
        if rest is not None and not self.hundred_follows():
            return value + rest
        self.place = start
        return value

    def hundred_follows(self) -> bool:
        """`two hundred and three hundred` are two numbers."""
        start = self.place
        self.skip_joint()
        follows = self.peek().text.lower() == "hundred"
        self.place = start
        return follows

    def below_hundred(self) -> int | None:
        word = self.peek().text.lower()
        if word in UNITS:
            self.place += 1
            return UNITS[word]
        if word not in TENS:
            return None
        self.place += 1
        start = self.place
        self.skip_joint()
        unit = UNITS.get(self.peek().text.lower(), 0) if self.place > start else 0
        if 1 <= unit <= 9:
            self.place += 1
            return TENS[word] + unit
        self.place = start
        return TENS[word]

    def decimals(self) -> Fraction:
        """` point two five`"""
        start = self.place
        if not self.takes("point"):
            return Fraction(0)
        value, weight = Fraction(0), Fraction(1)
        while True:
            before = self.place
            self.skip_space()
            digit = UNITS.get(self.peek().text.lower(), 10)
            if digit > 9 or weight.denominator > 10**LONGEST:
                self.place = start if weight == 1 else before
                return value
            self.place += 1
            weight /= 10
            value += digit * weight

    def part(self, of_one: bool) -> int | None:
        """The denominator of `two thirds`, `three-quarters`; a quarter may be a time: it asks for a hyphen or `of`."""
        start = self.place
        joint = self.peek().kind
        if self.skip_joint():
            word = self.peek().text.lower()
            if word in PARTS and word.endswith("s") != of_one:
                self.place += 1
                if not word.startswith("quarter") or joint == "sign" or self.of_follows():
                    return PARTS[word]
        self.place = start
        return None

    def of_follows(self) -> bool:
        return self.peek().kind == "space" and self.peek(1).text.lower() == "of"

    def scale(self, also_hundred: bool) -> int:
        """The factor of ` million`, ` dozen` behind a number, 1 where there is none."""
        start = self.place
        if self.skip_joint():
            word = self.peek().text.lower()
            factor = SCALES.get(word) or DOZENS.get(word) or (HUNDRED if also_hundred and word == "hundred" else None)
            if factor is not None:
                self.place += 1
                return factor
        self.place = start
        return 1

    def scale_word(self) -> int | None:
        start = self.place
        self.skip_joint()
        scale = SCALES.get(self.peek().text.lower())
        if scale is None:
            self.place = start
            return None
        self.place += 1
        return scale

    def percent(self) -> bool:
        start = self.place
        self.skip_joint()
        if self.peek().kind == "percent" or self.peek().text.lower() in ("percent", "percentage", "pct"):
            self.place += 1
            return True
        self.place = start
        return self.takes("per", "cent")

    def takes(self, *words: str) -> bool:
        """Read these words if they follow, each behind a space."""
        start = self.place
        for word in words:
            if not self.skip_space() or self.peek().text.lower() != word:
                self.place = start
                return False
            self.place += 1
        return True

    def skip_space(self) -> bool:
        if self.peek().kind != "space":
            return False
        self.place += 1
        return True

    def skip_joint(self) -> bool:
        """A space or a hyphen."""
        if self.peek().kind not in ("space", "sign"):
            return False
        self.place += 1
        return True


def parsed(text: str) -> Fraction | None:
    """Of digits with separators; None where there are too many of them."""
    plain = re.sub(rf"[,{SPACE}{{}}\\]", "", text)
    mantissa, _, exponent = plain.lower().partition("e")
    if len(mantissa) > LONGEST or len(exponent) > 4 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
        return None
    return Fraction(plain)
