"""A model of gurobipy's stand-in with three free variables: the shared parts are tested through it."""

import pytest

from trex.execution import dialects
from trex.execution.standins.gurobi import library


@pytest.fixture(autouse=True)
def no_refusals(monkeypatch):
    """Models of other tests are gone, and their identities may come back."""
    monkeypatch.setattr(dialects, "refusals", {})


@pytest.fixture
def model():
    return library.Model()


@pytest.fixture
def xyz(model):
    return [model.addVar(lb=-library.GRB.INFINITY, name=name) for name in "xyz"]
