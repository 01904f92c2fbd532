"""Results of solving: when they are there, what dual values mean, what recording makes of our own solving."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.execution import dialects
from trex.execution.dialects import mathopt as mathopt_dialect
from trex.execution.standins.gurobi import library
from trex.execution.standins.outcome import Outcome

GRB = library.GRB


def diet(amounts: list[float], costs: list[float], need: list[float], maximise: bool):
    """A linear program with an optimum, and its rows."""
    model = library.Model()
    x = model.addVars(len(costs), ub=10, name="x")
    sign = -1.0 if maximise else 1.0
    model.setObjective(sign * x.prod(dict(enumerate(costs))), GRB.MAXIMIZE if maximise else GRB.MINIMIZE)
    rows = [
        model.addConstr(library.quicksum(amounts[(i + k) % len(amounts)] * x[i] for i in x) >= limit)
        for k, limit in enumerate(need)
    ]
    model.optimize()
    return model, rows, x


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(1, 9), min_size=4, max_size=5, unique=True),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
    st.lists(st.integers(1, 20), min_size=2, max_size=2),
    st.booleans(),
)
def test_dual_values_are_the_objective_explained(amounts, costs, need, maximise):
    """Strong duality with the libraries' signs: objective = sum Pi * RHS + sum RC * X, for either sense."""
    model, rows, x = diet(amounts, costs, need, maximise)
    explained = sum(row.Pi * row.RHS for row in rows) + sum(variable.RC * variable.X for variable in x.values())
    assert explained == pytest.approx(model.ObjVal, abs=1e-6)
    assert all((row.Pi <= 1e-9) if maximise else (row.Pi >= -1e-9) for row in rows)
    assert all(abs(row.Pi * row.Slack) <= 1e-6 for row in rows)


def test_integers_leave_no_dual_values(model):
    x = model.addVar(vtype="I", ub=3)
    row = model.addConstr(2 * x <= 5)
    model.optimize()
    for ask in (lambda: row.Pi, lambda: x.RC):
        with pytest.raises(AttributeError, match="Unable to retrieve"):
            ask()


def test_it_is_solved_when_first_asked_and_as_it_was_then(model, monkeypatch):
    x = model.addVar(ub=3, obj=-1)
    model.optimize()
    model.addConstr(x <= 1)
    assert "solution" not in model._recording.outcome.__dict__
    assert (x.X, model.ObjVal) == (3.0, -3.0)
    model.optimize()
    assert x.X == 1.0


def test_values_go_with_their_variables(model):
    x, y = model.addVar(ub=1, obj=-1, name="x"), model.addVar(ub=2, obj=-1, name="y")
    model.optimize()
    assert y.X == 2.0
    model.remove(x)
    assert y.X == 2.0
    z = model.addVar()
    with pytest.raises(AttributeError):
        print(z.X)


def test_our_own_solving_is_not_recorded(model, monkeypatch):
    monkeypatch.setattr(dialects, "recorded", [])
    monkeypatch.setattr(mathopt_dialect.MODEL_TYPE, "__init__", mathopt_dialect.MODEL_TYPE.__init__)
    mathopt_dialect.start_recording()
    model.addVar(ub=3, obj=-1)
    model.optimize()
    assert model.ObjVal == -3.0
    assert dialects.recorded == []


def test_a_limit_ends_without_a_solution(model):
    x = model.addVar(vtype="I", obj=1)
    model.addConstr(x >= 2.5)
    outcome = Outcome(model._recording.to_ir(), [x], [], time_limit=0.0)
    assert (outcome.status, outcome.values) in [("limit", None), ("optimal", {x: 3.0})]


def test_a_refused_model_is_not_solved(model):
    with pytest.raises(dialects.Unsupported):
        model.addSOS(1, [model.addVar()])
    with pytest.raises(dialects.Unsupported, match="addSOS"):
        model.optimize()
