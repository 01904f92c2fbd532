"""The section on predictions held against this machine."""

import dataclasses

import pytest

from trex.report import validation
from trex.report.load import load


@pytest.fixture(scope="module")
def run(pristine_run, paper):
    return load(pristine_run, paper)


def changed(run, frame=None, **document):
    tables = run.tables | ({} if frame is None else {"validation": frame})
    documents = run.documents | {"validation": run.documents["validation"] | document}
    return dataclasses.replace(run, tables=tables, documents=documents)


def test_errors_of_tested_settings_alone_are_in_the_title(run):
    held, _ = validation.validation(run).figures
    tested = run.tables["validation"].query("set == 'tested'")
    for column in ("time_error", "memory_error"):
        errors = 100 * tested[column].abs()
        assert f"median error {errors.median():.1f} %, worst {errors.max():.0f} %" in held.title
    assert "15 fitted and 18 tested settings, of which 6 are larger" in held.got.n
    assert "15 % for time, 10 % for memory" in held.got.method
    assert "parallel layouts are not validated" in held.got.limits
    assert "recomputation no" in held.note


def test_a_setting_is_said_in_words_with_its_kind(run):
    held, _ = validation.validation(run).figures
    assert len(held.table.rows) == 33
    last = held.table.rows[-1][0]
    assert (last.text, last.detail) == (
        "1 x 2,048 tokens, width 1, 1 thread, float32",
        "tested, larger than all fitted",
    )
    errors = [cell.text for row in held.table.rows for cell in row if cell.text.startswith(("+", "-"))]
    assert len(errors) == 66


def test_without_memory_there_is_time_alone(run):
    """A system without /proc."""
    frame = run.tables["validation"].assign(memory_mib=None, memory_mib_predicted=None, memory_error=None)
    frame = frame.astype(dict.fromkeys(("memory_mib", "memory_mib_predicted", "memory_error"), float))
    held, fitted = validation.validation(changed(run, frame, memory=None, memory_coefficients=None)).figures
    assert "memory" not in held.title and "memory" not in held.note
    assert {row[0].text for row in fitted.table.rows} == {"time"}


def test_a_miss_is_said(run):
    summary = run.documents["validation"]["time"]
    missed = summary | {"verdict": "NOT validated: median error 40% of 18 settings, target 15%"}
    held, _ = validation.validation(changed(run, time=missed)).figures
    assert "Time: NOT validated: median error 40%" in held.note


def test_efficiencies_stand_beside_their_terms(run):
    _, fitted = validation.validation(run).figures
    shares = {row[1].text: row[3].text for row in fitted.table.rows}
    assert shares["products float32"] == "62.5 %" and shares["layers"] == "n/a"
