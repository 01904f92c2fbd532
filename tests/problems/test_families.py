"""What every family must do, tested for whatever files stand in the folder."""

import functools
import json
import random
import re

import pytest
from tests.problems import text_reader

from trex.corpus.clean import built
from trex.corpus.numerals import numerals
from trex.problems import families, verify, wording
from trex.problems.comparison import canonical
from trex.problems.family import DIFFICULTIES
from trex.problems.mathopt_code import program, row_by_row_formulation
from trex.problems.voice import Voice

TOLD = DIFFICULTIES[:3]  # in all modes; industrial data stand in files alone
DRAWS = 3


@functools.cache
def drawn(name, difficulty, number):
    """(data, model, certificate) of one instance; the tests below tell it in several ways."""
    family = families.load(name)
    data = family.draw(random.Random(f"{name} {difficulty} {number}"), difficulty)
    model = family.model(data)
    return data, model, canonical.certificate(model)


def voice(name, difficulty, number, heldout=False):
    return Voice(random.Random(f"{name} {difficulty} {number} told"), difficulty, heldout)


@pytest.mark.parametrize("name", families.names())
def test_the_code_builds_the_model_of_the_instance(name):
    """In every mode and difficulty, and with what somebody else read out of the text instead of the data."""
    family = families.load(name)
    for difficulty in TOLD:
        for number in range(DRAWS):
            data, _, certificate = drawn(name, difficulty, number)
            for mode in wording.MODES:
                for heldout in (False, True):
                    told = wording.state(family, data, mode, voice(name, difficulty, number, heldout))
                    model = built(told.code, told.data_file)
                    assert canonical.certificate(model) == certificate, told.code
                    values = text_reader.read(told, mode)
                    again = program([f"{k} = {v!r}" for k, v in values.items()], family.body(data), reads_file=False)
                    assert canonical.certificate(built(again, None)) == certificate, told.problem


@pytest.mark.parametrize("name", families.names())
def test_industrial_sizes_are_told_by_a_data_file(name):
    data, _, certificate = drawn(name, "industrial", 0)
    told = wording.state(families.load(name), data, "DPS", voice(name, "industrial", 0))
    assert canonical.certificate(built(told.code, told.data_file)) == certificate
    assert "\n".join(told.data_code) in told.code


@pytest.mark.parametrize("name", families.names())
def test_a_data_file_holds_the_numbers_and_the_text_its_keys(name):
    for difficulty in TOLD:
        data, *_ = drawn(name, difficulty, 0)
        told = wording.state(families.load(name), data, "DPS", voice(name, difficulty, 0))
        keys = list(json.loads(told.data_file))
        assert re.findall(r'"(\w+)" \(', told.problem) == keys
        used = re.findall(r'data\["(\w+)"\]', told.code)
        assert used == [key for key in keys if key in used] and len(keys) - len(used) in (0, 1)


@pytest.mark.parametrize("name", families.names())
def test_a_text_without_numbers_has_one_answer(name):
    """In DPS the prompt alone decides the code."""
    family, answers = families.load(name), {}
    for number in range(200):
        rng = random.Random(f"{name} {number}")
        told = wording.state(family, family.draw(rng, "small"), "DPS", Voice(rng, "small"))
        assert answers.setdefault(told.problem, told.code) == told.code


@pytest.mark.parametrize("name", families.names())
def test_an_option_of_the_data_is_told_in_every_mode(name):
    """Texts of one voice that are alike, numbers apart, have the same code, symbols and order of rows apart."""
    family, seen = families.load(name), {}
    for number in range(40):
        data = family.draw(random.Random(f"{name} {number}"), "medium")
        for mode in wording.MODES:
            told = wording.state(family, data, mode, Voice(random.Random(1), "medium"))
            text = re.sub(r"[\d,.]+", "#", told.problem)
            code = labelled(family.body(data), told.facts)
            assert seen.setdefault((mode, text), code) == code


def labelled(lines, facts):
    """The lines with labels instead of symbols, sorted."""
    labels = {fact.symbol: fact.label for fact in facts}
    return sorted(re.sub(r"\b[a-w]\b", lambda symbol: labels.get(symbol[0], symbol[0]), line) for line in lines)


@pytest.mark.parametrize("name", families.names())
def test_word_problems_build_the_same_model_row_by_row(name):
    family = families.load(name)
    for difficulty in TOLD:
        for number in range(DRAWS):
            data, model, certificate = drawn(name, difficulty, number)
            told = wording.state_word(family, data, voice(name, difficulty, number, heldout=number % 2 == 1))
            if told is None:
                continue
            assert canonical.certificate(built(told.code, None)) == certificate, told.code
            spoken = {value for read in map(all_readings, told.problem.splitlines()) for value in read}
            written = [value for line in told.data_code for value in numerals(line)]
            assert {abs(float(value)) for value in written} - spoken <= {0, 1, 2, 3}, (told.problem, told.code)
            assert len(row_by_row_formulation(model)) == len(model.rows) + 2


def all_readings(text):
    return {float(value) for numeral in text_reader.found(text) for value in numeral.readings}


def test_some_families_have_word_problems():
    found = [name for name in families.names() if wording.state_word(*small(name)) is not None]
    assert len(found) >= 4


def small(name):
    return families.load(name), drawn(name, "small", 0)[0], voice(name, "small", 0)


@pytest.mark.parametrize("name", families.names())
def test_difficulty_changes_the_size(name):
    family, mean = families.load(name), []
    for difficulty in DIFFICULTIES:
        rng = random.Random(f"{name} {difficulty}")
        models = [family.model(family.draw(rng, difficulty)) for _ in range(20 if difficulty != "industrial" else 3)]
        mean.append(sum(len(model.variables) for model in models) / len(models))
    assert mean == sorted(mean) and len(set(mean)) == len(mean)
    assert mean[-1] >= 2 * mean[0]


@pytest.mark.parametrize("name", families.names())
def test_most_draws_are_accepted(name):
    verdicts = [verify.verify(drawn(name, difficulty, number)[1]) for difficulty in TOLD for number in range(4)]
    accepted = sum(verdict.reason == verify.ACCEPTED for verdict in verdicts)
    assert accepted > len(verdicts) / 2, [verdict.reason for verdict in verdicts]


def test_there_are_thirty_families_of_many_structures():
    loaded = [families.load(name) for name in families.names()]
    assert [family.name for family in loaded] == list(families.names())
    assert len(loaded) >= 30
    assert len({family.bucket for family in loaded}) >= 14


@pytest.mark.parametrize("name", families.names())
def test_a_note_is_prose_of_some_length(name):
    words = families.load(name).note.split()
    assert 60 <= len(words) <= 200 and words[-1].endswith(".")


def test_heldout_wordings_share_no_sentence_with_usual_ones():
    """Names and numbers apart. The sentences of all families together: a held-out one must be new everywhere."""
    banks = {False: set(), True: set()}
    for name in families.names():
        for number in range(60):
            difficulty = TOLD[number % 3]
            data, *_ = drawn(name, difficulty, number % DRAWS)
            for heldout, sentences in banks.items():
                told = wording.state(
                    families.load(name), data, wording.MODES[number % 2 * 2], voice(name, difficulty, number, heldout)
                )
                sentences |= templates(told)
                word = wording.state_word(families.load(name), data, voice(name, difficulty, number, heldout))
                sentences |= templates(word) if word else set()
    assert banks[False] & banks[True] == set()


def templates(told):
    """The sentences of a text without names and numbers."""
    members = {member for fact in told.facts for axis in fact.axes for member in axis.members}
    text = text_reader.mentions(members).sub("#", told.problem) if members else told.problem
    text = re.sub(r"#(?:(?:,| and| or) #)+", "#", re.sub(r'[$€£]?\d[\d,.]*\d|\d|"\w+"', "#", text))
    return {sentence for sentence in re.split(r"(?<=[.?!])\s+", text) if sentence.strip()}
