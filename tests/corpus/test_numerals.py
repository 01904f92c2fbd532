from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from trex.corpus import numerals

CASES = {
    "1,250": [1250],
    "$1,250.50": [1250.5],
    "1{,}250 and 1\\,250": [1250, 1250],
    "1\u00a0250 t": [1250],
    "1,250,000": [1250000],
    "1,25": [1, 25],
    "0,250": [0, 250],
    "1,2,3": [1, 2, 3],
    "[100,200,300]": [100, 200, 300],
    "(1,250 units)": [1250],
    "1,250\n```csv\nS1,100,200\n```\n1,250": [1250, 100, 200, 1250],
    "35% or 35 percent or thirty-five per cent": [0.35, 0.35, 0.35],
    "35\\%": [0.35],
    "a 5-percent cut": [0.05],
    "twelve": [12],
    "One hundred twenty-five": [125],
    "one hundred and twenty-five": [125],
    "twelve hundred": [1200],
    "a hundred, a thousand and a dozen": [100, 1000, 12],
    "one thousand, two hundred and six": [1206],
    "twenty, thirty and forty": [20, 30, 40],
    "two hundred and three hundred": [200, 300],
    "two and three": [2, 3],
    "two thousand and three thousand": [2000, 3000],
    "one million two hundred thousand and one": [1200001],
    "two dozen, 3 dozen": [24, 36],
    "1.5 million": [1500000],
    "two and a half million": [2500000],
    "$20k, 20K, $5M, $2B": [20000, 20000, 5000000, 2000000000],
    "5M y": [5],
    "half of it, one half, a half": [0.5, 0.5, 0.5],
    "two thirds, one-third, a third of": [Fraction(2, 3), Fraction(1, 3), Fraction(1, 3)],
    "three-quarters, three quarters of it, three quarters later": [0.75, 0.75, 3],
    "a quarter of the land, a quarter": [0.25],
    "½ and 2½": [0.5, 2.5],
    "twice as much, at least double, double-check": [2, 2],
    "-3, (-4), x = -5, \u22126": [-3, -4, -5, -6],
    "3-5, 3 - 5, 10-day": [3, 5, 3, 5, 10],
    "minus three, negative 2, 5 minus 3": [-3, -2, 5, 3],
    "-$5": [-5],
    "x1, Plant_2, A1B, 3rd, third, 1st": [],
    "1e-6, 1.2E+05": [Fraction(1, 10**6), 120000],
    ".5 and 5.": [0.5, 5],
    "10kg": [10],
    "the unit costs $0.5, 5/unit": [0.5, 5],
    "one of the two": [1, 2],
    "24/7": [24, 7],
    "Take a look at a point": [],
    "at one point": [1],
    "someone phones often": [],
    "": [],
    "9" * 5000: [],
    "1e999999999": [],
}


@pytest.mark.parametrize("text", CASES)
def test_what_a_text_states(text):
    assert numerals.numerals(text) == [Fraction(str(value)) for value in CASES[text]]


def test_a_percentage_has_two_readings_and_a_place():
    (found,) = numerals.found("at least 12.5% of it")
    assert found.readings == (Fraction(1, 8), Fraction(25, 2))
    assert "at least 12.5% of it"[found.start : found.end] == "12.5"


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_words_of_num2words_are_read_back(number):
    assert numerals.numerals(num2words(number)) == [number]
    assert numerals.numerals(num2words(number).replace(" and ", " ").replace(",", "")) == [number]


@given(st.integers(-(10**6), 10**6), st.integers(0, 9999))
def test_decimals_in_words_and_digits_are_read_back(whole, places):
    text = f"{whole}.{places:04d}"
    assert numerals.numerals(text) == [Fraction(text)]
    assert numerals.numerals(f"{whole:,}.{places:04d}") == [Fraction(text)]
    if not text.startswith("-0"):
        assert numerals.numerals(num2words(text.rstrip("0").rstrip("."))) == [Fraction(text)]


@given(st.lists(st.integers(0, 99), min_size=1, max_size=6))
def test_a_list_of_words_stays_a_list(values):
    assert numerals.numerals(", ".join(map(num2words, values))) == values


@given(st.text())
def test_any_text_is_read(text):
    for numeral in numerals.found(text):
        assert text[numeral.start : numeral.end]


def test_time_is_linear_in_the_text():
    for text in ("a_" * 50_000, "1,111" * 20_000, "a " * 50_000, "one hundred and " * 10_000, "[" * 100_000):
        numerals.numerals(text)
