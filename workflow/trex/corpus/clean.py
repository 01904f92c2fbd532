"""Whether the answer of a task of our own is right, by execution: the gate that every supervised sample passes.

- `code_fails`, `other_model`: the reference code, run against the task's data file, must build a model with the
  canonical form of the instance's (`trex.problems.comparison.canonical.certificate`).
- `unexplained_number`: each number of the reasoning must be one of the data, of the model's coefficients and bounds, a
  size of the data or of the model, the optimum, or one of those that notation needs.
- `wrong_optimum`: a value that the answer calls optimal must be that of the solvers (`trex.problems.verify.agree`).

Our own templates wrote the code, so it runs in this process; foreign code never does (trex.corpus.validate).
"""

import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction

from trex.corpus.numerals import found
from trex.corpus.samples import Task
from trex.execution.dialects import mathopt
from trex.problems.comparison import canonical
from trex.problems.ir import Model
from trex.problems.verify import agree

CODE_FAILS = "code_fails"
OTHER_MODEL = "other_model"
UNEXPLAINED_NUMBER = "unexplained_number"
WRONG_OPTIMUM = "wrong_optimum"
STATED = re.compile(r"optimal value(?: is|:) (\S+)\.$", re.IGNORECASE | re.MULTILINE)
NOTATION = (0, 1, 2, 100)  # x_ij = 1 if ..., u_i for i = 2..N, u / 100 of a percentage


def fault(task: Task) -> str | None:
    """Why the task's answer is not right, None when it is."""
    try:
        model = built(task.statement.code, task.statement.data_file)
    except Exception:  # whatever a wrong template does
        return CODE_FAILS
    if canonical.certificate(model) != task.instance["certificate"]:
        return OTHER_MODEL
    optimum = task.instance["objective_value"]
    if not all(agree(float(value), optimum) for value in STATED.findall(task.answer)):
        return WRONG_OPTIMUM
    return UNEXPLAINED_NUMBER if task.reasoning and unexplained(task) else None


def built(code: str, data_file: str | None) -> Model:
    """The model `m` of our own code; it finds `data_file` under whatever name it opens."""
    names = {"open": lambda path: io.StringIO(data_file)}
    exec(code, names)
    return mathopt.to_ir(names["m"])


def unexplained(task: Task) -> list[Fraction]:
    """The numbers of the reasoning that neither occur in the instance nor follow from it."""
    known = set(map(rounded, explained(task.instance)))
    return [
        numeral.value
        for numeral in found(task.reasoning)
        if known.isdisjoint(rounded(value) for value in numeral.readings)
    ]


def explained(instance: dict) -> Iterator[float]:
    model = Model.from_json(json.loads(instance["model"]))
    yield from NOTATION
    yield instance["objective_value"]
    yield from (len(model.variables), sum(variable.is_integer for variable in model.variables))
    yield from numbers_of(json.loads(instance["data"]))
    yield from model.objective.linear.values()
    for row in model.rows:
        yield from (*row.terms.values(), row.lb, row.ub)


def numbers_of(data: object) -> Iterator[float]:
    """The numbers in the data and the lengths of its lists."""
    if isinstance(data, dict):
        for value in data.values():
            yield from numbers_of(value)
    elif isinstance(data, list):
        yield len(data)
        for value in data:
            yield from numbers_of(value)
    elif isinstance(data, int | float):
        yield data


def rounded(value: float | Fraction) -> float:
    """As the reasoning writes it; whether a minus is a sign or an operation, its text does not say."""
    return float(f"{abs(float(value)):.10g}")
