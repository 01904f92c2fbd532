"""The scoring of SLAI T-Rex's authors, as a column beside ours: its runner. Its comparator of structure is next door.

Written anew from a description of their repository of July 2026 (nothing is copied from it), so it is their rules, not
their program. It is there to show what these rules make of a response, not to be right; what is known to be wrong with
them is in tests/evaluation/test_legacy.py.

- Code: the longest block fenced by ``` and tagged python, else the longest untagged one, else the last <python> tag,
  else the whole text.
- A response to a structure item is changed before it runs: every call spelled `model.addVars(` whose arguments contain
  no closing parenthesis and no `lb=`, and whose closing parenthesis ends its line, gets lb=-GRB.INFINITY.
- The code runs, then the global `model`, else `m`, is optimized: an objective item is right when its Status is
  optimal (2) and |ObjVal - label| <= 1e-6, a structure item when the .lp that it writes compares equal.
- What decides is the last line of JSON on the standard output, whoever printed it.

Where the description is silent: blocks of the same kind are ranked by their characters, a model is optimized once more
even when the code did it, and anything that fails is wrong. Theirs runs Gurobi without a sandbox; ours runs the
stand-in in ours, with our limits of time and memory.
"""

import json
import re
from dataclasses import dataclass

from trex.benchmarks.item import Item
from trex.evaluation import legacy_comparator
from trex.execution import extraction
from trex.execution.sandbox import Execution, Sandbox
from trex.problems.formats import lp
from trex.problems.ir import Model

TOLERANCE = 1e-6
GUROBI_OPTIMAL = 2
CALL = "model.addVars("
END_OF_CALL = re.compile(r"[ \t]*$", re.MULTILINE)

FIND_MODEL = """
import json as _json
_found = globals()["model"] if "model" in globals() else globals()["m"]
"""
OPTIMIZE = """
if hasattr(_found, "optimize"):
    _found.optimize()
print("\\n" + _json.dumps({"status": _found.Status, "objective": _found.ObjVal}))
"""
WRITE = """
_found.write("legacy.lp")
with open("legacy.lp") as _stream:
    print("\\n" + _json.dumps({"lp": _stream.read()}))
"""


@dataclass(frozen=True)
class Legacy:
    """Whether a response is right by the authors' rules, and why not."""

    passed: bool
    detail: str


def score(item: Item, response: str, data: dict[str, str], sandbox: Sandbox) -> Legacy:
    """data: the files that the code finds in its folder."""
    program = code(response)
    if item.criterion == "structure":
        execution = sandbox.run(with_free_variables(program) + FIND_MODEL + WRITE, data, output=True)
        return by_structure(item, printed_result(execution), execution)
    execution = sandbox.run(program + FIND_MODEL + OPTIMIZE, data, output=True)
    return by_objective(item, printed_result(execution), execution)


def code(response: str) -> str:
    blocks = extraction.fenced_blocks(response)
    for tags in (extraction.PYTHON_TAGS, ("",)):
        if matching := [text for tag, text in blocks if tag in tags]:
            return max(matching, key=len)
    tagged = extraction.tagged_blocks(response)
    return tagged[-1] if tagged else response


def with_free_variables(program: str) -> str:
    """Their change to structure answers: variables without a lower bound become free, as no solver has them."""
    pieces, start, closing = [], 0, 0
    while (call := program.find(CALL, start)) >= 0:
        opened = call + len(CALL)
        closing = program.find(")", opened) if closing < opened else closing  # each is looked for once
        if closing < 0:
            break
        ends_line = END_OF_CALL.match(program, closing + 1)
        end = closing if ends_line else opened
        pieces.append(program[start:end])
        if ends_line and "lb=" not in program[opened:closing]:
            pieces.append(", lb=-GRB.INFINITY")
        start = end
    return "".join(pieces) + program[start:]


def printed_result(execution: Execution) -> dict:
    """The last line of the output that is a JSON object; empty where there is none."""
    for line in reversed(execution.printed.splitlines()):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def by_objective(item: Item, result: dict, execution: Execution) -> Legacy:
    value = result.get("objective")
    if result.get("status") != GUROBI_OPTIMAL or not isinstance(value, (int, float)):
        return Legacy(False, failure(execution, f"status {result.get('status')!r}"))
    if item.objective_value is None or not abs(value - item.objective_value) <= TOLERANCE:
        return Legacy(False, f"objective {value!r}")
    return Legacy(True, "")


def by_structure(item: Item, result: dict, execution: Execution) -> Legacy:
    text = result.get("lp")
    if not isinstance(text, str):
        return Legacy(False, failure(execution, "no .lp was written"))
    try:
        answer = lp.read(text)
    except ValueError as error:
        return Legacy(False, f"its .lp cannot be read: {error}")
    same = item.model is not None and legacy_comparator.equal(answer, Model.from_json(item.model))
    return Legacy(same, "" if same else "another graph")


def failure(execution: Execution, otherwise: str) -> str:
    return otherwise if execution.status == "ok" else f"{execution.status} {execution.detail}".strip()
