"""A model of gurobipy's stand-in with three free variables: the shared parts are tested through it."""

import pytest

from trex.execution.standins.gurobi import library


@pytest.fixture
def model():
    return library.Model()


@pytest.fixture
def xyz(model):
    return [model.addVar(lb=-library.GRB.INFINITY, name=name) for name in "xyz"]
