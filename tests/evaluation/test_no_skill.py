"""What is got right without understanding: an example copied, a template filled, numbers shuffled."""

import dataclasses
import json
import subprocess
import sys
from fractions import Fraction

import pyarrow as pa
import pytest

from trex.benchmarks.item import write_suite
from trex.common import files
from trex.common.errors import UserError
from trex.evaluation import protocol
from trex.evaluation.floors import FLOORS, NEAREST, SHUFFLED, SLOTS
from trex.evaluation.no_skill import Sample, Shuffler, Training, read_samples
from trex.evaluation.origins import FixedNumbers, Prompt, pieces
from trex.evaluation.template import Layout, Template
from trex.problems.ir import Model

NOTHING_FIXED = FixedNumbers([])
BODY = """m = mathopt.Model()
x = [m.add_variable(lb=0) for _ in p]
for r, v in zip(a, b):
    m.add_linear_constraint(sum(i * j for i, j in zip(r, x)) <= v)
m.maximize(sum(i * j for i, j in zip(p, x)))"""


def code(*lines: str) -> str:
    return "\n".join(["```python", "from ortools.math_opt.python import mathopt", *lines, BODY, "```"])


def read(*keys: str) -> str:
    lines = [f'{symbol} = data["{key}"]' for symbol, key in zip("pab", keys, strict=True)]
    return code("import json", 'data = json.load(open("data.json"))', *lines)


# A sample each of sentences, tables and a data file; items of other sizes, order and ways to write numbers.
MADE = "A bakery makes {}. Fractions are allowed. Maximize total profit."
SAMPLES = [
    Sample(
        "A bakery makes cakes, pies. Profit per unit: cakes 12, pies 7. Use per unit: flour 2, 3. Available: flour 40. "
        "Fractions are allowed. Maximize total profit.\nWrite MathOpt code.",
        code("p = [12, 7]", "a = [[2, 3]]", "b = [40]"),
        "DP",
        "mix-1",
    ),
    Sample(
        "A bakery makes products. Fractions are allowed. Maximize total profit.\n\n| product | cakes | pies |\n"
        "| - | - | - |\n| profit per unit | 9 | 5 |\n| flour per unit | 4 | 1 |\n\n| resource | flour |\n| - | - |\n"
        "| available | 33 |\n\nWrite MathOpt code.",
        code("p = [9, 5]", "a = [[4, 1]]", "b = [33]"),
        "DT",
        "mix-2",
    ),
    Sample(
        'A bakery makes products. data.json has "gain" (profit per unit, by product), "rates" (use per unit, by '
        'resource and product), "stock" (available, by resource). Fractions are allowed. Maximize total profit.\n'
        "Write MathOpt code.",
        read("gain", "rates", "stock"),
        "DPS",
        "mix-3",
    ),
]
PROFIT, USE, AVAILABLE = [1250, 8, 15], [[4, 2, 6], [3, 5, 1]], [60, 45]
REFERENCE = code("p = [1250, 8, 15]", "a = [[4, 2, 6], [3, 5, 1]]", "b = [60, 45]")
SENTENCES = (
    "A bakery makes cakes, pies, buns. Available: flour $60, sugar forty-five. Use per unit: flour 4, 2, 6; sugar 3, "
    "5, 1. Profit per unit: cakes 1,250, pies eight, buns 15. Fractions are allowed. Maximize total profit.\n"
    "Write MathOpt code."
)
TABLES = (
    "A bakery makes products. Fractions are allowed. Maximize total profit.\n\n| resource | flour | sugar |\n"
    "| - | - | - |\n| available | 60 | 45 |\n\n| product | cakes | pies | buns |\n| - | - | - | - |\n"
    "| profit per unit | 1,250 | 8 | 15 |\n| flour per unit | 4 | 2 | 6 |\n| sugar per unit | 3 | 5 | 1 |\n\n"
    "Write MathOpt code."
)
FILE = (
    'A bakery makes products. data.json has "limit" (available, by resource), "needs" (use per unit, by resource and '
    'product), "margin" (profit per unit, by product). Fractions are allowed. Maximize total profit.\n'
    "Write MathOpt code."
)
# In whole numbers, as no sample is.
OTHER = "A boat takes 2 of 31 people, a cart 5. A boat earns 3, a cart 8. Earn most with whole boats and carts."


def mix() -> tuple[dict, float]:
    model = Model()
    x = [model.add_variable(name) for name in ("cakes", "pies", "buns")]
    for row, limit in zip(USE, AVAILABLE, strict=True):
        model.add_row(dict(zip(x, row, strict=True)), ub=limit)
    model.set_objective("max", dict(zip(x, PROFIT, strict=True)))
    return model.to_json(), 18750.0  # all of one product: 60 / 4


@pytest.fixture
def suite(make_item):
    reference, optimum = mix()
    own = {"objective_value": optimum, "model": reference, "answer": REFERENCE}
    data = json.dumps({"limit": AVAILABLE, "needs": USE, "margin": PROFIT})
    other = Model()
    x, y = other.add_variable("x", "integer"), other.add_variable("y", "integer")
    other.add_row({x: 2, y: 5}, ub=31)
    other.set_objective("max", {x: 3, y: 8})
    boats = "x, y = m.add_integer_variable(lb=0), m.add_integer_variable(lb=0)"
    lines = [boats, "m.add_linear_constraint(2 * x + 5 * y <= 31)", "m.maximize(3 * x + 8 * y)"]
    answer = "\n".join(
        ["```python", "from ortools.math_opt.python import mathopt", "m = mathopt.Model()", *lines, "```"]
    )
    return [
        make_item(item_id="own/0", prompt=SENTENCES, **own),
        make_item(item_id="own/1", prompt=TABLES, mode="DT", **own),
        make_item(
            item_id="own/2",
            prompt=FILE,
            mode="DPS",
            data_file=data,
            **own | {"answer": read("margin", "needs", "limit")},
        ),
        make_item(item_id="own/3", prompt=OTHER, objective_value=49.0, model=other.to_json(), answer=answer),
    ]


@pytest.fixture
def answers(suite):
    training, shuffler = Training(SAMPLES), Shuffler(SAMPLES, suite, 1)
    sources = {NEAREST: training.copied, SLOTS: training.filled, SHUFFLED: shuffler.shuffled}
    return {name: [source(item) for item in suite] for name, source in sources.items()}


def test_what_each_gets_on_a_suite_made_by_hand(suite, answers, graded):
    """In sentences, tables, a data file, and in whole numbers, as no sample is."""
    cases = {name: [(item, text, "stop") for item, text in zip(suite, answers[name], strict=True)] for name in FLOORS}
    passed = {name: [row["passed"] for row in graded(*cases[name])] for name in FLOORS}
    assert passed == {
        NEAREST: [False, False, False, False],
        SLOTS: [True, True, True, False],
        SHUFFLED: [False, False, True, False],
    }


def test_the_slot_filler_writes_lists_as_long_as_the_prompts(answers):
    for text in answers[SLOTS][:2]:
        assert "p = [1250, 8, 15]\na = [[4, 2, 6], [3, 5, 1]]\nb = [60, 45]\n" in text
    assert 'p = data["margin"]\na = data["needs"]\nb = data["limit"]' in answers[SLOTS][2]


def test_an_example_is_copied_from_the_items_mode(suite, answers):
    assert answers[NEAREST][:3] == [sample.answer for sample in SAMPLES]
    unknown = dataclasses.replace(suite[0], mode="??")
    assert Training(SAMPLES).copied(unknown) in [sample.answer for sample in SAMPLES]


def test_shuffled_numbers_are_those_of_the_answer_in_other_places(suite, answers):
    def numbers(text):
        lines = [line for line in text.splitlines() if line.startswith(("p =", "a =", "b ="))]
        return [
            int(number)
            for line in lines
            for number in line.replace("[", " ").replace("]", " ").replace(",", " ").split()[2:]
        ]

    right = [*PROFIT, *USE[0], *USE[1], *AVAILABLE]
    for text in answers[SHUFFLED][:2]:
        assert sorted(numbers(text)) == sorted(right) and numbers(text) != right
        assert text.endswith(BODY + "\n```")
    assert answers[SHUFFLED][2] == suite[2].answer


def test_a_shuffle_depends_on_the_seed_and_the_item_alone(suite, answers):
    again = Shuffler(SAMPLES, suite[:1], 1).shuffled(suite[0])
    assert again == answers[SHUFFLED][0]
    assert Shuffler(SAMPLES, suite, 2).shuffled(suite[0]) != again
    assert Shuffler(SAMPLES, suite, 1).shuffled(dataclasses.replace(suite[0], item_id="own/9")) != again
    assert Shuffler(SAMPLES, suite, 1).shuffled(dataclasses.replace(suite[0], answer=None)) == ""


def test_a_number_that_stands_twice_in_an_answer_is_changed_in_both_places(make_item):
    item = make_item(prompt="Of 4 or 9.", answer="<think>\n4, then 9.\n</think>\n```python\nc = [4, 9]\nk = 1\n```")
    text = Shuffler(SAMPLES, [item], 1).shuffled(item)
    assert text == "<think>\n9, then 4.\n</think>\n```python\nc = [9, 4]\nk = 1\n```"


def test_an_answer_without_two_different_numbers_of_its_prompt_stays(make_item):
    for prompt, answer in (("Of 4 or 4.", "x = [4, 4]"), ("Of four.", "x = 4"), ("None.", "x = 4")):
        item = make_item(prompt=prompt, answer=answer)
        assert Shuffler(SAMPLES, [item], 1).shuffled(item) == answer


def places(prompt: str, answer: str, fixed=NOTHING_FIXED) -> list:
    found = pieces(answer, Prompt(prompt), fixed)
    return [[None if slot is None else slot.at for row in piece.rows for slot in row] for piece in found]


@pytest.mark.parametrize(
    ("prompt", "answer", "expected"),
    [
        ("1, 2, 3, and 2, 3.", "[1, 2, 3], [2, 3]", [[0, 1, 2], [3, 4]]),  # in the order of the text
        ("2, 3, and 1, 2, 3.", "[1, 2, 3], [2, 3]", [[2, 3, 4], [0, 1]]),  # whole lists, whatever the order
        ("a | 1 | 5\nb | 2 | 5\nc | 3 | 6", "[1, 2, 3], [5, 5, 6]", [[0, 2, 4], [1, 3, 5]]),  # columns
        ("7 of 3 at 7, 5.", "[7, 5]", [[2, 3]]),
        ("4 and 9.", "[4, 8, 9]", [[0, None, 1]]),  # one that is not there
        ("4 and 9.", "x[4] <= 9", [[0], [1]]),  # an index is no list
        ("x1 of 4.", "x1 + x_4 + 1.5 + 4", [[None], [0]]),  # no part of a name or of a number
        ("-3 and 3.", "[-3, 3]", [[0, 1]]),
        ("nothing", "[1]", [[None]]),
    ],
)
def test_where_the_numbers_of_an_answer_stand(prompt, answer, expected):
    assert places(prompt, answer) == expected


def test_a_percentage_is_read_as_the_answer_has_it():
    prompt = "Keep 35% of 20, 40 percent of 30."
    assert places(prompt, "[35, 20], [0.4, 30]") == [[0, 1], [2, 3]]
    template = Template("Keep 35% in A.", "x <= 0.35", NOTHING_FIXED)
    assert template.filled(Layout("Keep 40 percent in A."))[0] == "x <= 0.4"
    template = Template("Keep 35% in A.", "x <= 35", NOTHING_FIXED)
    assert template.filled(Layout("Keep 40 percent in A."))[0] == "x <= 40"
    template = Template("Keep a share in percent of 35 in A.", "x <= 35", NOTHING_FIXED)
    assert template.filled(Layout("Keep 40% in A."))[0] == "x <= 40"


def test_a_number_of_the_code_is_known_by_its_line():
    """Which always has it, in the answers to five problems; the same problem five times is one."""
    answers = [(f"p{n}", f"k = {n}\ny = x[j - 1] >= {n}") for n in range(5)]
    fixed = FixedNumbers(answers)
    assert places("Count from 1, 4 times, 1.", "k = 1\ny = x[j - 1] >= 4", fixed) == [[0], [1]]
    told = FixedNumbers([("p", answer) for _, answer in answers])
    assert places("Count from 1, 4 times, 1.", "k = 1\ny = x[j - 1] >= 4", told) == [[0], [0], [1]]


@pytest.mark.parametrize(
    ("prompt", "answer", "item", "expected", "misfits"),
    [
        # Sentences in another order; a number in words; a name with digits.
        ("Cost: 4. Limit: 9.", "c = 4\nk = 9", "Limit: sixty. Cost: 5.", "c = 5\nk = 60", 0),
        # Longer and shorter lists; rows in brackets.
        ("Cost: A 1, B 2.", "c = [1, 2]", "Cost: A 3, B 4, C 5.", "c = [3, 4, 5]", 0),
        ("Cost: A 1, B 2.", "c = [1, 2]", "Cost: A 3.", "c = [3]", 0),
        ("Cost: c = [[1, 2], [3, 4]].", "c = [[1, 2], [3, 4]]", "Cost: c = [[5], [6], [7]].", "c = [[5], [6], [7]]", 0),
        ("Cost: X 1, 2; Y 3, 4.", "c = [[1, 2], [3, 4]]", "Cost: X (5, 6), Y (7, 8).", "c = [[5, 6], [7, 8]]", 0),
        # A part of a sentence, counted from both of its ends.
        ("Of 9, take 1 and 2.", "n = 9\nc = [1, 2]", "Of 8, take 3, 4 and 5.", "n = 8\nc = [3, 4, 5]", 1),
        # Columns, by their heads and one longer.
        (
            "| s | cost | room |\n| - | - | - |\n| A | 1 | 7 |\n| B | 2 | 8 |",
            "c = [1, 2]\nk = [7, 8]",
            "| s | room | cost |\n| - | - | - |\n| A | 5 | 3 |\n| B | 6 | 4 |\n| C | 9 | 0 |",
            "c = [3, 4, 0]\nk = [5, 6, 9]",
            0,
        ),
        # What has no place keeps the sample's numbers; what is left over is a misfit, as is what fails.
        ("Cost: 4. Limit: 9.", "c = 4\nk = 9", "Cost: 5.", "c = 5\nk = 9", 1),
        ("Cost: 4.", "c = 4\nk = 6", "Cost: 5. Limit: 8.", "c = 5\nk = 6", 2),
        # Keys, by what is said of them.
        ('f has "a" (cost), "b" (limit).', 'd["a"] + d["b"]', 'f has "a" (limit), "z" (cost).', 'd["z"] + d["a"]', 0),
        ('f has "a" (cost).', 'd["a"]', 'f has "page" (page), "c" (cost).', 'd["c"]', 1),
        ("", "x", "", "x", 0),
    ],
)
def test_templates(prompt, answer, item, expected, misfits):
    assert Template(prompt, answer, NOTHING_FIXED).filled(Layout(item)) == (expected, misfits)


def test_the_template_is_the_one_that_fits_and_says_the_same(make_item):
    """The nearest has a limit more; the next ones differ in what is asked."""
    told = "A bakery in {} makes cakes, pies. Profit: cakes {}, pies {}. {}"
    samples = [
        Sample(told.format("Bern", 1, 2, "Limit 5. Earn as much as possible."), "```k = 5\np = [1, 2]```", "DP", "a"),
        Sample(told.format("Rome", 3, 4, "Spend as little as possible."), "```min [3, 4]```", "DP", "b"),
        Sample(told.format("Oslo", 5, 6, "Earn as much as possible."), "```max [5, 6]```", "DP", "c"),
    ]
    item = make_item(prompt=told.format("Bern", 7, 8, "Earn as much as possible."))
    training = Training(samples)
    assert training.nearest(item)[0] == 0
    assert training.filled(item) == "```max [7, 8]```"


def test_numerals_of_a_prompt_with_their_readings():
    prompt = Prompt("Put 25% of $1,200 in.")
    assert [numeral.readings for numeral in prompt.numerals] == [(Fraction(1, 4), 25), (1200,)]


def sft(samples: list[Sample]) -> pa.Table:
    rows = [
        {
            "mode": sample.mode,
            "instance_id": sample.problem,
            "messages": [{"role": "user", "content": sample.prompt}, {"role": "assistant", "content": sample.answer}],
        }
        for sample in samples
    ]
    return pa.Table.from_pylist(rows)


@pytest.fixture
def step(suite, tmp_path):
    write_suite(tmp_path / "own.parquet", suite, {})

    def run(samples: pa.Table) -> subprocess.CompletedProcess:
        files.write_parquet(tmp_path / "sft.parquet", samples, {})
        command = [sys.executable, "-m", "trex.evaluation.no_skill", "--suite", tmp_path / "own.parquet", "--seed", "1"]
        command += ["--training", tmp_path / "sft.parquet"]
        for option, name in zip(("--nearest", "--slots", "--shuffled"), FLOORS, strict=True):
            command += [option, tmp_path / name / "responses.jsonl"]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    return run


def test_the_step_writes_responses_as_a_model_gives_them(step, suite, answers, tmp_path):
    no_code = Sample(SENTENCES, "max p x", "DP", "mix-4")
    done = step(sft([no_code, *SAMPLES]))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "no skill: 3 answers to each of 4 items, from 3 samples with code\n"
    for name in FLOORS:
        path = tmp_path / name / "responses.jsonl"
        rows = files.read_jsonl(path)
        assert [row["response"] for row in rows] == answers[name]
        assert [(row["id"], row["sha256"]) for row in rows] == [(item.item_id, item.sha256) for item in suite]
        how = protocol.beside(path)
        assert (how.model, how.samples, how.shots) == (name, 1, None)
        assert how.text() == ("no model asked, seed 1" if name == SHUFFLED else "no model asked")


@pytest.mark.parametrize(
    ("samples", "complaint"),
    [
        (sft([Sample("a", "b", "DP", "c")]), "holds no sample with code"),
        (pa.Table.from_pylist([{"prompt": "a", "answer": "b"}]), "row 1: not a sample"),
    ],
)
def test_what_is_no_training_file_is_refused(tmp_path, samples, complaint):
    files.write_parquet(tmp_path / "sft.parquet", samples, {})
    with pytest.raises(UserError, match=complaint):
        read_samples(tmp_path / "sft.parquet")
