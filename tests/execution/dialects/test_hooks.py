"""What dialects share: models of a library's own making, time to solve, what is loaded when."""

import resource
import time

import pytest

from trex.execution import dialects
from trex.execution.dialects import hooks, mathopt


@pytest.fixture
def kind(monkeypatch):
    """A type whose objects are recorded."""
    monkeypatch.setattr(dialects, "recorded", [])
    monkeypatch.setattr(dialects, "refusals", {})

    class Model:
        def __init__(self, name):
            self.name = name

    hooks.record_each(Model, mathopt)
    return Model


def test_objects_are_recorded_in_the_order_of_their_making(kind):
    class Mine(kind):
        def __init__(self):
            super().__init__(name="b")

    made = [kind("a"), Mine()]
    assert [found.model for found in dialects.recorded] == made
    assert [model.name for model in made] == ["a", "b"]


def test_models_that_a_library_makes_are_forgotten(kind):
    kept = kind("program's")
    dialects.refuse(kept, "kept")
    with pytest.raises(ZeroDivisionError), hooks.library_at_work():
        dialects.refuse(kind("library's"), "forgotten")
        raise ZeroDivisionError
    assert [found.model for found in dialects.recorded] == [kept]
    assert [reason for _, reason in dialects.refusals.values()] == ["kept"]


@pytest.mark.parametrize(
    ("limit", "used", "expected"), [(10, 4.0, 3.0), (10, 9.99, 0.05), (resource.RLIM_INFINITY, 4.0, hooks.UNLIMITED_S)]
)
def test_solving_takes_half_of_the_time_that_is_left(monkeypatch, limit, used, expected):
    monkeypatch.setattr(resource, "getrlimit", lambda what: (limit, limit))
    monkeypatch.setattr(time, "process_time", lambda: used)
    assert hooks.solving_seconds() == expected


def test_dear_libraries_are_loaded_only_when_a_program_names_them(sandbox):
    code = "import sys\nassert not {'cv' + 'xpy', 'pan' + 'das', 'py' + 'omo', 'sci' + 'py'} & set(sys.modules)"
    assert sandbox.run(code, {}).status == "no_model"
    named = sandbox.run(f"{code}  # but scipy", {})
    assert (named.status, named.detail) == ("runtime", "AssertionError:  (line 2)")
