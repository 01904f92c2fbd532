"""Which model a program is taken to mean, whatever it is called and wherever it was built."""

import subprocess
import sys

import pytest

PREAMBLE = """
from ortools.math_opt.python import mathopt

def make(name, empty=False):
    model = mathopt.Model(name=name)
    if not empty:
        model.add_linear_constraint(model.add_variable() <= 1)
    return model
"""


def choose(code: str) -> str:
    """The name of the model chosen after this code, in a process of its own (recording lasts for ever)."""
    program = (
        "from trex.execution import dialects\n"
        "dialects.start_recording('mathopt')\n"
        f"names = {{}}\nexec({code!r}, names)\nfound = dialects.chosen(names)\n"
        "print('none' if found is None else found.model.name)"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", "none"),
        ("any_name = make('a')", "a"),
        ("make('a')", "a"),
        ("first = make('a')\nsecond = make('b')", "b"),
        ("second = make('b')\nfirst = second\nthird = make('empty', empty=True)", "b"),
        ("held = make('a')\nmake('b')", "a"),
        ("held = make('empty', empty=True)", "empty"),
        ("class Mine(mathopt.Model):\n    pass\nmine = Mine(name='a')\nmine.maximize(mine.add_variable())", "a"),
        ("copy = mathopt.Model.from_model_proto(make('a').export_model())", "a"),
    ],
    ids=range(9),
)
def test_choice_of_the_model(code, expected):
    assert choose(PREAMBLE + code) == expected
