import argparse
import subprocess
import sys

import pytest

from trex.common import cli
from trex.common.errors import UserError


def test_a_json_argument_is_text_or_a_file(tmp_path):
    (tmp_path / "a.json").write_text('{"x": 1}')
    assert cli.json_argument('{"x": 1}') == cli.json_argument(str(tmp_path / "a.json")) == {"x": 1}


@pytest.mark.parametrize("text", ["", "absent.json", "{", '{"x": }', "[1]"])
def test_what_is_neither_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        cli.json_argument(text)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [(UserError("what, where, mend"), 2, "error: what, where, mend\n"), (KeyboardInterrupt(), 130, "interrupted")],
)
def test_exit_codes(capsys, error, code, text):
    def main():
        raise error

    with pytest.raises(SystemExit) as stop:
        cli.run(main)
    assert stop.value.code == code
    assert capsys.readouterr().err.startswith(text)


def test_other_errors_are_not_swallowed():
    def main():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cli.run(main)


def test_a_reader_that_stops_reading_is_no_error():
    """As in `... | head -1`."""
    code = "from trex.common import cli; cli.run(lambda: [print('line') for _ in range(100_000)])"
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "line\n"
    writer.stdout.close()
    assert (writer.stderr.read(), writer.wait()) == ("", 0)
    writer.stderr.close()


def test_a_step_has_help_and_refuses_abbreviated_and_unknown_options():
    def code(*arguments):
        command = [sys.executable, "-m", "trex.common.config", *arguments]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert code("--help") == 0
    assert code("--conf", '{"run": "a", "seed": 1}', "--out", "x") == 2
    assert code() == 2


def test_a_missing_setting_is_the_users_error_at_any_depth():
    settings = cli.json_argument('{"sandbox": {"cpu_s": 1}}')
    with pytest.raises(UserError, match="'solve_s'"):
        settings["solve_s"]
    with pytest.raises(UserError, match="'wall_s'"):
        settings["sandbox"]["wall_s"]
    assert settings.get("solve_s") is None


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "", "nan", "9" * 19, "9" * 400, "9" * 5000])
def test_whole_numbers_that_no_formula_survives_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        cli.positive(text)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x", "", "1e308", "1e-320"])
def test_numbers_that_no_formula_survives_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        cli.positive_number(text)


def test_numbers_are_taken_to_the_limits():
    assert cli.positive("9" * 18) == 10**18 - 1 and cli.positive("007") == 7
    assert cli.positive_number("1e18") == 1e18 and cli.positive_number("1e-18") == 1e-18
